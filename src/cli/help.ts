import { type Command, Help, Option } from 'commander'
import { HELP_GROUPS, type HelpGroup } from '../settings/types.js'

/** Options that `--help-all` lists and `--help` does not. */
const advancedOptions = new WeakSet<Option>()

/** An option that `--help` leaves out. */
export function advanced(option: Option): Option {
  advancedOptions.add(option)
  return option
}

/** Of results that keep their target. */
export const noMeshOption = (): Option =>
  advanced(new Option('--no-mesh', 'keep no copy of the target beside the result, for isar view'))

/** The heading of a group of options, for `optionsGroup` and `helpGroup`. */
export const heading = (group: HelpGroup): string => `${group}:`

const HEADINGS = HELP_GROUPS.map(heading)

class GroupedHelp extends Help {
  all = false

  override visibleOptions(command: Command): Option[] {
    return super.visibleOptions(command).filter((option) => this.all || !advancedOptions.has(option))
  }

  override groupItems<T extends Command | Option>(items: T[], visible: T[], groupOf: (item: T) => string) {
    const groups = super.groupItems(items, visible, groupOf)
    return new Map([...groups].sort(([a], [b]) => HEADINGS.indexOf(a) - HEADINGS.indexOf(b)))
  }

  override optionDescription({ description, argChoices, defaultValue, required }: Option): string {
    const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
    const standard = required && defaultValue !== undefined ? ` (default: ${String(defaultValue)})` : ''
    return description + choices + standard
  }
}

/** `--help-all` of a command whose `--help` lists every option: the same. */
export function addHelpAll(command: Command): void {
  if (command.options.some(({ long }) => long === '--help-all')) return
  command
    .addOption(new Option('--help-all', 'show every option').hideHelp())
    .on('option:help-all', () => command.help())
}

/** Help in groups, basic options only; `--help-all` lists every option. */
export function addGroupedHelp(command: Command): Command {
  const help = new GroupedHelp()
  command.createHelp = () => help
  return command
    .addHelpOption(new Option('-h, --help', 'show the basic options').helpGroup(heading('Run')))
    .addOption(new Option('--help-all', 'show every option').helpGroup(heading('Run')))
    .on('option:help-all', () => {
      help.all = true
      command.help()
    })
}
