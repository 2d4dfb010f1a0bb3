import { C0, Z0 } from '../band.js'
import { type Backing, type Layer, type Material, type ShuntSheet, thicknessOf } from './material.js'
import { checkBand, impedanceAt, interpolate, mediumAt } from './medium.js'

/** Smallest cosine: 0 itself would leave 0/0. */
const LEAST_COSINE = 1e-100

/** Properties of the medium that was entered (`mediumAt`); its normal wavenumber over k0, squared and itself. */
const medium = new Float64Array(5)
const qSqr = new Float64Array(2)
const q = new Float64Array(2)
/** Tangential E, and H times 377 ohm, at the plane reached: re and im of each, for TE (s) and TM (p). */
const te = new Float64Array(4)
const tm = new Float64Array(4)
/** An impedance [ohm]. */
const ohm = new Float64Array(2)
/** Of a layer: (1 + E^2)/2, and (1 - E^2)/2 times what makes E of H, and H of E. */
const even = new Float64Array(2)
const toE = new Float64Array(2)
const toH = new Float64Array(2)
/** Product of the layers' E. */
const through = new Float64Array(2)

/**
 * Writes the coefficients of a surface, lit from its front or its back, referred to its facet: re and im of R_s, R_p, T_s, T_p.
 * s: E along d x n (n turned against d); p: E along d x s, after a reflection d_r x s. A conductor has R_s = -1, R_p = +1: R_p is the
 * ratio of H. Time factor exp(+jwt). Opaque materials have T = 0.
 * - Coefficients of a sheet refer to its middle plane: those of its faces times exp(+j k0 c D).
 * - Those of a coating with `facet: 'metal'` refer to the metal, for specular rays: times exp(+2j k0 c D).
 *
 * Tangential fields are followed from the back to the front, times E = exp(-j k0 q d) of each layer, whose size is at most 1: thick lossy
 * layers stay in range. These are the chain matrices of P. Yeh, Optical waves in layered media, Wiley 1988, written without 1/q.
 *
 * @param c    cosine of the angle of incidence in air, 0 to 1
 * @param out  8 numbers
 * @throws InputError for a frequency that a medium or a table is not given for
 */
export function slab(
  material: Material,
  frequencyHz: number,
  c: number,
  out: Float64Array,
  back = false,
): void {
  out.fill(0)
  if (material.kind === 'conductor' || (back && 'sides' in material && material.sides === 'front')) {
    out[0] = -1
    out[2] = 1
    return
  }
  const k0 = (2 * Math.PI * frequencyHz) / C0
  if ('table' in material) {
    checkBand(material.name, material.table, frequencyHz)
    interpolate(material.table, frequencyHz, c, out)
  } else {
    const cosine = Math.max(c, LEAST_COSINE)
    const isOpaque = material.kind === 'opaque'
    begin(isOpaque ? material.backing : 'air', frequencyHz, cosine)
    const { stack } = material
    // The stack of a sheet is seen in reverse from its back; opaque ones look alike from both sides.
    const reversed = back && !isOpaque
    for (let i = 0; i < stack.length; i++)
      pass(stack[reversed ? i : stack.length - 1 - i], frequencyHz, k0, cosine)
    toCoefficients(cosine, isOpaque, out)
  }
  if (material.kind === 'sheet') shiftPhase(out, 8, k0 * c * thicknessOf(material))
  else if ('facet' in material && material.facet === 'metal')
    shiftPhase(out, 4, 2 * k0 * c * thicknessOf(material))
}

/** The larger |R|^2 (`at` 0) or |T|^2 (4) of what `slab` writes: the part of a wave's power that goes on, at the most. */
export const greatestPower = (coefficients: Float64Array, at: number): number =>
  Math.max(
    coefficients[at] ** 2 + coefficients[at + 1] ** 2,
    coefficients[at + 2] ** 2 + coefficients[at + 3] ** 2,
  )

/**
 * Writes R_s and R_p, re and im, of a half-space of complex relative permittivity eps, as `slab` does: Fresnel's coefficients
 * (Recommendation ITU-R P.2040, eqs. (31) and (32)).
 */
export function halfSpace(epsRe: number, epsIm: number, c: number, out: Float64Array): void {
  medium[0] = epsRe
  medium[1] = epsIm
  medium[2] = 1
  medium[3] = 0
  setWavenumber(c)
  beginInMedium()
  toCoefficients(c, true, out)
}

/** Fields at the back. */
function begin(backing: Backing | 'air', frequencyHz: number, c: number): void {
  through[0] = 1
  through[1] = 0
  te.fill(0)
  tm.fill(0)
  if (backing === 'air') {
    te[0] = tm[2] = 1
    te[2] = tm[0] = c
  } else if (backing === 'conductor') te[2] = tm[2] = 1
  else if ('impedance' in backing) {
    te[2] = tm[2] = 1
    impedanceAt(backing.impedance, frequencyHz, ohm)
    for (let i = 0; i < 2; i++) te[i] = tm[i] = ohm[i] / Z0
  } else {
    mediumAt(backing, frequencyHz, medium)
    setWavenumber(c)
    beginInMedium()
  }
}

/** Fields of a wave that goes on into the medium and does not come back. */
function beginInMedium(): void {
  for (let i = 0; i < 2; i++) {
    te[i] = medium[2 + i]
    te[2 + i] = tm[i] = q[i]
    tm[2 + i] = medium[i]
  }
}

/** q = sqrt(eps mu - 1 + c^2) of the medium, with Im q <= 0, Re q > 0 where it is real. */
function setWavenumber(c: number): void {
  const re = medium[0] * medium[2] - medium[1] * medium[3] - 1 + c * c
  const im = medium[0] * medium[3] + medium[1] * medium[2]
  qSqr[0] = re
  qSqr[1] = im
  const modulus = Math.sqrt(re * re + im * im)
  // Of the two parts the larger one is computed without cancellation.
  const larger = Math.sqrt((modulus + Math.abs(re)) / 2)
  const smaller = larger > 0 ? Math.abs(im) / (2 * larger) : 0
  const real = re > 0 ? larger : smaller
  q[0] = im > 0 ? -real : real
  q[1] = re > 0 ? -smaller : -larger
}

/** Takes the fields from the back of a layer or sheet to its front. */
function pass(item: Layer | ShuntSheet, frequencyHz: number, k0: number, c: number): void {
  if ('impedance' in item) {
    impedanceAt(item.impedance, frequencyHz, ohm)
    const re = ohm[0]
    const im = ohm[1]
    const size = (re * re + im * im) / Z0
    addProduct(te, re / size, -im / size)
    addProduct(tm, re / size, -im / size)
    return
  }
  mediumAt(item.medium, frequencyHz, medium)
  setWavenumber(c)
  const er = medium[0]
  const ei = medium[1]
  const mr = medium[2]
  const mi = medium[3]
  const kd = k0 * item.thickness
  const a = kd * q[0]
  const b = kd * q[1]
  // E and E^2.
  const size = Math.exp(b)
  const re = size * Math.cos(a)
  const im = -size * Math.sin(a)
  const sqrRe = re * re - im * im
  const sqrIm = 2 * re * im
  // (1 - E^2)/2 = j E sin(k0 q d), over q.
  let sineRe = (1 - sqrRe) / 2
  let sineIm = -sqrIm / 2
  if (Math.abs(a) - b < 0.5) {
    const sr = Math.sin(a) * Math.cosh(b)
    const si = Math.cos(a) * Math.sinh(b)
    sineRe = -(re * si + im * sr)
    sineIm = re * sr - im * si
  }
  const qq = q[0] * q[0] + q[1] * q[1]
  const oddRe = qq > 0 ? (sineRe * q[0] + sineIm * q[1]) / qq : 0
  const oddIm = qq > 0 ? (sineIm * q[0] - sineRe * q[1]) / qq : kd
  const qOddRe = qSqr[0] * oddRe - qSqr[1] * oddIm
  const qOddIm = qSqr[0] * oddIm + qSqr[1] * oddRe
  const mm = mr * mr + mi * mi
  const ee = er * er + ei * ei
  even[0] = (1 + sqrRe) / 2
  even[1] = sqrIm / 2
  toE[0] = mr * oddRe - mi * oddIm
  toE[1] = mr * oddIm + mi * oddRe
  toH[0] = (qOddRe * mr + qOddIm * mi) / mm
  toH[1] = (qOddIm * mr - qOddRe * mi) / mm
  advance(te, even, toE, toH)
  toE[0] = (qOddRe * er + qOddIm * ei) / ee
  toE[1] = (qOddIm * er - qOddRe * ei) / ee
  toH[0] = er * oddRe - ei * oddIm
  toH[1] = er * oddIm + ei * oddRe
  advance(tm, even, toE, toH)
  const before = through[0]
  through[0] = before * re - through[1] * im
  through[1] = before * im + through[1] * re
}

/** H grows by E times an admittance: a sheet without thickness. */
function addProduct(field: Float64Array, yRe: number, yIm: number): void {
  field[2] += field[0] * yRe - field[1] * yIm
  field[3] += field[0] * yIm + field[1] * yRe
}

/** E' = C E + X H, H' = C H + Y E. */
function advance(field: Float64Array, c: Float64Array, x: Float64Array, y: Float64Array): void {
  const cRe = c[0]
  const cIm = c[1]
  const xRe = x[0]
  const xIm = x[1]
  const yRe = y[0]
  const yIm = y[1]
  const er = field[0]
  const ei = field[1]
  const hr = field[2]
  const hi = field[3]
  field[0] = cRe * er - cIm * ei + xRe * hr - xIm * hi
  field[1] = cRe * ei + cIm * er + xRe * hi + xIm * hr
  field[2] = cRe * hr - cIm * hi + yRe * er - yIm * ei
  field[3] = cRe * hi + cIm * hr + yRe * ei + yIm * er
}

/** Of the fields at the front: R_s = (c E - H)/(c E + H) of TE, R_p = (c H - E)/(c H + E) of TM. */
function toCoefficients(c: number, isOpaque: boolean, out: Float64Array): void {
  ratio(te, c, isOpaque, out, 0)
  ratio(tm, c, isOpaque, out, 2)
}

/** Writes R = (c A - B)/(c A + B) and T = 2 c through/(c A + B) at 0, of A = E and B = H, or at 2, of A = H and B = E. */
function ratio(field: Float64Array, c: number, isOpaque: boolean, out: Float64Array, at: 0 | 2): void {
  const a = at
  const b = 2 - at
  const ar = c * field[a]
  const ai = c * field[a + 1]
  const br = field[b]
  const bi = field[b + 1]
  const nr = ar - br
  const ni = ai - bi
  const dr = ar + br
  const di = ai + bi
  const size = dr * dr + di * di
  out[at] = (nr * dr + ni * di) / size
  out[at + 1] = (ni * dr - nr * di) / size
  if (isOpaque) return
  out[4 + at] = (2 * c * (through[0] * dr + through[1] * di)) / size
  out[5 + at] = (2 * c * (through[1] * dr - through[0] * di)) / size
}

/** Multiplies the first `count` / 2 complex numbers by exp(+j angle). */
function shiftPhase(out: Float64Array, count: number, angle: number): void {
  if (angle === 0) return
  const re = Math.cos(angle)
  const im = Math.sin(angle)
  for (let i = 0; i < count; i += 2) {
    const x = out[i]
    out[i] = x * re - out[i + 1] * im
    out[i + 1] = x * im + out[i + 1] * re
  }
}
