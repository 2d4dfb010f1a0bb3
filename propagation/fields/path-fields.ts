import { type Complex, multiply } from '../../math/complex.js'
import { C0, cross, dot, type Vec3 } from '../../scene/index.js'
import { halfSpace } from '../../scene/materials/index.js'
import type { PathWalker } from '../paths/path-walker.js'
import {
  type Antenna,
  antennaVector,
  PATH_UNIT,
  type Polarisation,
  type PropagationSetup,
  SUM,
} from '../setup.js'
/** Reflection coefficients of a half-space: E perpendicular to the plane of incidence (TE) and in it (TM). */
interface ReflectionCoefficients {
  rTe: Complex
  rTm: Complex
}

const CONDUCTOR: ReflectionCoefficients = { rTe: [-1, 0], rTm: [1, 0] }
const coefficients = new Float64Array(4)

/**
 * Coefficients of a half-space, incidence from vacuum, as `slab` has them (`scene/materials`): a conductor has r_TE = -1, r_TM = +1.
 *
 * @param eta       complex relative permittivity, imaginary part <= 0 (null: a perfect conductor)
 * @param cosTheta  of the angle of incidence to the normal
 */
export function fresnel(eta: Complex | null, cosTheta: number): ReflectionCoefficients {
  if (!eta) return CONDUCTOR
  halfSpace(eta[0], eta[1], cosTheta, coefficients)
  return { rTe: [coefficients[0], coefficients[1]], rTm: [coefficients[2], coefficients[3]] }
}

/**
 * Reflects a field (3 real, then 3 imaginary components, in place) at a half-space of relative permittivity eta:
 *   E_r = r_TE (E . e_TE) e_TE + r_TM (E . e_TM) e_TM',  e_TE = d x n,  e_TM = d x e_TE,  e_TM' = d' x e_TE
 *
 * @param d  direction of incidence, unit
 * @param n  normal on the side that the field comes from, unit
 */
export function reflectField(field: Float64Array, d: Vec3, n: Vec3, eta: Complex | null): void {
  const cosTheta = -dot(d, n)
  const reflected: Vec3 = [d[0] + 2 * cosTheta * n[0], d[1] + 2 * cosTheta * n[1], d[2] + 2 * cosTheta * n[2]]
  const eTe = perpendicular(d, n)
  const eTm = cross(d, eTe)
  const eTmReflected = cross(reflected, eTe)
  const { rTe, rTm } = fresnel(eta, cosTheta)
  const te = multiply(rTe, component(field, eTe))
  const tm = multiply(rTm, component(field, eTm))
  for (let i = 0; i < 3; i++) {
    field[i] = te[0] * eTe[i] + tm[0] * eTmReflected[i]
    field[3 + i] = te[1] * eTe[i] + tm[1] * eTmReflected[i]
  }
}

/** Component of a field along a real unit vector. */
const component = (field: Float64Array, e: Vec3): Complex => [
  field[0] * e[0] + field[1] * e[1] + field[2] * e[2],
  field[3] * e[0] + field[4] * e[1] + field[5] * e[2],
]

/** Unit vector perpendicular to the plane of incidence; at normal incidence any across n, from the axis farthest from n. */
function perpendicular(d: Vec3, n: Vec3): Vec3 {
  const across = cross(d, n)
  const length = Math.sqrt(dot(across, across))
  if (length > 1e-12) return [across[0] / length, across[1] / length, across[2] / length]
  const [nx, ny, nz] = n.map(Math.abs)
  const axis: Vec3 = nx <= ny && nx <= nz ? [1, 0, 0] : ny <= nz ? [0, 1, 0] : [0, 0, 1]
  const [x, y, z] = cross(n, axis)
  const size = Math.hypot(x, y, z)
  return [x / size, y / size, z / size]
}

const RECEIVE: Polarisation[] = ['v', 'h']

const vectorAt = (vectors: ArrayLike<number>, i: number): Vec3 => [
  vectors[3 * i],
  vectors[3 * i + 1],
  vectors[3 * i + 2],
]

/** What a path's field at the receiver depends on beside its reflections. */
interface PathEnds {
  /** [m] */
  length: number
  /** Unit direction away from the transmitter. */
  departure: Float64Array
  /** Unit direction from the receiver to where the path comes from. */
  arrival: [number, number, number]
}

/** Fields of paths: what reflections and antennas make of them. */
export class PathFields {
  private readonly field = new Float64Array(6)
  private readonly pattern = new Float64Array(6)
  /** re, im of h_v then h_h per excitation of the last path, as in `SUM.transfer`. */
  private readonly transfers: Float64Array

  constructor(private readonly setup: PropagationSetup) {
    this.transfers = new Float64Array(4 * setup.excitations.length)
  }

  /**
   * The numbers of `SUM` of a path by reflections for every excitation, into `out`.
   * @param r0      distance of the receiver from the transmitter [m]
   * @param single  whether one ray alone has found it
   */
  evaluate(path: PathWalker, r0: number, single: boolean, out: Float64Array): void {
    const { setup, field } = this
    const { directions, normals, facets, count, length } = path
    const last = 3 * count
    const arrival: [number, number, number] = [
      -directions[last],
      -directions[last + 1],
      -directions[last + 2],
    ]
    const ends = { length, departure: directions, arrival }
    setup.excitations.forEach(({ transmit, permittivity }, e) => {
      antennaVector(setup.transmitAntenna, transmit, directions[0], directions[1], directions[2], field)
      for (let k = 0; k < count; k++)
        reflectField(
          field,
          vectorAt(directions, k),
          vectorAt(normals, k),
          permittivity[setup.facetMaterial[facets[k]]],
        )
      this.receive(field, ends, r0, e, out)
      if (single) out[SUM.length * e + SUM.single] = out[SUM.length * e + SUM.power]
    })
  }

  /**
   * Applies distance and phase to a field (in place) and receives it: the numbers of `SUM` of excitation e.
   * @param field  g_t after all reflections: 3 real, then 3 imaginary components
   */
  receive(
    field: Float64Array,
    { length, departure, arrival }: PathEnds,
    r0: number,
    e: number,
    out: Float64Array,
  ): void {
    const { pattern } = this
    const at = SUM.length * e
    const turns = (length * this.setup.excitations[e].freqHz) / C0
    const phase = -2 * Math.PI * (turns - Math.floor(turns))
    const cr = (Math.cos(phase) * r0) / length
    const ci = (Math.sin(phase) * r0) / length
    for (let a = 0; a < 3; a++) {
      const re = field[a] * cr - field[3 + a] * ci
      field[3 + a] = field[a] * ci + field[3 + a] * cr
      field[a] = re
      out[at + SUM.field + 2 * a] = field[a]
      out[at + SUM.field + 2 * a + 1] = field[3 + a]
    }
    let power = 0
    RECEIVE.forEach((polarisation, c) => {
      antennaVector(this.setup.receiveAntenna, polarisation, arrival[0], arrival[1], arrival[2], pattern)
      let re = 0
      let im = 0
      for (let a = 0; a < 3; a++) {
        re += pattern[a] * field[a] - pattern[3 + a] * field[3 + a]
        im += pattern[a] * field[3 + a] + pattern[3 + a] * field[a]
      }
      out[at + SUM.transfer + 2 * c] = re
      out[at + SUM.transfer + 2 * c + 1] = im
      this.transfers[4 * e + 2 * c] = re
      this.transfers[4 * e + 2 * c + 1] = im
      power += re * re + im * im
    })
    const late = (length - r0) / r0
    out[at + SUM.power] = power
    out[at + SUM.power + 1] = power * late
    out[at + SUM.power + 2] = power * late * late
    out[at + SUM.single] = 0
    out[at + SUM.paths] = PATH_UNIT
    for (let a = 0; a < 3; a++) {
      out[at + SUM.arrival + a] = power * arrival[a]
      out[at + SUM.departure + a] = power * departure[a]
    }
  }

  /** Transfers h of the last path, re, im of h_v then h_h per excitation, to a receiver at distance r0 [m]. */
  transfersOver(r0: number): Float64Array {
    return this.transfers.map((x, i) => (x * C0) / this.setup.excitations[i >> 2].freqHz / (4 * Math.PI * r0))
  }
}

/** An axis-aligned room; each of its six walls of a material, or absent (waves leave there). */
export interface ImageRoom {
  min: Vec3
  max: Vec3
  /** Complex relative permittivity of the walls -x +x -y +y -z +z (null: a perfect conductor); 'open' for none. */
  walls: ([number, number] | null | 'open')[]
}

interface ImageLink {
  transmitter: Vec3
  receiver: Vec3
  freqHz: number
  transmitAntenna: Antenna
  receiveAntenna: Antenna
  transmit: Polarisation
}

/** Result of image theory at one point: field e = sum exp(-jkr)/r T g_t [1/m] (x re, im ...), transfers h_v and h_h (re, im). */
interface ImageResult {
  field: Float64Array
  transfer: Float64Array
  images: number
}

/**
 * Exact sum over images in a room, in double precision: the oracle of the ray engines. Along each axis the unfolded room
 * repeats; image number m of an axis lies in its m-th copy, so that the straight line to the receiver crosses |m| walls of
 * that axis, at the copies' borders in turn. Crossings of all axes, sorted along the line, are the path's reflections in order.
 *
 * @param maxReflections  of a path; images of more are left out
 */
export function imageTheory(room: ImageRoom, link: ImageLink, maxReflections: number): ImageResult {
  const { transmitter, receiver, freqHz } = link
  const result: ImageResult = { field: new Float64Array(6), transfer: new Float64Array(4), images: 0 }
  const size = [0, 1, 2].map((a) => room.max[a] - room.min[a])
  const reach = [0, 1, 2].map((a) => {
    const [low, high] = [room.walls[2 * a] !== 'open', room.walls[2 * a + 1] !== 'open']
    return low && high ? maxReflections : low || high ? 1 : 0
  })
  const field = new Float64Array(6)
  const pattern = new Float64Array(6)
  for (let l = -reach[0]; l <= reach[0]; l++)
    for (let m = -reach[1]; m <= reach[1]; m++)
      for (let n = -reach[2]; n <= reach[2]; n++) {
        const copies = [l, m, n]
        if (copies.reduce((s, c) => s + Math.abs(c), 0) > maxReflections) continue
        // The receiver unfolded into its copy of the room; the line leads there straight from the transmitter.
        const end = copies.map((c, a) =>
          c % 2 === 0 ? receiver[a] + c * size[a] : room.min[a] + room.max[a] - receiver[a] + c * size[a],
        )
        const line = end.map((x, a) => x - transmitter[a])
        const r = Math.hypot(...line)
        const crossings: { at: number; axis: number; wall: number }[] = []
        copies.forEach((c, axis) => {
          for (let k = 0; k < Math.abs(c); k++) {
            const border = c > 0 ? room.max[axis] + k * size[axis] : room.min[axis] - k * size[axis]
            // In the copies the walls take turns: first the one towards the image, then the other.
            const wall = 2 * axis + (c > 0 === (k % 2 === 0) ? 1 : 0)
            crossings.push({ at: (border - transmitter[axis]) / line[axis], axis, wall })
          }
        })
        if (crossings.some(({ wall }) => room.walls[wall] === 'open')) continue
        crossings.sort((a, b) => a.at - b.at)
        const d = line.map((x) => x / r) as Vec3
        antennaVector(link.transmitAntenna, link.transmit, d[0], d[1], d[2], field)
        for (const { axis, wall } of crossings) {
          const normal: Vec3 = [0, 0, 0]
          normal[axis] = d[axis] > 0 ? -1 : 1
          reflectField(field, d, normal, room.walls[wall] as [number, number] | null)
          d[axis] = -d[axis]
        }
        const turns = (r * freqHz) / C0
        const phase = -2 * Math.PI * (turns - Math.floor(turns))
        const [cr, ci] = [Math.cos(phase) / r, Math.sin(phase) / r]
        const wavelength = C0 / freqHz / (4 * Math.PI)
        for (let a = 0; a < 3; a++) {
          const re = field[a] * cr - field[3 + a] * ci
          field[3 + a] = field[a] * ci + field[3 + a] * cr
          field[a] = re
          result.field[2 * a] += field[a]
          result.field[2 * a + 1] += field[3 + a]
        }
        ;(['v', 'h'] as const).forEach((polarisation, c) => {
          antennaVector(link.receiveAntenna, polarisation, -d[0], -d[1], -d[2], pattern)
          for (let a = 0; a < 3; a++) {
            result.transfer[2 * c] += wavelength * (pattern[a] * field[a] - pattern[3 + a] * field[3 + a])
            result.transfer[2 * c + 1] += wavelength * (pattern[a] * field[3 + a] + pattern[3 + a] * field[a])
          }
        })
        result.images++
      }
  return result
}
