import { C0, type Vec3 } from '../../scene/index.js'
import { type Antenna, antennaVector, type Polarisation } from '../scene/antenna.js'
import { reflectField } from './path-fields.js'

/** An axis-aligned room; each of its six walls of a material, or absent (waves leave there). */
export interface ImageRoom {
  min: Vec3
  max: Vec3
  /** Complex relative permittivity of the walls -x +x -y +y -z +z (null: a perfect conductor); 'open' for none. */
  walls: ([number, number] | null | 'open')[]
}

export interface ImageLink {
  transmitter: Vec3
  receiver: Vec3
  freqHz: number
  transmitAntenna: Antenna
  receiveAntenna: Antenna
  transmit: Polarisation
}

/** Result of image theory at one point: field e = sum exp(-jkr)/r T g_t [1/m] (x re, im ...), transfers h_v and h_h (re, im). */
export interface ImageResult {
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
