import { type Command, Option } from 'commander'
import { z } from 'zod'
import { ARRAY_FORMATS, type ArrayFormat } from '../../formats/index.js'
import { AUTOFOCUS, type AutofocusName, type WindowName } from '../../isar/index.js'
import { ADJUST, type Distribution, DISTRIBUTIONS } from '../../run/cluster/partition.js'
import type { ClusterRequest } from '../../run/job.js'
import {
  dashed,
  type Declared,
  optionOf,
  type ResolvedSettings,
  resolveSettings,
  settingOf,
  SETTINGS,
  settingsOfText,
  type SolverSettings,
} from '../../run/settings/settings.js'
import { defaultOf, innerType, type Setting } from '../../run/settings/types.js'
import { InputError } from '../../scene/index.js'
import type { MotionImageSettings } from '../doppler/image.js'
import { addGroupedHelp, advanced, heading } from './program.js'
import { parseNumber } from './quantity.js'

/** Options of runs on a cluster. None of them affects results. */
function addClusterOptions(command: Command): Command {
  command.optionsGroup(heading('Cluster'))
  for (const option of [
    new Option('--cluster <url>', 'spread over the workers (isar worker) of this Redis server'),
    new Option('--distribute <how>', 'with --cluster: how aspects are distributed to workers')
      .choices([...DISTRIBUTIONS])
      .default('auto'),
    new Option(
      '--adjust <threshold,coefficient>',
      'with --cluster: load-balancing threshold and gain of aperture shares',
    ).default(`${ADJUST.threshold},${ADJUST.coefficient}`),
    new Option(
      '--unit-timeout <s>',
      'with --cluster: time limit for one part of an aspect, after which a worker counts as hung',
    ).default('1800'),
  ])
    command.addOption(advanced(option))
  return command
}

/** The cluster that does the work, or undefined for a local run. @throws InputError naming the option */
function clusterOptions(raw: Record<string, unknown>): ClusterRequest | undefined {
  if (raw.cluster === undefined) return undefined
  const [threshold, coefficient = String(ADJUST.coefficient)] = String(raw.adjust).split(',')
  return {
    url: String(raw.cluster),
    distribute: raw.distribute as Distribution,
    adjust: {
      threshold: parseNumber(threshold, '--adjust threshold', 0, 1),
      coefficient: parseNumber(coefficient, '--adjust coefficient', 0, 1),
    },
    unitSeconds: parseNumber(String(raw.unitTimeout), '--unit-timeout', 1, 1e7),
  }
}

/** Name of a setting in messages. */
export const optionName = (name: string): string => `--${optionOf(name)}`

/** The options of a command's settings, in their groups of the help. */
const settingOptions = (command: string): Option[] =>
  SETTINGS.filter((name) => settingOf(name).commands?.includes(command) ?? true).map((name) => {
    const { group, basic } = settingOf(name)
    const option = settingOption(name).helpGroup(heading(group))
    return basic ? option : advanced(option)
  })

/** A setting's option, from its declaration. */
export const settingOption = (name: keyof SolverSettings): Option => declaredOption(name, settingOf(name))

/** Options of a command, from their declarations. @param first,last  of those that are added, where others come between them in help */
export function addDeclared<D extends Declared>(
  command: Command,
  declared: D,
  first?: keyof D & string,
  last?: keyof D & string,
): void {
  const names = Object.keys(declared)
  const from = first === undefined ? 0 : names.indexOf(first)
  const to = last === undefined ? names.length : names.indexOf(last) + 1
  for (const name of names.slice(from, to)) command.addOption(declaredOption(name, declared[name]))
}

/** An option from its declaration. */
export function declaredOption(name: string, setting: Setting): Option {
  const { help, unit, word, option: other } = setting
  const type = innerType(setting.type)
  const value = setting.value ?? (type instanceof z.ZodEnum ? '<which>' : '')
  const inValue = !unit || value.includes(unit) ? '' : ` [${unit}]`
  const standard = defaultOf(setting)
  // A word that is no value of the option is only shown in the help.
  const shown = word !== undefined && standard === undefined ? ` (default: ${word})` : ''
  const option = new Option(`--${other ?? dashed(name)} ${value}`.trim(), help + inValue + shown)
  if (type instanceof z.ZodEnum) option.choices(type.options.map(String))
  if (setting.repeated) option.argParser((text, before?: string[]) => [...(before ?? []), text])
  if (value && standard !== undefined) option.default(word ?? String(standard))
  return option
}

/** Settings from commander's raw options. @throws InputError naming the option, for text that is no number */
export const readSettings = (raw: Record<string, unknown>): SolverSettings => settingsOfText(raw, optionName)

type Raw = Record<string, unknown>

/** Options that have no effect beside others, by the keys of commander's values, and why. */
const IGNORED: { options: string[]; beside: (raw: Raw) => boolean; why: string }[] = [
  {
    options: ['maxBounces', 'raysPerWavelength', 'subdivide', 'frequencyTolerance'],
    beside: ({ method }) => method === 'gpueco',
    why: '--method gpueco draws the target, without ray tubes',
  },
  {
    options: [
      'maxBounces',
      'raysPerWavelength',
      'subdivide',
      'frequencyTolerance',
      'maxWedgeAngle',
      'secondOrder',
    ],
    beside: ({ method }) => method === 'mom',
    why: '--method mom solves for the currents, without rays and edge terms',
  },
  {
    options: ['pixels'],
    beside: ({ method }) => method !== 'gpueco',
    why: 'there is no image to draw without --method gpueco',
  },
  {
    options: ['maxWedgeAngle'],
    beside: ({ diffraction }) => diffraction === 'none',
    why: '--diffraction none disables all edges',
  },
  {
    options: ['groundHeight', 'groundRoughness'],
    beside: ({ ground }) => ground === undefined,
    why: 'there is no ground without --ground',
  },
  {
    options: ['shard', 'resume', 'plan', 'cluster', 'distribute', 'adjust', 'unitTimeout'],
    beside: ({ preview }) => preview === true,
    why: '--preview draws one image of each class here and ends',
  },
  {
    options: ['distribute', 'adjust', 'unitTimeout'],
    beside: ({ cluster }) => cluster === undefined,
    why: 'it is for runs with --cluster',
  },
]

/** @throws InputError for an option that is given on the command line and would be ignored */
function refuseIgnored(command: Command): void {
  refuseBeside(command, command.opts<Raw>(), {})
}

/**
 * The same with a dataset's configuration, whose settings are refused beside full wave alone: others may come from it for several methods.
 * @param raw     options and settings together
 * @param solver  settings of the configuration
 */
export function refuseBeside(command: Command, raw: Raw, solver: Raw): void {
  for (const { options, beside, why } of IGNORED) {
    if (!beside(raw)) continue
    for (const option of command.options) {
      const key = option.attributeName()
      if (!options.includes(key)) continue
      if (command.getOptionValueSource(key) === 'cli')
        throw new InputError(`${option.long}: ${why}; leave it out`)
      const name = option.long!.slice(2)
      if (raw.method === 'mom' && Object.hasOwn(solver, name))
        throw new InputError(`solver: "${name}": ${why}; leave it out`)
    }
  }
}

/** Options that render and rcs share, as resolved. */
export interface SolverOptions extends ResolvedSettings {
  /** The cluster that does the work; absent for local runs. */
  cluster?: ClusterRequest
  out?: string
  resume: boolean
  force: boolean
  /** The plan alone is wanted. */
  plan: boolean
}

/** Those that say how a run is spread over a cluster. */
export const CLUSTER_OPTIONS = ['--cluster', '--distribute', '--adjust', '--unit-timeout']

/** Adds the solver's options to a command, and help in groups. @param refused  options that the command refuses, with the reason: help does not offer them */
export function addSolverOptions(command: Command, refused: readonly string[] = []): Command {
  command.hook('preAction', refuseIgnored)
  for (const option of settingOptions(command.name())) command.addOption(option)
  command
    .optionsGroup(heading('Output'))
    .option('--out <path>', 'where results go')
    .addOption(advanced(command.createOption('--json', 'print one JSON summary on stdout')))
    .optionsGroup(heading('Run'))
    .addOption(planOption())
    .option('--resume', 'continue an interrupted run')
    .option('--force', 'overwrite results')
    .addOption(advanced(command.createOption('--quiet', 'only errors on stderr')))
  addClusterOptions(command)
  for (const option of command.options) if (refused.includes(option.long!)) option.hideHelp()
  return addGroupedHelp(command)
}

/** Checks the raw options of commander. @throws InputError naming the option. */
export function solverOptions(raw: Record<string, unknown>): SolverOptions {
  checkCheck(raw)
  if (raw.plan && raw.cluster !== undefined)
    throw new InputError('--plan is of this machine, and a cluster has others; leave --cluster out')
  if ((raw.method === 'gpueco' || raw.method === 'mom') && raw.errorEstimate)
    throw new InputError(
      `--error-estimate: there are no ray tubes to coarsen with --method ${raw.method}; leave it out`,
    )
  return {
    ...resolveSettings(readSettings(raw), optionName),
    cluster: clusterOptions(raw),
    out: raw.out as string | undefined,
    resume: raw.resume === true,
    force: raw.force === true,
    plan: raw.plan === true,
  }
}

function checkCheck({ check, cluster, fast }: Record<string, unknown>): void {
  if (check && fast) throw new InputError('--check needs a full sweep; leave --fast out')
  if (check && cluster !== undefined)
    throw new InputError('--check runs on this machine alone; leave --cluster out')
}

/** Options of images of moving targets. @param when  of what they are */
export const motionImageOptions = (when: string): Option[] => [
  new Option('--translation <which>', `${when}: of the known motion`)
    .choices(['removed', 'kept'])
    .default('removed'),
  new Option('--autofocus <method>', `${when}: minimum entropy, phase gradient or map drift`).choices([
    ...AUTOFOCUS,
  ]),
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

/** `--formats LIST`. */
export const formatsOption = (help: string): Option => new Option('--formats <list>', help)

/** What `--formats` asks for, each once; of arrays and of others that the command has. @throws InputError */
export function parseFormats<T extends string = never>(
  { formats }: Record<string, unknown>,
  others: readonly T[] = [],
): (ArrayFormat | T)[] {
  if (formats === undefined) return []
  const names = String(formats).split(',')
  const known: readonly string[] = [...ARRAY_FORMATS, ...others]
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined)
    throw new InputError(`--formats: "${wrong}" is not a format; give some of ${known.join(',')}`)
  return [...new Set(names as (ArrayFormat | T)[])]
}

export const planOption = (): Option => new Option('--plan', 'print what the run would take, and end')
