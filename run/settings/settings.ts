import { z } from 'zod'
import type { SecondOrder } from '../../cpu-diffraction/index.js'
import { InputError } from '../../scene/index.js'
import { type SbrOptions } from '../../rays/index.js'
import { SOLVER_SETTINGS } from './declarations.js'
import { readText, type Setting } from './types.js'

export { DEVICES } from './declarations.js'

type Settings = Record<string, Setting>
/** Declared settings as callers give them. */
export type SettingsOf<S extends Settings> = { [K in keyof S]?: z.input<S[K]['type']> }
/** Declared settings as checked, with defaults. */
export type CheckedOf<S extends Settings> = { [K in keyof S]: z.output<S[K]['type']> }

/** How a target is solved (docs/options.md); everything has a default. Lengths in metres, angles in degrees. */
export type SolverSettings = SettingsOf<typeof SOLVER_SETTINGS>

type Checked = CheckedOf<typeof SOLVER_SETTINGS>

/** Settings that the resolved ones hold in `sbr`. */
type Rays = 'raysPerWavelength' | 'maxBounces' | 'subdivisions' | 'formulation' | 'frequencyTolerance'

/** Settings as checked, with every default filled in that does not depend on the target. */
export interface ResolvedSettings extends Omit<Checked, Rays | 'pixels' | 'diffraction' | 'secondOrder'> {
  /** Along a side of the image that gpueco draws; absent with rays. */
  pixels?: number
  sbr: SbrOptions
  diffraction: NonNullable<Checked['diffraction']>
  /** Absent where the target decides (`withSecondOrder`). */
  secondOrder?: SecondOrder[]
}

/** Names of all settings. */
export const SETTINGS = Object.keys(SOLVER_SETTINGS) as (keyof SolverSettings)[]

/** A setting's declaration. */
export const settingOf = (name: keyof SolverSettings): Setting => SOLVER_SETTINGS[name]

/** Declared options of a command, by their names in the library. */
export type Declared = Record<string, Setting>

/** A name as options write it. */
export const dashed = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

/** Option of a setting on the command line, without the first dashes. */
export const optionOf = (name: string): string => (SOLVER_SETTINGS as Settings)[name]?.option ?? dashed(name)

/** Key of an option's value among raw ones: `no-cache` is `cache`, `max-bounces` `maxBounces`. */
export const keyOfOption = (option: string): string =>
  option.replace(/^no-/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Values of declared options from raw ones by option, texts or flags. @throws InputError naming the option, for text that is no number */
const valuesOfText = (
  declared: Declared,
  raw: Record<string, unknown>,
  nameOf: (name: string) => string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(declared).map(([name, setting]) => {
      const value = raw[keyOfOption(setting.option ?? dashed(name))]
      const given = setting.fromOption ? setting.fromOption(value, raw) : value
      return [name, typeof given === 'string' ? readText(given, setting, nameOf(name)) : given]
    }),
  )

/** The solver's settings from raw ones. @throws InputError naming the option */
export const settingsOfText = (
  raw: Record<string, unknown>,
  nameOf: (name: string) => string,
): SolverSettings => valuesOfText(SOLVER_SETTINGS, raw, nameOf)

/** Checks a command's own options and fills in defaults. @param raw  texts and flags of the command line. @throws InputError naming the option */
export function readDeclared<D extends Declared>(declared: D, raw: Record<string, unknown>): CheckedOf<D> {
  const nameOf = (name: string): string => `--${declared[name]?.option ?? dashed(name)}`
  return checkDeclared(declared, valuesOfText(declared, raw, nameOf), nameOf)
}

/** The same of values as the library takes them. */
export function checkDeclared<D extends Declared>(
  declared: D,
  given: Record<string, unknown>,
  nameOf: (name: string) => string = (name) => name,
): CheckedOf<D> {
  const types = Object.entries(declared).map(([name, { type }]) => [name, type])
  // Records keep the order of the declarations: options without a default are included too.
  const values = Object.fromEntries(Object.keys(declared).map((name) => [name, given[name]]))
  const { data, error } = z.object(Object.fromEntries(types) as Record<string, z.ZodType>).safeParse(values)
  if (!error) return data as CheckedOf<D>
  const [{ path, message }] = error.issues
  throw new InputError(`${nameOf(String(path[0]))}: ${message}`)
}

/** Edge diffraction of each method by default. Full wave has that of edges in its currents. */
const DIFFRACTION = { sbr: 'tw-ildc', gpueco: 'eec', mom: 'none' } as const

type NameOf = (name: keyof SolverSettings) => string

/**
 * Checks settings and fills in defaults.
 * @param nameOf  name of a setting in messages: on the command line its option
 * @throws InputError naming the setting, for a value out of range or settings that contradict each other
 */
export function resolveSettings(given: SolverSettings, nameOf: NameOf = (name) => name): ResolvedSettings {
  const { device, method, pixels, ...rest }: Checked = checkDeclared(SOLVER_SETTINGS, given, (name) =>
    nameOf(name as keyof SolverSettings),
  )
  const { raysPerWavelength, maxBounces, subdivisions, formulation, frequencyTolerance, ...others } = rest
  const diffraction = others.diffraction ?? DIFFRACTION[method]
  const settings: ResolvedSettings = {
    device,
    method,
    ...(method === 'gpueco' && { pixels }),
    sbr: {
      raysPerWavelength,
      maxBounces: method === 'gpueco' ? 1 : maxBounces,
      subdivisions,
      formulation,
      ...(frequencyTolerance === 0 ? { frequencySum: 'direct' } : { sumTolerance: frequencyTolerance }),
    },
    ...others,
    diffraction,
  }
  checkTogether(settings, nameOf)
  return settings
}

/** Combinations of settings. @throws InputError */
function checkTogether(settings: ResolvedSettings, nameOf: NameOf): void {
  const { method, sbr, diffraction, secondOrder = [] } = settings
  const refuse = (option: string, why: string): never => {
    throw new InputError(`${option}${why} with ${nameOf('method')} ${method}; leave it out`)
  }
  if (method === 'mom') {
    if (diffraction !== 'none')
      refuse(`${nameOf('diffraction')} ${diffraction}`, ': the currents at edges are part of the solution')
    if (sbr.formulation === 'exit') refuse(`${nameOf('formulation')} exit`, ': there are no rays')
    if (settings.mechanisms) refuse(nameOf('mechanisms'), ': there is one field, without parts')
    if (settings.check)
      refuse(nameOf('check'), ': energy, residual and condition are checked and recorded in each run')
  }
  if (method === 'gpueco') {
    if (sbr.formulation === 'exit') refuse(`${nameOf('formulation')} exit`, ': there is no exit polygon')
    if (diffraction === 'eec' && secondOrder.length > 0)
      refuse(nameOf('secondOrder'), ': equivalent currents are of first order')
    if (settings.check)
      throw new InputError(`${nameOf('check')} needs rays; leave it out with ${nameOf('method')} gpueco`)
  }
  if (diffraction === 'none' && secondOrder.length > 0)
    throw new InputError(
      `${nameOf('secondOrder')} ${secondOrder.join(',')} needs the edges that ${nameOf('diffraction')} none disables; give one or the other`,
    )
}

/** Options of a run that are no settings: output and reporting. */
const NOT_RECORDED = new Set(['out', 'resume', 'force', 'json', 'plan', 'quiet', 'cluster'])

const settingNamed = (name: string): Partial<Setting> =>
  Object.hasOwn(SOLVER_SETTINGS, name) ? settingOf(name as keyof SolverSettings) : {}

/** Settings that identify a run, for its record and the key that `--resume` checks: those that affect results. */
export const strip = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(([name]) => {
      const { affectsResults = true, recorded } = settingNamed(name)
      return !NOT_RECORDED.has(name) && (affectsResults || recorded)
    }),
  )

/**
 * Settings that identify a dataset's solver: those that its configuration may hold and that affect results, without the device; the device
 * in use is recorded instead.
 */
export const stripForDataset = (options: ResolvedSettings): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(strip({ ...options })).filter(([name]) => {
      const { affectsResults = true, dataset = true } = settingNamed(name)
      return affectsResults && dataset && name !== 'device'
    }),
  )
