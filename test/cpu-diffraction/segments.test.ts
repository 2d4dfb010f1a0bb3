import { describe, expect, it } from 'vitest'
import { SEGMENT_SIZE } from '../../cpu-diffraction/index.js'
import { SegmentFinder } from '../../cpu-diffraction/light/segments.js'
import { direction, dot, type Aspect, type Mesh } from '../../scene/index.js'
import { monostatic } from '../helpers/sbr.js'
import { cube, join } from '../scene/shapes.js'
import { dihedral, grid, lBlock, mapped, scenes } from './meshes.js'

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
