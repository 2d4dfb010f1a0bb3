import { SECOND_ORDER, type SecondOrder, type Truncation } from '../cpu-diffraction/index.js'
import { type Schedule, SCHEDULES } from '../pipeline/index.js'
import {
  type Channel,
  CHANNELS,
  DEFAULT_PIXELS,
  InputError,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  type SbrOptions,
  SUM_TOLERANCE,
  type Unit,
  UNITS,
  type Vec3,
} from '../scene/index.js'
import { finite, numberIn, oneOf, wholeIn } from './check-values.js'
import { type Traversal, TRAVERSALS } from './solver.js'

export const DEVICES = ['auto', 'gpu', 'cpu'] as const
export const METHODS = ['sbr', 'gpueco'] as const
export const FORMULATIONS = ['all-bounces', 'exit'] as const
export const DIFFRACTIONS = ['tw-ildc', 'tw-ildc-j', 'eec', 'none'] as const
/** Most worker threads. */
const MAX_WORKERS = 1024

/** How a target is solved; everything has a default. Lengths in metres, angles in degrees. */
export interface SolverSettings {
  /** Where rays run: `auto` takes a hardware GPU where there is one, else the CPU in double precision. Default auto. */
  device?: (typeof DEVICES)[number]
  /** Shooting and bouncing rays, or rasterised physical optics with equivalent edge currents. Default sbr. */
  method?: (typeof METHODS)[number]
  /** Physical-optics currents at every bounce, or the exit polygon alone. Default all-bounces. */
  formulation?: (typeof FORMULATIONS)[number]
  /** What the mesh's coordinates are in. Default m. */
  units?: Unit
  /** Neighbouring facets bent by less belong to one smooth surface [degrees]. Default 20. */
  smoothAngleDeg?: number
  /** Facets bent by less are made curved [degrees]; absent: all stay plane. */
  curvedDeg?: number
  /** Edge diffraction: exact truncated wedges, Johansen's, untruncated equivalent edge currents, or none. Default tw-ildc (eec with gpueco). */
  diffraction?: (typeof DIFFRACTIONS)[number]
  /** An edge diffracts when its interior wedge angle is less than this [degrees]. Default 160. */
  maxWedgeAngleDeg?: number
  /** Mechanisms of second order at edges. Default none. */
  secondOrder?: readonly SecondOrder[]
  /** Ray tubes per wavelength at the highest frequency. Default 10. */
  raysPerWavelength?: number
  /** Reflections followed. Default 5. */
  maxBounces?: number
  /** Pixels along a side of the image that gpueco draws. Default 1024. */
  pixels?: number
  /** Times that a tube across an edge is cut into 2 x 2. Default 2. */
  subdivisions?: number
  /** How rays find facets; never changes a byte. Default auto. */
  traversal?: Traversal
  /** Error of the frequency summation, relative to the sum of magnitudes; 0: every contribution at every frequency. Default 1e-5. */
  frequencyTolerance?: number
  /** Folder where hierarchies of large meshes are kept; null (the default of the library): nothing is kept. */
  cache?: string | null
  /** Tubes along one side of a sub-grid of the aperture; never changes a byte. Default 2048. */
  subGrid?: number
  /** How edge diffraction shares the time with rays; never changes a byte. Default overlapped. */
  schedule?: Schedule
  /** Worker threads; default: all cores for rays on the CPU; for edges one less, of 8 cores or more two. */
  workers?: number
  /** Channels to return (transmit, receive). Default all four. */
  channels?: readonly Channel[]
  /** Point that phases are referred to [m]. Default the mesh's origin. */
  phaseCentre?: Readonly<Vec3>
  /** Also return the part of each bounce (`b1`, `b2`, ...) and of the edges (`edge`), which sum to the total. Default false. */
  mechanisms?: boolean
  /** Also check energy and reciprocity at some aspects (`meta.check`). Default false. */
  check?: boolean
}

/** Names of all settings. */
export const SETTINGS = [
  'device',
  'method',
  'formulation',
  'units',
  'smoothAngleDeg',
  'curvedDeg',
  'diffraction',
  'maxWedgeAngleDeg',
  'secondOrder',
  'raysPerWavelength',
  'maxBounces',
  'pixels',
  'subdivisions',
  'traversal',
  'frequencyTolerance',
  'cache',
  'subGrid',
  'schedule',
  'workers',
  'channels',
  'phaseCentre',
  'mechanisms',
  'check',
] as const satisfies readonly (keyof SolverSettings)[]

/** Settings as checked, with every default filled in. */
export interface ResolvedSettings {
  device: (typeof DEVICES)[number]
  method: (typeof METHODS)[number]
  /** Along a side of the image that gpueco draws. */
  pixels?: number
  sbr: SbrOptions
  units: Unit
  smoothAngleDeg: number
  /** Facets bent by less are made curved [degrees]; absent where all stay plane. */
  curvedDeg?: number
  diffraction: Truncation | 'none'
  maxWedgeAngleDeg: number
  /** Mechanisms of second order at edges; none where empty. */
  secondOrder: SecondOrder[]
  schedule: Schedule
  /** Also give each bounce's and the edges' part. */
  mechanisms: boolean
  subGrid: number
  traversal: Traversal
  /** Folder of the hierarchies of large meshes; null: none are kept. */
  cache: string | null
  /** Worker threads, where given. */
  workers?: number
  /** Also check energy and reciprocity. */
  check: boolean
  channels: Channel[]
  phaseCentre: Vec3
}

/** Numbers that stand where none is given. */
export const DEFAULTS = {
  smoothAngleDeg: 20,
  maxWedgeAngleDeg: 160,
  raysPerWavelength: 10,
  maxBounces: 5,
  pixels: DEFAULT_PIXELS,
  subdivisions: 2,
  frequencyTolerance: SUM_TOLERANCE,
  subGrid: 2048,
} as const

/**
 * Checks settings and fills in defaults.
 * @param nameOf  how a setting is called in messages: the command line has its options
 * @throws InputError naming the setting, for a value out of range or settings that contradict each other
 */
export function resolveSettings(
  given: SolverSettings,
  nameOf: (key: keyof SolverSettings) => string = (key) => key,
): ResolvedSettings {
  const number = (key: keyof typeof DEFAULTS, low: number, high: number): number =>
    numberIn(given[key] ?? DEFAULTS[key], nameOf(key), low, high)
  const whole = (key: keyof typeof DEFAULTS, low: number, high: number): number =>
    wholeIn(given[key] ?? DEFAULTS[key], nameOf(key), low, high)
  const method = oneOf(given.method ?? 'sbr', nameOf('method'), METHODS)
  const diffraction = oneOf(
    given.diffraction ?? (method === 'gpueco' ? 'eec' : 'tw-ildc'),
    nameOf('diffraction'),
    DIFFRACTIONS,
  )
  if (method === 'gpueco') checkRaster(given, diffraction, nameOf)
  const formulation = oneOf(given.formulation ?? 'all-bounces', nameOf('formulation'), FORMULATIONS)
  return {
    device: oneOf(given.device ?? 'auto', nameOf('device'), DEVICES),
    method,
    ...(method === 'gpueco' ? { pixels: whole('pixels', 16, 16384) } : {}),
    sbr: {
      raysPerWavelength: number('raysPerWavelength', 1, 1000),
      maxBounces: method === 'gpueco' ? 1 : whole('maxBounces', 1, MAX_BOUNCES),
      subdivisions: whole('subdivisions', 0, MAX_SUBDIVISIONS),
      formulation,
      ...checkTolerance(given.frequencyTolerance, nameOf('frequencyTolerance')),
    },
    units: oneOf(given.units ?? 'm', nameOf('units'), Object.keys(UNITS) as Unit[]),
    smoothAngleDeg: number('smoothAngleDeg', 0, 180),
    curvedDeg: checkCurved(given.curvedDeg, nameOf('curvedDeg')),
    diffraction,
    maxWedgeAngleDeg: number('maxWedgeAngleDeg', 1, 179),
    secondOrder: checkSecondOrder(given.secondOrder ?? [], diffraction, nameOf),
    schedule: oneOf(given.schedule ?? 'overlapped', nameOf('schedule'), SCHEDULES),
    mechanisms: given.mechanisms === true,
    subGrid: whole('subGrid', 16, 65536),
    traversal: oneOf(given.traversal ?? 'auto', nameOf('traversal'), TRAVERSALS),
    cache: given.cache ?? null,
    workers:
      given.workers === undefined ? undefined : wholeIn(given.workers, nameOf('workers'), 1, MAX_WORKERS),
    check: checkCheck(given, method, nameOf),
    channels: checkChannels(given.channels ?? CHANNELS, nameOf('channels')),
    phaseCentre: checkPoint(given.phaseCentre ?? [0, 0, 0], nameOf('phaseCentre')),
  }
}

type NameOf = (key: keyof SolverSettings) => string

/** What rasterised physical optics cannot do. @throws InputError naming the setting */
function checkRaster(given: SolverSettings, diffraction: string, nameOf: NameOf): void {
  const refuse = (option: string, why: string): never => {
    throw new InputError(`${option}: ${why} with ${nameOf('method')} gpueco; leave it out`)
  }
  if (given.formulation === 'exit') refuse(`${nameOf('formulation')} exit`, 'there is no exit polygon')
  if (diffraction === 'eec' && (given.secondOrder ?? []).length > 0)
    refuse(nameOf('secondOrder'), 'equivalent currents are of first order')
}

function checkSecondOrder(wanted: readonly string[], diffraction: string, nameOf: NameOf): SecondOrder[] {
  const option = nameOf('secondOrder')
  if (!Array.isArray(wanted)) throw new InputError(`${option}: give a list of ${SECOND_ORDER.join(', ')}`)
  if (wanted.length === 0) return []
  for (const name of wanted)
    if (!SECOND_ORDER.includes(name as SecondOrder))
      throw new InputError(
        `${option}: "${name}" is not a mechanism; give none or some of ${SECOND_ORDER.join(',')}`,
      )
  const list = wanted.join(',')
  if (diffraction === 'none')
    throw new InputError(
      `${option} ${list} needs the edges that ${nameOf('diffraction')} none leaves out; give one or the other`,
    )
  return SECOND_ORDER.filter((name) => wanted.includes(name))
}

function checkTolerance(
  tolerance: number = DEFAULTS.frequencyTolerance,
  option: string,
): Pick<SbrOptions, 'frequencySum' | 'sumTolerance'> {
  if (tolerance === 0) return { frequencySum: 'direct' }
  return { sumTolerance: numberIn(tolerance, option, 1e-10, 1e-2) }
}

function checkCurved(bend: number | undefined, option: string): number | undefined {
  if (bend === undefined) return undefined
  if (numberIn(bend, option, 0, 90) === 0)
    throw new InputError(`${option}: a bend of 0 makes no surface curved; give more, or leave it out`)
  return bend
}

function checkCheck({ check }: SolverSettings, method: string, nameOf: NameOf): boolean {
  if (check && method === 'gpueco')
    throw new InputError(`${nameOf('check')} needs rays; leave it out with ${nameOf('method')} gpueco`)
  return check === true
}

function checkChannels(wanted: readonly string[], option: string): Channel[] {
  const all = CHANNELS.join(',')
  if (!Array.isArray(wanted) || wanted.length === 0)
    throw new InputError(`${option}: give some of ${all} (transmit, receive)`)
  for (const c of wanted)
    if (!CHANNELS.includes(c as Channel))
      throw new InputError(
        `${option}: "${c}" is not a channel; give some of ${all} (transmit, receive) or all`,
      )
  return CHANNELS.filter((c) => wanted.includes(c))
}

function checkPoint(point: Readonly<Vec3>, option: string): Vec3 {
  if (!Array.isArray(point) || point.length !== 3)
    throw new InputError(`${option}: write three numbers, like 0,0,1.5`)
  return point.map((x) => finite(x, option)) as Vec3
}

/** What identifies a run, for its record: everything but where it goes, how it reports, and what never changes a byte. */
export function strip(options: Record<string, unknown>): Record<string, unknown> {
  const { out, resume, force, json, quiet, workers, cluster, schedule, subGrid, cache, check, ...rest } =
    options
  void [out, resume, force, json, quiet, workers, cluster, schedule, subGrid, cache, check]
  return rest
}
