import { describe, expect, it } from 'vitest'
import { EDGE_SIZE, buildEdgeScene } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import { facetPlaneNumbers } from '../../cpu-diffraction/light/image-light.js'
import { fanRoom, FanTracer } from '../../cpu-diffraction/light/ray-fan.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { buildRayScene, RayCaster } from '../../rays/index.js'
import { prepareTarget, type Vec3 } from '../../scene/index.js'
import { readMesh } from '../../formats/index.js'
import { random } from '../helpers/random.js'

/** Direction of a Keller cone's ray at an azimuth. */
const cone = (frame: Float64Array, sinBeta: number, cosBeta: number, azimuth: number): Vec3 => {
  const [x, y] = [sinBeta * Math.cos(azimuth), sinBeta * Math.sin(azimuth)]
  return [0, 1, 2].map((c) => x * frame[c] + y * frame[3 + c] + cosBeta * frame[6 + c]) as Vec3
}

describe('rays of fans that may meet something', () => {
  it('are all that do, and less than half of all', async () => {
    const target = prepareTarget(await readMesh('samples/aircraft.stl'), { smoothAngleDeg: 20 })
    const rays = buildRayScene(target)
    const scene = buildEdgeScene(target, 160)
    const module = new EdgeModule(fanRoom(rays))
    const { run } = module
    const planes = facetPlaneNumbers(rays, scene.faceOf)
    const tracer = new FanTracer(module, rays, planes, [0.03, 0.05], [0, 0])
    run.watchBundles()
    module.calls.watch = () => {}
    const caster = new RayCaster(rays)
    const next = random(7)
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
        phi0: N * Math.PI * next(),
      }
      const length = scene.edges[p + 6]
      const receiver = { r: tangent, thetaHat: tangent, phiHat: tangent }
      const light = { ez: [1, 0], hz: [0, 1], hard: 1, light: tangent, path: 0, late: null }
      tracer.aim({ ...edge, ...light, edgeStart: start, receiver })
      tracer.trace(0, length)
      for (let i = Math.floor(4 * next()); i < run.rayCount(); i += 4) {
        const reached = run.isReached(i)
        const azimuth = run.azimuthOf(i)
        const limit = run.farOf(i) / edge.sinBeta
        all++
        taken += reached
        const { at, sinBeta, cosBeta } = edge
        const d = cone(scene.frames.subarray(at), sinBeta, cosBeta, azimuth)
        for (const part of [0.01, next(), 0.99]) {
          const from = start.map((x, c) => x + part * length * tangent[c])
          if (!caster.nearest(from[0], from[1], from[2], d[0], d[1], d[2], -1, limit) || caster.t < 1e-3)
            continue
          met++
          expect(reached, `edge ${e}, azimuth ${azimuth}`).toBe(1)
        }
      }
    }
    expect(met).toBeGreaterThan(500)
    expect(taken / all).toBeLessThan(0.5)
  })
})
