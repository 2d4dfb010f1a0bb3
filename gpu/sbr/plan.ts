import {
  type Aperture,
  cutsOf,
  isExitForm,
  MAX_SUBDIVISIONS,
  type SbrJob,
  type SbrOptions,
  subGrids,
  TILE,
  type TileRange,
} from '../../rays/index.js'
import { C0, type Vec3, wavenumber } from '../../scene/index.js'
import { splitDouble, splitDoubles } from '../device.js'
import { DYNAMIC_STRIDE, type Values } from '../layout.js'
import {
  CELL_RAY_WORDS,
  COUNTERS,
  FACET_LIST,
  PASS_FREQUENCIES,
  TILE_LIST,
  TILE_RAY_WORDS,
} from './kernels.js'
import {
  CHUNK,
  CONTRIBUTION,
  GROUP,
  ITEM,
  LEAF,
  QUAD,
  QUAD_CONTRIBUTION,
  SBR_JOB,
  SBR_STEP,
  tailWords,
} from './layouts.js'

/** Tiles along a side of a batch, so that cell positions fit 16 bits at any depth. */
const BATCH_SIDE = 128

/** Of an aspect that is not extrapolated. */
const NO_CHANGE: Vec3 = [0, 0, 0]

/** A rectangle of tiles that runs through all kernels at once; `steps` are indices into the aspect's uniforms. */
export interface Batch {
  /** Number of the batch in the aspect. */
  index: number
  tiles: TileRange
  /** One per level of refinement, 0 to depth. */
  levelSteps: number[]
  /** One per extrapolated direction and block of frequencies, each with the number of frequencies, and whether another direction begins. */
  frequencySteps: { step: number; count: number; changes: boolean }[]
}

/**
 * Cuts the tiles `range` of an aperture into sub-grids of `side` tubes, and those that are larger than `batchTiles` tiles into batches; lists the dispatches'
 * uniforms.
 * @param changes  of an extrapolation: for each direction the one before it (at first the aspect's own) minus itself
 */
export function planAspect(
  aperture: Aperture,
  range: TileRange,
  { side, batchTiles }: { side: number; batchTiles: number },
  { depth, frequencies, changes }: { depth: number; frequencies: number; changes: Vec3[] | null },
): { batches: Batch[]; steps: Step[] } {
  const steps: Step[] = []
  const batches: Batch[] = []
  for (const tiles of subGrids(aperture, side, range)) {
    const width = Math.min(tiles.ni, BATCH_SIDE, batchTiles)
    const height = Math.min(BATCH_SIDE, Math.max(1, Math.floor(batchTiles / width)))
    for (let j = 0; j < tiles.nj; j += height)
      for (let i = 0; i < tiles.ni; i += width) {
        const part: TileRange = {
          i0: tiles.i0 + i,
          j0: tiles.j0 + j,
          ni: Math.min(width, tiles.ni - i),
          nj: Math.min(height, tiles.nj - j),
        }
        const step = (extra: Partial<Step>): number =>
          steps.push({
            cellI: part.i0 * TILE,
            cellJ: part.j0 * TILE,
            tilesI: part.ni,
            tilesJ: part.nj,
            level: 0,
            firstFrequency: 0,
            frequencyCount: 0,
            firstTotal: 0,
            directionChange: NO_CHANGE,
            ...extra,
          }) - 1
        const levelSteps = Array.from({ length: depth + 1 }, (_, level) => step({ level }))
        const frequencySteps = []
        for (const [m, change] of (changes ?? [undefined]).entries())
          for (let f = 0; f < frequencies; f += PASS_FREQUENCIES) {
            const count = Math.min(PASS_FREQUENCIES, frequencies - f)
            const block = {
              firstFrequency: f,
              frequencyCount: count,
              firstTotal: m * frequencies,
              directionChange: change ?? NO_CHANGE,
            }
            frequencySteps.push({ step: step(block), count, changes: change !== undefined && f === 0 })
          }
        batches.push({ index: batches.length, tiles: part, levelSteps, frequencySteps })
      }
  }
  return { batches, steps }
}

interface ListCapacities {
  leaves: number
  /** Tails of long paths. */
  tails: number
  quads: number
  records: number
  quadRecords: number
  groups: number
  /** Cells to subdivide, and runs of them. */
  items: number
  chunks: number
  tiles: number
  /** Hit sums of contributions that are kept, for extrapolations. */
  hitSums: number
  /** Amplitudes at nodes of the band that are kept, on targets with materials. */
  amplitudes: number
  /** Facets with a list of what their reflected rays can meet. */
  facetLists: number
  /** Frequencies whose partial sums fit. */
  frequencies: number
}

/**
 * The uniform of one aspect.
 * @param lift           start of a reflected ray above its facet [m]
 * @param scene          facets, box diagonal [m], whether the facets' lists of candidates are in use, nodes of the band for its materials
 * @param fixedExponent  sums are integers times 2^-fixedExponent m^2
 */
export function packJob(
  job: SbrJob,
  aperture: Aperture,
  lift: number,
  fixedExponent: number,
  capacities: ListCapacities,
  scene: { count: number; diagonal: number; facetLists: boolean; materialNodes: number },
): ArrayBuffer {
  const { aspect, band, options } = job
  const { tx, rx } = aspect
  const [base, u, v, d, s] = [aperture.base, aperture.u, aperture.v, aperture.d, rx.r].map(splitDoubles)
  return SBR_JOB.pack({
    base: base.high,
    baseLo: base.low,
    u: u.high,
    uLo: u.low,
    v: v.high,
    vLo: v.low,
    d: d.high,
    dLo: d.low,
    s: s.high,
    sLo: s.low,
    txV: tx.thetaHat,
    txH: tx.phiHat,
    rxV: rx.thetaHat,
    rxH: rx.phiHat,
    tubeSide: splitDouble(aperture.h),
    offsetU: splitDouble(aperture.offset[0]),
    offsetV: splitDouble(aperture.offset[1]),
    cyclesPerMetre: splitDouble(band.f0 / C0),
    cyclesPerMetreStep: splitDouble(band.df / C0),
    wavenumber: wavenumber(band.f0),
    wavenumberStep: wavenumber(band.df),
    lift,
    diagonal: scene.diagonal,
    zero: 0,
    exitForm: isExitForm(options) ? 1 : 0,
    onlyBounce: options.onlyBounce ?? 0,
    depth: cutsOf(options),
    fixedExponent,
    frequencies: band.n,
    leafCapacity: capacities.leaves,
    tailCapacity: capacities.tails,
    quadCapacity: capacities.quads,
    recordCapacity: capacities.records,
    quadRecordCapacity: capacities.quadRecords,
    groupCapacity: capacities.groups,
    itemCapacity: capacities.items,
    chunkCapacity: capacities.chunks,
    tileCapacity: capacities.tiles,
    slots: scene.count,
    facetLists: scene.facetLists ? 1 : 0,
    materialNodes: scene.materialNodes,
  })
}

/** What the kernels are given of a dispatch. */
type Step = Values<(typeof SBR_STEP)['fields']>

/** The uniforms of an aspect's dispatches, DYNAMIC_STRIDE bytes apart. */
export const packSteps = (steps: Step[]): ArrayBuffer => SBR_STEP.packAll(steps, DYNAMIC_STRIDE)

/** The lists that a batch's kernels pass on to each other. They are reused from batch to batch. */
export interface Lists {
  capacities: ListCapacities
  candidates: GPUBuffer
  facetCandidates: GPUBuffer
  items: GPUBuffer
  rays: GPUBuffer
  leaves: GPUBuffer
  quads: GPUBuffer
  groups: GPUBuffer
  records: GPUBuffer
  quadRecords: GPUBuffer
  hitSums: GPUBuffer
  amplitudes: GPUBuffer
  partial: GPUBuffer
}

/** Longest that lists can be: some are dispatched over, one workgroup for each 1 or 32 entries. */
const MOST: Record<FilledList, number> = {
  leaves: Infinity,
  tails: Infinity,
  quads: Infinity,
  records: Infinity,
  quadRecords: Infinity,
  groups: 65535,
  items: 32 * 65535,
  chunks: 65535,
}

/** What lists are made for. */
interface ListNeeds {
  /** Facets of which the candidates of reflected rays are listed: all or none. */
  listed: number
  /** `longestPath` is the words of a path at the most, its bounces where absent. */
  options: SbrOptions & { longestPath?: number }
  frequencies: number
  extrapolates: boolean
  /** 0 where absent. */
  materialNodes?: number
}

/**
 * Room that a batch of `tiles` tiles rarely exceeds, and that one tile never does at depth 2; `room` times as much.
 */
export function listCapacities(
  tiles: number,
  { listed, options, frequencies, extrapolates, materialNodes = 0 }: ListNeeds,
  room: ListRoom = USUAL_ROOM,
): ListCapacities {
  const cells = tiles * TILE * TILE
  const spare = TILE * TILE * 4 ** options.subdivisions
  const of = (list: FilledList, usual: number): number => Math.min(MOST[list], Math.ceil(room[list] * usual))
  const usual = Math.ceil(1.25 * cells) + spare
  const leaves = of('leaves', usual)
  // Those of materials take more memory, for their amplitudes, and most tubes radiate once.
  const records = of('records', (materialNodes > 0 ? 1 : 2) * usual + spare * options.maxBounces)
  const quads = of('quads', Math.ceil(usual / 2) + spare)
  const quadRecords = of('quadRecords', Math.ceil(usual / 2) + spare)
  return {
    leaves,
    tails: tailWords(longestPath(options)) === 0 ? 1 : of('tails', Math.ceil(cells / 32) + 2 * spare),
    quads,
    records,
    quadRecords,
    hitSums: extrapolates ? records + quadRecords : 0,
    amplitudes: materialNodes * (records + quadRecords),
    groups: of('groups', 4 * tiles + 4 ** options.subdivisions * 8),
    frequencies: Math.min(frequencies, PASS_FREQUENCIES),
    items: of('items', 32 * tiles + spare),
    chunks: of('chunks', 4 * tiles + 4 ** options.subdivisions * 8),
    tiles,
    facetLists: listed,
  }
}

const longestPath = ({ maxBounces, longestPath: longest = maxBounces }: ListNeeds['options']): number =>
  longest

/** Lists whose length what rays meet decides. */
const FILLED = ['leaves', 'tails', 'quads', 'records', 'quadRecords', 'groups', 'items', 'chunks'] as const
type FilledList = (typeof FILLED)[number]

/** Room of these lists, as multiples of what is usual. */
export type ListRoom = Readonly<Record<FilledList, number>>
export const USUAL_ROOM: ListRoom = {
  leaves: 1,
  tails: 1,
  quads: 1,
  records: 1,
  quadRecords: 1,
  groups: 1,
  items: 1,
  chunks: 1,
}

/** A list as full as this gets more room: the next aspect might overflow it, and be computed twice. */
const NEARLY_FULL = 0.9
/** What it gets: room for this much more than it had to hold, and no less than half as much again. */
const SPARE = 1.25
const LEAST_GROWTH = 1.5

/** Entries that a batch's counters (`COUNTERS`) say its lists had to hold, also where they overflowed. */
function lengths(counters: Uint32Array): Record<FilledList, number> {
  const ofLevels = (first: number): number =>
    Math.max(...counters.subarray(first, first + 1 + MAX_SUBDIVISIONS))
  return {
    leaves: counters[COUNTERS.batchLeaves],
    tails: counters[COUNTERS.tails],
    quads: counters[COUNTERS.batchQuads],
    records: counters[COUNTERS.batchRecords],
    quadRecords: counters[COUNTERS.batchQuadRecords],
    groups: counters[COUNTERS.groups],
    items: ofLevels(COUNTERS.items),
    chunks: ofLevels(COUNTERS.chunks),
  }
}

/**
 * The room that aspects like one whose batches counted so should have, from the one it had.
 * @returns the same object where that was enough; `smaller`: a list cannot grow, only batches of fewer tiles help
 */
export function roomFor(
  batches: Uint32Array[],
  capacities: ListCapacities,
  room: ListRoom,
): { room: ListRoom; smaller: boolean } {
  const all = batches.map(lengths)
  const more: Partial<Record<FilledList, number>> = {}
  let smaller = false
  for (const list of FILLED) {
    const full = Math.max(...all.map((n) => n[list])) / capacities[list]
    if (full <= NEARLY_FULL) continue
    more[list] = room[list] * Math.max(LEAST_GROWTH, SPARE * full)
    if (capacities[list] >= MOST[list]) smaller = true
  }
  return { room: Object.keys(more).length > 0 ? { ...room, ...more } : room, smaller }
}

/** The larger of both, list by list. */
export const moreRoom = (a: ListRoom, b: ListRoom): ListRoom =>
  Object.fromEntries(FILLED.map((list) => [list, Math.max(a[list], b[list])])) as ListRoom

/** Bytes of the largest list, per kind, for the limits of the device. */
const listBytes = (c: ListCapacities, longest: number): Record<keyof Omit<Lists, 'capacities'>, number> => ({
  candidates: 4 * (2 + TILE_LIST) * c.tiles,
  facetCandidates: 8 * (1 + FACET_LIST) * Math.max(1, c.facetLists),
  items: 8 * (CHUNK.words * c.chunks + ITEM.words * c.items),
  rays: 4 * Math.max(CELL_RAY_WORDS * (c.items + 31), TILE_RAY_WORDS * c.tiles),
  leaves: LEAF.size * c.leaves + 4 * tailWords(longest) * c.tails,
  quads: QUAD.size * c.quads,
  groups: GROUP.size * c.groups,
  records: CONTRIBUTION.size * c.records,
  quadRecords: QUAD_CONTRIBUTION.size * c.quadRecords,
  hitSums: 16 * Math.max(1, c.hitSums),
  amplitudes: 32 * Math.max(1, c.amplitudes),
  partial: 32 * c.frequencies * c.groups,
})

/** From one size of batches to the next that may fit. */
const LESS = 0.875

/** Most tiles per batch, up to `wanted`, whose lists fit one binding of `maxBinding` bytes each and `memory` bytes together. */
export function batchTiles(
  wanted: number,
  needs: ListNeeds,
  room: ListRoom,
  maxBinding: number,
  memory: number,
): number {
  let tiles = wanted
  for (; tiles > 1; tiles = Math.floor(tiles * LESS)) {
    const bytes = Object.values(listBytes(listCapacities(tiles, needs, room), longestPath(needs.options)))
    if (Math.max(...bytes) <= maxBinding && bytes.reduce((a, b) => a + b) <= memory) break
  }
  return tiles
}

function createLists(device: GPUDevice, capacities: ListCapacities, longest: number): Lists {
  const bytes = listBytes(capacities, longest)
  const buffers = Object.fromEntries(
    Object.entries(bytes).map(([label, size]) => [
      label,
      device.createBuffer({
        label,
        size,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      }),
    ]),
  ) as Omit<Lists, 'capacities'>
  return { capacities, ...buffers }
}

function destroyLists(lists: Lists): void {
  for (const buffer of Object.values(lists)) if ('destroy' in buffer) buffer.destroy()
}

/** Tiles of a batch where memory allows: 2048 x 2048 tubes, the default sub-grid. */
const BATCH_TILES = 16384
const DEFAULT_LIST_MEMORY = 1.75 * 2 ** 30

/** What an aspect is given: lists, the room they were made with, and tiles of a batch at the most. */
interface TakenLists {
  lists: Lists
  room: ListRoom
  tiles: number
}

/** The lists that the aspects of an engine share, and what is known of how long they have to be. */
export class ListStore {
  private lists: Lists | null = null
  /** Words of the longest path. */
  private longest = 0
  private room = USUAL_ROOM
  private batchLimit = BATCH_TILES

  /**
   * @param listed  facets of which the candidates of reflected rays are listed: all or none
   * @param memory  bytes that all lists may take
   */
  constructor(
    private readonly device: GPUDevice,
    private readonly listed: number,
    private readonly memory = DEFAULT_LIST_MEMORY,
  ) {}

  /**
   * Lists for an aspect of so many tiles; those that others still use live until these are done.
   * @param pathWords  of a target with sheets: words of a path at the most
   */
  take(job: SbrJob, tiles: number, materialNodes = 0, pathWords = 0): TakenLists {
    const { device, listed, memory, room } = this
    const { band } = job
    const options = { ...job.options, longestPath: pathWords || job.options.maxBounces }
    const extrapolates = job.extrapolation !== undefined
    const binding = device.limits.maxStorageBufferBindingSize
    const wanted = Math.min(this.batchLimit, tiles)
    const needs = { listed, options, frequencies: band.n, extrapolates, materialNodes }
    const most = batchTiles(wanted, needs, room, binding, memory)
    const needed = listCapacities(most, needs, room)
    const have = this.lists?.capacities
    const enough = have && (Object.keys(needed) as (keyof typeof needed)[]).every((k) => have[k] >= needed[k])
    if (!enough || this.longest !== options.longestPath) {
      if (this.lists) destroyLists(this.lists)
      this.lists = createLists(device, needed, options.longestPath)
      this.longest = options.longestPath
    }
    return { lists: this.lists!, room, tiles: most }
  }

  /**
   * Sets longer lists for the aspects to come where those of a finished one were full, and smaller batches where they cannot grow.
   * @param batches  counters of its batches
   */
  learn(batches: Uint32Array[], { lists, room, tiles }: TakenLists): void {
    const needed = roomFor(batches, lists.capacities, room)
    // Aspects that were in flight meanwhile may have asked for more.
    if (needed.room !== room) this.room = moreRoom(this.room, needed.room)
    if (!needed.smaller) return
    this.batchLimit = Math.min(Math.max(1, Math.floor(tiles / 2)), this.batchLimit)
  }
}
