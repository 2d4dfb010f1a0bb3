import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createEdgeEngine, SECOND_ORDER, type EdgeOptions } from '../../cpu-diffraction/index.js'
import {
  facetPlaneNumbers,
  ImageLight,
  ImageWaves,
  type LightWave,
} from '../../cpu-diffraction/light/image-light.js'
import { readMesh } from '../../formats/index.js'
import { cube } from '../../samples/models/canonical.js'
import { Surface } from '../../samples/models/surface.js'
import { type Aspect, type Direction, direction, type Vec3, type Mesh } from '../../scene/index.js'
import { OPTIONS, relativeDifference } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'
import { dihedral, engines, scenes } from './meshes.js'

const ALL: EdgeOptions = { diffraction: 'tw-ildc', secondOrder: SECOND_ORDER }
const FIRST: EdgeOptions = { diffraction: 'tw-ildc' }
const DOUBLE: EdgeOptions = { ...FIRST, secondOrder: ['double'] }

/** Sheet in z = 0 of these sides along x and y. */
function plate(width: number, length: number): Mesh {
  const [w, l] = [width / 2, length / 2]
  const surface = new Surface()
  surface.quad([-w, -l, 0], [w, -l, 0], [w, l, 0], [-w, l, 0])
  return surface.mesh()
}

async function field(
  mesh: Mesh,
  aspect: Aspect,
  options: EdgeOptions,
  band = { f0: 6e8, df: 0, n: 1 },
): Promise<Float64Array> {
  const { edges, rays } = scenes(mesh)
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  return (await engine.field({ aspect, band, options })).field
}

/** Amplitudes of rays and edges under each of the options. */
async function withRays(
  mesh: Mesh,
  list: EdgeOptions[],
  aspect: Aspect,
  f0: number,
): Promise<Float64Array[]> {
  const { sbr, edges } = engines(mesh)
  const band = { f0, df: 0, n: 1 }
  const alone = (await sbr.field({ aspect, band, options: OPTIONS })).field
  const out: Float64Array[] = []
  for (const options of list)
    out.push((await edges.field({ aspect, band, options })).field.map((x, i) => x + alone[i]))
  return out
}

describe('images of the transmitter', () => {
  const { edges, rays } = scenes(dihedral())
  const planes = facetPlaneNumbers(rays, edges.faceOf)
  const images = new ImageWaves(edges, rays, planes)
  /** The wave from a direction and its images. */
  const wavesOf = (of: Omit<ReturnType<typeof scenes>, 'area'>, tx: Direction): LightWave[] => {
    const light = new ImageLight(of.edges, of.rays, true, 0.1, of.rays.size)
    light.set(tx, 0.05)
    return light.waves
  }
  // Points on the rims of the sheets y = 0 and x = 0, in the ray scene's coordinates.
  const onRim = (x: number, y: number): Vec3 => [x - rays.origin[0], y - rays.origin[1], 0.3]

  it('are those in the two sheets of a dihedral, none of a convex body', () => {
    expect(wavesOf({ edges, rays }, direction(80, 30)).map((w) => w.planes.length)).toEqual([0, 1, 1])
    expect(wavesOf(scenes(cube(1)), direction(70, 40))).toHaveLength(1)
  })

  it('light the rim that the other sheet reflects to, and not the other way round', () => {
    const reached = (phi: number, p: Vec3): number =>
      wavesOf({ edges, rays }, direction(90, phi)).filter(
        (w) => w.planes.length > 0 && images.reaches(w, ...p, direction(90, phi).r),
      ).length
    // The ray back from the rim at (1, 0) meets the sheet x = 0 at y = tan(phi).
    expect(reached(40, onRim(1, 1e-6))).toBe(1)
    expect(reached(50, onRim(1, 1e-6))).toBe(0)
    expect(reached(40, onRim(1e-6, 1))).toBe(0)
    expect(reached(50, onRim(1e-6, 1))).toBe(1)
  })

  it('have fields that cancel the incident one along the reflecting plane', () => {
    const tx = direction(65, 25)
    const [direct, ...others] = wavesOf({ edges, rays }, tx)
    expect(others).toHaveLength(2)
    for (const image of others) {
      const facet = [...planes].indexOf(image.planes[0])
      const n = rays.normals.subarray(4 * facet, 4 * facet + 3)
      const at = (wave: typeof direct, v: number): number =>
        [0, 1, 2].reduce((s, c) => s + wave.r[c] * rays.vertices[9 * facet + 3 * v + c], wave.path)
      // The same path at every corner, and no field along the plane.
      for (let v = 0; v < 3; v++) expect(at(image, v)).toBeCloseTo(at(direct, v), 12)
      for (const key of ['thetaHat', 'phiHat'] as const) {
        const sum = direct[key].map((x, c) => x + image[key][c])
        const normal = sum.reduce((s, x, c) => s + x * n[c], 0)
        for (let c = 0; c < 3; c++) expect(sum[c] - normal * n[c]).toBeCloseTo(0, 12)
      }
    }
  })
})

describe('second order at edges', () => {
  it('adds nothing by reflections and walls to a convex body', async () => {
    const aspect = aspectOf(70, 35)
    const options: EdgeOptions = { diffraction: 'tw-ildc', secondOrder: ['reflected', 'wall'] }
    expect(await field(cube(1), aspect, options)).toEqual(await field(cube(1), aspect, FIRST))
  })

  it('is the same seen from either side of a symmetric dihedral', async () => {
    const [a, b] = [
      await field(dihedral(), aspectOf(80, 25), ALL),
      await field(dihedral(), aspectOf(80, 65), ALL),
    ]
    expect(relativeDifference(b.slice(0, 4), a.slice(0, 4))).toBeLessThan(0.02)
  })

  it('falls as the square of the grazing angle on a sheet, V, where the method of moments has -46 and -65 dBsm', async () => {
    // 6 x 3.5 wavelengths, mean over azimuth 3 and 1 degree from grazing; with the series cut after two edges -37 and -46.
    const sheet = plate(0.6125, 0.35)
    const levels: number[][] = []
    for (const theta of [87, 89]) {
      const sums = [0, 0]
      for (const phi of [15, 25, 35, 45, 55, 65, 75]) {
        const total = await withRays(sheet, [FIRST, DOUBLE], aspectOf(theta, phi), 2.998e9)
        sums[0] += total[1][0] ** 2 + total[1][1] ** 2
        sums[1] += (0.5 * (total[1][4] + total[1][6])) ** 2 + (0.5 * (total[1][5] + total[1][7])) ** 2
      }
      levels.push(sums.map((sum) => 10 * Math.log10((4 * Math.PI * sum) / 7)))
    }
    const [[vv3, hv3], [vv1, hv1]] = levels
    expect(Math.abs(vv3 + 46)).toBeLessThan(4)
    expect(Math.abs(vv1 + 65)).toBeLessThan(2)
    // Amplitudes as 9 : 1 and, one polarisation less, at least as 3 : 1 less the rounding of edges into segments.
    expect(Math.abs(vv3 - vv1 - 40 * Math.log10(3))).toBeLessThan(4)
    expect(hv3 - hv1).toBeGreaterThan(6)
  })

  it('is the same from above and below a sheet, and nearer to reciprocity than first order, V', async () => {
    const sheet = plate(0.25, 0.4)
    const band = { f0: 2.99792458e9, df: 0, n: 1 }
    const above = await field(sheet, aspectOf(82, 35), DOUBLE, band)
    const below = await field(sheet, aspectOf(98, 35), DOUBLE, band)
    // Mirrored in the sheet theta-hat turns round, its z apart: co-polar terms agree, cross-polar ones change sign.
    expect(
      relativeDifference(
        below.map((v, i) => (i < 4 ? v : -v)),
        above,
      ),
    ).toBeLessThan(1e-9)
    const amplitudes: Record<string, Float64Array[]> = {}
    for (const [a, b] of [
      [12, 58],
      [12, 140],
      [58, 140],
    ])
      for (const [tx, rx] of [
        [a, b],
        [b, a],
      ])
        amplitudes[`${tx} ${rx}`] = await withRays(sheet, [FIRST, DOUBLE], aspectOf(80, tx, 80, rx), band.f0)
    const asymmetry = [0, 1].map((i) => {
      const both = (one: string, other: string): number[][] =>
        [one, other].map((key) => Array.from(amplitudes[key][i].subarray(0, 2)))
      const pairs = [both('12 58', '58 12'), both('12 140', '140 12'), both('58 140', '140 58')]
      return Math.hypot(...pairs.flatMap(([x, y]) => x.map((v, c) => v - y[c])))
    })
    expect(asymmetry[1]).toBeLessThan(0.7 * asymmetry[0])
  })
})

/** Rows of a table by the method of moments: angles of transmitter and receiver, and F in VV, HH and the mean of HV and VH. */
const rowsOf = (file: string, start = ''): number[][] =>
  readFileSync(`test/cpu-diffraction/data/${file}.csv`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(start) && /^\d/.test(line.slice(start.length)))
    .map((line) => line.slice(start.length).split(',').map(Number))
const monostaticRows = (body: string, theta: number): number[][] =>
  rowsOf('second-order', `${body},${theta},`).map(([phi, ...f]) => [theta, phi, theta, phi, ...f])
const bistaticRows = (): number[][] =>
  rowsOf('sheet-bistatic').map((r) => [...r.slice(0, 8), (r[8] + r[10]) / 2, (r[9] + r[11]) / 2])

describe('complex errors against the method of moments, in VV, HH and HV', () => {
  // A little above what is reached: without any one of the mechanisms they are more.
  it.each([
    [
      'a sheet near grazing, 80°',
      async () => plate(0.25, 0.4),
      () => monostaticRows('sheet', 80),
      [0.265, 0.225, 0.36],
    ],
    [
      'a sheet near grazing, 85°',
      async () => plate(0.25, 0.4),
      () => monostaticRows('sheet', 85),
      [0.34, 0.225, 0.337],
    ],
    [
      'a sheet, bistatic, where nothing was fitted',
      async () => plate(0.2, 0.15),
      bistaticRows,
      [0.395, 0.385, 0.572],
    ],
    [
      'an oblique dihedral, 50°',
      () => readMesh('test/validation/mom/dihedral_3lam.stl'),
      () => monostaticRows('dihedral', 50),
      [0.156, 0.271, 0.395],
    ],
    [
      'an oblique dihedral, 70°',
      () => readMesh('test/validation/mom/dihedral_3lam.stl'),
      () => monostaticRows('dihedral', 70),
      [0.277, 0.435, 0.655],
    ],
  ] as const)('%s', async (_, mesh, rows, most) => {
    const [got, want]: number[][][] = [0, 1].map(() => [[], [], []])
    const of = await mesh()
    for (const [theta, phi, rxTheta, rxPhi, ...reference] of rows()) {
      const [f] = await withRays(of, [ALL], aspectOf(theta, phi, rxTheta, rxPhi), 2.99792458e9)
      const mine = [...f.subarray(0, 4), (f[4] + f[6]) / 2, (f[5] + f[7]) / 2]
      for (let c = 0; c < 6; c++) {
        got[c >> 1].push(mine[c])
        want[c >> 1].push(reference[c])
      }
    }
    got.forEach((f, ch) => expect(relativeDifference(f, want[ch])).toBeLessThan(most[ch]))
  })
})
