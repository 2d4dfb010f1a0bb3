import {
  frequency,
  highestFrequency,
  wavelength,
  wavenumber,
  type Band,
  cross,
  dot,
  type Aspect,
  type Direction,
  type Vec3,
  type Mesh,
} from '../../scene/index.js'
import { centroidOf, facetsOf, nearestHit, type Facet, type Hit, type Ray } from './facets.js'
import { parallelogramIntegral, quadrilateralIntegral } from './shape-function.js'
import { add, subtract, times } from './vectors.js'

/*
 * Shooting and bouncing rays as docs/theory.md states them, in double precision and without anything that makes them fast: every
 * ray is tested against every facet, and every contribution is summed at every frequency. "(5)" is equation (5) of that
 * document, "Ray tubes" a section of it. Written from the document, not from the engines, which are tested against it. It shares
 * with them the mesh, `direction`, and wavenumbers.
 */

export interface SbrReferenceOptions {
  /** Tubes per wavelength at the highest frequency. */
  raysPerWavelength: number
  /** Reflections followed. */
  maxBounces: number
  /** Times an invalid tube is cut into 2 x 2; the exit form drops invalid tubes. */
  subdivisions: number
  formulation: 'all-bounces' | 'exit'
  /** Neighbouring facets bent by less share a surface [degrees]. */
  smoothAngleDeg: number
  /** Where present, only this bounce (1, 2, ...) radiates. */
  onlyBounce?: number
}

export interface SbrReference {
  /** F [m], 8 numbers per frequency (real and imaginary part of VV, HH, VH, HV), phase about the mesh's origin. */
  field: Float64Array
  /** Tubes and sub-tubes that radiate. */
  leaves: number
  /** Their bounces that radiate. */
  contributions: number
}

/** F of a target in one aspect at the frequencies of a band. */
export function sbrReference(
  mesh: Mesh,
  aspect: Aspect,
  band: Band,
  options: SbrReferenceOptions,
): SbrReference {
  const facets = facetsOf(mesh, options.smoothAngleDeg)
  const side = wavelength(highestFrequency(band)) / options.raysPerWavelength
  const leaves = apertureTubes(facets, aspect.tx, side)
    .flatMap((tube) => leavesOf(facets, aspect, tube, options))
    .map((leaf) => contributionsOf(facets, aspect, leaf, options))
    .filter((contributions) => contributions.length > 0)
  const contributions = leaves.flat()
  return {
    field: scatteredField(contributions, band),
    leaves: leaves.length,
    contributions: contributions.length,
  }
}

// Rays

/** A ray's hits, one after the other. */
interface Path {
  hits: Hit[]
  /** After the last reflection followed, the ray meets the target once more. */
  isCutOff: boolean
}

/** v - 2n (n.v): the direction of a reflected ray in (10). */
export const mirrored = (v: Vec3, n: Vec3): Vec3 => add(v, n, -2 * dot(n, v))

/** The normal turned against a direction. */
export const against = (normal: Vec3, d: Vec3): Vec3 => (dot(normal, d) > 0 ? times(-1, normal) : normal)

function trace(facets: Facet[], launched: Ray, maxBounces: number): Path {
  const hits: Hit[] = []
  let ray = launched
  for (;;) {
    const hit = nearestHit(facets, ray, hits.at(-1)?.facet)
    if (!hit || hits.length === maxBounces) return { hits, isCutOff: hit !== null }
    hits.push(hit)
    ray = { origin: hit.r, d: mirrored(ray.d, hit.facet.normal) }
  }
}

// Tubes

/** A square tube on the aperture: its centre and its two sides [m]. */
export interface Tube {
  centre: Vec3
  a: Vec3
  b: Vec3
}

/** A tube or sub-tube that may radiate: the path of its central ray and, where they are its footprint, its corner rays' hits. */
interface Leaf {
  tube: Tube
  path: Path
  corners?: Vec3[]
}

/** Rotation of the lattice of tubes against theta-hat [rad], and its offset in tubes ("Ray tubes"). */
const LATTICE_ROTATION = 0.3
const LATTICE_OFFSET = [Math.SQRT2 - 1, (Math.sqrt(5) - 1) / 2]

/** The square tubes before the target's projection along the incidence; their lattice is anchored to the centroid. */
export function apertureTubes(facets: Facet[], tx: Direction, side: number): Tube[] {
  const u = add(times(Math.cos(LATTICE_ROTATION), tx.phiHat), tx.thetaHat, Math.sin(LATTICE_ROTATION))
  const v = cross(tx.r, u)
  const centroid = centroidOf(facets)
  const corners = facets.flatMap((facet) => facet.corners.map((corner) => subtract(corner, centroid)))
  const front = Math.max(...corners.map((p) => dot(p, tx.r))) + side
  const [[firstU, lastU], [firstV, lastV]] = [u, v].map((axis, i) => {
    const cells = corners.map((p) => Math.floor(dot(p, axis) / side - LATTICE_OFFSET[i]))
    return [Math.min(...cells), Math.max(...cells)]
  })
  const tubes: Tube[] = []
  for (let i = firstU; i <= lastU; i++)
    for (let j = firstV; j <= lastV; j++) {
      const onPlane = add(add(centroid, tx.r, front), u, (i + 0.5 + LATTICE_OFFSET[0]) * side)
      const centre = add(onPlane, v, (j + 0.5 + LATTICE_OFFSET[1]) * side)
      tubes.push({ centre, a: times(side, u), b: times(side, v) })
    }
  return tubes
}

/** The corners of a tube, in order around it. */
export const cornersOf = ({ centre, a, b }: Tube): Vec3[] =>
  [
    [0.5, 0.5],
    [-0.5, 0.5],
    [-0.5, -0.5],
    [0.5, -0.5],
  ].map(([x, y]) => add(add(centre, a, x), b, y))

/** The 2 x 2 parts of a tube: their centres are the corners of a tube of half the sides. */
export function partsOf({ centre, a, b }: Tube): Tube[] {
  const half = { a: times(0.5, a), b: times(0.5, b) }
  return cornersOf({ centre, ...half }).map((at) => ({ centre: at, ...half }))
}

/** Two rays of a valid tube meet the same surfaces in the same order, and are cut off both or not at all. */
const areAlike = (one: Path, other: Path): boolean =>
  one.isCutOff === other.isCutOff &&
  one.hits.length === other.hits.length &&
  one.hits.every(({ facet }, i) => facet.surface === other.hits[i].facet.surface)

export const areParallel = (one: Facet, other: Facet): boolean => {
  const difference = subtract(one.normal, other.normal)
  return dot(difference, difference) < 1e-12
}

/** The tube if it is valid and not of several bounces off differently oriented facets, else its parts, of which those of the last level have the central ray's path; in the exit form it is dropped. */
function leavesOf(
  facets: Facet[],
  aspect: Aspect,
  tube: Tube,
  options: SbrReferenceOptions,
  level = 0,
): Leaf[] {
  const { maxBounces, formulation, subdivisions } = options
  const pathFrom = (origin: Vec3): Path => trace(facets, { origin, d: times(-1, aspect.tx.r) }, maxBounces)
  const path = pathFrom(tube.centre)
  if (level > 0 && level === subdivisions) return [{ tube, path }]
  const corners = cornersOf(tube).map(pathFrom)
  const isUndivided =
    formulation === 'exit' ||
    level === subdivisions ||
    path.hits.length <= 1 ||
    corners.every(({ hits }) =>
      hits.every(({ facet }, i) => !path.hits[i] || areParallel(facet, path.hits[i].facet)),
    )
  if (isUndivided && corners.every((corner) => areAlike(corner, path))) {
    const first = corners.map(({ hits }) => hits[0])
    const straddles =
      path.hits.length === 1 && first.some(({ facet }) => !areParallel(facet, path.hits[0].facet))
    return [{ tube, path, ...(straddles && { corners: first.map(({ r }) => r) }) }]
  }
  if (formulation === 'exit') return []
  if (level === subdivisions) return [{ tube, path }]
  return partsOf(tube).flatMap((part) => leavesOf(facets, aspect, part, options, level + 1))
}

// Fields

/** The wave within a tube, between two hits. */
interface Wave {
  /** Direction of travel. */
  d: Vec3
  /** Fields of transmitted V and H: real, since a perfect conductor reflects without a phase of its own. */
  e: [Vec3, Vec3]
  /** Sides of the tube across d [m]. */
  a: Vec3
  b: Vec3
  /** Phase path from the mesh's origin [m]. */
  psi: number
}

/** The incident wave as a tube leaves the aperture: amplitude 1, phase 0 at the origin. */
function incidentWave({ tx }: Aspect, { centre, a, b }: Tube): Wave {
  const d = times(-1, tx.r)
  return { d, e: [tx.thetaHat, tx.phiHat], a, b, psi: dot(d, centre) }
}

/** E_refl = 2n(n.E) - E, the field that a perfect conductor reflects (10). */
const reflectedField = (e: Vec3, n: Vec3): Vec3 => subtract(times(2 * dot(n, e), n), e)

/** The wave after its reflection, (10). */
const reflectedWave = ({ d, e, a, b, psi }: Wave, n: Vec3): Wave => ({
  d: mirrored(d, n),
  e: [reflectedField(e[0], n), reflectedField(e[1], n)],
  a: mirrored(a, n),
  b: mirrored(b, n),
  psi,
})

/** Surface currents J, times the impedance of free space, and M. */
interface Currents {
  j: Vec3
  m: Vec3
}

/** The currents of (6) and (7): 2n x (d x E) of the incident wave, or n x (d x E) and E x n of the reflected one. */
function currents(formulation: 'all-bounces' | 'exit', n: Vec3, d: Vec3, e: Vec3): Currents {
  if (formulation === 'all-bounces') return { j: times(2, cross(n, cross(d, e))), m: [0, 0, 0] }
  const reflected = reflectedField(e, n)
  return { j: cross(n, cross(mirrored(d, n), reflected)), m: cross(reflected, n) }
}

/** A = e_rx . [s x (s x J) + s x M] (8), the integrand of (1) without its phase. */
const radiatedAmplitude = (s: Vec3, received: Vec3, { j, m }: Currents): number =>
  dot(received, add(cross(s, cross(s, j)), cross(s, m)))

// Contributions

/** What one bounce of a tube radiates, for every frequency. */
interface Contribution {
  /** L = psi - s.r [m]. */
  pathLength: number
  /** A for VV, HH, VH, HV. */
  amplitudes: number[]
  /** I(k) [m^2], real and imaginary part. */
  integral: (k: number) => [number, number]
}

/** Contributions of the bounces of a leaf that radiate. */
function contributionsOf(
  facets: Facet[],
  aspect: Aspect,
  { tube, path: { hits }, corners }: Leaf,
  { formulation, onlyBounce }: SbrReferenceOptions,
): Contribution[] {
  const { r: s, thetaHat, phiHat } = aspect.rx
  const contributions: Contribution[] = []
  let wave = incidentWave(aspect, tube)
  hits.forEach(({ facet, t, r }, bounce) => {
    const n = against(facet.normal, wave.d)
    wave = { ...wave, psi: wave.psi + t }
    // From the second bounce on a current counts where the receiver sees its lit side ("5. Current").
    const isSeen = (): boolean => dot(n, s) > 0 && nearestHit(facets, { origin: r, d: s }, facet) === null
    const radiates = formulation === 'exit' ? bounce === hits.length - 1 : bounce === 0 || isSeen()
    if (radiates && (onlyBounce === undefined || bounce === onlyBounce - 1)) {
      const { d, e, psi } = wave
      const [fromV, fromH] = e.map((field) => currents(formulation, n, d, field))
      const [a, b] = footprint(wave, n)
      const w = subtract(s, d)
      contributions.push({
        pathLength: psi - dot(s, r),
        amplitudes: [
          radiatedAmplitude(s, thetaHat, fromV),
          radiatedAmplitude(s, phiHat, fromH),
          radiatedAmplitude(s, phiHat, fromV),
          radiatedAmplitude(s, thetaHat, fromH),
        ],
        integral: (k) =>
          corners ? quadrilateralIntegral(corners, r, times(k, w)) : parallelogramIntegral(a, b, times(k, w)),
      })
    }
    wave = reflectedWave(wave, n)
  })
  return contributions
}

/** The tube's sides slid along the ray onto the facet's plane, (5). */
const footprint = ({ d, a, b }: Wave, n: Vec3): Vec3[] =>
  [a, b].map((across) => add(across, d, -dot(n, across) / dot(n, d)))

/** Sum of (9): dF = (jk/4 pi) A exp(-jkL) I(k). */
function scatteredField(contributions: Contribution[], band: Band): Float64Array {
  const field = new Float64Array(8 * band.n)
  for (let n = 0; n < band.n; n++) {
    const k = wavenumber(frequency(band, n))
    for (const { pathLength, amplitudes, integral } of contributions) {
      const [re, im] = integral(k)
      const [cos, sin] = [Math.cos(k * pathLength), Math.sin(k * pathLength)]
      const [phasedRe, phasedIm] = [re * cos + im * sin, im * cos - re * sin]
      amplitudes.forEach((amplitude, channel) => {
        const factor = (k / (4 * Math.PI)) * amplitude
        field[8 * n + 2 * channel] -= factor * phasedIm
        field[8 * n + 2 * channel + 1] += factor * phasedRe
      })
    }
  }
  return field
}
