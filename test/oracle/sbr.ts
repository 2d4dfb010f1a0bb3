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
  type Target,
} from '../../scene/index.js'
import { slab } from '../../scene/materials/index.js'
import { type Complex, phasor, product, scaled, sum } from './complex.js'
import { centroidOf, type Facet, facetsOf, nearestHit } from './facets.js'
import { parallelogramIntegral, quadrilateralIntegral } from './shape-function.js'
import { add, length, subtract, times } from './vectors.js'

/*
 * Shooting and bouncing rays as docs/theory.md states them, in double precision and without anything that makes them fast: every
 * ray is tested against every facet, every hit of every branch is summed at every frequency, fields are components s and p of each hit,
 * and radiated ones go through sheets. "(5)" is equation (5) of that document, "Ray tubes" a section of it. Written from the document, not
 * from the engines, which are tested against it. It shares with them the mesh, `direction`, wavenumbers and the coefficients of slabs.
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

// Tubes

/** v - 2n (n.v): the direction of a reflected ray in (10). */
const mirrored = (v: Vec3, n: Vec3): Vec3 => add(v, n, -2 * dot(n, v))

/** The normal turned against a direction. */
const against = (normal: Vec3, d: Vec3): Vec3 => (dot(normal, d) > 0 ? times(-1, normal) : normal)

/** A square tube on the aperture: its centre and its two sides [m]. */
interface Tube {
  centre: Vec3
  a: Vec3
  b: Vec3
}

/** Rotation of the lattice of tubes against theta-hat [rad], and its offset in tubes ("Ray tubes"). */
const LATTICE_ROTATION = 0.3
const LATTICE_OFFSET = [Math.SQRT2 - 1, (Math.sqrt(5) - 1) / 2]

/** The square tubes before the target's projection along the incidence; their lattice is anchored to the centroid. */
function apertureTubes(facets: Facet[], tx: Direction, side: number): Tube[] {
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
const cornersOf = ({ centre, a, b }: Tube): Vec3[] =>
  [
    [0.5, 0.5],
    [-0.5, 0.5],
    [-0.5, -0.5],
    [0.5, -0.5],
  ].map(([x, y]) => add(add(centre, a, x), b, y))

/** The 2 x 2 parts of a tube: their centres are the corners of a tube of half the sides. */
function partsOf({ centre, a, b }: Tube): Tube[] {
  const half = { a: times(0.5, a), b: times(0.5, b) }
  return cornersOf({ centre, ...half }).map((at) => ({ centre: at, ...half }))
}

const areParallel = (one: Facet, other: Facet): boolean => {
  const difference = subtract(one.normal, other.normal)
  return dot(difference, difference) < 1e-12
}

// Rays

/** Power that a branch must be able to have to go on, and the weaker of two; transmissions followed per bounce. */
const LEAST_POWER = 1e-5
const LEAST_BRANCH = 1e-3
const TRANSMISSIONS = 2

/** A complex vector: its three components. */
type Field = [Complex, Complex, Complex]

interface Scene {
  facets: Facet[]
  target: Target
  frequencies: number[]
  maxBounces: number
}

/** R_s, R_p, T_s, T_p. */
type Coefficients = [Complex, Complex, Complex, Complex]

interface Branch {
  facet: Facet
  /** Hit [m], normal against the incidence, direction of incidence. */
  r: Vec3
  n: Vec3
  d: Vec3
  bounces: number
  transmissions: number
  /** Power of the incident field at the most. */
  power: number
  psi: number
  a: Vec3
  b: Vec3
  /** Incident field by frequency and transmitted polarisation. */
  e: [Field, Field][]
}

interface Ray {
  hits: Branch[]
  /** Surfaces of all branches, in their order. */
  key: string
}

const real = (v: Vec3): Field => [
  [v[0], 0],
  [v[1], 0],
  [v[2], 0],
]
const component = (e: Field, v: Vec3): Complex =>
  e.reduce<Complex>((total, x, c) => sum(total, scaled(v[c], x)), [0, 0])
const multiple = (z: Complex, v: Vec3): Field => [scaled(v[0], z), scaled(v[1], z), scaled(v[2], z)]
const both = (a: Field, b: Field): Field => [sum(a[0], b[0]), sum(a[1], b[1]), sum(a[2], b[2])]
const greatest = (...coefficients: Complex[]): number =>
  Math.max(...coefficients.map(([re, im]) => re * re + im * im))

const materialOf = ({ target, facets }: Scene, facet: Facet) =>
  target.materials[target.facetMaterial?.[facets.indexOf(facet)] ?? 0]

/** s = d x n of length 1, any vector across at normal incidence; p = d x s. */
function basis(d: Vec3, n: Vec3): { s: Vec3; p: Vec3 } {
  const across = cross(d, n)
  const any = cross(n, Math.abs(n[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])
  const along = length(across) > 1e-9 ? across : any
  const s = times(1 / length(along), along)
  return { s, p: cross(d, s) }
}

function coefficientsOf(scene: Scene, facet: Facet, d: Vec3, f: number): Coefficients {
  const out = new Float64Array(8)
  const cosine = dot(facet.normal, d)
  slab(materialOf(scene, facet), f, Math.abs(cosine), out, cosine > 0)
  return [0, 2, 4, 6].map((i): Complex => [out[i], out[i + 1]]) as Coefficients
}

const reflectedField = ({ d, n }: Branch, e: Field, [rs, rp]: Coefficients): Field => {
  const { s, p } = basis(d, n)
  return both(
    multiple(product(rs, component(e, s)), s),
    multiple(product(rp, component(e, p)), cross(mirrored(d, n), s)),
  )
}

const transmittedField = (d: Vec3, n: Vec3, e: Field, [, , ts, tp]: Coefficients): Field => {
  const { s, p } = basis(d, n)
  return both(multiple(product(ts, component(e, s)), s), multiple(product(tp, component(e, p)), p))
}

/** The wave that goes on from a hit, or from the aperture. */
type Wave = Omit<Branch, 'facet' | 'n'> & { facet?: Facet }

function trace(scene: Scene, wave: Wave, ray: Ray = { hits: [], key: '' }): Ray {
  const { facets, maxBounces, frequencies, target } = scene
  const hit = nearestHit(facets, { origin: wave.r, d: wave.d }, wave.facet)
  if (!hit) {
    ray.key += '.'
    return ray
  }
  const { facet, r, t } = hit
  const n = against(facet.normal, wave.d)
  const branch: Branch = { ...wave, facet, r, n, psi: wave.psi + t }
  ray.hits.push(branch)
  ray.key += `(${facet.surface}/${target.facetMaterial?.[facets.indexOf(facet)] ?? 0})`
  const coefficients = frequencies.map((f) => coefficientsOf(scene, facet, wave.d, f))
  const ofReflected = wave.power * Math.max(...coefficients.map(([rs, rp]) => greatest(rs, rp)))
  const ofTransmitted = wave.power * Math.max(...coefficients.map(([, , ts, tp]) => greatest(ts, tp)))
  const reflected = branch.e.map((pair, i) =>
    pair.map((e) => reflectedField(branch, e, coefficients[i])),
  ) as Branch['e']
  const transmitted = branch.e.map((pair, i) =>
    pair.map((e) => transmittedField(branch.d, n, e, coefficients[i])),
  ) as Branch['e']
  const passes = wave.transmissions < TRANSMISSIONS * maxBounces && ofTransmitted > LEAST_POWER
  const returns = ofReflected > LEAST_POWER
  const strongest = Math.max(ofReflected, ofTransmitted)
  const oneAlone = passes && returns && Math.min(ofReflected, ofTransmitted) <= LEAST_BRANCH
  if (returns && (!oneAlone || ofReflected === strongest)) {
    const d = mirrored(wave.d, n)
    const on = {
      ...branch,
      d,
      power: ofReflected,
      e: reflected,
      a: mirrored(wave.a, n),
      b: mirrored(wave.b, n),
    }
    if (wave.bounces + 1 < maxBounces) trace(scene, { ...on, bounces: wave.bounces + 1 }, ray)
    else if (nearestHit(facets, { origin: r, d }, facet)) ray.key += '!'
  }
  if (passes && (!oneAlone || ofReflected < strongest))
    trace(
      scene,
      { ...branch, power: ofTransmitted, e: transmitted, transmissions: wave.transmissions + 1 },
      ray,
    )
  return ray
}

/** Contributions of the tube's hits to F at all frequencies, (9); their number. The exit form has the reflected wave of the last hit alone. */
function radiate(
  scene: Scene,
  { rx }: Aspect,
  hits: Branch[],
  corners: Vec3[] | undefined,
  { onlyBounce, formulation }: SbrReferenceOptions,
  field: Float64Array,
): number {
  const { facets, frequencies } = scene
  const isExit = formulation === 'exit'
  let contributions = 0
  hits.forEach((hit, at) => {
    const { facet, n, d, r } = hit
    if (onlyBounce !== undefined && hit.bounces !== onlyBounce - 1) return
    if (isExit && at < hits.length - 1) return
    const isDirect = isExit || hit.bounces === 0
    // From the second bounce on a current counts where the receiver sees its lit side ("5. Current").
    if (!isDirect && !(dot(n, rx.r) > 0)) return
    // Sheets and opaque facets on the way to the receiver.
    const crossed: Facet[] = []
    let [from, skip] = [r, facet]
    for (;;) {
      const next = nearestHit(facets, { origin: from, d: rx.r }, skip)
      if (!next) break
      if (materialOf(scene, next.facet).kind === 'sheet') crossed.push(next.facet)
      else if (!isDirect) return
      ;[from, skip] = [next.r, next.facet]
    }
    contributions++
    const { s, p } = basis(d, n)
    const c = -dot(n, d)
    const nxs = cross(n, s)
    const sxn = cross(s, n)
    const sides = [hit.a, hit.b].map((side) => add(side, d, dot(n, side) / c))
    const w = subtract(rx.r, d)
    frequencies.forEach((f, i) => {
      const [rs, rp, ts, tp] = coefficientsOf(scene, facet, d, f)
      const k = wavenumber(f)
      const shape =
        corners && crossed.length === 0
          ? quadrilateralIntegral(corners, r, times(k, w))
          : parallelogramIntegral(sides[0], sides[1], times(k, w))
      const phased = product(shape, phasor(-k * (hit.psi - dot(rx.r, r))))
      const factor = product(phased, [0, k / (4 * Math.PI)])
      hit.e[i].forEach((e, tx) => {
        const A = component(e, s)
        const B = component(e, p)
        const minus = (z: Complex): Complex => scaled(-1, z)
        const less = (z: Complex): Complex => [1 - z[0], -z[1]]
        // Jumps of the reflected wave, and of the incident less the transmitted one.
        const ofReflected = radiatedField(
          rx.r,
          both(multiple(scaled(-c, product(A, rs)), s), multiple(minus(product(B, rp)), nxs)),
          both(multiple(product(A, rs), sxn), multiple(scaled(c, product(B, rp)), s)),
        )
        const ofIncident = radiatedField(
          rx.r,
          both(multiple(scaled(c, product(A, less(ts))), s), multiple(minus(product(B, less(tp))), nxs)),
          both(multiple(product(A, less(ts)), sxn), multiple(scaled(-c, product(B, less(tp))), s)),
        )
        const through = (v: Field): Field =>
          crossed.reduce(
            (sum, sheet) =>
              transmittedField(rx.r, against(sheet.normal, rx.r), sum, coefficientsOf(scene, sheet, rx.r, f)),
            v,
          )
        const v = isExit
          ? ofReflected
          : isDirect
            ? both(through(ofReflected), ofIncident)
            : through(both(ofReflected, ofIncident))
        ;[rx.thetaHat, rx.phiHat].forEach((received, to) => {
          const channel = tx === to ? tx : 2 + tx
          const [re, im] = product(component(v, received), factor)
          field[8 * i + 2 * channel] += re
          field[8 * i + 2 * channel + 1] += im
        })
      })
    })
  })
  return contributions
}

const crossReal = (v: Vec3, e: Field): Field => {
  const [re, im] = [0, 1].map((part) => cross(v, e.map((x) => x[part]) as Vec3))
  return [0, 1, 2].map((c): Complex => [re[c], im[c]]) as Field
}

/** s x (s x eta J) + s x M. */
const radiatedField = (s: Vec3, j: Field, m: Field): Field =>
  both(crossReal(s, crossReal(s, j)), crossReal(s, m))

/** F of a target in one aspect at the frequencies of a band. */
export function sbrReference(
  target: Target,
  aspect: Aspect,
  band: Band,
  options: SbrReferenceOptions,
): SbrReference {
  const facets = facetsOf(target, options.smoothAngleDeg)
  const frequencies = Array.from({ length: band.n }, (_, n) => frequency(band, n))
  const scene: Scene = { facets, target, frequencies, maxBounces: options.maxBounces }
  const field = new Float64Array(8 * band.n)
  const d = times(-1, aspect.tx.r)
  const isExit = options.formulation === 'exit'
  let [leaves, contributions] = [0, 0]
  const take = (tube: Tube, level: number): void => {
    const cast = (origin: Vec3): Ray =>
      trace(scene, {
        r: origin,
        d,
        bounces: 0,
        transmissions: 0,
        power: 1,
        psi: dot(d, origin),
        a: tube.a,
        b: tube.b,
        e: frequencies.map(() => [real(aspect.tx.thetaHat), real(aspect.tx.phiHat)]),
      })
    const central = cast(tube.centre)
    const { hits } = central
    const use = (corners?: Vec3[]): void => {
      const count = radiate(scene, aspect, hits, corners, options, field)
      leaves += Number(count > 0)
      contributions += count
    }
    if (level > 0 && level === options.subdivisions) return use()
    const rays = cornersOf(tube).map(cast)
    const alike = rays.every(({ key }) => key === central.key)
    const parallel =
      alike && rays.every((ray) => ray.hits.every((h, i) => areParallel(h.facet, hits[i].facet)))
    if (isExit && !alike) return
    if (!isExit && level < options.subdivisions && !(alike && (parallel || hits.length <= 1)))
      return partsOf(tube).forEach((part) => take(part, level + 1))
    use(alike && !parallel && hits.length === 1 ? rays.map((ray) => ray.hits[0].r) : undefined)
  }
  const side = wavelength(highestFrequency(band)) / options.raysPerWavelength
  for (const tube of apertureTubes(facets, aspect.tx, side)) take(tube, 0)
  return { field, leaves, contributions }
}
