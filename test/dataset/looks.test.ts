import { expect, test } from 'vitest'
import { makeChips } from '../../dataset/chip.js'
import { pixelAxes, looksOf } from '../../dataset/imager.js'
import { C0, cross, dot, type Vec3 } from '../../scene/index.js'
import { chipConfig, chipTask, powers } from '../helpers/chips.js'

const setUp = (radarChange: object, image: object = {}, elevation = 30) => {
  const config = chipConfig({
    aspects: { azimuth: [40], elevation: [elevation] },
    radar: { centreHz: 1e10, resolutionM: 0.2, ...radarChange },
    image: { size: [64, 64], ...image },
  })
  const task = chipTask(config, 0, () => new Float64Array())
  return { ...task, looks: looksOf(config, task.radar, task.pose) }
}

test.each([-35, 0, 20])(
  'a straight path at %s° of squint: level, uniform, its directions in one plane',
  (squintDeg) => {
    const { looks, pose } = setUp({ geometry: 'sar', squintDeg })
    const { directions, r, across, up } = looks
    expect(Math.max(...directions.map((d) => Math.abs(dot(d.r, up))))).toBeLessThan(1e-12)
    expect(Math.hypot(...cross(r, across).map((x, a) => x - up[a]))).toBeLessThan(1e-12)
    // The level direction in that plane is the flight's.
    const v: Vec3 = [-up[1], up[0], 0]
    const flight = v.map((x) => (x * Math.sign(dot(v, across))) / Math.hypot(...v)) as Vec3
    expect((Math.asin(-dot(flight, r)) * 180) / Math.PI).toBeCloseTo(squintDeg, 9)
    const steps = directions.slice(1).map((d, i) => Math.acos(Math.min(1, dot(d.r, directions[i].r))))
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(1e-8)
    expect(((steps.reduce((a, b) => a + b) * 180) / Math.PI).toFixed(6)).toBe(pose.apertureDeg.toFixed(6))
    expect(directions[(directions.length - 1) / 2]?.r ?? r).toEqual(r.map((x) => expect.closeTo(x, 12)))
  },
)

test.each([
  [0, 'slant'],
  [25, 'slant'],
  [0, 'ground'],
])('points are in focus at their place, whatever their height (squint %s°, %s plane)', (squintDeg, plane) => {
  const { looks, ...task } = setUp({ geometry: 'sar', squintDeg }, { plane })
  const { radar } = task
  const p: Vec3 = [1.1, -0.7, 1.9]
  const total = new Float64Array(2 * radar.freqHz.length * radar.angles)
  radar.freqHz.forEach((f, i) =>
    looks.directions.forEach(({ r }, m) => {
      const phase = ((4 * Math.PI * f) / C0) * dot(p, r)
      total.set([Math.cos(phase), Math.sin(phase)], 2 * (i * radar.angles + m))
    }),
  )
  const power = powers(makeChips({ ...task, fields: { total } }).images)
  const peak = Math.max(...power)
  const at = power.indexOf(peak)
  const { rangeM, crossRangeM } = pixelAxes(radar)
  const scale = plane === 'ground' ? Math.cos(Math.PI / 6) : 1
  expect(Math.abs(rangeM[Math.floor(at / 64)] + dot(p, looks.r) / scale)).toBeLessThan(0.07)
  expect(Math.abs(crossRangeM[at % 64] - dot(p, looks.across))).toBeLessThan(0.07)
  // Between pixels it may be up to .9 dB below its RCS of 4 pi; out of focus it would be several.
  expect(10 * Math.log10(peak / (4 * Math.PI))).toBeGreaterThan(-1)
})

test('azimuths of a turntable keep their elevation', () => {
  const { looks } = setUp({})
  expect(looks.directions.every((d) => d.thetaDeg === 60)).toBe(true)
})

test.each([
  [{ squintDeg: 10 }, {}, /squintDeg: belongs to "geometry": "sar"/],
  [{ geometry: 'sar' }, { polarFormat: false }, /a straight path needs/],
])('%j with %j is refused', (radar, image, message) => {
  expect(() => setUp(radar, image)).toThrow(message)
})
