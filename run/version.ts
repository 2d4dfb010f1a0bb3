import { existsSync, readFileSync } from 'node:fs'

/** This version of isar. */
export const VERSION = (JSON.parse(readFileSync(packageUrl('package.json'), 'utf8')) as { version: string })
  .version

/** Version and, of a build in a clone, commit: `0.2.0 (1a2b3c4)`. */
export function versionAndCommit(): string {
  const file = new URL('commit', packageUrl('dist/'))
  const commit = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return commit ? `${VERSION} (${commit})` : VERSION
}

/** A path of the package, from the sources as well as from the build (dist). */
export function packageUrl(path: string): URL {
  const here = new URL('.', import.meta.url)
  return new URL(`${here.pathname.endsWith('/dist/run/') ? '../../' : '../'}${path}`, here)
}
