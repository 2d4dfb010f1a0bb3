import { type Aperture, type SbrJob, subGrids, TILE, type TileRange } from '../../rays/index.js'
import { C0, type Vec3, wavenumber } from '../../scene/index.js'
import { splitDouble, splitDoubles } from '../device.js'
import { DYNAMIC_STRIDE, type Values } from '../layout.js'
import { PASS_FREQUENCIES } from './kernels.js'
import { SBR_JOB, SBR_STEP } from './layouts.js'

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

export interface ListCapacities {
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
  const exit = options.formulation === 'exit'
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
    exitForm: exit ? 1 : 0,
    onlyBounce: options.onlyBounce ?? 0,
    depth: exit ? 0 : options.subdivisions,
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
