import type { Box, Vec3 } from '../scene/index.js'
import type { RayScene } from '../rays/index.js'
import type { Antenna, Polarisation } from './scene/antenna.js'
import type { ReceiverIndex } from './scene/receiver-index.js'
import type { Wedges } from './scene/solids.js'

/** A frequency and a transmit polarisation: one set of fields. */
export interface Excitation {
  freqHz: number
  transmit: Polarisation
  /** Complex relative permittivity of each material (`complexPermittivity`). */
  permittivity: ([number, number] | null)[]
}

/**
 * How rays bring fields to receivers: `exact`, each ray finds a path that is then computed by itself (`docs/propagation.md`), or
 * `spheres`, the ray's own field where it meets a sphere about the receiver, as in paper 004 (`PathFinder`).
 */
export const RECEPTIONS = ['exact', 'spheres'] as const
export type Reception = (typeof RECEPTIONS)[number]

/**
 * All that is the same for every ray of a run. Positions are in the coordinates of the ray scene (its `origin` taken off) [m].
 */
export interface PropagationSetup {
  scene: RayScene
  /** Material of each facet, a number into `Excitation.permittivity`. */
  facetMaterial: Uint32Array
  /** Edges of each facet that are rims of the mesh: bit i, from corner i to the next. */
  rims: Uint8Array
  transmitter: Vec3
  transmitAntenna: Antenna
  receiveAntenna: Antenna
  receivers: ReceiverIndex
  /** Rays end where they leave this box (paper 004, section II). */
  region: Box
  excitations: Excitation[]
  maxReflections: number
  reception: Reception
  /** Edges that diffract; none where absent. */
  wedges?: Wedges
}

/**
 * What is summed per receiver and excitation, 21 numbers, all without a unit: r0 is the distance of the receiver from the
 * transmitter, r the length of a path, u_t and u_r its unit directions away from the transmitter and from the receiver.
 * A path's transfer of receive channel c is h_c = (lambda / (4 pi r)) exp(-jkr) g_r,c(u_r) . T g_t(u_t), its field
 * e = exp(-jkr)/r T g_t(u_t), with T the product of the reflections (paper 004 sums the fields of rays alike).
 */
export const SUM = {
  /** r0 e: x re, im, y re, im, z re, im. */
  field: 0,
  /** h_v and h_h times 4 pi r0 / lambda: re, im each. */
  transfer: 6,
  /** p = |.|^2 of both transfers of a path; then p (r - r0) / r0, and p ((r - r0) / r0)^2. */
  power: 10,
  /** p u_r: x, y, z. */
  arrival: 13,
  /** p u_t: x, y, z. */
  departure: 16,
  /** p of the paths that one ray alone of their triangle's three has found: where rays stand too far apart for the scene (`docs/propagation.md`). */
  single: 19,
  /** Number of paths times PATH_UNIT. */
  paths: 20,
  length: 21,
} as const

/** What a path adds to `SUM.paths`: small, since sums are of the order of a few gains. */
export const PATH_UNIT = 2 ** -10

/**
 * Sums are kept to this step: so fine that it never shows, so coarse that every addition is exact, so that no order and no
 * sharing out of paths changes a byte. Exact up to 2^53 steps.
 */
export const SUM_GRID = 2 ** -42
