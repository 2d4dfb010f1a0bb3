import { describe, expect, it } from 'vitest'
import { findCorners, strengthOf } from '../../cpu-diffraction/mechanisms/edge-waves/corners.js'
import { EdgeField } from '../../cpu-diffraction/index.js'
import { EdgeWaves } from '../../cpu-diffraction/mechanisms/edge-waves/edge-waves.js'
import { FaceWaves } from '../../cpu-diffraction/mechanisms/edge-waves/face-waves.js'
import { Launch } from '../../cpu-diffraction/mechanisms/edge-waves/launch.js'
import { foundMesh, foundMeshes } from '../../samples/models/found.js'
import type { Aspect, Mesh } from '../../scene/index.js'
import { cube, meshOf, rows } from '../scene/shapes.js'
import { dihedral, fan, mapped, scenes, engines, centredSheet, edgeOptions } from './meshes.js'
import { norm, relativeDifference, at } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'

const BOTH = ['edge-wave', 'corner'] as const
/** 3 GHz: 0.1 m. */
const BAND = at(2.99792458e9)

/** Convex polygon in z = 0. */
const polygon = (points: number[][]): Mesh =>
  meshOf(
    points.map(([x, y]) => [x, y, 0]),
    fan(points.length),
  )

/** The waves alone, unrounded. */
function waves(mesh: Mesh, aspect: Aspect, band = BAND, names: readonly string[] = BOTH): Float64Array {
  const { edges, rays } = scenes(mesh)
  const sum = new Float64Array(8 * band.n)
  const field = EdgeField.of(band, true)
  for (const [name, Waves] of [
    ['edge-wave', EdgeWaves],
    ['corner', FaceWaves],
  ] as const)
    if (names.includes(name)) new Waves(edges, rays, field, rays.size).add(aspect, 0, edges.count)
  field.finish(sum)
  return sum
}

describe('what arrives at a corner', () => {
  it('is the integral along the line, in closed form', () => {
    const k = Float64Array.of(20, 63, 200)
    const launch = new Launch(k, 200)
    for (const q of [0, 1e-9, 1e-3, 0.04, 0.5, 1, 2])
      for (const [x1, x2] of rows('0 0.3, 0.1 0.13, 0 2')) {
        launch.clear()
        launch.add(0.7, q, x1, x2)
        for (let n = 0; n < k.length; n++) {
          const sum = [0, 0]
          for (let p = 0; p < launch.count; p++) {
            const [re, im] = launch.values.subarray(2 * (k.length * p + n))
            const [c, s] = [Math.cos(k[n] * launch.delays[p]), Math.sin(k[n] * launch.delays[p])]
            sum[0] += re * c - im * s
            sum[1] += re * s + im * c
          }
          // Simpson's rule in v = sqrt(1 + k x), where the integrand is 2 exp(-jq(v^2 - 1)).
          const [v1, v2] = [x1, x2].map((x) => Math.sqrt(1 + k[n] * x))
          const steps = 2 * Math.ceil(200 + 40 * q * k[n] * (x2 - x1))
          const expected = [0, 0]
          for (let i = 0; i <= steps; i++) {
            const v = v1 + ((v2 - v1) * i) / steps
            const phase = 0.7 * k[n] - q * (v * v - 1)
            const weight = ((i === 0 || i === steps ? 1 : i % 2 ? 4 : 2) * 2 * (v2 - v1)) / (3 * steps)
            expected[0] += weight * Math.cos(phase)
            expected[1] += weight * Math.sin(phase)
          }
          expect(Math.hypot(sum[0] - expected[0], sum[1] - expected[1])).toBeLessThan(1e-9)
        }
      }
  })
})

describe('corners', () => {
  it('are where edges of one face meet; a flat joint, a right-angled wedge and a straight line have none', () => {
    const square = findCorners(scenes(centredSheet(0.2, 0.3)).edges)
    expect([...square.turn].every((x) => Math.abs(x - 1) < 1e-9)).toBe(true)
    expect(square.faceCorners.flat().map((c) => Math.round(c.strength * 1e9) / 1e9)).toEqual([1, 1, 1, 1])
    const box = findCorners(scenes(cube()).edges)
    expect(norm(box.turn)).toBe(0)
    expect(box.faceCorners.flat()).toEqual([])
    expect([1, 1.5, 1.75, 2].map(strengthOf)).toEqual([0, 0, 0.5, 1])
    // Where the rims of a dihedral's sheets meet, they belong to two faces.
    const { edges } = scenes(dihedral())
    const rims = findCorners(edges).turn
    expect(rims.filter((x) => x > 0.5)).toHaveLength(8)
  })

  it('fade as they become flat, and with them what they turn back', () => {
    const square = rows('-0.1 -0.1, 0.1 -0.1, 0.1 0.1, -0.1 0.1')
    const aspect = aspectOf(75, 25, 70, 40)
    const plain = waves(polygon(square), aspect)
    const errors = [0.02, 0.002, 0.0002].map((bulge) =>
      relativeDifference(waves(polygon([square[0], [0, -0.1 - bulge], ...square.slice(1)]), aspect), plain),
    )
    expect(errors[0]).toBeLessThan(1)
    // At first the edge is two; in a line to within half a degree it is one.
    expect(errors[2]).toBeLessThan(0.01)
    // Two pyramids over a square, base to base: from a sheet to wedges of 90 degrees.
    const lens = (height: number): Mesh =>
      meshOf(
        [...square.map(([x, y]) => [x, y, 0]), [0, 0, height], [0, 0, -height]],
        [0, 1, 2, 3].flatMap((i) => [
          [i, (i + 1) % 4, 4],
          [(i + 1) % 4, i, 5],
        ]),
      )
    const [thin, thick, right] = [0.001, 0.05, 0.1].map((height) =>
      waves(lens(height), aspect, BAND, ['edge-wave']),
    )
    const flat = waves(polygon(square), aspect, BAND, ['edge-wave'])
    expect(relativeDifference(thin, flat)).toBeLessThan(0.1)
    expect(norm(thick)).toBeLessThan(0.5 * norm(thin))
    expect(norm(right)).toBeLessThan(1e-9)
  })

  it('are the same whatever the mesh of a sheet', () => {
    const aspect = aspectOf(75, 25, 70, 40)
    const [few, many] = [centredSheet(0.25, 0.4), centredSheet(0.25, 0.4, 10, 10)].map((mesh) =>
      waves(mesh, aspect),
    )
    expect(relativeDifference(many, few)).toBeLessThan(1e-9)
    expect(norm(few)).toBeGreaterThan(1e-3)
  })
})

describe('waves that corners turn back', () => {
  it('are the same from above and below a sheet', () => {
    const mesh = centredSheet(0.25, 0.4)
    const below = waves(mesh, aspectOf(98, 35))
    const mirrored = below.map((x, i) => (i < 4 ? x : -x))
    expect(relativeDifference(mirrored, waves(mesh, aspectOf(82, 35)))).toBeLessThan(1e-9)
  })

  it('are continuous where the light begins to come from beside a face, and end-on along an edge', () => {
    for (const mesh of [centredSheet(0.25, 0.4), polygon(rows('0 0, 0.3 0, 0.4 0.2, 0.1 0.2'))])
      // prettier-ignore
      for (const phi of [0, Math.atan2(0.2, 0.1) * (180 / Math.PI), 90, 180]) {
        const [a, at, b] = [-1e-3, 0, 1e-3].map((d) => waves(mesh, aspectOf(80, phi + d)))
        expect(relativeDifference(a, b)).toBeLessThan(2e-3)
        expect(relativeDifference(at, b)).toBeLessThan(2e-3)
      }
    const [near, grazing] = [89.999, 90].map((theta) => waves(centredSheet(0.25, 0.4), aspectOf(theta, 90)))
    expect(relativeDifference(near, grazing)).toBeLessThan(2e-3)
  })
})

it('corners between edges that go on in one line have a finite strength', () => {
  // Rounding made the cosine between two such edges of this mesh less than -1.
  const { edges } = scenes(foundMesh(foundMeshes['found-b']))
  const strengths = findCorners(edges)
    .faceCorners.flat()
    .map((c) => c.strength)
  expect(strengths.length).toBeGreaterThan(100)
  expect(strengths.every(Number.isFinite)).toBe(true)
})

it('a solid as thin as a sheet keeps the waves of edges that light in its plane runs along', async () => {
  const box = mapped(cube(), ([x, y, z]) => [x, y, 0.004 * z])
  const { partOf } = engines(box)
  const options = edgeOptions('reflected', 'wall', 'double', ...BOTH)
  const parts: Float64Array[] = []
  for (const phi of [0, 0.02]) parts.push(await partOf(aspectOf(90, phi), at(2e9), options, 'edge-wave'))
  const [along, beside] = parts.map((f) => [f[2], f[3]])
  expect(Math.hypot(along[0] - beside[0], along[1] - beside[1])).toBeLessThan(0.03 * Math.hypot(...along))
})
