import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { symmetrise } from '../../pipeline/index.js'
import { MAX_BOUNCES } from '../../rays/index.js'
import { isMonostatic } from '../../scene/index.js'
import { prepareRecipe } from '../../src/loaded-target.js'
import { body, type Family } from './bodies.js'

/** Fields by rays and edges of a body, for sets of mechanisms. */
export interface SolveTask {
  family: Family
  number: number
  /** Rays alone where null. */
  sets: (readonly SecondOrder[] | null)[]
}

export interface SolveResult {
  /** By set: 8 numbers a direction, re and im of F [m] for VV, HH, VH, HV, as `Solved`. */
  fields: Float64Array[]
  /** Processor time by set, of edges or of the rays [s]. */
  seconds: number[]
}

/** First order, the default, each mechanism added to first order and each removed from the default. */
export const VARIANTS: Record<string, readonly SecondOrder[] | null> = {
  rays: null,
  first: [],
  all: SECOND_ORDER,
  ...Object.fromEntries(SECOND_ORDER.map((name) => [`+${name}`, [name]])),
  ...Object.fromEntries(SECOND_ORDER.map((name) => [`-${name}`, SECOND_ORDER.filter((x) => x !== name)])),
}

/** Solves a body on this thread with the solver's defaults. */
export async function solveBody({ family, number, sets }: SolveTask): Promise<SolveResult> {
  const { mesh, freqHz, monostatic, bistatic, name } = body(family, number)
  const { target, scene } = prepareRecipe(name, '', { mesh, smoothAngleDeg: 20 })
  const aspects = [...monostatic, ...bistatic]
  const band = { f0: freqHz, df: 0, n: 1 }
  const sbr = createCpuEngine(scene, target.area, 0)
  const edgeScene = buildEdgeScene(target, 160, scene.origin)
  const edges = createEdgeEngine(edgeScene, scene, { workers: 0 })
  const options = { raysPerWavelength: 10, maxBounces: MAX_BOUNCES, subdivisions: 2, formulation: 'all-bounces' } as const // prettier-ignore
  const start = performance.now()
  const rays: Float64Array[] = []
  for (const aspect of aspects) rays.push((await sbr.field({ aspect, band, options })).field)
  const raySeconds = (performance.now() - start) / 1000
  const result: SolveResult = { fields: [], seconds: [] }
  for (const set of sets) {
    const began = performance.now()
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
    result.fields.push(all)
    result.seconds.push(set === null ? raySeconds : (performance.now() - began) / 1000)
  }
  await Promise.all([sbr.close(), edges.close()])
  return result
}
