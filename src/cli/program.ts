import { Command, CommanderError, Help, Option } from 'commander'
import { HELP_GROUPS, type HelpGroup } from '../../run/settings/types.js'
import { versionAndCommit } from '../../run/version.js'
import { didYouMean, InputError, oneLine } from '../../scene/index.js'
import { Console, Interrupted, type Io } from './console.js'

/** A command as `isar --help` lists it; the rest is loaded with it when it is called. */
interface CommandEntry {
  summary: string
  /** What gives the command its arguments, options and action. */
  load: () => Promise<(command: Command, out: Console) => void>
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
export async function createProgram(
  wanted: (name: string) => boolean,
  out: Console = new Console(),
): Promise<Command> {
  const program = new Command('isar')
    .description(
      'Radar scattering of electrically large targets: RCS and ISAR images by shooting and bouncing rays',
    )
    .version(versionAndCommit())
    .exitOverride()
    .configureOutput({ writeOut: (text) => out.print(text), writeErr: (text) => out.error(text) })
    .hook('preAction', (_, command) => out.configure(command.optsWithGlobals()))
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary)
    if (wanted(name)) {
      ;(await load())(command, out)
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

/**
 * Runs a command line in this process, with its environment and folder. Ctrl-C is left to the caller but while a job runs.
 * @param argv  words after `isar`
 * @returns the exit code: 0 done, 1 the run failed, 2 bad usage or bad input, 130 interrupted
 */
export async function main(argv: readonly string[], io: Io = process): Promise<number> {
  const out = new Console(io)
  // Arguments with the name of a command only cost loading time.
  const program = await createProgram((name) => argv.includes(name), out)
  try {
    await program.parseAsync(withSwitches(argv), { from: 'user' })
    return out.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return reportError(error as Error, io)
  }
}

/** Values of `--polar-format`; without one it means `on`. */
export const POLAR_FORMAT = ['auto', 'on', 'off'] as const

/** Arguments in which an option that once was a switch does not take what follows it for its value. */
const withSwitches = (argv: readonly string[]): string[] =>
  argv.map((word, i) =>
    word === '--polar-format' && !POLAR_FORMAT.includes(argv[i + 1] as 'on') ? `${word}=on` : word,
  )

/** Prints in one line why the command failed; returns its exit code. */
export function reportError(error: Error, { stderr }: Io = process): number {
  stderr.write(`isar: ${oneLine(fileLimit(error) ?? error.message.split('\n')[0])}\n`)
  if (error instanceof InputError) return 2
  if (error instanceof Interrupted) return 130
  if (process.env.ISAR_DEBUG) stderr.write(`${error.stack}\n`)
  return 1
}

/** Smallest limit of open files that suffices for every command; below it, a module that cannot be opened may be reported as missing. */
const ENOUGH_FILES = 1024

/** Message where modules or files do not open because of the limit of open files; null otherwise. */
function fileLimit(error: Error): string | null {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const limit = Number(userLimits?.open_files?.soft)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const isFull = /EMFILE|ENFILE/.test(code + error.message)
  if (!isFull && !(/^ERR_MODULE_NOT_FOUND$/.test(code) && limit < ENOUGH_FILES)) return null
  return `too many open files: the limit is ${limit || 'too low'}; raise it with ulimit -n ${Math.max(4096, 4 * limit || 0)} and try again`
}
