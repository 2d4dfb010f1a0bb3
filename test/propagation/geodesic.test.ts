import { describe, expect, it } from 'vitest'
import {
  batchVertices,
  classOf,
  coneTangent,
  FACES,
  launchBatches,
  locate,
  rayCount,
  rowStart,
  subdivisionFor,
  vertexDirection,
} from '../../propagation/paths/geodesic.js'

/** Directions spread over the sphere without any regard to the icosahedron. */
const directions = Array.from({ length: 3000 }, (_, i) => {
  const z = (2 * i + 1) / 3000 - 1
  const s = Math.sqrt(1 - z * z)
  return [s * Math.cos(2.399963 * i), s * Math.sin(2.399963 * i), z]
})

describe('launch directions', () => {
  it('are the 10 n^2 + 2 vertices of the divided icosahedron', () => {
    const n = 7
    const seen = new Set<string>()
    const d = new Float64Array(3)
    for (let face = 0; face < FACES; face++)
      for (let j = 0; j <= n; j++)
        for (let i = 0; i + j <= n; i++) {
          vertexDirection(n, face, i, j, d)
          expect(Math.hypot(...d)).toBeCloseTo(1, 14)
          seen.add(Array.from(d, (x) => x.toFixed(9).replace('-0.000000000', '0.000000000')).join())
        }
    expect(seen.size).toBe(rayCount(n))
    expect([100_000, 400_000, 900_000, 1_600_000].map(subdivisionFor)).toEqual([100, 200, 300, 400])
  })

  it('every direction lies in one triangle, in the cones of its corners, which are of three classes', () => {
    const n = 9
    const triangle = new Int32Array(6)
    const d = new Float64Array(3)
    const wrong: number[][] = []
    for (const [x, y, z] of directions) {
      let faces = 0
      for (let face = 0; face < FACES; face++) {
        if (!locate(n, face, 3 * x, 3 * y, 3 * z, triangle)) continue
        faces++
        for (let c = 0; c < 3; c++) {
          const [i, j] = [triangle[2 * c], triangle[2 * c + 1]]
          vertexDirection(n, face, i, j, d)
          const cosine = d[0] * x + d[1] * y + d[2] * z
          const tangent = Math.sqrt(1 - cosine * cosine) / cosine
          const inCone = tangent <= coneTangent(n, face, i, j) + 1e-12
          if (!(i >= 0 && j >= 0 && i + j <= n && classOf(i, j) === c && inCone)) wrong.push([face, i, j])
        }
      }
      if (faces !== 1) wrong.push([x, y, z])
    }
    expect(wrong).toEqual([])
  })

  it('batches hold every row of triangles once, and number their vertices one after the other', () => {
    const n = 23
    const rows = new Uint32Array(FACES * n)
    for (const batch of launchBatches(n, 60)) {
      for (let j = batch.j0; j < batch.j1; j++) rows[batch.face * n + j]++
      let vertices = 0
      for (let j = batch.j0; j <= batch.j1; j++) {
        expect(rowStart(batch, j)).toBe(vertices)
        vertices += n - j + 1
      }
      expect(batchVertices(batch)).toBe(vertices)
    }
    expect(rows.every((x) => x === 1)).toBe(true)
  })
})
