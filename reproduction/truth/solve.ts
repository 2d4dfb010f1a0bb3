import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { waysOf, weightsOfWays } from '../../run/sweep/index.js'
import { MAX_BOUNCES, symmetrise } from '../../rays/index.js'
import { type Aspect, isMonostatic, projectedArea, type Vec3 } from '../../scene/index.js'
import { prepareRecipe } from '../../run/loaded-target.js'
import { DEFAULT_SBR } from '../cases.js'
import { body, type Family } from './bodies.js'

/** Fields by rays and edges of a body, for all variants. */
export interface SolveTask {
  family: Family
  number: number
}

/**
 * By variant: 8 numbers a direction, re and im of F [m] for VV, HH, VH, HV, as `Solved`. Variants are `rays`, `first`, `all`, and for each mechanism
 * `+NAME`, added to first order, and `-NAME`, removed from all.
 */
export type SolveResult = Map<string, Float64Array>

/** Mechanisms that add the same whatever others are on. */
const ADDITIVE = new Set<SecondOrder>(['edge-wave', 'corner', 'travelling', 'creeping'])

/** Solves a body on this thread with the solver's defaults: the task of the pool's threads. */
export default async function solveBody({ family, number }: SolveTask): Promise<SolveResult> {
  const { mesh, freqHz, monostatic, bistatic, name } = body(family, number)
  const { target, scene } = prepareRecipe(name, '', { mesh, smoothAngleDeg: 20 })
  const aspects = [...monostatic, ...bistatic]
  const band = { f0: freqHz, df: 0, n: 1 }
  const sbr = createCpuEngine(scene, target.area, 0)
  const edgeScene = buildEdgeScene(target, 160, scene.origin)
  const edges = createEdgeEngine(edgeScene, scene, { workers: 0 })
  const options = { ...DEFAULT_SBR, maxBounces: MAX_BOUNCES }
  /** First order and each mechanism of a set. */
  const partsOf = async (aspect: Aspect, secondOrder: readonly SecondOrder[]): Promise<Float64Array[]> => {
    if (!diffracts(edgeScene, secondOrder)) return [new Float64Array(8)]
    const job = { aspect, band, options: { diffraction: 'tw-ildc', secondOrder, apart: true } } as const
    return (await edges.fieldOnOneThread(job)).parts!
  }
  const fieldsOf = async (aspect: Aspect): Promise<SolveResult> => {
    const { field: rays } = await sbr.field({ aspect, band, options })
    const [first, ...parts] = await partsOf(aspect, SECOND_ORDER)
    const fields: SolveResult = new Map([
      ['rays', rays],
      ['first', sum([rays, first])],
      ['all', sum([rays, first, ...parts])],
    ])
    for (const [m, mechanism] of SECOND_ORDER.entries()) {
      const others = SECOND_ORDER.filter((x) => x !== mechanism)
      const added = ADDITIVE.has(mechanism)
        ? [first, ...parts.slice(m, m + 1)]
        : await partsOf(aspect, [mechanism])
      const left = ADDITIVE.has(mechanism)
        ? [first, ...parts.filter((_, i) => i !== m)]
        : await partsOf(aspect, others)
      fields.set(`+${mechanism}`, sum([rays, ...added])).set(`-${mechanism}`, sum([rays, ...left]))
    }
    return fields
  }
  const bothWays = (r: Vec3): number => projectedArea(target, r)
  const result: SolveResult = new Map()
  for (const [i, aspect] of aspects.entries()) {
    const ways: SolveResult[] = []
    const weights = weightsOfWays({ bothWays }, aspect)
    for (const way of waysOf({ bothWays }, aspect)) ways.push(await fieldsOf(way))
    for (const [variant, field] of ways[0]) {
      // Rays alone are as in runs without edges.
      if (isMonostatic(aspect) || variant !== 'rays') symmetrise(field, ways.at(-1)!.get(variant), weights)
      const all = result.get(variant) ?? new Float64Array(8 * aspects.length)
      all.set(field, 8 * i)
      result.set(variant, all)
    }
  }
  await Promise.all([sbr.close(), edges.close()])
  return result
}

const sum = (fields: Float64Array[]): Float64Array =>
  fields[0].map((_, c) => fields.reduce((total, field) => total + field[c], 0))
