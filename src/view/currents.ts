import { meshForCurrents, triangleQualities } from '../../full-wave/index.js'
import { InputError, wavelength } from '../../scene/index.js'
import type { CurrentsView } from './manifest.js'
import type { OpenedResult } from './open-result.js'
import type { ArrayStore } from './store.js'

/** Whether a result has a mesh for currents that can be shown: it is made again of the target. */
export const hasCurrents = ({ meta, target }: Pick<OpenedResult, 'meta' | 'target'>): boolean =>
  target !== null && Boolean(meta?.full_wave?.length)

/**
 * The mesh for currents of a result's highest frequency.
 * @throws InputError where this version meshes otherwise than that of the result
 */
export function sendCurrents(
  { meta, target }: Pick<OpenedResult, 'meta' | 'target'>,
  prefix: string,
  store: ArrayStore,
): CurrentsView {
  const top = meta!.full_wave!.reduce((a, b) => (b.freq_hz > a.freq_hz ? b : a))
  const mesh = meshForCurrents({ ...target!.target, facetGroup: undefined }, wavelength(top.freq_hz))
  const count = mesh.triangles.length / 3
  if (count !== top.triangles)
    throw new InputError(
      `the mesh for currents has ${count} triangles now and had ${top.triangles}: the result is of isar ${meta!.version ?? '?'}`,
    )
  return {
    freqHz: top.freq_hz,
    positions: store.add(`${prefix}/current-positions`, mesh.positions, [mesh.positions.length / 3, 3]),
    triangles: store.add(`${prefix}/current-triangles`, mesh.triangles, [count, 3]),
    quality: store.add(`${prefix}/current-quality`, triangleQualities(mesh), [count]),
  }
}
