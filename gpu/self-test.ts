import { wgsl } from '../shaders/wgsl.gen.js'
import { GpuError } from './device.js'

const PAIRS = 4096

/**
 * Whether the device keeps two-float error terms: 4,096 random sums and products must come back exact to the last
 * bit. Some shader compilers simplify such arithmetic away, and phases would then be wrong without a sign of it.
 * Throws GpuError where the device cannot run the test at all.
 */
export async function twoFloatIsExact(device: GPUDevice): Promise<boolean> {
  device.pushErrorScope('validation')
  device.pushErrorScope('out-of-memory')
  const pairs = randomPairs()
  const input = device.createBuffer({
    size: pairs.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  })
  const bytes = 16 * PAIRS
  const output = device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC })
  const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
  const zero = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM })
  device.queue.writeBuffer(input, 0, pairs)
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: {
      module: device.createShaderModule({ code: wgsl.two_float_test + wgsl.two_float }),
      entryPoint: 'main',
    },
  })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [zero, input, output].map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  )
  pass.dispatchWorkgroups(PAIRS / 64)
  pass.end()
  encoder.copyBufferToBuffer(output, 0, copy, 0, bytes)
  device.queue.submit([encoder.finish()])
  const problem = (await device.popErrorScope()) ?? (await device.popErrorScope())
  if (problem) throw new GpuError(`the GPU cannot run its self-test: ${problem.message.split('\n')[0]}`)
  await copy.mapAsync(GPUMapMode.READ)
  const results = new Float32Array(copy.getMappedRange().slice(0))
  copy.unmap()
  for (const buffer of [input, output, copy, zero]) buffer.destroy()
  return isExact(pairs, results)
}

/** Pairs of either sign over eight binary orders of magnitude; a fixed sequence. */
function randomPairs(): Float32Array<ArrayBuffer> {
  let seed = 1
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32
  return Float32Array.from({ length: 2 * PAIRS }, () => (random() - 0.5) * 2 ** Math.floor(8 * random()))
}

/** In double precision sums and products of two such floats are exact, so value + error must equal them. */
function isExact(pairs: Float32Array, results: Float32Array): boolean {
  for (let i = 0; i < PAIRS; i++) {
    const [a, b] = [pairs[2 * i], pairs[2 * i + 1]]
    if (results[4 * i] + results[4 * i + 1] !== a + b) return false
    if (results[4 * i + 2] + results[4 * i + 3] !== a * b) return false
  }
  return true
}
