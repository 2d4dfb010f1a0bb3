import type { EngineDescription } from '../rays/index.js'

/** An open GPU device with what the kernels need to know of it. */
export interface GpuContext {
  device: GPUDevice
  /** Vendor, architecture and description as the driver gives them. */
  name: string
  /** A software adapter (SwiftShader, WARP): runs everything, slowly. */
  isSoftware: boolean
  /** Kernel times can be measured on the device. */
  hasTimestamps: boolean
  /** Rejects when the device is lost or reports an error nobody caught; every wait for results races against it. */
  failure: Promise<never>
}

/** What an engine on this device says of itself. */
export const describeGpu = (
  { name, isSoftware }: GpuContext,
  aspectsInFlight: number,
): EngineDescription => ({
  device: 'gpu',
  isSoftware,
  text: `gpu, ${name}`,
  aspectsInFlight,
})

/** The GPU failed (lost, out of memory, invalid command): results in flight are void. */
export class GpuError extends Error {
  override readonly name = 'GpuError'
}

/** It has not the memory for a buffer. */
export class GpuMemoryError extends GpuError {}

/** Storage buffers that a kernel binds at the most. */
const STORAGE_BUFFERS = 8

/** Opens the adapter's device with the largest buffers it offers. Throws GpuError where it cannot. */
export async function openDevice(adapter: GPUAdapter): Promise<GpuContext> {
  const { limits, info, features } = adapter
  if (limits.maxStorageBuffersPerShaderStage < STORAGE_BUFFERS)
    throw new GpuError(
      `the GPU binds ${limits.maxStorageBuffersPerShaderStage} storage buffers, ${STORAGE_BUFFERS} are needed`,
    )
  const hasTimestamps = features.has('timestamp-query')
  const device = await adapter
    .requestDevice({
      requiredFeatures: hasTimestamps ? ['timestamp-query'] : [],
      requiredLimits: {
        maxBufferSize: limits.maxBufferSize,
        maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      },
    })
    .catch((error: Error) => {
      throw new GpuError(`the GPU gives no device: ${error.message.split('\n')[0]}`, { cause: error })
    })
  const failure = new Promise<never>((_, reject) => {
    void device.lost.then(({ reason, message }) =>
      reason === 'destroyed' ? undefined : reject(new GpuError(`the GPU device was lost: ${message}`)),
    )
    device.onuncapturederror = ({ error }) =>
      reject(new GpuError(`GPU error: ${error.message.split('\n')[0]}`))
  })
  failure.catch(() => {})
  return {
    device,
    name: [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(' '),
    isSoftware: isSoftwareAdapter(info),
    hasTimestamps,
    failure,
  }
}

/** A buffer that holds the data. @param usage  beside `COPY_DST` */
export function upload(
  device: GPUDevice,
  label: string,
  data: Float32Array | Uint32Array | ArrayBuffer,
  usage: number = GPUBufferUsage.STORAGE,
): GPUBuffer {
  const buffer = device.createBuffer({ label, size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST })
  // A plain copy of an array: the queue does not take shared memory.
  device.queue.writeBuffer(buffer, 0, data instanceof ArrayBuffer ? data : data.slice())
  return buffer
}

/** The first bytes of a buffer, once all that was submitted before is done. @throws GpuError where the device fails meanwhile */
export async function readBuffer(
  { device, failure }: Pick<GpuContext, 'device' | 'failure'>,
  buffer: GPUBuffer,
  bytes: number,
): Promise<ArrayBuffer> {
  if (bytes === 0) return new ArrayBuffer(0)
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST
  const copy = device.createBuffer({ size: bytes, usage })
  try {
    const encoder = device.createCommandEncoder()
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, bytes)
    device.queue.submit([encoder.finish()])
    await Promise.race([copy.mapAsync(GPUMapMode.READ), failure])
    return copy.getMappedRange().slice(0)
  } finally {
    copy.destroy()
  }
}

export const isSoftwareAdapter = (info: GPUAdapterInfo): boolean =>
  info.isFallbackAdapter ||
  /swiftshader|llvmpipe|lavapipe|warp|basic render/i.test(`${info.architecture} ${info.description}`)

/** A double as the sum of two floats: [high, low], exact to about 48 bits. */
export function splitDouble(x: number): [number, number] {
  const high = Math.fround(x)
  return [high, Math.fround(x - high)]
}

/** Doubles as the sums of two floats each: all high parts, all low parts. */
export function splitDoubles(numbers: ArrayLike<number>): { high: number[]; low: number[] } {
  const pairs = Array.from(numbers, splitDouble)
  return { high: pairs.map(([high]) => high), low: pairs.map(([, low]) => low) }
}
