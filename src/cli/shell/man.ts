import { VERSION } from '../../../run/version.js'
import { type CommandText, everyCommand, type OptionText } from './describe.js'

/** The manual page isar(1), in man macros. */
export function manPage(root: CommandText): string {
  const commands = everyCommand(root).filter(({ path }) => path !== '')
  return `${[
    '.\\" Made from the definitions of the command line by npm run build.',
    `.TH ISAR 1 "" "isar ${VERSION}" "User Commands"`,
    // Long lists are one word: lines that end with one cannot be adjusted.
    '.ad l',
    '.SH NAME',
    `isar \\- ${roff(root.summary)}`,
    '.SH SYNOPSIS',
    '.B isar',
    '.I command',
    '[\\fIarguments\\fR] [\\fIoptions\\fR]',
    '.br',
    '.B isar',
    '\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR',
    '.SH DESCRIPTION',
    ...DESCRIPTION,
    '.SH COMMANDS',
    ...commands.flatMap(commandText),
    ...ENDING,
  ].join('\n')}\n`
}

const DESCRIPTION = [
  'Computes radar cross-sections and ISAR images of targets given as triangle meshes, by shooting and bouncing rays with edge',
  'diffraction, and radio propagation by rays. Rays run on a usable GPU where there is one, else on the CPU in double',
  'precision.',
  '.PP',
  'Lengths are in metres, angles in degrees. Frequencies are in Hz, or have a unit like 9.25GHz. Directions point from the',
  'target to the radar: theta from +z, phi from +x towards +y. V is theta-hat, H is phi-hat; channels are named transmit,',
  'receive. Ranges of angles are written a, a:b:step (both ends included) or a,b,c; bands f0:f1 or f0:f1:count.',
  '.PP',
  'Messages go to standard error, results to files, which appear under their names only when whole. With --json a summary is',
  'printed on standard output.',
].map((line) => (line === '.PP' ? line : roffText(line)))

const ENDING = [
  '.SH EXIT STATUS',
  '.TP\n.B 0\ndone',
  '.TP\n.B 1\nthe run failed',
  '.TP\n.B 2\nbad usage or bad input: one line on standard error says what, where, and how to fix it',
  '.TP\n.B 130\ninterrupted; \\-\\-resume continues from what is finished',
  '.SH ENVIRONMENT',
  '.TP\n.B VK_DRIVER_FILES, VK_ICD_FILENAMES\nVulkan driver manifests, instead of the installed ones',
  '.TP\n.B XDG_CACHE_HOME\nwhere the BVHs of large meshes are cached (folder isar); ~/.cache where it is not set',
  '.TP\n.B ISAR_HANG_SECONDS\ntime without a result after which worker threads count as hung and are started again (600)',
  '.TP\n.B ISAR_DEBUG\nif set, failures are printed with their stack',
  '.SH EXAMPLES',
  '.EX\nisar render aircraft.stl \\-\\-band 9.25e9:10.75e9\nisar rcs plate.stl \\-\\-freq 10GHz \\-\\-theta 0:90:1 \\-\\-phi 0 \\-\\-plot\nisar doctor\n.EE',
]

function commandText({ path, summary, arguments: args, options }: CommandText): string[] {
  const usage = args.map(({ name, required, variadic }) => {
    const word = `\\fI${roff(name)}\\fR${variadic ? ' ...' : ''}`
    return required && !variadic ? word : `[${word}]`
  })
  return [
    `.SS isar ${[roff(path), ...usage, '[\\fIoptions\\fR]'].join(' ')}`,
    roffText(`${capital(summary)}.`),
    ...args
      .filter(({ text }) => text)
      .flatMap(({ name, text, choices }) => [
        '.TP',
        `.I ${roff(name)}`,
        roffText(withChoices(text, choices)),
      ]),
    ...options.filter(({ long }) => long !== '--help').flatMap(optionText),
  ]
}

function optionText({ long, value, optional, choices, text, standard }: OptionText): string[] {
  const shown = value === undefined ? '' : optional ? ` [\\fI${roff(value)}\\fR]` : ` \\fI${roff(value)}\\fR`
  const about = withChoices(text, choices) + (standard === undefined ? '' : ` (default: ${standard})`)
  return ['.TP', `\\fB${roff(long)}\\fR${shown}`, roffText(about)]
}

const withChoices = (text: string, choices: string[]): string =>
  choices.length > 0 ? `${text}: ${choices.join(', ')}` : text

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Characters that man macros take for their own, and those that are not in every output's font. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', "'")
    .replaceAll('–', '\\(en')
    .replaceAll('−', '\\-')
}

/** A line of running text: no control line by accident. */
function roffText(text: string): string {
  const escaped = roff(text)
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
