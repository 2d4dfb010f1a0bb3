import { type Aperture, subGrids, TILE, type TileRange } from '../../rays/index.js'
import { type Vec3 } from '../../scene/index.js'
import { PASS_FREQUENCIES } from './kernels.js'
import type { Step } from './uniforms.js'

/** Tiles along a side of a batch, so that cell positions fit 16 bits at any depth. */
const BATCH_SIDE = 128

/** Of an aspect that is no look. */
const NO_TURN: Vec3 = [0, 0, 0]

/** A rectangle of tiles that runs through all kernels at once; `steps` are indices into the aspect's uniforms. */
export interface Batch {
  /** Number of the batch in the aspect. */
  index: number
  tiles: TileRange
  /** One per level of refinement, 0 to depth. */
  levelSteps: number[]
  /** One per direction of a look and block of frequencies, each with the number of frequencies, and whether another direction begins. */
  frequencySteps: { step: number; count: number; turn: boolean }[]
}

/**
 * Cuts the tiles `range` of an aperture into sub-grids, and those that are larger than `batchTiles` tiles into batches; lists the dispatches'
 * uniforms.
 * @param turns  of a look: for each direction the one before it (at first the aspect's own) minus itself
 */
export function planAspect(
  aperture: Aperture,
  range: TileRange,
  side: number,
  batchTiles: number,
  depth: number,
  frequencies: number,
  turns: Vec3[] | null,
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
            turn: NO_TURN,
            ...extra,
          }) - 1
        const levelSteps = Array.from({ length: depth + 1 }, (_, level) => step({ level }))
        const frequencySteps = []
        for (const [m, turn] of (turns ?? [undefined]).entries())
          for (let f = 0; f < frequencies; f += PASS_FREQUENCIES) {
            const count = Math.min(PASS_FREQUENCIES, frequencies - f)
            const block = {
              firstFrequency: f,
              frequencyCount: count,
              firstTotal: m * frequencies,
              turn: turn ?? NO_TURN,
            }
            frequencySteps.push({ step: step(block), count, turn: turn !== undefined && f === 0 })
          }
        batches.push({ index: batches.length, tiles: part, levelSteps, frequencySteps })
      }
  }
  return { batches, steps }
}
