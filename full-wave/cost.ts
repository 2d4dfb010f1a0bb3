import type { SystemSize } from './estimate-unknowns.js'

/**
 * Rates of a device: complex matrix elements filled and floating-point operations of factors per second, of a GPU or of one thread, and
 * bytes of a matrix element.
 */
const RATES = {
  gpu: { fill: 4e8, flops: 1.2e13, element: 8, start: 0.5 },
  software: { fill: 2e5, flops: 2e9, element: 8, start: 1 },
  cpu: { fill: 7e5, flops: 1e10, element: 16, start: 0.3 },
}

export interface FullWaveCost {
  /** Host and device memory of the largest frequency [bytes]. */
  bytes: number
  seconds: number
}

/**
 * What one frequency costs, about: for each set of N unknowns 8/3 N³ operations for the factors, 8 N² a right-hand side; images of all sets
 * are part of every element.
 * @param threads  of the CPU; one for a GPU
 */
export function fullWaveCost(
  { unknowns, sets }: SystemSize,
  aspects: number,
  device: keyof typeof RATES,
  threads: number,
): FullWaveCost {
  const { fill, flops, element, start } = RATES[device]
  const n = unknowns / sets
  const operations = sets * ((8 / 3) * n ** 3 + 2 * aspects * 16 * n ** 2)
  return {
    bytes: sets * element * n * n + 4 * aspects * 16 * unknowns,
    seconds: start + unknowns ** 2 / fill / threads + operations / flops / threads,
  }
}
