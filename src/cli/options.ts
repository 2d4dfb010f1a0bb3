import { type Command, Option } from 'commander'
import { SECOND_ORDER, type SecondOrder, type Truncation } from '../../cpu-diffraction/index.js'
import { type Schedule, SCHEDULES } from '../../pipeline/index.js'
import {
  type Channel,
  CHANNELS,
  FREQUENCY_SUMS,
  type FrequencySum,
  InputError,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  type SbrOptions,
  SUM_TOLERANCE,
  type Unit,
  UNITS,
  type Vec3,
} from '../../scene/index.js'
import { cacheFolder } from '../bvh-cache.js'
import { DEFAULT_PIXELS, type Traversal, TRAVERSALS } from '../solver.js'
import type { ClusterRequest } from '../cluster.js'
import { addClusterOptions, clusterOptions } from './cluster-options.js'
import { parseCount, parseNumber, parsePoint } from './quantity.js'

/** Options that render and rcs share, as resolved. */
export interface SolverOptions {
  device: 'auto' | 'gpu' | 'cpu'
  method: 'sbr' | 'gpueco' | 'po'
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
  /** Also write each bounce's and the edges' part. */
  mechanisms: boolean
  subGrid: number
  traversal: Traversal
  /** Folder of the hierarchies of large meshes; null: none are kept. */
  cache: string | null
  /** Share of edge diffraction's frequency-dependent part that runs on the GPU. */
  gpuEdges: number | 'auto'
  /** Worker threads, where given. */
  workers?: number
  /** Where the work is done by a cluster. */
  cluster?: ClusterRequest
  /** Also check energy and reciprocity. */
  check: boolean
  channels: Channel[]
  phaseCentre: Vec3
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  quiet: boolean
}

/** Adds the solver's options to a command. */
export function addSolverOptions(command: Command): Command {
  command
    .addOption(
      new Option('--device <which>', 'where SBR runs').choices(['auto', 'gpu', 'cpu']).default('auto'),
    )
    .addOption(new Option('--method <which>', 'solver').choices(['sbr', 'gpueco', 'po']).default('sbr'))
    .addOption(
      new Option('--formulation <which>', 'currents at every bounce, or the exit polygon alone')
        .choices(['all-bounces', 'exit'])
        .default('all-bounces'),
    )
    .addOption(
      new Option('--units <unit>', 'what the mesh file is in').choices(Object.keys(UNITS)).default('m'),
    )
    .option('--smooth-angle <deg>', 'facets bent by less belong to one smooth surface', '20')
    .option(
      '--curved [deg]',
      'bend facets to the curved surface of neighbours bent by less (default: the smooth angle)',
    )
    .addOption(
      new Option('--diffraction <which>', 'edge diffraction (default: tw-ildc; eec with gpueco)').choices([
        'tw-ildc',
        'tw-ildc-j',
        'eec',
        'none',
      ]),
    )
    .option('--max-wedge-angle <deg>', 'an edge diffracts when its interior wedge angle is less', '160')
    .option(
      '--second-order <list>',
      `mechanisms of second order at edges: none, or ${SECOND_ORDER.join(',')}`,
      'none',
    )
    .option('--mechanisms', 'also write each bounce’s and the edges’ part')
    .option('--rays-per-wavelength <n>', 'ray tubes per wavelength at the highest frequency', '10')
    .option('--max-bounces <n>', 'reflections followed', '5')
    .option('--pixels <n>', 'pixels along a side of the image that gpueco draws', String(DEFAULT_PIXELS))
    .option('--subdivide <n>', 'times a tube across an edge is cut into 2 x 2', '2')
    .option('--adaptive', 'tubes as large as the facets allow')
    .addOption(
      new Option('--traversal <which>', 'how rays find facets; never changes a byte')
        .choices([...TRAVERSALS])
        .default('auto'),
    )
    .addOption(
      new Option('--frequency-sum <how>', 'sum frequencies one by one, or all at once to a tolerance')
        .choices([...FREQUENCY_SUMS])
        .default('auto'),
    )
    .option(
      '--frequency-tolerance <x>',
      'error of sums of all frequencies at once, relative to the sum of magnitudes',
      String(SUM_TOLERANCE),
    )
    .option('--no-cache', 'build the hierarchy of a large mesh anew, and keep none')
    .option('--sub-grid <n>', 'tubes along one side of a sub-grid of the aperture', '2048')
    .addOption(
      new Option('--schedule <which>', 'how edge diffraction shares the time with SBR; never changes a byte')
        .choices([...SCHEDULES])
        .default('overlapped'),
    )
    .option(
      '--gpu-edges <share>',
      'part of edge diffraction on the GPU, in single precision: 0 to 1, or auto',
      '0',
    )
    .option(
      '--workers <n>',
      'worker threads (default: one less than the cores; all of them for SBR with --device cpu)',
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

/** Checks the raw options of commander. @throws InputError naming the option. */
export function solverOptions(raw: Record<string, unknown>): SolverOptions {
  const text = (key: string): string => String(raw[key])
  const method = text('method') as SolverOptions['method']
  const diffraction = String(raw.diffraction ?? (method === 'gpueco' ? 'eec' : 'tw-ildc'))
  if (method === 'gpueco') checkRaster(raw, diffraction)
  return {
    device: text('device') as SolverOptions['device'],
    method,
    ...(method === 'gpueco' ? { pixels: parseCount(text('pixels'), '--pixels', 16, 16384) } : {}),
    sbr: {
      raysPerWavelength: parseNumber(text('raysPerWavelength'), '--rays-per-wavelength', 1, 1000),
      maxBounces: method !== 'sbr' ? 1 : parseCount(text('maxBounces'), '--max-bounces', 1, MAX_BOUNCES),
      subdivisions: parseCount(text('subdivide'), '--subdivide', 0, MAX_SUBDIVISIONS),
      formulation: text('formulation') as SbrOptions['formulation'],
      adaptive: parseAdaptive(raw.adaptive === true, text('formulation')),
      frequencySum: text('frequencySum') as FrequencySum,
      sumTolerance: parseNumber(text('frequencyTolerance'), '--frequency-tolerance', 1e-10, 1e-2),
    },
    units: text('units') as Unit,
    smoothAngleDeg: parseNumber(text('smoothAngle'), '--smooth-angle', 0, 180),
    curvedDeg: parseCurved(raw.curved, text('smoothAngle')),
    diffraction: diffraction as SolverOptions['diffraction'],
    maxWedgeAngleDeg: parseNumber(text('maxWedgeAngle'), '--max-wedge-angle', 1, 179),
    secondOrder: parseSecondOrder(text('secondOrder'), diffraction, text('gpuEdges')),
    schedule: text('schedule') as Schedule,
    mechanisms: raw.mechanisms === true,
    subGrid: parseCount(text('subGrid'), '--sub-grid', 16, 65536),
    traversal: text('traversal') as Traversal,
    cache: raw.cache === false ? null : cacheFolder(),
    gpuEdges: parseShare(text('gpuEdges'), text('schedule')),
    workers: raw.workers === undefined ? undefined : parseCount(text('workers'), '--workers', 1, 1024),
    cluster: clusterOptions(raw),
    check: parseCheck(raw),
    channels: parseChannels(text('pol')),
    phaseCentre: parsePoint(text('phaseCentre'), '--phase-centre'),
    out: raw.out as string | undefined,
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    quiet: raw.quiet === true,
  }
}

/** What rasterised physical optics cannot do. @throws InputError naming the option */
function checkRaster(raw: Record<string, unknown>, diffraction: string): void {
  const refuse = (option: string, why: string): never => {
    throw new InputError(`${option}: ${why} with --method gpueco; leave it out`)
  }
  if (raw.formulation !== 'all-bounces') refuse('--formulation exit', 'there is no exit polygon')
  if (raw.adaptive === true) refuse('--adaptive', 'there are no ray tubes')
  if (raw.errorEstimate) refuse('--error-estimate', 'there are no ray tubes to coarsen')
  if (diffraction === 'eec' && Number(raw.gpuEdges) !== 0)
    refuse('--gpu-edges', 'equivalent currents are computed with the facets')
  if (diffraction === 'eec' && raw.secondOrder !== 'none')
    refuse('--second-order', 'equivalent currents are of first order')
}

function parseSecondOrder(list: string, diffraction: string, gpuEdges: string): SecondOrder[] {
  if (list === 'none') return []
  const wanted = list.split(',').map((x) => x.trim())
  for (const name of wanted)
    if (!SECOND_ORDER.includes(name as SecondOrder))
      throw new InputError(
        `--second-order: "${name}" is not a mechanism; give none or some of ${SECOND_ORDER.join(',')}`,
      )
  if (diffraction === 'none')
    throw new InputError(
      `--second-order ${list} needs the edges that --diffraction none leaves out; give one or the other`,
    )
  if (Number(gpuEdges) !== 0)
    throw new InputError(`--second-order ${list} runs on the worker threads alone; use --gpu-edges 0`)
  return SECOND_ORDER.filter((name) => wanted.includes(name))
}

function parseAdaptive(adaptive: boolean, formulation: string): boolean {
  if (adaptive && formulation === 'exit')
    throw new InputError(
      '--adaptive: the exit formulation drops tubes across edges, as the papers do; leave one of the two out',
    )
  return adaptive
}

function parseShare(text: string, schedule: string): number | 'auto' {
  const share = text === 'auto' ? text : parseNumber(text, '--gpu-edges', 0, 1)
  if (share !== 0 && schedule !== 'overlapped')
    throw new InputError(
      `--gpu-edges ${text}: the schedule ${schedule} leaves edges to the worker threads; use --schedule overlapped`,
    )
  return share
}

function parseCurved(raw: unknown, smoothAngle: string): number | undefined {
  if (raw === undefined) return undefined
  const [text, option] = raw === true ? [smoothAngle, '--smooth-angle'] : [String(raw), '--curved']
  const bend = parseNumber(text, option, 0, 90)
  if (bend === 0)
    throw new InputError(
      `--curved: a bend of 0 (${option}) makes no surface curved; give more, or leave it out`,
    )
  return bend
}

/** For commands that run one sweep. */
export const checkOption = (): Option =>
  new Option('--check', 'also check energy and reciprocity at some aspects (in meta.json)')

function parseCheck({ check, cluster, method, fast }: Record<string, unknown>): boolean {
  if (!check) return false
  if (fast) throw new InputError('--check looks at a full sweep; leave --fast out')
  if (cluster !== undefined) throw new InputError('--check runs on this machine alone; leave --cluster out')
  if (method === 'gpueco') throw new InputError('--check needs rays; leave it out with --method gpueco')
  return true
}

function parseChannels(text: string): Channel[] {
  if (text.toLowerCase() === 'all') return [...CHANNELS]
  const wanted = text
    .toLowerCase()
    .split(',')
    .map((c) => c.trim())
  for (const c of wanted)
    if (!CHANNELS.includes(c as Channel))
      throw new InputError(
        `--pol: "${c}" is not a channel; give some of vv,hh,vh,hv (transmit, receive) or all`,
      )
  return CHANNELS.filter((c) => wanted.includes(c))
}
