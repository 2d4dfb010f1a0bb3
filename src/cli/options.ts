import { type Command, Option } from 'commander'
import type { Truncation } from '../../cpu-diffraction/index.js'
import { type Schedule, SCHEDULES } from '../../pipeline/index.js'
import {
  type Channel,
  CHANNELS,
  InputError,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  type SbrOptions,
  type Unit,
  UNITS,
  type Vec3,
} from '../../scene/index.js'
import { parseCount, parseNumber, parsePoint } from './quantity.js'

/** Options that render and rcs share, as resolved. */
export interface SolverOptions {
  device: 'auto' | 'gpu' | 'cpu'
  method: 'sbr' | 'po'
  sbr: SbrOptions
  units: Unit
  smoothAngleDeg: number
  diffraction: Truncation | 'none'
  maxWedgeAngleDeg: number
  schedule: Schedule
  /** Also write each bounce's and the edges' part. */
  mechanisms: boolean
  subGrid: number
  /** Worker threads, where given. */
  workers?: number
  channels: Channel[]
  phaseCentre: Vec3
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  quiet: boolean
}

/** Values of CLI options that exist but whose engine is not part of this version, with what to use instead. */
const NOT_YET: Record<string, Record<string, string>> = {
  method: { gpueco: 'rasterised physical optics is not in this version; use --method sbr or po' },
  traversal: { ropes: 'the stackless traversal is not in this version; use --traversal auto or stack' },
}

/** Adds the solver's options to a command. */
export function addSolverOptions(command: Command): Command {
  return command
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
    .addOption(
      new Option('--diffraction <which>', 'edge diffraction')
        .choices(['tw-ildc', 'tw-ildc-j', 'eec', 'none'])
        .default('tw-ildc'),
    )
    .option('--max-wedge-angle <deg>', 'an edge diffracts when its interior wedge angle is less', '160')
    .option('--mechanisms', 'also write each bounce’s and the edges’ part')
    .option('--rays-per-wavelength <n>', 'ray tubes per wavelength at the highest frequency', '10')
    .option('--max-bounces <n>', 'reflections followed', '5')
    .option('--subdivide <n>', 'times a tube across an edge is cut into 2 x 2', '2')
    .addOption(
      new Option('--traversal <which>', 'ray traversal').choices(['auto', 'stack', 'ropes']).default('auto'),
    )
    .option('--sub-grid <n>', 'tubes along one side of a sub-grid of the aperture', '2048')
    .addOption(
      new Option('--schedule <which>', 'how edge diffraction shares the time with SBR; never changes a byte')
        .choices([...SCHEDULES])
        .default('overlapped'),
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
    .addOption(new Option('--cluster <url>', 'spread over the workers of this queue').hideHelp())
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
}

/** Checks the raw options of commander. @throws InputError naming the option. */
export function solverOptions(raw: Record<string, unknown>): SolverOptions {
  for (const [option, values] of Object.entries(NOT_YET)) {
    const reason = values[String(raw[option])]
    if (reason) throw new InputError(`--${option} ${String(raw[option])}: ${reason}`)
  }
  if (raw.cluster !== undefined)
    throw new InputError('--cluster: cluster runs are not in this version; leave it out')
  const text = (key: string): string => String(raw[key])
  const method = text('method') as 'sbr' | 'po'
  return {
    device: text('device') as SolverOptions['device'],
    method,
    sbr: {
      raysPerWavelength: parseNumber(text('raysPerWavelength'), '--rays-per-wavelength', 1, 1000),
      maxBounces: method === 'po' ? 1 : parseCount(text('maxBounces'), '--max-bounces', 1, MAX_BOUNCES),
      subdivisions: parseCount(text('subdivide'), '--subdivide', 0, MAX_SUBDIVISIONS),
      formulation: text('formulation') as SbrOptions['formulation'],
    },
    units: text('units') as Unit,
    smoothAngleDeg: parseNumber(text('smoothAngle'), '--smooth-angle', 0, 180),
    diffraction: text('diffraction') as SolverOptions['diffraction'],
    maxWedgeAngleDeg: parseNumber(text('maxWedgeAngle'), '--max-wedge-angle', 1, 179),
    schedule: text('schedule') as Schedule,
    mechanisms: raw.mechanisms === true,
    subGrid: parseCount(text('subGrid'), '--sub-grid', 16, 65536),
    workers: raw.workers === undefined ? undefined : parseCount(text('workers'), '--workers', 1, 1024),
    channels: parseChannels(text('pol')),
    phaseCentre: parsePoint(text('phaseCentre'), '--phase-centre'),
    out: raw.out as string | undefined,
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    quiet: raw.quiet === true,
  }
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
