import { describe, expect, it } from 'vitest'
import type { RcsOptions, RcsResult } from '../../src/index.js'
import { C0, type Mesh } from '../../scene/index.js'
import { cube, join, moved, scaled } from '../scene/shapes.js'
import { library } from '../library/library.js'

const CHANNELS = ['vv', 'hh', 'vh', 'hv'] as const
type Amplitudes = Record<(typeof CHANNELS)[number], [number, number]>

const FREQUENCY = 2e9
const wavenumber = (2 * Math.PI * FREQUENCY) / C0

async function solve({ positions, triangles }: Mesh, options: Partial<RcsOptions>): Promise<Amplitudes> {
  const result: RcsResult = await library.rcs(
    { positions, indices: triangles },
    { device: 'cpu', workers: 1, freqHz: FREQUENCY, ...options },
  )
  return Object.fromEntries(CHANNELS.map((c) => [c, [result.f[c][0], result.f[c][1]]])) as Amplitudes
}

/** The mesh and its mirror image at z = h, as separate facets. */
function mirrored(mesh: Mesh, h: number): Mesh {
  const image = {
    positions: mesh.positions.map((x, i) => (i % 3 === 2 ? 2 * h - x : x)),
    triangles: mesh.triangles.slice(),
  }
  for (let t = 0; t < image.triangles.length; t += 3) image.triangles.subarray(t, t + 2).reverse()
  return join(mesh, image)
}

const withoutFacets = (mesh: Mesh, which: (z: number[]) => boolean): Mesh => ({
  ...mesh,
  triangles: mesh.triangles.filter((_, i) => {
    const t = 3 * Math.floor(i / 3)
    return !which([0, 1, 2].map((c) => mesh.positions[3 * mesh.triangles[t + c] + 2]))
  }),
})

/** F(own) + F(image) with the signs and the phase of image theory over a conductor, for the image of the receiver or of the transmitter. */
const together = (own: Amplitudes, image: Amplitudes, angle: number, of: 'rx' | 'tx'): Amplitudes =>
  Object.fromEntries(
    CHANNELS.map((c) => {
      // H changes its sign, V does not.
      const sign = (of === 'rx' ? c[1] : c[0]) === 'h' ? -1 : 1
      const [re, im] = image[c]
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      return [c, [own[c][0] + sign * (re * cos - im * sin), own[c][1] + sign * (re * sin + im * cos)]]
    }),
  ) as Amplitudes

/** HV and VH of a monostatic run are their mean. */
function symmetric(of: Amplitudes): Amplitudes {
  const mean = [0, 1].map((i) => 0.5 * (of.vh[i] + of.hv[i])) as [number, number]
  return { ...of, vh: mean, hv: mean }
}

function difference(a: Amplitudes, b: Amplitudes): number {
  const largest = Math.max(...CHANNELS.map((c) => Math.hypot(...a[c])))
  return Math.max(...CHANNELS.map((c) => Math.hypot(a[c][0] - b[c][0], a[c][1] - b[c][1]))) / largest
}

const RAYS: Partial<RcsOptions> = { diffraction: 'none' }

/** p a + q b. */
function combined(a: Amplitudes, b: Amplitudes, p: number, q: number): Amplitudes {
  return Object.fromEntries(
    CHANNELS.map((c) => [c, a[c].map((x, i) => p * x + q * b[c][i])]),
  ) as unknown as Amplitudes
}

/** A box that stands on the plane z = 0.1, 0.3 m wide and high, and a smaller one on its roof; and one that floats. */
const vehicle = join(
  moved(scaled(cube(), 0.3), [0, 0, 0.1]),
  moved(scaled(cube(), 0.15), [0.05, 0.1, 0.45]),
  moved(scaled(cube(), 0.1), [0.5, -0.2, 0.25]),
)
const H = 0.1

describe('a perfectly conducting ground', () => {
  const direction = { thetaDeg: 62, phiDeg: 24 }
  const angle = 2 * wavenumber * H * Math.cos((62 * Math.PI) / 180)
  const doubled = mirrored(
    withoutFacets(vehicle, (z) => z.every((x) => Math.abs(x - H) < 1e-9)),
    H,
  )
  for (const [what, diffraction] of [
    ['rays', 'none'],
    ['rays and edges', 'tw-ildc'],
  ] as const) {
    const bistatic = (
      thetaDeg: number,
      rxThetaDeg: number,
      finer: Partial<RcsOptions> = {},
    ): Promise<Amplitudes> =>
      solve(doubled, { diffraction, ...finer, thetaDeg, phiDeg: 24, rxThetaDeg, rxPhiDeg: 24 })

    // Bistatic fields with edges are the mean both ways, over a ground of one way: rays, and fans of second order, are sampled from both sides.
    for (const [order, secondOrder, most] of [
      ['first order', [], 1e-6],
      ['second order', undefined, 2e-4],
    ] as const)
      it(`is the mirror image of the target and of the receiver: ${what}, ${order}`, async () => {
        const options = { diffraction, secondOrder }
        const over = await solve(vehicle, { ground: 'pec', groundHeight: H, ...options, ...direction })
        const [there, back] = [await bistatic(62, 118, RAYS), await bistatic(118, 62, RAYS)]
        const both = await bistatic(62, 118, options)
        const exchanged = { ...back, vh: back.hv, hv: back.vh }
        const oneWay =
          diffraction === 'none' ? both : combined(both, combined(there, exchanged, 0.5, -0.5), 1, 1)
        const sum = together(await bistatic(62, 62, options), oneWay, angle, 'rx')
        expect(difference(over, symmetric(sum))).toBeLessThan(most)
      })

    it(`is the mirror image of the target and of the transmitter: ${what}`, async () => {
      // Other rays sample the wave from below; of second order, also at edges.
      const finer = { raysPerWavelength: 30, secondOrder: [] }
      const over = await solve(vehicle, {
        ground: 'pec',
        groundHeight: H,
        diffraction,
        ...finer,
        ...direction,
      })
      const sum = together(await bistatic(62, 62, finer), await bistatic(118, 62, finer), angle, 'tx')
      expect(difference(over, symmetric(sum))).toBeLessThan(0.01)
    })

    it(`is the limit of a good conductor: ${what}`, async () => {
      const materials = { media: { silver: { eps_real: 1, conductivity_s_per_m: 1e12 } }, materials: {} }
      // Second order is of perfect conductors alone.
      const first = { groundHeight: H, diffraction, secondOrder: [] }
      const run = (ground: string): Promise<Amplitudes> =>
        solve(vehicle, { ground, materials, ...first, ...direction })
      expect(difference(await run('pec'), await run('silver'))).toBeLessThan(1e-4)
    })
  }
})

it('a ground does not see where the origin is: phases are those of the mesh’s own', async () => {
  const raised = moved(vehicle, [0, 0, 0.37])
  const run = (mesh: Mesh, groundHeight: number): Promise<Amplitudes> =>
    solve(mesh, { ground: 'wet-ground', groundHeight, thetaDeg: 62, phiDeg: 24 })
  const [at, above] = [await run(vehicle, H), await run(raised, H + 0.37)]
  // F exp(+2jk cos(theta) 0.37) of what is nearer to the radar.
  const angle = 2 * wavenumber * 0.37 * Math.cos((62 * Math.PI) / 180)
  const shifted = Object.fromEntries(
    Object.entries(at).map(([c, [re, im]]) => [
      c,
      [re * Math.cos(angle) - im * Math.sin(angle), re * Math.sin(angle) + im * Math.cos(angle)],
    ]),
  ) as Amplitudes
  expect(difference(above, shifted)).toBeLessThan(1e-6)
})
