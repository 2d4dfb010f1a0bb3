import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cross, dot, type Aspect, direction, type Vec3, type Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { complexError, Prism, strip } from '../../reproduction/prism.js'
import { coating, CONDUCTOR, impedance, layer, made, sheet } from '../helpers/materials.js'
import { random } from '../helpers/random.js'
import { type Complex, phasor, product } from '../oracle/complex.js'
import { add, times, unit } from '../oracle/vectors.js'
import { rows } from '../scene/shapes.js'

/*
 * Edges against methods of moments of two dimensions (data/mom-2d.csv), in what no other reference has: oblique incidence,
 * lines where sheets go on as others, wedges of surface impedances and of layers.
 */

const SOLVED = new Map(
  readFileSync('test/cpu-diffraction/data/mom-2d.csv', 'utf8')
    .split('\n')
    .map((line) => line.split(','))
    .map(([name, ...numbers]) => [name, numbers.map(Number)]),
)
const named = (impedances: Complex[]): string => impedances.map(([re, im]) => `${re}+j${im}`).join(' ')

const resistive = (z: number): Material => sheet({ impedance: [376.730313668 * z, 0] })

/** Errors of a strip of a width [m] without and with its edges, over the field of the largest channel: VV, HH, VH, HV. */
async function stripErrors(
  prism: Prism,
  theta: number,
  resistances: string,
  width: number,
  across: number,
): Promise<[optics: number[], edges: number[]]> {
  const tx = direction(theta, 60)
  // Receivers on Keller's cone.
  const receivers = Array.from({ length: 15 }, (_, i) => direction(180 - theta, 12 + 11 * i))
  const currents = SOLVED.get(`strip ${resistances} ${width} ${theta}`)!
  const lists: number[][][] = [[], [], []]
  for (let i = 0; i < receivers.length; i++) {
    const rx = receivers[i]
    const optics = await prism.optics({ tx, rx })
    const edges = prism.diffraction({ tx, rx }, across / Math.sin((theta * Math.PI) / 180))
    const want: number[] = []
    for (let ch = 0; ch < 4; ch++) {
      const e = ch === 1 || ch === 2 ? rx.phiHat : rx.thetaHat
      const [x, xIm, z, zIm] = currents.slice(4 * (15 * (ch % 2) + i))
      // F = -(jk/4 pi) eta J.e
      want.push((xIm * e[0] + zIm * e[2]) / 2, -(x * e[0] + z * e[2]) / 2)
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
      const [optics, edges] = await stripErrors(prism, theta, `${z} ${z}`, 3, 3)
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
    const [optics, edges] = await stripErrors(prism, 20, `${z} ${z}`, width, width)
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
    const [optics, edges] = await stripErrors(prism, theta, '0.1 0.8', width, half)
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

const square: [number, number][] = rows('-1.5 -1.5, 1.5 -1.5, 1.5 1.5, -1.5 1.5')
const triangle: [number, number][] = rows('-2 -1.2, 2 -1.2, 0 2.2')

/** Complex errors of physical optics, and with edges, for E and H along a cylinder whose sides have these impedances. */
async function cylinderErrors(corners: [number, number][], sides: Complex[]): Promise<number[][]> {
  const prism = new Prism(
    cylinder(
      corners,
      sides.map(([re, im]) => impedance(re, im)),
    ),
  )
  const phis = Array.from({ length: 24 }, (_, i) => 1.3 + 15 * i)
  const out: number[][] = []
  for (const at of [0, 2]) {
    const want = SOLVED.get(`cylinder ${corners.length} ${named(sides)} ${at === 0 ? 'E' : 'H'}`)!
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
  const errors = await cylinderErrors(middle, rows('0.02 0, 0.3 0.2, 0.02 0, 0.3 -0.3, 0.6 0'))
  for (const [optics, edges] of errors) {
    expect(optics).toBeGreaterThan(0.1)
    expect(edges).toBeLessThan(0.025)
  }
})

/** Layers, and limits of complex errors with edges of E and of H along a coated cylinder, in backscatter and bistatic; null: as physical optics alone. */
type Limits = (number | null)[]
const LAYERS: [
  name: string,
  eps: Complex,
  mu: Complex,
  thickness: number,
  square: Limits,
  triangle: Limits,
][] = [
  ['of low loss', [4, -0.08], [1, 0], 0.06, [0.025, 0.018, 0.15, 0.11], [0.05, 0.045, 0.1, 0.17]],
  ['thin', [4, -0.08], [1, 0], 0.015, [0.006, 0.006, 0.05, 0.045], [0.005, 0.006, 0.035, 0.06]],
  ['magnetic, thick', [12, -0.6], [2.2, -1.6], 0.05, [null, null, 0.11, 0.035], [null, null, 0.14, 0.06]],
  ['magnetic, thin', [12, -0.6], [2.2, -1.6], 0.02, [0.018, 0.01, 0.03, 0.02], [0.025, 0.02, 0.025, 0.03]],
]

test.each(
  LAYERS.flatMap(([name, eps, mu, thickness, square, triangle]) => {
    const of = { name, eps, mu, thickness }
    return [
      { ...of, shape: 'square', sides: 4, distance: 1.55, most: square },
      { ...of, shape: 'triangle', sides: 3, distance: 1.1, most: triangle },
    ]
  }),
)('$shape of metal with a layer $name', async ({ eps, mu, thickness, sides, distance, most }) => {
  const back = Array.from({ length: 24 }, (_, i) => 1.3 + 15 * i)
  const around = Array.from({ length: 36 }, (_, i) => 0.7 + 10 * i)
  const from = [...back, 25.3]
  const to = from.map((phi, i) => (i < back.length ? [phi] : around))
  const want = SOLVED.get(`coated ${sides} ${eps.join('+j')} ${thickness}`)!
  const radius = distance / Math.cos(Math.PI / sides)
  const corners = Array.from({ length: sides }, (_, i): [number, number] => {
    const a = ((2 * i - 1) * Math.PI) / sides
    return [radius * Math.cos(a), radius * Math.sin(a)]
  })
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
  // Of E in backscatter and around, of H likewise.
  const parts = [0, 1].flatMap((pol) => {
    const P = want.slice(120 * pol)
    return [P.slice(0, 48), P.slice(48, 120)]
  })
  parts.forEach((P, of) => {
    const [optics, edges] = [fields.optics[of], fields.edges[of]].map((list) => complexError(list, P))
    // Where edges have faded but for rounding.
    expect(edges).toBeLessThan(1.001 * optics)
    const limit = most[of]
    if (limit !== null) expect(edges).toBeLessThan(limit)
  })
})

/*
 * Wedges of surface impedances under oblique incidence: squares, to directions on Keller's cone all round.
 */

const WIDTH = 3
const K = 2 * Math.PI
const HALF = WIDTH / 2
/** Outward normal of each side. */
const NORMALS: Vec3[] = rows('0 -1 0, 1 0 0, 0 1 0, -1 0 0')

const over = (a: Complex, b: Complex): Complex => {
  const size = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size]
}

/** The square, of these impedances by side; 0 conducts. */
const squareOf = (sides: Complex[]): Mesh =>
  cylinder(
    square,
    sides.map(([re, im]) => (re === 0 && im === 0 ? CONDUCTOR : impedance(re, im))),
  )

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
function obliqueErrors(sides: Complex[], theta: number): [optics: number, edges: number] {
  const along = -Math.cos((theta * Math.PI) / 180)
  const sine = Math.sqrt(1 - along * along)
  const [from, to] = [[20, 70], Array.from({ length: 24 }, (_, i) => 3 + 15 * i)]
  const solved = SOLVED.get(`oblique ${named(sides)} ${theta}`)!
  const prism = new Prism(squareOf(sides))
  const sums = [0, 0, 0]
  from.forEach((phi, f) =>
    to.forEach((phiOut, i) => {
      const aspect = { tx: direction(theta, phi), rx: direction(180 - theta, phiOut) }
      const { tx, rx } = aspect
      const [EE, HE, EH, HH] = [0, 2, 4, 6].map((c) => solved.slice(8 * (24 * f + i) + c))
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
    sides: rows<Complex>('0 0, 0.3 0.2, 0 0, 0.6 0'),
    most: 0.06,
  },
])('square of $name under oblique incidence', ({ sides, most }) => {
  for (const theta of [70, 50, 35, 20]) {
    const [rays, edges] = obliqueErrors(sides, theta)
    expect(edges, `theta ${theta}`).toBeLessThan(most)
    expect(rays).toBeGreaterThan(1.3 * edges)
  }
})

test('low losses: guided waves that pass corners are left, and still less than physical optics leaves', () => {
  for (const theta of [70, 35]) {
    const [rays, edges] = obliqueErrors(alike([0.02, 0.5]), theta)
    expect(edges).toBeLessThan(0.6 * rays)
  }
})

test('transmitter and receiver exchanged, fields change by no more than those of a conductor', () => {
  const next = random(9)
  const pairs = Array.from({ length: 20 }, () => [35 + 110 * next(), 360 * next(), 360 * next()])
  const differenceOf = (sides: Complex[]): number => {
    const prism = new Prism(squareOf(sides))
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
  for (const z of rows<Complex>('0.1 0, 0.3 0, 0.3 0.3'))
    expect(differenceOf(alike(z))).toBeLessThan(conductor)
})
