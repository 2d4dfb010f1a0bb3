import { Command, Help, Option } from 'commander'
import { HELP_GROUPS, type HelpGroup } from '../../run/settings/types.js'
import { versionAndCommit } from '../../run/version.js'
import { didYouMean } from '../../scene/index.js'

/** A command as `isar --help` lists it; the rest is loaded with it when it is called. */
interface CommandEntry {
  summary: string
  /** What gives the command its arguments, options and action. */
  load: () => Promise<(command: Command) => void>
}

export const COMMANDS: Record<string, CommandEntry> = {
  render: {
    summary: 'ISAR image of one target: sweep, scattered field, image, picture',
    load: async () => (await import('./render.js')).renderCommand,
  },
  rcs: {
    summary: 'radar cross-section and scattering amplitudes as a table',
    load: async () => (await import('./rcs.js')).rcsCommand,
  },
  compare: {
    summary: 'how far results lie apart, in numbers and figures; or times of one mesh under every schedule',
    load: async () => (await import('./compare.js')).compareCommand,
  },
  dataset: {
    summary: 'many labelled images for target recognition, resumable, in common formats',
    load: async () => (await import('./dataset.js')).datasetCommand,
  },
  doppler: {
    summary: 'moving targets: pulses over time, range–Doppler maps, micro-Doppler spectrograms',
    load: async () => (await import('./doppler.js')).dopplerCommand,
  },
  centres: {
    summary:
      'scattering centres of a rendered image by CLEAN: a table and a picture; models of them over a sector',
    load: async () => (await import('./centres.js')).centresCommand,
  },
  image: {
    summary: 'images and range profiles of a phase history, measured or simulated; calibration, comparison',
    load: async () => (await import('./image.js')).imageCommand,
  },
  propagate: {
    summary: 'radio propagation by rays: received field, channel and coverage at points of a scene',
    load: async () => (await import('./propagate.js')).propagateCommand,
  },
  validate: {
    summary: 'recomputes validation cases, draws them against their references, prints the error table',
    load: async () => (await import('./validate.js')).validateCommand,
  },
  materials: {
    summary: 'groups of a mesh and what they are made of; built-in materials and their reflection',
    load: async () => (await import('./materials.js')).materialsCommand,
  },
  plot: {
    summary: 'figures of a result: cuts, polar, range profiles, waterfall, aspect maps (SVG and PNG)',
    load: async () => (await import('./plot.js')).plotCommand,
  },
  view: {
    summary: 'opens a result (image, rays, target) as a page in the browser',
    load: async () => (await import('./view.js')).viewCommand,
  },
  site: {
    summary: 'writes a page that computes RCS and images in the browser of who opens it',
    load: async () => (await import('./site.js')).siteCommand,
  },
  devices: {
    summary: 'GPUs and CPU backends found, their limits, and which one would be used',
    load: async () => (await import('./devices.js')).devicesCommand,
  },
  doctor: {
    summary: 'checks this machine for what runs need, and suggests fixes',
    load: async () => (await import('./doctor.js')).doctorCommand,
  },
  completion: {
    summary: 'prints completion for a shell: bash, zsh or fish',
    load: async () => (await import('./shell/completion.js')).completionCommand,
  },
  worker: {
    summary: 'serves cluster runs (--cluster) with one GPU, or with this machine’s CPU',
    load: async () => (await import('./worker.js')).workerCommand,
  },
  workers: {
    summary:
      'starts one worker per GPU of this host, each isolated from the other GPUs, and keeps them running',
    load: async () => (await import('./worker.js')).workersCommand,
  },
  cluster: {
    summary: 'shows cluster status and plots its timing reports',
    load: async () => (await import('./cluster.js')).clusterCommand,
  },
}

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
function addHelpAll(command: Command): void {
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

/**
 * The command line's commands, of which those that `wanted` names have their arguments, options and actions: loading them all
 * would make `isar --help` slow.
 */
export async function createProgram(wanted: (name: string) => boolean): Promise<Command> {
  const program = new Command('isar')
    .description(
      'Radar scattering of electrically large targets: RCS and ISAR images by shooting and bouncing rays',
    )
    .version(versionAndCommit())
    .exitOverride()
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary)
    if (wanted(name)) {
      ;(await load())(command)
      for (const c of [command, ...command.commands]) addHelpAll(c)
    }
  }
  for (const command of program.commands) command.exitOverride()
  reportErrors(program)
  return program
}

/** Where commands without options for frequencies have them. */
const FREQUENCIES: Record<string, string> = {
  propagate: 'the scene file has the frequencies: give "frequency" there',
  doppler: 'the motion file has the frequencies: give "radar" there',
  dataset: 'the configuration has the frequencies: give "radar" there',
}

/** Prints usage errors as one line, with the closest known name for an unknown one; also for all subcommands. */
function reportErrors(command: Command): void {
  command.showSuggestionAfterError(false).configureOutput({
    outputError: (text, write) => {
      const [, kind, name = ''] = /^error: unknown (option|command) '(.*)'/.exec(text) ?? []
      const options = [command, ...(command.parent ? [command.parent] : [])].flatMap((c) => c.options)
      const known =
        kind === 'option' ? options.flatMap((o) => o.long ?? []) : command.commands.map((c) => c.name())
      const place = ['--freq', '--band'].includes(name) && FREQUENCIES[command.name()]
      const hint = place ? `; ${place}` : kind ? didYouMean(name, known) : ''
      write(`${text.trimEnd().replace(/^error: /, 'isar: ')}${hint}\n`)
    },
  })
  for (const sub of command.commands) reportErrors(sub)
}
