import { add, type Complex, magnitude } from '../../../math/complex.js'
import { wavenumber } from '../../../scene/index.js'
import { type Material, type Stack, thicknessOf } from '../../../scene/materials/material.js'
import { mediumAt } from '../../../scene/materials/medium.js'
import { slab } from '../../../scene/materials/slab.js'
import { fading } from './amplitudes.js'
import type { Condition } from '../../../math/maliuzhinets.js'
import type { SurfaceSpectrum } from './surface-spectrum.js'

/*
 * What the first order leaves out, and how much of a field counts beside it (docs/materials.md, "Edges").
 */

/** A guided wave turned back by this part at which half of the field counts (decision 024). */
const TURNED_BACK = 0.05
/** E along a sheet's faces, over the incident one, at which half of what its end would scatter in that is left (`endFace`). */
const SHORTED = 0.1
/** T of a sheet straight on at which half of its bends' field counts. */
const OPEN = 0.1
/** sin(beta0) at which half of a coupled wedge's field counts. */
const END_ON = 0.27
/** Error at which half of a wedge's field counts (`skewShare`). */
const SKEW = 0.55

/** Phase across a coating [rad] and P of its corner at which half of E along a wedge counts (`cornerShare`). */
const CORNER_PHASE = 1.35
const CORNER = 0.14
/** Most that a wedge's angle adds to it. */
const SHARPEST = 10

/** How much counts of fields on a face whose strip has a length of kL: little where a guided wave comes back from its end. */
const guidedShare = (spectrum: SurfaceSpectrum, kL: number): number =>
  fading(spectrum.turnedBack(kL) / TURNED_BACK)

/**
 * What the end face of a rim may scatter of H along it, for which the half-plane has no charge there: P (F = (j/pi) P per length) of a
 * cylinder of section A, k^2 A |eps - 1|/4 (Rayleigh), A as wide as the layers of a sheet are thick and half as deep, or the circle about the square
 * end of the coatings of both sides of metal, which face each other. E along the rim is continuous through it. A coating of one side ends on
 * metal, which short-circuits it. So does a sheet that conducts well itself: with the field in a thin one, 2z of the incident one where its
 * resistance is z, P becomes kD/4 of a thickness D, and stays so where no wave passes.
 */
export function endFace(material: Material, frequencyHz: number): number {
  if (material.kind === 'conductor' || !('stack' in material)) return 0
  const isSheet = material.kind === 'sheet'
  if (!isSheet && material.sides === 'front') return 0
  let sum = 0
  forEachLayer(
    material.stack,
    frequencyHz,
    (thickness, [re, im]) => (sum += Math.hypot(re - 1, im) * thickness),
  )
  const k = wavenumber(frequencyHz)
  const P = (isSheet ? 0.5 : 2 * Math.PI) * ((k * k * thicknessOf(material) * sum) / 4)
  if (!isSheet) return P
  const open = 1 - fading(fieldAtFaces(material, frequencyHz) / SHORTED)
  return open * P + (1 - open) * 0.25 * k * thicknessOf(material)
}

/** Hands over the thickness [m] of layers, and the medium as of `mediumAt`; resistive films have neither. */
export function forEachLayer(
  stack: Stack,
  frequencyHz: number,
  take: (thickness: number, medium: Float64Array) => void,
): void {
  for (const item of stack) {
    if ('impedance' in item) continue
    mediumAt(item.medium, frequencyHz, medium)
    take(item.thickness, medium)
  }
}

const medium = new Float64Array(5)
const coefficients = new Float64Array(8)

/**
 * How much counts of edges that an opaque sheet has as a conductor does, where it bends or meets bodies: all of it where no wave passes
 * through, half where a tenth of E does. 1 of what is no sheet.
 */
export function shutShare(material: Material, frequencyHz: number): number {
  if (material.kind !== 'sheet') return 1
  slab(material, frequencyHz, 1, coefficients)
  return fading(Math.hypot(coefficients[4], coefficients[5]) / OPEN)
}

/** How far the face of an opaque sheet, a conductor with two sides, is above its facets, the middle plane [m]; 0 of what waves pass through. */
export const aboveMiddle = (material: Material, frequencyHz: number): number =>
  material.kind === 'sheet' ? 0.5 * thicknessOf(material) * shutShare(material, frequencyHz) : 0

/** The larger |E| along both faces of a sheet straight on, over that of the incident wave: 1 + R. */
function fieldAtFaces(material: Material, frequencyHz: number): number {
  const turn = wavenumber(frequencyHz) * thicknessOf(material)
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const sizes = [false, true].map((back) => {
    slab(material, frequencyHz, 1, coefficients, back)
    // R refers to the middle plane.
    return Math.hypot(cos + coefficients[0], sin + coefficients[1])
  })
  return Math.max(...sizes)
}

/**
 * How much of E along a coated wedge counts, whose walls lie at the metal (`wallDepths`): little where the layers over both faces, a square at a
 * right angle, scatter as much beside. That is found to grow (decision 022) like P of `endFace` of this section times the fourth power of the
 * phase across the layers: E vanishes at metal close by. H, which does not, has a wall elsewhere.
 *
 * @param N  exterior angle over pi
 */
export function cornerShare(material: Material, frequencyHz: number, N: number): number {
  if (material.kind !== 'opaque' || !('stack' in material) || material.backing !== 'conductor') return 1
  const k = wavenumber(frequencyHz)
  let [sum, phase] = [0, 0]
  forEachLayer(material.stack, frequencyHz, (thickness, [eps, epsIm, mu, muIm]) => {
    phase += k * thickness * Math.sqrt(Math.hypot(eps, epsIm) * Math.hypot(mu, muIm))
    sum += (Math.hypot(eps - 1, epsIm) + Math.hypot(mu - 1, muIm)) * thickness
  })
  const shape = Math.min(Math.max(0, Math.tan(((N - 1) * Math.PI) / 2)), SHARPEST)
  const P = (shape * (phase / CORNER_PHASE) ** 4 * k * k * thicknessOf(material) * sum) / 4
  return fading(P / CORNER)
}

/** P of a spectrum's jump of du/dn, and of that of u. */
const normalP = ({ face }: SurfaceSpectrum, G: Complex): number => (magnitude(face.s) * magnitude(G)) / 4
// Seen obliquely, mu may be beyond -1.
const jumpP = ({ face }: SurfaceSpectrum, G: Complex, mu: number): number =>
  (Math.sqrt(Math.abs(1 - mu * mu)) * magnitude(face.d) * magnitude(G)) / 4

/**
 * How much counts of the field of a sheet's rim, or of one face of a wedge or of an opaque rim, of E or of H along it.
 *
 * @param normal,jump  with a jump of du/dn and of u; of a face the same
 * @param mu        of observation
 * @param kL        of the longest strip
 * @param end       of `endFace`; of E 0
 */
export function fieldShare(
  normal: SurfaceSpectrum,
  jump: SurfaceSpectrum,
  mu: number,
  kL: number,
  end: number,
): number {
  const guided = Math.min(guidedShare(normal, kL), guidedShare(jump, kL))
  if (end === 0) return guided
  return guided * fading(end / (normalP(normal, normal.fringe(mu)) + jumpP(jump, jump.fringe(mu), mu)))
}

/**
 * How much counts of a wedge's field under oblique incidence, where the parts of E_z and H_z are taken as independent: all of it for a
 * conductor, and nothing where it would be off by as much as it is. Fitted to the exact fields of rims (decision 020): the error is about
 * |1 - R^2| cot(beta0) of the field, R of the faces at normal incidence.
 *
 * @param cotangent  |cot(beta0)|
 */
export const skewShare = (conditions: readonly Condition[], cotangent: number): number =>
  fading((mixing(conditions) * cotangent) / SKEW)

/**
 * How much counts of a coupled wedge's field near end-on incidence, where its equations lose their digits like 1/sin(beta0)^2 (decision 021): half
 * at 15.7 degrees from the edge.
 */
export const endOnShare = (sinBeta0: number): number => fading((END_ON / sinBeta0) ** 2)

/** The largest |1 - R^2| of faces at normal incidence. */
export const mixing = (conditions: readonly Condition[]): number =>
  Math.max(
    ...conditions.map(({ s, d }) => {
      const sum = add(s, d)
      return (4 * magnitude(s) * magnitude(d)) / (sum[0] * sum[0] + sum[1] * sum[1])
    }),
  )

/** The vectors of both polarisations of waves whose E have the `electric` components along x, y, z: shares of what has E, and H, along the edge. */
export function weighed(
  pair: readonly Float64Array[],
  electric: readonly Float64Array[],
  [E, H]: number[],
): Float64Array[] {
  const [c0, c1] = [electric[0][2], electric[1][2]]
  const scale = (E - H) / Math.max(c0 * c0 + c1 * c1, 1e-18)
  return pair.map((v, t) =>
    v.map((x, i) => H * x + scale * (t === 0 ? c0 : c1) * (c0 * pair[0][i] + c1 * pair[1][i])),
  )
}
