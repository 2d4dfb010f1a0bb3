import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { makeFolder } from '../../run/sweep/index.js'
import { claimLocation, folderLocation, writeResult } from '../../run/results.js'
import { packageUrl } from '../../run/version.js'
import { pageFolder } from '../../views/server/http.js'
import type { Console } from './console.js'
import { outputOptions } from './quantity.js'

/** Samples that the page offers (views/site/form.ts). */
const SAMPLES = ['cube', 'drone', 'vehicle', 'aircraft']

const PAGE = 'index.html'

export function siteCommand(command: Command, out: Console): void {
  command.option('--out <folder>', 'where the page goes', 'site')
  outputOptions(command, 'a page').action((raw) => runSite(raw, out))
}

async function runSite(raw: Record<string, string | boolean | undefined>, out: Console): Promise<void> {
  const place = folderLocation(String(raw.out))
  claimLocation(place, [PAGE], { force: raw.force === true })
  let [files, bytes] = [0, 0]
  for (const [name, data] of siteFiles()) {
    makeFolder(dirname(place.file(name)))
    await writeResult(place, name, data)
    files++
    bytes += data.length
  }
  out.say(`wrote     ${place.folder}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, for any web server`)
  out.json({ command: 'site', out: place.folder, files, bytes })
}

/** Names in the page's folder and their bytes; the page itself last, so that one that opens is whole. */
function* siteFiles(): Generator<[string, Uint8Array | string]> {
  for (const name of SAMPLES) yield [`samples/${name}.stl`, readFileSync(packageUrl(`samples/${name}.stl`))]
  const built = pageFolder()
  // Those of the page of `isar view` too, which are few: most are of both.
  for (const name of readdirSync(join(built, 'assets')))
    yield [`assets/${name}`, readFileSync(join(built, 'assets', name))]
  yield ['licences.md', readFileSync(join(built, 'licences.md'))]
  yield [PAGE, readFileSync(join(built, 'site', PAGE), 'utf8').replaceAll('../assets/', './assets/')]
}
