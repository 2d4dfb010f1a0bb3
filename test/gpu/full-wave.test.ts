import { expect, it } from 'vitest'
import { type CurrentMesh, fillRows, type Functions, gpuBackend, cpuBackend, meshForCurrents, PairIntegrals, prepareFullWave, rwgFunctions } from '../../full-wave/index.js' // prettier-ignore
import { momentFill } from '../../full-wave/gpu-backend.js'
import { fillNear, nearPattern, type NearEntries } from '../../full-wave/near-entries.js'
import { DenseSolver } from '../../gpu/index.js'
import { direction, prepareTarget } from '../../scene/index.js'
import { sphere, welded } from '../full-wave/meshes.js'
import { sharedGpu } from '../helpers/gpu.js'

const context = await sharedGpu()

/** A plate of 3 x 1 in strips, far from the origin. */
function plate(): CurrentMesh {
  const corners: number[][] = []
  const at = (i: number, j: number): number[] => [20 + i / 4, 5 + j / 4, 0.3]
  for (let i = 0; i < 12; i++)
    for (let j = 0; j < 4; j++)
      corners.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1))
  return welded(corners)
}

/** Entries close together, by this thread. */
function nearEntries(functions: Functions, k: number): NearEntries {
  const entries = nearPattern(functions)
  fillNear(functions, new PairIntegrals(functions, k), entries, 0, functions.count)
  return entries
}

/** A plate with two planes of symmetry. */
const symmetric = (): CurrentMesh => {
  const plate = { positions: Float64Array.from([0, 0, 0, 1, 0, 0, 1, 0.7, 0, 0, 0.7, 0]), triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) } // prettier-ignore
  return meshForCurrents(prepareTarget(plate, { smoothAngleDeg: 20 }), 1, {
    elementsPerWavelength: 6,
    firstRow: 1 / 16,
  })
}

const bodies: [string, () => CurrentMesh, number][] = [
  ['an open plate', plate, 2.5],
  ['a closed sphere', () => sphere(4), 2.2],
]

it.each(bodies)(
  'the matrix of %s is that of double precision within 1e-5 of its largest entry',
  async (_, body, k) => {
    const functions = rwgFunctions(body())
    const n = functions.count
    const solver = await DenseSolver.open(context, n)
    const { fill, destroy } = await momentFill(
      context,
      { functions, k },
      nearEntries(functions, k),
      solver.order,
    )
    const [block] = solver.blocks
    await fill(block, solver.queue)
    const copy = context.device.createBuffer({ size: block.buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }) // prettier-ignore
    const encoder = context.device.createCommandEncoder()
    encoder.copyBufferToBuffer(block.buffer, 0, copy, 0, copy.size)
    context.device.queue.submit([encoder.finish()])
    await copy.mapAsync(GPUMapMode.READ)
    const found = new Float32Array(copy.getMappedRange())
    const expected = new Float64Array(2 * n * n)
    fillRows(functions, new PairIntegrals(functions, k), 0, n, expected)
    let [worst, most, apart] = [0, 0, 0]
    for (let i = 0; i < n; i++)
      for (let j = 0; j < 2 * n; j++) {
        worst = Math.max(worst, Math.abs(found[2 * block.width * i + j] - expected[2 * n * i + j]))
        most = Math.max(most, Math.abs(expected[2 * n * i + j]))
      }
    for (const column of nearEntries(functions, k).columns) if (column >= 0) apart++
    // Some come from the kernel, not all from the host.
    expect(apart).toBeLessThan(0.9 * n * n)
    expect(worst / most).toBeLessThan(1e-5)
    copy.destroy()
    destroy()
    solver.destroy()
  },
)

it.each<(typeof bodies)[number]>([...bodies, ['a plate in parts by its symmetry', symmetric, 6.2]])(
  'fields of %s are those of the processor within 1e-3 of the largest',
  async (_, body, k) => {
    const mesh = body()
    const aspects = [0, 40, 90].map((thetaDeg) => ({
      tx: direction(thetaDeg, 30),
      rx: direction(thetaDeg, 30),
    }))
    const solved = async (backend: ReturnType<typeof cpuBackend>) => {
      const wave = await prepareFullWave({ mesh, k, backend })
      const { fields, residual } = await wave.solve(aspects)
      wave.destroy()
      await backend.close()
      return { fields, residual, condition: wave.condition }
    }
    const cpu = await solved(cpuBackend(0))
    const gpu = await solved(gpuBackend(context, 0))
    const most = cpu.fields.reduce((m, x) => Math.max(m, Math.abs(x)), 0)
    gpu.fields.forEach((x, i) => expect(Math.abs(x - cpu.fields[i]) / most).toBeLessThan(1e-3))
    expect(gpu.condition).toBeGreaterThan(0.05 * cpu.condition)
    expect(gpu.condition).toBeLessThan(1.01 * cpu.condition)
  },
)
