import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { writeBinaryStl } from '../../formats/index.js'
import { foundMesh, foundMeshes } from '../../samples/models/found.js'
import { buildEdges, type Edges } from '../../scene/edges.js'
import { prepareTarget, type Mesh } from '../../scene/index.js'
import { weld } from '../../scene/repair.js'

const count = <T>(list: Iterable<T>, holds: (x: T) => boolean): number => {
  let n = 0
  for (const x of list) if (holds(x)) n++
  return n
}

/** Facets that repeat one before them, in its orientation and in the opposite one. */
function repeated({ triangles }: Mesh): { same: number; opposite: number } {
  const seen = new Map<string, string>()
  const found = { same: 0, opposite: 0 }
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.subarray(t, t + 3)
    const least = Math.min(a, b, c)
    const turn = least === a ? [a, b, c] : least === b ? [b, c, a] : [c, a, b]
    const key = [...turn].sort((x, y) => x - y).join(' ')
    const before = seen.get(key)
    if (before === undefined) seen.set(key, turn.join(' '))
    else found[before === turn.join(' ') ? 'same' : 'opposite']++
  }
  return found
}

describe.each([
  ['found-a', { facets: 12464, open: 612, edges: 7218, hash: '9e3f4a57e0894ddf', same: 102, opposite: 115 }],
  ['found-b', { facets: 8103, open: 2765, edges: 6510, hash: 'bb76555f96ee2256', same: 69, opposite: 67 }],
  [
    'found-c',
    { facets: 42485, open: 4639, edges: 26427, hash: '1d1291826d15c921', same: 418, opposite: 410 },
  ],
] as const)('%s', (name, expected) => {
  const mesh = foundMesh(foundMeshes[name])
  const target = prepareTarget(mesh, { smoothAngleDeg: 20 })

  it('is the same to the last byte each time', () => {
    const hash = createHash('sha256').update(writeBinaryStl(mesh, name)).digest('hex')
    expect(hash.slice(0, 16)).toBe(expected.hash)
  })

  it('has its length and counts of facets, open edges and diffracting edges', () => {
    expect(target.box.max[0] - target.box.min[0]).toBeCloseTo(foundMeshes[name].length, 9)
    expect(target.report.facetsIn).toBe(expected.facets)
    expect(count(target.edges.valence, (v) => v === 1)).toBe(expected.open)
    expect(buildEdgeScene(target, 160).count).toBe(expected.edges)
  })

  it('has facets twice, in the same and in the opposite orientation, and others the wrong way round', () => {
    const { same, opposite } = expected
    expect(repeated(mesh)).toEqual({ same, opposite })
    expect(target.report.duplicate).toBe(same + opposite)
    expect(target.report.flipped).toBeGreaterThan(0.1 * expected.facets)
  })

  it('has T-junctions, open edges with a vertex of others in their middle, which welding joins', () => {
    const welded = weld(mesh)
    expect(junctionsOf(welded.positions, buildEdges(welded))).toBeGreaterThan(0.01 * expected.facets)
    expect(junctionsOf(target.positions, target.edges)).toBe(0)
  })
})

function junctionsOf(p: Float64Array, edges: Edges): number {
  const key = (x: number, y: number, z: number): string => [x, y, z].map((c) => Math.round(c * 1e5)).join(' ')
  const vertices = new Set<string>()
  for (let i = 0; i < p.length; i += 3) vertices.add(key(p[i], p[i + 1], p[i + 2]))
  const middle = (e: number): string => {
    const [a, b] = [3 * edges.vertices[2 * e], 3 * edges.vertices[2 * e + 1]]
    return key((p[a] + p[b]) / 2, (p[a + 1] + p[b + 1]) / 2, (p[a + 2] + p[b + 2]) / 2)
  }
  return count(edges.valence.keys(), (e) => edges.valence[e] === 1 && vertices.has(middle(e)))
}
