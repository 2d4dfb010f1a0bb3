import { type Command, Option } from 'commander'
import { AUTOFOCUS, type AutofocusName, type WindowName } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import type { MotionImageSettings } from '../doppler/image.js'

/** Options of images of moving targets. @param when  of what they are */
export const motionImageOptions = (when: string): Option[] => [
  new Option('--translation <which>', `${when}: of the known motion`)
    .choices(['removed', 'kept'])
    .default('removed'),
  new Option('--autofocus <method>', `${when}: minimum entropy, or phase gradient`).choices([...AUTOFOCUS]),
]

export const motionImageSettings = (
  texts: Record<string, string | undefined>,
  dynamicRangeDb: number | 'auto',
  outline = true,
): MotionImageSettings => ({
  window: texts.window as WindowName,
  translation: texts.translation as 'removed' | 'kept',
  dynamicRangeDb,
  outline,
  ...(texts.autofocus !== undefined && { autofocus: texts.autofocus as AutofocusName }),
})

/** @throws InputError where one of `motionImageOptions` is given */
export function refuseMotionImage(command: Command, why: string): void {
  for (const key of ['translation', 'autofocus'])
    if (command.getOptionValueSource(key) === 'cli') throw new InputError(`--${key} ${why}`)
}
