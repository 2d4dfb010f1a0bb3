import { describe, expect, it } from 'vitest'
import type { AspectField } from '../../rays/index.js'
import { type Aspect, direction, type Mesh } from '../../scene/index.js'
import { dielectric, fourPaths, fresnel, mirror, overGround, raysOver } from '../helpers/ground.js'
import { facetPo } from '../helpers/po.js'
import { bandUpTo, db, monostatic, oneFrequency, sbrJob, sigma, solve, testScene } from '../helpers/sbr.js'
import { type Complex, product } from '../oracle/complex.js'
import { meshOf, moved, prism, rows } from '../scene/shapes.js'

const EARTH: Complex = [4, -0.4]
const HEIGHT = 0.3
/** A metal plate, 0.6 m wide and 0.5 m high, that stands on the ground and faces +x. */
const plate = meshOf(
  [[0, -0.3, HEIGHT], [0, 0.3, HEIGHT], [0, 0.3, HEIGHT + 0.5], [0, -0.3, HEIGHT + 0.5]], // prettier-ignore
  rows('0 1 2, 0 2 3'),
)
/** A solid cylinder of 24 facets around, radius 0.25 m. */
const round = Array.from({ length: 24 }, (_, i) => {
  const a = (2 * Math.PI * (i + 0.5)) / 24
  return [0.25 * Math.cos(a), 0.25 * Math.sin(a)]
})
const cylinder = moved(
  prism(
    round,
    round.slice(2).map((_, i) => [0, i + 1, i + 2]),
    0.5,
  ),
  [0, 0, HEIGHT],
)

/** Physical optics of a convex target along each of the four paths; what lies on the ground is not lit. */
function freeSpace(mesh: Mesh, freqHz: number, { tx, rx }: Aspect): Parameters<typeof fourPaths>[0] {
  const image = ({ thetaDeg, phiDeg }: Aspect['tx']) => direction(180 - thetaDeg, phiDeg)
  const triangles = mesh.triangles.filter((_, i) =>
    [0, 1, 2].some((c) => mesh.positions[3 * mesh.triangles[3 * Math.floor(i / 3) + c] + 2] > HEIGHT),
  )
  const field = (t: Aspect['tx'], r: Aspect['tx']): AspectField =>
    facetPo({ ...mesh, triangles }, freqHz, { tx: t, rx: r })
  return [
    [field(tx, rx), field(image(tx), rx)],
    [field(tx, image(rx)), field(image(tx), image(rx))],
  ]
}

const difference = (a: AspectField, b: AspectField): number =>
  Math.max(...a.map((x, i) => Math.abs(x - b[i]))) / Math.max(...b.map(Math.abs))

describe('rays over a ground', () => {
  for (const [name, mesh] of [
    ['plate', plate],
    ['cylinder', cylinder],
  ] as const)
    for (const [what, ground, reflect] of [
      ['a conductor', mirror(HEIGHT), () => rows('-1 0, 1 0') as [Complex, Complex]],
      ['earth', dielectric(EARTH, HEIGHT), (c: number) => fresnel(EARTH, c)],
      ['rough earth', dielectric(EARTH, HEIGHT, 0.004), (c: number, k: number) => fresnel(EARTH, c, k, 0.004)], // prettier-ignore
    ] as const)
      it(`a ${name} on ${what} has the sum of its four paths`, async () => {
        const loaded = overGround(mesh, ground)
        const band = oneFrequency(0.06)
        const fields: AspectField[] = []
        const expected: AspectField[] = []
        for (let theta = 15; theta < 90; theta += 8.3) {
          const job = sbrJob(monostatic(theta, 3), band, { raysPerWavelength: 20 })
          fields.push(await raysOver(loaded, job))
          expected.push(fourPaths(freeSpace(mesh, band.f0, job.aspect), job, HEIGHT, reflect))
        }
        const peak = Math.max(...expected.flatMap((field) => [sigma(field, 'vv'), sigma(field, 'hh')]))
        let compared = 0
        fields.forEach((field, i) => {
          for (const channel of ['vv', 'hh'] as const) {
            const level = db(sigma(expected[i], channel))
            if (level < db(peak) - 25) continue
            expect(Math.abs(db(sigma(field, channel)) - level), `${channel}, angle ${i}`).toBeLessThan(0.2)
            compared++
          }
        })
        expect(compared).toBeGreaterThan(12)
      })

  it('are bistatic too, over a band, with cross-polarisation', async () => {
    const loaded = overGround(cylinder, dielectric(EARTH, HEIGHT))
    const band = bandUpTo(3e9)
    const aspect = { tx: direction(70, 11), rx: direction(52, 40) }
    const job = sbrJob(aspect, band, { raysPerWavelength: 20 })
    const field = await raysOver(loaded, job)
    for (let n = 0; n < band.n; n++) {
      const one = { f0: band.f0 + n * band.df, df: 0, n: 1 }
      const paths = fourPaths(freeSpace(cylinder, one.f0, aspect), { aspect, band: one }, HEIGHT, (c) =>
        fresnel(EARTH, c),
      )
      expect(difference(field.slice(8 * n, 8 * n + 8), paths)).toBeLessThan(0.02)
    }
  })

  it("vanish by the ground at Brewster's angle in VV", async () => {
    // A plate that is bright by the ground alone, and most of all where theta is Brewster's angle: tan = sqrt(eps).
    const eps: Complex = [4, 0]
    const brewster = (180 / Math.PI) * Math.atan(2)
    const loaded = overGround(plate, dielectric(eps, HEIGHT))
    const free = testScene(plate)
    const levels = async (theta: number): Promise<{ vv: number; hh: number; alone: number }> => {
      const job = sbrJob(monostatic(theta, 0), oneFrequency(0.06))
      const field = await raysOver(loaded, job)
      const alone = (await solve(free, job)).field
      return {
        vv: db(sigma(field, 'vv')),
        hh: db(sigma(field, 'hh')),
        alone: db(sigma(alone, 'vv')),
      }
    }
    const at = await levels(brewster)
    // What is left is the plate alone.
    expect(at.vv).toBeCloseTo(at.alone, 1)
    expect(at.hh).toBeGreaterThan(at.vv + 25)
    for (const off of [-8, 8]) expect((await levels(brewster + off)).vv).toBeGreaterThan(at.vv + 10)
  })

  it("of a corner of two walls are a polynomial of second degree in the ground's coefficient", async () => {
    // Between vertical walls all waves keep their angle, and V or H: each path has as many factors as it meets the ground, at the most two,
    // before the walls, between them or behind.
    const corner = meshOf(
      '0 0 0, 0.5 0 0, 0 0.5 0, 0 0 0.4, 0.5 0 0.4, 0 0.5 0.4',
      '0 1 4, 0 4 3, 2 0 3, 2 3 5',
    )
    const job = sbrJob(monostatic(72, 38), oneFrequency(0.06))
    const cosine = Math.cos((72 * Math.PI) / 180)
    const grounds: Complex[] = rows('4 0, 9 0, 80 -1e-9, 3 -1.5')
    const fields: AspectField[] = []
    for (const eps of grounds) fields.push(await raysOver(overGround(corner, dielectric(eps)), job))
    for (const [p, channel] of rows('0 1, 1 0')) {
      const R = grounds.map((eps) => fresnel(eps, cosine)[p])
      // Lagrange's polynomial through the real ones at the complex one.
      let expected: Complex = [0, 0]
      for (let i = 0; i < 3; i++) {
        let term: Complex = [fields[i][2 * channel], fields[i][2 * channel + 1]]
        for (let j = 0; j < 3; j++)
          if (j !== i)
            term = product(term, [(R[3][0] - R[j][0]) / (R[i][0] - R[j][0]), R[3][1] / (R[i][0] - R[j][0])])
        expected = [expected[0] + term[0], expected[1] + term[1]]
      }
      const [re, im] = fields[3].subarray(2 * channel, 2 * channel + 2)
      expect(Math.hypot(re - expected[0], im - expected[1]) / Math.hypot(re, im)).toBeLessThan(1e-6)
      expect(R[3][1]).not.toBe(0)
    }
  })
})
