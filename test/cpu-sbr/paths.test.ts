import { describe, expect, it, test } from 'vitest'
import { createCpuEngine, listPaths } from '../../cpu-sbr/index.js'
import type { SbrOptions } from '../../rays/index.js'
import { direction, dot, wavenumber, cross, type Vec3 } from '../../scene/index.js'
import { readMesh } from '../../formats/index.js'
import { coating, layer, sheet, impedance, made } from '../helpers/materials.js'
import { testScene, sbrJob, OPTIONS } from '../helpers/sbr.js'
import {
  ENDS,
  GOES_ON,
  HIT,
  LAUNCH,
  PathFields,
  REFLECTED,
  CLEAR,
} from '../../cpu-sbr/materials/path-fields.js'
import { plate } from '../../samples/models/canonical.js'
import type { Material } from '../../scene/materials/index.js'
import { aspectOf } from '../oracle/cases.js'
import { imageDirection } from '../../scene/ground/index.js'
import { dielectric, fresnel, overGround } from '../helpers/ground.js'
import { type Complex, product } from '../oracle/complex.js'
import { add, times, unit } from '../oracle/vectors.js'
import { meshOf } from '../scene/shapes.js'

const options: SbrOptions = {
  raysPerWavelength: 8,
  maxBounces: 3,
  subdivisions: 2,
  formulation: 'all-bounces',
}

describe('paths of one aspect', () => {
  // Flat facets and bounces (parallelograms), and a smooth body (quadrilaterals).
  it.each([
    ['trihedral-square', null, 1.2e9, 60, 40],
    ['sphere', null, 0.3e9, 70, 30],
    ['trihedral-square', coating(layer([6, -1.2], 0.02)), 1.2e9, 60, 40],
    ['sphere', coating(layer([6, -1.2], 0.05)), 0.3e9, 70, 30],
    ['trihedral-square', sheet(layer([4, -0.4], 0.03)), 1.2e9, 60, 40],
  ])('of %s, %o, add up to the field of the engine', async (name, material, freqHz, theta, phi) => {
    const mesh = await readMesh(`samples/${name}.stl`)
    const { scene, area } = testScene({ ...mesh, ...(material && { groupMaterials: [material] }) })
    const tx = direction(theta, phi)
    const aspect = { tx, rx: tx }
    const engine = createCpuEngine(scene, area, 0)
    const { field, statistics } = await engine.field({ aspect, band: { f0: freqHz, df: 0, n: 1 }, options })
    const list = listPaths(scene, aspect, freqHz, options, 1e6)
    expect(list.raysPerWavelength).toBe(options.raysPerWavelength)
    expect(list.path.length).toBe(statistics.contributions)
    const k = wavenumber(freqHz)
    const sum = new Float64Array(8)
    let largest = 0
    for (let i = 0; i < list.path.length; i++) {
      const phase = -2 * k * list.place[2 * i]
      for (let c = 0; c < 8; c += 2) {
        const [re, im] = [list.amplitude[8 * i + c], list.amplitude[8 * i + c + 1]]
        // The factor j, and sqrt(4 pi) of the image's units.
        sum[c] -= re * Math.sin(phase) + im * Math.cos(phase)
        sum[c + 1] += re * Math.cos(phase) - im * Math.sin(phase)
        largest += Math.hypot(re, im)
      }
    }
    for (let c = 0; c < 8; c++)
      expect(Math.abs(sum[c] / Math.sqrt(4 * Math.PI) - field[c])).toBeLessThan(1e-7 * largest)
  })

  it('lie where their hits are: range and cross-range of the first and the last', async () => {
    const { scene } = testScene(await readMesh('samples/trihedral-square.stl'))
    const tx = direction(60, 40)
    const list = listPaths(scene, { tx, rx: tx }, 1.2e9, options, 1e6)
    const hit = (at: number): [number, number, number] =>
      [0, 1, 2].map((c) => list.hits[3 * at + c]) as [number, number, number]
    let most = 0
    for (let i = 0; i < list.path.length; i++) {
      const first = list.hitStart[list.path[i]]
      const at = first + list.bounce[i] - 1
      let length = -dot(hit(first), tx.r) - dot(hit(at), tx.r)
      for (let h = first; h < at; h++) length += Math.hypot(...hit(h).map((x, c) => x - hit(h + 1)[c]))
      expect(Math.abs(list.place[2 * i] - length / 2)).toBeLessThan(1e-5)
      const cross = (dot(hit(first), tx.phiHat) + dot(hit(at), tx.phiHat)) / 2
      expect(Math.abs(list.place[2 * i + 1] - cross)).toBeLessThan(1e-5)
      most = Math.max(most, list.bounce[i])
    }
    expect(most).toBe(3)
  })

  it('thin out to keep to a number of tubes', async () => {
    const { scene } = testScene(await readMesh('samples/plate.stl'))
    const tx = direction(30, 10)
    const list = listPaths(scene, { tx, rx: tx }, 10e9, options, 2000)
    expect(list.raysPerWavelength).toBeLessThan(options.raysPerWavelength)
    // An aperture has whole tiles; tubes at edges are cut.
    expect(list.hitStart.length).toBeLessThan(4000)
    expect(list.hitStart.length).toBeGreaterThan(500)
  })
})

const decibels = (x: number): number => 10 ** (x / 20)

/** Whether the reflected and the transmitted wave of the incidence straight onto a plate are followed. */
function followed(material: Material): [reflected: boolean, transmitted: boolean] {
  const { scene } = testScene(made([plate(1), material]))
  const { aspect, options } = sbrJob(aspectOf(0, 0), { f0: 1e9, df: 0, n: 1 }, { maxBounces: 3 })
  const fields = new PathFields(scene, scene.materials!, { aspect, options }, [0, 0, -1], Float64Array.of(20))
  const path = fields.child(LAUNCH, REFLECTED, 0)
  expect(fields.hits[HIT.size * path + HIT.cosine]).toBeCloseTo(-1, 12)
  expect(fields.reflects[path] === ENDS || fields.reflects[path] === GOES_ON).toBe(true)
  return [fields.reflects[path] === GOES_ON, fields.transmits[path] === 1]
}

/** A film whose T is so large: T = 2z / (1 + 2z), R = T - 1. */
const film = (t: number): Material => sheet({ impedance: [(376.730313668 * t) / (2 * (1 - t)), 0] })

test('of two waves that leave a sheet the weaker one is followed above -30 dB, the stronger one above -50 dB', () => {
  expect(followed(film(decibels(-29.9)))).toEqual([true, true])
  expect(followed(film(decibels(-30.1)))).toEqual([true, false])
  expect(followed(film(1 - decibels(-29.9)))).toEqual([true, true])
  expect(followed(film(1 - decibels(-30.1)))).toEqual([false, true])
})

test('behind opaque facets waves are followed above -50 dB', () => {
  const mirror = (r: number): Material => impedance((1 + r) / (1 - r))
  expect(followed(mirror(decibels(-49.9)))).toEqual([true, false])
  expect(followed(mirror(decibels(-50.1)))).toEqual([false, false])
})

/** A complex vector, real and imaginary part. */
type Wave = [Vec3, Vec3]

const EARTH: Complex = [5, -1.5]

/** A field reflected by a conductor of unit normal n. */
const atMetal = (e: Wave, n: Vec3): Wave => e.map((x) => add(times(2 * dot(n, x), n), x, -1)) as Wave

/** The reflected field of a wave along d that meets the ground: R_s of what is across the plane of incidence, R_p of H. */
function atGround(e: Wave, d: Vec3): Wave {
  const s = unit(cross([0, 0, 1], d))
  const onward: Vec3 = [d[0], d[1], -d[2]]
  const [rs, rp] = fresnel(EARTH, Math.abs(d[2]))
  const along = (axis: Vec3, r: Complex): Complex => product(r, [dot(axis, e[0]), dot(axis, e[1])])
  const [across, inPlane] = [along(s, rs), along(cross(d, s), rp)]
  return [0, 1].map((i) => add(times(across[i], s), cross(onward, s), inPlane[i])) as Wave
}

it('a path from facet to facet by the ground has its coefficients, in the polarisations of the world above', () => {
  // Two tilted facets side by side: waves go from A by the ground to B.
  const mesh = meshOf('0 0 1, 0.9 0.1 1.3, 0.2 1 1.6, 2 0 1.1, 2.9 0.3 1.7, 2.3 1 1', '0 1 2, 3 4 5')
  const { scene, target } = overGround(mesh, dielectric(EARTH))
  const [tx, rx] = [direction(50, 20), direction(35, -60)]
  const normal = (f: number): Vec3 => Array.from(target.normals.subarray(3 * f, 3 * f + 3)) as Vec3
  const d0 = times(-1, tx.r)
  const turned = (d: Vec3, n: Vec3): Vec3 => add(d, n, -2 * dot(n, d))
  const d1 = turned(d0, normal(0))
  const d2: Vec3 = [d1[0], d1[1], -d1[2]]
  // Otherwise there is no such path.
  expect(scene.materials!.ground!.below).toEqual(Uint8Array.of(0, 0, 1, 1))

  const k = Float64Array.of(30)
  for (const byGround of [false, true]) {
    // Above, the wave meets B and goes to the receiver, or by the ground; unfolded it meets B's image.
    const receiver = byGround ? rx : imageDirection(rx)
    const fields = new PathFields(
      scene,
      scene.materials!,
      { aspect: { tx, rx: receiver }, options: OPTIONS },
      d0,
      k,
    )
    const path = fields.child(fields.child(LAUNCH, REFLECTED, 0), REFLECTED, 3)
    const row = 8 * fields.row(path, CLEAR)
    const got = [0, 1, 2, 3].map((c) => [fields.amplitudes[row + 2 * c], fields.amplitudes[row + 2 * c + 1]])
    expect(fields.bounces[path]).toBe(1)

    const n = normal(1)
    const expected = [tx.thetaHat, tx.phiHat].map((e) => {
      const met = atGround(atMetal([e, [0, 0, 0]], normal(0)), d1)
      const outwards = dot(n, d2) > 0 ? times(-1, n) : n
      const current = met.map((x) => times(2, cross(outwards, cross(d2, x)))) as Wave
      const towards = byGround ? imageDirection(rx).r : rx.r
      // -eta J across the direction that it goes in.
      const field = current.map((j) => add(times(-1, j), towards, dot(j, towards))) as Wave
      const received = byGround ? atGround(field, towards) : field
      return [rx.thetaHat, rx.phiHat].map((axis) => received.map((x) => dot(axis, x)))
    })
    // Of an image H is received with the opposite sign.
    const sign = byGround ? 1 : -1
    const order = [expected[0][0], expected[1][1].map((x) => sign * x), expected[0][1].map((x) => sign * x), expected[1][0]] // prettier-ignore
    got.flat().forEach((x, i) => expect(x).toBeCloseTo(order.flat()[i], 12))
    expect(Math.min(...got.map(([re, im]) => Math.hypot(re, im)))).toBeGreaterThan(1e-3)
  }
})
