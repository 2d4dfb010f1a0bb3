import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { symmetrise } from '../../run/sweep/index.js'
import { MAX_BOUNCES } from '../../rays/index.js'
import { isMonostatic } from '../../scene/index.js'
import { prepareRecipe } from '../../run/loaded-target.js'
import { body, type Family } from './bodies.js'

/** Fields by rays and edges of a body, for all variants. */
export interface SolveTask {
  family: Family
  number: number
}

/** By variant: 8 numbers a direction, re and im of F [m] for VV, HH, VH, HV, as `Solved`. */
export type SolveResult = Map<string, Float64Array>

/** First order, the default, each mechanism added to first order and each removed from the default. */
export const VARIANTS: Record<string, readonly SecondOrder[] | null> = {
  rays: null,
  first: [],
  all: SECOND_ORDER,
  ...Object.fromEntries(SECOND_ORDER.map((name) => [`+${name}`, [name]])),
  ...Object.fromEntries(SECOND_ORDER.map((name) => [`-${name}`, SECOND_ORDER.filter((x) => x !== name)])),
}

/** Mechanisms that add the same whatever others are on: what is left without one is computed as a difference. */
const ADDITIVE = new Set(['edge-wave', 'corner', 'travelling', 'creeping'])

/** Solves a body on this thread with the solver's defaults. */
export async function solveBody({ family, number }: SolveTask): Promise<SolveResult> {
  const { mesh, freqHz, monostatic, bistatic, name } = body(family, number)
  const { target, scene } = prepareRecipe(name, '', { mesh, smoothAngleDeg: 20 })
  const aspects = [...monostatic, ...bistatic]
  const band = { f0: freqHz, df: 0, n: 1 }
  const sbr = createCpuEngine(scene, target.area, 0)
  const edgeScene = buildEdgeScene(target, 160, scene.origin)
  const edges = createEdgeEngine(edgeScene, scene, { workers: 0 })
  const options = { raysPerWavelength: 10, maxBounces: MAX_BOUNCES, subdivisions: 2, formulation: 'all-bounces' } as const // prettier-ignore
  const rays: Float64Array[] = []
  for (const aspect of aspects) rays.push((await sbr.field({ aspect, band, options })).field)
  const result: SolveResult = new Map()
  for (const [variant, set] of Object.entries(VARIANTS)) {
    if (variant.startsWith('-') && ADDITIVE.has(variant.slice(1))) {
      const [whole, first, added] = ['all', 'first', `+${variant.slice(1)}`].map((v) => result.get(v)!)
      result.set(
        variant,
        whole.map((x, i) => x - (added[i] - first[i])),
      )
      continue
    }
    const all = new Float64Array(8 * aspects.length)
    const drawn = set !== null && diffracts(edgeScene, set)
    for (const [i, aspect] of aspects.entries()) {
      const field = rays[i].slice()
      if (drawn) {
        const job = { aspect, band, options: { diffraction: 'tw-ildc', secondOrder: set } } as const
        const { field: more } = await edges.fieldOnOneThread(job)
        for (let c = 0; c < 8; c++) field[c] += more[c]
      }
      if (isMonostatic(aspect)) symmetrise(field)
      all.set(field, 8 * i)
    }
    result.set(variant, all)
  }
  await Promise.all([sbr.close(), edges.close()])
  return result
}
