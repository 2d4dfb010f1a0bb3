import {
  type AspectField,
  fieldBound,
  finishFields,
  MAX_SUBDIVISIONS,
  type RayScene,
  type SbrJob,
} from '../../rays/index.js'
import { GpuError } from '../device.js'
import { COUNTERS } from './kernels.js'

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

/** The first words of a buffer. */
export async function readBuffer(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint32Array> {
  if (bytes === 0) return new Uint32Array(0)
  const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
  const encoder = device.createCommandEncoder()
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, bytes)
  device.queue.submit([encoder.finish()])
  await copy.mapAsync(GPUMapMode.READ)
  const words = new Uint32Array(copy.getMappedRange().slice(0))
  copy.unmap()
  copy.destroy()
  return words
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
