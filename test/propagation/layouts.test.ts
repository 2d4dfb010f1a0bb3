import { expect, test } from 'vitest'
import {
  batchPlaces,
  cutBatches,
  type GpuBatch,
  halveBatch,
  RECEIVER_NODE,
} from '../../gpu/propagation/kernels.js'
import { indexReceivers } from '../../propagation/setup.js'

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

test("nodes of the receivers' index are the records that the kernels read", () => {
  const positions = Float64Array.from({ length: 60 }, (_, i) => Math.sin(i))
  const { nodes } = indexReceivers(positions)
  const bytes = Float32Array.from(nodes).buffer
  const root = RECEIVER_NODE.read(bytes)
  expect(root).toMatchObject({ leaf: 0, next: nodes.length / RECEIVER_NODE.words })
  for (let a = 0; a < 3; a++) {
    expect(root.low[a]).toBeLessThan(Math.min(...positions.filter((_, i) => i % 3 === a)))
    expect(root.high[a]).toBeGreaterThan(Math.max(...positions.filter((_, i) => i % 3 === a)))
  }
  let listed = 0
  for (let n = 0; n < nodes.length / RECEIVER_NODE.words; n++)
    listed += RECEIVER_NODE.read(bytes, RECEIVER_NODE.size * n).leaf & 15
  expect(listed).toBe(20)
})
