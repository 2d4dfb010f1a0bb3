import { expect, it } from 'vitest'
import { vector } from '../../../formats/index.js'
import { type ImageGridData, PAPER, viewOf, type PlotData } from '../../../views/figures/index.js'
import { groupsAtEdge } from '../../../views/viewer/geometry.js'
import type { TargetData } from '../../../views/viewer/data.js'
import { historyData, imageData, readRcsCsv } from '../../../views/server/result-file.js'

const settings = { layer: 'vv', depth: 50, top: null, colours: 'inferno', compare: 'own', polar: false, slider: 0 } as const // prettier-ignore

it('an image of isar image in the ground plane opens with x to the right and y upwards, in the unit of its data', () => {
  const data = Float64Array.of(1, 0, 0, 1, 0.1, 0, 0, 0, 0, 0, 0.5, 0)
  const arrays = { y_m: vector(Float64Array.of(-1, 0, 1)), x_m: vector(Float64Array.of(2, 3)), image_vv: { data, shape: [3, 2], dtype: '<c16' as const } } // prettier-ignore
  const image = imageData(arrays, { history: { calibrated: false } })
  expect([Array.from(image.crossRangeM), Array.from(image.rangeM)]).toEqual([[2, 3], [-1, 0, 1]]) // prettier-ignore
  const { axes, draw } = viewOf({ name: 'pass', place: 'pass-image', image }, null, 'image', settings)
  expect(axes).toEqual({ x: 'x', xUnit: 'm', y: 'y', yUnit: 'm' })
  const { markup } = draw(600, 500, PAPER, () => 'data:,')
  for (const text of ['>x [m]<', '>y [m]<', '>dB<']) expect(markup).toContain(text)
})

it('an image that tells its aspect is labelled with it, and no other with an invented one', () => {
  const axes = { range_m: vector(Float64Array.of(0, 1)), cross_range_m: vector(Float64Array.of(0, 1)) }
  const arrays = { ...axes, image_vv: { data: new Float64Array(8).fill(1), shape: [2, 2], dtype: '<c16' as const } } // prettier-ignore
  const aspect = { theta_deg: vector(Float64Array.of(60)), phi_deg: vector(Float64Array.of(45)) }
  const title = (image: ImageGridData): string =>
    viewOf({ name: 'cube', place: 'image.npz', image }, null, 'image', settings).draw(600, 500, PAPER, () => 'data:,').markup // prettier-ignore
  expect(title(imageData({ ...arrays, ...aspect }, null))).toMatch(/θ = 60[.0]*°, φ = 45[.0]*°/)
  const unknown = title(imageData(arrays, null))
  expect(unknown).toContain('resolution')
  expect(unknown).not.toContain('θ')
})

it('error bars of a table are bands about its curve, root of the sum of squares of both errors', () => {
  const head = 'freq_hz,theta_deg,phi_deg,f_vv_re,f_vv_im,f_vv_sampling_error,f_vv_model_error'
  const csv = `${head}\n2e9,90,0,1,0,0.03,0.04\n2e9,90,10,0,1,0.3,0.4\n1e9,90,0,1,0,0,0.1\n1e9,90,10,0,1,0,0.2\n`
  const history = historyData(readRcsCsv(csv, 'rcs.csv'))
  expect(history.bars!.map(({ data }) => Array.from(data))).toEqual([[0.1, 0.2, 0.05, 0.5]])
  const table: PlotData = { name: 'plate', place: 'rcs.csv', history }
  const { curves, draw } = viewOf(table, null, 'cut', { ...settings, slider: 1 })
  const level = (amplitude: number): number => 10 * Math.log10(4 * Math.PI * amplitude ** 2)
  expect(curves![0].bars!.low[0]).toBeCloseTo(level(0.95), 9)
  expect(curves![0].bars!.high[1]).toBeCloseTo(level(1.5), 9)
  const { markup } = draw(600, 500, PAPER, () => 'data:,')
  expect(markup).toContain('<polygon clip-path')
  expect(markup).toContain('error bars')
})

it('a diffracting edge has the names of the groups whose facets meet there, of a part of a facet’s side too', () => {
  const target = {
    positions: Float64Array.of(0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 9, 9, 9),
    triangles: Uint32Array.of(0, 1, 2, 1, 0, 3, 2, 3, 4),
    facetGroup: Uint32Array.of(1, 0, 2),
    groupNames: ['wall', 'floor', 'roof'],
    edges: Float64Array.of(0.2, 0, 0, 1.1, 0, 0, 2, 0, 0, 0, 2, 0, 5, 5, 5, 6, 6, 6),
  } as unknown as TargetData
  expect([0, 1, 2].map((edge) => groupsAtEdge(target, edge))).toEqual([['wall', 'floor'], ['floor'], []])
  expect(groupsAtEdge({ ...target, facetGroup: undefined } as TargetData, 0)).toEqual([])
})
