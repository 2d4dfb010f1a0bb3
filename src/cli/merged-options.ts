import type { Command } from 'commander'

/**
 * The command line's raw options with `solver`, values by the options' names (of a configuration, or of a preview), where the command
 * line gives none.
 */
export function mergedOptions(
  command: Command,
  solver: Record<string, string | number | boolean>,
): Record<string, unknown> {
  const raw: Record<string, unknown> = { ...command.opts() }
  for (const [name, value] of Object.entries(solver)) {
    const key = command.options.find(({ long }) => long === `--${name}`)!.attributeName()
    if (command.getOptionValueSource(key) !== 'cli')
      raw[key] = typeof value === 'boolean' ? value : String(value)
  }
  return raw
}
