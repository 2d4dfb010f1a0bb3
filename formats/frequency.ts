import { InputError } from '../scene/index.js'
import { parseQuantity } from './expression.js'

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A number as people write it. @throws InputError */
export function plainNumber(text: string, what: string): number {
  const trimmed = text.trim()
  const value = NUMBER.test(trimmed) ? Number(trimmed) : NaN
  if (!Number.isFinite(value))
    throw new InputError(`${what}: "${text}" is not a number; write it like 12.5 or 1e-3`)
  return value
}

/** Powers of ten of the units of frequency, as they are written. */
const UNIT_POWERS: Record<string, number> = { Hz: 0, kHz: 3, MHz: 6, GHz: 9, THz: 12 }
/** Frequencies without a unit that are lower are slips: GHz left out [Hz]. */
const LEAST_PLAIN = 1e6
/** Above this the unit at the end was not meant for a value that has none [Hz]. */
const MOST_HZ = 1e15

/**
 * Frequencies of a band or list [Hz]: plain numbers of Hz, or numbers with a unit ("9.25GHz", "10 GHz"); the last one's unit is that of
 * every value without one. @throws InputError for what is no frequency, is not positive, or is below 1 MHz and has no unit
 */
export function parseFrequencies(texts: string[], what: string): number[] {
  if (what === '--freq' && texts.some((text) => text.includes(':')))
    throw new InputError(
      `--freq "${texts.join()}" is a range; give single frequencies, or --band f0:f1:n where the command has it`,
    )
  const [, last] = splitUnit(texts.at(-1) ?? '')
  const shared = /^[a-z]*$/i.test(last) ? last : ''
  return texts.map((text) => {
    const [number, own] = splitUnit(text)
    const isNumber = NUMBER.test(number)
    const unit = own || (isNumber ? shared : '')
    const [mantissa, exponent = '0'] = number.toLowerCase().split('e')
    // As if written in Hz: a product with a power of ten would be rounded.
    const hz =
      isNumber && Object.hasOwn(UNIT_POWERS, unit || 'Hz')
        ? Number(`${mantissa}e${Number(exponent) + UNIT_POWERS[unit || 'Hz']}`)
        : isNumber || /[*/^(+]/.test(text)
          ? otherwise(isNumber ? `${number} ${unit}` : text)
          : NaN
    if (!Number.isFinite(hz))
      throw new InputError(
        `${what}: "${own || !isNumber ? text : texts.at(-1)}" is not a frequency; write Hz like 9.25e9, or a unit (${Object.keys(UNIT_POWERS).join(', ')}) like 9.25GHz`,
      )
    if (hz <= 0) throw new InputError(`${what}: ${text} is not above zero; give a positive frequency in Hz`)
    if (isNumber && unit === '' && hz < LEAST_PLAIN)
      throw new InputError(
        `${what}: ${number} has no unit and would be ${hz} Hz; give it one, like ${number}GHz (${number}Hz if that is meant)`,
      )
    if (own === '' && unit !== '' && hz > MOST_HZ)
      throw new InputError(
        `${what}: ${number} takes the unit of the last value and would be ${number} ${unit}; give it a unit of its own, like ${number}Hz`,
      )
    return hz
  })
}

/** A frequency in any other unit, or an expression ("9.25 gigahertz", "c / (3 cm)") [Hz]; NaN for what is none, or has no unit. */
function otherwise(text: string): number {
  try {
    return parseQuantity(`(${text}) / Hz`, '')
  } catch {
    return NaN
  }
}

/** One frequency, as in `parseFrequencies` [Hz]. */
export const parseFrequency = (text: string, what: string): number => parseFrequencies([text], what)[0]

/** A number's text and what stands behind it. */
function splitUnit(text: string): [number: string, unit: string] {
  const match = /^([+-]?[\d.]+(?:e[+-]?\d+)?)\s*(.*)$/i.exec(text.trim())
  return match ? [match[1], match[2]] : [text.trim(), '']
}
