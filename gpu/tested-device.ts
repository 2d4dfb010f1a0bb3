import { type GpuContext, GpuError, openDevice } from './device.js'
import { twoFloatIsExact } from './self-test.js'

/** Opens the adapter's device and tests its arithmetic. Throws GpuError where it cannot serve, or rounds phases wrongly. */
export async function openTestedDevice(adapter: GPUAdapter): Promise<GpuContext> {
  const context = await openDevice(adapter)
  if (await twoFloatIsExact(context.device)) return context
  context.device.destroy()
  throw new GpuError(`${context.name} fails the arithmetic test: its phases would be wrong`)
}
