import { readMesh } from '../formats/index.js'
import type { SweepJob } from '../run/sweep/index.js'
import { foundMesh, foundMeshes } from '../samples/models/found.js'
import { models } from '../samples/models/index.js'
import { type Band, boundingBox, direction, type Mesh } from '../scene/index.js'
import { type LoadedTarget, prepareRecipe, targetName } from '../run/loaded-target.js'

export interface MeshCase {
  mesh: LoadedTarget
  freqHz: number
}

/** Names of the samples and of the stand-ins for meshes as found on the web. */
export const MESHES: readonly string[] = [...Object.keys(models), ...Object.keys(foundMeshes)]

/**
 * A mesh of `MESHES` by its name, or a file; FILE@20 is scaled to a largest side of 20 m. At 10 GHz, a sample at the frequency that it
 * is meant for, where `freqHz` does not say otherwise.
 */
export async function meshCase(name: string, smoothAngleDeg: number, freqHz?: number): Promise<MeshCase> {
  const prepared = (of: string, mesh: Mesh): LoadedTarget => prepareRecipe(of, '', { mesh, smoothAngleDeg })
  if (Object.hasOwn(foundMeshes, name))
    return { mesh: prepared(name, foundMesh(foundMeshes[name])), freqHz: freqHz ?? 10e9 }
  if (Object.hasOwn(models, name)) {
    const { make, frequency } = models[name]
    return { mesh: prepared(name, make()), freqHz: freqHz ?? frequency }
  }
  const [path, side] = name.split('@')
  const mesh = await readMesh(path)
  const { min, max } = boundingBox(mesh)
  const scale = side === undefined ? 1 : Number(side) / Math.max(...[0, 1, 2].map((a) => max[a] - min[a]))
  const scaled = { ...mesh, positions: mesh.positions.map((x) => scale * x) }
  return { mesh: prepared(targetName(path), scaled), freqHz: freqHz ?? 10e9 }
}

/** A sweep of directions all around, 10 degrees above the horizon, none along an axis. */
export function allAround(count: number, band: Band): SweepJob {
  const aspects = Array.from({ length: count }, (_, i) => {
    const d = direction(80, 7 + (360 * i) / count)
    return { tx: d, rx: d }
  })
  return { aspects, bands: [band], phaseCentre: [0, 0, 0] }
}
