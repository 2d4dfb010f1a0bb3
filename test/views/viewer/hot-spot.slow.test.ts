import { describe, expect, it } from 'vitest'
import { buildEdgeScene, createEdgeEngine, listEdges } from '../../../cpu-diffraction/index.js'
import { createCpuEngine, listPaths } from '../../../cpu-sbr/index.js'
import { readMesh } from '../../../formats/index.js'
import { formImage } from '../../../isar/index.js'
import { buildRayScene, type SbrOptions } from '../../../rays/index.js'
import { direction, prepareTarget, type Target } from '../../../scene/index.js'
import { type HistoryData, type ImageGridData, peaks } from '../../../views/figures/index.js'
import type { RaysData } from '../../../views/viewer/data.js'
import { cellAt, edgesInCell, facetsInCell } from '../../../views/viewer/geometry.js'
import { type Mechanism, mechanisms, sumOf } from '../../../views/viewer/hot-spot.js'

const options: SbrOptions = {
  raysPerWavelength: 6,
  maxBounces: 3,
  subdivisions: 2,
  formulation: 'all-bounces',
}
const f0 = 3e9
const bandwidth = 1.2e9

interface Sweep {
  target: Target
  image: ImageGridData
  history: HistoryData
  looks: RaysData[]
}

const NO_EDGES = { edge: new Uint32Array(), place: new Float64Array(), amplitude: new Float32Array() }

/** A sweep about (theta, phi) by the engines, its image, and the rays and edges of some of its aspects. */
async function sweep(
  name: string,
  thetaDeg: number,
  phiDeg: number,
  angles: number,
  polarFormat: boolean,
  withEdges = false,
): Promise<Sweep> {
  const target = prepareTarget(await readMesh(`samples/${name}.stl`), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const engine = createCpuEngine(scene, target.area, 0)
  const edges = withEdges ? buildEdgeScene(target, 160) : null
  const diffraction = edges && createEdgeEngine(edges, scene, { workers: 0 })
  const n = 24
  const band = { f0, df: bandwidth / (n - 1), n }
  const step = 0.6
  const phis = Float64Array.from({ length: angles }, (_, i) => phiDeg + (i - (angles - 1) / 2) * step)
  const f = new Float64Array(2 * n * angles)
  for (const [a, phi] of phis.entries()) {
    const tx = direction(thetaDeg, phi)
    const { field } = await engine.field({ aspect: { tx, rx: tx }, band, options })
    const edge = await diffraction?.field({
      aspect: { tx, rx: tx },
      band,
      options: { diffraction: 'tw-ildc' },
    })
    edge?.field.forEach((x, i) => (field[i] += x))
    for (let m = 0; m < n; m++) f.set(field.subarray(8 * m, 8 * m + 2), 2 * (m * angles + a))
  }
  const freqHz = Float64Array.from({ length: n }, (_, m) => f0 + m * band.df)
  const image = formImage({ freqHz, thetaDeg, phiDeg: phis, f }, { polarFormat })
  const centreHz = f0 + bandwidth / 2
  const count = Math.max(1, Math.round((angles * step) / 3))
  const looks = Array.from({ length: count }, (_, l): RaysData => {
    const phi = phiDeg + (l - (count - 1) / 2) * ((angles * step) / count)
    const tx = direction(thetaDeg, phi)
    return {
      ...listPaths(scene, { tx, rx: tx }, centreHz, options, 1e6),
      surface: target.surface,
      phiDeg: phi,
      edges: edges ? listEdges(edges, scene, { tx, rx: tx }, centreHz, 'tw-ildc', 1e6) : NO_EDGES,
    }
  })
  const layer = { name: 'vv', title: 'VV', data: image.image }
  return {
    target,
    image: {
      ...image,
      thetaDeg,
      phiDeg,
      window: 'hamming',
      polarFormat,
      dynamicRangeDb: 50,
      phaseCentre: [0, 0, 0],
      layers: [layer],
    },
    history: { freqHz, phiDeg: phis, thetaDeg: phis.map(() => thetaDeg), bistatic: false, layers: [] },
    looks,
  }
}

const strongest = ({ image }: Sweep, count: number): { x: number; y: number; level: number }[] => {
  const { data } = image.layers[0]
  const levels = Float32Array.from(
    { length: data.length / 2 },
    (_, i) => 10 * Math.log10(data[2 * i] ** 2 + data[2 * i + 1] ** 2),
  )
  return peaks(
    { levels, x: image.crossRangeM, y: image.rangeM },
    image.crossRangeResolutionM,
    image.rangeResolutionM,
    count,
    40,
  )
}

const mechanismsAt = ({ looks, image, history }: Sweep, x: number, y: number): Mechanism[] =>
  mechanisms(looks, cellAt(image, y, x), image, history, 'vv')

describe('a hot spot', () => {
  it.each([
    ['dihedral', 90, 20, 15, false, false, 25],
    ['ship-1m', 75, 35, 21, false, false, 25],
    ['ship-1m', 75, 35, 21, true, false, 25],
    ['dihedral', 90, 20, 15, false, true, 25],
    ['ship-1m', 75, 35, 21, false, true, 25],
    ['ship-1m', 75, 35, 21, true, true, 25],
    ['cube', 75, 25, 15, false, true, 10],
    ['plate', 60, 8, 15, false, true, 10],
  ])(
    'of %s (theta %d, phi %d, %d aspects, polar format %s, edges %s) is what its parts add up to',
    async (name, theta, phi, angles, polar, edges, depth) => {
      const seen = await sweep(name, theta, phi, angles, polar, edges)
      const spots = strongest(seen, 3)
      // What is further down may be a sidelobe, or what is left where larger parts cancel.
      const high = spots.filter((p) => p.level > spots[0].level - depth)
      expect(high.length).toBeGreaterThan(0)
      for (const { x, y, level } of high) {
        const groups = mechanismsAt(seen, x, y)
        expect(Math.abs(sumOf(groups) - level)).toBeLessThan(0.7)
        // A plate seen aslant is bright at its edges, and by them.
        if (name === 'plate') expect(groups[0].edge).not.toBeNull()
      }
    },
  )

  it('of a dihedral lies at its corner and comes by two bounces over both plates', async () => {
    const seen = await sweep('dihedral', 90, 20, 15, false)
    const [{ x, y }] = strongest(seen, 1)
    expect(Math.hypot(x, y)).toBeLessThan(0.02)
    const groups = mechanismsAt(seen, x, y)
    const [a, b] = groups
    expect([a.surfaces, b.surfaces].map((s) => s.join()).sort()).toEqual(['0,1', '1,0'])
    expect(groups[2].level).toBeLessThan(a.level - 20)
    expect(new Set(a.facets).size).toBeGreaterThan(1)
  })

  it('has the facets and edges that meet its cell', () => {
    // Two triangles of a square of 1 m across the line of sight, seen from +z with x to the right (phi-hat at phi -90).
    const square = {
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
      edges: Float64Array.of(0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0),
      edgeAngleDeg: Float64Array.of(0, 0),
    }
    const image = {
      rangeResolutionM: 0.1,
      crossRangeResolutionM: 0.1,
      thetaDeg: 45,
      phiDeg: -90,
      phaseCentre: [0, 0, 0],
    } as unknown as ImageGridData
    // A point (x, y, 0) has cross-range x and range y / sqrt 2.
    const at = (x: number, y: number) => cellAt(image, y / Math.SQRT2, x)
    expect(facetsInCell(square, at(0.8, 0.2))).toEqual([0])
    expect(facetsInCell(square, at(0.2, 0.8))).toEqual([1])
    expect(facetsInCell(square, at(0.5, 0.5))).toEqual([0, 1])
    expect(facetsInCell(square, at(1.2, 0.5))).toEqual([])
    expect(edgesInCell(square, at(1, 0.5))).toEqual([1])
    expect(edgesInCell(square, at(1, 0))).toEqual([0, 1])
    expect(edgesInCell(square, at(0.5, 0.5))).toEqual([])
    // From below the facets show their backs.
    const below = { ...image, thetaDeg: 135 } as ImageGridData
    expect(facetsInCell(square, cellAt(below, 0.5 / Math.SQRT2, 0.5))).toEqual([])
  })
})
