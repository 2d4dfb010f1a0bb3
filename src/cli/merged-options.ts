import type { Command } from 'commander'
import { didYouMean, InputError } from '../../scene/index.js'

/** Options of the command line that a configuration's `solver` cannot hold: settings of its own, or of one run alone. */
const NOT_SOLVER = new Set([
  'units',
  'pol',
  'phase-centre',
  'mechanisms',
  'cache',
  'out',
  'resume',
  'force',
  'json',
  'quiet',
  'shard',
  'fast',
  'cluster',
  'image-workers',
])

/**
 * The command line's raw options with `solver`, values by the options' names (of a configuration, or of a preview), where the command
 * line gives none.
 * @throws InputError for names that are no options of the solver
 */
export function mergedOptions(
  command: Command,
  solver: Record<string, string | number | boolean>,
): Record<string, unknown> {
  const raw: Record<string, unknown> = { ...command.opts() }
  const known = command.options.filter((o) => o.long && !NOT_SOLVER.has(o.long.slice(2)))
  for (const [name, value] of Object.entries(solver)) {
    const option = known.find((o) => o.long === `--${name}`)
    if (!option) {
      const names = known.map((o) => o.long!.slice(2))
      throw new InputError(
        `solver: "${name}" is not an option of the solver${didYouMean(name, names)}; known are ${names.join(', ')}`,
      )
    }
    const key = option.attributeName()
    if (command.getOptionValueSource(key) === 'cli') continue
    if (option.argChoices && !option.argChoices.includes(String(value)))
      throw new InputError(`solver: ${name} is one of ${option.argChoices.join(', ')}, not ${String(value)}`)
    raw[key] = typeof value === 'boolean' ? value : String(value)
  }
  return raw
}
