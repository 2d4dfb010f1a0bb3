import { expect, it } from 'vitest'
import { CLEAR, LAUNCH, PathFields, REFLECTED } from '../../cpu-sbr/materials/path-fields.js'
import { cross, direction, dot, type Vec3 } from '../../scene/index.js'
import { imageDirection } from '../../scene/ground/index.js'
import { dielectric, fresnel, overGround } from '../helpers/ground.js'
import { OPTIONS } from '../helpers/sbr.js'
import { type Complex, product } from '../oracle/complex.js'
import { add, times, unit } from '../oracle/vectors.js'
import { meshOf } from '../scene/shapes.js'

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
