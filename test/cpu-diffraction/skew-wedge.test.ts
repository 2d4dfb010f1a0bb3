import { expect, test } from 'vitest'
import type { Complex } from '../../math/complex.js'
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
    for (const [theta, from, to] of [
      [70, 40, 120],
      [50, 60, 80],
      [110, 130, 250],
    ]) {
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
