import { type GpuContext, upload } from '../gpu/device.js'
import { type DenseFill, DenseSolver } from '../gpu/index.js'
import { bindKernel, compileKernel, type KernelContract } from '../gpu/kernel.js'
import { DYNAMIC_STRIDE, struct, uniform } from '../gpu/layout.js'
import { shared } from '../parallel/shared-memory.js'
import type { FaultOptions } from '../parallel/worker-pool.js'
import {
  type Factors,
  type MomentBackend,
  type MomentSystem,
  openTaskPool,
  planeWaves,
  ranges,
  sharedSystem,
  type Solution,
  type TaskPool,
} from './backend.js'
import type { Functions } from './functions.js'
import type { Matrix } from './lu.js'
import { functionParts, type NearEntries, nearPattern } from './near-entries.js'
import { ELECTRIC, MIDDLE, NEAR, RULE_16, RULE_6, type TriangleRule } from './pair-integrals.js'

/** Constant over a system. */
const MOMENT_JOB = uniform('Job', {
  k: ['f32', 'wavenumber [rad/m]'],
  charge: ['f32', '4 / k^2 [m^2]'],
  unknowns: ['u32', ''],
  order: ['u32', 'rows of the matrix, padded'],
  triangles: ['u32', 'of one image'],
  images: ['u32', 'of the triangles, themselves with them'],
  opposite: ['u32', 'bit i: the currents of image i have the other sign'],
})

/** One dispatch: columns `first` to `first + width` of the matrix in a block. */
const MOMENT_STEP = uniform('Step', {
  first: ['u32', ''],
  width: ['u32', ''],
  row: ['u32', 'first row'],
  entry: ['u32', 'first of the entries close together'],
  count: ['u32', 'of those'],
})

/** A triangle; corners about its centre [m]. */
const MOMENT_TRIANGLE = struct('Triangle', {
  centre: ['vec3f', '[m]'],
  area: ['f32', '[m^2]'],
  centreRest: ['vec3f', 'what single precision leaves of the centre [m]'],
  size: ['f32', 'longest edge [m]'],
  corner0: ['vec3f', ''],
  corner1: ['vec3f', ''],
  corner2: ['vec3f', ''],
  normal: ['vec3f', 'outwards; 0 on open surfaces'],
})

/** The two triangles of an RWG function, its corner of each, and ± l / 2A [1/m]. */
const MOMENT_FUNCTION = struct('FunctionParts', {
  triangles: ['vec2u', ''],
  corners: ['vec2u', ''],
  factors: ['vec2f', ''],
})

/** An entry of the matrix as the host computed it. */
const NEAR_ENTRY = struct('NearEntry', {
  row: ['u32', ''],
  column: ['u32', ''],
  value: ['vec2f', ''],
})

const structs = () => [MOMENT_JOB, MOMENT_STEP, MOMENT_TRIANGLE, MOMENT_FUNCTION, NEAR_ENTRY]
const read = (name: string) => ({ name, access: 'read' as const })
const BLOCK = { name: 'block', access: 'read_write' as const }

const MOMENT_FILL: KernelContract = {
  name: 'moment_fill',
  structs,
  constants: { ELECTRIC, MIDDLE, NEAR },
  modules: ['phase', 'moment_fill'],
  buffers: [read('triangles'), read('functions'), read('rules'), BLOCK],
}

const MOMENT_NEAR: KernelContract = {
  name: 'moment_near',
  structs,
  modules: ['moment_near'],
  buffers: [read('entries'), BLOCK],
}

/** Entries of a dispatch at the most: a slow device takes well under a second for them. */
const MOST_ENTRIES = 2 ** 24
/** Entries close together of a dispatch: 65,535 workgroups at the most. */
const MOST_NEAR = 2 ** 23

/**
 * Fills blocks of the matrix on the GPU.
 * @param order  rows, padded with those of an identity
 */
export async function momentFill(
  context: GpuContext,
  { functions, k }: { functions: Functions; k: number },
  near: NearEntries,
  order: number,
): Promise<{ fill: DenseFill; destroy: () => void }> {
  const { device } = context
  const [far, close] = await Promise.all([MOMENT_FILL, MOMENT_NEAR].map((c) => compileKernel(device, c, {})))
  const made: GPUBuffer[] = []
  const added = (label: string, data: ArrayBuffer, usage?: number): GPUBuffer => {
    const buffer = upload(device, label, data, usage)
    made.push(buffer)
    return buffer
  }
  const { count, triangles, signs } = functions
  const opposite = signs.reduce((bits, sign, image) => (sign < 0 ? bits | (1 << image) : bits), 0)
  const values = { k, charge: 4 / (k * k), unknowns: count, order, triangles, images: signs.length, opposite }
  const job = added('job', MOMENT_JOB.pack(values), GPUBufferUsage.UNIFORM)
  const { list, from } = byColumns(near, order)
  const buffers = {
    triangles: added('triangles', packTriangles(functions)),
    functions: added('functions', packFunctions(functions)),
    rules: added('rules', packRules(RULE_6, RULE_16)),
    entries: added('entries', list),
  }
  const steps = added('steps', new ArrayBuffer(DYNAMIC_STRIDE), GPUBufferUsage.UNIFORM)
  const step = { buffer: steps, size: MOMENT_STEP.size }
  const fill: DenseFill = ({ buffer, first, width }, queue) => {
    const all = { ...buffers, block: buffer }
    const run = (
      kernel: typeof far,
      values: { row: number; entry: number; count: number },
      x: number,
      y: number,
    ): void => {
      device.queue.writeBuffer(steps, 0, MOMENT_STEP.pack({ first, width, ...values }))
      const encoder = device.createCommandEncoder()
      const pass = encoder.beginComputePass(queue.timer.pass('fill', 0))
      pass.setPipeline(kernel.pipeline)
      pass.setBindGroup(0, bindKernel(device, kernel, job, step, all), [0])
      pass.dispatchWorkgroups(x, y)
      pass.end()
      device.queue.submit([encoder.finish()])
    }
    const rows = 4 * Math.max(1, Math.floor(MOST_ENTRIES / (4 * width)))
    for (let row = 0; row < order; row += rows)
      run(far, { row, entry: 0, count: 0 }, Math.ceil(width / 64), Math.min(rows, order - row) / 4)
    const end = from[first + width]
    for (let entry = from[first]; entry < end; entry += MOST_NEAR) {
      const count = Math.min(MOST_NEAR, end - entry)
      run(close, { row: 0, entry, count }, Math.ceil(count / 256), 1)
    }
  }
  return { fill, destroy: () => made.forEach((buffer) => buffer.destroy()) }
}

/** Three coordinates and the weight of each point, of one rule after the other. */
function packRules(...rules: TriangleRule[]): ArrayBuffer {
  return Float32Array.from(
    rules.flatMap(({ points, weights }) =>
      [...weights].flatMap((weight, q) => [...points.subarray(3 * q, 3 * q + 3), weight]),
    ),
  ).buffer
}

function packTriangles({ corners, areas, normals, outward }: Functions): ArrayBuffer {
  const { words, at, size } = MOMENT_TRIANGLE
  const out = new Float32Array((size * areas.length) / 4)
  for (let t = 0; t < areas.length; t++) {
    const to = words * t
    out[to + at.area] = areas[t]
    for (let a = 0; a < 3; a++) {
      const [x0, x1, x2] = [corners[9 * t + a], corners[9 * t + 3 + a], corners[9 * t + 6 + a]]
      const centre = (x0 + x1 + x2) / 3
      out[to + at.centre + a] = centre
      out[to + at.centreRest + a] = centre - Math.fround(centre)
      out[to + at.corner0 + a] = x0 - centre
      out[to + at.corner1 + a] = x1 - centre
      out[to + at.corner2 + a] = x2 - centre
      // Images are sources alone, which need none.
      out[to + at.normal + a] = (outward[t] ?? 0) * normals[3 * t + a]
    }
    for (let v = 0; v < 3; v++) {
      const [p, q] = [9 * t + 3 * v, 9 * t + 3 * ((v + 1) % 3)]
      const edge = Math.hypot(corners[p] - corners[q], corners[p + 1] - corners[q + 1], corners[p + 2] - corners[q + 2]) // prettier-ignore
      out[to + at.size] = Math.max(out[to + at.size], edge)
    }
  }
  return out.buffer
}

function packFunctions(functions: Functions): ArrayBuffer {
  const { triangles, corners, factors } = functionParts(functions)
  const { words, at } = MOMENT_FUNCTION
  const buffer = new ArrayBuffer(MOMENT_FUNCTION.size * functions.count)
  const [numbers, floats] = [new Uint32Array(buffer), new Float32Array(buffer)]
  for (let f = 0; f < functions.count; f++)
    for (let p = 0; p < 2; p++) {
      numbers[words * f + at.triangles + p] = triangles[2 * f + p]
      numbers[words * f + at.corners + p] = corners[2 * f + p]
      floats[words * f + at.factors + p] = factors[2 * f + p]
    }
  return buffer
}

/** The entries sorted by columns; those of column j from `from[j]` on. */
function byColumns(
  { starts, columns, values }: NearEntries,
  order: number,
): { list: ArrayBuffer; from: Int32Array } {
  const from = new Int32Array(order + 1)
  for (const column of columns) from[column + 1]++
  for (let j = 0; j < order; j++) from[j + 1] += from[j]
  const next = from.slice()
  const { words, at } = NEAR_ENTRY
  const list = new ArrayBuffer(NEAR_ENTRY.size * columns.length)
  const [numbers, floats] = [new Uint32Array(list), new Float32Array(list)]
  for (let row = 0; row + 1 < starts.length; row++)
    for (let e = starts[row]; e < starts[row + 1]; e++) {
      const to = words * next[columns[e]]++
      numbers[to + at.row] = row
      numbers[to + at.column] = columns[e]
      floats[to + at.value] = values[2 * e]
      floats[to + at.value + 1] = values[2 * e + 1]
    }
  return { list, from }
}

/** Vectors of the estimate of the condition number, and products with the inverse. */
const VECTORS = 16
const PRODUCTS = 2

/**
 * Solves on the GPU in single precision with one step of refinement; entries of functions close together come from
 * `workers` threads, in double precision. The device stays the caller's.
 */
export function gpuBackend(context: GpuContext, workers: number, faults: FaultOptions = {}): MomentBackend {
  const pool = openTaskPool(workers, faults)
  return {
    description: `single precision with refinement, gpu, ${context.name}`,
    factor: (system, onProgress, signal) => factor(context, pool, system, onProgress, signal),
    planeWaves: (sets, k) => planeWaves(pool, sets, k),
    close: () => pool.close(),
  }
}

async function factor(
  context: GpuContext,
  pool: TaskPool,
  system: MomentSystem,
  onProgress: (part: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Factors> {
  const n = system.functions.count
  const start = performance.now()
  const solver = await DenseSolver.open(context, n)
  try {
    const partOfNear = 0.4
    const entries = nearPattern(system.functions)
    const none: Matrix = { order: 0, elements: new Float64Array(0), pivots: new Int32Array(0) }
    const onThreads = sharedSystem(system.functions, system.k, none)
    const rows = ranges(0, n, Math.max(64, Math.ceil(n / (8 * pool.threads))))
    let done = 0
    await Promise.all(
      rows.map(async ([from, to]) => {
        await pool.run({ system: onThreads, step: 'near', entries, from, to }, signal)
        onProgress((partOfNear * ++done) / rows.length)
      }),
    )
    const { fill, destroy } = await momentFill(context, system, entries, solver.order)
    const filled = performance.now()
    const { norm, pivot } = await solver.factor(fill, {
      signal,
      progress: (done, total) => onProgress(1 - (1 - partOfNear) * (1 - done / total) ** 3),
    })
    const condition = pivot > 0 ? norm * (await inverseNorm(solver, signal)) : Infinity
    const factored = performance.now()
    return {
      condition,
      seconds: { fill: (filled - start) / 1000, factor: (factored - filled) / 1000 },
      solve: async (b, signal): Promise<Solution> => {
        const count = b.length / (2 * n)
        const { x, residuals } = await solver.solve(transposed(b, count, n), count, fill, { signal })
        return { x: inShared(transposed(x, n, count)), residual: residuals.last }
      },
      destroy: () => {
        destroy()
        solver.destroy()
      },
    }
  } catch (error) {
    solver.destroy()
    throw error
  }
}

/** A lower bound of ‖A⁻¹‖₁: what random vectors of signs grow by, and then their images. */
async function inverseNorm(solver: DenseSolver, signal?: AbortSignal): Promise<number> {
  const n = solver.unknowns
  let v = new Float32Array(2 * n * VECTORS)
  for (let i = 0; i < n * VECTORS; i++) v[2 * i] = (Math.imul(i + 1, 0x9e3779b1) >>> 16) & 1 ? -1 : 1
  let most = 0
  for (let p = 0; p < PRODUCTS; p++) {
    const { x } = await solver.solve(v, VECTORS, undefined, { signal })
    const [before, after] = [columnSums(v, VECTORS), columnSums(x, VECTORS)]
    before.forEach((sum, c) => (most = Math.max(most, after[c] / sum)))
    v = x.map((y, i) => y / after[(i >> 1) % VECTORS])
  }
  return most
}

function columnSums(x: Float32Array, columns: number): number[] {
  const sums = Array.from({ length: columns }, () => 0)
  for (let i = 0; i < x.length; i += 2) sums[(i >> 1) % columns] += Math.hypot(x[i], x[i + 1])
  return sums
}

function inShared(x: Float32Array): Float64Array {
  const out = shared(Float64Array, x.length)
  out.set(x)
  return out
}

/** Rows x columns complex numbers by columns: columns x rows. */
function transposed(x: ArrayLike<number>, rows: number, columns: number): Float32Array {
  const out = new Float32Array(x.length)
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      out[2 * (j * rows + i)] = x[2 * (i * columns + j)]
      out[2 * (j * rows + i) + 1] = x[2 * (i * columns + j) + 1]
    }
  return out
}
