import { add, type Complex, divide, magnitude, multiply, scale, subtract } from '../../../math/complex.js'
import { type Condition, conditionOf, DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'
import { wavenumber } from '../../../scene/index.js'
import { type Material, thicknessOf } from '../../../scene/materials/material.js'
import { slab } from '../../../scene/materials/slab.js'
import type { EdgeScene } from '../../geometry/edge-scene.js'
import { apartSlope, isJoint } from '../edge-field.js'
import { apartFrom } from '../face.js'
import type { Truncation } from '../strip.js'
import { type SecondPole, secondPole } from '../wedge.js'
import { type EdgeMaterials, JUNCTION, WEDGE } from './edge-materials.js'
import { aboveMiddle } from './missing-waves.js'
import type { FaceImpedance } from './skew-face.js'
import { wallDepths } from './wedge-walls.js'

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
const LEAST_SINE = 1e-3

/** Off a matched surface by so much, poles are kept apart. */
const MATCHED = 1e-3
/** Impedances of less or more, over space's, are none. */
const LEAST_RATIO = 1e-7

const out = new Float64Array(8)

/** Incidence from r on the face whose frame (x, y, z along the edge) begins at `at`. */
export function incidenceOn(frames: Float64Array, at: number, r: ArrayLike<number>): FaceIncidence {
  const along = (i: number): number =>
    r[0] * frames[at + i] + r[1] * frames[at + i + 1] + r[2] * frames[at + i + 2]
  const [x, y, z] = [along(0), along(3), along(6)]
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
  const sine = Math.max(incidence.sine, LEAST_SINE)
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
  c = 0.5
  a = 0.5
  closed = true
  readonly pole: SecondPole = { present: false, angle: 0.5, a: 0.5, b: 0.5 }

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
