import { FIXED_EXPONENT, HEADER, LISTED_WORDS, SUMS } from './kernels.js'

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
 * @param list      of paths: two words, the second of which counts them, and the paths
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
  for (let p = 0; p < list[1]; p++) {
    const at = 2 + LISTED_WORDS * p
    paths.push({
      slot: list[at],
      count: list[at + 1],
      w: [floats[at + 2], floats[at + 3], floats[at + 4]],
    })
  }
}
