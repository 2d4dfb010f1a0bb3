import { existsSync, readFileSync } from 'node:fs'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { InputError, prepareTarget, type Target, type Unit, UNITS } from '../../scene/index.js'
import type { Ground } from '../../scene/ground/index.js'
import { loadTarget } from '../loaded-target.js'
import { readTargetNpz, targetNpz } from '../target-file.js'
import { DEFAULT_WEDGE_ANGLE_DEG, type RunMeta } from './run-meta.js'

export interface OpenedTarget {
  target: Target
  edgesM: Float64Array
  edgeAngleDeg: Float64Array
  /** Of the target's facets. */
  groups?: { facetGroup: Uint32Array; names: string[] }
  /** Of which the target has no image. */
  ground?: Ground
}

/**
 * The target of a result: the one stored with it, or else the given mesh, which must be the file that was solved.
 * @throws InputError for a mesh that is another
 */
export async function findTarget(
  file: string,
  meta: RunMeta | null,
  mesh?: string,
): Promise<{ target: OpenedTarget | null; note?: string }> {
  const {
    smoothAngleDeg = 20,
    units = 'm',
    diffraction = 'tw-ildc',
    maxWedgeAngleDeg = DEFAULT_WEDGE_ANGLE_DEG,
  } = meta?.options ?? {}
  if (existsSync(file)) {
    const { mesh: kept, ...others } = readTargetNpz(readFileSync(file))
    return { target: { target: prepareTarget(kept, { smoothAngleDeg }), ...others } }
  }
  if (mesh === undefined)
    return {
      target: null,
      note: 'The result contains no target: give its mesh with --mesh FILE to show it here.',
    }
  const loaded = await loadTarget(mesh, units in UNITS ? (units as Unit) : 'm', smoothAngleDeg)
  const hash = meta?.mesh?.sha256
  if (hash !== undefined && loaded.hash !== hash)
    throw new InputError(`--mesh ${mesh} is not the file of this result: its SHA-256 is another`)
  const edges = diffraction === 'none' ? null : buildEdgeScene(loaded.target, maxWedgeAngleDeg)
  const { edgesM, edgeAngleDeg, groups } = readTargetNpz(targetNpz(loaded.target, edges))
  return { target: { target: loaded.target, edgesM, edgeAngleDeg, ...(groups && { groups }) } }
}
