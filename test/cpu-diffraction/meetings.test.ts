import { describe, expect, it } from 'vitest'
import { createEdgeEngine } from '../../cpu-diffraction/index.js'
import { findMeetings } from '../../cpu-diffraction/mechanisms/meeting-edges.js'
import { cube } from '../../samples/models/canonical.js'
import { direction } from '../../scene/index.js'
import { dihedral, scenes } from './meshes.js'

/** What second order adds to the amplitudes of the dihedral at 0.9 GHz. */
async function reflected(theta: number, phi: number): Promise<Float64Array> {
  const { edges, rays } = scenes(dihedral())
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  const aspect = { tx: direction(theta, phi), rx: direction(theta, phi) }
  const band = { f0: 9e8, df: 0, n: 1 }
  const all = await engine.field({
    aspect,
    band,
    options: { diffraction: 'tw-ildc', secondOrder: ['reflected'] },
  })
  const first = await engine.field({ aspect, band, options: { diffraction: 'tw-ildc' } })
  return all.field.map((x, i) => x - first.field[i])
}

describe('edges that meet', () => {
  it('are the rims of both sheets where the seam of a dihedral ends', () => {
    const { edges } = scenes(dihedral())
    const meetings = findMeetings(edges, 0.5).flatMap((list, e) => list.map((m) => ({ e, ...m })))
    expect(meetings).toHaveLength(4)
    for (const { azimuth, sin, along, onward } of meetings) {
      // Across the other sheet, from either side of it.
      expect(Math.abs(Math.sin(azimuth))).toBeCloseTo(1, 10)
      expect(sin).toBeCloseTo(1, 12)
      for (const v of [along, onward]) expect(Math.hypot(...v)).toBeCloseTo(1, 12)
    }
    expect(findMeetings(edges, 1.1).flat()).toHaveLength(0)
  })

  it('are none of a convex solid, whose edges have a face in common', () => {
    expect(findMeetings(scenes(cube(1)).edges, 0).flat()).toHaveLength(0)
  })

  it('take the side of a boundary that reflected light takes', async () => {
    for (const phi of [30, 55]) {
      const on = await reflected(90, phi)
      const beside = await reflected(89.99, phi)
      const norm = Math.hypot(...on)
      // The reflected wave lacks the factor of the first edge's end: .12; with the other side .5.
      expect(Math.hypot(...on.map((x, i) => x - beside[i])) / norm).toBeLessThan(0.2)
    }
  })
})
