import { type GpuContext, isSoftwareAdapter, openTestedDevice } from '../gpu/index.js'

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
