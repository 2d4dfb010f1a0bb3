import { expect, it } from 'vitest'
import type { ImageGridData } from '../../views/figures/data.js'
import { labelOverlay, rings } from '../../views/figures/map-figure.js'

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

it('numbers of rings cover no ring and no other number, and are left out where there is no room', () => {
  const place = { left: 0, top: 0, width: 400, height: 300, x: [0, 400], y: [0, 300] } as const
  const drawn = (points: { x: number; y: number }[]) =>
    rings(points, { ...place, x: [...place.x], y: [...place.y] }).join('')
  const boxes = (svg: string) => ({
    circles: [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g)].map(([, x, y, r]) => [x, y, r, r].map(Number)), // prettier-ignore
    numbers: [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\d+)</g)].map(([, x, y, n]) => [Number(x), Number(y) - 3.5, 3.4 * n.length, 5]), // prettier-ignore
  })
  const apart = ([x, y, w, h]: number[], [a, b, v, i]: number[]): boolean =>
    Math.abs(x - a) >= w + v - 0.02 || Math.abs(y - b) >= h + i - 0.02
  // A row closer than the rings are wide, and one at the frame's corner.
  const row = Array.from({ length: 9 }, (_, i) => ({ x: 100 + 7 * i, y: 150 + (i % 2) }))
  const { circles, numbers } = boxes(drawn([...row, { x: 399, y: 299 }]))
  expect(numbers.length).toBeGreaterThan(7)
  for (const [i, number] of numbers.entries()) {
    for (const circle of circles) expect(apart(number, circle)).toBe(true)
    for (const other of numbers.slice(0, i)) expect(apart(number, other)).toBe(true)
    expect(number[0] + number[2]).toBeLessThanOrEqual(400)
  }
  // A hundred rings that fill the frame leave no room.
  const full = Array.from({ length: 100 }, (_, i) => ({
    x: 5 + 10 * (i % 10),
    y: 5 + 10 * Math.floor(i / 10),
  }))
  const small = rings(full, { left: 0, top: 0, width: 100, height: 100, x: [0, 100], y: [0, 100] })
  expect(boxes(small.join('')).numbers).toEqual([])
})
