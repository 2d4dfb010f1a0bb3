import type { Aperture, TileRange } from '../../rays/index.js'

/**
 * How the virtual aperture is divided among workers: a binary tree of cuts across it (paper 000, Gao et al., PIER,
 * 2013, section 2.2 and figure 2). `at` is a cut's position on the whole aperture, 0 to 1 along its axis (0: u, 1: v).
 */
export type Partition = { leaf: number } | Cut

interface Cut {
  axis: 0 | 1
  at: number
  /** Leaves on each side: floor(N/2) and ceil(N/2). */
  counts: [number, number]
  sides: [Partition, Partition]
}

/** A rectangle of the aperture: [begin, end) along u, then along v. */
type Box = [[number, number], [number, number]]

const UNIT: Box = [
  [0, 1],
  [0, 1],
]

/** Limits on the movement of cuts (section 2.2, last paragraphs). */
export interface AdjustOptions {
  /** Load-balancing threshold: cuts do not move where the sides' times differ by less than this fraction of their sum. */
  threshold: number
  /** Load-balancing gain, 0 to 1: fraction of the movement of equation (4) that is applied. */
  coefficient: number
}

export const ADJUST: AdjustOptions = { threshold: 0.05, coefficient: 0.5 }

const isCut = (node: Partition): node is Cut => 'axis' in node
const size = ([begin, end]: [number, number]): number => end - begin

/**
 * The uniform partition for the first angle: recursive cuts across the longer side at floor(N/2)/N of its length, down
 * to one worker per leaf. `aspectRatio`: the aperture's extent along u over that along v.
 */
export function uniformPartition(leaves: number, aspectRatio: number): Partition {
  let next = 0
  const grow = (count: number, box: Box): Partition => {
    if (count === 1) return { leaf: next++ }
    const axis = size(box[0]) * aspectRatio >= size(box[1]) ? 0 : 1
    const counts: [number, number] = [Math.floor(count / 2), Math.ceil(count / 2)]
    const at = box[axis][0] + (counts[0] / count) * size(box[axis])
    const [first, second] = cutBox(box, axis, at)
    return { axis, at, counts, sides: [grow(counts[0], first), grow(counts[1], second)] }
  }
  return grow(leaves, UNIT)
}

function cutBox(box: Box, axis: 0 | 1, at: number): [Box, Box] {
  const first: Box = [box[0], box[1]]
  const second: Box = [box[0], box[1]]
  first[axis] = [box[axis][0], at]
  second[axis] = [at, box[axis][1]]
  return [first, second]
}

/** Times of the leaves below a node, summed [s]. */
const timeOf = (node: Partition, seconds: ArrayLike<number>): number =>
  isCut(node) ? timeOf(node.sides[0], seconds) + timeOf(node.sides[1], seconds) : seconds[node.leaf]

/**
 * The partition of the next angle from the leaves' times at this one. Each cut moves, from the root down, so that its
 * sides' times become proportional to their numbers of workers: equations (3) and (4),
 *   s_c = s_p + c (t_r n_l - t_l n_r) / (tbar_l n_r + tbar_r n_l),
 * tbar being a side's time over its extent across the cut. Cuts below one that moved along the same axis keep their relative
 * position. A slower worker takes longer for the same tubes and so gets fewer of them: no weights are needed.
 *
 * @param seconds  of each leaf, in any unit
 */
export function adjustPartition(
  partition: Partition,
  seconds: ArrayLike<number>,
  { threshold, coefficient }: AdjustOptions = ADJUST,
): Partition {
  const adjust = (node: Partition, was: Box, is: Box): Partition => {
    if (!isCut(node)) return node
    const { axis, counts } = node
    const [low, high] = was[axis]
    const extents = [node.at - low, high - node.at]
    const place = extents[0] / (high - low)
    const [tl, tr] = node.sides.map((side) => timeOf(side, seconds))
    const lead = tr * counts[0] - tl * counts[1]
    const slope = (tl / extents[0]) * counts[1] + (tr / extents[1]) * counts[0]
    const uneven = Math.abs(lead) > threshold * (tr * counts[0] + tl * counts[1])
    const move = uneven && slope > 0 ? (coefficient * lead) / slope : 0
    const scale = size(is[axis]) / (high - low)
    const narrowest = NARROWEST * size(is[axis])
    const at = Math.min(
      is[axis][1] - narrowest,
      Math.max(is[axis][0] + narrowest, is[axis][0] + place * size(is[axis]) + move * scale),
    )
    const before = cutBox(was, axis, node.at)
    const after = cutBox(is, axis, at)
    return {
      axis,
      at,
      counts,
      sides: [adjust(node.sides[0], before[0], after[0]), adjust(node.sides[1], before[1], after[1])],
    }
  }
  return adjust(partition, UNIT, UNIT)
}

/** Minimum width of a side relative to the rectangle that is cut: a narrower one could not be measured. */
const NARROWEST = 1e-3

/**
 * The leaves' tiles of an aperture, in the order of their numbers. Cuts snap to tiles, so that every tile is in just
 * one leaf; a leaf is null where the aperture has too few tiles to give it one.
 */
export function leafTiles(partition: Partition, aperture: Aperture): (TileRange | null)[] {
  const first = [aperture.tileI0, aperture.tileJ0]
  const sides = [aperture.tilesI, aperture.tilesJ]
  const tiles: (TileRange | null)[] = []
  const visit = (node: Partition, box: Box): void => {
    if (isCut(node)) {
      const { axis, at } = node
      const [low, high] = box[axis]
      // Each side keeps a tile where there are two.
      const inside = Math.min(high - 1, Math.max(low + 1, Math.round(at * sides[axis])))
      const halves = cutBox(box, axis, high - low > 1 ? inside : low)
      node.sides.forEach((side, s) => visit(side, halves[s]))
      return
    }
    const [ni, nj] = box.map(size)
    tiles[node.leaf] =
      ni > 0 && nj > 0 ? { i0: first[0] + box[0][0], j0: first[1] + box[1][0], ni, nj } : null
  }
  visit(partition, [
    [0, sides[0]],
    [0, sides[1]],
  ])
  return tiles
}

/**
 * How aspects are assigned to workers: `pull`, whole to the next free worker; `cyclic`, whole by round robin; `aperture`, each
 * divided among all workers by the dynamic partition of its aperture; `uniform`, likewise by the uniform partition; `auto`,
 * pull, with aperture for the remainder of the aspects divided by the number of workers.
 */
export const DISTRIBUTIONS = ['auto', 'pull', 'cyclic', 'aperture', 'uniform'] as const
export type Distribution = (typeof DISTRIBUTIONS)[number]

/** Whole to a worker, or to any worker where null; or divided among all. */
export type Assignment = { worker: number | null } | 'shared'

/** Assignment of aspect number `ordinal` of `total`. */
export function assignmentOf(
  distribution: Distribution,
  ordinal: number,
  total: number,
  workers: number,
): Assignment {
  switch (distribution) {
    case 'aperture':
    case 'uniform':
      return 'shared'
    case 'cyclic':
      return { worker: ordinal % workers }
    case 'pull':
      return { worker: null }
    case 'auto':
      return workers > 1 && ordinal >= total - (total % workers) ? 'shared' : { worker: null }
  }
}

/** Parts of an aspect's aperture, one per worker; null where a worker gets none. */
interface Shares {
  workers: readonly string[]
  tiles: (TileRange | null)[]
  partition: Partition
}

/**
 * The partition of a sweep's aperture from aspect to aspect. Where several aspects are in flight, each follows the latest
 * finished one. When the set of workers changes, it starts again from a uniform partition.
 */
export class SharedAperture {
  private workers = ''
  private partition: Partition | null = null

  /** @param adjust  null: uniform at every aspect */
  constructor(private readonly adjust: AdjustOptions | null) {}

  share(aperture: Aperture, workers: readonly string[]): Shares {
    const key = workers.join()
    if (!this.partition || key !== this.workers)
      this.partition = uniformPartition(workers.length, aperture.tilesI / aperture.tilesJ)
    this.workers = key
    return { workers, tiles: leafTiles(this.partition, aperture), partition: this.partition }
  }

  /** Adjusts the partition to the times [s] of an aspect's parts, in the order of its workers. */
  learn({ workers, partition }: Shares, seconds: readonly number[]): void {
    if (this.adjust && workers.join() === this.workers)
      this.partition = adjustPartition(partition, seconds, this.adjust)
  }
}
