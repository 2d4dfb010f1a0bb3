import { FIXED_EXPONENT, HEADER, SUMS } from './kernels.js'
import { CANDIDATES_HEAD, LISTED } from './layouts.js'

export interface GpuPropagationResult {
  /** 21 numbers per receiver slot and excitation. */
  sums: Float64Array
  /** Paths of listed receivers: slot, reflections, and the direction away from the transmitter (single precision). */
  paths: { slot: number; count: number; w: [number, number, number] }[]
  statistics: { segments: number; candidates: number; paths: number; escaped: number }
  /** Seconds of the GPU in tracing, in finding spheres (both passes) and in paths; 0 where the device cannot tell. */
  times: { trace: number; spheres: number; paths: number }
}

export const emptyResult = (excitations: number, receivers: number): GpuPropagationResult => ({
  sums: new Float64Array(SUMS * excitations * receivers),
  paths: [],
  statistics: { segments: 0, candidates: 0, paths: 0, escaped: 0 },
  times: { trace: 0, spheres: 0, paths: 0 },
})

/**
 * Adds what a group of batches brought to the total.
 * @param counters  as the kernels left them, the sums after `header` words
 * @param list      of paths: CANDIDATES_HEAD, and the paths
 */
export function addResults(
  { statistics, sums, paths }: GpuPropagationResult,
  counters: Uint32Array,
  header: number,
  list: Uint32Array,
): void {
  statistics.segments += counters[HEADER.segments] + 2 ** 32 * counters[HEADER.segments + 1]
  statistics.candidates += counters[HEADER.candidates]
  statistics.paths += counters[HEADER.paths]
  statistics.escaped += counters[HEADER.escaped]
  const scale = 2 ** -FIXED_EXPONENT
  const signed = new Int32Array(counters.buffer)
  for (let i = 0; i < sums.length; i++)
    sums[i] += (signed[header + 2 * i + 1] * 2 ** 32 + counters[header + 2 * i]) * scale
  const floats = new Float32Array(list.buffer)
  for (let p = 0; p < list[CANDIDATES_HEAD.at.listed]; p++) {
    const at = CANDIDATES_HEAD.words + LISTED.words * p
    const w = at + LISTED.at.direction
    paths.push({
      slot: list[at + LISTED.at.slot],
      count: list[at + LISTED.at.reflections],
      w: [floats[w], floats[w + 1], floats[w + 2]],
    })
  }
}
