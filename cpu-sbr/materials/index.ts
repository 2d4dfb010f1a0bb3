import {
  type Aperture,
  comparedBounces,
  type RayScene,
  type SbrJob,
  type SceneMaterials,
  type TileRange,
} from '../../rays/index.js'
import type { FieldSum } from '../field-sum.js'
import { aspectTables } from '../aspect-tables.js'
import { TileTracer } from '../tile.js'
import type { Tracers } from '../tracers.js'
import { BranchContributor, FACTOR, ROW } from './contribution.js'
import { BranchTracer, HIDDEN } from './path.js'
import { PathFields } from './path-fields.js'
import { branchSum, branchSumBytes } from './sum.js'

export { BranchContributor, BranchTracer, branchSum, branchSumBytes, FACTOR, HIDDEN, ROW }

/** Fields of the last aspects of a thread: those in flight. */
const KEPT = 2
const kept = new WeakMap<SceneMaterials, { key: string; fields: PathFields }[]>()

/** The fields along the paths of an aspect, those kept from its other tasks on this thread where there are any. */
function keptFields(
  scene: RayScene,
  materials: SceneMaterials,
  { aspect, options }: Pick<SbrJob, 'aspect' | 'options'>,
  d: ArrayLike<number>,
  k: Float64Array,
): PathFields {
  const all = kept.get(materials) ?? []
  kept.set(materials, all)
  const { tx, rx } = aspect
  const key = [tx, rx].map(({ r, thetaHat, phiHat }) => [...r, ...thetaHat, ...phiHat])
  const name = [...key.flat(), ...Array.from(d), ...k, options.maxBounces].join()
  const found = all.find((entry) => entry.key === name)
  if (found) return found.fields
  const fields = new PathFields(scene, materials, aspect, d, k, options, all[0]?.fields.room)
  all.unshift({ key: name, fields })
  all.length = Math.min(all.length, KEPT)
  return fields
}

/** What follows rays of an aspect on a target with materials, with fields at the wavenumbers k. @throws RangeError for the exit form */
export function branchTracers(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  job: Pick<SbrJob, 'aspect' | 'options'>,
  k: Float64Array,
): Tracers<BranchTracer, BranchContributor> {
  const { aspect, options } = job
  const { d, u, v } = aperture
  if (options.formulation === 'exit') throw new RangeError('the exit form is for perfect conductors')
  const fields = keptFields(scene, materials, job, d, k)
  const { tree } = aspectTables(scene, aperture, aspect)
  const ray = (): BranchTracer => new BranchTracer(scene, tree, fields, d, comparedBounces(options))
  const contributor = new BranchContributor(scene, fields, aspect, options, d, u, v)
  return { contributor, centre: ray(), corner: ray() }
}

/** The tracer and the sum of a task on a target with materials. @throws RangeError for the exit form */
export function branchWork(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  job: SbrJob,
  tiles: TileRange,
  quantum: number,
): { sum: FieldSum; tracer: TileTracer<BranchTracer, BranchContributor> } {
  const { sum, k } = branchSum(materials, job, quantum)
  const tracers = branchTracers(scene, materials, aperture, job, k)
  return { sum, tracer: new TileTracer(scene, aperture, job.aspect, job.options, tiles, tracers) }
}
