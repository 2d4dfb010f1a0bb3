import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/** A dataset of small plane targets that is made in seconds; `change` replaces settings. */
export function writeConfig(folder: string, change: object = {}): string {
  const mesh = (name: string): string => relative(folder, resolve(`samples/${name}.stl`))
  const path = join(folder, 'config.json')
  const config = {
    name: 'tiny',
    seed: 3,
    targets: [
      { label: 'cube', mesh: mesh('cube') },
      { label: 'corner', name: 'dihedral', mesh: mesh('dihedral'), scale: 0.8 },
    ],
    aspects: { azimuth: { from: 0, to: 350, step: 35 }, elevation: [10] },
    radar: { centreHz: '2 GHz', resolutionM: 0.3 },
    image: { size: [24, 20] },
    channels: ['vv', 'hv'],
    shardChips: 4,
    // Threads of their own load and compile their modules.
    solver: { 'rays-per-wavelength': 4, 'max-bounces': 2, device: 'cpu', workers: 1 },
    ...change,
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

/** Files of a finished dataset with their SHA-256, but for the one that holds times. */
export function fileHashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((f) => f.isFile())
  return Object.fromEntries(
    files
      .map((f) => relative(folder, join(f.parentPath, f.name)))
      .filter((path) => !path.startsWith('timing'))
      .sort()
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex'),
      ]),
  )
}
