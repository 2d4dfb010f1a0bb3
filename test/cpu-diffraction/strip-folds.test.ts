import { describe, expect, it } from 'vitest'
import { EDGE_SIZE } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { ImageLight } from '../../cpu-diffraction/light/image-light.js'
import { StripFan } from '../../cpu-diffraction/light/strip-walk.js'
import { direction, dot, type Vec3 } from '../../scene/index.js'
import { dihedral, scenes } from './meshes.js'
import { behind, StripFolds } from '../../cpu-diffraction/mechanisms/wall.js'

const { edges, rays } = scenes(dihedral())
const folds = new StripFolds(edges, rays, 100)
const light = direction(65, 12)

/** Strips of every edge and face that fold under the light: edge, face, distance from its start, and the strip before any fold. */
function folded(): { e: number; i: number; t: number; length: number }[] {
  const out: { e: number; i: number; t: number; length: number }[] = []
  const fan = new StripFan(edges)
  for (let e = 0; e < edges.count; e++)
    for (let i = 0; i < 2; i++)
      for (const t of [0.31, 0.57]) {
        const z = edges.frames.subarray(FRAMES_SIZE * e + 9 * i + 6, FRAMES_SIZE * e + 9 * i + 9)
        const cos = -(light.r[0] * z[0] + light.r[1] * z[1] + light.r[2] * z[2])
        fan.aim(e, i, Math.sqrt(1 - cos * cos), cos)
        fan.at(t)
        if (folds.find(e, i, t, fan.length, light.r, true).length > 0)
          out.push({ e, i, t, length: fan.length })
      }
  return out
}

describe('strips that a wall folds', () => {
  it('are turned back by a wall that is high against them, and hardly by a low one', () => {
    const share = (k: number): number[] => {
      const some = new StripFolds(edges, rays, k)
      return folded().flatMap(({ e, i, t, length }) =>
        some.find(e, i, t, length, light.r, true).map((fold) => fold.share),
      )
    }
    expect(Math.max(...share(1e-3))).toBeLessThan(0.05)
    expect(Math.min(...share(1e4))).toBeGreaterThan(0.95)
  })

  it('are found on the inside of a dihedral, and end on its rims', () => {
    const strips = folded()
    expect(strips.length).toBeGreaterThan(4)
    for (const { e, i, t, length } of strips)
      for (const fold of folds.find(e, i, t, length, light.r, true)) {
        expect(fold.length).toBeGreaterThan(length)
        expect(Math.hypot(...fold.u)).toBeCloseTo(1, 12)
        const onEdge = Array.from({ length: edges.count }, (_, o) => {
          const p = EDGE_SIZE * o
          const d = fold.end.map((v, c) => v - edges.edges[p + c])
          const along = d.reduce((sum, v, c) => sum + v * edges.edges[p + 3 + c], 0)
          return Math.hypot(...d.map((v, c) => v - along * edges.edges[p + 3 + c]))
        })
        expect(Math.min(...onEdge)).toBeLessThan(1e-9)
      }
  })

  it('have the length of their neighbours plus its slope', () => {
    const step = 1e-4
    const fan = new StripFan(edges)
    for (const { e, i, t } of folded()) {
      const f = FRAMES_SIZE * e + 9 * i + 6
      const z = edges.frames.subarray(f, f + 3)
      const cos = -(light.r[0] * z[0] + light.r[1] * z[1] + light.r[2] * z[2])
      const along = edges.edges.subarray(EDGE_SIZE * e + 3, EDGE_SIZE * e + 6)
      const sign = z[0] * along[0] + z[1] * along[1] + z[2] * along[2] < 0 ? -1 : 1
      fan.aim(e, i, Math.sqrt(1 - cos * cos), cos)
      const at = (t: number): ReturnType<StripFolds['find']> => {
        fan.at(t)
        return folds.find(e, i, t, fan.length, light.r, true)
      }
      const [near, here, far] = [at(t - step), at(t), at(t + step)]
      if (near.length !== here.length || far.length !== here.length) continue
      for (const [m, { slope }] of here.entries())
        expect((sign * (far[m].length - near[m].length)) / (2 * step)).toBeCloseTo(slope, 6)
    }
  })

  it('fold under light from beyond only where walls run along their edge', () => {
    for (const { e, i, t, length } of folded()) {
      const f = FRAMES_SIZE * e + 9 * i
      const against = dot(light.r, [...edges.frames.subarray(f, f + 3)] as Vec3) > 1e-9
      const wallAlongEdge = folds
        .find(e, i, t, length, light.r, true)[0]
        .walls.every(
          ({ normal }) => Math.abs(dot(normal, [...edges.frames.subarray(f + 6, f + 9)] as Vec3)) < 1e-3,
        )
      const running = folds.find(e, i, t, length, light.r, false)
      expect(running.length > 0).toBe(!against || wallAlongEdge)
    }
  })

  it('are seen by the image of the receiver: phase and field of a point of the folded part agree', () => {
    const rx = direction(70, 20)
    for (const { e, i, t, length } of folded()) {
      const [fold] = folds.find(e, i, t, length, light.r, true)
      const { direction: image, path } = behind(rx, fold.walls.slice(0, 1))
      const [{ normal, offset }] = fold.walls
      // The point beyond the wall of which the end is the mirror image.
      const beyond = fold.end.map((v, c) => v - 2 * (dot(fold.end, normal) - offset) * normal[c]) as Vec3
      expect(dot(image.r, beyond) + path).toBeCloseTo(dot(rx.r, fold.end), 12)
      const current: Vec3 = [0.3, -0.7, 0.2]
      const mirrored = current.map((v, c) => 2 * dot(current, normal) * normal[c] - v) as Vec3
      expect(dot(image.thetaHat, current)).toBeCloseTo(dot(rx.thetaHat, mirrored), 12)
    }
  })
})

describe('light of images', () => {
  it('is the same whatever was asked before, and reaches the rims of the lower half alone', () => {
    const seen = new ImageLight(edges, rays, true, 0.3, 3)
    seen.set(light, 0.1)
    const all = seen.waves.flatMap((_, w) =>
      w === 0 ? [] : Array.from({ length: edges.count }, (_, e) => seen.parts(e, w)),
    )
    const again = new ImageLight(edges, rays, true, 0.3, 3)
    again.set(direction(50, 0), 0.1)
    again.set(light, 0.1)
    for (let e = edges.count - 1; e >= 0; e--)
      for (let w = 1; w < again.waves.length; w++) expect(again.parts(e, w)).toEqual(seen.parts(e, w))
    expect(all.some((parts) => parts.length > 0)).toBe(true)
    for (let e = 0; e < edges.count; e++)
      for (let w = 1; w < seen.waves.length; w++) {
        const p = EDGE_SIZE * e
        const high = edges.edges[p + 2] > 0 && Math.abs(edges.edges[p + 5]) < 0.5
        if (high) expect(seen.parts(e, w)).toHaveLength(0)
      }
  })

  it('is none where images are not followed', () => {
    const seen = new ImageLight(edges, rays, false, 0.3, 3)
    seen.set(light, 0.1)
    expect(seen.waves).toHaveLength(1)
  })
})
