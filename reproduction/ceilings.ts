// What the GPU allows: its measured peak, and the least time of the engine's operations and bytes at that peak.
import { GpuSbrEngine } from '../gpu/index.js'
import { TILE_RAY_WORDS } from '../gpu/sbr/kernels.js'
import { CONTRIBUTION, LEAF } from '../gpu/sbr/layouts.js'
import { TILE } from '../rays/index.js'
import { loadTarget } from '../run/loaded-target.js'
import { DEFAULT_SBR, monostatic } from './cases.js'
import { firstGpu } from './kit.js'

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

interface Ceilings {
  name: string
  /** Single-precision operations per second; a fused multiply-add is two. */
  flops: number
  /** Bytes read and written per second. */
  bytes: number
}

async function measureCeilings(): Promise<Ceilings> {
  const context = await firstGpu()
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

/** Single-precision operations of one contribution at one frequency in sum_frequencies.wgsl: phasor, two sinc, eight multiply-adds. */
const SUM_FLOPS = 20 + 2 * 10 + 16
/** Bytes read and written per contribution and per leaf: their records, written once and read once. */
const CONTRIBUTION_BYTES = 2 * CONTRIBUTION.size
const LEAF_BYTES = 2 * LEAF.size
/** Bytes of a tube's rays, of its corner and its centre, written by the tracing kernels and read by those that sort. */
const RAY_BYTES = (2 * 4 * TILE_RAY_WORDS) / TILE ** 2

const FREQUENCIES = 128

/**
 * A table: aircraft-a at one aspect, the time of its kernels against the minimum time of the operations of direct summation
 * over all frequencies and of the bytes passed between kernels at the GPU's measured peak.
 */
export async function measureFloor(): Promise<string> {
  const { name, flops, bytes } = await measureCeilings()
  const loaded = await loadTarget('samples/aircraft-a.stl', 'm', 20)
  const context = await firstGpu()
  const engine = new GpuSbrEngine(context, loaded.scene, loaded.target.area, { subGrid: 2048 })
  const row = async (frequencySum: 'direct' | 'fast') => {
    const job = {
      aspect: monostatic(80, 0),
      band: { f0: 9.25e9, df: 1.5e9 / (FREQUENCIES - 1), n: FREQUENCIES },
      options: { ...DEFAULT_SBR, frequencySum },
    }
    const runs = []
    for (let i = 0; i < 8; i++) runs.push(await engine.field(job))
    runs.sort((a, b) => a.times.trace + a.times.field - b.times.trace - b.times.field)
    return runs[3]
  }
  const ms = (seconds: number): string => (1e3 * seconds).toFixed(3)
  const [direct, fast] = [await row('direct'), await row('fast')]
  const { tubes, leaves, contributions } = direct.statistics
  const sum = (contributions * FREQUENCIES * SUM_FLOPS) / flops
  const moved = (contributions * CONTRIBUTION_BYTES + leaves * LEAF_BYTES) / bytes
  const rays = (leaves * RAY_BYTES) / bytes
  context.device.destroy()
  return `Measured on ${name} by \`reproduction/ceilings.ts\`: ${(flops / 1e12).toFixed(1)} Tflop/s in single precision, ${(bytes / 1e12).toFixed(2)} TB/s read and written. One
aspect of aircraft-a, ${tubes} tubes, ${leaves} of them hit (cut ones counted), ${contributions} contributions, ${FREQUENCIES} frequencies. The floor is what the operations counted
(${SUM_FLOPS} a contribution and frequency summed directly) or the bytes counted (rays of corners and centres, leaves, records) take at these ceilings.

| kernels | milliseconds | floor | of it |
| --- | --- | --- | --- |
| tracing, bytes of the rays that hit | ${ms(direct.times.trace)} | ${ms(rays)} | ${(direct.times.trace / rays).toFixed(0)} times |
| contributions and direct sum, operations | ${ms(direct.times.field)} | ${ms(sum)} | ${(direct.times.field / sum).toFixed(1)} times |
| the same, bytes | ${ms(direct.times.field)} | ${ms(moved)} | ${(direct.times.field / moved).toFixed(0)} times |
| contributions and sum at nodes of the band (default) | ${ms(fast.times.field)} | ${ms(sum)} (of the direct sum) | ${(fast.times.field / sum).toFixed(1)} times |

Tracing is bound by neither: rays wait for the boxes and facets that their tile's lists name, in caches.`
}
