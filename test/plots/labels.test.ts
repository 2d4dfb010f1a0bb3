import { expect, it } from 'vitest'
import type { ImageGridData } from '../../plots/data.js'
import { labelOverlay } from '../../plots/labels.js'

const axis = Float64Array.of(0, 1, 2, 3)
const axes = { left: 0, top: 0, width: 40, height: 40, x: [-0.5, 3.5], y: [-0.5, 3.5] } as const
const overlay = (labels: ImageGridData['labels'], mask = true): string[] =>
  labelOverlay(
    { labels, rangeM: axis, crossRangeM: axis } as unknown as ImageGridData,
    { mask, centres: true },
    -40,
  )({ ...axes, x: [...axes.x], y: [...axes.y] })

it('the outline of the shadow goes around pixels that less than half of the aperture lights', () => {
  // A block of two by one pixels in shadow, one of them in part, and one that is lit by more.
  const lit = new Uint8Array(16).fill(255)
  lit[5] = 0
  lit[6] = 127
  lit[9] = 128
  const [path, ...others] = overlay({ lit })
  expect(others).toEqual([])
  // Six sides of a pixel.
  expect(path.match(/M/g)).toHaveLength(6)
  expect(path).toContain('M10 30H20')
  expect(overlay({ lit }, false)).toEqual([])
})

it('the outline of the target is drawn beside it, its lit part dashed', () => {
  const mask = new Uint8Array(16)
  mask.set([1, 2], 5)
  const paths = overlay({ lit: new Uint8Array(16).fill(255), mask })
  expect(paths.map((path) => path.match(/M/g)?.length ?? 0)).toEqual([0, 6, 4])
  expect(paths.map((path) => path.includes('dasharray'))).toEqual([false, false, true])
})
