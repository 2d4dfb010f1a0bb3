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

/** A case: its mesh, the angles of transmitter and receiver as `aspectOf` takes them, and options. */
export type CaseRow = [
  name: string,
  mesh: () => Mesh,
  angles: [number, number, number?, number?],
  options?: Partial<SbrReferenceOptions>,
]

export const casesOf = (
  rows: CaseRow[],
  common: Partial<SbrReferenceOptions> = {},
  frequencies = 3,
): [string, () => SbrCase][] =>
  rows.map(([name, mesh, angles, options]) => [
    name,
    () => sbrCase(mesh(), aspectOf(...angles), { ...common, ...options }, frequencies),
  ])

const [sheet, corner, trihedral, box] = [plate, dihedral, squareTrihedral, cube].map((make) => () => make(1))
const ball = (): Mesh => sphere(1, 1)
const farOff = (): Mesh => moved(trihedral(), [1000, -350, 120])
const EXIT = { formulation: 'exit' } as const
/** One smooth surface. */
const SMOOTH = { smoothAngleDeg: 50 }

export const sbrCases = casesOf([
  ['plate', sheet, [23, 51]],
  ['plate from behind, at grazing incidence', sheet, [98, 17]],
  ['plate, bistatic', sheet, [34, 12, 71, -108]],
  ['dihedral', corner, [81, 13]],
  ['trihedral', trihedral, [52, 38]],
  ['trihedral, bistatic', trihedral, [52, 38, 66, 19]],
  ['trihedral, second bounce alone', trihedral, [52, 38], { onlyBounce: 2 }],
  ['trihedral far from the origin', farOff, [52, 38, 66, 19]],
  ['trihedral, exit form', trihedral, [52, 38], EXIT],
  ['dihedral, exit form, bistatic', corner, [81, 13, 64, -22], EXIT],
  ['cube', box, [63, 27]],
  ['cube, receiver behind it', box, [63, 27, 104, 171]],
  ['open box', openBox, [68, -71]],
  ['open box, bistatic', openBox, [68, -71, 97, -112]],
  ['open box, exit form, paths cut off', openBox, [56, -60], { ...EXIT, raysPerWavelength: 20 }],
  ['open box of one smooth surface', openBox, [68, -71], { smoothAngleDeg: 100 }],
  ['ship, bistatic', models['ship-1m'].make, [63, 31, 47, 82]],
  ['sphere of one smooth surface', ball, [57, 35], SMOOTH],
  ['sphere of one smooth surface, bistatic', ball, [57, 35, 29, 104], { ...SMOOTH, subdivisions: 1 }],
  ['sphere of one smooth surface, exit form', ball, [57, 35], { ...SMOOTH, ...EXIT }],
  ['sphere of facets', ball, [57, 35], { smoothAngleDeg: 5 }],
])

/** Bands of many frequencies, for sums by non-uniform FFT: of fewer tubes. */
export const bandCases = casesOf(
  [
    ['trihedral, bistatic', trihedral, [52, 38, 66, 19]],
    ['dihedral, exit form', corner, [81, 13], EXIT],
    ['sphere of one smooth surface', ball, [57, 35], SMOOTH],
  ],
  { raysPerWavelength: 5 },
  24,
)
