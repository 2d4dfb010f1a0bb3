import {
  type Aperture,
  comparedBounces,
  type RayScene,
  type SbrJob,
  type SceneMaterials,
} from '../../rays/index.js'
import type { FieldSum } from '../field-sum.js'
import { aspectTables } from '../aspect-tables.js'
import { type SbrTask, TileTracer } from '../tile.js'
import type { Tracers } from '../tracers.js'
import { BranchContributor, FACTOR, ROW } from './contribution.js'
import { BranchTracer, HIDDEN } from './path.js'
import { PathFields } from './path-fields.js'
import { branchNodes, branchSum, branchSumBytes } from './sum.js'

export { BranchContributor, branchNodes, BranchTracer, branchSum, branchSumBytes, FACTOR, HIDDEN, ROW }

/** Fields of the last aspects of a thread: those in flight. */
const KEPT = 2
const kept = new WeakMap<SceneMaterials, { key: string; waves: string; fields: PathFields }[]>()

/** The fields along the paths of an aspect, those kept from its other tasks on this thread where there are any. */
function keptFields(
  scene: RayScene,
  materials: SceneMaterials,
  job: Pick<SbrJob, 'aspect' | 'options'>,
  d: ArrayLike<number>,
  k: Float64Array,
): PathFields {
  const { aspect, options } = job
  const all = kept.get(materials) ?? []
  kept.set(materials, all)
  const { tx, rx } = aspect
  const key = [tx, rx].map(({ r, thetaHat, phiHat }) => [...r, ...thetaHat, ...phiHat])
  const name = [...key.flat(), ...Array.from(d), ...k, options.maxBounces].join()
  const found = all.find((entry) => entry.key === name)
  if (found) return found.fields
  // The memory of the one before those in flight serves again.
  const waves = [...k, options.maxBounces].join()
  const old = all.length === KEPT ? all.pop()! : null
  const fits = old?.waves === waves ? old.fields : null
  fits?.restart(aspect, d)
  const fields = fits ?? new PathFields(scene, materials, job, d, k, all[0]?.fields)
  all.unshift({ key: name, waves, fields })
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
  const { d } = aperture
  if (options.formulation === 'exit') throw new RangeError('the exit form is for perfect conductors')
  const fields = keptFields(scene, materials, job, d, k)
  const { tree } = aspectTables(scene, aperture, aspect)
  const ray = (): BranchTracer => new BranchTracer(scene, tree, fields, d, comparedBounces(options))
  const contributor = new BranchContributor(scene, fields, aspect, options, aperture)
  return { contributor, centre: ray(), corner: ray() }
}

/** The tracer and the sum of a task on a target with materials. @throws RangeError for the exit form */
export function branchWork(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  { job, tiles, quantum, nodes }: SbrTask,
): { sum: FieldSum; tracer: TileTracer<BranchTracer, BranchContributor> } {
  const { sum, k } = branchSum(materials, job, quantum, nodes)
  const tracers = branchTracers(scene, materials, aperture, job, k)
  return { sum, tracer: new TileTracer(scene, aperture, job.aspect, job.options, tiles, tracers) }
}
