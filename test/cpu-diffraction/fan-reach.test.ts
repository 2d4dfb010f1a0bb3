import { describe, expect, it } from 'vitest'
import { FRAMES_SIZE, EDGE_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { FanReach } from '../../cpu-diffraction/light/fan-reach.js'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { coneDirection } from '../../cpu-diffraction/light/ray-fan.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { buildRayScene, RayCaster } from '../../rays/index.js'
import { prepareTarget, type Vec3 } from '../../scene/index.js'
import { readMesh } from '../../formats/index.js'

/** Numbers between 0 and 1 from a seed. */
function random(seed: number): () => number {
  let state = seed
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32)
}

describe('rays of fans that may meet something', () => {
  it('are all that do, and less than half of all', async () => {
    const target = prepareTarget(await readMesh('samples/aircraft.stl'), { smoothAngleDeg: 20 })
    const rays = buildRayScene(target)
    const scene = buildEdgeScene(target, 160)
    const reach = new FanReach(rays, 64)
    const caster = new RayCaster(rays)
    const next = random(7)
    const d: Vec3 = [0, 0, 0]
    let [all, taken, met] = [0, 0, 0]
    for (let e = 0; e < scene.count; e += 3) {
      const p = EDGE_SIZE * e
      const N = scene.edges[p + 7]
      const beta = 0.3 + 2.5 * next()
      const tangent: Vec3 = [scene.edges[p + 3], scene.edges[p + 4], scene.edges[p + 5]]
      const start = awayFromFaces(scene, e, [scene.edges[p], scene.edges[p + 1], scene.edges[p + 2]], tangent)
      const edge = {
        start,
        tangent,
        frame: scene.frames,
        at: FRAMES_SIZE * e,
        N,
        sinBeta: Math.sin(beta),
        cosBeta: Math.cos(beta),
        phi0: 0,
      }
      const azimuths = Float64Array.from({ length: 40 }, (_, i) => 1e-4 + (i / 39) * (N * Math.PI - 2e-4))
      const limit = 0.2 + 2 * next()
      reach.aim(edge, azimuths, azimuths.length, () => limit)
      const length = scene.edges[p + 6]
      reach.find(0.01 * length, 0.99 * length)
      for (let i = 0; i < azimuths.length; i++) {
        all++
        taken += reach.reached[i]
        coneDirection(
          scene.frames,
          edge.at,
          edge.sinBeta,
          edge.cosBeta,
          Math.cos(azimuths[i]),
          Math.sin(azimuths[i]),
          d,
        )
        for (const part of [0.01, next(), 0.99]) {
          const from = start.map((x, c) => x + part * length * tangent[c])
          if (!caster.nearest(from[0], from[1], from[2], d[0], d[1], d[2], -1, limit) || caster.t < 1e-3)
            continue
          met++
          expect(reach.reached[i], `edge ${e}, azimuth ${azimuths[i]}`).toBe(1)
        }
      }
    }
    expect(met).toBeGreaterThan(500)
    expect(taken / all).toBeLessThan(0.5)
  })
})
