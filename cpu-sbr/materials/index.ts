import {
  type Aperture,
  comparedBounces,
  type RayScene,
  type SbrJob,
  type SceneMaterials,
  type TileRange,
} from '../../rays/index.js'
import type { FieldSum } from '../field-sum.js'
import { TileTracer } from '../tile.js'
import { BranchContributor } from './contribution.js'
import { BranchTracer } from './path.js'
import { PathFields } from './path-fields.js'
import { branchSum, branchSumBytes } from './sum.js'

export { branchSum, branchSumBytes }

/** The tracer and the sum of a task on a target with materials. @throws RangeError for the exit form */
export function branchWork(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  job: SbrJob,
  tiles: TileRange,
  quantum: number,
): { sum: FieldSum; tracer: TileTracer<BranchTracer, BranchContributor> } {
  const { aspect, options } = job
  const { d, u, v } = aperture
  if (options.formulation === 'exit') throw new RangeError('the exit form is for perfect conductors')
  const { sum, k } = branchSum(materials, job, quantum)
  const fields = new PathFields(scene, materials, aspect, d, k, options)
  const ray = (): BranchTracer => new BranchTracer(scene, fields, d, comparedBounces(options))
  const contributor = new BranchContributor(scene, fields, aspect, options, d, u, v)
  const tracers = { contributor, centre: ray(), corner: ray() }
  return { sum, tracer: new TileTracer(scene, aperture, aspect, options, tiles, tracers) }
}
