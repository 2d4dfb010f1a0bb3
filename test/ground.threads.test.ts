import { describe, expect, it } from 'vitest'
import type { RcsOptions, RcsResult } from '../src/index.js'
import { C0 } from '../scene/constants.js'
import type { Mesh } from '../scene/mesh.js'
import { cube, join, moved, scaled } from './scene/shapes.js'

// Threads load compiled modules: `npm test` builds them first.
const { rcs } = (await import(
  new URL('../dist/src/index.js', import.meta.url).href
)) as typeof import('../src/index.js')

/** Channels, and whether H receives. */
const CHANNELS = { vv: 1, hh: -1, vh: -1, hv: 1 } as const
type Amplitudes = Record<keyof typeof CHANNELS, [number, number]>

const FREQUENCY = 2e9
const wavenumber = (2 * Math.PI * FREQUENCY) / C0

async function solve({ positions, triangles }: Mesh, options: Partial<RcsOptions>): Promise<Amplitudes> {
  const result: RcsResult = await rcs(
    { positions, indices: triangles },
    { device: 'cpu', workers: 1, freqHz: FREQUENCY, ...options },
  )
  return Object.fromEntries(
    Object.keys(CHANNELS).map((c) => [c, [result.f[c][0], result.f[c][1]]]),
  ) as Amplitudes
}

/** The mesh and its mirror image at z = h, as separate facets. */
function mirrored(mesh: Mesh, h: number): Mesh {
  const image = {
    positions: mesh.positions.map((x, i) => (i % 3 === 2 ? 2 * h - x : x)),
    triangles: mesh.triangles.slice(),
  }
  for (let t = 0; t < image.triangles.length; t += 3)
    image.triangles.subarray(t, t + 2).reverse()
  return join(mesh, image)
}

const withoutFacets = (mesh: Mesh, which: (z: number[]) => boolean): Mesh => ({
  ...mesh,
  triangles: mesh.triangles.filter((_, i) => {
    const t = 3 * Math.floor(i / 3)
    return !which([0, 1, 2].map((c) => mesh.positions[3 * mesh.triangles[t + c] + 2]))
  }),
})

/** F(own) + F(image) with the signs and the phase of image theory over a conductor at z = h. */
const together = (own: Amplitudes, image: Amplitudes, angle: number): Amplitudes =>
  Object.fromEntries(
    Object.entries(CHANNELS).map(([name, sign]) => {
      const c = name as keyof typeof CHANNELS
      const [re, im] = image[c]
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      return [c, [own[c][0] + sign * (re * cos - im * sin), own[c][1] + sign * (re * sin + im * cos)]]
    }),
  ) as Amplitudes

function difference(a: Amplitudes, b: Amplitudes): number {
  const names = Object.keys(CHANNELS) as (keyof typeof CHANNELS)[]
  const largest = Math.max(...names.map((c) => Math.hypot(...a[c])))
  return Math.max(...names.map((c) => Math.hypot(a[c][0] - b[c][0], a[c][1] - b[c][1]))) / largest
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
  for (const [what, diffraction, tolerance] of [
    ['rays', 'none', 1e-9],
    ['rays and edges', 'tw-ildc', 1e-9],
  ] as const)
    it(`is the target's mirror image, seen by the receiver's: ${what}`, async () => {
      const over = await solve(vehicle, { ground: 'pec', groundHeight: H, diffraction, ...direction })
      const bistatic = (rxThetaDeg: number): Promise<Amplitudes> =>
        solve(doubled, { diffraction, ...direction, rxThetaDeg, rxPhiDeg: direction.phiDeg })
      const expected = together(await bistatic(62), await bistatic(118), angle)
      // Of a monostatic run HV and VH are their mean.
      const mean = [0, 1].map((i) => 0.5 * (expected.vh[i] + expected.hv[i])) as [number, number]
      const d = difference({ ...expected, vh: mean, hv: mean }, over)
      console.log(what, d, over)
      expect(d).toBeLessThan(tolerance)
    })
})
