import { expect, test } from 'vitest'
import { Prism } from '../../reproduction/prism.js'
import { cross, dot, type Aspect, direction, type Vec3, type Mesh } from '../../scene/index.js'
import { CONDUCTOR, impedance } from '../helpers/materials.js'
import { random } from '../helpers/random.js'
import { type Complex, phasor, product } from '../oracle/complex.js'
import { obliqueCylinder } from '../oracle/oblique-mom.js'
import { add, times, unit } from '../oracle/vectors.js'

/*
 * Wedges of surface impedances under oblique incidence against a method of moments (test/oracle/oblique-mom.ts): squares, to directions on
 * Keller's cone all round.
 */

const WIDTH = 3
const K = 2 * Math.PI
const HALF = WIDTH / 2
const CORNERS: [number, number][] = [
  [-HALF, -HALF],
  [HALF, -HALF],
  [HALF, HALF],
  [-HALF, HALF],
]
/** Outward normal of each side. */
const NORMALS: Vec3[] = [
  [0, -1, 0],
  [1, 0, 0],
  [0, 1, 0],
  [-1, 0, 0],
]

const over = (a: Complex, b: Complex): Complex => {
  const size = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size]
}

/** The square as a cylinder 1 m long, of these impedances by side; 0 conducts. */
function square(sides: Complex[]): Mesh {
  const level = (z: number): number[] => CORNERS.flatMap(([x, y]) => [x, y, z])
  const triangles: number[] = []
  for (let i = 0; i < 4; i++) {
    const j = (i + 1) % 4
    triangles.push(i, j, 4 + j, i, 4 + j, 4 + i)
  }
  triangles.push(0, 2, 1, 4, 5, 6, 0, 3, 2, 4, 6, 7)
  return {
    positions: Float64Array.from([...level(-0.5), ...level(0.5)]),
    triangles: Uint32Array.from(triangles),
    facetGroup: Uint32Array.from({ length: 12 }, (_, t) => (t < 8 ? t >> 1 : 0)),
    groupMaterials: sides.map(([re, im]) => (re === 0 && im === 0 ? CONDUCTOR : impedance(re, im))),
  }
}

/** Physical optics of the sides: re and im of VV HH VH HV (transmit, receive). */
function optics(sides: Complex[], { tx, rx }: Aspect): number[] {
  const out = Array.from({ length: 8 }, () => 0)
  const d = times(-1, tx.r)
  const s = rx.r
  sides.forEach((z, side) => {
    const normal = NORMALS[side]
    const c = -dot(d, normal)
    if (c <= 0) return
    const across = unit(cross(d, normal))
    const n = cross(normal, across)
    const Rs = over([z[0] * c - 1, z[1] * c], [z[0] * c + 1, z[1] * c])
    const Rp = over([c - z[0], -z[1]], [c + z[0], z[1]])
    const along: Vec3 = [-normal[1], normal[0], 0]
    const q = (K * (dot(s, along) - dot(d, along)) * WIDTH) / 2
    const width = WIDTH * (Math.abs(q) < 1e-9 ? 1 : Math.sin(q) / q)
    const path = K * HALF * (dot(s, normal) - dot(d, normal))
    for (let ch = 0; ch < 4; ch++) {
      const E = ch % 2 ? tx.phiHat : tx.thetaHat
      const e = ch === 1 || ch === 2 ? rx.phiHat : rx.thetaHat
      const m = cross(s, e)
      const a = dot(E, across)
      const b = dot(E, cross(d, across))
      const received = [0, 1].map((part) => {
        const one = part === 0 ? 1 : 0
        const J = add(times(a * c * (one - Rs[part]), across), n, -b * (one + Rp[part]))
        const M = add(times(-a * (one + Rs[part]), n), across, -b * c * (one - Rp[part]))
        return -dot(e, J) - dot(m, M)
      }) as Complex
      const f = product(product(received, [0, width / 2]), phasor(path))
      out[2 * ch] += f[0]
      out[2 * ch + 1] += f[1]
    }
  })
  return out
}

/** |error| over |field| of all channels, of physical optics and with edges. */
function errors(sides: Complex[], theta: number): [optics: number, edges: number] {
  const along = -Math.cos((theta * Math.PI) / 180)
  const sine = Math.sqrt(1 - along * along)
  const [from, to] = [[20, 70], Array.from({ length: 24 }, (_, i) => 3 + 15 * i)]
  const radians = (list: number[]): number[] => list.map((x) => (x * Math.PI) / 180)
  const metal = sides.map(([re, im]): Complex => (re === 0 && im === 0 ? [1e-6, 0] : [re, im]))
  const solved = obliqueCylinder(CORNERS, metal, 14, along, radians(from), radians(to))
  const prism = new Prism(square(sides))
  const sums = [0, 0, 0]
  from.forEach((phi, f) =>
    to.forEach((phiOut, i) => {
      const aspect = { tx: direction(theta, phi), rx: direction(180 - theta, phiOut) }
      const { tx, rx } = aspect
      const [EE, HE, EH, HH] = solved[f][i]
      const rays = optics(sides, aspect)
      const edges = prism.diffraction(aspect, WIDTH / sine)
      for (let ch = 0; ch < 4; ch++) {
        const E = ch % 2 ? tx.phiHat : tx.thetaHat
        const e = ch === 1 || ch === 2 ? rx.phiHat : rx.thetaHat
        const [ez, hz] = [E[2], -cross(tx.r, E)[2]]
        const [pz, mz] = [e[2], cross(rx.r, e)[2]]
        // F = (j/pi) (e_z P_E + (s x e)_z P_H)/sin^2 per length.
        const P = [0, 1].map((c) => pz * (EE[c] * ez + EH[c] * hz) + mz * (HE[c] * ez + HH[c] * hz))
        const want = [-P[1], P[0]].map((x) => x / (Math.PI * sine * sine))
        for (let c = 0; c < 2; c++) {
          const o = 2 * ch + c
          sums[0] += want[c] ** 2
          sums[1] += (rays[o] - want[c]) ** 2
          sums[2] += (rays[o] + edges[o] - want[c]) ** 2
        }
      }
    }),
  )
  return [Math.sqrt(sums[1] / sums[0]), Math.sqrt(sums[2] / sums[0])]
}

const alike = (z: Complex): Complex[] => [z, z, z, z]

test.each([
  // Edge to edge diffraction is what is left of resistive ones, most of good conductors; guided waves of reactive ones.
  { name: 'Z0/10', sides: alike([0.1, 0]), most: 0.045 },
  { name: '.3 Z0', sides: alike([0.3, 0]), most: 0.035 },
  { name: 'Z0, matched', sides: alike([1, 0]), most: 0.035 },
  { name: '(.3 + .3j) Z0', sides: alike([0.3, 0.3]), most: 0.04 },
  { name: '(.02 - .5j) Z0', sides: alike([0.02, -0.5]), most: 0.13 },
  {
    name: 'two conducting sides and two others',
    sides: [
      [0, 0],
      [0.3, 0.2],
      [0, 0],
      [0.6, 0],
    ] as Complex[],
    most: 0.06,
  },
])('square of $name under oblique incidence', ({ sides, most }) => {
  for (const theta of [70, 50, 35, 20]) {
    const [rays, edges] = errors(sides, theta)
    expect(edges, `theta ${theta}`).toBeLessThan(most)
    expect(rays).toBeGreaterThan(1.3 * edges)
  }
})

test('low losses: guided waves that pass corners are left, and still less than physical optics leaves', () => {
  for (const theta of [70, 35]) {
    const [rays, edges] = errors(alike([0.02, 0.5]), theta)
    expect(edges).toBeLessThan(0.6 * rays)
  }
})

test('transmitter and receiver exchanged, fields change by no more than those of a conductor', () => {
  const next = random(9)
  const pairs = Array.from({ length: 20 }, () => [35 + 110 * next(), 360 * next(), 360 * next()])
  const differenceOf = (sides: Complex[]): number => {
    const prism = new Prism(square(sides))
    const sums = [0, 0]
    const field = (aspect: Aspect, theta: number): number[] => {
      const edges = prism.diffraction(aspect, WIDTH / Math.sin((theta * Math.PI) / 180))
      return optics(sides, aspect).map((x, i) => x + edges[i])
    }
    for (const [theta, phi, phiOut] of pairs) {
      const [a, b] = [direction(theta, phi), direction(180 - theta, phiOut)]
      const there = field({ tx: a, rx: b }, theta)
      const [vv, vvIm, hh, hhIm, vh, vhIm, hv, hvIm] = field({ tx: b, rx: a }, theta)
      const back = [vv, vvIm, hh, hhIm, hv, hvIm, vh, vhIm]
      sums[0] += there.reduce((sum, x, i) => sum + (x - back[i]) ** 2, 0)
      sums[1] += there.reduce((sum, x) => sum + x * x, 0)
    }
    return Math.sqrt(sums[0] / sums[1])
  }
  const conductor = differenceOf(alike([0, 0]))
  expect(conductor).toBeGreaterThan(0.01)
  for (const z of [
    [0.1, 0],
    [0.3, 0],
    [0.3, 0.3],
  ] as Complex[])
    expect(differenceOf(alike(z))).toBeLessThan(conductor)
})
