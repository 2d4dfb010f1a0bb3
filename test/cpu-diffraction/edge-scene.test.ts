import { describe, expect, it } from 'vitest'
import {
  buildEdgeScene,
  EDGE_SIZE,
  type EdgeScene,
  SEGMENT_SIZE,
  createEdgeEngine,
  listEdges,
} from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import {
  InputError,
  direction,
  dot,
  type Aspect,
  type Mesh,
  type Vec3,
  wavenumber,
} from '../../scene/index.js'
import { cube, prism, join, rows } from '../scene/shapes.js'
import { dihedral, fan, grid, lBlock, regular, regularPrism, scenes, target, mapped } from './meshes.js'
import { SegmentFinder } from '../../cpu-diffraction/light/segments.js'
import { monostatic } from '../helpers/sbr.js'
import { rimCurvatures, tubeWidth } from '../../cpu-diffraction/mechanisms/double/edge-answer.js'
import { readMesh } from '../../formats/index.js'

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
    const knife = prism(rows(`0 0, 1 0, 0.5 ${0.5 * Math.tan((20 * Math.PI) / 180)}`), [[0, 1, 2]], 1)
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

/** Visible length per edge, and the segments' numbers. */
function light(
  mesh: Mesh,
  aspect: Aspect,
  step = 0.1,
): { lengths: number[]; count: number; considered: number } {
  const { edges, rays } = scenes(mesh)
  const { data, considered } = new SegmentFinder(edges, rays, step).find(aspect, 0, edges.count)
  const lengths = Array.from({ length: edges.count }, () => 0)
  for (let o = 0; o < data.length; o += SEGMENT_SIZE) lengths[data[o]] += data[o + 2]
  return { lengths, count: data.length / SEGMENT_SIZE, considered }
}
const total = (lengths: number[]): number => lengths.reduce((a, b) => a + b, 0)

describe('segments', () => {
  it('cover the lit edges of a cube: nine seen from a corner, eight face-on', () => {
    const corner = light(cube(), monostatic(50, 30))
    expect(corner.lengths.filter((l) => Math.abs(l - 1) < 1e-12).length).toBe(9)
    expect(total(corner.lengths)).toBeCloseTo(9, 12)
    expect(corner.considered).toBe(corner.count)
    // Four in front, and four behind the faces that lie along the wave.
    expect(total(light(cube(), monostatic(90, 0)).lengths)).toBeCloseTo(8, 12)
    expect(total(light(cube(), monostatic(0, 0)).lengths)).toBeCloseTo(8, 12)
    expect(total(light(cube(), monostatic(1e-4, 30)).lengths)).toBeCloseTo(6, 12)
  })

  it('cover all rims of a plate from either side, and those in front edge-on', () => {
    for (const theta of [20, 89, 91, 160])
      expect(total(light(grid(2, 3), monostatic(theta, 40)).lengths)).toBeCloseTo(10, 12)
    expect(total(light(grid(2, 3), monostatic(90, 40)).lengths)).toBeCloseTo(5, 12)
  })

  it('has the crease of a bent sheet from behind only', () => {
    const behind = light(dihedral(), monostatic(80, 225)).lengths
    const inFront = light(dihedral(), monostatic(80, 45)).lengths
    expect(total(behind)).toBeCloseTo(7, 12)
    expect(total(inFront)).toBeCloseTo(6, 12)
  })

  it('leaves out what other parts hide, up to the shadow boundary', () => {
    // A unit sheet, and above it another that hides its corner 0.37 x 0.37 seen from straight above.
    const shade = mapped(grid(1, 1), ([x, y]) => [x - 0.63, y - 0.63, 2])
    const { lengths } = light(join(grid(1, 1), shade), monostatic(0, 0))
    // Two edges lose 0.37, found to 0.02 of a segment.
    expect(total(lengths)).toBeGreaterThan(8 - 0.74 - 0.004)
    expect(total(lengths)).toBeLessThan(8 - 0.74 + 0.004)
  })

  it('sees every lit edge of an L from where its notch is open, and not the notch from behind', () => {
    // Top 8; four upright edges; the feet of four walls.
    expect(total(light(lBlock(), monostatic(5, 45)).lengths)).toBeCloseTo(16, 12)
    // From behind: top 8; three upright edges, and of that at (2, 1) what looks over the block; two feet, 2 + 1.
    const { lengths } = light(lBlock(), monostatic(60, 150))
    expect(Math.abs(total(lengths) - (14 + 2 / 3))).toBeLessThan(0.002)
  })

  it('are the same however the edges are shared out, and tile each edge', () => {
    const { edges, rays } = scenes(lBlock())
    const aspect = monostatic(62, 21)
    const whole = new SegmentFinder(edges, rays, 0.05).find(aspect, 0, edges.count)
    const parts = [
      [0, 5],
      [5, 6],
      [6, edges.count],
    ].map(([a, b]) => new SegmentFinder(edges, rays, 0.05).find(aspect, a, b))
    expect(parts.flatMap((p) => [...p.data])).toEqual([...whole.data])
    expect(parts.reduce((n, p) => n + p.considered, 0)).toBe(whole.considered)
    for (let o = 0; o < whole.data.length; o += SEGMENT_SIZE) {
      expect(whole.data[o + 2]).toBeGreaterThan(0)
      expect(whole.data[o + 3]).toBeGreaterThanOrEqual(0)
      expect(whole.data[o + 5]).toBeGreaterThanOrEqual(0)
    }
  })

  it('refer the phase path to the origin of the mesh', () => {
    const aspect = { tx: direction(30, 10), rx: direction(70, 120) }
    const shift: [number, number, number] = [3, -4, 5]
    const at = (mesh: Mesh): Float64Array => {
      const { edges, rays } = scenes(mesh)
      return new SegmentFinder(edges, rays, 0.2).find(aspect, 0, edges.count).data
    }
    const [a, b] = [at(cube()), at(mapped(cube(), (p) => p.map((v, c) => v + shift[c])))]
    const path = dot(aspect.tx.r, shift) + dot(aspect.rx.r, shift)
    expect(b.length).toBe(a.length)
    for (let o = 1; o < a.length; o += SEGMENT_SIZE) expect(b[o] - a[o]).toBeCloseTo(path, 10)
  })
})

const RADIUS = 2
const SIDES = 48

it('curvature of a cap is that of its circle, towards the axis, and a prism of few sides has none', () => {
  const { edges } = scenes(regularPrism(SIDES, 1, RADIUS))
  const bent = rimCurvatures(edges)
  let caps = 0
  for (let at = 0; at < 2 * edges.count; at++) {
    const size = Math.hypot(...bent.subarray(3 * at, 3 * at + 3))
    const isCap = Math.abs(edges.normals[3 * edges.faces[at] + 2]) > 0.5
    expect(size === 0).toBe(!isCap)
    if (!isCap) continue
    caps++
    expect(Math.abs(size * RADIUS - 1)).toBeLessThan(3e-3)
  }
  expect(caps).toBe(2 * SIDES)
  expect(rimCurvatures(scenes(regularPrism(6, 1)).edges).every((x) => x === 0)).toBe(true)
})

it('strips across a cap meet in its centre at normal incidence, and stay as far apart where light grazes it from behind the rim', () => {
  const { edges } = scenes(regularPrism(SIDES, 1, RADIUS))
  const bent = rimCurvatures(edges)
  let seen = 0
  for (let at = 0; at < 2 * edges.count; at++) {
    if (bent[3 * at] === 0 && bent[3 * at + 1] === 0) continue
    seen++
    const f = 18 * (at >> 1) + 9 * (at & 1)
    const x = edges.frames.slice(f, f + 3)
    const n = edges.frames.slice(f + 3, f + 6)
    const width = (r: Vec3, l: number): number => tubeWidth(edges, bent, at, r, 1, l)
    expect(Math.abs(width([n[0], n[1], n[2]], RADIUS))).toBeLessThan(3e-3)
    expect(width([n[0], n[1], n[2]], 2 * RADIUS)).toBeCloseTo(-1, 2)
    const grazing: Vec3 = [-x[0], -x[1], -x[2]]
    expect(dot(grazing, [n[0], n[1], n[2]])).toBeCloseTo(0, 12)
    expect(width(grazing, 2 * RADIUS)).toBeCloseTo(1, 9)
  }
  expect(seen).toBe(2 * SIDES)
})

describe('the list of what edges contribute', async () => {
  const { edges, rays } = scenes(await readMesh('samples/ship-1m.stl'))
  const engine = createEdgeEngine(edges, rays, { workers: 0 })

  it.each(['tw-ildc', 'tw-ildc-j', 'eec'] as const)('adds up to the field of the engine (%s)', async (diffraction) => {
    const freqHz = 4e9
    const k = wavenumber(freqHz)
    for (const [theta, phi] of [[75, 35], [60, -110]]) {
      const tx = direction(theta, phi)
      const aspect = { tx, rx: tx }
      const band = { f0: freqHz, df: 0, n: 1 }
      const { field } = await engine.field({ aspect, band, options: { diffraction, exact: true } })
      const { edge, place, amplitude } = listEdges(edges, rays, aspect, freqHz, diffraction, 1e6)
      const sum = new Float64Array(8)
      for (let i = 0; i < edge.length; i++) {
        expect(edge[i]).toBeLessThan(edges.count)
        const [cos, sin] = [Math.cos(2 * k * place[2 * i]), -Math.sin(2 * k * place[2 * i])]
        for (let c = 0; c < 8; c += 2) {
          const [re, im] = [amplitude[8 * i + c], amplitude[8 * i + c + 1]]
          // The factor j of the list is put back.
          sum[c] -= re * sin + im * cos
          sum[c + 1] += re * cos - im * sin
        }
      }
      const largest = Math.max(...field.map(Math.abs))
      // A segment passes by corners of its faces that are closer than a quarter of it.
      sum.forEach((x, i) => expect(Math.abs(x / Math.sqrt(4 * Math.PI) - field[i])).toBeLessThan(2e-2 * largest))
    }
  }) // prettier-ignore

  it('has each contribution on its edge or a strip away from it, as the radar sees them', () => {
    const tx = direction(75, 35)
    const { edge, place } = listEdges(edges, rays, { tx, rx: tx }, 4e9, 'eec', 1e6)
    const { edges: records, origin } = edges
    expect(edge.length).toBeGreaterThan(50)
    for (let i = 0; i < edge.length; i++) {
      const at = 8 * edge[i]
      const ends = [0, records[at + 6]].map((t) => {
        const p = [0, 1, 2].map((c) => records[at + c] + t * records[at + 3 + c] + origin[c])
        const dot = (v: readonly number[]): number => p.reduce((s, x, c) => s + x * v[c], 0)
        return [-dot(tx.r), dot(tx.phiHat)]
      })
      for (let c = 0; c < 2; c++) {
        const [low, high] = [Math.min(ends[0][c], ends[1][c]), Math.max(ends[0][c], ends[1][c])]
        expect(place[2 * i + c]).toBeGreaterThan(low - 1e-9)
        expect(place[2 * i + c]).toBeLessThan(high + 1e-9)
      }
    }
  })

  it('has longer segments where there would be too many', () => {
    const tx = direction(75, 35)
    const all = listEdges(edges, rays, { tx, rx: tx }, 4e9, 'tw-ildc', 1e6).edge.length
    expect(listEdges(edges, rays, { tx, rx: tx }, 4e9, 'tw-ildc', 100).edge.length).toBeLessThan(0.6 * all)
  })

  it('is refused for two stations', () => {
    const [tx, rx] = [direction(75, 35), direction(75, 36)]
    expect(() => listEdges(edges, rays, { tx, rx }, 4e9, 'tw-ildc', 1e6)).toThrow(RangeError)
  })
})
