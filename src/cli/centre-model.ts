import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { InputError } from '../../scene/index.js'
import { fitCentreModel, modelInput } from '../centre-model.js'
import { writeCentreModel } from '../../formats/centre-model-file.js'
import { claimLocation, fileLocation, folderLocation, writeResult } from '../../run/results.js'
import { openResult } from '../../views/server/open-result.js'
import { Console } from './console.js'
import { parseCount } from './quantity.js'

/** What the file is called, in a result's folder or beside a table. */
const FILE = 'centre-model.json'
/** Most centres where --count does not say. */
const COUNT = '200'
/** Options of `isar centres` that only images have, and those that only models have. */
const OF_IMAGES = ['floor', 'dynamicRange', 'formats']
const OF_MODELS = ['mesh', 'heldOut']

/** @throws InputError for an option that would be ignored */
export function refuseOtherKind(command: Command, model: boolean): void {
  const given = command.options.find(
    (o) =>
      (model ? OF_IMAGES : OF_MODELS).includes(o.attributeName()) &&
      command.getOptionValueSource(o.attributeName()) === 'cli',
  )
  if (given)
    throw new InputError(
      `${given.long}: it is for ${model ? 'centres of an image' : '--model'}; leave it out${model ? '' : ', or give --model'}`,
    )
}

/** `isar centres --model`. */
export async function runCentreModel(path: string, raw: Record<string, unknown>): Promise<void> {
  const out = new Console(raw.quiet === true)
  const count = parseCount(String(raw.count ?? COUNT), '--count', 1, 10_000)
  const heldOut = parseCount(String(raw.heldOut), '--held-out', 0, 1_000_000)
  const input = modelInput(await openResult(path, raw.mesh as string | undefined), heldOut)
  const place =
    raw.out !== undefined
      ? folderLocation(raw.out as string)
      : statSync(path).isDirectory()
        ? folderLocation(path)
        : fileLocation(path)
  claimLocation(place, [FILE], { resume: false, force: raw.force === true })
  const start = performance.now()
  const model = fitCentreModel(input, count, {
    onCandidates: (n) => out.say(`paths     ${n} places where they have their phase centres`),
    onProgress: (n) => out.progress(n, count, 'centres', undefined),
  })
  const { fittedAspects, heldOutAspects, correlation } = model.error
  out.say(
    `model     ${model.centres.length} centres from ${fittedAspects} aspects, ${heldOutAspects} held out, in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  for (const [channel, { fitted, heldOut: other }] of Object.entries(correlation))
    out.say(
      `${channel}        correlation with the solver ${fitted.toFixed(4)}${other === null ? '' : `, at held-out aspects ${other.toFixed(4)}`}`,
    )
  await writeResult(place, FILE, writeCentreModel(model))
  out.say(`wrote     ${place.file(FILE)}`)
  if (raw.json)
    process.stdout.write(
      `${JSON.stringify({ command: 'centres', model: place.file(FILE), centres: model.centres.length, ...model.error })}\n`,
    )
}
