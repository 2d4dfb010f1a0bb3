import { expect, test } from 'vitest'
import {
  EdgeFace,
  darkEdges,
  someEdges,
  MOMENTS,
  type EdgeOptions,
  Wedge,
} from '../../cpu-diffraction/index.js'
import { amplitude } from '../../cpu-diffraction/currents/face.js'
import { DARK, faceConditions, incidenceOn } from '../../cpu-diffraction/currents/materials/conditions.js'
import { JUNCTION, SHEET, WEDGE } from '../../cpu-diffraction/currents/materials/edge-materials.js'
import { type Condition, DIRICHLET, NEUMANN } from '../../math/maliuzhinets.js'
import { type FaceAmplitudes, restDecay } from '../../cpu-diffraction/currents/materials/amplitudes.js'
import { MaterialFace } from '../../cpu-diffraction/currents/materials/material-face.js'
import { rimAmplitudes } from '../../cpu-diffraction/currents/materials/skew-sheet.js'
import {
  FIRST,
  MANY,
  MaterialWedge,
  NODES,
  SurfaceSpectrum,
} from '../../cpu-diffraction/currents/materials/surface-spectrum.js'
import { cube, plate } from '../../samples/models/canonical.js'
import { type Band, C0, type Aspect, cross, direction, dot, type Mesh, type Vec3 } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { BAND, complexError, Prism, strip } from '../../reproduction/prism.js'
import { coating, CONDUCTOR, impedance, layer, made, sheet } from '../helpers/materials.js'
import { random } from '../helpers/random.js'
import { monostatic, at } from '../helpers/sbr.js'
import { moved, rows } from '../scene/shapes.js'
import { times, unit } from '../oracle/vectors.js'
import { engines, scenes, aspectAlong, inFrame, randomFrame, edgeOptions } from './meshes.js'

const ETA = 376.730313668
const paint = coating(layer([4, -0.3], 0.01))
const resistive = (z: number): Material => sheet({ impedance: [ETA * z, 0] })

const kindsOf = (mesh: Mesh): number[] => [...(scenes(mesh).edges.materials?.kind ?? [])].sort()

test('wedges of coatings diffract, and lines where they end; of sheets rims, flat joints and bends', () => {
  const mesh = cube(1)
  // Two facets, one side of the cube.
  const facetGroup = Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, t) => (t < 2 ? 1 : 0))
  const cubeOf = (...groupMaterials: Material[]): number[] => kindsOf({ ...mesh, facetGroup, groupMaterials })
  expect(cubeOf(CONDUCTOR, CONDUCTOR)).toEqual([])
  expect(cubeOf(CONDUCTOR, paint)).toEqual([...Array(8).fill(0), ...Array(4).fill(WEDGE)])
  expect(cubeOf(CONDUCTOR, resistive(1))).toEqual([...Array(8).fill(0), ...Array(4).fill(WEDGE)])
  expect(kindsOf({ ...plate(1), groupMaterials: [resistive(1)] })).toEqual(Array(4).fill(SHEET))
  // Rims of both halves, and the line between them from both of its sides.
  const halves = (a: Material, b: Material): number[] =>
    kindsOf(made([strip(0, a, -1, 0), a], [strip(0, b, 0, 1), b]))
  expect(halves(resistive(1), resistive(2))).toEqual(Array(8).fill(SHEET))
  expect(halves(paint, CONDUCTOR)).toEqual([0, 0, 0, WEDGE, WEDGE, WEDGE, JUNCTION, JUNCTION])
})

async function field(
  mesh: Mesh,
  material: Material,
  aspect: Aspect,
  options: Partial<EdgeOptions> = {},
  band: Band = BAND,
): Promise<number[]> {
  const { fieldOf } = engines({ ...mesh, groupMaterials: [material] })
  return [...(await fieldOf(aspect, band, { diffraction: 'tw-ildc', ...options }))]
}

const SKEW = direction(50, 30)

/** The cube with its upper face made smaller: its side faces end in slanting edges. */
function frustum(scale: number): Mesh {
  const mesh = cube(2)
  const positions = mesh.positions.map((x, i, all) => (i % 3 < 2 && all[i - (i % 3) + 2] > 0 ? scale * x : x))
  return { ...mesh, positions }
}

const BODIES = [
  ['plate, opaque', plate(3), impedance],
  ['plate, sheet', plate(3), resistive],
  ['cube', cube(2), impedance],
  ['truncated pyramid', frustum(0.6), impedance],
] as const

test.each(BODIES)('%s: edges of a small impedance are those of a conductor', async (_, mesh, material) => {
  // In backscatter a conductor's strips are displaced to keep their digits, and these with them (`AsConductors`).
  const back = rows('35 70, 50 30, 60 0, 90 30, 90.5 45').map(([theta, phi]) => [theta, phi, theta, phi])
  const apart = rows('35 70 36 72, 88 3 88.2 3.1, 50 30 100 200, 50 30 130 30, 60 0 90 180')
  for (const [theta, phi, thetaOut, phiOut] of [...back, ...apart]) {
    const [tx, rx] = [direction(theta, phi), direction(thetaOut, phiOut)]
    const conductor = await field(mesh, CONDUCTOR, { tx, rx })
    const errorOf = async (z: number): Promise<number> =>
      complexError(await field(mesh, material(z), { tx, rx }), conductor)
    expect(await errorOf(1e-13)).toBeLessThan(1e-6)
    // Not so near to grazing incidence on other faces.
    if (thetaOut !== 100) continue
    const [coarse, fine] = [await errorOf(1e-4), await errorOf(1e-5)]
    expect(fine).toBeLessThan(1e-3)
    // In proportion to the impedance.
    expect(coarse / fine).toBeGreaterThan(4)
  }
})

test.each(BODIES)(
  '%s: so they are straight on, forward and in random directions, to 1e-6 of the largest field',
  async (_, mesh, material) => {
    const next = random(11)
    const anywhere = (): [number, number] => [(180 / Math.PI) * Math.acos(2 * next() - 1), 360 * next()]
    const pairs: [theta: number, phi: number, theta: number, phi: number][] = []
    for (let i = 0; i < 6; i++) {
      const [theta, phi] = i < 2 ? [90 * i, 0] : anywhere()
      const off = 10 ** (-3 + 4 * next())
      pairs.push([theta, phi, theta, phi], [theta, phi, ...anywhere()])
      pairs.push([theta, phi, 180 - theta, phi + 180], [theta, phi, 180 - theta + off, phi + 180 - off])
    }
    // In the plane of the plate its edges are the mean of two limits.
    pairs.push([90, 30, 60, 100], [90, 10, 90, 120])
    let worst = 0
    let peak = 0
    for (const [theta, phi, thetaOut, phiOut] of pairs) {
      const aspect = { tx: direction(theta, phi), rx: direction(thetaOut, phiOut) }
      const [a, b] = [await field(mesh, CONDUCTOR, aspect), await field(mesh, material(1e-13), aspect)]
      worst = Math.max(worst, Math.hypot(...a.map((x, i) => x - b[i])))
      peak = Math.max(peak, Math.hypot(...a))
    }
    expect(worst).toBeLessThan(1e-6 * peak)
  },
)

test('edges of a plate of finite impedance do not jump where the light comes in its plane', async () => {
  const [out, other] = [direction(60, 100), direction(90, 120)]
  for (const rx of [out, other]) {
    const of = (theta: number): Promise<number[]> =>
      field(plate(3), impedance(0.3), { tx: direction(theta, 10), rx })
    expect(complexError(await of(90), await of(90.00001))).toBeLessThan(1e-5)
  }
})

/** In the middle of a step of half an octave: a run's frequencies are solved step by step. */
const f0 = 10e9 / 2 ** 5

test('a face within rounding of grazing incidence has the limit of a conductor', async () => {
  const aspect = { tx: direction(90, 0), rx: direction(90, 0) }
  const [a, b] = [impedance(1e-9), CONDUCTOR].map((material) => field(frustum(0.6), material, aspect))
  // Both keep 1e-6 from grazing incidence (`LEAST_C`), each in its own way.
  expect(complexError(await a, await b)).toBeLessThan(2e-6)
})

/** What a strip of dimensionless length L has of the amplitudes: re and im per channel. */
function truncated(of: FaceAmplitudes, c: number, L: number): number[] {
  const out = [...of.untruncated]
  const take = (from: Float64Array, at: number, re: number, im: number): void => {
    const angle = -2 * c * c * L - im * L
    const [x, y] = [Math.exp(-re * L) * Math.cos(angle), Math.exp(-re * L) * Math.sin(angle)]
    for (let i = 0; i < 8; i += 2) {
      out[i] -= from[at + i] * x - from[at + i + 1] * y
      out[i + 1] -= from[at + i] * y + from[at + i + 1] * x
    }
  }
  for (let n = 0; 8 * n < of.nodes.length; n++) take(of.nodes, 8 * n, NODES[n] ** 2, 0)
  take(of.rest, 0, restDecay(FIRST), 0)
  for (const { decay, amplitudes } of of.guided) take(amplitudes, 0, decay[0], decay[1])
  return out
}

test("a conductor's strips of any length, by Maliuzhinets' spectrum, are the closed forms", () => {
  const next = random(3)
  for (let i = 0; i < 24; i++) {
    const frame = randomFrame(next)
    const N = [1.5, 2, 1.2][i % 3]
    const phi0 = (0.05 + 0.9 * next()) * N * Math.PI
    const z = i % 2 ? 0 : 1.6 * next() - 0.8
    const r = Math.sqrt(1 - z * z)
    const ki = inFrame(frame, -r * Math.cos(phi0), -r * Math.sin(phi0), z)
    const aspect = aspectAlong(ki, [-ki[0], -ki[1], -ki[2]])
    const lit = phi0 < Math.PI
    const face = new EdgeFace('tw-ildc')
    expect(face.aim(new Wedge(N, 1), frame, 0, aspect, lit)).toBe(true)
    const mine = new MaterialFace()
    mine.aim(frame, 0, aspect, N, { reach: 600 })
    const wedge = new MaterialWedge(N)
    const of = (condition: Condition, isE: boolean) => ({
      spectrum: new SurfaceSpectrum(wedge, mine.phi0, lit, condition, condition),
      isE,
      normal: true,
      jump: true,
      weight: 1,
    })
    const amplitudes = mine.amplitudes([of(DIRICHLET, true), of(NEUMANN, false)])
    const moments = new Float64Array(MOMENTS)
    const part = new Float64Array(2)
    for (const L of [0.01, 0.3, 3, 100]) {
      face.strip.moments(L, L, moments)
      const got = truncated(amplitudes, face.strip.c, L)
      for (let ch = 0; ch < 4; ch++) {
        amplitude(face, ch, moments, 1, 0, part)
        // Of wedges the closed forms hold to 2e-7.
        expect(Math.hypot(got[2 * ch] - part[0], got[2 * ch + 1] - part[1])).toBeLessThan(3e-7)
      }
    }
  }
})

/** A rim along z, of a sheet on x > 0, and what physical optics has at it: exactly the field of the half-plane. */
const FRAME = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
function rim(material: Material, aspect: Aspect) {
  const face = new MaterialFace()
  // Strips so long that sums of nodes have no part in the whole.
  face.aim(FRAME, 0, aspect, 2, { reach: 1e4 })
  const incidence = { ...incidenceOn(FRAME, 0, aspect.tx.r), across: 1 }
  return rimAmplitudes(face, faceConditions(material, BAND.f0, incidence, false, true), 100, 0)
}

test('nodes and poles make up the whole current of a rim at any skew', () => {
  // A sheet of half the impedance of space has two poles in one place.
  for (const [material, most] of [
    [resistive(0.05), 1e-5],
    [resistive(0.3), 1e-5],
    [resistive(0.5), 1e-4],
    [impedance(1.5), 1e-5],
    [impedance(0.1, 0.4), 1e-5],
    [sheet(layer([2.6, -0.036], 0.05)), 1e-5],
  ] as const)
    for (const [theta, from, to] of rows('90 40 60, 70 40 60, 35 60 20, 20 60 100')) {
      const aspect = { tx: direction(theta, from), rx: direction(180 - theta, to) }
      const { untruncated, rest } = rim(material, aspect)
      expect(Math.hypot(...rest)).toBeLessThan(most * Math.hypot(...untruncated))
    }
})

test('a rim whose sheet hardly reflects is silent', () => {
  // P of E_z and H_z at 60 degrees: F = (j / pi) P per length.
  const aspect = { tx: direction(90.1, 60), rx: direction(90.1, 60) }
  const largest = (material: Material): number =>
    Math.PI * Math.max(...[...rim(material, aspect).untruncated].map(Math.abs))
  // |R_s| = .01 and less, at incidence of sin 60 degrees.
  expect(largest(resistive(57))).toBeLessThan(1e-3)
  expect(largest(resistive(5700))).toBeLessThan(1e-6)
  expect(largest(sheet(layer([1, 0], 0.1)))).toBe(0)
  expect(largest(resistive(0.1))).toBeGreaterThan(0.1)
})

test('edges and lines of sheets that reflect nothing are silent at any skew', async () => {
  const [air, other] = [sheet(layer([1, 0], 0.1)), sheet(layer([1, 0], 0.2))]
  const halves = made([strip(0, air, -1, 0), air], [strip(0, other, 0, 1), other])
  const { fieldOf } = engines(halves)
  for (const rx of [SKEW, direction(100, 200)])
    expect(Math.max(...(await fieldOf({ tx: SKEW, rx }, BAND)).map(Math.abs))).toBe(0)
})

test.each([
  ['resistive', resistive(0.5), (c: number) => [-1 / (1 + c), c / (c + 1), c / (1 + c), 1 / (c + 1)]],
  ['impedance', impedance(0.3), (c: number) => [(0.3 * c - 1) / (0.3 * c + 1), (c - 0.3) / (c + 0.3), 0, 0]],
  ['impedance', impedance(1.5), (c: number) => [(1.5 * c - 1) / (1.5 * c + 1), (c - 1.5) / (c + 1.5), 0, 0]],
] as const)('a %s half-plane is reciprocal at any skew', (_, material, slabOf) => {
  /** Fringe and physical optics of the endless sheet, to directions on Keller's cone. */
  const total = (theta: number, from: number, to: number): number[] => {
    const aspect = { tx: direction(theta, from), rx: direction(180 - theta, to) }
    const out = [...rim(material, aspect).untruncated]
    const d = times(-1, aspect.tx.r)
    const { r: s } = aspect.rx
    const c = -d[1]
    const [Rs, Rp, Ts, Tp] = slabOf(c)
    const across = unit(cross(d, [0, 1, 0]))
    const n = cross([0, 1, 0], across)
    for (let ch = 0; ch < 4; ch++) {
      const E = ch % 2 ? aspect.tx.phiHat : aspect.tx.thetaHat
      const e = ch === 1 || ch === 2 ? aspect.rx.phiHat : aspect.rx.thetaHat
      const a = dot(E, across)
      const b = dot(E, cross(d, across))
      const J = n.map((x, i) => a * c * (1 - Rs - Ts) * across[i] - b * (1 + Rp - Tp) * x) as Vec3
      const M = n.map((x, i) => -a * (1 + Rs - Ts) * x - b * c * (1 - Rp - Tp) * across[i]) as Vec3
      out[2 * ch] += (dot(e, J) + dot(cross(s, e), M)) / (4 * Math.PI * (s[0] - d[0]))
    }
    return out
  }
  for (const [theta, from, to] of rows('90 40 100, 70 40 100, 50 30 110, 35 60 75')) {
    const [a0, a1, b0, b1, c0, c1, d0, d1] = total(180 - theta, to, from)
    // Angles of E turn about between the two ends: co-polar amplitudes are equal, cross-polar ones exchanged.
    expect(complexError(total(theta, from, to), [a0, a1, b0, b1, d0, d1, c0, c1])).toBeLessThan(1e-8)
  }
})

/** Difference of fields across the edges with both ends exchanged, of E and H along them, over the field: of physical optics, and with edges. */
async function exchanged(prism: Prism, pairs: [number, number][]): Promise<number[][]> {
  const lists: number[][][] = [[], [], [], []]
  for (const [a, b] of pairs)
    for (const [i, [from, to]] of [
      [a, b],
      [b, a],
    ].entries()) {
      const aspect = { tx: direction(90, from), rx: direction(90, to) }
      const optics = await prism.optics(aspect)
      const edges = prism.diffraction(aspect)
      lists[i].push([...optics])
      lists[2 + i].push([...optics].map((x, c) => x + edges[c]))
    }
  const [po, poBack, all, allBack] = lists
  return [0, 2].map((at) => {
    const of = (list: number[][]): number[] => list.flatMap((f) => f.slice(at, at + 2))
    const size = Math.hypot(...of(all))
    return [
      [po, poBack],
      [all, allBack],
    ].map(([a, b]) => Math.hypot(...of(a).map((x, i) => x - of(b)[i])) / size)
  })
}

const magnetic = layer([12, -0.6], 0.05, [2.2, -1.6])

test.each([
  ['coating', { ...coating(layer([4, -0.1], 0.06)), sides: 'front' } as Material],
  ['absorber', { ...coating(magnetic), sides: 'front' } as Material],
  ['two layers', { ...coating(magnetic, layer([3, 0], 0.03)), sides: 'front' } as Material],
  // H fades with the fringe, which is not reciprocal as physical optics is not.
  ['sheet, E', sheet(layer([6, -3], 0.02))],
])('%s: rims are reciprocal across the edge, though impedances depend on the angle', async (_, material) => {
  const next = random(5)
  const pairs = Array.from({ length: 12 }, (): [number, number] => [3 + 174 * next(), 3 + 174 * next()])
  const errors = await exchanged(new Prism(strip(0, material, -1.5, 1.5), 'eec'), pairs)
  for (const [optics, edges] of material.kind === 'sheet' ? errors.slice(0, 1) : errors) {
    expect(optics).toBeGreaterThan(0.05)
    expect(edges).toBeLessThan(0.004)
  }
})

test('light along a flat line between a coating and metal, and its receiver anywhere, gives a finite field', () => {
  const prism = new Prism(made([strip(0, paint, -1.5, 0), paint], [strip(0, CONDUCTOR, 0, 1.5), CONDUCTOR]))
  for (const from of [0, 180])
    for (const to of [0, 40, 90, 180]) {
      const aspect = { tx: direction(90, from), rx: direction(90, to) }
      expect(prism.diffraction(aspect).every(Number.isFinite)).toBe(true)
    }
})

test('guided waves and the cut make up the whole current of strips without end', () => {
  // Capacitive and inductive, weakly and strongly damped; at the end poles beside the cut, on the other sheet of the spectrum.
  for (const [re, im] of rows('0.2 0.3, 0.02 0.5, 0.1 -0.4, 0 0.12, 1 0.95, 0.05 0, 1.5 0, 3 -1')) {
    for (const isE of [true, false]) {
      const incidence = { ...DARK, sine: Math.sin(1) }
      const of = faceConditions(impedance(re, im), BAND.f0, incidence, false, true)
      const spectrum = new SurfaceSpectrum(
        new MaterialWedge(2),
        1,
        true,
        isE ? of.E : of.H,
        isE ? of.E : of.H,
      )
      const mu = 0.3
      const b = spectrum.terms(MANY)
      const sum = [0, 0]
      const addTerm = (re: number, im: number, eRe: number, eIm: number): void => {
        const size = eRe ** 2 + (eIm - mu) ** 2
        sum[0] += (re * eRe + im * (eIm - mu)) / size
        sum[1] += (im * eRe - re * (eIm - mu)) / size
      }
      NODES.forEach((v, n) => addTerm(b[2 * n], b[2 * n + 1], v * v, 1))
      for (const { b, e } of spectrum.poles(MANY)) addTerm(b[0], b[1], e[0], e[1])
      expect(complexError(sum, [...spectrum.fringe(mu)])).toBeLessThan(1e-4)
    }
  }
})

test('a band is interpolated as finely as single frequencies are solved', async () => {
  const band = { f0: 2.7e8, df: 2e6, n: 31 }
  const aspect = { tx: direction(55, 25), rx: direction(55, 25) }
  const lossy = coating(layer([6, -1.2], 0.03))
  const fast = await field(cube(2), lossy, aspect, {}, band)
  const exact = await field(cube(2), lossy, aspect, { exact: true }, band)
  // The equations of wedges under oblique incidence are solved to 3e-3.
  expect(complexError(fast, exact)).toBeLessThan(1e-5)
})

/** Largest amplitude of the edges of a strip 3 wavelengths wide, with E along them and with H. */
function edgesOf(material: Material, tx: number, rx = tx, width = 3): [E: number, H: number] {
  const prism = new Prism(strip(0, material, -width / 2, width / 2))
  const field = prism.diffraction({ tx: direction(90, tx), rx: direction(90, rx) })
  return [Math.hypot(field[0], field[1]), Math.hypot(field[2], field[3])]
}

test('edges of opaque strips are finite in the directions of specular reflection and of shadow', () => {
  for (const tx of [20, 30, 53.5])
    for (const rx of [180 - tx, 180 + tx])
      for (const size of edgesOf(coating(layer([6, -1.2], 0.06)), tx, rx)) expect(size).toBeGreaterThan(0)
})

test('rims of a magnetic layer are finite where they are seen obliquely', async () => {
  // There mu is below -1.
  const at = direction(60, 30)
  const layers = [coating(layer([15, 0], 0.002, [8, -10])), sheet(layer([15, 0], 0.002, [8, -10]))]
  for (const material of layers)
    expect((await field(plate(1), material, { tx: at, rx: at })).every(Number.isFinite)).toBe(true)
})

test('E along a rim is dark where a guided wave comes back from the other end, and not where it is damped before', () => {
  const slab = (loss: number): Material => sheet(layer([6.3, -loss], 0.08))
  expect(edgesOf(slab(0.05), 40)[0]).toBeLessThan(1e-3 * edgesOf(slab(1.5), 40)[0])
  // Far enough away, the other end is no matter.
  expect(edgesOf(slab(0.05), 40, 40, 150)[0]).toBeGreaterThan(0.03)
  // Bound so loosely that the end lets it go.
  expect(edgesOf(sheet(layer([2.61, -0.036], 0.05)), 40)[0]).toBeGreaterThan(0.005)
})

test('H along a rim is dark where the end face scatters as much', () => {
  const absorber = sheet(layer([12, -0.6], 0.05, [2.2, -1.6]))
  expect(edgesOf(absorber, 4)[1]).toBeLessThan(0.001)
  expect(edgesOf(absorber, 40)[1]).toBeGreaterThan(0.03)
  expect(edgesOf(sheet(layer([2.61, -0.036], 0.05)), 40)[1]).toBeLessThan(0.001)
  // Without thickness there is no end face.
  expect(edgesOf(resistive(0.3), 40)[1]).toBeGreaterThan(0.01)
})

/** A layer of metal with this conductivity times thickness [S], .1 mm thick at a wavelength of 1 m. */
const foil = (conductance: number): Material =>
  sheet({ medium: { name: 'm', eps: [1, 0], mu: [1, 0], conductivity: conductance / 1e-4 }, thickness: 1e-4 })

test.each([
  ['rims of a plate', plate(3)],
  ['bends of a cube', cube(2)],
])(
  '%s: edges of a sheet tend to those of a conductor without steps as less and less passes',
  async (_, mesh) => {
    const aspect = { tx: SKEW, rx: SKEW }
    const conductor = await field(mesh, CONDUCTOR, aspect)
    const size = Math.hypot(...conductor)
    const steps = Array.from({ length: 25 }, (_, i) => -2 + i / 8)
    const errors: number[] = []
    let last: number[] | null = null
    for (const decade of steps) {
      const edges = await field(mesh, foil(10 ** decade), aspect)
      errors.push(complexError(edges, conductor))
      if (last) expect(Math.hypot(...edges.map((x, i) => x - last![i]))).toBeLessThan(0.45 * size)
      if (last && decade > -1) expect(errors.at(-1)!).toBeLessThan(Math.max(0.005, errors.at(-2)!))
      last = edges
    }
    expect(errors[0]).toBeGreaterThan(0.5)
    expect(errors.at(-1)).toBeLessThan(0.02)
    // Half the thickness off the middle plane.
    for (const decade of [2, 5, 8])
      expect(complexError(await field(mesh, foil(10 ** decade), aspect), conductor)).toBeLessThan(0.005)
  },
)

test('bends of sheets that waves pass through stay dark, and are counted by frequency', async () => {
  const aspect = { tx: SKEW, rx: SKEW }
  const glass = sheet(layer([6.3, -0.1], 0.05))
  expect((await field(cube(2), glass, aspect)).every((x) => x === 0)).toBe(true)
  const dark = (of: Material) =>
    darkEdges(scenes({ ...cube(2), groupMaterials: [of] }).edges.materials!, [C0])
  expect([dark(glass), dark(foil(100))]).toEqual([12, 0])
})

test('a choice of edges keeps their materials', () => {
  const { edges } = scenes(made([cube(1), CONDUCTOR], [moved(cube(1), [3, 0, 0]), paint]))
  const some = someEdges(edges, (x) => x > 0)
  expect([...some.materials!.of]).toEqual(Array(24).fill(1))
})

/** With its corners on the axes, so far from the origin. */
const octahedron = (x: number): Mesh => ({
  positions: Float64Array.of(x, 0, 0, -x, 0, 0, 0, x, 0, 0, -x, 0, 0, 0, x, 0, 0, -x),
  triangles: Uint32Array.of(0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5),
})

test.each([
  ['cube', (inside: number) => cube(1 - 2 * inside), 0.008],
  ['octahedron', (inside: number) => octahedron(0.6 - Math.sqrt(3) * inside), 0.004],
])('a coating of nothing, λ/10 thick, leaves the field of the metal inside: %s', async (_, shape, most) => {
  const thickness = 0.01
  const band = at(3e9)
  const fieldOf = async (mesh: Mesh, phi: number): Promise<number[][]> => {
    const all = await engines(mesh).wholeOf(monostatic(65, phi), band, edgeOptions(), {
      raysPerWavelength: 20,
    })
    return [0, 2, 4].map((c) => Array.from(all.subarray(c, c + 2)))
  }
  const coated = { ...shape(0), groupMaterials: [coating(layer([1, 0], thickness))] }
  const [got, want]: number[][][] = [
    [[], [], []],
    [[], [], []],
  ]
  for (const phi of [0, 7, 20, 33, 45]) {
    ;(await fieldOf(coated, phi)).forEach((f, ch) => got[ch].push(...f))
    ;(await fieldOf(shape(thickness), phi)).forEach((f, ch) => want[ch].push(...f))
  }
  // VV, HH, and VH, which is the edges' alone.
  for (const ch of [0, 1, 2]) expect(complexError(got[ch], want[ch])).toBeLessThan(most)
})

test('edges of a dispersive coating do not depend on other frequencies of the run', async () => {
  const eps = { infinity: 2, low: 30, relaxationHz: 0.5 * C0 }
  const mu = { infinity: 1, low: 1, relaxationHz: C0 }
  const relaxing = coating({ medium: { name: 'relaxing', debye: { eps, mu } }, thickness: 0.02 })
  const mesh = cube(2)
  const d = direction(60, 0)
  const datum = async (band: Band, n: number): Promise<number[]> => {
    const all = await field(mesh, relaxing, { tx: d, rx: d }, {}, band)
    return all.slice(8 * n, 8 * (n + 1))
  }
  const alone = await datum(at(f0), 0)
  expect(Math.hypot(...alone)).toBeGreaterThan(0.1)
  const off = async (band: Band, n: number): Promise<number> => complexError(await datum(band, n), alone)
  expect(await off({ f0, df: 0.15 * f0, n: 2 }, 0)).toBeLessThan(3e-5)
  expect(await off({ f0: 0.88 * f0, df: 0.04 * f0, n: 4 }, 3)).toBeLessThan(3e-5)
  expect(await off({ f0: 0.9 * f0, df: 0.005 * f0, n: 41 }, 20)).toBeLessThan(3e-5)
})

test('coupled wedges of a coating are solved on the same paths whatever the run’s other frequencies', async () => {
  const coated = coating(layer([4, -0.3], 0.02))
  const mesh = cube(2)
  // At 89.88 degrees the coupling of some edges passes its limit within the step.
  for (const theta of [80, 82, 85, 89.88]) {
    const d = direction(theta, 20)
    const at = async (df: number, n: number): Promise<number[]> =>
      (await field(mesh, coated, { tx: d, rx: d }, {}, { f0, df, n })).slice(0, 8)
    const alone = await at(0, 1)
    expect(complexError(await at(0.01 * f0, 2), alone)).toBeLessThan(1e-12)
    expect(complexError(await at(0.1 * f0, 2), alone)).toBeLessThan(1e-12)
  }
})
