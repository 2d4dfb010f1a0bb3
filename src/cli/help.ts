import { type Command, Help, Option } from 'commander'
import { HELP_GROUPS, type HelpGroup } from '../settings/types.js'

/** Options that `--help-all` lists and `--help` does not. */
const advancedOptions = new WeakSet<Option>()

/** An option that `--help` leaves out. */
export function advanced(option: Option): Option {
  advancedOptions.add(option)
  return option
}

/** The heading of a group of options, for `optionsGroup` and `helpGroup`. */
export const heading = (group: HelpGroup): string => `${group}:`

/** Help in groups, basic options only; `--help-all` lists every option. */
export function addGroupedHelp(command: Command): Command {
  let all = false
  const help = new Option('-h, --help', 'show the basic options').helpGroup(heading('Run'))
  return command
    .addHelpOption(help)
    .addOption(new Option('--help-all', 'show every option').helpGroup(heading('Run')))
    .on('option:help-all', () => {
      all = true
      command.help()
    })
    .configureHelp({
      visibleOptions(cmd) {
        const options = Help.prototype.visibleOptions.call(this, cmd)
        return options.filter((option) => all || !advancedOptions.has(option))
      },
      groupItems: (_, visible, groupOf) =>
        new Map(
          HELP_GROUPS.map((group): [string, typeof visible] => [
            heading(group),
            visible.filter((item) => groupOf(item) === heading(group)),
          ]).filter(([, items]) => items.length > 0),
        ),
      optionDescription({ description, argChoices, defaultValue, required }) {
        const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
        const standard = required && defaultValue !== undefined ? ` (default: ${String(defaultValue)})` : ''
        return description + choices + standard
      },
    })
}
