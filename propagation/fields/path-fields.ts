import { C0, type Vec3 } from '../../scene/index.js'
import { antennaVector, type Polarisation } from '../scene/antenna.js'
import { reflectField } from './fresnel.js'
import type { PathWalker } from '../paths/path-walker.js'
import { PATH_UNIT, type PropagationSetup, SUM } from '../setup.js'

const RECEIVE: Polarisation[] = ['v', 'h']

const vectorAt = (vectors: ArrayLike<number>, i: number): Vec3 => [
  vectors[3 * i],
  vectors[3 * i + 1],
  vectors[3 * i + 2],
]

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
    setup.excitations.forEach(({ transmit, permittivity }, e) => {
      antennaVector(setup.transmitAntenna, transmit, directions[0], directions[1], directions[2], field)
      for (let k = 0; k < count; k++)
        reflectField(
          field,
          vectorAt(directions, k),
          vectorAt(normals, k),
          permittivity[setup.facetMaterial[facets[k]]],
        )
      this.receive(field, length, r0, arrival, directions, e, out)
      if (single) out[SUM.length * e + SUM.single] = out[SUM.length * e + SUM.power]
    })
  }

  /**
   * Applies distance and phase to a field (in place) and receives it: the numbers of `SUM` of excitation e.
   * @param field      g_t after all reflections: 3 real, then 3 imaginary components
   * @param arrival    unit direction from the receiver to where the path comes from
   * @param departure  unit direction away from the transmitter
   */
  receive(
    field: Float64Array,
    length: number,
    r0: number,
    arrival: [number, number, number],
    departure: Float64Array,
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
