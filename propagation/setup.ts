import type { RayScene } from '../rays/index.js'
import type { Box, Vec3 } from '../scene/index.js'
import type { Wedges } from './scene/solids.js'

/** A frequency and a transmit polarisation: one set of fields. */
interface Excitation {
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

/**
 * Receivers in a BVH, so that a ray's cone meets those near it without asking all: nodes in depth-first order,
 * each with the node that follows its subtree. Receivers stand in the order of their leaves. The same bytes serve the GPU.
 */
export interface ReceiverIndex {
  /** R receivers, 3 numbers each, in leaf order, in the coordinates of the ray scene [m]. */
  points: Float64Array
  /** The number of each in the caller's order. */
  order: Uint32Array
  /** 8 words per node: box minimum (3 floats), next node (u32), box maximum (3 floats), leaf: first * 16 + count (u32); inner node: 0. */
  nodes: Float32Array
}

const LEAF = 8

/** @param positions  3 numbers per receiver, in the coordinates of the ray scene [m] */
export function indexReceivers(positions: Float64Array): ReceiverIndex {
  const count = positions.length / 3
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  const nodes: number[][] = []
  const f32 = new Float32Array(1)
  const rounded = (x: number, towards: -1 | 1): number => {
    f32[0] = x
    // Two units in the last place outwards: the float32 box surely holds the point.
    return f32[0] + towards * Math.abs(f32[0]) * 2.4e-7 + towards * 1e-30
  }
  const build = (begin: number, end: number): void => {
    const low = [Infinity, Infinity, Infinity]
    const high = [-Infinity, -Infinity, -Infinity]
    for (let i = begin; i < end; i++)
      for (let a = 0; a < 3; a++) {
        const x = positions[3 * order[i] + a]
        low[a] = Math.min(low[a], x)
        high[a] = Math.max(high[a], x)
      }
    const at = nodes.length
    const node = [...low.map((x) => rounded(x, -1)), 0, ...high.map((x) => rounded(x, 1)), 0]
    nodes.push(node)
    if (end - begin <= LEAF) node[7] = begin * 16 + (end - begin)
    else {
      const sizes = high.map((x, a) => x - low[a])
      const axis = sizes.indexOf(Math.max(...sizes))
      order.subarray(begin, end).sort((i, j) => positions[3 * i + axis] - positions[3 * j + axis] || i - j)
      const middle = (begin + end) >> 1
      build(begin, middle)
      build(middle, end)
    }
    nodes[at][3] = nodes.length
  }
  if (count > 0) build(0, count)
  const out = new Float32Array(new SharedArrayBuffer(32 * nodes.length))
  const words = new Uint32Array(out.buffer)
  nodes.forEach((node, n) => {
    for (let k = 0; k < 8; k++)
      if (k % 4 === 3) words[8 * n + k] = node[k]
      else out[8 * n + k] = node[k]
  })
  const points = new Float64Array(new SharedArrayBuffer(8 * positions.length))
  order.forEach((r, slot) => points.set(positions.subarray(3 * r, 3 * r + 3), 3 * slot))
  return { points, order, nodes: out }
}

/** Places in a ray: its origin and unit direction, 3 numbers each, and the distances between which receivers are looked for. */
export const RAY = { origin: 0, direction: 3, from: 6, to: 7 } as const

/**
 * Calls back with the slots of all receivers near a ray: within `radius` of it between the distances `from` and `to` (more may
 * come), in ascending order.
 * @param words  the index's nodes as integers
 */
export function nearRay(
  { nodes }: ReceiverIndex,
  words: Uint32Array,
  ray: Float64Array,
  radius: number,
  visit: (slot: number) => void,
): void {
  const ox = ray[RAY.origin]
  const oy = ray[RAY.origin + 1]
  const oz = ray[RAY.origin + 2]
  const dx = ray[RAY.direction]
  const dy = ray[RAY.direction + 1]
  const dz = ray[RAY.direction + 2]
  const from = ray[RAY.from]
  const to = ray[RAY.to]
  // A huge number instead of an infinite one: 0 * infinity would be NaN.
  const ix = dx === 0 ? 1e300 : 1 / dx
  const iy = dy === 0 ? 1e300 : 1 / dy
  const iz = dz === 0 ? 1e300 : 1 / dz
  const end = nodes.length / 8
  for (let node = 0; node < end;) {
    const at = 8 * node
    const ax = (nodes[at] - radius - ox) * ix
    const bx = (nodes[at + 4] + radius - ox) * ix
    const ay = (nodes[at + 1] - radius - oy) * iy
    const by = (nodes[at + 5] + radius - oy) * iy
    const az = (nodes[at + 2] - radius - oz) * iz
    const bz = (nodes[at + 6] + radius - oz) * iz
    const t0 = Math.max(from, Math.min(ax, bx), Math.min(ay, by), Math.min(az, bz))
    const t1 = Math.min(to, Math.max(ax, bx), Math.max(ay, by), Math.max(az, bz))
    if (!(t0 <= t1)) {
      node = words[at + 3]
      continue
    }
    const leaf = words[at + 7]
    if (leaf > 0) {
      const first = leaf >>> 4
      const last = first + (leaf & 15)
      for (let slot = first; slot < last; slot++) visit(slot)
      node = words[at + 3]
    } else node++
  }
}

/** Directivity of a half-wave dipole, 4 / Cin(2 pi). */
const DIPOLE_DIRECTIVITY = 1.6409223769

/**
 * An antenna: a far-field pattern about an axis. theta is counted from the axis, phi about it from `side`; V is theta-hat,
 * H is phi-hat there. A pattern's vector g(direction) has |g|^2 = gain.
 */
export interface Antenna {
  pattern: Pattern
  /** Unit vector. */
  axis: Vec3
  /** Unit vector across the axis: phi = 0. */
  side: Vec3
}

export type Pattern =
  /** Gain 1 everywhere, polarised as asked. */
  | { kind: 'isotropic' }
  /** A half-wave dipole along the axis, gain 1.64 (cos(pi/2 cos theta) / sin theta)^2, polarised as asked. */
  | { kind: 'dipole' }
  /** A short dipole along the axis, gain 1.5 sin^2 theta, polarised as asked. */
  | { kind: 'short-dipole' }
  /** A table that says itself how it is polarised; V and H both radiate it as it is. */
  | { kind: 'table'; table: PatternTable }

/** Pattern on a regular grid, theta from 0 to 180 degrees and phi from 0 to 360 both ends included. */
export interface PatternTable {
  thetas: number
  phis: number
  /** 4 numbers per grid point, theta outermost: g_theta re, im, g_phi re, im. */
  values: Float64Array
}

export type Polarisation = 'v' | 'h'

/** The axes of an antenna whose axis points along `axis`; `side` as near to x (or, of an axis near x, to y) as can be. */
export function antennaAxes(axis: Vec3): Pick<Antenna, 'axis' | 'side'> {
  const length = Math.hypot(...axis)
  const a = axis.map((x) => x / length) as Vec3
  const near: Vec3 = Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]
  const along = a[0] * near[0] + a[1] * near[1] + a[2] * near[2]
  const across = near.map((x, i) => x - along * a[i]) as Vec3
  const size = Math.hypot(...across)
  return { axis: a, side: across.map((x) => x / size) as Vec3 }
}

/**
 * The vector g(r) of an antenna towards unit direction r: 3 real, then 3 imaginary components into `out`.
 */
export function antennaVector(
  { pattern, axis, side }: Antenna,
  polarisation: Polarisation,
  rx: number,
  ry: number,
  rz: number,
  out: Float64Array,
): void {
  const c = Math.max(-1, Math.min(1, axis[0] * rx + axis[1] * ry + axis[2] * rz))
  const s = Math.sqrt(
    (axis[1] * rz - axis[2] * ry) ** 2 +
      (axis[2] * rx - axis[0] * rz) ** 2 +
      (axis[0] * ry - axis[1] * rx) ** 2,
  )
  // phi-hat = axis x r / sin theta, theta-hat = phi-hat x r; along the axis phi = 0.
  let hx = axis[1] * rz - axis[2] * ry
  let hy = axis[2] * rx - axis[0] * rz
  let hz = axis[0] * ry - axis[1] * rx
  if (s > 1e-12) {
    hx /= s
    hy /= s
    hz /= s
  } else {
    hx = axis[1] * side[2] - axis[2] * side[1]
    hy = axis[2] * side[0] - axis[0] * side[2]
    hz = axis[0] * side[1] - axis[1] * side[0]
  }
  const vx = hy * rz - hz * ry
  const vy = hz * rx - hx * rz
  const vz = hx * ry - hy * rx
  if (pattern.kind === 'table') {
    const up = [axis[1] * side[2] - axis[2] * side[1], axis[2] * side[0] - axis[0] * side[2], axis[0] * side[1] - axis[1] * side[0]] // prettier-ignore
    const phi = Math.atan2(up[0] * rx + up[1] * ry + up[2] * rz, side[0] * rx + side[1] * ry + side[2] * rz)
    const [vr, vi, hr, hi] = interpolate(pattern.table, Math.atan2(s, c), phi)
    for (let part = 0; part < 2; part++) {
      const v = part === 0 ? vr : vi
      const h = part === 0 ? hr : hi
      out[3 * part] = v * vx + h * hx
      out[3 * part + 1] = v * vy + h * hy
      out[3 * part + 2] = v * vz + h * hz
    }
    return
  }
  const g = amplitude(pattern.kind, c, s)
  const vertical = polarisation === 'v'
  out[0] = g * (vertical ? vx : hx)
  out[1] = g * (vertical ? vy : hy)
  out[2] = g * (vertical ? vz : hz)
  out[3] = out[4] = out[5] = 0
}

/** sqrt(gain) at the cosine and sine of theta. */
function amplitude(kind: 'isotropic' | 'dipole' | 'short-dipole', c: number, s: number): number {
  if (kind === 'isotropic') return 1
  if (kind === 'short-dipole') return Math.sqrt(1.5) * s
  return s > 1e-6 ? (Math.sqrt(DIPOLE_DIRECTIVITY) * Math.cos((Math.PI / 2) * c)) / s : 0
}

/** Bilinear in theta and phi [rad]. */
function interpolate({ thetas, phis, values }: PatternTable, theta: number, phi: number): number[] {
  const t = (theta / Math.PI) * (thetas - 1)
  const turn = phi / (2 * Math.PI)
  const p = (turn - Math.floor(turn)) * (phis - 1)
  const i = Math.max(0, Math.min(thetas - 2, Math.floor(t)))
  const j = Math.max(0, Math.min(phis - 2, Math.floor(p)))
  const [a, b] = [t - i, p - j]
  const at = 4 * (i * phis + j)
  return [0, 1, 2, 3].map(
    (k) =>
      (1 - a) * ((1 - b) * values[at + k] + b * values[at + 4 + k]) +
      a * ((1 - b) * values[at + 4 * phis + k] + b * values[at + 4 * phis + 4 + k]),
  )
}
