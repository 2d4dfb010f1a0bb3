import { describe, expect, it } from 'vitest'
import { buildRayScene, LitParts, RayCaster } from '../../rays/index.js'
import { prepareTarget, type Vec3 } from '../../scene/index.js'
import { random } from '../helpers/random.js'

/** Triangles at random places in a unit cube, some of them joined. */
function soup(count: number, size: number, seed: number) {
  const next = random(seed)
  const positions: number[] = []
  for (let t = 0; t < count; t++) {
    const at = [next(), next(), next()]
    for (let v = 0; v < 3; v++) for (let c = 0; c < 3; c++) positions.push(at[c] + size * (next() - 0.5))
  }
  const mesh = {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i),
  }
  return buildRayScene(prepareTarget(mesh, { smoothAngleDeg: 20 }))
}

const unit = (v: Vec3): Vec3 => {
  const n = Math.hypot(...v)
  return [v[0] / n, v[1] / n, v[2] / n]
}

describe('lit parts of a line', () => {
  it.each([
    [12, 0.4],
    [400, 0.1],
    [3000, 0.02],
  ])('are where rays of %s random facets meet nothing', (count, size) => {
    const scene = soup(count, size, count)
    const parts = new LitParts(scene)
    const caster = new RayCaster(scene)
    const next = random(3)
    const centred = (): Vec3 => [next() - 0.5, next() - 0.5, next() - 0.5]
    const lit: number[] = []
    let dark = 0
    let shone = 0
    for (let i = 0; i < 150; i++) {
      const p = centred()
      const e = unit(centred())
      const d = unit(centred())
      const length = 0.05 + next()
      parts.find(p, e, d, length, lit)
      for (let k = 2; k < lit.length; k += 2) expect(lit[k]).toBeGreaterThan(lit[k - 1])
      for (let k = 0; k < 40; k++) {
        const t = length * next()
        // Too near a boundary to tell.
        if (lit.some((x) => Math.abs(x - t) < 1e-6)) continue
        const [x, y, z] = p.map((c, a) => c + t * e[a])
        const occluded = caster.occluded(x, y, z, d[0], d[1], d[2], -1)
        const isLit = lit.some((from, k) => k % 2 === 0 && t > from && t < lit[k + 1])
        expect(isLit).toBe(!occluded)
        if (occluded) dark++
        else shone++
      }
    }
    expect(dark).toBeGreaterThan(100)
    expect(shone).toBeGreaterThan(100)
  })

  it('are all of a line that nothing hides, and nothing of one behind a wall', () => {
    const wall = {
      positions: Float64Array.of(-9, -9, 1, 9, -9, 1, 9, 9, 1, -9, 9, 1),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
    }
    const scene = buildRayScene(prepareTarget(wall, { smoothAngleDeg: 20 }))
    const parts = new LitParts(scene)
    const lit: number[] = []
    // In the scene's coordinates the wall is at height 0.
    parts.find([-1, 0, -1], [1, 0, 0], [0, 0, 1], 2, lit)
    expect(lit).toEqual([])
    parts.find([-1, 0, -1], [1, 0, 0], [0, 0, -1], 2, lit)
    expect(lit).toEqual([0, 2])
    parts.find([-1, 0, 1], [1, 0, 0], [0, 0, 1], 2, lit)
    expect(lit).toEqual([0, 2])
    // Up through the wall: dark below it, and its own place counts for nothing.
    parts.find([0, 0, -1], [0, 0.6, 0.8], [0, 0, 1], 2, lit)
    expect(lit.length).toBe(2)
    expect(lit[0]).toBeCloseTo(1.25, 9)
    expect(lit[1]).toBe(2)
  })
})
