import { expect, it } from 'vitest'
import { rimCurvatures, tubeWidth } from '../../cpu-diffraction/mechanisms/double/edge-answer.js'
import { dot, type Vec3 } from '../../scene/index.js'
import { regularPrism, scenes } from './meshes.js'

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
