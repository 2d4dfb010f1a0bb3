import type { Complex } from '../../math/complex.js'
import { EPSILON_0 } from '../band.js'
import { InputError } from '../errors.js'
import { evaluateFormula, type Formula } from '../formula.js'

/** Time factor exp(+jwt): eps = eps' - j eps'', mu = mu' - j mu'', losses >= 0. */
interface Constant {
  /** Relative permittivity and permeability. */
  eps: Complex
  mu: Complex
  /** [S/m]; adds -j sigma / (omega eps0) to eps. */
  conductivity: number
}

/** Samples of a medium, linear in frequency between them. */
interface Samples {
  /** Ascending [Hz]. */
  frequencies: readonly number[]
  /** At each frequency: eps re, eps im, mu re, mu im, conductivity [S/m]. */
  values: readonly (readonly number[])[]
}

/** eps' = a f^b, sigma = c f^d [S/m], f in GHz, from `low` to `high` [GHz]: Recommendation ITU-R P.2040, eqs. (28) and (29). */
export interface Fit {
  a: number
  b: number
  c: number
  d: number
  low: number
  high: number
}

/** infinity + (low - infinity)/(1 + j f/relaxationHz). */
interface Debye {
  infinity: number
  low: number
  relaxationHz: number
}

/** Functions of frequency [Hz]: eps and mu, relative, and the conductivity [S/m]. */
interface Functions {
  functions: { eps: Formula; mu: Formula; conductivity: Formula }
  /** Whether gain is meant. */
  active?: boolean
}

/** Expressions that values of a materials file were written as, by their places in it: a record, which nothing is computed by. */
export type Written = Readonly<Record<string, string>>

/** What a layer or a body is made of: a linear isotropic medium, plain data. */
export type Medium = { name: string; written?: Written } & (
  | Constant
  | Samples
  | Functions
  | { fits: readonly Fit[] }
  /** `conductivity` [S/m]. */
  | { debye: { eps: Debye; mu: Debye }; conductivity?: number }
)

/** [ohm]: constant, samples at ascending frequencies [Hz], linear between them, or a function of frequency [Hz]. */
export type Impedance =
  | Complex
  | { name: string; frequencies: readonly number[]; values: readonly Complex[] }
  | { name: string; formula: Formula }

/** Frequencies so little beyond a range, in parts of it, are its ends: they may have been computed from wavenumbers. */
const SLACK = 1e-9

/** Whether a frequency is within a range, or at an end of it but for rounding. */
const isWithin = (f: number, low: number, high: number): boolean =>
  f >= low * (1 - SLACK) && f <= high * (1 + SLACK)

/** Frequencies that a medium is known at [Hz], as ranges. */
export function rangesOf(medium: Medium): [low: number, high: number][] {
  if ('fits' in medium) return medium.fits.map(({ low, high }) => [low * 1e9, high * 1e9])
  if ('frequencies' in medium) return [[medium.frequencies[0], medium.frequencies.at(-1)!]]
  return [[0, Infinity]]
}

const outside = (medium: Medium, frequencyHz: number): InputError =>
  new InputError(
    `medium "${medium.name}" is given for ${rangesOf(medium)
      .map(([low, high]) => `${low / 1e9} to ${high / 1e9} GHz`)
      .join(
        ' and ',
      )}, not for ${frequencyHz / 1e9} GHz; take other frequencies, or give it as numbers, which are of any frequency`,
  )

/**
 * Writes eps re, eps im, mu re, mu im (relative, imaginary parts <= 0 where the medium is passive) and the conductivity [S/m], which is not
 * part of eps here, into `out`. @throws InputError for a frequency that the medium is not given for
 */
export function propertiesAt(medium: Medium, frequencyHz: number, out: Float64Array): void {
  out[1] = out[3] = out[4] = 0
  out[2] = 1
  if ('fits' in medium) {
    const f = frequencyHz / 1e9
    const fit = medium.fits.find(({ low, high }) => isWithin(f, low, high))
    if (!fit) throw outside(medium, frequencyHz)
    out[0] = fit.a * f ** fit.b
    out[4] = fit.c * f ** fit.d
  } else if ('frequencies' in medium) {
    const { frequencies: f, values } = medium
    if (!isWithin(frequencyHz, f[0], f[f.length - 1])) throw outside(medium, frequencyHz)
    linear(f, values, frequencyHz, out, 5)
  } else if ('functions' in medium) {
    functionsAt(medium, frequencyHz, out)
  } else if ('debye' in medium) {
    debyeAt(medium.debye.eps, frequencyHz, out, 0)
    debyeAt(medium.debye.mu, frequencyHz, out, 2)
    out[4] = medium.conductivity ?? 0
  } else {
    out[0] = medium.eps[0]
    out[1] = medium.eps[1]
    out[2] = medium.mu[0]
    out[3] = medium.mu[1]
    out[4] = medium.conductivity
  }
}

/** As `propertiesAt`, with the conductivity in eps: eps - j sigma / (omega eps0). */
export function mediumAt(medium: Medium, frequencyHz: number, out: Float64Array): void {
  propertiesAt(medium, frequencyHz, out)
  out[1] -= out[4] / (2 * Math.PI * frequencyHz * EPSILON_0)
}

/** Im of eps or mu that is rounding, in parts of it. */
const ROUNDING = 1e-12

function functionsAt(
  { name, functions, active }: Medium & Functions,
  frequencyHz: number,
  out: Float64Array,
): void {
  const refuse = (what: string, instead: string): never => {
    throw new InputError(`medium "${name}": ${what} at ${frequencyHz / 1e9} GHz; ${instead}`)
  }
  const { eps, mu, conductivity } = functions
  for (const [at, key, formula] of [
    [0, 'eps', eps],
    [2, 'mu', mu],
  ] as const) {
    const [re, im] = evaluateFormula(formula, frequencyHz)
    const size = Math.hypot(re, im)
    // 1/x^2 stays within double precision.
    if (!(size > 1e-9 && size < 1e12))
      refuse(
        `${key} is ${size}`,
        'give a function that is finite there, not 0, and real beside or as tan_delta',
      )
    if (!active && im > ROUNDING * size)
      refuse(`the imaginary part of ${key} is ${im}, a gain`, 'losses are negative with exp(+jwt)')
    out[at] = re
    out[at + 1] = active ? im : Math.min(im, 0)
  }
  const [sigma, im] = evaluateFormula(conductivity, frequencyHz)
  if (!Number.isFinite(sigma) || im !== 0 || (sigma < 0 && !active))
    refuse(`the conductivity is ${im === 0 ? sigma : 'complex'}`, 'give a function that is 0 or more')
  out[4] = sigma
}

/** Writes re and im [ohm]. @throws InputError for a frequency that it is not given for */
export function impedanceAt(impedance: Impedance, frequencyHz: number, out: Float64Array): void {
  if ('formula' in impedance) {
    const [re, im] = evaluateFormula(impedance.formula, frequencyHz)
    if (!(re >= 0 && Math.hypot(re, im) > 1e-9 && Math.hypot(re, im) < 1e12))
      throw new InputError(
        `${impedance.name} is ${re} + ${im}j ohm at ${frequencyHz / 1e9} GHz; give a function whose real part is 0 or more, and that is not 0`,
      )
    out[0] = re
    out[1] = im
    return
  }
  if (!('frequencies' in impedance)) {
    out[0] = impedance[0]
    out[1] = impedance[1]
    return
  }
  const { name, frequencies: f, values } = impedance
  if (!isWithin(frequencyHz, f[0], f[f.length - 1]))
    throw new InputError(
      `${name} is given for ${f[0] / 1e9} to ${f[f.length - 1] / 1e9} GHz, not for ${frequencyHz / 1e9} GHz; take other frequencies`,
    )
  linear(f, values, frequencyHz, out, 2)
}

/** Writes the first `count` numbers of samples at ascending frequencies, linear between them. */
function linear(
  f: readonly number[],
  values: readonly (readonly number[])[],
  frequencyHz: number,
  out: Float64Array,
  count: number,
): void {
  let i = 0
  while (i + 2 < f.length && f[i + 1] < frequencyHz) i++
  const next = Math.min(i + 1, f.length - 1)
  const share = next > i ? (frequencyHz - f[i]) / (f[next] - f[i]) : 0
  for (let k = 0; k < count; k++) out[k] = values[i][k] + share * (values[next][k] - values[i][k])
}

function debyeAt(
  { infinity, low, relaxationHz }: Debye,
  frequencyHz: number,
  out: Float64Array,
  at: number,
): void {
  const x = frequencyHz / relaxationHz
  const re = (low - infinity) / (1 + x * x)
  out[at] = infinity + re
  out[at + 1] = -re * x
}

/**
 * Reflection and transmission coefficients over frequency and angle, at the front face (R) and from the front to the back face (T), signs
 * as `slab` has them.
 */
export interface ReflectionTable {
  /** Ascending [Hz]. */
  frequencies: readonly number[]
  /** Angles of incidence from the normal, ascending from 0 [rad]. */
  angles: readonly number[]
  /** 8 numbers (as `slab` writes them) of each angle, of each frequency. */
  values: readonly number[]
}

/** @throws InputError for a frequency outside the table */
export function checkBand(name: string, { frequencies }: ReflectionTable, frequencyHz: number): void {
  const [low, high] = [frequencies[0], frequencies[frequencies.length - 1]]
  if (!isWithin(frequencyHz, low, high))
    throw new InputError(
      `table "${name}" goes from ${low / 1e9} to ${high / 1e9} GHz, not to ${frequencyHz / 1e9} GHz; take other frequencies`,
    )
}

/** Four-point interpolation through samples at ascending x: weights of 4 samples from `first`. */
const weights = new Float64Array(4)

/** Fills `weights` with Lagrange's cubic (of lower order where there are fewer samples) at x; returns the first sample. */
function cubic(at: readonly number[], x: number): number {
  let i = 0
  while (i + 2 < at.length && at[i + 1] < x) i++
  const count = Math.min(4, at.length)
  const first = Math.max(0, Math.min(i - 1, at.length - count))
  weights.fill(0)
  for (let a = 0; a < count; a++) {
    let w = 1
    for (let b = 0; b < count; b++) if (b !== a) w *= (x - at[first + b]) / (at[first + a] - at[first + b])
    weights[a] = w
  }
  return first
}

const alongAngle = new Float64Array(4)

/**
 * Writes the coefficients at a frequency within the table and c = cos of the angle of incidence: real and imaginary parts by cubics in
 * frequency and angle; from the last angle to grazing linear in c to R_s = R_p = -1, T = 0.
 */
export function interpolate(table: ReflectionTable, frequencyHz: number, c: number, out: Float64Array): void {
  const { frequencies, angles, values } = table
  const last = angles[angles.length - 1]
  const angle = Math.acos(Math.min(1, c))
  const firstAngle = cubic(angles, Math.min(angle, last))
  alongAngle.set(weights)
  const firstFrequency = cubic(frequencies, frequencyHz)
  for (let k = 0; k < 8; k++) {
    let sum = 0
    for (let i = 0; i < 4; i++) {
      if (weights[i] === 0) continue
      for (let a = 0; a < 4; a++)
        if (alongAngle[a] !== 0)
          sum +=
            weights[i] *
            alongAngle[a] *
            values[8 * ((firstFrequency + i) * angles.length + firstAngle + a) + k]
    }
    out[k] = sum
  }
  if (angle <= last) return
  const share = c / Math.cos(last)
  for (let k = 0; k < 8; k++) out[k] = share * out[k] - (k === 0 || k === 2 ? 1 - share : 0)
}
