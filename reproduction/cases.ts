import { readFileSync } from 'node:fs'
import { readMesh } from '../formats/index.js'
import type { SbrOptions } from '../rays/index.js'
import { type LoadedTarget, prepareRecipe, targetName } from '../run/loaded-target.js'
import type { SweepJob } from '../run/sweep/index.js'
import { foundMesh, foundMeshes } from '../samples/models/found.js'
import { models } from '../samples/models/index.js'
import { type Aspect, type Band, boundingBox, direction, type Mesh } from '../scene/index.js'
import { numbersOf } from './kit.js'

/** Settings of rays that examples and references are computed with. */
export const DEFAULT_SBR: SbrOptions = { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2 }

/** Towards one direction and back [degrees]. */
export function monostatic(theta: number, phi: number): Aspect {
  const d = direction(theta, phi)
  return { tx: d, rx: d }
}

/** A monostatic cut of the method-of-moments reference set; amplitudes interleaved re, im [m]. */
export interface MomCut {
  freqHz: number
  theta: number[]
  phi: number[]
  vv: Float64Array
  hh: Float64Array
}

/** @param name  of the target, a file beside it, and its cut: `ship_5ghz__phi0_th0-360` */
export function momCut(name: string): MomCut {
  const rows = readFileSync(`test/validation/mom/${name}.csv`, 'utf8')
    .split('\n')
    .filter((line) => /^[-\d]/.test(line))
    .map(numbersOf)
  return {
    freqHz: rows[0][2],
    theta: rows.map((r) => r[0]),
    phi: rows.map((r) => r[1]),
    vv: Float64Array.from(rows.flatMap((r) => [r[6], r[7]])),
    hh: Float64Array.from(rows.flatMap((r) => [r[8], r[9]])),
  }
}

export interface MeshCase {
  mesh: LoadedTarget
  freqHz: number
}

/** Names of the samples and of the stand-ins for meshes as found on the web. */
export const MESHES: readonly string[] = [...Object.keys(models), ...Object.keys(foundMeshes)]

/** A mesh file; FILE@20 is scaled to a largest side of 20 m. */
export async function scaledMesh(name: string): Promise<Mesh> {
  const [path, side] = name.split('@')
  const mesh = await readMesh(path)
  const { min, max } = boundingBox(mesh)
  const scale = side === undefined ? 1 : Number(side) / Math.max(...[0, 1, 2].map((a) => max[a] - min[a]))
  return { ...mesh, positions: mesh.positions.map((x) => scale * x) }
}

/**
 * A mesh of `MESHES` by its name, or a file as `scaledMesh` takes it. At 10 GHz, a sample at the frequency that it is meant for, where
 * `freqHz` does not say otherwise.
 */
export async function meshCase(name: string, smoothAngleDeg: number, freqHz?: number): Promise<MeshCase> {
  const prepared = (of: string, mesh: Mesh): LoadedTarget => prepareRecipe(of, '', { mesh, smoothAngleDeg })
  if (Object.hasOwn(foundMeshes, name))
    return { mesh: prepared(name, foundMesh(foundMeshes[name])), freqHz: freqHz ?? 10e9 }
  if (Object.hasOwn(models, name)) {
    const { make, frequency } = models[name]
    return { mesh: prepared(name, make()), freqHz: freqHz ?? frequency }
  }
  const [path] = name.split('@')
  return { mesh: prepared(targetName(path), await scaledMesh(name)), freqHz: freqHz ?? 10e9 }
}

/** A sweep of directions all around, 10 degrees above the horizon, none along an axis. */
export const allAround = (count: number, band: Band): SweepJob => ({
  aspects: Array.from({ length: count }, (_, i) => monostatic(80, 7 + (360 * i) / count)),
  bands: [band],
  phaseCentre: [0, 0, 0],
})
