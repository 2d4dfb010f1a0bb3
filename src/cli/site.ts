import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { makeFolder } from '../../pipeline/index.js'
import { claimLocation, folderLocation, writeResult } from '../results.js'
import { packageUrl } from '../version.js'
import { pageFolder } from '../view-server.js'
import { Console } from './console.js'

/** Samples that the page offers (site/form.ts). */
export const SITE_SAMPLES = ['cube', 'drone', 'vehicle', 'aircraft']

const PAGE = 'index.html'

export function siteCommand(command: Command): void {
  command
    .option('--out <folder>', 'where the page goes', 'site')
    .option('--force', 'overwrite a page')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .action(runSite)
}

async function runSite(raw: Record<string, string | boolean | undefined>): Promise<void> {
  const out = new Console(raw.quiet === true)
  const files = siteFiles()
  const place = folderLocation(String(raw.out))
  claimLocation(place, [PAGE], { resume: false, force: raw.force === true })
  let bytes = 0
  for (const [name, path] of files) {
    const data = readFileSync(path)
    makeFolder(dirname(place.file(name)))
    await writeResult(place, name, data)
    bytes += data.length
  }
  out.say(
    `wrote     ${place.folder}: ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, for any web server`,
  )
  if (raw.json)
    process.stdout.write(
      JSON.stringify({ command: 'site', out: place.folder, files: files.length, bytes }) + '\n',
    )
}

/** Names in the page's folder and where their bytes are; the page itself last, so that one that opens is whole. */
function siteFiles(): [string, string][] {
  const built = pageFolder('site')
  const files = readdirSync(built, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile())
    .map((f): [string, string] => {
      const path = join(f.parentPath, f.name)
      return [relative(built, path), path]
    })
    .sort(([a], [b]) => Number(a === PAGE) - Number(b === PAGE))
  const samples = SITE_SAMPLES.map((name): [string, string] => [
    `samples/${name}.stl`,
    fileURLToPath(packageUrl(`samples/${name}.stl`)),
  ])
  return [...samples, ...files]
}
