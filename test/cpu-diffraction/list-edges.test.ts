import { describe, expect, it } from 'vitest'
import { createEdgeEngine, listEdges } from '../../cpu-diffraction/index.js'
import { readMesh } from '../../formats/index.js'
import { direction, wavenumber } from '../../scene/index.js'
import { scenes } from './meshes.js'

describe('the list of what edges contribute', async () => {
  const { edges, rays } = scenes(await readMesh('samples/ship-1m.stl'))
  const engine = createEdgeEngine(edges, rays, { workers: 0 })

  it.each(['tw-ildc', 'tw-ildc-j', 'eec'] as const)('adds up to the field of the engine (%s)', async (diffraction) => {
    const freqHz = 4e9
    const k = wavenumber(freqHz)
    for (const [theta, phi] of [[75, 35], [60, -110]]) {
      const tx = direction(theta, phi)
      const aspect = { tx, rx: tx }
      const band = { f0: freqHz, df: 0, n: 1 }
      const { field } = await engine.field({ aspect, band, options: { diffraction, exact: true } })
      const { edge, place, amplitude } = listEdges(edges, rays, aspect, freqHz, diffraction, 1e6)
      const sum = new Float64Array(8)
      for (let i = 0; i < edge.length; i++) {
        expect(edge[i]).toBeLessThan(edges.count)
        const [cos, sin] = [Math.cos(2 * k * place[2 * i]), -Math.sin(2 * k * place[2 * i])]
        for (let c = 0; c < 8; c += 2) {
          const [re, im] = [amplitude[8 * i + c], amplitude[8 * i + c + 1]]
          // The factor j of the list is put back.
          sum[c] -= re * sin + im * cos
          sum[c + 1] += re * cos - im * sin
        }
      }
      const largest = Math.max(...field.map(Math.abs))
      // A segment passes by corners of its faces that are closer than a quarter of it.
      sum.forEach((x, i) => expect(Math.abs(x / Math.sqrt(4 * Math.PI) - field[i])).toBeLessThan(2e-2 * largest))
    }
  }) // prettier-ignore

  it('has each contribution on its edge or a strip away from it, as the radar sees them', () => {
    const tx = direction(75, 35)
    const { edge, place } = listEdges(edges, rays, { tx, rx: tx }, 4e9, 'eec', 1e6)
    const { edges: records, origin } = edges
    expect(edge.length).toBeGreaterThan(50)
    for (let i = 0; i < edge.length; i++) {
      const at = 8 * edge[i]
      const ends = [0, records[at + 6]].map((t) => {
        const p = [0, 1, 2].map((c) => records[at + c] + t * records[at + 3 + c] + origin[c])
        const dot = (v: readonly number[]): number => p.reduce((s, x, c) => s + x * v[c], 0)
        return [-dot(tx.r), dot(tx.phiHat)]
      })
      for (let c = 0; c < 2; c++) {
        const [low, high] = [Math.min(ends[0][c], ends[1][c]), Math.max(ends[0][c], ends[1][c])]
        expect(place[2 * i + c]).toBeGreaterThan(low - 1e-9)
        expect(place[2 * i + c]).toBeLessThan(high + 1e-9)
      }
    }
  })

  it('has longer segments where there would be too many', () => {
    const tx = direction(75, 35)
    const all = listEdges(edges, rays, { tx, rx: tx }, 4e9, 'tw-ildc', 1e6).edge.length
    expect(listEdges(edges, rays, { tx, rx: tx }, 4e9, 'tw-ildc', 100).edge.length).toBeLessThan(0.6 * all)
  })

  it('is refused for two stations', () => {
    const [tx, rx] = [direction(75, 35), direction(75, 36)]
    expect(() => listEdges(edges, rays, { tx, rx }, 4e9, 'tw-ildc', 1e6)).toThrow(RangeError)
  })
})
