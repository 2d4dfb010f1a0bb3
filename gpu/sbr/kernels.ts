import {
  COMPARED_BOUNCES,
  type RayScene,
  type SbrJob,
  type SbrOptions,
  SUM_TOLERANCE,
} from '../../rays/index.js'
import { compileKernel, type Kernel, type KernelContract, kernelSource } from '../kernel.js'
import { type AnyStruct, wordConstants } from '../layout.js'
import {
  BRANCH_CONSTANTS,
  CENTRE,
  CHUNK,
  CONTRIBUTION,
  CORNER,
  FACET_PLANE,
  GROUP,
  ITEM,
  KEPT_FACETS,
  LEAF,
  QUAD,
  QUAD_CONTRIBUTION,
  QUERY,
  QUERY_HIT,
  RADIATES,
  ROPE_NODE,
  SBR_COUNTERS,
  SBR_JOB,
  SBR_STEP,
  SLOT,
  SLOT_ROWS,
  tailWords,
  WIDE_NODE,
} from './layouts.js'
import { MATERIAL_COSINES, type Traversal } from './scene-buffers.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

export const sbrStructs = (): AnyStruct[] => [
  SBR_JOB,
  SBR_STEP,
  GROUP,
  CORNER,
  QUAD,
  CONTRIBUTION,
  QUAD_CONTRIBUTION,
  FACET_PLANE,
  SLOT,
  WIDE_NODE,
  ROPE_NODE,
  QUERY,
  QUERY_HIT,
]

/** Lanes that search the BVH for one facet: four times four children (search_facets.wgsl). */
export const SEARCHERS = 16
/** Candidates listed per tile, and per facet for either of its two lists (candidates.wgsl). */
export const TILE_LIST = 32
export const FACET_LIST = 31
/** Corner and central rays of a tile of 16 x 16 tubes. */
const CORNERS = 17 * 17
const CENTRES = 16 * 16

/** Words that the rays of a tile take: its corners, then its centres. */
export const TILE_RAY_WORDS = CORNER.words * CORNERS + CENTRE.words * CENTRES
/** Words that the rays of a subdivided cell take: four new corners, four centres. */
export const CELL_RAY_WORDS = 4 * (CORNER.words + CENTRE.words)

/** Constants that host and kernels share. */
const SBR_CONSTANTS = {
  ...wordConstants(SBR_COUNTERS),
  ...wordConstants(CORNER, 'CORNER_'),
  ...wordConstants(CENTRE, 'CENTRE_'),
  ...wordConstants(LEAF, 'LEAF_'),
  ...wordConstants(ITEM, 'ITEM_'),
  ...wordConstants(CHUNK, 'CHUNK_'),
  SEARCHERS,
  TILE_LIST,
  FACET_LIST,
  CORNERS,
  CENTRES,
  SLOT_ROWS,
  KEPT_FACETS,
  RADIATES,
  ...BRANCH_CONSTANTS,
  TILE_RAY_WORDS,
  CELL_RAY_WORDS,
}

const lists = [write('items'), write('leaves'), write('quads'), write('groups'), write('counters')]
/** What traces rays. */
const tracing = [
  'sbr_job',
  'candidates',
  'facet_test',
  'bvh_nodes',
  'traversal',
  'launch',
  'path_counts',
  'path',
  'rays',
  'path_facets',
  'counted_units',
  'keep_rays',
] as const

/** What sums frequencies. */
const summing = ['sbr_job', 'phase', 'polygon', 'phasor', 'quad_shape'] as const

const sumBuffers = [read('groups'), read('records'), read('quadRecords'), write('partial'), read('counters')]
const materialSumBuffers = [...sumBuffers, read('amplitudes'), read('nodeWeights')]

/** Tracing, in the order in which the kernels of a batch run (paper 003, section 2.3). */
const TILE_KERNELS = {
  markTiles: {
    name: 'mark_tiles',
    structs: sbrStructs,
    modules: ['sbr_job', 'candidates', 'outline', 'over_tiles', 'mark_tiles'],
    buffers: [read('corners'), write('candidates'), write('counters')],
  },
  traceTiles: {
    name: 'trace_tiles',
    structs: sbrStructs,
    modules: [...tracing, 'trace_tiles'],
    buffers: [
      read('nodes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      write('rays'),
      write('leaves'),
      write('counters'),
    ],
  },
  sortTiles: {
    name: 'sort_tiles',
    structs: sbrStructs,
    modules: [
      'sbr_job',
      'candidates',
      'path_counts',
      'rays',
      'path_facets',
      'counted_units',
      'kept_rays',
      'collect',
      'sort_tiles',
    ],
    buffers: [read('candidates'), read('rays'), ...lists],
  },
  traceChildren: {
    name: 'trace_children',
    structs: sbrStructs,
    modules: [...tracing, 'trace_children'],
    buffers: [
      read('nodes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      read('items'),
      write('rays'),
      write('leaves'),
      write('counters'),
    ],
  },
  sortChildren: {
    name: 'sort_children',
    structs: sbrStructs,
    modules: [
      'sbr_job',
      'path_counts',
      'rays',
      'path_facets',
      'counted_units',
      'kept_rays',
      'collect',
      'sort_children',
    ],
    buffers: [read('rays'), ...lists],
  },
} satisfies Record<string, KernelContract>

/** Before tracing, and the fields of what was traced. `sum...Nodes` take the place of the others where frequencies are many. */
const COMMON_KERNELS = {
  searchFacets: {
    name: 'search_facets',
    structs: sbrStructs,
    modules: ['sbr_job', 'candidates', 'bvh_nodes', 'search_facets'],
    buffers: [read('nodes'), read('corners'), read('slots'), write('facetCandidates')],
  },
  contributions: {
    name: 'contributions',
    structs: sbrStructs,
    modules: [
      'sbr_job',
      'two_float',
      'path_cycles',
      'phase',
      'polygon',
      'path_facets',
      'leaf_facets',
      'no_hit_sums',
      'add_tube',
      'contributions',
    ],
    buffers: [
      read('facets'),
      read('groups'),
      read('leaves'),
      read('quads'),
      write('records'),
      write('quadRecords'),
      read('counters'),
    ],
  },
  extrapolate: {
    name: 'extrapolate',
    structs: sbrStructs,
    modules: ['sbr_job', 'two_float', 'path_cycles', 'extrapolate'],
    buffers: [read('groups'), read('hitSums'), write('records'), write('quadRecords'), read('counters')],
  },
  sumFrequencies: {
    name: 'sum_frequencies',
    structs: sbrStructs,
    modules: [...summing, 'frequency_lanes', 'sum_frequencies'],
    buffers: sumBuffers,
  },
  sumNodes: {
    name: 'sum_nodes',
    structs: sbrStructs,
    modules: [...summing, 'node_records', 'sum_nodes'],
    buffers: sumBuffers,
  },
  materialAmplitudes: {
    name: 'material_amplitudes',
    structs: sbrStructs,
    modules: [
      'sbr_job',
      'path_facets',
      'leaf_facets',
      'opaque_waves',
      'metal_records',
      'material_amplitudes',
    ],
    buffers: [
      read('facets'),
      read('groups'),
      read('leaves'),
      read('quads'),
      read('materials'),
      read('coefficients'),
      write('amplitudes'),
      read('counters'),
    ],
  },
  sumMaterials: {
    name: 'sum_materials',
    structs: sbrStructs,
    modules: [...summing, 'metal_records', 'frequency_lanes', 'sum_materials'],
    buffers: materialSumBuffers,
  },
  sumMaterialNodes: {
    name: 'sum_nodes',
    structs: sbrStructs,
    modules: [...summing, 'metal_records', 'node_materials', 'sum_nodes'],
    buffers: materialSumBuffers,
  },
  reduce: {
    name: 'reduce',
    structs: sbrStructs,
    modules: ['sbr_job', 'fixed_point', 'totals', 'reduce'],
    buffers: [read('partial'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

export const SBR_KERNELS = { ...TILE_KERNELS, ...COMMON_KERNELS }
export type KernelName = keyof typeof SBR_KERNELS

/** The kernels of an aspect, with either way of summing frequencies or that of materials, for an extrapolation or not. */
function aspectKernels(fast: boolean, extrapolates: boolean, materials = false): KernelName[] {
  const sums: KernelName[] = ['sumFrequencies', 'sumNodes', 'sumMaterials', 'sumMaterialNodes']
  const sum = sums[2 * Number(materials) + Number(fast)]
  const unused = new Set<string>(sums.filter((name) => name !== sum))
  if (!extrapolates) unused.add('extrapolate')
  if (!materials) unused.add('materialAmplitudes')
  return Object.keys(SBR_KERNELS).filter((name) => !unused.has(name)) as KernelName[]
}

/** `contributions` for an extrapolation: it keeps their hit sums as well. */
function withHitSums(contract: KernelContract): KernelContract {
  if (contract !== COMMON_KERNELS.contributions) return contract
  return {
    ...contract,
    modules: contract.modules.map((m) => (m === 'no_hit_sums' ? 'hit_sums' : m)),
    buffers: [...contract.buffers, write('hitSums')],
  }
}

type Module = KernelContract['modules'][number]

/** Modules of the traversal along ropes, by those of the stack's in whose place they stand. */
const ROPES: Partial<Record<Module, Module>> = { bvh_nodes: 'slabs', traversal: 'traversal_ropes' }

/** Modules for targets with sheets, by those in whose place they stand. */
const SHEETS: Partial<Record<Module, Module>> = {
  path: 'branches',
  path_counts: 'branch_counts',
  add_tube: 'add_branches',
  opaque_waves: 'sheet_waves',
}

const withModules = (contract: KernelContract, by: Partial<Record<Module, Module>>): KernelContract => ({
  ...contract,
  modules: contract.modules.map((m) => by[m] ?? m),
})

/** A kernel with the traversal asked for in the place of the stack's. */
export function withTraversal(contract: KernelContract, traversal: Traversal): KernelContract {
  return traversal === 'ropes' && contract.modules.includes('traversal')
    ? withModules(contract, ROPES)
    : contract
}

/** A kernel for targets with sheets: rays know materials, and no lists of what the rays that leave a facet can meet. */
export function withSheets(contract: KernelContract): KernelContract {
  const traces = contract.modules.includes('path')
  const buffers = contract.buffers.map((b) =>
    traces && b.name === 'facetCandidates' ? read('materials') : b,
  )
  return { ...withModules(contract, SHEETS), buffers }
}

/** Constants of the modules, but for those that sum frequencies. */
export const sbrConstants = (
  { depth }: Pick<RayScene, 'depth'>,
  traversal: Traversal,
  maxBounces: number,
): Record<string, number> => ({
  ...SBR_CONSTANTS,
  TAIL_WORDS: tailWords(maxBounces),
  MAX_BOUNCES: maxBounces,
  COMPARED_BOUNCES: Math.min(COMPARED_BOUNCES, maxBounces),
  // A wide node leaves up to three children waiting.
  STACK_SIZE: 3 * depth + 1,
  LISTS: traversal === 'lists' ? 1 : 0,
})

/** Those of an aspect, compiled. */
export type SbrKernels = Partial<Record<KernelName, Kernel>>

/** Those of an aspect, with their bind groups. */
export type AspectBinds = Partial<Record<KernelName, { kernel: Kernel; group: GPUBindGroup }>>

/** Positions in the counter buffer; words from `perAspect` on accumulate over the batches of an aspect. */
export const COUNTERS = {
  ...SBR_COUNTERS.at,
  words: SBR_COUNTERS.words,
  perAspect: SBR_COUNTERS.at.overflow,
} as const

/** Workgroups that the rays of a tile take. */
export const RAY_GROUPS = 3

/** Frequencies that a workgroup of sum_frequencies handles at the most. */
export const FREQUENCY_LANES = 64
/** Frequencies whose partial sums are kept at once. */
export const PASS_FREQUENCIES = 128

/** Frequencies from which interpolation between nodes is the faster sum (docs/numerics.md). */
const NODES_FROM = 48
/** Digits of such sums, at the most: single precision has no more. */
const MAX_DIGITS = 7

/** Kernels of an engine, compiled when a job first asks for them. */
export type KernelCache = Map<string, Promise<SbrKernels>>

/**
 * The kernels of a job. Rejects with GpuError where one does not compile.
 *
 * @param pathWords  of a target with sheets: words of a path at the most
 */
export function compiledKernels(
  device: GPUDevice,
  cache: KernelCache,
  scene: RayScene,
  traversal: Traversal,
  job: SbrJob,
  pathWords = 0,
): Promise<SbrKernels> {
  const extrapolates = job.extrapolation !== undefined
  const { constants: usual, fast } = specialised(scene, traversal, job.options, job.band.n)
  const constants = pathWords ? { ...usual, MAX_WORDS: pathWords, TAIL_WORDS: tailWords(pathWords) } : usual
  const hasMaterials = scene.materials !== undefined
  const key = [...Object.values(constants), extrapolates].join()
  let kernels = cache.get(key)
  if (!kernels) {
    kernels = Promise.all(
      aspectKernels(fast, extrapolates, hasMaterials).map(async (name) => [
        name,
        await compileKernel(device, contractOf(name, traversal, extrapolates, pathWords > 0), constants),
      ]),
    ).then((pairs) => Object.fromEntries(pairs) as SbrKernels)
    cache.set(key, kernels)
  }
  return kernels
}

/**
 * Compiles what the jobs to come will ask for and does not depend on the scene, one kernel in a round of the event loop. Failures
 * are reported to whoever asks for the kernel.
 *
 * @param n             frequencies of the band
 * @param hasMaterials  whether the target will have some; sheets among them take kernels of their own
 */
export async function warmKernels(
  device: GPUDevice,
  options: SbrOptions,
  n: number,
  extrapolates: boolean,
  hasMaterials = false,
): Promise<void> {
  const { constants, fast } = specialised({ depth: 0 }, 'lists', options, n)
  for (const name of aspectKernels(fast, extrapolates, hasMaterials)) {
    const contract = contractOf(name, 'lists', extrapolates)
    if (kernelSource(contract, constants).includes('const STACK_SIZE')) continue
    compileKernel(device, contract, constants).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve))
  }
}

function contractOf(
  name: KernelName,
  traversal: Traversal,
  extrapolates: boolean,
  sheets = false,
): KernelContract {
  const contract = extrapolates ? withHitSums(SBR_KERNELS[name]) : SBR_KERNELS[name]
  return withTraversal(sheets ? withSheets(contract) : contract, traversal)
}

/** What kernels are compiled for. */
function specialised(
  scene: Pick<RayScene, 'depth' | 'materials'>,
  traversal: Traversal,
  options: SbrOptions,
  n: number,
): { constants: Record<string, number>; fast: boolean } {
  const { frequencySum, sumTolerance = SUM_TOLERANCE, maxBounces } = options
  const fast = frequencySum === undefined ? n >= NODES_FROM : frequencySum === 'fast' && n > 1
  const constants = {
    ...sbrConstants(scene, traversal, maxBounces),
    // Of the table of coefficients, where a ground's begin; 0: no ground.
    GROUND_SIDE: scene.materials?.ground ? 2 * scene.materials.list.length : 0,
    MATERIAL_COSINES,
    FREQUENCY_LANES: Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(n))),
    SUM_DIGITS: fast ? Math.min(MAX_DIGITS, Math.ceil(-Math.log10(sumTolerance))) : 0,
  }
  return { constants, fast }
}
