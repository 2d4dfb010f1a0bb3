import { cube, dihedral, plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import {
  type Band,
  C0,
  wavenumber,
  direction,
  type Aspect,
  type Mesh,
  prepareTarget,
  type Target,
} from '../../scene/index.js'
import { moved } from '../scene/shapes.js'
import type { SbrReferenceOptions } from './sbr.js'

/** A small target in one aspect and band: what engines are held against the plain reference with. */
export interface SbrCase {
  target: Target
  aspect: Aspect
  band: Band
  options: SbrReferenceOptions
  /** Norm over the band of the field of a mirror of the target's area, k A / 2 pi [m]: what errors are parts of. */
  mirror: number
}

/** The box's diagonal in wavelengths at the highest frequency. */
const WAVELENGTHS = 4

export function sbrCase(
  mesh: Mesh,
  aspect: Aspect,
  options: Partial<SbrReferenceOptions> = {},
  frequencies = 3,
): SbrCase {
  const smoothAngleDeg = options.smoothAngleDeg ?? 20
  const target = prepareTarget(mesh, { smoothAngleDeg })
  const top = (WAVELENGTHS * C0) / target.diagonal
  // 10 % of bandwidth.
  const df = (0.1 * top) / (frequencies - 1)
  const band = { f0: top - (frequencies - 1) * df, df, n: frequencies }
  return {
    target,
    aspect,
    band,
    options: {
      raysPerWavelength: 10,
      maxBounces: 5,
      subdivisions: 2,
      formulation: 'all-bounces',
      ...options,
      smoothAngleDeg,
    },
    mirror: (wavenumber(band.f0) * target.area * Math.sqrt(band.n)) / (2 * Math.PI),
  }
}

/** Transmitter and, where it stands elsewhere, receiver, in degrees: in general position, so that no ray meets an edge. */
export function aspectOf(theta: number, phi: number, rxTheta = theta, rxPhi = phi): Aspect {
  return { tx: direction(theta, phi), rx: direction(rxTheta, rxPhi) }
}

/** A box 1 m wide and high and 3 m deep, without its face at y = -1.5 m: some rays meet it more often than 5 times. */
export function openBox(): Mesh {
  const { positions, triangles } = cube(1)
  return { positions: positions.map((x, i) => (i % 3 === 1 ? 3 * x : x)), triangles: triangles.slice(6) }
}

export const sbrCases: [string, () => SbrCase][] = [
  ['plate', () => sbrCase(plate(1), aspectOf(23, 51))],
  ['plate from behind, at grazing incidence', () => sbrCase(plate(1), aspectOf(98, 17))],
  ['plate, bistatic', () => sbrCase(plate(1), aspectOf(34, 12, 71, -108))],
  ['dihedral', () => sbrCase(dihedral(1), aspectOf(81, 13))],
  ['trihedral', () => sbrCase(squareTrihedral(1), aspectOf(52, 38))],
  ['trihedral, bistatic', () => sbrCase(squareTrihedral(1), aspectOf(52, 38, 66, 19))],
  ['trihedral, second bounce alone', () => sbrCase(squareTrihedral(1), aspectOf(52, 38), { onlyBounce: 2 })],
  [
    'trihedral far from the origin',
    () => sbrCase(moved(squareTrihedral(1), [1000, -350, 120]), aspectOf(52, 38, 66, 19)),
  ],
  ['trihedral, exit form', () => sbrCase(squareTrihedral(1), aspectOf(52, 38), { formulation: 'exit' })],
  [
    'dihedral, exit form, bistatic',
    () => sbrCase(dihedral(1), aspectOf(81, 13, 64, -22), { formulation: 'exit' }),
  ],
  ['cube', () => sbrCase(cube(1), aspectOf(63, 27))],
  ['cube, receiver behind it', () => sbrCase(cube(1), aspectOf(63, 27, 104, 171))],
  ['open box', () => sbrCase(openBox(), aspectOf(68, -71))],
  ['open box, bistatic', () => sbrCase(openBox(), aspectOf(68, -71, 97, -112))],
  [
    'open box, exit form, paths cut off',
    () => sbrCase(openBox(), aspectOf(56, -60), { formulation: 'exit', raysPerWavelength: 20 }),
  ],
  ['open box of one smooth surface', () => sbrCase(openBox(), aspectOf(68, -71), { smoothAngleDeg: 100 })],
  ['ship, bistatic', () => sbrCase(models['ship-1m'].make(), aspectOf(63, 31, 47, 82))],
  ['sphere of one smooth surface', () => sbrCase(sphere(1, 1), aspectOf(57, 35), { smoothAngleDeg: 50 })],
  [
    'sphere of one smooth surface, bistatic',
    () => sbrCase(sphere(1, 1), aspectOf(57, 35, 29, 104), { smoothAngleDeg: 50, subdivisions: 1 }),
  ],
  [
    'sphere of one smooth surface, exit form',
    () => sbrCase(sphere(1, 1), aspectOf(57, 35), { smoothAngleDeg: 50, formulation: 'exit' }),
  ],
  ['sphere of facets', () => sbrCase(sphere(1, 1), aspectOf(57, 35), { smoothAngleDeg: 5 })],
]

/** Bands of many frequencies, for sums by non-uniform FFT: of fewer tubes. */
const bandCase = (mesh: Mesh, aspect: Aspect, options: Partial<SbrReferenceOptions> = {}): SbrCase =>
  sbrCase(mesh, aspect, { raysPerWavelength: 5, ...options }, 24)
export const bandCases: [string, () => SbrCase][] = [
  ['trihedral, bistatic', () => bandCase(squareTrihedral(1), aspectOf(52, 38, 66, 19))],
  ['dihedral, exit form', () => bandCase(dihedral(1), aspectOf(81, 13), { formulation: 'exit' })],
  ['sphere of one smooth surface', () => bandCase(sphere(1, 1), aspectOf(57, 35), { smoothAngleDeg: 50 })],
]
