import { type Command, Option } from 'commander'
import { parseFrequencies, plainNumber } from '../../formats/expression.js'
import { numberIn, positive, wholeIn } from '../../run/settings/types.js'
import { InputError } from '../../scene/index.js'
import type { Console } from './console.js'
import { advanced, POLAR_FORMAT } from './program.js'

export const polarFormatOption = (): Option =>
  new Option('--polar-format [when]', 'focus wide apertures (default auto: where needed; alone: on)')
    .choices([...POLAR_FORMAT])
    .default('auto')
    .preset('on')

/** Whether images are formed by polar format; `auto`: where they need it. */
export const parsePolarFormat = (text: unknown): boolean | 'auto' => (text === 'auto' ? text : text === 'on')

export const dynamicRangeOption = (): Option =>
  new Option('--dynamic-range <dB>', 'levels shown below the maximum; auto: by the image').default('auto')

/** Levels shown below the maximum [dB]; `auto`: chosen from the image. @throws InputError for anything else */
export const parseDynamicRange = (text: string): number | 'auto' =>
  text === 'auto' ? text : parsePositive(text, '--dynamic-range')

/** Figures as PDF beside their other files: `ResultLocation.pdf`. */
export const pdfOption = (): Option => advanced(new Option('--pdf', 'figures as PDF too'))

export const outlineOption = (): Option =>
  new Option('--no-outline', 'leave the target’s outline out of pictures')

/** `f0:f1` or `f0:f1:count`, ascending [Hz]. */
export function parseBand(text: string): { f0: number; f1: number; count?: number } {
  const parts = text.split(':')
  if (parts.length < 2 || parts.length > 3)
    throw new InputError(`--band "${text}": write f0:f1 or f0:f1:count, like 9.25e9:10.75e9`)
  const [f0, f1] = parseFrequencies(parts.slice(0, 2), '--band')
  if (f1 === f0)
    throw new InputError(`--band "${text}" has no width; give f1 above f0 (or --freq for a single frequency)`)
  if (f1 < f0)
    throw new InputError(
      `--band "${text}" runs downwards; write the lower frequency first, ${parts[1]}:${parts[0]}`,
    )
  return parts[2] === undefined
    ? { f0, f1 }
    : { f0, f1, count: parseCount(parts[2], '--band count', 2, 1_000_000) }
}

export const parseCount = (text: string, what: string, low: number, high: number): number =>
  wholeIn(plainNumber(text, what), what, low, high)

export const parseNumber = (text: string, what: string, low: number, high: number): number =>
  numberIn(plainNumber(text, what), what, low, high)

export const parsePositive = (text: string, what: string): number => positive(plainNumber(text, what), what)

/** Most directions along one axis of a sweep. */
const MAX_STEPS = 1_000_000

/** Ten turns: larger angles are no directions, but other numbers by mistake [degrees]. */
const MOST_DEGREES = 3600

/** `a`, `a:b:step` (inclusive, either direction) or `a,b,c`: angles in degrees. */
export function parseRange(text: string, what: string): number[] {
  const angle = (part: string): number => parseNumber(part, what, -MOST_DEGREES, MOST_DEGREES)
  if (text.includes(':')) {
    const parts = text.split(':')
    if (parts.length !== 3) throw new InputError(`${what} "${text}": write first:last:step, like 0:90:1`)
    const [first, last] = parts.slice(0, 2).map(angle)
    const step = plainNumber(parts[2], what)
    if (step === 0) throw new InputError(`${what} "${text}": the step is zero; give a step like 1`)
    const size = Math.abs(step)
    // The last value counts when rounding alone keeps it from being hit.
    const count = Math.floor(Math.abs(last - first) / size + 1e-9) + 1
    if (count > MAX_STEPS)
      throw new InputError(
        `${what} "${text}" has ${count} values; take a larger step (at most ${MAX_STEPS} values)`,
      )
    const sign = last < first ? -1 : 1
    return Array.from({ length: count }, (_, i) => tidy(first + sign * i * size))
  }
  return text.split(',').map(angle)
}

/** Removes the binary rounding of first + i * step, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004. */
const tidy = (x: number): number => Number(x.toPrecision(13))

/**
 * Reports what a theta outside 0 to 180 degrees means, where one is given: a cut continues through the pole at a fixed phi, and so do
 * theta-hat and phi-hat.
 */
export function reportTheta(thetaDeg: readonly number[], option: string, out: Console): void {
  const beyond = thetaDeg.filter((theta) => theta < 0 || theta > 180)
  if (beyond.length === 0) return
  const [theta] = beyond
  const wrapped = ((theta % 360) + 360) % 360
  const meaning =
    wrapped > 180
      ? `the direction of theta ${twelveDigits(360 - wrapped)} at phi + 180, V and H opposite to those there`
      : `that of theta ${twelveDigits(wrapped)}`
  const others = beyond.length - 1
  const more = others > 0 ? ` (and ${others} more value${others > 1 ? 's' : ''} likewise)` : ''
  out.say(`theta     ${option} ${theta} continues beyond the pole: ${meaning}${more}`)
}

const twelveDigits = (x: number): number => Number(x.toPrecision(12))

/** @throws InputError for options that the command line gives and this command cannot take: keys of commander's values, names, what to do instead */
export function refuseGiven(command: Command, refused: readonly (readonly [string, string, string])[]): void {
  for (const [key, option, instead] of refused)
    if (command.getOptionValueSource(key) === 'cli') throw new InputError(`${option}: ${instead}`)
}

/** The last options of a command without settings of the solver. @param what  that --force overwrites */
export const outputOptions = (command: Command, what = 'results'): Command =>
  command
    .option('--force', `overwrite ${what}`)
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
