import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NpyArray } from '../../formats/index.js'
import { InputError, type Mesh, type Vec3 } from '../../scene/index.js'
import type { CoverageData } from '../../plots/index.js'
import { readSceneNpz } from '../../propagation/scene/scene-npz.js'
import { PathsFile } from './paths-file.js'
import { axis, matrices } from './image-result.js'
import type { RunMeta } from './run-meta.js'

/** The results.npz of `isar propagate`. @throws InputError where arrays are missing or do not match */
export function coverageData(arrays: Record<string, NpyArray>, meta: RunMeta | null): CoverageData {
  const freqHz = axis(arrays, 'freq_hz', 'results.npz')
  const positionM = axis(arrays, 'position_m', 'results.npz')
  const count = positionM.length / 3
  const layers = matrices(arrays, 'h_', [freqHz.length, count])
  if (layers.length === 0) throw new InputError('results.npz: no transfers h_CH in it; compute it again')
  const sets = meta?.receivers ?? [{ name: 'receivers', first: 0, count }]
  if (sets.some((s) => s.first < 0 || s.first + s.count > count))
    throw new InputError('meta.json names receivers that are missing in results.npz; compute both again')
  const marks = arrays.inside_building?.data ?? new Uint8Array(0)
  const inside = Array.from(marks.keys()).filter((r) => marks[r] === 1)
  const transmitterM = meta?.scene?.transmitter?.position
  return { freqHz, positionM, sets, inside, layers, ...(transmitterM && { transmitterM }) }
}

/** Walls and transmitter of a propagation result, and its paths. */
export interface OpenedScene {
  walls: Mesh
  transmitterM: Vec3
  /** Null where no receivers' paths were listed. */
  paths: PathsFile | null
}

/** The scene stored in a result folder; `sceneNote` tells the reader what is missing. */
export function findScene(
  place: string,
  meta: RunMeta | null,
): { scene: OpenedScene | null; sceneNote?: string } {
  const walls = join(place, 'scene.npz')
  const transmitterM = meta?.scene?.transmitter?.position
  if (!existsSync(walls) || !transmitterM)
    return { scene: null, sceneNote: 'The result contains no scene: compute it again to show it here.' }
  const file = join(place, 'paths.csv')
  const paths = existsSync(file) ? new PathsFile(file) : null
  return {
    scene: { walls: readSceneNpz(readFileSync(walls)), transmitterM, paths },
    ...(paths
      ? {}
      : { sceneNote: 'No paths are listed: isar propagate --paths all (or names of sets) lists them.' }),
  }
}
