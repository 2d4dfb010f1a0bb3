// Dense equations of the method of moments on the GPU: memory, seconds by step and rate for random matrices.
//   npm run build && node dist/reproduction/full-wave.js [UNKNOWNS ...] [--columns N]
import { parseArgs } from 'node:util'
import { type DenseFill, DenseSolver, type GpuContext } from '../gpu/index.js'
import { openNodeGpu } from '../run/node-gpu.js'

/** Entries with re and im between −1 and 1 by a hash of row and column; an identity beyond the matrix. */
const RANDOM = `
struct Step { order: u32, unknowns: u32, first: u32, width: u32 }
@group(0) @binding(0) var<uniform> s: Step;
@group(0) @binding(1) var<storage, read_write> block: array<vec2f>;
fn hash(x: u32) -> u32 {
  let a = x * 747796405u + 2891336453u;
  let b = ((a >> ((a >> 28u) + 4u)) ^ a) * 277803737u;
  return (b >> 22u) ^ b;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  if (column >= s.width) { return; }
  let h = hash(id.y ^ hash(s.first + column));
  let inside = id.y < s.unknowns && s.first + column < s.unknowns;
  let one = select(0.0, 1.0, id.y == s.first + column);
  let z = vec2f(f32(h), f32(hash(h))) / 2147483648.0 - 1.0;
  block[id.y * s.width + column] = select(vec2f(one, 0.0), z, inside);
}`

async function randomFill({ device }: GpuContext, unknowns: number, order: number): Promise<DenseFill> {
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: RANDOM }), entryPoint: 'main' },
  })
  const step = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST })
  return ({ buffer, first, width }, queue) => {
    device.queue.writeBuffer(step, 0, new Uint32Array([order, unknowns, first, width]))
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass(queue.timer.pass('fill', 0))
    pass.setPipeline(pipeline)
    const entries = [step, buffer].map((b, binding) => ({ binding, resource: { buffer: b } }))
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }))
    pass.dispatchWorkgroups(Math.ceil(width / 64), order)
    pass.end()
    device.queue.submit([encoder.finish()])
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { columns: { type: 'string', default: '722' } },
  })
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU found')
  console.log(`${context.name}; right-hand sides: ${values.columns}`)
  console.log(
    'unknowns  GB  factor s  TFLOP/s  solve s | device s: fill panel swap triangle update (TFLOP/s) solve residual | residual before, after; rhs bytes sum',
  )
  const sizes = positionals.length ? positionals.map(Number) : context.isSoftware ? [130] : [10_000, 20_000]
  for (const n of sizes) {
    const columns = context.isSoftware ? 3 : Number(values.columns)
    const solver = await DenseSolver.open(context, n)
    const fill = await randomFill(context, n, solver.order)
    const b = Float32Array.from({ length: 2 * n * columns }, (_, i) => Math.fround(Math.sin(i * 1.7)))
    const start = performance.now()
    await solver.factor(fill)
    const factored = performance.now()
    const by = await solver.queue.seconds()
    const begin = performance.now()
    const { x, residuals } = await solver.solve(b, columns, fill)
    const solved = performance.now()
    const all = await solver.queue.seconds()
    let sum = 0
    const bits = new Uint32Array(x.buffer)
    for (let i = 0; i < bits.length; i++) sum = (Math.imul(sum, 31) + bits[i]) >>> 0
    const operations = (8 * n ** 3) / 3
    // What the trailing updates compute, 256 deep.
    let update = 0
    for (let end = 256; end < solver.order; end += 256) update += 8 * 256 * (solver.order - end) ** 2
    console.log([n, (solver.bytes / 1e9).toFixed(2), ((factored - start) / 1e3).toFixed(2), (operations / (factored - start) / 1e9).toFixed(1), ((solved - begin) / 1e3).toFixed(2), '|',
      ...(['fill', 'panel', 'swap', 'triangle', 'update'] as const).map((s) => by[s].toFixed(3)), `(${(update / by.update / 1e12).toFixed(1)})`,
      all.solve.toFixed(3), all.residual.toFixed(3), '|', residuals.first.toExponential(1), residuals.last.toExponential(1), sum.toString(16)].join(' ')) // prettier-ignore
    solver.destroy()
  }
  context.device.destroy()
}

await main()
