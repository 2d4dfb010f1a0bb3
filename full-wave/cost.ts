import type { SystemSize } from './estimate-unknowns.js'

/**
 * Rates of a device: complex matrix elements filled and floating-point operations of factors per second, of a GPU or of one thread, bytes of
 * a matrix element, and what threads do beside [s of one]: for each unknown (elements close together for a GPU, the power balance), and for
 * each unknown and direction. A GPU's are those of an H200 with 16 threads: 2.5 to 34 s for 5,000 to 57,000 unknowns, within 1.4.
 */
const RATES = {
  gpu: { fill: 2e9, flops: 1.2e13, element: 8, start: 0.5, unknown: 5.6e-3, direction: 4.8e-6 },
  software: { fill: 2e5, flops: 2e9, element: 8, start: 1, unknown: 5.6e-3, direction: 4.8e-6 },
  cpu: { fill: 7e5, flops: 1e10, element: 16, start: 0.3, unknown: 1e-3, direction: 1e-6 },
}

export interface FullWaveCost {
  /** Host and device memory of the largest frequency [bytes]. */
  bytes: number
  seconds: number
}

/**
 * What one frequency costs, about: for each set of N unknowns 8/3 N³ operations for the factors, 8 N² a right-hand side; images of all sets
 * are part of every element.
 * @param threads  of the CPU, beside a GPU too
 */
export function fullWaveCost(
  { unknowns, sets }: SystemSize,
  aspects: number,
  device: keyof typeof RATES,
  threads: number,
): FullWaveCost {
  const { fill, flops, element, start, unknown, direction } = RATES[device]
  const n = unknowns / sets
  const operations = sets * ((8 / 3) * n ** 3 + 2 * aspects * 16 * n ** 2)
  return {
    bytes: sets * element * n * n + 4 * aspects * 16 * unknowns,
    seconds:
      start +
      (unknowns * (unknown + aspects * direction)) / threads +
      (unknowns ** 2 / fill + operations / flops) / (device === 'cpu' ? threads : 1),
  }
}
