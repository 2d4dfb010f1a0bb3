import { expect, test } from 'vitest'
import {
  type Complex,
  add,
  asin,
  cos,
  divide,
  exp,
  multiply,
  scale,
  sin,
  subtract,
} from '../../math/complex.js'
import { type Aspect, direction } from '../../scene/index.js'
import {
  faceConditions,
  impedanceOf,
  incidenceOn,
} from '../../cpu-diffraction/currents/materials/conditions.js'
import { MaterialFace } from '../../cpu-diffraction/currents/materials/material-face.js'
import { rimAmplitudes } from '../../cpu-diffraction/currents/materials/skew-sheet.js'
import { skewAmplitudes, SkewWedge } from '../../cpu-diffraction/currents/materials/skew-wedge.js'
import {
  type FaceImpedance,
  type FaceShape,
  shapeOf,
} from '../../cpu-diffraction/currents/materials/skew-face.js'
import { MaterialWedge, SurfaceSpectrum } from '../../cpu-diffraction/currents/materials/surface-spectrum.js'
import { impedance } from '../helpers/materials.js'
import { complexError } from '../../reproduction/prism.js'
import { random } from '../helpers/random.js'
import { conditionOf } from '../../math/maliuzhinets.js'
import { rows } from '../scene/shapes.js'

const isotropic = (Z: Complex) => ({ xx: Z, xz: [0, 0] as Complex, zz: Z })

test.each([
  { Z: [0.3, 0], most: 1e-3 },
  { Z: [0.3, 0.3], most: 1e-3 },
  { Z: [2, -3], most: 2e-3 },
  // Low losses bring zeros close to the path.
  { Z: [0.02, 0.3], most: 1e-2 },
] as { Z: Complex; most: number }[])('a plane of impedance $Z has physical optics alone', ({ Z, most }) => {
  const wedge = new MaterialWedge(1)
  for (const beta of [80, 60, 40]) {
    const [sine, kappa] = [Math.sin((beta * Math.PI) / 180), Math.cos((beta * Math.PI) / 180)]
    const face = isotropic(Z)
    const shape = shapeOf(face, sine)
    const phi0 = 1.1
    const solution = new SkewWedge(wedge, [face, face], [shape, shape], { sinBeta0: sine, kappa, phi0 })
    for (const side of [0, 1]) {
      const from = side === 0 ? phi0 : Math.PI - phi0
      const optics = [...solution.optics(side, from)]
      for (const w of [0.4, 2.2, 2.9]) {
        const pole = Math.cos(from) - Math.cos(w)
        const whole = [...solution.onFace(side, w, 0)].map((x) => x * pole)
        expect(complexError(whole, optics)).toBeLessThan(most)
      }
    }
  }
})

/** Faces of wedges of a cube under a thin coating of low loss, .02 of eps 4 - .3j at a wavelength of 1.7, at theta 82, phi 20: fields were off by half. */
const TOP: FaceImpedance = { xx: [0.0017, 0.112], xz: [0, 0], zz: [0.00032, 0.0031] }
const SIDES: FaceImpedance[] = [
  { xx: [0.00037, 0.019], xz: [0.00013, 0.038], zz: [0.00063, 0.097] },
  { xx: [0.00037, 0.0055], xz: [-0.00034, -0.0158], zz: [0.0026, 0.109] },
  { xx: [0.00063, 0.0157], xz: [0.00084, 0.0347], zz: [0.0026, 0.098] },
]
test.each([
  { faces: [SIDES[0], TOP], kappa: -0.339, phi0: 1.422 },
  { faces: [SIDES[1], TOP], kappa: 0.931, phi0: 1.181 },
  { faces: [SIDES[1], SIDES[2]], kappa: -0.931, phi0: 1.961 },
])(
  'the field of a wedge of a thin coating does not depend on its paths, kappa $kappa',
  ({ faces, kappa, phi0 }) => {
    const wedge = new MaterialWedge(1.5)
    const sine = Math.sqrt(1 - kappa * kappa)
    const of = (change: (shape: FaceShape) => FaceShape): number[] => {
      const shapes = faces.map((face) => change(shapeOf(face, sine)))
      const solution = new SkewWedge(wedge, faces, shapes, { sinBeta0: sine, kappa, phi0 })
      return [0, 1].flatMap((side) => [0.4, 2.2, 2.9].flatMap((w) => [...solution.onFace(side, w, 0)]))
    }
    const field = of((shape) => shape)
    const finer = of((shape) => ({ ...shape, step: 0.5 * shape.step }))
    const turned = of((shape) => ({ ...shape, mean: 0.95 * shape.mean, size: 0.95 * shape.size }))
    expect(complexError(field, finer)).toBeLessThan(0.02)
    expect(complexError(field, turned)).toBeLessThan(0.02)
  },
)

const FRAMES = [
  Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  // Of the other face at N pi: x along it, y off it.
  (N: number) => {
    const [c, s] = [Math.cos(N * Math.PI), Math.sin(N * Math.PI)]
    return Float64Array.of(c, s, 0, s, -c, 0, 0, 0, -1)
  },
] as const

/** Untruncated amplitudes of both faces of a wedge of one impedance, their sum, and what physical optics has at the edge if asked for. */
function wedgeField(N: number, [re, im]: Complex, aspect: Aspect): number[] {
  const wedge = new MaterialWedge(N)
  const material = impedance(re, im)
  const frames = [FRAMES[0], FRAMES[1](N)]
  const faces = frames.map((frame) => {
    const face = new MaterialFace()
    face.aim(frame, 0, aspect, N, { reach: 1e4 })
    return face
  })
  const conditions = frames.map((frame) => {
    const incidence = incidenceOn(frame, 0, aspect.tx.r)
    const of = (across: number) => faceConditions(material, 3e8, { ...incidence, across }, false, false)
    return { impedance: impedanceOf(of(1), incidence), ...of(incidence.across) }
  })
  const shapes = conditions.map((of) => shapeOf(of.impedance!, faces[0].sinBeta0))
  const solution = new SkewWedge(
    wedge,
    conditions.map((of) => of.impedance),
    shapes,
    faces[0],
  )
  const sum = Array.from({ length: 8 }, () => 0)
  faces.forEach((face, i) => {
    const lit = face.phi0 < Math.PI
    const fields = [true, false].map((isE) => {
      const [own, other] = [conditions[i], conditions[1 - i]].map((of) => (isE ? of.E : of.H))
      const spectrum = new SurfaceSpectrum(wedge, face.phi0, lit, own, other)
      return { spectrum, isE, normal: true, jump: true, weight: 1 }
    })
    skewAmplitudes(face, solution, i, fields, lit).untruncated.forEach((x, c) => (sum[c] += x))
  })
  return sum
}

test('a half-plane is that of its divergence and curl', () => {
  for (const [re, im] of [
    [0.3, 0],
    [0.3, 0.4],
    [1.5, 0],
  ] as Complex[])
    for (const [theta, from, to] of rows('70 40 120, 50 60 80, 110 130 250')) {
      const aspect = { tx: direction(theta, from), rx: direction(180 - theta, to) }
      const face = new MaterialFace()
      face.aim(FRAMES[0], 0, aspect, 2, { reach: 1e4 })
      const incidence = { ...incidenceOn(FRAMES[0], 0, aspect.tx.r), across: 1 }
      const of = faceConditions(impedance(re, im), 3e8, incidence, false, false)
      const rim = rimAmplitudes(face, of, 1e4, 0)
      expect(complexError(wedgeField(2, [re, im], aspect), [...rim.untruncated])).toBeLessThan(5e-3)
    }
})

test('amplitudes of random wedges are finite and of the size of an edge', () => {
  const next = random(777)
  let most = 0
  for (let i = 0; i < 150; i++) {
    const N = [1, 1.02, 1.1, 1.3, 1.5, 1.7, 1.95, 2][Math.floor(8 * next())]
    const sign = next() < 0.5 ? -1 : 1
    const Z: Complex = [10 ** (-3 + 4 * next()), sign * 10 ** (-3 + 4 * next())]
    const theta = 25 + 130 * next()
    const aspect = { tx: direction(theta, 180 * N * next()), rx: direction(180 * next(), 360 * next()) }
    const sum = wedgeField(N, Z, aspect)
    expect(sum.every(Number.isFinite), `${N} ${Z}`).toBe(true)
    most = Math.max(most, ...sum.map(Math.abs))
  }
  expect(most).toBeLessThan(2)
})

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
