import { expect, it } from 'vitest'
import { EDGE_SIZE } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { facetPlaneNumbers } from '../../cpu-diffraction/light/image-light.js'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import { fanRoom, FanTracer } from '../../cpu-diffraction/light/ray-fan.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import type { Vec3 } from '../../scene/index.js'
import { dihedral, scenes } from './meshes.js'

it('bundles of a rim cover what its cone meets of a square face, where boundaries begin within a piece and are no straight lines too', () => {
  const { edges: scene, rays } = scenes(dihedral())
  // The rim along x at z = 0: rays at the distance s from the vertex draw a circle of radius s tan(beta) on the face x = 0.
  const e = Array.from({ length: scene.count }, (_, i) => i).find((i) => {
    const p = EDGE_SIZE * i
    return Math.abs(scene.edges[p + 3]) > 0.9 && scene.edges[p + 2] + scene.origin[2] < 0.1
  })!
  const p = EDGE_SIZE * e
  const at = FRAMES_SIZE * e
  const tangent: Vec3 = [scene.edges[p + 3], 0, 0]
  const start = awayFromFaces(scene, e, [scene.edges[p], scene.edges[p + 1], scene.edges[p + 2]], tangent)
  const cos = 0.08
  const sin = Math.sqrt(1 - cos * cos)
  const wavelength = 0.1
  const module = new EdgeModule(fanRoom(rays))
  const planes = facetPlaneNumbers(rays, scene.faceOf)
  const tracer = new FanTracer(module, rays, planes, [wavelength, wavelength], [0, 0])
  module.run.watchBundles()
  tracer.aim({
    start,
    tangent,
    edgeStart: start,
    frame: scene.frames,
    at,
    N: 2,
    sinBeta: sin,
    cosBeta: -cos * scene.frames[at + 6],
    phi0: 4.7,
    receiver: { r: [cos, sin * Math.SQRT1_2, sin * Math.SQRT1_2], thetaHat: tangent, phiHat: tangent },
    ez: [1, 0],
    hz: [0, 1],
    hard: 1,
    light: tangent,
    path: 0,
    late: null,
  })
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
