import { expect, test } from 'vitest'
import { kernelSource } from '../../gpu/kernel.js'
import { batchPlaces, cutBatches, halveBatch, type GpuBatch } from '../../gpu/propagation/buffers.js'
import { PROPAGATION_KERNELS } from '../../gpu/propagation/kernels.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const CONSTANTS = { MAX_REFLECTIONS: 7, STACK_SIZE: 20, WORKGROUP: 64, SPHERES: 1, COUNT: 0 }

test.each(Object.values(PROPAGATION_KERNELS))('$name: bindings are those of the contract', (contract) => {
  const reflected = new WgslReflect(kernelSource(contract, CONSTANTS))
  const bindings = reflected.storage.map((s) => [s.binding, s.access])
  expect(bindings.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual(
    contract.buffers.map(({ access }, i) => [2 + i, access]),
  )
})

/** How often each row of triangles of each face is covered. */
function coverage(n: number, batches: GpuBatch[]): Set<number> {
  const rows = new Uint32Array(20 * n)
  for (const { face, faces, j0, j1 } of batches)
    for (let f = face; f < face + faces; f++) for (let j = j0; j < j1; j++) rows[f * n + j]++
  return new Set(rows)
}

test('batches cover every row of every face once, within their room, also halved', () => {
  for (const [n, most] of [
    [1, 3],
    [14, 29],
    [50, 700],
    [100, 2 ** 20],
  ]) {
    const batches = cutBatches(n, most)
    for (const batch of batches) expect(batchPlaces(n, batch).total).toBeLessThanOrEqual(most)
    expect(coverage(n, batches)).toEqual(new Set([1]))
    expect(
      coverage(
        n,
        batches.flatMap((b) => halveBatch(b) ?? [b]),
      ),
    ).toEqual(new Set([1]))
  }
})
