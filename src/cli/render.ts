import { type Command, Option } from 'commander'
import { focusedRadius, type SweepPlan, type WindowName, WINDOWS } from '../../isar/index.js'
import { frequencyTotal } from '../../pipeline/index.js'
import { InputError } from '../../scene/index.js'
import { formImages, type ImageSettings, pictureOf, renderFiles, writeRender } from '../rendered.js'
import { folderPlace } from '../results.js'
import { strip } from '../settings.js'
import type { LoadedTarget } from '../loaded-target.js'
import { describePlan, sweepJob } from '../sweep-job.js'
import { fastJob } from '../looks.js'
import { Console } from './console.js'
import { bendAndTell } from './curved.js'
import { FAST_SOLVER, fastOption, fastRequest } from './fast.js'
import { advanced, heading } from './help.js'
import { mergedOptions } from './merged-options.js'
import { addSolverOptions, solverOptions, type SolverOptions } from './options.js'
import { parseCount, parsePositive } from './quantity.js'
import { IMAGE_FREQUENCIES, openTarget, runForCommand } from './run.js'
import { addSweepOptions, sweepPlan } from './sweep-options.js'
import { tellTheta } from './theta.js'

interface ImageRequest extends ImageSettings {
  plan: SweepPlan
  dynamicRangeDb: number
}

/** Options of the image itself; none of them changes the sweep. */
export const imageOptions = (): Option[] => [
  advanced(new Option('--window <name>', 'spectral window').choices([...WINDOWS]).default('hamming')),
  advanced(new Option('--size <ROWSxCOLS>', 'pixels of the image')),
  advanced(new Option('--dynamic-range <dB>', 'levels shown below the maximum').default('50')),
  new Option('--polar-format', 'focus wide apertures: resample wavenumbers first'),
]

export function renderCommand(command: Command): void {
  command.argument('<mesh>', '.stl, .obj, .ply, .glb or .gltf')
  addSweepOptions(command)
  command.optionsGroup(heading('Output'))
  for (const option of imageOptions()) command.addOption(option)
  command.optionsGroup(heading('Accuracy')).addOption(fastOption())
  addSolverOptions(command).action(runRender)
}

function imageRequest(
  raw: Record<string, string | undefined>,
  loaded: LoadedTarget,
  options: SolverOptions,
): ImageRequest {
  return {
    plan: sweepPlan(raw, loaded.target.positions, options.phaseCentre),
    window: raw.window as WindowName,
    polarFormat: Boolean(raw.polarFormat),
    size: raw.size === undefined ? undefined : parseSize(raw.size),
    dynamicRangeDb: parsePositive(raw.dynamicRange!, '--dynamic-range'),
  }
}

function parseSize(text: string): { rows: number; cols: number } {
  const match = /^(\d+)x(\d+)$/i.exec(text.trim())
  if (!match) throw new InputError(`--size "${text}": write ROWSxCOLS, like 512x512`)
  return {
    rows: parseCount(match[1], '--size rows', 2, 16384),
    cols: parseCount(match[2], '--size columns', 2, 16384),
  }
}

async function runRender(mesh: string, raw: Record<string, unknown>, command: Command): Promise<void> {
  const asked = solverOptions(raw)
  const out = new Console(asked.quiet)
  const preview = fastRequest(raw, asked)
  const options = preview ? solverOptions(mergedOptions(command, FAST_SOLVER)) : asked
  const { given, early } = await openTarget(mesh, options, IMAGE_FREQUENCIES, preview !== null)
  const request = imageRequest(raw as Record<string, string>, given, options)
  const { plan } = request
  tellTheta([plan.thetaDeg], '--theta', out)
  const place = folderPlace(options.out ?? `${given.name}-render`)
  const whole = sweepJob(plan, options.phaseCentre)
  const job = preview ? fastJob(preview.looks, whole, given.scene) : whole
  const looks = job.looks?.length
  const loaded = bendAndTell(given, options, job.bands, out)
  for (const note of plan.notes) out.warn(note)
  warnDefocus(plan, request, out)
  const results = renderFiles(options, loaded.scene.count)
  const { window, polarFormat, size, dynamicRangeDb } = request
  const resolved = { ...options, window, polarFormat, size, dynamicRangeDb, sweep: describePlan(plan) }
  const kind = { ...resolved, ...(looks && { fast: looks }) }
  const run = await runForCommand(
    'render',
    loaded,
    { ...options, early },
    job,
    place,
    results,
    strip(kind),
    out,
  )
  if (!run) return
  if (looks) out.say(`fast      ${run.timing.total.toFixed(2)} s after start-up`)

  const formed = await formImages(plan, options.channels, run.fields, request)
  for (const note of formed.notes) out.warn(note)
  const { timing } = run
  const meta = { ...run.meta, image_peak_dbsm: formed.peaksDbsm }
  await writeRender(
    place,
    {
      ...formed,
      name: loaded.name,
      plan,
      target: loaded.target,
      edges: run.edgeScene,
      meta,
      timing,
      settings: { ...options, ...request },
    },
    {
      dynamicRangeDb,
      remark: looks ? `approximate: ${looks === 1 ? 'one look' : `${looks} looks`}` : undefined,
    },
  )
  await run.discard()
  const pictures = Object.keys(formed.images).map((name) => place.file(pictureOf(name)))
  out.say(`wrote     ${pictures.join(' ')}`)
  if (options.json)
    process.stdout.write(
      JSON.stringify({
        command: 'render',
        out: place.folder,
        images: pictures,
        image_peak_dbsm: formed.peaksDbsm,
        aspects: job.aspects.length,
        frequencies: frequencyTotal(job),
        seconds: run.timing.total,
        device: run.timing.device,
      }) + '\n',
    )
}

/** The small-angle image smears away from the phase centre; say where, unless it was asked to be focused. */
function warnDefocus(plan: SweepPlan, request: ImageRequest, out: Console): void {
  if (request.polarFormat) return
  const { rangeM, crossRangeM } = plan.extent
  const reach = Math.hypot(Math.max(...rangeM.map(Math.abs)), Math.max(...crossRangeM.map(Math.abs)))
  const focused = focusedRadius(plan)
  if (reach > 1.5 * focused)
    out.say(
      `note      beyond ${focused.toFixed(1)} m of the phase centre the image smears (the target reaches ${reach.toFixed(1)} m); --polar-format focuses it everywhere`,
    )
}
