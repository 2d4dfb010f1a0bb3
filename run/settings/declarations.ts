import { z } from 'zod'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import type { MaterialsDescription } from '../../formats/index.js'
import { SCHEDULES } from '../sweep/index.js'
import { CHANNELS, MAX_BOUNCES, MAX_SUBDIVISIONS, SUM_TOLERANCE } from '../../rays/index.js'
import { DEFAULT_PIXELS } from '../../rays/raster-scene.js'
import { type Unit, UNITS } from '../../scene/index.js'
import { cacheFolder } from '../../formats/bvh-cache.js'
import { choice, flag, outOfRange, point, real, type Setting, some, whole } from './types.js'
import { METHODS, TRAVERSALS } from '../solver.js'

/** Commands that solve one target. */
const SWEEPS = ['render', 'rcs', 'compare', 'doppler']
const OVER_GROUND = ['render', 'rcs', 'doppler']
export const DEVICES = ['auto', 'gpu', 'cpu'] as const
/** Most worker threads. */
const MAX_WORKERS = 1024
/** Errors of the frequency summation that can be kept; 0 asks for the direct summation. */
const TOLERANCES = [1e-10, 1e-2] as const
const channelList = CHANNELS.join(',')

/**
 * Every setting of the solver; a new one is an entry here. From these come the options of the command line with help, man page and
 * completion, the types `SolverSettings` and `ResolvedSettings`, their checks, the `solver` of dataset configurations with its JSON
 * Schema, docs/options.md, the options in `meta.json` and the key that `--resume` checks. What settings mean together stands in
 * `run/settings/settings.ts`. The order is that of records: a new entry comes last.
 */
export const SOLVER_SETTINGS = {
  /** Where rays run: `auto` takes a hardware GPU where there is one, else the CPU in double precision. Default auto. */
  device: {
    type: choice(DEVICES).default('auto'),
    help: 'where rays run',
    group: 'Run',
    basic: true,
  },
  /** Shooting and bouncing rays, rasterised physical optics with equivalent edge currents, or full wave by the method of moments. Default sbr. */
  method: {
    type: choice(METHODS).default('sbr'),
    help: 'ray tubes, rasterised physical optics, or full wave (method of moments)',
    group: 'Accuracy',
  },
  /** Pixels along a side of the image that gpueco draws. Default 1024. */
  pixels: {
    type: whole(16, 16384).default(DEFAULT_PIXELS),
    help: 'pixels along a side of the image that gpueco draws',
    group: 'Accuracy',
    value: '<n>',
  },
  /** Ray tubes per wavelength in the middle of each half octave (docs/numerics.md). Default 10. */
  raysPerWavelength: {
    type: real(1, 1000).default(10),
    help: 'ray tubes per wavelength',
    group: 'Accuracy',
    basic: true,
    value: '<n>',
  },
  /** Reflections followed at most; rays end earlier where they leave the target. Default 50. */
  maxBounces: {
    type: whole(1, MAX_BOUNCES).default(MAX_BOUNCES),
    help: 'reflections followed at most',
    group: 'Accuracy',
    basic: true,
    value: '<n>',
  },
  /** Times that a tube across an edge is cut into 2 x 2. Default 2. */
  subdivisions: {
    type: whole(0, MAX_SUBDIVISIONS).default(2),
    help: 'times that a tube across an edge is cut into 2 x 2',
    group: 'Accuracy',
    option: 'subdivide',
    value: '<n>',
  },
  /** Physical-optics currents at every bounce, or the exit polygon alone. Default all-bounces. */
  formulation: {
    type: choice(['all-bounces', 'exit']).default('all-bounces'),
    help: 'currents at every bounce, or on the exit polygon alone',
    group: 'Paper variants',
  },
  /** Error of the frequency summation, relative to the sum of magnitudes; 0: every contribution at every frequency. Default 1e-5. */
  frequencyTolerance: {
    type: real(0, TOLERANCES[1], TOLERANCES[0])
      .refine((x) => x === 0 || x >= TOLERANCES[0], {
        error: ({ input }) => outOfRange(input, ...TOLERANCES),
      })
      .default(SUM_TOLERANCE),
    help: 'error of the frequency summation, relative to the sum of magnitudes; 0: direct summation',
    group: 'Accuracy',
    value: '<x>',
  },
  /** What the mesh's coordinates are in. Default m. */
  units: {
    type: choice(Object.keys(UNITS) as Unit[]).default('m'),
    help: 'unit of the mesh',
    group: 'Run',
    basic: true,
    value: '<unit>',
    dataset: false,
  },
  /** Neighbouring facets that meet at less belong to one smooth surface [degrees]. Default 20. */
  smoothAngleDeg: {
    type: real(0, 180).default(20),
    help: 'facets that meet at less belong to one smooth surface',
    unit: 'deg',
    group: 'Accuracy',
    option: 'smooth-angle',
    value: '<deg>',
  },
  /** Curved patches are fitted where neighbours meet at less than this angle [degrees]; absent: all facets stay plane. */
  curvedDeg: {
    type: real(0, 90)
      .refine((x) => x > 0, { error: '0 degrees makes no surface curved; give more, or leave it out' })
      .optional(),
    help: 'fit curved patches where neighbours meet at less than this angle',
    unit: 'deg',
    group: 'Accuracy',
    option: 'curved',
    value: '[deg]',
    word: 'all stay plane; without a value the smooth angle',
    fromOption: (given, { smoothAngle }) => (given === true ? smoothAngle : given),
  },
  /** Edge diffraction: exact truncated wedges, Johansen's, untruncated equivalent edge currents, or none. Default tw-ildc (eec with gpueco; full wave needs none). */
  diffraction: {
    type: choice(['tw-ildc', 'tw-ildc-j', 'eec', 'none']).optional(),
    help: 'edge diffraction',
    group: 'Accuracy',
    basic: true,
    word: 'tw-ildc; eec with gpueco',
  },
  /** An edge diffracts when its interior wedge angle is less than this [degrees]. Default 160. */
  maxWedgeAngleDeg: {
    type: real(1, 179).default(160),
    help: 'an edge diffracts when its interior wedge angle is less than this',
    unit: 'deg',
    group: 'Accuracy',
    option: 'max-wedge-angle',
    value: '<deg>',
  },
  /** Mechanisms of second order at edges; an empty list for none. Default: docs/second-order.md, "Default". */
  secondOrder: {
    type: some(SECOND_ORDER, 'a mechanism', [
      `all, none or some of ${SECOND_ORDER.join(',')}`,
      `a list of ${SECOND_ORDER.join(', ')}`,
    ]).optional(),
    help: `mechanisms of second order at edges: all, none or some of ${SECOND_ORDER.join(',')}`,
    group: 'Accuracy',
    value: '<list>',
    word: 'all, at conductors; none with paper variants, previews, datasets',
    fromOption: (given) => ({ none: [], all: [...SECOND_ORDER] })[String(given).toLowerCase()] ?? given,
  },
  /** How edge diffraction shares the time with rays; does not affect results. Default overlapped. */
  schedule: {
    type: choice(SCHEDULES).default('overlapped'),
    help: 'how edge diffraction shares the time with rays; does not affect results',
    group: 'Paper variants',
    affectsResults: false,
  },
  /**
   * Also return the part of each bounce (`b1`, `b2`, ...), of the edges by first order (`edge`) and of each mechanism of second order
   * (`reflected`, ...), which sum to the total. Default false.
   */
  mechanisms: {
    type: flag().default(false),
    help: 'also write the parts of each bounce, of edges and of mechanisms of second order',
    group: 'Output',
    dataset: false,
  },
  /** Tubes along one side of a sub-grid of the aperture; does not affect results. Default 2048. */
  subGrid: {
    type: whole(16, 65536).default(2048),
    help: 'tubes along one side of a sub-grid of the aperture; does not affect results',
    group: 'Paper variants',
    value: '<n>',
    affectsResults: false,
  },
  /** How rays find facets; does not affect results. Default auto. */
  traversal: {
    type: choice(TRAVERSALS).default('auto'),
    help: 'how rays find facets; does not affect results',
    group: 'Paper variants',
    affectsResults: false,
    recorded: true,
  },
  /** Folder where the BVHs of large meshes are cached; null (the default of the library): no cache. */
  cache: {
    type: z.string({ error: 'give the path of a folder, or null' }).nullable().default(null),
    help: 'build the BVH of a large mesh again, and do not cache it',
    group: 'Run',
    option: 'no-cache',
    word: 'kept in ~/.cache/isar',
    fromOption: (given) => (given === false ? null : cacheFolder()),
    affectsResults: false,
    dataset: false,
  },
  /** Worker threads; default: all cores for rays on the CPU; for edges one less, of 8 cores or more two. */
  workers: {
    type: whole(1, MAX_WORKERS).optional(),
    help: 'worker threads',
    group: 'Run',
    value: '<n>',
    word: 'one less than the cores, two of 8 or more; all of them for rays with --device cpu',
    affectsResults: false,
  },
  /** Also check energy and reciprocity at some aspects (`meta.check`). Default false. */
  check: {
    type: flag().default(false),
    help: 'also check energy and reciprocity at some aspects (in meta.json)',
    group: 'Run',
    affectsResults: false,
    dataset: false,
    commands: ['render', 'rcs'],
  },
  /** Channels to return (transmit, receive). Default all four. */
  channels: {
    type: some(CHANNELS, 'a channel', [
      `some of ${channelList} (transmit, receive) or all`,
      `some of ${channelList} (transmit, receive)`,
    ])
      .refine((list) => list.length > 0, { error: `give some of ${channelList} (transmit, receive)` })
      .prefault([...CHANNELS]),
    help: `channels: ${channelList}`,
    group: 'Output',
    basic: true,
    option: 'pol',
    value: '<list>',
    word: 'all',
    dataset: false,
  },
  /** Point that phases are referred to [m]. Default the mesh's origin. */
  phaseCentre: {
    type: point().prefault([0, 0, 0]),
    help: 'point that phases are referred to',
    unit: 'm',
    group: 'Sweep',
    value: '<x,y,z>',
    dataset: false,
  },
  /** Materials of groups of the mesh, `GROUP=MATERIAL` each, and `MATERIAL` of all other facets. Default: all conduct. */
  material: {
    type: z
      .array(z.string(), { error: 'give a list of "GROUP=MATERIAL", or "MATERIAL" for the whole target' })
      .readonly()
      .optional(),
    help: 'material of a group, GROUP=MATERIAL, or of the whole target; may be given several times',
    group: 'Run',
    value: '<which>',
    word: 'a perfect conductor',
    repeated: true,
    dataset: false,
    commands: SWEEPS,
  },
  /** Path of a materials file, or what it holds. */
  materials: {
    type: z
      .custom<string | MaterialsDescription>(
        (x) => typeof x === 'string' || (typeof x === 'object' && x !== null),
        {
          error: 'give the path of a materials file, or what it holds',
        },
      )
      .optional(),
    help: 'materials, and which groups of the mesh are made of them (.json)',
    group: 'Run',
    value: '<file>',
    word: 'built-in ones alone',
    dataset: false,
    commands: SWEEPS,
  },
  /** Material of an infinite plane under the target, by its name: `pec`, a medium, one of the materials file. Default: free space. */
  ground: {
    type: z.string({ error: 'give the name of a material' }).optional(),
    help: 'an infinite plane of a material under the target (pec: a perfect conductor)',
    group: 'Sweep',
    value: '<material>',
    word: 'free space',
    dataset: false,
    commands: OVER_GROUND,
  },
  /** z of the ground [m]. Default 0. */
  groundHeight: {
    type: real(-1e6, 1e6).optional(),
    help: 'z of the ground',
    unit: 'm',
    group: 'Sweep',
    value: '<z>',
    word: '0',
    dataset: false,
    commands: OVER_GROUND,
  },
  /** rms height of the ground's irregularities [m]; its reflection is that of a smooth one times Ament's coherent loss. Default 0. */
  groundRoughness: {
    type: real(0, 1e3).optional(),
    help: "rms height of the ground's irregularities, for the coherent loss of its reflection",
    unit: 'm',
    group: 'Sweep',
    value: '<rms>',
    word: '0',
    dataset: false,
    commands: OVER_GROUND,
  },
} as const satisfies Record<string, Setting>
