import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** This version of isar. */
export const VERSION = (JSON.parse(readFileSync(findPackage(), 'utf8')) as { version: string }).version

/** package.json from the sources (src) as well as from the build (dist/src). */
function findPackage(): string {
  const here = new URL('.', import.meta.url)
  const up = here.pathname.endsWith('/dist/src/') ? '../../' : '../'
  return fileURLToPath(new URL(`${up}package.json`, here))
}
