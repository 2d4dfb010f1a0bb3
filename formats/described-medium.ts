import { InputError } from '../scene/index.js'
import type { Medium } from '../scene/materials/index.js'
import type { MediumDescription } from './materials-schema.js'

/** Smallest |eps|, |mu| and impedance [ohm] that are not 0: 1/x^2 stays within double precision. */
export const LEAST = 1e-9

/**
 * A medium with eps and mu of each frequency, one where there are none. @param at  its name, begins messages
 * @throws InputError for what is missing, contradicts itself or amplifies without `active`
 */
export function mediumOf(given: Omit<MediumDescription, 'description'>, at: string): Medium {
  const { frequency_hz: frequencies, debye, active } = given
  if (debye) return debyeOf(given, at)
  const count = frequencies?.length ?? 1
  const column = (key: keyof typeof given): number[] | undefined => {
    const value = given[key]
    if (value === undefined || typeof value === 'boolean') return undefined
    if (typeof value === 'number') return Array.from({ length: count }, () => value)
    const list = value as number[]
    if (!frequencies) throw new InputError(`${at}: ${key} is a list; give frequency_hz, a list as long`)
    if (list.length !== count)
      throw new InputError(
        `${at}: ${key} has ${list.length} values for ${count} of frequency_hz; give as many`,
      )
    return list
  }
  const imaginary = (
    part: 'eps' | 'mu',
    tangent: 'loss_tangent' | 'magnetic_loss_tangent',
    real: number[],
  ) => {
    const [own, ratio] = [column(`${part}_imag`), column(tangent)]
    if (own && ratio)
      throw new InputError(`${at}: ${part}_imag and ${tangent} say the same; give one of them`)
    return own ?? ratio?.map((x, i) => 0 - x * Math.abs(real[i])) ?? real.map(() => 0)
  }
  const epsReal = column('eps_real')
  if (!epsReal) throw new InputError(`${at}: eps_real is missing; give the relative permittivity`)
  const muReal = column('mu_real') ?? epsReal.map(() => 1)
  const epsImag = imaginary('eps', 'loss_tangent', epsReal)
  const muImag = imaginary('mu', 'magnetic_loss_tangent', muReal)
  const conductivity = column('conductivity_s_per_m') ?? epsReal.map(() => 0)
  const gain = (key: string, value: number | undefined, instead: string): void => {
    if (value !== undefined && !active)
      throw new InputError(
        `${at}: ${key} is ${value}, a gain: losses are ${instead} with exp(+jwt); change its sign, or give "active": true if that is meant`,
      )
  }
  gain(
    'eps_imag',
    epsImag.find((x) => x > 0),
    'negative',
  )
  gain(
    'mu_imag',
    muImag.find((x) => x > 0),
    'negative',
  )
  gain(
    'conductivity_s_per_m',
    conductivity.find((x) => x < 0),
    'positive',
  )
  for (let i = 0; i < count; i++) {
    if (
      Math.hypot(epsReal[i], epsImag[i] - conductivity[i]) < LEAST ||
      Math.hypot(muReal[i], muImag[i]) < LEAST
    )
      throw new InputError(`${at}: eps and mu must not be 0`)
    if (frequencies && i > 0 && !(frequencies[i] > frequencies[i - 1]))
      throw new InputError(`${at}: frequency_hz must ascend; ${frequencies[i]} follows ${frequencies[i - 1]}`)
  }
  if (!frequencies)
    return {
      name: at,
      eps: [epsReal[0], epsImag[0]],
      mu: [muReal[0], muImag[0]],
      conductivity: conductivity[0],
    }
  const values = epsReal.map((x, i) => [x, epsImag[i], muReal[i], muImag[i], conductivity[i]])
  return { name: at, frequencies, values }
}

function debyeOf(given: Omit<MediumDescription, 'description'>, at: string): Medium {
  const { debye: d, active, ...others } = given
  const stray = Object.entries(others).find(([, value]) => value !== undefined)
  if (stray) throw new InputError(`${at}: debye gives eps and mu; leave ${stray[0]} out`)
  const { eps_infinity, eps_static, eps_relaxation_hz, mu_infinity, mu_static, mu_relaxation_hz } = d!
  if (Math.abs(eps_static) < LEAST || Math.abs(mu_static) < LEAST)
    throw new InputError(`${at}.debye: eps_static and mu_static must not be 0`)
  if ((eps_static < eps_infinity || mu_static < mu_infinity) && !active)
    throw new InputError(
      `${at}.debye: static is less than infinity, a gain; exchange them, or give "active": true if that is meant`,
    )
  return {
    name: at,
    debye: {
      eps: { infinity: eps_infinity, low: eps_static, relaxationHz: eps_relaxation_hz },
      mu: { infinity: mu_infinity, low: mu_static, relaxationHz: mu_relaxation_hz },
    },
  }
}
