// Measured peak of the GPU: single-precision operations and bytes per second. reproduction/performance.ts compares the engine's counts
// with them.
//   npm run build && node dist/reproduction/ceilings.js
import { openNodeGpu } from '../run/node-gpu.js'

/** Invocations, and fused multiply-adds of each; eight chains keep the pipelines full. */
const INVOCATIONS = 2 ** 22
const ROUNDS = 1024
/** Floats that are read, added up and written. */
const FLOATS = 2 ** 28

const FMA = `
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = id.x + id.y * groups.x * 256u;
  var a = vec4f(f32(i)) * 1e-9;
  var b = a + 0.5;
  for (var n = 0u; n < ${ROUNDS}u; n++) {
    a = fma(a, vec4f(0.999), vec4f(1e-3));
    b = fma(b, vec4f(0.998), vec4f(2e-3));
  }
  if (dot(a, b) == 12345.0) { data[0] = a.x; }
}`

const COPY = `
@group(0) @binding(0) var<storage, read_write> data: array<vec4f>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = id.x + id.y * groups.x * 256u;
  data[i] = data[i] + 1.0;
}`

export interface Ceilings {
  name: string
  /** Single-precision operations per second; a fused multiply-add is two. */
  flops: number
  /** Bytes read and written per second. */
  bytes: number
}

export async function measureCeilings(): Promise<Ceilings> {
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU found')
  const { device, isSoftware } = context
  // Fewer repeats on a software adapter, for testing this command.
  const scale = isSoftware ? 256 : 1
  const data = device.createBuffer({ size: (4 * FLOATS) / scale, usage: GPUBufferUsage.STORAGE })
  const time = async (code: string, invocations: number): Promise<number> => {
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
    })
    const layout = pipeline.getBindGroupLayout(0)
    const group = device.createBindGroup({
      layout,
      entries: [{ binding: 0, resource: { buffer: data } }],
    })
    const across = Math.min(32768, invocations / 256)
    let best = Infinity
    for (let run = 0; run < 6; run++) {
      const start = performance.now()
      const encoder = device.createCommandEncoder()
      const pass = encoder.beginComputePass()
      pass.setPipeline(pipeline)
      pass.setBindGroup(0, group)
      for (let i = 0; i < 8; i++) pass.dispatchWorkgroups(across, invocations / 256 / across)
      pass.end()
      device.queue.submit([encoder.finish()])
      await Promise.race([device.queue.onSubmittedWorkDone(), context.failure])
      best = Math.min(best, (performance.now() - start) / 8000)
    }
    return best
  }
  const invocations = INVOCATIONS / scale
  const flops = (16 * ROUNDS * invocations) / (await time(FMA, invocations))
  const bytes = (8 * FLOATS) / scale / (await time(COPY, FLOATS / scale / 4))
  data.destroy()
  device.destroy()
  return { name: context.name, flops, bytes }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { name, flops, bytes } = await measureCeilings()
  console.log(`${name}: ${(flops / 1e12).toFixed(2)} Tflop/s, ${(bytes / 1e9).toFixed(0)} GB/s`)
}
