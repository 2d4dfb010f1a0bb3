import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import { buildBvh, type Bvh } from '../../rays/index.js'
import type { Mesh } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { meshOf, sphere } from '../scene/shapes.js'

interface Walked {
  leaves: number
  depth: number
  facets: number[]
}

/** Visits every node once; fails where a box does not hold what lies below it (`expect` for each box takes seconds). */
function walk(mesh: Mesh, bvh: Bvh): Walked {
  const { nodes } = bvh
  const words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
  const result: Walked = { leaves: 0, depth: 0, facets: [] }
  const seen = new Set<number>()
  const holds = (node: number, point: ArrayLike<number>): void => {
    for (let a = 0; a < 3; a++)
      if (!(nodes[8 * node + a] <= point[a] && point[a] <= nodes[8 * node + 4 + a]))
        throw new Error(`node ${node} does not hold ${Array.from(point).join()}`)
  }
  const visit = (node: number, depth: number): void => {
    if (seen.has(node)) throw new Error(`node ${node} is visited twice`)
    seen.add(node)
    result.depth = Math.max(result.depth, depth)
    const first = words[8 * node + 3]
    const count = words[8 * node + 7]
    if (count === 0) {
      for (const child of [first, first + 1]) {
        holds(node, nodes.subarray(8 * child, 8 * child + 3))
        holds(node, nodes.subarray(8 * child + 4, 8 * child + 7))
        visit(child, depth + 1)
      }
      return
    }
    result.leaves++
    for (const t of bvh.order.subarray(first, first + count)) {
      result.facets.push(t)
      for (const v of mesh.triangles.subarray(3 * t, 3 * t + 3)) {
        const p = mesh.positions.subarray(3 * v, 3 * v + 3)
        holds(node, p)
        // What a device without double precision sees of the vertex lies inside too.
        holds(node, Float32Array.from(p))
      }
    }
  }
  visit(0, 1)
  expect(seen.size).toBe(nodes.length / 8)
  return result
}

function expectSound(mesh: Mesh): Walked {
  const bvh = buildBvh(mesh)
  const walked = walk(mesh, bvh)
  const all = Array.from({ length: mesh.triangles.length / 3 }, (_, t) => t)
  expect(walked.facets.toSorted((a, b) => a - b)).toEqual(all)
  expect(walked.depth).toBe(bvh.depth)
  return walked
}

/** Small triangles at the given centres. */
const specks = (centres: number[][], size: number): Mesh =>
  meshOf(
    centres.flatMap(([x, y, z]) => [
      [x, y, z],
      [x + size, y, z],
      [x, y + size, z],
    ]),
    centres.map((_, i) => [3 * i, 3 * i + 1, 3 * i + 2]),
  )

test.each(['cube', 'trihedral-square', 'missile', 'ship-1m', 'aircraft'])(
  '%s: every facet in one leaf, boxes hold their children and their facets in both precisions',
  (name) => {
    const mesh = models[name].make()
    const { leaves, depth } = expectSound(mesh)
    const count = mesh.triangles.length / 3
    // Leaves of one to four facets in a tree of sensible depth.
    expect(leaves).toBeGreaterThanOrEqual(count / 4)
    expect(depth).toBeLessThan(4 + 2.5 * Math.log2(count))
  },
)

test('a single facet is a tree of one leaf', () => {
  expect(expectSound(specks([[1, 2, 3]], 0.1))).toMatchObject({ leaves: 1, depth: 1 })
})

test('coincident facets split by number: depth stays logarithmic', () => {
  const { depth } = expectSound(
    specks(
      Array.from({ length: 1000 }, () => [0.1, 0.2, 0.3]),
      0.5,
    ),
  )
  expect(depth).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(1000)))
})

test('facets crowding geometrically towards a corner keep the depth bounded', () => {
  const { depth } = expectSound(
    specks(
      Array.from({ length: 3000 }, (_, i) => [0.8 ** i, 0, 0]),
      1e-9,
    ),
  )
  expect(depth).toBeLessThanOrEqual(40 + Math.ceil(Math.log2(3000)) + 1)
})

test('the same mesh gives the same bytes', () => {
  const mesh = sphere(20, 30)
  const [a, b] = [buildBvh(mesh), buildBvh(mesh)]
  expect(Buffer.from(a.nodes.buffer).equals(Buffer.from(b.nodes.buffer))).toBe(true)
  expect(a.order).toEqual(b.order)
})

test('random specks, far from the origin', () => {
  const next = random(5)
  expectSound(
    specks(
      Array.from({ length: 500 }, () => [1e3 + next(), -1e3 + next(), next()]),
      1e-3,
    ),
  )
})
