import { expect, test } from 'vitest'
import { conditionOf } from '../../math/maliuzhinets.js'
import { MaterialFace } from '../../cpu-diffraction/currents/materials/material-face.js'
import { MaterialWedge, SurfaceSpectrum } from '../../cpu-diffraction/currents/materials/surface-spectrum.js'
import {
  add,
  asin,
  type Complex,
  cos,
  divide,
  exp,
  multiply,
  scale,
  sin,
  subtract,
} from '../../math/complex.js'
import { direction } from '../../scene/index.js'
import { random } from '../helpers/random.js'

/*
 * Maliuzhinets' function and wedges against what is known without it: elementary and integral forms of the function (A. V. Osipov,
 * A. N. Norris, Wave Motion 29, 1999, 313-340), and the plane of two impedances by Wiener and Hopf.
 */

const { PI, SQRT2 } = Math
const at = (z: Complex, x: number): Complex => [z[0] + x, z[1]]
const over = (z: Complex, x: number): Complex => scale(1 / x, z)

/** exp of the integral from 0 to z, along a straight line, of f. */
function expIntegral(f: (u: Complex) => Complex, z: Complex): Complex {
  const n = 400
  let sum: Complex = [0, 0]
  // Gauss's rule of two points.
  for (let i = 0; i < n; i++)
    for (const x of [0.5 - 0.5 / Math.sqrt(3), 0.5 + 0.5 / Math.sqrt(3)])
      sum = add(sum, f(scale((i + x) / n, z)))
  return exp(scale(0.5 / n, multiply(z, sum)))
}

/** psi of wedges of exterior angle N pi. */
const CLOSED: [N: number, psi: (z: Complex) => Complex][] = [
  [
    1.5,
    (z) => scale(4 / 3, divide(multiply(cos(over(at(z, -PI), 6)), cos(over(at(z, PI), 6))), cos(over(z, 6)))),
  ],
  [
    1,
    (z) =>
      expIntegral((u) => scale(1 / (4 * PI), divide(subtract(scale(2, u), scale(PI, sin(u))), cos(u))), z),
  ],
  [
    2,
    (z) =>
      expIntegral((u) => {
        const top = subtract(scale(PI, sin(u)), scale(2 * SQRT2 * PI, sin(over(u, 2))))
        return scale(-1 / (8 * PI), divide(add(top, scale(2, u)), cos(u)))
      }, z),
  ],
]

const random7 = random(7)
const between = (a: number, b: number): number => a + (b - a) * random7()
const errorOf = (a: readonly number[], b: readonly number[]): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1]) / Math.hypot(b[0], b[1])

/** P of the fringe currents of both faces of an edge along z, face 0 on x > 0: of E and of H along it. */
function fringe(N: number, sines: [Complex, Complex], phi0: number, phi: number): [E: Complex, H: Complex] {
  const [c, s] = [Math.cos(N * PI), Math.sin(N * PI)]
  const frames = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, c, s, 0, s, -c, 0, 0, 0, -1)
  const aspect = { tx: direction(90, (180 / PI) * phi0), rx: direction(90, (180 / PI) * phi) }
  const conditions = sines.map((sine) => conditionOf(sine, [1, 0]))
  const wedge = new MaterialWedge(N)
  const sum = new Float64Array(8)
  for (let i = 0; i < 2; i++) {
    // Endless strips, none displaced.
    const face = new MaterialFace('eec')
    face.aim(frames, 9 * i, aspect, N, { reach: 100 })
    const spectrum = new SurfaceSpectrum(wedge, face.phi0, face.phi0 < PI, conditions[i], conditions[1 - i])
    const fields = [true, false].map((isE) => ({ spectrum, isE, normal: true, jump: true, weight: 1 }))
    face.amplitudes(fields).untruncated.forEach((x, ch) => (sum[ch] += x))
  }
  // F = (j / pi) P; H along z of the wave that comes back is turned about against E.
  return [
    [PI * sum[1], -PI * sum[0]],
    [-PI * sum[3], PI * sum[2]],
  ]
}

/** P of the end of a lit face, by physical optics; angles from the face. */
function optics(sine: Complex, phi0: number, phi: number): Complex {
  const s0 = Math.sin(phi0)
  const R = divide(subtract([s0, 0], sine), add([s0, 0], sine))
  const top = subtract(scale(s0, subtract([1, 0], R)), scale(Math.sin(phi), add([1, 0], R)))
  return multiply([0, -0.25 / (Math.cos(phi) + Math.cos(phi0))], top)
}

const apart = (phi0: number, phi: number): boolean => Math.abs(Math.cos(phi) + Math.cos(phi0)) > 0.02
const SINES: [Complex, Complex][] = [
  [
    [0.3, 0.2],
    [0.8, -0.3],
  ],
  [
    [2.5, 0.5],
    [0.1, 0.4],
  ],
  [
    [0.05, -0.2],
    [1.4, 1.1],
  ],
]

test.each(CLOSED)(
  'wedges of exterior angle %s pi, of faces that differ, have their closed form',
  (N, psi) => {
    const half = (PI * N) / 2
    const mu = 1 / N
    for (const sines of SINES) {
      const [t2, t1] = sines.map(asin)
      const Psi = (a: number): Complex =>
        [
          subtract([a + half + PI / 2, 0], t1),
          add([a + half - PI / 2, 0], t1),
          add([a - half - PI / 2, 0], t2),
          subtract([a - half + PI / 2, 0], t2),
        ]
          .map(psi)
          .reduce(multiply)
      for (let i = 0; i < 8; i++) {
        const [phi0, phi] = [between(0.05, N * PI - 0.05), between(0.05, N * PI - 0.05)]
        const [b0, b] = [N * PI - phi0, N * PI - phi]
        if (!apart(phi0, phi) || !apart(b0, b)) continue
        const [a0, a] = [phi0 - half, phi - half]
        const part = (x: number): Complex =>
          scale((mu * Math.cos(mu * a0)) / (Math.sin(mu * x) - Math.sin(mu * a0)), Psi(x))
        let want = multiply([0, -0.5], divide(subtract(part(a - PI), part(a + PI)), Psi(a0)))
        if (phi0 < PI) want = subtract(want, optics(sines[0], phi0, phi))
        if (b0 < PI) want = subtract(want, optics(sines[1], b0, b))
        for (const got of fringe(N, sines, phi0, phi))
          expect(errorOf(got, want)).toBeLessThan(N === 1.5 ? 1e-9 : 1e-6)
      }
    }
  },
)
