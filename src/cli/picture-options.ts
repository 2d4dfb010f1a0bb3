import { Option } from 'commander'
import { advanced } from './program.js'
import { parsePositive } from './quantity.js'

/** Values of `--polar-format`; without one it means `on`. */
export const POLAR_FORMAT = ['auto', 'on', 'off'] as const

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
