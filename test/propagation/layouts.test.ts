import { expect, test } from 'vitest'
import { kernelSource } from '../../gpu/kernel.js'
import {
  ANTENNA,
  batchPlaces,
  cutBatches,
  EXCITATION,
  type GpuBatch,
  type GpuPropagationScene,
  halveBatch,
  MATERIAL,
  packExcitations,
  PATH_SUMS,
  PROPAGATION_KERNELS,
  propagationConstants,
  RECEIVER_NODE,
  SUMS,
} from '../../gpu/propagation/kernels.js'
import { indexReceivers, SUM } from '../../propagation/setup.js'
import type { Vec3 } from '../../scene/index.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const CONSTANTS = { ...propagationConstants(7), STACK_SIZE: 20, WORKGROUP: 64, SPHERES: 1, COUNT: 0 }

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

test('sums of the GPU stand where those of the CPU do', () => {
  const { length, ...positions } = SUM
  for (const [name, position] of Object.entries(positions))
    expect([name, PATH_SUMS.at[name as keyof typeof PATH_SUMS.at] / 2]).toEqual([name, position])
  expect(SUMS).toBe(length)
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

const ANTENNA_Z = { kind: 'short-dipole' as const, axis: [0, 0, 1] as Vec3, side: [1, 0, 0] as Vec3 }

test('excitations, their materials, antennas and tables follow each other in rows', () => {
  const values = Float64Array.from({ length: 24 }, (_, i) => i)
  const { data, materials, tables } = packExcitations({
    excitations: [
      { cyclesPerMetre: 3, vertical: true, permittivity: [[5, -0.25], null] },
      { cyclesPerMetre: 4, vertical: false, permittivity: [[6, 0], null] },
    ],
    transmitAntenna: ANTENNA_Z,
    receiveAntenna: { ...ANTENNA_Z, kind: 'table', table: { thetas: 2, phis: 3, values } },
  } as unknown as GpuPropagationScene)
  expect([materials, tables]).toEqual([2, 6])
  const row = (n: number): number => 16 * n
  expect(EXCITATION.read(data.buffer)).toEqual({ cyclesPerMetre: [3, 0], vertical: 1 })
  expect(MATERIAL.read(data.buffer, row(1))).toEqual({ permittivity: [5, -0.25], conductor: 0 })
  expect(MATERIAL.read(data.buffer, row(2))).toEqual({ permittivity: [0, 0], conductor: 1 })
  expect(EXCITATION.read(data.buffer, row(3))).toEqual({ cyclesPerMetre: [4, 0], vertical: 0 })
  const first = { axis: [0, 0, 1], side: [1, 0, 0] }
  expect(ANTENNA.read(data.buffer, row(tables))).toMatchObject({ ...first, kind: 2, thetas: 0 })
  expect(ANTENNA.read(data.buffer, row(tables) + ANTENNA.size)).toEqual({
    ...first,
    kind: 3,
    table: tables + (2 * ANTENNA.size) / 16,
    thetas: 2,
    phis: 3,
  })
  expect([...data.subarray(4 * tables + 2 * ANTENNA.words)]).toEqual([...values])
})
