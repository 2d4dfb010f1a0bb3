import type { Aspect } from '../../scene/index.js'

/** What is known of a mechanism beyond first order, in one row each. */
interface MechanismRow {
  /** Time of an aspect in what first order takes, for estimates (`reproduction/estimates.ts`); those of `creeping` go by faces. */
  cost: number
  /** Part of the uniform theory: by the change that these make the model error of a run is estimated (docs/error-estimate.md). */
  uniform?: true
  /** Of smooth surfaces: it needs no edges. */
  withoutEdges?: true
}

/**
 * Mechanisms beyond first order (docs/second-order.md, decision 013). `reflected` (`ReflectedEdges`): diffraction followed by reflection, reflection followed
 * by diffraction, and both; `wall` (`CornerStrips`): fringe currents that a wall across their face turns back; `double` (`EdgeToEdge`):
 * diffraction at one edge of a face and then at another; `edge-wave` (`EdgeWaves`) and `corner` (`FaceWaves`): waves that corners turn back along
 * straight edges and on faces; `travelling` (`TravellingWaves`): waves that a tip turns back; `creeping` (`CreepingWaves`): currents at shadow boundaries
 * and behind them. What computes each is in `MAKERS` (`higher-order.ts`). All are computed where nothing is said, of targets and with methods
 * that have any (docs/second-order.md, "Default").
 */
export const MECHANISMS = {
  reflected: { cost: 17, uniform: true },
  wall: { cost: 0.5, uniform: true },
  double: { cost: 1.2, uniform: true },
  'edge-wave': { cost: 0.3 },
  corner: { cost: 0.1 },
  travelling: { cost: 0.1, withoutEdges: true },
  creeping: { cost: 0, withoutEdges: true },
} as const satisfies Record<string, MechanismRow>

/** One of the mechanisms of second order. */
export type SecondOrder = keyof typeof MECHANISMS
/** All of them, in the order of their sums. */
export const SECOND_ORDER = Object.keys(MECHANISMS) as SecondOrder[]
const rowOf = (name: SecondOrder): MechanismRow => MECHANISMS[name]
export const UNIFORM: readonly SecondOrder[] = SECOND_ORDER.filter((name) => rowOf(name).uniform)
export const WITHOUT_EDGES: readonly SecondOrder[] = SECOND_ORDER.filter((name) => rowOf(name).withoutEdges)

/** A term of the field beyond first order, of one target and the band of one step (`bandsOfSteps`). One object per thread. */
export interface Mechanism {
  /** Parts of the target, of which each is summed and rounded as one: no split of the work changes them. */
  readonly units: number
  /**
   * Sets `out` to the field of one unit, 8 numbers per frequency [m], referred to the mesh's origin; false, with `out` as it was, where it
   * has none.
   */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean
}

/** Polarisation transmitted and received of VV, HH, VH, HV: 0 V, 1 H. */
export const CHANNELS = [
  [0, 0],
  [1, 1],
  [0, 1],
  [1, 0],
] as const
