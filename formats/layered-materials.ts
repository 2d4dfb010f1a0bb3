import { InputError } from '../scene/index.js'
import {
  type Impedance,
  type Layer,
  type Material,
  type Medium,
  mediumNamed,
  type ShuntSheet,
} from '../scene/materials/index.js'
import { LEAST, mediumOf } from './described-json.js'
import type { Formula } from '../scene/formula.js'
import type { ComplexGiven, LayeredGiven, LayeredMediumGiven, LayerGiven } from './materials-schema.js'

type Unnamed = Material extends infer M ? (M extends Material ? Omit<M, 'name'> : never) : never

/**
 * A material of layers or of one impedance. @param at  its key, begins messages
 * @throws InputError for gain, lists that do not match, frequencies that do not overlap, and sheets of 0 ohm
 */
export function layeredMaterial(
  given: LayeredGiven,
  at: string,
  media: ReadonlyMap<string, Medium>,
): Unnamed {
  if ('surface_impedance_ohm' in given) {
    const impedance = impedanceOf(given.surface_impedance_ohm, `${at}.surface_impedance_ohm`)
    return { kind: 'opaque', stack: [], backing: { impedance }, facet: 'outer', sides: 'both' }
  }
  if ('sheet_impedance_ohm' in given)
    return { kind: 'sheet', stack: [sheetOf(given.sheet_impedance_ohm, at)] }
  const stack = given.layers.map((item, i): Layer | ShuntSheet => {
    const where = `${at}.layers.${i}`
    if ('sheet_impedance_ohm' in item) return sheetOf(item.sheet_impedance_ohm, where)
    return { medium: mediumOfLayer(item, where, media), thickness: item.thickness_m }
  })
  if (given.backing === 'pec')
    return { kind: 'opaque', stack, backing: 'conductor', facet: 'outer', sides: 'both' }
  if (stack.length === 0)
    throw new InputError(`${at}.layers: nothing is there to reflect; give a layer, or "backing": "pec"`)
  return { kind: 'sheet', stack }
}

function sheetOf(given: ComplexGiven, at: string): ShuntSheet {
  const place = `${at}.sheet_impedance_ohm`
  const impedance = impedanceOf(given, place)
  if ('formula' in impedance) return { impedance }
  const values = 'frequencies' in impedance ? impedance.values : [impedance]
  values.forEach(([r, x], i) => {
    const [before, reactance] = values[Math.max(0, i - 1)]
    // Between two samples without resistance the reactance may change its sign.
    if (Math.hypot(r, x) < LEAST || (r === 0 && before === 0 && x * reactance < 0))
      throw new InputError(
        `${place}: a sheet of 0 ohm is metal; give it a resistance, or take the material pec`,
      )
  })
  return { impedance }
}

function impedanceOf(given: ComplexGiven, at: string): Impedance {
  if (isFunction(given)) return { name: at, formula: given.formula }
  const { frequencies, re, im } = samplesOf(given, at)
  const gain = re.find((x) => x < 0)
  if (gain !== undefined) throw new InputError(`${at}: the resistance is ${gain}, a gain; give 0 or more`)
  if (!frequencies) return [re[0], im[0]]
  return { name: at, frequencies, values: re.map((x, i) => [x, im[i]]) }
}

interface Samples {
  /** Ascending [Hz]; absent for a constant, of one value. */
  frequencies?: number[]
  re: number[]
  im: number[]
}

/** Whether a value is a function of f. */
const isFunction = (given: unknown): given is { formula: Formula } =>
  typeof given === 'object' && given !== null && 'formula' in given

function samplesOf(given: Exclude<ComplexGiven, { formula: Formula }>, at: string): Samples {
  if (typeof given === 'number') return { re: [given], im: [0] }
  if (Array.isArray(given)) return { re: [given[0]], im: [given[1]] }
  const { freq_hz: frequencies, re, im = re.map(() => 0) } = given
  for (const [key, list] of Object.entries({ re, im }))
    if (list.length !== frequencies.length)
      throw new InputError(
        `${at}: ${key} has ${list.length} values for ${frequencies.length} of freq_hz; give as many`,
      )
  const late = frequencies.findIndex((f, i) => i > 0 && f <= frequencies[i - 1])
  if (late > 0)
    throw new InputError(
      `${at}: freq_hz must ascend; ${frequencies[late]} follows ${frequencies[late - 1]}; sort the lists`,
    )
  return { frequencies, re, im }
}

/** One part of samples at a frequency within them, linear between. */
function valueAt(frequencies: number[] | undefined, list: number[], f: number): number {
  if (!frequencies) return list[0]
  const i = frequencies.findIndex((x) => x >= f)
  if (frequencies[i] === f) return list[i]
  const share = (f - frequencies[i - 1]) / (frequencies[i] - frequencies[i - 1])
  return list[i - 1] + share * (list[i] - list[i - 1])
}

/** The medium of a layer, or one by its name. */
function mediumOfLayer(layer: LayerGiven, at: string, media: ReadonlyMap<string, Medium>): Medium {
  const { medium, thickness_m: _, ...values } = layer
  if (medium !== undefined) {
    const stray = Object.keys(values)[0]
    if (stray) throw new InputError(`${at}: medium gives eps and mu; leave ${stray} out`)
    return mediumNamed(medium, media, at)
  }
  return mediumOfValues(values, at)
}

/**
 * A medium by its values: of lists with different frequencies at all of them, where all are given; a function of frequency where one of
 * its values is. @param at  its name, begins messages @throws InputError for gain, and lists that do not match
 */
export function mediumOfValues(given: LayeredMediumGiven, at: string): Medium {
  const { description: _, ...values } = given
  const ofReal = (key: 'tan_delta' | 'sigma_s_per_m'): void => {
    const value = values[key]
    if (Array.isArray(value)) throw new InputError(`${at}.${key} is complex; give a real number`)
    if (typeof value === 'number' && value < 0)
      throw new InputError(`${at}.${key}: ${value} is negative; give 0 or more`)
  }
  ofReal('tan_delta')
  ofReal('sigma_s_per_m')
  if (Object.values(values).some(isFunction)) return functionsOf(values, at)
  const samples = (key: keyof typeof values, absent: number): Samples =>
    samplesOf((values[key] ?? absent) as Parameters<typeof samplesOf>[0], `${at}.${key}`)
  const eps = samples('eps_r', 1)
  const mu = samples('mu_r', 1)
  const tangent = samples('tan_delta', 0)
  const sigma = samples('sigma_s_per_m', 0)
  for (const [key, { im }] of Object.entries({ eps_r: eps, mu_r: mu })) {
    const gain = im.find((x) => x > 0)
    if (gain !== undefined)
      throw new InputError(
        `${at}.${key}: its imaginary part is ${gain}, a gain: losses are negative with exp(+jwt); change its sign`,
      )
  }
  const isTangent = values.tan_delta !== undefined
  if (isTangent && eps.im.some((x) => x !== 0))
    throw new InputError(`${at}: tan_delta and the imaginary part of eps_r say the same; give one of them`)
  const grids = [eps, mu, tangent, sigma].flatMap(({ frequencies }) => (frequencies ? [frequencies] : []))
  const low = Math.max(...grids.map((grid) => grid[0]))
  const high = Math.min(...grids.map((grid) => grid.at(-1)!))
  if (low > high)
    throw new InputError(
      `${at}: freq_hz of its values do not overlap: one begins at ${low} Hz, another ends at ${high} Hz; give all for the same band`,
    )
  const frequencies = [...new Set(grids.flat())].filter((f) => f >= low && f <= high).sort((a, b) => a - b)
  const column = ({ frequencies: own }: Samples, list: number[]): number[] | number =>
    grids.length > 0 ? frequencies.map((f) => valueAt(own, list, f)) : list[0]
  return mediumOf(
    {
      ...(grids.length > 0 && { frequency_hz: frequencies }),
      eps_real: column(eps, eps.re),
      ...(isTangent ? { loss_tangent: column(tangent, tangent.re) } : { eps_imag: column(eps, eps.im) }),
      mu_real: column(mu, mu.re),
      mu_imag: column(mu, mu.im),
      conductivity_s_per_m: column(sigma, sigma.re),
      active: false,
    },
    at,
  )
}

const hasImaginary = (formula: Formula): boolean =>
  formula === 'i' || (typeof formula === 'object' && formula.slice(1).some((x) => hasImaginary(x as Formula)))

/** A medium one of whose values is a function of f; the others are that or constant. */
function functionsOf(values: Omit<LayeredMediumGiven, 'description'>, at: string): Medium {
  const formula = (key: keyof typeof values, absent: number): Formula => {
    const value = values[key] ?? absent
    if (typeof value === 'number') return value
    if (isFunction(value)) return value.formula
    if (Array.isArray(value)) return ['+', value[0], ['*', 'i', value[1]]]
    throw new InputError(
      `${at}.${key}: a list stands beside a function of f; give both as functions, or both as lists`,
    )
  }
  const eps = formula('eps_r', 1)
  const isTangent = values.tan_delta !== undefined
  if (isTangent && hasImaginary(eps))
    throw new InputError(`${at}: tan_delta and the imaginary part of eps_r say the same; give one of them`)
  // As of lists eps - i tan |eps|: a negative tangent is a gain, and NaN what is complex at a run's frequencies.
  const [real, tangent] = [eps, formula('tan_delta', 0)].map((x): Formula => ['max', x, -Number.MAX_VALUE])
  return {
    name: at,
    functions: {
      eps: isTangent ? ['-', real, ['*', 'i', ['*', tangent, ['abs', real]]]] : eps,
      mu: formula('mu_r', 1),
      conductivity: formula('sigma_s_per_m', 0),
    },
  }
}
