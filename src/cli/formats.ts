import { Option } from 'commander'
import { ARRAY_FORMATS, type ArrayFormat } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'

/** `--formats LIST`. */
export const formatsOption = (help: string): Option => new Option('--formats <list>', help)

/** What `--formats` asks for, each once. @throws InputError */
export function parseFormats({ formats }: Record<string, unknown>): ArrayFormat[] {
  if (formats === undefined) return []
  const names = String(formats).split(',')
  const wrong = names.find((name) => !ARRAY_FORMATS.includes(name as ArrayFormat))
  if (wrong !== undefined)
    throw new InputError(`--formats: "${wrong}" is not a format; give some of ${ARRAY_FORMATS.join(',')}`)
  return [...new Set(names as ArrayFormat[])]
}
