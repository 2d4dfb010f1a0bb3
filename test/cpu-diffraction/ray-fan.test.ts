import { expect, it, describe } from 'vitest'
import { EDGE_SIZE, type EdgeScene, buildEdgeScene } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { facetPlaneNumbers } from '../../cpu-diffraction/light/image-light.js'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import { fanRoom, FanTracer } from '../../cpu-diffraction/light/ray-fan.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { type Vec3, prepareTarget } from '../../scene/index.js'
import { dihedral, scenes } from './meshes.js'
import { buildRayScene, RayCaster, type RayScene } from '../../rays/index.js'
import { readMesh } from '../../formats/index.js'
import { random } from '../helpers/random.js'

/** A tracer of fans, and its module, that is aimed at rays from the start of an edge of the scene. */
function fansOf(scene: EdgeScene, rays: RayScene, wavelengths: [number, number]) {
  const module = new EdgeModule(fanRoom(rays))
  const planes = facetPlaneNumbers(rays, scene.faceOf)
  const tracer = new FanTracer(module, rays, planes, wavelengths, [0, 0])
  module.run.watchBundles()
  const aim = (e: number, sinBeta: number, cosBeta: number, phi0: number, r?: Vec3) => {
    const [x, y, z, tx, ty, tz, length, N] = scene.edges.subarray(EDGE_SIZE * e)
    const tangent: Vec3 = [tx, ty, tz]
    const start = awayFromFaces(scene, e, [x, y, z], tangent)
    const receiver = { r: r ?? tangent, thetaHat: tangent, phiHat: tangent }
    const edge = { start, edgeStart: start, tangent, frame: scene.frames, at: FRAMES_SIZE * e, N }
    const light = { ez: [1, 0], hz: [0, 1], hard: 1, light: tangent, path: 0, late: null }
    tracer.aim({ ...edge, sinBeta, cosBeta, phi0, ...light, receiver })
    return { start, tangent, length }
  }
  return { tracer, module, aim }
}

it('bundles of a rim cover what its cone meets of a square face, where boundaries begin within a piece and are no straight lines too', () => {
  const { edges: scene, rays } = scenes(dihedral())
  // The rim along x at z = 0: rays at the distance s from the vertex draw a circle of radius s tan(beta) on the face x = 0.
  const e = Array.from({ length: scene.count }, (_, i) => i).find((i) => {
    const p = EDGE_SIZE * i
    return Math.abs(scene.edges[p + 3]) > 0.9 && scene.edges[p + 2] + scene.origin[2] < 0.1
  })!
  const cos = 0.08
  const sin = Math.sqrt(1 - cos * cos)
  const { tracer, module, aim } = fansOf(scene, rays, [0.1, 0.1])
  const { tangent } = aim(e, sin, -cos * scene.frames[FRAMES_SIZE * e + 6], 4.7, [
    cos,
    sin * Math.SQRT1_2,
    sin * Math.SQRT1_2,
  ])
  // Angle that bundles cover at places along the rim, and that of the circle within the unit square.
  const STEP = 2e-4
  const places = Array.from({ length: 400 }, (_, i) => 0.03 + (i + 0.5) * STEP)
  const covered = new Float64Array(places.length)
  module.calls.watch = (middle, length, from, to, fromSlope, toSlope) => {
    if (!(to > from)) return
    for (const [i, place] of places.entries()) {
      const t = (tangent[0] > 0 ? place : 1 - place) - middle
      if (Math.abs(t) < length / 2) covered[i] += to - from + t * (toSlope - fromSlope)
    }
  }
  tracer.trace(0, 1)
  let [whole, off] = [0, 0]
  for (const [i, place] of places.entries()) {
    const rho = Math.min(1, cos / (place * sin))
    const exact = Math.max(0, Math.asin(rho) - Math.acos(rho))
    whole += exact
    off += Math.abs(covered[i] - exact)
  }
  expect(off).toBeLessThan(0.005 * whole)
})

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
    const { tracer, module, aim } = fansOf(scene, rays, [0.03, 0.05])
    const { run } = module
    module.calls.watch = () => {}
    const caster = new RayCaster(rays)
    const next = random(7)
    let [all, taken, met] = [0, 0, 0]
    for (let e = 0; e < scene.count; e += 3) {
      const beta = 0.3 + 2.5 * next()
      const [sinBeta, cosBeta] = [Math.sin(beta), Math.cos(beta)]
      const phi0 = scene.edges[EDGE_SIZE * e + 7] * Math.PI * next()
      const { start, tangent, length } = aim(e, sinBeta, cosBeta, phi0)
      tracer.trace(0, length)
      for (let i = Math.floor(4 * next()); i < run.rayCount(); i += 4) {
        const reached = run.isReached(i)
        const azimuth = run.azimuthOf(i)
        const limit = run.farOf(i) / sinBeta
        all++
        taken += reached
        const d = cone(scene.frames.subarray(FRAMES_SIZE * e), sinBeta, cosBeta, azimuth)
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
