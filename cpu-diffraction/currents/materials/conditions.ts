import { add, type Complex, divide, magnitude, multiply, scale, subtract } from '../../../math/complex.js'
import { type Condition, conditionOf, DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'
import { type Aspect, wavenumber } from '../../../scene/index.js'
import { type Material, thicknessOf } from '../../../scene/materials/material.js'
import { slab } from '../../../scene/materials/slab.js'
import { along, type EdgeScene } from '../../geometry/edge-scene.js'
import { apartSlope, isJoint } from '../edge-field.js'
import { apartFrom } from '../face.js'
import type { Truncation } from '../strip.js'
import { type SecondPole, secondPole } from '../wedge.js'
import { type EdgeMaterials, JUNCTION, WEDGE } from './edge-materials.js'
import { aboveMiddle } from './missing-waves.js'
import type { FaceImpedance } from './skew-face.js'
import { isLit } from '../../light/segments.js'
import { wallDepths } from './walls.js'

/** Conditions of a face for E_z and H_z along the edge; two of each for a sheet: that of du/dn's jump and that of u's. */
export interface FaceConditions {
  E: Condition
  H: Condition
  /** Of the jumps of u, where waves pass through. */
  jumpE: Condition
  jumpH: Condition
}

/** Incidence on a face as its conditions depend on it. */
export interface FaceIncidence {
  /** Components of the direction across the plane of incidence: along x and z. */
  s: [x: number, z: number]
  /** |sin| of the angle to the face in the plane across the edge. */
  sine: number
  /** Sine of the angle between incidence and the edge: times `sine` the cosine of the angle of incidence. */
  sinBeta: number
  /** Square of the cosine of the angle between the edge and the direction across the plane of incidence. */
  across: number
}

/** Of a face that is not lit: 45 degrees, across the edge. */
export const DARK: FaceIncidence = { s: [0, 1], sine: Math.SQRT1_2, sinBeta: 1, across: 1 }

/** Least sine that conditions are taken at: both terms of their ratio vanish at grazing incidence. */
const LEAST_SINE_OF_RATIO = 1e-3

/** Off a matched surface by so much, poles are kept apart. */
const MATCHED = 1e-3
/** Impedances of less or more, over space's, are none. */
const LEAST_RATIO = 1e-7

const out = new Float64Array(8)

/** Incidence from r on the face whose frame (x, y, z along the edge) begins at `at`. */
export function incidenceOn(frames: Float64Array, at: number, r: ArrayLike<number>): FaceIncidence {
  const [x, y, z] = [0, 3, 6].map((i) => along(frames, at + i, r))
  const inPlane = x * x + z * z
  const sinBeta = Math.hypot(x, y)
  const size = Math.sqrt(inPlane)
  return {
    s: inPlane > 1e-24 ? [-z / size, x / size] : [0, 1],
    sine: Math.abs(y) / sinBeta,
    sinBeta,
    // Straight on, every direction is across.
    across: inPlane > 1e-24 ? (x * x) / inPlane : 1,
  }
}

/**
 * Sets the conditions of a face: the impedances that give its slab coefficients at this incidence. Those of E_z and H_z are the diagonal
 * elements, along the edge, of the facet's reflection; at oblique incidence the others are left out.
 *
 * @param back     the face is the facet's back
 * @param toMetal  at the metal under a coating, where its facets are the outer face, and at an opaque sheet's face
 * @param isWedge  at a wedge's walls (`wallDepths`)
 */
export function faceConditions(
  material: Material,
  frequencyHz: number,
  incidence: FaceIncidence,
  back: boolean,
  toMetal: boolean,
  isWedge = false,
): FaceConditions {
  const sine = Math.max(incidence.sine, LEAST_SINE_OF_RATIO)
  const cosine = Math.min(1, sine * incidence.sinBeta)
  slab(material, frequencyHz, cosine, out, back)
  const depth = toMetal ? coverOf(material, back) - aboveMiddle(material, frequencyHz) : 0
  const [phaseE, phaseH] = (isWedge ? wallDepths(material, frequencyHz, back) : [depth, depth]).map(
    (d): Complex => {
      const shift = 2 * wavenumber(frequencyHz) * cosine * d
      return [Math.cos(shift), Math.sin(shift)]
    },
  )
  const { across } = incidence
  const mixed = (s: number, p: number, sign: number): Complex => [
    across * out[s] + sign * (1 - across) * out[p],
    across * out[s + 1] + sign * (1 - across) * out[p + 1],
  ]
  const RE = multiply(phaseE, mixed(0, 2, -1))
  const RH = multiply(phaseH, mixed(2, 0, -1))
  const TE = mixed(4, 6, 1)
  const TH = mixed(6, 4, 1)
  return {
    E: ofCurrent(sine, RE, TE),
    H: ofCurrent(sine, RH, TH),
    jumpE: ofCurrent(sine, RE, scale(-1, TE)),
    jumpH: ofCurrent(sine, RH, scale(-1, TH)),
  }
}

/**
 * The impedance of a face that has the conditions of waves with E, and with H, across the plane of incidence: Z_s between E and n x H in that
 * direction, Z_p at right angles to it. Null of a perfect conductor.
 */
export function impedanceOf(
  { E, H }: FaceConditions,
  { s: [x, z], sinBeta }: FaceIncidence,
): FaceImpedance | null {
  if (E === DIRICHLET && H === NEUMANN) return null
  const finite = ({ s, d }: Condition): Condition => {
    const [a, b] = [magnitude(s), magnitude(d)]
    // Of a conductor, or of none.
    if (a < LEAST_RATIO * b) return { s: [LEAST_RATIO, 0], d: [1, 0], theta: null }
    return b < LEAST_RATIO * a ? { s: [1, 0], d: [LEAST_RATIO, 0], theta: null } : { s, d, theta: null }
  }
  const [e, h] = [finite(E), finite(H)]
  let [Zs, Zp] = [scale(1 / sinBeta, divide(e.d, e.s)), scale(sinBeta, divide(h.s, h.d))]
  // Matched surfaces guide two waves alike: double poles.
  if (magnitude(subtract(multiply(Zs, Zp), [1, 0])) < MATCHED)
    [Zs, Zp] = [Zs, Zp].map((Z) => scale(1 + MATCHED, Z))
  return {
    xx: add(scale(x * x, Zs), scale(z * z, Zp)),
    xz: scale(x * z, subtract(Zs, Zp)),
    zz: add(scale(z * z, Zs), scale(x * x, Zp)),
  }
}

/** du/dn over jk times the mean u: sine (1 - R - T)/(1 + R + T). */
const ofCurrent = (sine: number, R: Complex, T: Complex): Condition => {
  const sum = add(R, T)
  return conditionOf(scale(sine, subtract([1, 0], sum)), add([1, 0], sum))
}

/** Thickness of what covers the metal of a face whose facet is the outer face [m]; 0 where there is no such metal. */
export const coverOf = (material: Material, back: boolean): number =>
  material.kind === 'opaque' &&
  'stack' in material &&
  material.backing === 'conductor' &&
  material.facet === 'outer' &&
  !(back && material.sides === 'front')
    ? thicknessOf(material)
    : 0

export const allOf = ({ E, H, jumpE, jumpH }: FaceConditions): Condition[] => [E, H, jumpE, jumpH]

/** Marks conditions of which what is computed is kept. */
const fixed = (conditions: FaceConditions): FaceConditions => {
  for (const condition of allOf(conditions)) if (condition.theta) condition.isFixed = true
  return conditions
}

/** Conditions of the faces of a scene's edges at the nodes of a band. */
export class EdgeConditions {
  /** Conditions of faces that are not lit, by material, side and place, and node. */
  private readonly dark: FaceConditions[][] = []

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
    private readonly frequencies: Float64Array,
  ) {}

  /** Of face i of edge e at node p. @param across  for waves with E, and with H, across the plane of incidence */
  at(e: number, i: number, incidence: FaceIncidence, p: number, across = false): FaceConditions {
    const { frequencies } = this
    if (incidence !== DARK)
      return this.of(e, i, across ? { ...incidence, across: 1 } : incidence, frequencies[p])
    const { scene, materials } = this
    const isBack = scene.sides[2 * e + i] < 0
    const toMetal = materials.kind[e] !== JUNCTION
    const number = materials.of[2 * e + i]
    const key = 8 * number + (isBack ? 4 : 0) + (this.isWedge(e) ? 2 : 0) + (toMetal ? 1 : 0)
    this.dark[key] ??= Array.from(frequencies, (frequency) => fixed(this.of(e, i, DARK, frequency)))
    return this.dark[key][p]
  }

  /** Impedance of face i of edge e at a frequency; null: it conducts perfectly. */
  impedance(e: number, i: number, incidence: FaceIncidence, frequency: number): FaceImpedance | null {
    return impedanceOf(this.of(e, i, { ...incidence, across: 1 }, frequency), incidence)
  }

  /** Of face i of edge e under incidence in the light, at a frequency. */
  of(e: number, i: number, incidence: FaceIncidence, frequency: number): FaceConditions {
    const { scene, materials } = this
    return faceConditions(
      materials.list[materials.of[2 * e + i]],
      frequency,
      incidence,
      scene.sides[2 * e + i] < 0,
      materials.kind[e] !== JUNCTION,
      this.isWedge(e),
    )
  }

  /** Whether an edge is a bend between two facets with walls of its own (`wallDepths`). */
  private isWedge(e: number): boolean {
    const { scene, materials } = this
    return materials.kind[e] === WEDGE && scene.faces[2 * e] !== scene.faces[2 * e + 1]
  }

  /** Of a face, by node. */
  ofFace(e: number, i: number, incidence: FaceIncidence): FaceConditions[] {
    return Array.from(this.frequencies, (_, p) => this.at(e, i, incidence, p))
  }
}

/**
 * Where a conductor's strips are displaced to keep their digits (`EdgeFace`, `EdgeField`), by some 1e-5: backscatter of right angles and
 * forward scattering; and where they are added by the midpoints of segments, off by up to 5e-4. So are those of other materials, whose
 * limit is the conductor's field.
 */
export class AsConductors {
  /** Displaced |s - u|/(2 sin beta0), and its argument a. */
  c = NaN
  a = NaN
  closed = true
  readonly pole: SecondPole = { present: false, angle: NaN, a: NaN, b: NaN }

  constructor(readonly truncation: Truncation) {}

  /** Sets c. @param N,phi0  see `MaterialFace` */
  aim(N: number, phi0: number, c: number): void {
    const { truncation, pole } = this
    this.a = Math.abs(Math.cos(phi0 / 2))
    this.closed = truncation !== 'tw-ildc' || Math.abs(N - 2) < 1e-9
    secondPole(N, phi0, pole)
    this.c = truncation === 'eec' ? c : apartFrom(this, c)
  }

  /** Whether strips of a largest L are added by segments. */
  isCut(L: number): boolean {
    return this.truncation !== 'eec' && isJoint(this.c, L) && isJoint(this.a, L)
  }

  /**
   * The slope of the phase path of the strips' ends, displaced.
   *
   * @param sin    sin(beta0)
   * @param slope  of the strips' length
   */
  displaced(phase: number, sin: number, slope: number): number {
    return apartSlope(this, phase, 2 * sin * sin * slope)
  }
}

/** Least size of mu + cos(phi0) that is divided by. */
const LEAST_POLE = 1e-6
/** Least sin(phi0): at grazing incidence both terms of a conductor's currents vanish. */
const LEAST_SINE0 = 1e-7

/**
 * A face between transmitter and receiver. Impedances of layers depend on the angle, and a field of edges is reciprocal if both ends have
 * the same ones: those at the mean of the sines of both. Physical optics has those of the transmitter, and ends at the edge of the facets.
 */
export interface FacePath {
  /** As physical optics takes the face. */
  incidence: FaceIncidence
  /** As the edge takes it. */
  mean: FaceIncidence
  /** sin(phi0), and sin(phi) of the receiver: negative behind the face. */
  sine0: number
  sine: number
  /** mu + cos(phi0), the pole of physical optics. */
  pole: number
}

/**
 * The path over the face whose frame begins at `at`. On Keller's cone sin^2 phi = sin^2 phi0 + (cos phi0 - cos phi) (mu + cos phi0); beside it
 * this has both ends alike in backscatter and where physical optics has its pole.
 *
 * @param lit  from the transmitter
 * @param through  seen from both sides, as a sheet: never dark
 */
export function pathOver(
  frames: Float64Array,
  at: number,
  { tx, rx }: Aspect,
  lit: boolean,
  through: boolean,
): FacePath {
  const from = incidenceOn(frames, at, tx.r)
  const { sinBeta } = from
  const sine0 = Math.max(from.sine, LEAST_SINE0)
  const [x, y, z] = [0, 3, 6].map((i) => along(frames, at + i, rx.r))
  const [x0, z0] = [along(frames, at, tx.r), along(frames, at + 6, tx.r)]
  // |s - u|^2, u the direction of the strips.
  const square = (x - sinBeta) ** 2 + y * y + (z + z0) ** 2
  let pole = 1 - square / (2 * sinBeta * sinBeta) + x0 / sinBeta
  if (Math.abs(pole) < LEAST_POLE) pole = pole < 0 ? -LEAST_POLE : LEAST_POLE
  const change = ((x0 - x) / sinBeta) * pole
  const size = change === 0 ? sine0 : Math.sqrt(Math.min(1, Math.max(0, sine0 * sine0 + change)))
  const sine = y < 0 ? -size : size
  const isDark = !through && !lit
  const incidence = isDark ? DARK : from
  if (isDark && !isLit(frames, at, rx.r)) return { incidence, mean: DARK, sine0, sine, pole }
  if (size === sine0) return { incidence, mean: from, sine0, sine, pole }
  const middle = (sine0 + size) / 2
  const inPlane = (1 - middle * middle) * sinBeta * sinBeta
  const across = z0 === 0 ? 1 : inPlane / (inPlane + z0 * z0)
  return { incidence, mean: { ...from, sine: middle, across }, sine0, sine, pole }
}

/** Of waves with E and with H along the edge. */
export type Gap = [E: Complex, H: Complex]

/**
 * What the physical optics taken off a face's edge is beyond that of the rays, a current along the edge: with
 * S = sin phi0 (1 - R - T) and D = 1 + R - T the difference of S - D sin(phi), over mu + cos(phi0) (decision 023).
 *
 * @param edge,rays  conditions with which both are taken
 * @param cover      k sin(beta0) times the thickness between the facet and the plane of the conditions
 */
export function opticsGap(path: FacePath, edge: FaceConditions, rays: FaceConditions, cover: number): Gap {
  const { sine0, sine, pole } = path
  const of = ({ s, d }: Condition, part: Complex): Complex =>
    divide(scale(2 * sine0, part), add(s, scale(sine0, d)))
  const seen = (S: Complex, D: Complex): Complex => subtract(S, scale(sine, D))
  return (['E', 'H'] as const).map((u): Complex => {
    const [normal, jump] = u === 'E' ? (['E', 'jumpE'] as const) : (['H', 'jumpH'] as const)
    const mine = seen(of(edge[normal], edge[normal].s), of(edge[jump], edge[jump].d))
    const D = of(rays[jump], rays[jump].d)
    if (cover === 0) return scale(1 / pole, subtract(mine, seen(of(rays[normal], rays[normal].s), D)))
    // R at the facet, whose edge is in front of that of the conditions.
    const R = multiply([D[0] - 1, D[1]], turned(-2 * cover * sine0))
    const ends = seen([sine0 * (1 - R[0]), -sine0 * R[1]], [1 + R[0], R[1]])
    return scale(1 / pole, subtract(mine, multiply(ends, turned(cover * (sine0 + sine)))))
  }) as Gap
}

const turned = (phase: number): Complex => [Math.cos(phase), Math.sin(phase)]
