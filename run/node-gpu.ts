import { openDevice } from '../gpu/device.js'
import { type GpuContext, isSoftwareAdapter, openTestedDevice } from '../gpu/index.js'
import { twoFloatIsExact } from '../gpu/self-test.js'

export { GpuError } from '../gpu/index.js'

// The object that create() returns must outlive every device: once it is collected the process aborts.
let owner: GPU | null = null

/** Dawn's GPU entry point under Node, with WebGPU's constants as globals. */
async function nodeGpu(): Promise<GPU> {
  if (!owner) {
    const { create, globals } = await import('webgpu')
    Object.assign(globalThis, globals)
    // Kernel times to the tick: Dawn rounds them to 65 us by default.
    owner = create(['disable-dawn-features=timestamp_quantization'])
  }
  return owner
}

/** The GPU adapter that would be used, or null where there is none (no driver, no loader). */
export async function findAdapter(): Promise<GPUAdapter | null> {
  const gpu = await nodeGpu()
  return gpu.requestAdapter({ powerPreference: 'high-performance' })
}

/**
 * Opens a GPU, or returns null where there is none. With `hardwareOnly` a software adapter counts as none.
 * Throws GpuError where the device cannot serve, or rounds phases wrongly.
 */
export async function openNodeGpu(hardwareOnly: boolean): Promise<GpuContext | null> {
  const adapter = await findAdapter()
  if (!adapter || (hardwareOnly && isSoftwareAdapter(adapter.info))) return null
  return openTestedDevice(adapter)
}

/** A GPU as `isar devices` and `isar doctor` report it. */
export interface GpuReport {
  name: string
  software: boolean
  timestamps: boolean
  two_float_exact: boolean
  limits: Record<string, number>
  /** Why it is unusable. */
  problem?: string
}

const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
  'maxStorageBuffersPerShaderStage',
] as const

/** The GPU that would be used, tried out; null where no adapter is found. */
export async function reportGpu(): Promise<GpuReport | null> {
  const adapter = await findAdapter()
  if (!adapter) return null
  const report: GpuReport = {
    name: [adapter.info.vendor, adapter.info.architecture, adapter.info.description]
      .filter(Boolean)
      .join(' '),
    software: isSoftwareAdapter(adapter.info),
    timestamps: adapter.features.has('timestamp-query'),
    two_float_exact: false,
    limits: Object.fromEntries(LIMITS.map((k) => [k, adapter.limits[k]])),
  }
  try {
    const { device } = await openDevice(adapter)
    report.two_float_exact = await twoFloatIsExact(device)
    device.destroy()
  } catch (error) {
    report.problem = (error as Error).message
  }
  return report
}
