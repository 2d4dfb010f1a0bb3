import { expect, it } from 'vitest'
import { readNpz } from '../../../formats/index.js'
import { targetMesh } from '../../../run/motion/index.js'
import { C0, direction, dot, type Mesh, type Vec3 } from '../../../scene/index.js'
import { movingTargetNpz } from '../../../run/doppler/compute.js'
import { Poses } from '../../../views/viewer/geometry.js'
import { loadedMotion } from '../../run/load.js'

const facet = (at: number): Mesh => ({
  positions: Float64Array.of(at, 0, 0, at, 1, 0, at, 0, 1),
  triangles: Uint32Array.of(0, 1, 2),
})

/** A body and a part at 500 times of a second. */
function moved() {
  const loaded = loadedMotion(
    {
      radar: { freq_hz: 3e9, prf_hz: 500, pulses: 500, theta_deg: 70, phi_deg: 20 },
      motion: { velocity_m_s: [3, -2, 1], rates_deg_s: [10, 20, 30], centre_m: [1, 2, 3] },
      parts: [{ mesh: 'x.stl', pivot_m: [4, 0, 0], axis: [0, 3, 4], rate_rev_s: -1.5, phase_deg: 25 }],
    },
    facet(0),
    [facet(5)],
  )
  const timeS = Float64Array.from({ length: 500 }, (_, i) => i / 500)
  const kept = readNpz(movingTargetNpz(loaded, timeS))
  const moving = {
    positions: kept.positions_m.data as Float64Array,
    triangles: Uint32Array.from(kept.triangles.data),
    facetPart: kept.facet_part.data as Uint8Array,
    pose: kept.pose.data as Float64Array,
    parts: loaded.config.parts,
    thetaDeg: 70,
    phiDeg: 20,
    freqHz: 3e9,
  }
  return { loaded, timeS, poses: new Poses(moving, timeS, [7, 8, 9]) }
}

it('facets of the page are where the solver has them, turned about the centre of the view', () => {
  const { loaded, timeS, poses } = moved()
  const k = 217
  const angle = 2 * Math.PI * (-1.5 * timeS[k] + 25 / 360)
  const { positions, triangles } = targetMesh(loaded, [angle])
  const { rotation: r, shift } = loaded.motion.at(timeS[k])
  const corners = new Float32Array(18)
  poses.corners(k, corners)
  const { rangeM } = poses.echoes(k)
  const ranges = [0, 0]
  triangles.forEach((v, i) => {
    const x = Array.from(positions.subarray(3 * v, 3 * v + 3))
    const turned = (about: Vec3, c: number): number =>
      about[c] + [0, 1, 2].reduce((sum, d) => sum + r[3 * c + d] * (x[d] - about[d]), 0)
    for (let c = 0; c < 3; c++) expect(corners[3 * i + c]).toBeCloseTo(turned([7, 8, 9], c), 4)
    const world = [0, 1, 2].map((c) => turned([1, 2, 3], c) + shift[c]) as Vec3
    ranges[Math.floor(i / 3)] -= dot(direction(70, 20).r, world) / 3
  })
  ranges.forEach((range, t) => expect(rangeM[t]).toBeCloseTo(range, 10))
})

it('Doppler of a facet is how fast its range falls, 2/λ times', () => {
  const { timeS, poses } = moved()
  const k = 300
  const [before, now, after] = [k - 1, k, k + 1].map((i) => poses.echoes(i))
  const per = ((2 * 3e9) / C0 / (timeS[k + 1] - timeS[k - 1])) * -1
  for (const t of [0, 1])
    expect(now.dopplerHz[t] / (per * (after.rangeM[t] - before.rangeM[t]))).toBeCloseTo(1, 3)
  expect(Math.abs(now.dopplerHz[1] - now.dopplerHz[0])).toBeGreaterThan(20)
})
