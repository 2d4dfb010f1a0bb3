import { type Command, Option } from 'commander'
import { SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/index.js'
import { type Schedule, SCHEDULES } from '../../pipeline/index.js'
import { type Channel, CHANNELS, InputError, type Unit, UNITS } from '../../scene/index.js'
import { cacheFolder } from '../bvh-cache.js'
import type { ClusterRequest } from '../cluster.js'
import {
  DEFAULTS,
  DEVICES,
  DIFFRACTIONS,
  FORMULATIONS,
  METHODS,
  resolveSettings,
  type ResolvedSettings,
  type SolverSettings,
} from '../settings.js'
import { type Traversal, TRAVERSALS } from '../solver.js'
import { addClusterOptions, clusterOptions } from './cluster-options.js'
import { refuseIgnored } from './ignored-options.js'
import { parsePoint, plainNumber } from './quantity.js'

/** Options that render and rcs share, as resolved. */
export interface SolverOptions extends ResolvedSettings {
  /** Where the work is done by a cluster. */
  cluster?: ClusterRequest
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  quiet: boolean
}

/** Adds the solver's options to a command. */
export function addSolverOptions(command: Command): Command {
  command
    .hook('preAction', refuseIgnored)
    .addOption(new Option('--device <which>', 'where SBR runs').choices([...DEVICES]).default('auto'))
    .addOption(new Option('--method <which>', 'solver').choices([...METHODS]).default('sbr'))
    .addOption(
      new Option('--formulation <which>', 'currents at every bounce, or the exit polygon alone')
        .choices([...FORMULATIONS])
        .default('all-bounces'),
    )
    .addOption(
      new Option('--units <unit>', 'what the mesh file is in').choices(Object.keys(UNITS)).default('m'),
    )
    .option(
      '--smooth-angle <deg>',
      'facets bent by less belong to one smooth surface',
      String(DEFAULTS.smoothAngleDeg),
    )
    .option(
      '--curved [deg]',
      'bend facets to the curved surface of neighbours bent by less (default: the smooth angle)',
    )
    .addOption(
      new Option('--diffraction <which>', 'edge diffraction (default: tw-ildc; eec with gpueco)').choices([
        ...DIFFRACTIONS,
      ]),
    )
    .option(
      '--max-wedge-angle <deg>',
      'an edge diffracts when its interior wedge angle is less',
      String(DEFAULTS.maxWedgeAngleDeg),
    )
    .option(
      '--second-order <list>',
      `mechanisms of second order at edges: none, or ${SECOND_ORDER.join(',')}`,
      'none',
    )
    .option('--mechanisms', 'also write each bounce’s and the edges’ part')
    .option(
      '--rays-per-wavelength <n>',
      'ray tubes per wavelength at the highest frequency',
      String(DEFAULTS.raysPerWavelength),
    )
    .option('--max-bounces <n>', 'reflections followed', String(DEFAULTS.maxBounces))
    .option('--pixels <n>', 'pixels along a side of the image that gpueco draws', String(DEFAULTS.pixels))
    .option('--subdivide <n>', 'times a tube across an edge is cut into 2 x 2', String(DEFAULTS.subdivisions))
    .addOption(
      new Option('--traversal <which>', 'how rays find facets; never changes a byte')
        .choices([...TRAVERSALS])
        .default('auto'),
    )
    .option(
      '--frequency-tolerance <x>',
      'error of the frequency summation, relative to the sum of magnitudes; 0: direct summation',
      String(DEFAULTS.frequencyTolerance),
    )
    .option('--no-cache', 'build the hierarchy of a large mesh anew, and keep none')
    .option('--sub-grid <n>', 'tubes along one side of a sub-grid of the aperture', String(DEFAULTS.subGrid))
    .addOption(
      new Option('--schedule <which>', 'how edge diffraction shares the time with SBR; never changes a byte')
        .choices([...SCHEDULES])
        .default('overlapped'),
    )
    .option(
      '--workers <n>',
      'worker threads (default: one less than the cores, two of 8 or more; all of them for SBR with --device cpu)',
    )
    .option('--pol <list>', 'channels to write: vv,hh,vh,hv or all (transmit, receive)', 'all')
    .option('--phase-centre <x,y,z>', 'point that phases are referred to [m]', '0,0,0')
    .option('--out <path>', 'where results go')
    .option('--resume', 'go on with an interrupted run')
    .option('--force', 'overwrite results')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
  return addClusterOptions(command)
}

/** What settings are called on the command line, where that is not their name with dashes. */
const OPTION_NAMES: Partial<Record<keyof SolverSettings, string>> = {
  smoothAngleDeg: '--smooth-angle',
  curvedDeg: '--curved',
  maxWedgeAngleDeg: '--max-wedge-angle',
  subdivisions: '--subdivide',
  channels: '--pol',
}

export const optionName = (key: keyof SolverSettings): string =>
  OPTION_NAMES[key] ?? `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`

/** Checks the raw options of commander. @throws InputError naming the option. */
export function solverOptions(raw: Record<string, unknown>): SolverOptions {
  const text = (key: string): string => String(raw[key])
  const number = (key: string, name: keyof SolverSettings): number => plainNumber(text(key), optionName(name))
  checkCheck(raw)
  if (raw.method === 'gpueco' && raw.errorEstimate)
    throw new InputError(
      '--error-estimate: there are no ray tubes to coarsen with --method gpueco; leave it out',
    )
  const settings: SolverSettings = {
    device: text('device') as SolverSettings['device'],
    method: text('method') as SolverSettings['method'],
    formulation: text('formulation') as SolverSettings['formulation'],
    units: text('units') as Unit,
    smoothAngleDeg: number('smoothAngle', 'smoothAngleDeg'),
    // Without a number the smooth angle is meant.
    curvedDeg:
      raw.curved === undefined
        ? undefined
        : number(raw.curved === true ? 'smoothAngle' : 'curved', 'curvedDeg'),
    diffraction: raw.diffraction as SolverSettings['diffraction'],
    maxWedgeAngleDeg: number('maxWedgeAngle', 'maxWedgeAngleDeg'),
    secondOrder: splitList(text('secondOrder'), 'none', []) as SecondOrder[],
    raysPerWavelength: number('raysPerWavelength', 'raysPerWavelength'),
    maxBounces: number('maxBounces', 'maxBounces'),
    pixels: number('pixels', 'pixels'),
    subdivisions: number('subdivide', 'subdivisions'),
    traversal: text('traversal') as Traversal,
    frequencyTolerance: number('frequencyTolerance', 'frequencyTolerance'),
    cache: raw.cache === false ? null : cacheFolder(),
    subGrid: number('subGrid', 'subGrid'),
    schedule: text('schedule') as Schedule,
    workers: raw.workers === undefined ? undefined : number('workers', 'workers'),
    channels: splitList(text('pol').toLowerCase(), 'all', CHANNELS) as Channel[],
    phaseCentre: parsePoint(text('phaseCentre'), '--phase-centre'),
    mechanisms: raw.mechanisms === true,
    check: raw.check === true,
  }
  return {
    ...resolveSettings(settings, optionName),
    cluster: clusterOptions(raw),
    out: raw.out as string | undefined,
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    quiet: raw.quiet === true,
  }
}

/** `a,b,c`, or what one word stands for. */
const splitList = (text: string, word: string, meaning: readonly string[]): readonly string[] =>
  text === word ? meaning : text.split(',').map((x) => x.trim())

/** For commands that run one sweep. */
export const checkOption = (): Option =>
  new Option('--check', 'also check energy and reciprocity at some aspects (in meta.json)')

function checkCheck({ check, cluster, fast }: Record<string, unknown>): void {
  if (check && fast) throw new InputError('--check looks at a full sweep; leave --fast out')
  if (check && cluster !== undefined)
    throw new InputError('--check runs on this machine alone; leave --cluster out')
}
