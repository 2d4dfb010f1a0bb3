import { describe, expect, test } from 'vitest'
import { buildEdges, type Edges } from '../../scene/edges.js'
import { cross, dot, InputError, type Mesh, type Vec3 } from '../../scene/index.js'
import { smoothGroups } from '../../scene/target.js'
import { cube, flipFacets, join, meshOf, moved, prism, rows, sheet, sphere } from './shapes.js'
import { weld } from '../../scene/repair.js'
import { lBlock, mapped, regularPrism } from '../cpu-diffraction/meshes.js'

/** Three sheets that meet in one edge. */
const pages = meshOf('0 0 0, 0 0 1, 1 0 0.5, 0 1 0.5, -1 0 0.5', '0 1 2, 0 1 3, 0 1 4')

const anglesOf = (edges: Edges): number[] => Array.from(edges.interiorAngle)
const countNear = (edges: Edges, degrees: number): number =>
  anglesOf(edges).filter((a) => Math.abs(a - degrees) < 1e-9).length

/** The edge's one wedge, by the ends' coordinates. */
const between = (mesh: Mesh, edges: Edges, from: number[], to: number[]): number[] =>
  anglesOf(edges).filter((_, e) => {
    const end = (i: number): string => {
      const v = edges.vertices[2 * e + i]
      return mesh.positions.subarray(3 * v, 3 * v + 3).join()
    }
    return [from.join(), to.join()].toSorted().join(';') === [end(0), end(1)].toSorted().join(';')
  })

/** Turned by 1 rad about (1, 2, 2)/3, by Rodrigues' formula. */
const turn = (mesh: Mesh): Mesh => {
  const [k, c, s]: [Vec3, number, number] = [[1 / 3, 2 / 3, 2 / 3], Math.cos(1), Math.sin(1)]
  return mapped(mesh, (p) => {
    const across = cross(k, p as Vec3)
    const along = dot(k, p as Vec3)
    return p.map((x, i) => c * x + s * across[i] + (1 - c) * along * k[i])
  })
}

describe('buildEdges', () => {
  test('cube: twelve right angles and six diagonals, in vertex order, wherever it stands', () => {
    for (const mesh of [cube(), turn(cube()), moved(turn(cube()), [30, -20, 10])]) {
      const edges = buildEdges(mesh)
      expect(edges.interiorAngle.length).toBe(18)
      expect(countNear(edges, 90)).toBe(12)
      expect(countNear(edges, 180)).toBe(6)
      expect(edges.valence.every((n) => n === 2)).toBe(true)
      expect(edges.side.every((s) => s === 1)).toBe(true)
      const keys = Array.from(
        { length: 18 },
        (_, e) => edges.vertices[2 * e] * 100 + edges.vertices[2 * e + 1],
      )
      expect(keys).toEqual(keys.toSorted((a, b) => a - b))
      expect(new Set(keys).size).toBe(18)
      for (let e = 0; e < 18; e++) {
        expect(edges.vertices[2 * e]).toBeLessThan(edges.vertices[2 * e + 1])
        for (const f of edges.facets.subarray(2 * e, 2 * e + 2)) {
          const corners = mesh.triangles.subarray(3 * f, 3 * f + 3)
          expect(corners).toContain(edges.vertices[2 * e])
          expect(corners).toContain(edges.vertices[2 * e + 1])
        }
        // The first facet runs along the edge from its lower vertex to its higher.
        const first = Array.from(
          mesh.triangles.subarray(3 * edges.facets[2 * e], 3 * edges.facets[2 * e] + 3),
        )
        expect(first[(first.indexOf(edges.vertices[2 * e]) + 1) % 3]).toBe(edges.vertices[2 * e + 1])
      }
    }
  })

  test('sheet: rims of 0 degrees', () => {
    const edges = buildEdges(sheet())
    expect(Array.from(edges.vertices)).toEqual([0, 1, 0, 2, 0, 3, 1, 2, 2, 3])
    expect(anglesOf(edges)).toEqual([0, 180, 0, 0, 0])
    expect(Array.from(edges.valence)).toEqual([1, 2, 1, 1, 1])
    expect(Array.from(edges.facets)).toEqual([0, -1, 1, 0, 1, -1, 0, -1, 1, -1])
  })

  test('prism over an equilateral triangle: 60 degrees along its length', () => {
    const h = Math.sqrt(3) / 2
    const edges = buildEdges(prism(rows(`0 0, 1 0, 0.5 ${h}`), [[0, 1, 2]], 2))
    expect(edges.interiorAngle.length).toBe(12)
    expect(countNear(edges, 60)).toBe(3)
    expect(countNear(edges, 90)).toBe(6)
    expect(countNear(edges, 180)).toBe(3)
  })

  test('L-shaped body: one re-entrant edge of 270 degrees', () => {
    const mesh = lBlock()
    const edges = buildEdges(mesh)
    expect(countNear(edges, 270)).toBe(1)
    expect(between(mesh, edges, [1, 1, 0], [1, 1, 1])[0]).toBeCloseTo(270, 10)
    expect(countNear(edges, 90)).toBe(17)
  })

  test('wedges of every angle, seen from either side', () => {
    for (let degrees = 5; degrees < 360; degrees += 5) {
      const a = (degrees * Math.PI) / 180
      // Facets at angles 0 and a about z, material between them: normals point to -phi and +phi.
      const points = `0 0 0, 0 0 1, 1 0 0.3, ${Math.cos(a)} ${Math.sin(a)} 0.6`
      const mesh = meshOf(points, '1 0 2, 0 1 3')
      expect(buildEdges(mesh).interiorAngle[0]).toBeCloseTo(degrees, 10)
      expect(buildEdges(turn(mesh)).interiorAngle[0]).toBeCloseTo(degrees, 10)
      expect(buildEdges(flipFacets(mesh, () => true)).interiorAngle[0]).toBeCloseTo(360 - degrees, 10)
    }
  })

  test('facets folded onto each other are a knife', () => {
    const mesh = meshOf('0 0 0, 0 0 1, 1 0 0.3, 1 0 0.6', '1 0 2, 0 1 3')
    expect(buildEdges(mesh).interiorAngle[0]).toBe(0)
    expect(buildEdges(turn(mesh)).interiorAngle[0]).toBe(0)
  })

  test('two cubes that share an edge: the two empty quarters there, not the two full ones', () => {
    const mesh = weld(join(cube(), moved(cube(), [1, 1, 0])))
    const edges = buildEdges(mesh)
    expect(between(mesh, edges, [1, 1, 0], [1, 1, 1])).toEqual([270, 270])
    expect(edges.valence.filter((n) => n === 4).length).toBe(2)
    expect(edges.interiorAngle.length).toBe(18 + 18 - 2 + 2)
    expect(edges.side.every((s) => s === 1)).toBe(true)
  })

  test('three sheets that meet: every sector is a wedge, with the faces on the sides that it sees', () => {
    const edges = buildEdges(pages)
    const at = Array.from(edges.valence.keys()).filter((e) => edges.valence[e] === 3)
    // All normals point to +phi, so each wedge sees the front of its first facet and the back of its second.
    const wedges = at.map((e) => [...edges.facets.subarray(2 * e, 2 * e + 2), edges.interiorAngle[e]])
    expect(wedges).toEqual(rows('0 1 270, 1 2 270, 2 0 180'))
    for (const e of at) expect(Array.from(edges.side.subarray(2 * e, 2 * e + 2))).toEqual([1, -1])
  })
})

describe('smoothGroups', () => {
  test('cube: six surfaces, numbered by first facet', () => {
    const surface = smoothGroups(cube(), buildEdges(cube()), 20)
    expect(Array.from(surface)).toEqual([0, 1, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5])
  })

  test('joins by less than the angle, not at it', () => {
    // An octagonal prism bends by 45 degrees from side to side.
    const mesh = regularPrism(8, 1)
    const edges = buildEdges(mesh)
    const count = (degrees: number): number => new Set(smoothGroups(mesh, edges, degrees)).size
    expect(count(44.999)).toBe(10)
    expect(count(45.001)).toBe(3)
    expect(count(91)).toBe(1)
    expect(count(0)).toBe(28)
    expect(() => count(NaN)).toThrow(InputError)
  })

  test('a sphere is one surface; rims and non-manifold edges do not join', () => {
    const mesh = sphere(24, 32)
    expect(new Set(smoothGroups(mesh, buildEdges(mesh), 20)).size).toBe(1)
    expect(Array.from(smoothGroups(pages, buildEdges(pages), 179))).toEqual([0, 1, 2])
  })
})
