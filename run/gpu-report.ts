import { isSoftwareAdapter } from '../gpu/index.js'
import { openDevice } from '../gpu/device.js'
import { twoFloatIsExact } from '../gpu/self-test.js'
import { findAdapter } from './node-gpu.js'

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
