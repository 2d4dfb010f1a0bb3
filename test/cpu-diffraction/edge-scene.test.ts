import { describe, expect, it } from 'vitest'
import { buildEdgeScene, EDGE_SIZE, type EdgeScene } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { InputError } from '../../scene/index.js'
import { cube, prism } from '../scene/shapes.js'
import { dihedral, fan, grid, lBlock, regular, regularPrism, scenes, target } from './meshes.js'

const wedges = (scene: EdgeScene): number[] =>
  Array.from({ length: scene.count }, (_, e) => scene.edges[EDGE_SIZE * e + 7])
const lengths = (scene: EdgeScene): number[] =>
  Array.from({ length: scene.count }, (_, e) => scene.edges[EDGE_SIZE * e + 6])
const vector = (a: Float64Array, at: number): number[] => Array.from(a.subarray(at, at + 3))
const close = (a: number[], b: number[]): void => a.forEach((v, i) => expect(v).toBeCloseTo(b[i], 12))

describe('edges that diffract', () => {
  it('has the twelve edges of a cube, not its diagonals', () => {
    const { edges } = scenes(cube())
    expect(edges.count).toBe(12)
    for (const N of wedges(edges)) expect(N).toBeCloseTo(1.5, 12)
    for (const l of lengths(edges)) expect(l).toBeCloseTo(1, 12)
    expect(edges.outlineStart.length - 1).toBe(6)
    expect(edges.outline.length / 6).toBe(24)
  })

  it('joins the pieces of a finely meshed plate into four rims', () => {
    const { edges } = scenes(grid(7, 5))
    expect(edges.count).toBe(4)
    expect(wedges(edges)).toEqual([2, 2, 2, 2])
    expect(lengths(edges).sort()).toEqual([5, 5, 7, 7])
    expect(edges.outline.length / 6).toBe(4)
    for (let e = 0; e < 4; e++) expect(edges.sides[2 * e] * edges.sides[2 * e + 1]).toBe(-1)
  })

  it('keeps the rims of holes, and of parts that touch in one corner', () => {
    const { edges } = scenes(grid(5, 5, (i, j) => !(i === 2 && j === 2)))
    expect(edges.count).toBe(8)
    const two = scenes(grid(4, 4, (i, j) => i < 2 === j < 2))
    expect(two.edges.count).toBe(8)
  })

  it('leaves out re-entrant edges of a solid', () => {
    const { edges } = scenes(lBlock())
    expect(edges.count).toBe(17)
    for (const N of wedges(edges)) expect(N).toBeCloseTo(1.5, 12)
  })

  it('takes a wedge by its interior angle against the limit', () => {
    // Regular prisms: 12 sides meet at 150 degrees, 24 sides at 165.
    const twelve = wedges(scenes(regularPrism(12, 1)).edges)
    expect(twelve.length).toBe(36)
    expect(twelve.filter((N) => Math.abs(N - (2 - 150 / 180)) < 1e-9).length).toBe(12)
    expect(scenes(regularPrism(24, 1)).edges.count).toBe(48)
    expect(scenes(regularPrism(24, 1), 166).edges.count).toBe(72)
    const knife = prism(
      [
        [0, 0],
        [1, 0],
        [0.5, 0.5 * Math.tan((20 * Math.PI) / 180)],
      ],
      [[0, 1, 2]],
      1,
    )
    const sharp = wedges(scenes(knife).edges)
    expect(sharp.filter((N) => Math.abs(N - (2 - 20 / 180)) < 1e-9).length).toBe(2)
  })

  it('has a disc with the rims of its polygon and one face', () => {
    const polygon = regular(40)
    const { edges } = scenes({
      positions: Float64Array.from(polygon.flatMap(([x, y]) => [x, y, 0])),
      triangles: Uint32Array.from(fan(40).flat()),
    })
    expect(edges.count).toBe(40)
    expect(edges.outlineStart.length - 1).toBe(1)
  })

  it('has a bent sheet diffract from its convex side only', () => {
    const { edges } = scenes(dihedral())
    expect(edges.count).toBe(7)
    const crease = wedges(edges).findIndex((N) => N < 2)
    expect(wedges(edges)[crease]).toBeCloseTo(1.5, 12)
    // The outward normals of both sheets point away from the empty space of 270 degrees.
    for (let i = 0; i < 2; i++) {
      const y = vector(edges.frames, FRAMES_SIZE * crease + 9 * i + 3)
      expect(Math.min(...y)).toBeCloseTo(-1, 12)
      const x = vector(edges.frames, FRAMES_SIZE * crease + 9 * i)
      expect(Math.max(...x)).toBeCloseTo(1, 12)
    }
  })

  it('gives right-handed frames with x in the face and opposite z', () => {
    const { edges } = scenes(lBlock())
    for (let e = 0; e < edges.count; e++) {
      const [x, y, z, x2, y2, z2] = [0, 3, 6, 9, 12, 15].map((o) => vector(edges.frames, FRAMES_SIZE * e + o))
      close([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]], z)
      close(
        z,
        z2.map((v) => -v),
      )
      // A convex edge: each face runs away below the other's plane.
      expect(x[0] * y2[0] + x[1] * y2[1] + x[2] * y2[2]).toBeCloseTo(-1, 12)
      expect(x2[0] * y[0] + x2[1] * y[1] + x2[2] * y[2]).toBeCloseTo(-1, 12)
    }
  })

  it('merges facets that single precision tilts, and no others', () => {
    const mesh = grid(20, 20)
    const positions = mesh.positions.map((v, i) => Math.fround(1000 + 0.05 * v * (i % 3 === 0 ? 1.1 : 0.9)))
    expect(scenes({ ...mesh, positions }).edges.outlineStart.length - 1).toBe(1)
    const tilted = mesh.positions.slice()
    // One corner vertex 2e-4 of a square high.
    tilted[2] = 2e-4
    expect(scenes({ ...mesh, positions: tilted }).edges.outlineStart.length - 1).toBeGreaterThan(1)
  })

  it('refuses a limit at which flat surfaces would diffract', () => {
    expect(() => buildEdgeScene(target(cube()), 180)).toThrow(InputError)
    expect(() => buildEdgeScene(target(cube()), 0)).toThrow(/largest wedge angle is 0/)
    expect(() => buildEdgeScene(target(cube()), NaN)).toThrow(InputError)
  })
})
