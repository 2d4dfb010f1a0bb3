import type { KernelContract } from '../kernel.js'
import { uniform } from '../layout.js'

/** Pixels along a side of a block: one workgroup. */
export const BLOCK = 32

/** Constant over an image. */
export const BACKPROJECTION_JOB = uniform('Job', {
  first: ['vec3f', 'the first pixel [m]'],
  rows: ['u32', 'pixels'],
  across: ['vec3f', 'from column to column [m]'],
  cols: ['u32', ''],
  along: ['vec3f', 'from row to row [m]'],
  blocksAcross: ['u32', 'blocks in a row of them'],
  cyclesPerMetre: ['f32', 'of the carrier, there and back'],
  periodsPerMetre: ['f32', 'of the profiles'],
  bins: ['u32', 'samples of a profile, a power of two'],
  shift: ['u32', '32 - log2(bins)'],
  binFraction: ['f32', '2^-shift'],
  farField: ['u32', '1: antennas are directions'],
})

/** One tile of blocks, for the pulses of one batch. */
export const BACKPROJECTION_STEP = uniform('Step', {
  firstBlock: ['u32', ''],
  pulses: ['u32', ''],
})

/** @param group  pulses summed together */
export const backprojectionConstants = (group: number): Record<string, number> => ({
  BLOCK,
  HALF: BLOCK / 2,
  HALF_PIXELS: (BLOCK - 1) / 2,
  GROUP: group,
})

const read = (name: string) => ({ name, access: 'read' as const })

export const BACKPROJECTION_KERNEL: KernelContract = {
  name: 'backproject',
  structs: () => [BACKPROJECTION_JOB, BACKPROJECTION_STEP],
  modules: ['phase', 'backproject'],
  buffers: [read('middles'), read('antennas'), read('profiles'), { name: 'image', access: 'read_write' }],
}
