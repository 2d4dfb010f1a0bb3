import type { DatasetTiming } from './index.js'

/** What `timing.json` of a dataset holds [s]. */
export function timingOf(
  device: string,
  schedule: string,
  t: DatasetTiming,
  total: number,
): Record<string, unknown> {
  const { trace, field, reduction, prepare, evaluate } = t
  const gpuBusy = trace + field + reduction
  const cpuBusy = prepare + evaluate
  return {
    device,
    schedule,
    steps: {
      ray_tube_tracing: trace,
      electromagnetic_computing: field,
      reduction,
      frequency_independent_diffraction: prepare,
      frequency_dependent_diffraction: evaluate,
    },
    total,
    gpu_busy: gpuBusy,
    cpu_busy: cpuBusy,
    wait: Math.max(0, total - Math.max(gpuBusy, cpuBusy)),
    per_angle: t.perAngle,
    dataset: {
      images: t.images,
      aspects: t.aspects,
      images_per_hour: t.images > 0 ? (3600 * t.images) / total : null,
      forming_seconds: t.forming,
      writing_seconds: t.writing,
      power_cut_off: t.cutOff.record,
    },
  }
}
