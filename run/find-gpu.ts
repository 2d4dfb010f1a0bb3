import { existsSync, readdirSync } from 'node:fs'
import type { GpuContext, GpuError } from '../gpu/index.js'
import { InputError } from '../scene/index.js'

/** Result of `use` with the GPU, null where there is none, or the error of an unusable one. */
export async function withGpu<T>(
  hardwareOnly: boolean,
  use: (context: GpuContext) => T,
): Promise<T | GpuError | null> {
  const { openNodeGpu, GpuError } = await import('./node-gpu.js')
  try {
    const context = await openNodeGpu(hardwareOnly)
    return context && use(context)
  } catch (error) {
    if (error instanceof GpuError) return error
    throw error
  }
}

/** The GPU, null where there is none, or the error of an unusable one. */
export const tryGpu = (hardwareOnly: boolean): Promise<GpuContext | GpuError | null> =>
  withGpu(hardwareOnly, (context) => context)

/** @param gpu  what `withGpu` returned @throws InputError that `--device gpu` cannot be met */
export function refuseGpu(gpu: GpuError | null): never {
  const why = gpu ? gpu.message : 'no usable GPU was found (a Vulkan driver and libvulkan.so.1 are needed)'
  throw new InputError(`--device gpu: ${why}; use --device cpu, or see isar devices`)
}

/** Whether it is worth loading the GPU library: a device file, or a driver named in the environment. */
export function mayHaveGpu(): boolean {
  if (process.platform !== 'linux') return true
  if (process.env.VK_ICD_FILENAMES || process.env.VK_DRIVER_FILES) return true
  if (existsSync('/dev/nvidiactl') || existsSync('/dev/nvidia0') || existsSync('/dev/dxg')) return true
  return existsSync('/dev/dri') && readdirSync('/dev/dri').some((f) => f.startsWith('render'))
}
