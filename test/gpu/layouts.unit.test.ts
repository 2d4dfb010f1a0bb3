import { expect, test } from 'vitest'
import { LEAF, QUAD } from '../../gpu/sbr/layouts.js'
import { batchPaths } from '../../gpu/sbr/results.js'

test('a path has the lattice cell of its record and the facets that its rays meet', () => {
  const tiles = { i0: -3, j0: 5, ni: 2, nj: 1 }
  const radiates = 0x80000000
  const leaf = {
    cell: 70 | (9 << 16),
    levelCount: 2 | (3 << 8),
    record: 8,
    tail: 77,
    facets: [radiates + 4, 6, radiates + 4, 9, 9],
  }
  const long = { ...leaf, levelCount: 7 << 8, tail: 1, facets: [radiates + 4, 6, 4, 3, radiates + 2] }
  const quad = { cell: 31 | (15 << 16), level: 0, record: 0, facet: 12 }
  const capacity = 3
  const leaves = new Uint32Array(capacity * LEAF.words + 2 * 4)
  leaves.set(new Uint32Array(LEAF.pack(leaf)))
  leaves.set(new Uint32Array(LEAF.pack(long)), LEAF.words)
  leaves.set([radiates + 1, 8], capacity * LEAF.words + 4)
  const quads = new Uint32Array(QUAD.pack({ ...quad, cornerFacets: [12, 13, 14, 15] }))
  expect([...batchPaths(tiles, 9, { leaves, count: 2, capacity, quads })]).toEqual([
    {
      level: 2,
      i: -3 * 64 + 70,
      j: 5 * 64 + 9,
      facets: Int32Array.of(4, 6, 4),
      radiating: Uint8Array.of(1, 0, 1),
      corners: null,
    },
    {
      level: 0,
      i: -3 * 16 + 70,
      j: 5 * 16 + 9,
      facets: Int32Array.of(4, 6, 4, 3, 2, 1, 8),
      radiating: Uint8Array.of(1, 0, 0, 0, 1, 1, 0),
      corners: null,
    },
    {
      level: 0,
      i: -3 * 16 + 31,
      j: 5 * 16 + 15,
      radiating: Uint8Array.of(1),
      facets: Int32Array.of(12),
      corners: Int32Array.of(12, 13, 14, 15),
    },
  ])
})
