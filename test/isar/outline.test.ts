import { describe, expect, it } from 'vitest'
import { type Outline, targetOutline } from '../../isar/index.js'
import { direction, dot, type Mesh, type Vec3 } from '../../scene/index.js'
import { cube, join, rows } from '../scene/shapes.js'

type Line = [number, number, number, number]

const box = (low: Vec3, high: Vec3): Mesh => {
  const { positions, triangles } = cube()
  return { positions: positions.map((u, i) => low[i % 3] + u * (high[i % 3] - low[i % 3])), triangles }
}
const linesOf = (flat: Float64Array): Line[] =>
  Array.from({ length: flat.length / 4 }, (_, i) => Array.from(flat.subarray(4 * i, 4 * i + 4)) as Line)
const inPlane = (at: Vec3, thetaDeg: number, phiDeg: number): [number, number] => {
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  return [dot(at, phiHat), -dot(at, r)]
}
/** Lines as texts with their ends in order, to compare sets of them. */
const named = (lines: Line[]): string[] =>
  lines
    .map(([a, b, c, d]) =>
      [
        [a, b],
        [c, d],
      ]
        .map((p) => p.map((v) => (v + 1e-9).toFixed(6)).join(','))
        .sort()
        .join(' '),
    ) // prettier-ignore
    .sort()

const [LOW, HIGH]: [Vec3, Vec3] = [[-2, -1, -0.5], [3, 1.5, 0.7]] // prettier-ignore
const corner = (x: 0 | 1, y: 0 | 1, z: 0 | 1): Vec3 => [
  [LOW, HIGH][x][0],
  [LOW, HIGH][y][1],
  [LOW, HIGH][z][2],
]
type Bits = [0 | 1, 0 | 1, 0 | 1]

describe('outline of a box', () => {
  it.each(rows<[number, number]>('70 25, 110 -40, 80 130'))(
    'at theta %d, phi %d is its hexagon, its edges are the three that the viewer sees inside',
    (thetaDeg, phiDeg) => {
      const outline = targetOutline(box(LOW, HIGH), { thetaDeg, phiDeg })
      // The normal towards the viewer: its signs say which corner is nearest.
      const towards = direction(thetaDeg, phiDeg).thetaHat.map((v) => (v < 0 ? 1 : 0)) as Bits
      const line = (a: Bits, b: Bits): Line => [
        ...inPlane(corner(...a), thetaDeg, phiDeg),
        ...inPlane(corner(...b), thetaDeg, phiDeg),
      ]
      const flip = (at: Bits, axis: number): Bits => at.map((v, i) => (i === axis ? 1 - v : v)) as Bits
      const inside = [0, 1, 2].map((axis) => line(towards, flip(towards, axis)))
      const around = [0, 1, 2].flatMap(
        (axis) =>
      [0, 1, 2].filter((other) => other !== axis).map((other) => line(flip(towards, axis), flip(flip(towards, axis), other))), // prettier-ignore
      )
      expect(named(linesOf(outline.silhouette))).toEqual(named(around))
      expect(named(linesOf(outline.edges))).toEqual(named(inside))
    },
  )

  it('has cross-range to the right of range away from the radar, relative to the phase centre', () => {
    const { silhouette } = targetOutline(
      box([1, 0, 0], [2, 0.5, 0.1]),
      { thetaDeg: 90, phiDeg: 0 },
      [1, 0, 0],
    )
    const [across, along] = [0, 1].map((c) => Array.from(silhouette).filter((_, i) => i % 2 === c))
    // The radar is at +x: what is nearer to it has less range. phi-hat is +y.
    expect([Math.min(...across), Math.max(...across), Math.min(...along), Math.max(...along)]).toEqual([0, 0.5, -1, 0]) // prettier-ignore
    const turned = targetOutline(box([1, 0, 0], [2, 0.5, 0.1]), { thetaDeg: 90, phiDeg: 90 })
    const ranges = Array.from(turned.silhouette).filter((_, i) => i % 2 === 1)
    expect(Math.min(...ranges)).toBeCloseTo(-0.5, 12)
    expect(Math.min(...Array.from(turned.silhouette).filter((_, i) => i % 2 === 0))).toBeCloseTo(-2, 12)
  })

  it('is in the plane that it is given, whatever the aspect', () => {
    const { r, phiHat } = direction(70, 25)
    const [given, own] = [box(LOW, HIGH), { thetaDeg: 70, phiDeg: 25 }]
    const same = { thetaDeg: 10, phiDeg: 0, plane: { towardsRadar: r, crossRange: phiHat } }
    const names = ({ silhouette, edges }: Outline): string[][] => [silhouette, edges].map((lines) => named(linesOf(lines))) // prettier-ignore
    expect(names(targetOutline(given, same))).toEqual(names(targetOutline(given, own)))
    // Seen along z: the plan of the box, its top's edges in one line with those below.
    const plan = { ...own, plane: { towardsRadar: [0, -1, 0] as Vec3, crossRange: [1, 0, 0] as Vec3 } }
    const { silhouette, edges } = targetOutline(given, plan)
    const [x, y] = [0, 1].map((c) => Array.from(silhouette).filter((_, i) => i % 2 === c))
    expect([Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)]).toEqual([-2, 3, -1, 1.5])
    expect(edges).toHaveLength(0)
  })

  it('leaves out what lies below it, and cuts what it covers in part', () => {
    const aspect = { thetaDeg: 90, phiDeg: 0 }
    const cover = box([-1, -1, 1], [1, 1, 1.2])
    const alone = targetOutline(cover, aspect)
    const hidden = targetOutline(join(cover, box([-0.5, -0.5, 0], [0.5, 0.5, 0.5])), aspect)
    expect(named(linesOf(hidden.silhouette))).toEqual(named(linesOf(alone.silhouette)))
    expect(hidden.edges).toEqual(alone.edges)
    const bar = targetOutline(join(cover, box([-0.3, -3, 0], [0.3, 3, 0.5])), aspect)
    const sides = linesOf(bar.silhouette).filter(([, y0, , y1]) => Math.abs(y0 - 0.3) < 1e-9 && Math.abs(y1 - 0.3) < 1e-9) // prettier-ignore
    // From the ends of the bar to the cover's edges, within a few cells of 6 m / 1,024; top and bottom edges coincide.
    const ends = [...new Set(sides.flatMap(([x0, , x1]) => [x0, x1]).map((x) => x.toFixed(1)))].sort()
    expect(ends).toEqual(['-1.0', '-3.0', '1.0', '3.0'])
  })

  it('facets of one smooth surface make no lines', () => {
    const prism = (sides: number): Mesh => {
      const ring = (z: number): number[] => Array.from({ length: sides }, (_, i) => (2 * Math.PI * i) / sides).flatMap((t) => [Math.cos(t), z, Math.sin(t)]) // prettier-ignore
      const triangles = Array.from({ length: sides }, (_, i) => [i, (i + 1) % sides, sides + i, (i + 1) % sides, sides + ((i + 1) % sides), sides + i]).flat() // prettier-ignore
      return {
        positions: Float64Array.from([...ring(-1), ...ring(1)]),
        triangles: Uint32Array.from(triangles),
      }
    }
    const count = (sides: number) =>
      targetOutline(prism(sides), { thetaDeg: 90, phiDeg: 10 }).edges.length / 4
    expect(count(24)).toBe(0)
    // Six sides meet at 60 degrees: of the edges above the two outermost lines some show.
    expect(count(6)).toBeGreaterThan(0)
  })
})
