import { expect, it } from 'vitest'
import { framing } from '../../../views/viewer/geometry.js'

/** Corners of a box. */
const corners = (min: number[], max: number[]): Float64Array =>
  Float64Array.from({ length: 24 }, (_, i) => ((Math.floor(i / 3) >> (i % 3)) & 1 ? max[i % 3] : min[i % 3]))

const line = (axis: number, to: number): number[] =>
  Array.from({ length: 30 }, (_, i) => (i % 3 === axis ? (to * Math.floor(i / 3)) / 9 : 2))

it('a tunnel is shown from the end of its transmitter, a few widths of it, whichever way it runs', () => {
  for (const axis of [0, 1, 2]) {
    const max = [4, 4, 4]
    max[axis] = 1000
    const tx: [number, number, number] = [2, 2, 2]
    const { box, homeFrom } = framing({ positions: corners([0, 0, 0], max), transmitterM: tx }, line(axis, 990)) // prettier-ignore
    const [from, to] = [box.min.getComponent(axis), box.max.getComponent(axis)]
    expect(from).toBeLessThanOrEqual(2)
    expect(to).toBeGreaterThan(20)
    expect(to).toBeLessThan(40)
    expect(homeFrom!.getComponent(axis)).toBe(-1)
  }
})

it('a street is shown where its receivers are, with its buildings in full height and not the ground far about', () => {
  const walls = corners([-2000, -2000, 0], [2000, 2000, 30])
  const receivers = [0, 0, 1.5, 200, 0, 1.5, 200, 150, 1.5, 0, 150, 1.5]
  const { box, homeFrom } = framing({ positions: walls, transmitterM: [100, 50, 3] }, receivers)
  expect(homeFrom).toBeNull()
  expect([box.min.z, box.max.z]).toEqual([0, 30])
  expect(box.min.x).toBeLessThan(0)
  expect(box.min.x).toBeGreaterThan(-50)
  expect(box.max.x).toBeGreaterThan(200)
  expect(box.max.x).toBeLessThan(250)
})

it('of receivers above a ground without height everything is in view', () => {
  const { box } = framing({ positions: corners([-50, -600, 0], [2000, 600, 0]), transmitterM: [0, 0, 2] }, [1, 0, 1.5, 1000, 0, 1.5]) // prettier-ignore
  expect(box.isEmpty()).toBe(false)
  expect(box.containsPoint(box.min.clone().set(1000, 0, 1.5))).toBe(true)
  expect(box.max.z).toBeGreaterThanOrEqual(2)
})
