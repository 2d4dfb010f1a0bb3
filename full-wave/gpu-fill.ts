import type { GpuContext } from '../gpu/device.js'
import { type DenseFill } from '../gpu/index.js'
import { bindKernel, compileKernel } from '../gpu/kernel.js'
import { DYNAMIC_STRIDE } from '../gpu/layout.js'
import type { Functions } from './functions.js'
import {
  MOMENT_FILL,
  MOMENT_FUNCTION,
  MOMENT_JOB,
  MOMENT_NEAR,
  MOMENT_STEP,
  MOMENT_TRIANGLE,
  NEAR_ENTRY,
} from './gpu-layouts.js'
import { functionParts, type NearEntries } from './near-entries.js'
import { RULE_16, RULE_6, type TriangleRule } from './potentials.js'

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
  const upload = (data: ArrayBuffer, usage: number): GPUBuffer => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST })
    device.queue.writeBuffer(buffer, 0, data)
    made.push(buffer)
    return buffer
  }
  const { count, triangles, signs } = functions
  const opposite = signs.reduce((bits, sign, image) => (sign < 0 ? bits | (1 << image) : bits), 0)
  const values = { k, charge: 4 / (k * k), unknowns: count, order, triangles, images: signs.length, opposite }
  const job = upload(MOMENT_JOB.pack(values), GPUBufferUsage.UNIFORM)
  const { list, from } = byColumns(near, order)
  const buffers = {
    triangles: upload(packTriangles(functions), GPUBufferUsage.STORAGE),
    functions: upload(packFunctions(functions), GPUBufferUsage.STORAGE),
    rules: upload(packRules(RULE_6, RULE_16), GPUBufferUsage.STORAGE),
    entries: upload(list, GPUBufferUsage.STORAGE),
  }
  const steps = upload(new ArrayBuffer(DYNAMIC_STRIDE), GPUBufferUsage.UNIFORM)
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
