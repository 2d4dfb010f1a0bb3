import type { Tasks } from '../../parallel/thread.js'
import { availableParallelism } from 'node:os'
import { type GpuBackprojection, GpuBackprojector, GpuError } from '../../gpu/index.js'
import {
  backproject,
  type BackprojectionJob,
  type BackprojectionPlan,
  compressPulses,
  profileBins,
  PULSE_GROUP,
  type PulseHistory,
} from '../../isar/index.js'
import { shared } from '../../parallel/shared-memory.js'
import { WorkerPool } from '../../parallel/worker-pool.js'
import { mayHaveGpu, refuseGpu, tryGpu } from '../../run/find-gpu.js'
import { cappedWorkers } from '../../run/solver.js'
import { C0 } from '../../scene/index.js'

/** Rows of an image, to which a job's pulses are added. */
interface BackprojectionTask {
  job: BackprojectionJob
  row: number
  image: Float64Array
}

export const backprojectionTasks: Tasks<undefined, BackprojectionTask, Float64Array> =
  () =>
  ({ job, row, image }) => {
    backproject(job, row, image)
    return image
  }

type Progress = (done: number, total: number) => void

/** Computes images by backprojection. */
export interface Backprojector {
  description: string
  reason: string
  warnings: string[]
  /** The image of a plan, interleaved re, im; |pixel|^2 is RCS [m^2]. */
  image(history: PulseHistory, plan: BackprojectionPlan, progress?: Progress, signal?: AbortSignal): Promise<Float64Array> // prettier-ignore
  close(): Promise<void>
}

/** Pixels times pulses below which threads are not worth their start. */
const FEW = 5e6
/** Pixels times pulses of a task: some tenths of a second. */
const TASK = 4e6
/** Memory of the profiles of a batch of pulses on the cpu [bytes]. */
const BATCH_BYTES = 2 ** 28

/**
 * The backprojector of the device asked for; `auto` takes a hardware GPU.
 * @param work  pixels times pulses of the image to come
 */
export async function openBackprojector(
  device: 'auto' | 'gpu' | 'cpu',
  wanted: number | undefined,
  work: number,
): Promise<Backprojector> {
  const { workers, warnings } = cappedWorkers(wanted)
  const gpu = device !== 'cpu' && mayHaveGpu() ? await tryGpu(device === 'auto') : null
  if (gpu && !(gpu instanceof GpuError)) {
    const engine = new GpuBackprojector(gpu, { group: PULSE_GROUP })
    return {
      description: `gpu, ${gpu.name}`,
      reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for',
      warnings,
      image: async (history, plan, progress, signal) =>
        Float64Array.from(await engine.run(gpuJob(history, plan), progress, signal)),
      close: async () => gpu.device.destroy(),
    }
  }
  if (device === 'gpu') refuseGpu(gpu)
  return {
    ...onThreads(work < FEW ? 0 : (workers ?? availableParallelism())),
    reason: device === 'cpu' ? 'asked for' : gpu ? 'the GPU was refused' : 'no hardware GPU was found',
    warnings: [...warnings, ...(gpu ? [`${gpu.message}; the image is computed on the cpu`] : [])],
  }
}

/** An image for the GPU's engine. */
export function gpuJob(history: PulseHistory, plan: BackprojectionPlan): GpuBackprojection {
  const { freqHz, f, pulses } = history
  const bins = profileBins(freqHz.length)
  const { periodM, carrierHz } = compressPulses(freqHz, f, pulses, plan.frequencyWeights, [0, 0], new Float64Array(0)) // prettier-ignore
  return {
    grid: plan.grid,
    geometry: history,
    pulses,
    bins,
    periodM,
    cyclesPerMetre: (2 * carrierHz) / C0,
    profiles: (first, count, out) => {
      const part = new Float64Array(2 * bins * PULSE_GROUP)
      for (let n = 0; n < count; n += PULSE_GROUP) {
        const here = Math.min(PULSE_GROUP, count - n)
        compressPulses(freqHz, f, pulses, plan.frequencyWeights, [first + n, here], part)
        for (let k = 0; k < here; k++) {
          const weight = plan.pulseWeights[first + n + k]
          for (let i = 2 * bins * k; i < 2 * bins * (k + 1); i++) out[2 * bins * n + i] = weight * part[i]
        }
      }
    },
  }
}

/** Double precision on so many worker threads, 0: on this one; the same bytes. */
export function onThreads(workers: number): Pick<Backprojector, 'description' | 'image' | 'close'> {
  const pool = new WorkerPool({
    what: 'backprojection',
    workers,
    data: undefined,
    tasks: backprojectionTasks,
  })
  return {
    description: `cpu, double precision, ${pool.description}`,
    close: () => pool.close(),
    async image(history, { grid, frequencyWeights, pulseWeights: weights }, progress, signal) {
      const { freqHz, f, pulses, antenna, referenceM, farField } = history
      const geometry = { antenna, referenceM, farField }
      const { rows, cols } = grid
      const bins = profileBins(freqHz.length)
      const image = new Float64Array(2 * rows * cols)
      const batch = PULSE_GROUP * Math.max(1, Math.floor(BATCH_BYTES / (16 * bins * PULSE_GROUP)))
      const profiles = shared(Float64Array, 2 * bins * Math.min(batch, pulses))
      for (let first = 0; first < pulses; first += batch) {
        const part = [first, Math.min(batch, pulses - first)] as const
        const compressed = compressPulses(freqHz, f, pulses, frequencyWeights, part, profiles)
        const job = { grid, geometry, weights, compressed, pulses: part }
        const height = Math.max(1, Math.floor(TASK / (cols * part[1])))
        let done = 0
        await Promise.all(
          Array.from({ length: Math.ceil(rows / height) }, async (_, i) => {
            const at = 2 * cols * height * i
            const given = image.slice(at, at + 2 * cols * height)
            image.set(await pool.run({ job, row: height * i, image: given }, signal), at)
            done += given.length / 2
            progress?.(first * rows * cols + part[1] * done, pulses * rows * cols)
          }),
        )
      }
      return image
    },
  }
}
