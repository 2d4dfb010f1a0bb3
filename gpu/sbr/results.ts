import {
  type AspectField,
  fieldBound,
  finishFields,
  MAX_SUBDIVISIONS,
  type RayPath,
  type RayScene,
  type SbrJob,
  TILE,
  type TileRange,
} from '../../rays/index.js'
import { GpuError } from '../device.js'
import { COUNTERS } from './kernels.js'
import { BRANCH_CONSTANTS, KEPT_FACETS, LEAF, QUAD, RADIATES, tailWords } from './layouts.js'

const { SIGHT, FACET } = BRANCH_CONSTANTS

/** Lists of a batch, as words. */
interface PathLists {
  /** The leaves' buffer: room for `capacity` leaves, of which there are `count`; then the tails of long paths. */
  leaves: Uint32Array
  count: number
  capacity: number
  quads: Uint32Array
}

/**
 * The paths of a batch of these tiles. Of those that branch at sheets the hits of all branches, depth first, up to the last one that
 * radiates.
 * @param most  words of a path at the most
 */
export function* batchPaths(
  tiles: TileRange,
  most: number,
  { leaves, count, capacity, quads }: PathLists,
): Generator<RayPath> {
  for (let n = 0; n < count; n++) {
    const { cell, levelCount, tail, facets } = LEAF.read(leaves.buffer as ArrayBuffer, n * LEAF.size)
    const rest = capacity * LEAF.words + tail * tailWords(most)
    const count = levelCount >>> 8
    const words = Uint32Array.from({ length: count }, (_, m) =>
      m < KEPT_FACETS ? facets[m] : leaves[rest + m - KEPT_FACETS],
    ).filter((x) => (x & SIGHT) === 0)
    yield {
      ...latticeCell(tiles, cell, levelCount & 0xff),
      facets: Int32Array.from(words, (x) => x & FACET),
      radiating: Uint8Array.from(words, (x) => (x & RADIATES ? 1 : 0)),
      corners: null,
    }
  }
  for (let at = 0; at < quads.byteLength; at += QUAD.size) {
    const { cell, level, facet, cornerFacets } = QUAD.read(quads.buffer as ArrayBuffer, at)
    yield {
      ...latticeCell(tiles, cell, level),
      facets: Int32Array.of(facet),
      radiating: Uint8Array.of(1),
      corners: Int32Array.from(cornerFacets),
    }
  }
}

/** The lattice cell of a packed one, i | j << 16 within the batch. */
function latticeCell({ i0, j0 }: TileRange, cell: number, level: number): Pick<RayPath, 'level' | 'i' | 'j'> {
  const side = TILE * 2 ** level
  return { level, i: i0 * side + (cell & 0xffff), j: j0 * side + (cell >>> 16) }
}

/** Sums are 64-bit integers in units of 2^-fixedExponent. */
export const fixedExponent = (facetArea: number, job: SbrJob): number =>
  58 - Math.ceil(Math.log2(fieldBound(facetArea, job.options.maxBounces)))

/** The amplitudes F [m] of an aspect from the `totals` of all its tiles, added up: to the last bit those of the whole. */
export function gpuField(
  scene: RayScene,
  facetArea: number,
  job: SbrJob,
  totals: BigInt64Array,
): AspectField {
  const sums = 8 * job.band.n * (job.extrapolation?.directions.length ?? 1)
  if (totals.length !== sums) throw new RangeError(`${totals.length} sums where the job has ${sums}`)
  const unit = 2 ** -fixedExponent(facetArea, job)
  const field = Float64Array.from(totals, (x) => Number(x) * unit)
  finishFields(scene.origin, job, field)
  return field
}

/** A lost device turns waits for its results into an AbortError, which must not pass for an interrupted run. */
export function asGpuError(error: unknown): never {
  if (error instanceof DOMException)
    throw new GpuError(
      `the GPU gave no result: its device was lost or closed${error.message && ` (${error.message})`}`,
    )
  throw error
}

/**
 * Leaves at every level, and the aperture that they and those cut off by the bounce limit take, in tubes of full size.
 * @param cutOffUnits  what a leaf that is cut off as a whole counts
 */
export function leafCounts(
  counters: Uint32Array,
  cutOffUnits: number,
): { leaves: number; lit: number; cutOff: number } {
  const found = { leaves: 0, lit: 0, cutOff: 0 }
  for (let level = 0; level <= MAX_SUBDIVISIONS; level++) {
    found.leaves += counters[COUNTERS.litLeaves + level]
    found.lit += counters[COUNTERS.litLeaves + level] / 4 ** level
    found.cutOff += counters[COUNTERS.cutOffLeaves + level] / cutOffUnits / 4 ** level
  }
  return found
}
