import { expect, test } from 'vitest'
import { direction, type Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { impedanceCylinder, resistiveStrip } from '../oracle/material-mom.js'
import { complexError, Prism, strip } from '../../reproduction/prism.js'
import { coating, impedance, layer, made, sheet } from '../helpers/materials.js'
import { coatedCylinder, regularPolygon } from '../oracle/layered-mom.js'
import type { Complex } from '../oracle/complex.js'

/*
 * Edges against methods of moments of two dimensions (test/oracle), in what no other reference has: oblique incidence,
 * lines where sheets go on as others, wedges of surface impedances and of layers.
 */

const resistive = (z: number): Material => sheet({ impedance: [376.730313668 * z, 0] })

/** Errors of a strip of a width [m] without and with its edges, over the field of the largest channel: VV, HH, VH, HV. */
async function stripErrors(
  prism: Prism,
  theta: number,
  resistance: (x: number) => number,
  width: number,
  across: number,
  cells = 60 * width,
): Promise<[optics: number[], edges: number[]]> {
  const tx = direction(theta, 60)
  const k = tx.r.map((x) => -x)
  // Receivers on Keller's cone.
  const receivers = Array.from({ length: 15 }, (_, i) => direction(180 - theta, 12 + 11 * i))
  const waves = [tx.thetaHat, tx.phiHat].map((e) => ({ k, e: [...e] }))
  const currents = resistiveStrip(
    width,
    cells,
    resistance,
    waves,
    receivers.map(({ r }) => r[0]),
  )
  const lists: number[][][] = [[], [], []]
  for (let i = 0; i < receivers.length; i++) {
    const rx = receivers[i]
    const optics = await prism.optics({ tx, rx })
    const edges = prism.diffraction({ tx, rx }, across / Math.sin((theta * Math.PI) / 180))
    const want: number[] = []
    for (let ch = 0; ch < 4; ch++) {
      const e = ch === 1 || ch === 2 ? rx.phiHat : rx.thetaHat
      const { x, z } = currents[ch % 2][i]
      // F = -(jk/4 pi) eta J.e
      want.push((x[1] * e[0] + z[1] * e[2]) / 2, -(x[0] * e[0] + z[0] * e[2]) / 2)
    }
    lists[0].push(want)
    lists[1].push([...optics])
    lists[2].push([...optics].map((v, c) => v + edges[c]))
  }
  const [want, ...got] = lists.map((list) =>
    [0, 1, 2, 3].map((ch) => list.flatMap((f) => f.slice(2 * ch, 2 * ch + 2))),
  )
  const peak = Math.max(...want.map((f) => Math.hypot(...f)))
  const [optics, edges] = got.map((list) =>
    list.map((f, ch) => Math.hypot(...f.map((x, i) => x - want[ch][i])) / peak),
  )
  return [optics, edges]
}

test.each([
  // Edge to edge diffraction is what is left of good conductors.
  { z: 0.05, most: 0.025 },
  { z: 0.25, most: 0.004 },
  { z: 1, most: 0.003 },
])(
  'resistive strip of $z Z0 at any skew: errors of physical optics, up to .2, fall below $most',
  async ({ z, most }) => {
    for (const theta of [90, 70, 50, 35]) {
      const prism = new Prism(strip(0, resistive(z), -1.5, 1.5))
      const [optics, edges] = await stripErrors(prism, theta, () => z, 3, 3)
      expect(Math.max(...optics)).toBeGreaterThan(2.5 * most)
      expect(Math.max(...edges)).toBeLessThan(most)
    }
  },
)

test.each([
  { z: 0.5, width: 0.05 },
  { z: 0.5, width: 0.1 },
  { z: 1, width: 0.05 },
  { z: 1, width: 0.1 },
])(
  'resistive strip of $z Z0, $width wavelengths wide, 20 degrees from its length: edges halve the error',
  async ({ z, width }) => {
    const prism = new Prism(strip(0, resistive(z), -width / 2, width / 2))
    const [optics, edges] = await stripErrors(prism, 20, () => z, width, width, 60)
    expect(Math.hypot(...edges)).toBeLessThan(0.55 * Math.hypot(...optics))
  },
)

test('a resistive sheet that goes on as another one', async () => {
  const of = async (width: number, theta: number): Promise<[number, number]> => {
    const half = width / 2
    const prism = new Prism(
      made(
        [strip(0, resistive(0.1), -half, 0), resistive(0.1)],
        [strip(0, resistive(0.8), 0, half), resistive(0.8)],
      ),
    )
    const [optics, edges] = await stripErrors(prism, theta, (x) => (x < 0 ? 0.1 : 0.8), width, half)
    return [Math.max(...optics), Math.max(...edges)]
  }
  const [narrow, wide] = [await of(3, 90), await of(8, 90)]
  expect(narrow[1]).toBeLessThan(0.25 * narrow[0])
  expect(wide[1]).toBeLessThan(0.12 * wide[0])
  const oblique = await of(3, 70)
  expect(oblique[1]).toBeLessThan(0.5 * oblique[0])
})

/** A cylinder 1 m long about z with this outline, counterclockwise, of materials by side. */
function cylinder(corners: [number, number][], sides: Material[]): Mesh {
  const n = corners.length
  const level = (z: number): number[] => corners.flatMap(([x, y]) => [x, y, z])
  const triangles: number[] = []
  for (let i = 0; i < n; i++) {
    const j = (i + 1) % n
    triangles.push(i, j, n + j, i, n + j, n + i)
  }
  for (let i = 1; i < n - 1; i++) triangles.push(0, i + 1, i, n, n + i, n + i + 1)
  return {
    positions: Float64Array.from([...level(-0.5), ...level(0.5)]),
    triangles: Uint32Array.from(triangles),
    facetGroup: Uint32Array.from({ length: triangles.length / 3 }, (_, t) => (t < 2 * n ? t >> 1 : 0)),
    groupMaterials: sides,
  }
}

const square: [number, number][] = [
  [-1.5, -1.5],
  [1.5, -1.5],
  [1.5, 1.5],
  [-1.5, 1.5],
]
const triangle: [number, number][] = [
  [-2, -1.2],
  [2, -1.2],
  [0, 2.2],
]

/** Complex errors of physical optics, and with edges, for E and H along a cylinder whose sides have these impedances. */
async function cylinderErrors(corners: [number, number][], sides: Complex[]): Promise<number[][]> {
  const prism = new Prism(
    cylinder(
      corners,
      sides.map(([re, im]) => impedance(re, im)),
    ),
  )
  const phis = Array.from({ length: 24 }, (_, i) => 1.3 + 15 * i)
  const radians = phis.map((phi) => (phi * Math.PI) / 180)
  const out: number[][] = []
  for (const at of [0, 2]) {
    const s = sides.map(([re, im]): Complex => {
      const size = re * re + im * im
      return at === 0 ? [re / size, -im / size] : [re, im]
    })
    const want = impedanceCylinder(corners, s, 20, radians).flat()
    const optics: number[] = []
    const edges: number[] = []
    for (const phi of phis) {
      const aspect = { tx: direction(90, phi), rx: direction(90, phi) }
      const f = await prism.optics(aspect)
      const d = prism.diffraction(aspect)
      // F = (j / pi) P; H along z of the wave that comes back is turned about against E.
      const sign = at === 0 ? Math.PI : -Math.PI
      optics.push(sign * f[at + 1], -sign * f[at])
      edges.push(sign * (f[at + 1] + d[at + 1]), -sign * (f[at] + d[at]))
    }
    out.push([complexError(optics, want), complexError(edges, want)])
  }
  return out
}

test.each([
  { outline: 'square', corners: square, z: [0.1, 0] as Complex },
  { outline: 'square', corners: square, z: [0.3, 0.2] as Complex },
  { outline: 'square', corners: square, z: [0.3, -0.3] as Complex },
  { outline: 'triangle', corners: triangle, z: [0.02, 0] as Complex },
  { outline: 'triangle', corners: triangle, z: [0.3, 0.2] as Complex },
])('$outline cylinder of impedance $z: wedges', async ({ corners, z }) => {
  const [E, H] = await cylinderErrors(
    corners,
    corners.map(() => z),
  )
  for (const [[optics, edges], most] of [
    [E, 0.01],
    [H, 0.03],
  ] as const) {
    expect(optics).toBeGreaterThan(0.05)
    expect(edges).toBeLessThan(most)
  }
})

test('wedges whose faces differ, and a coating that ends on another one in the middle of a side', async () => {
  const middle: [number, number][] = [square[0], square[1], [1.5, 0], square[2], square[3]]
  const errors = await cylinderErrors(middle, [
    [0.02, 0],
    [0.3, 0.2],
    [0.02, 0],
    [0.3, -0.3],
    [0.6, 0],
  ])
  for (const [optics, edges] of errors) {
    expect(optics).toBeGreaterThan(0.1)
    expect(edges).toBeLessThan(0.025)
  }
})

/** Limits of complex errors with edges of E and of H along a coated cylinder, in backscatter and bistatic; null: as physical optics alone. */
interface Layers {
  name: string
  eps: Complex
  mu: Complex
  thickness: number
  square: (number | null)[]
  triangle: (number | null)[]
}

const LAYERS: Layers[] = [
  {
    name: 'of low loss',
    eps: [4, -0.08],
    mu: [1, 0],
    thickness: 0.06,
    square: [0.025, 0.018, 0.15, 0.11],
    triangle: [0.05, 0.045, 0.1, 0.17],
  },
  {
    name: 'thin',
    eps: [4, -0.08],
    mu: [1, 0],
    thickness: 0.015,
    square: [0.006, 0.006, 0.05, 0.045],
    triangle: [0.005, 0.006, 0.035, 0.06],
  },
  {
    name: 'magnetic, thick',
    eps: [12, -0.6],
    mu: [2.2, -1.6],
    thickness: 0.05,
    square: [null, null, 0.11, 0.035],
    triangle: [null, null, 0.14, 0.06],
  },
  {
    name: 'magnetic, thin',
    eps: [12, -0.6],
    mu: [2.2, -1.6],
    thickness: 0.02,
    square: [0.018, 0.01, 0.03, 0.02],
    triangle: [0.025, 0.02, 0.025, 0.03],
  },
]

test.each(
  LAYERS.flatMap(({ square, triangle, ...of }) => [
    { ...of, shape: 'square', sides: 4, distance: 1.55, most: square },
    { ...of, shape: 'triangle', sides: 3, distance: 1.1, most: triangle },
  ]),
)('$shape of metal with a layer $name', async ({ eps, mu, thickness, sides, distance, most }) => {
  const back = Array.from({ length: 24 }, (_, i) => 1.3 + 15 * i)
  const around = Array.from({ length: 36 }, (_, i) => 0.7 + 10 * i)
  const from = [...back, 25.3]
  const to = from.map((phi, i) => (i < back.length ? [phi] : around))
  const radians = (phis: number[]): number[] => phis.map((phi) => (phi * Math.PI) / 180)
  const want = coatedCylinder(
    { sides, inner: distance - thickness, thickness, eps, mu },
    25,
    radians(from),
    to.map(radians),
  )
  const corners = regularPolygon(sides, distance)
  const prism = new Prism(
    cylinder(
      corners,
      corners.map(() => coating(layer(eps, thickness, mu))),
    ),
  )
  const fields = { optics: [[], [], [], []], edges: [[], [], [], []] } as Record<string, number[][]>
  for (let i = 0; i < from.length; i++)
    for (const phi of to[i]) {
      const aspect = { tx: direction(90, from[i]), rx: direction(90, phi) }
      const f = await prism.optics(aspect)
      const d = prism.diffraction(aspect)
      for (const [pol, at, sign] of [
        [0, 0, Math.PI],
        [1, 2, -Math.PI],
      ]) {
        const of = 2 * pol + (i < back.length ? 0 : 1)
        fields.optics[of].push(sign * f[at + 1], -sign * f[at])
        fields.edges[of].push(sign * (f[at + 1] + d[at + 1]), -sign * (f[at] + d[at]))
      }
    }
  const { E, H } = want
  const parts = [E, H].flatMap((P) => [P.slice(0, back.length), P.slice(back.length)])
  parts.forEach((P, of) => {
    const [optics, edges] = [fields.optics[of], fields.edges[of]].map((list) => complexError(list, P.flat(2)))
    // Where edges have faded but for rounding.
    expect(edges).toBeLessThan(1.001 * optics)
    const limit = most[of]
    if (limit !== null) expect(edges).toBeLessThan(limit)
  })
})
