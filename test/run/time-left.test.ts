import { describe, expect, it } from 'vitest'
import { TimeLeft } from '../../run/estimate.js'
import { emptyReport } from '../../run/sweep/rows.js'

/** A machine: one device for rays and threads that take the edges of one aspect each, ahead of the rays. Seconds. */
interface Machine {
  aspects: number
  threads: number
  rays: (i: number) => number
  /** Of one thread. */
  edges: (i: number) => number
  /** The first aspect of the device and of each thread takes so many times longer. */
  cold: number
  /** Of the calling thread, per aspect, in no report. */
  overhead?: number
}

interface Row {
  i: number
  at: number
  rays: number
  edges: number
}

/** When each aspect is finished, in this order, and the times in its report. */
function simulate({ aspects, threads, rays, edges, cold, overhead = 0 }: Machine): Row[] {
  const free = Array.from({ length: threads }, () => 0)
  let device = 0
  const rows = Array.from({ length: aspects }, (_, i) => {
    const thread = free.indexOf(Math.min(...free))
    const [ray, edge] = [rays(i) * (i === 0 ? cold : 1), edges(i) * (free[thread] === 0 ? cold : 1)]
    free[thread] += edge
    device += ray + overhead
    return { i, at: Math.max(device, free[thread]), rays: ray, edges: edge / threads }
  })
  return rows.sort((a, b) => a.at - b.at)
}

const report = ({ rays, edges }: Row) => ({ ...emptyReport(), trace: rays, evaluate: edges })

/** The whole time as expected after each finished aspect but the last, relative to what it took; undefined before there is an answer. */
function expected(machine: Machine, weight: (i: number) => number = () => 1): (number | undefined)[] {
  const rows = simulate(machine)
  const weights = new Map(rows.map(({ i }) => [i, weight(i)]))
  const time = new TimeLeft(weights, 1, machine.threads, 0)
  return rows.slice(0, -1).map((row) => {
    time.add([row.i], row.at, report(row))
    const left = time.seconds()
    return left === undefined ? undefined : (row.at + left) / rows.at(-1)!.at
  })
}

const constant = (seconds: number) => (): number => seconds
const MACHINES: [what: string, machine: Machine][] = [
  ['edges take longer', { aspects: 120, threads: 14, rays: constant(0.018), edges: constant(0.5), cold: 3 }],
  ['rays take longer', { aspects: 120, threads: 14, rays: constant(0.075), edges: constant(0.5), cold: 3 }],
  ['both take as long', { aspects: 120, threads: 14, rays: constant(0.036), edges: constant(0.5), cold: 3 }],
  ['edges take far longer', { aspects: 120, threads: 14, rays: constant(0.02), edges: constant(50), cold: 2 }],
  ['there are two threads', { aspects: 40, threads: 2, rays: constant(0.1), edges: constant(0.6), cold: 3 }],
  ['there are no edges', { aspects: 40, threads: 1, rays: constant(0.1), edges: constant(0), cold: 5 }],
  ['aspects come in more slowly than either side works', { aspects: 60, threads: 4, rays: constant(1e-3), edges: constant(1e-3), cold: 1, overhead: 0.02 }],
] // prettier-ignore

describe('the time of a sweep, as expected from its first quarter on', () => {
  it.each(MACHINES)('is within a factor 1.5 where %s', (_, machine) => {
    const ratios = expected(machine).slice(machine.aspects / 4)
    expect(ratios.length).toBeGreaterThan(20)
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(1 / 1.5)
      expect(ratio).toBeLessThan(1.5)
    }
  })

  it('counts the work of aspects still to come', () => {
    // A flat target, from its edge to its face: rays take nine times longer at the end.
    const weight = (i: number): number => 1 + (8 * i) / 119
    const machine = { aspects: 120, threads: 4, rays: (i: number) => 0.01 * weight(i), edges: constant(0.01), cold: 1 } // prettier-ignore
    const within = (ratios: (number | undefined)[]): boolean =>
      ratios.slice(30).every((ratio) => ratio! > 1 / 1.5 && ratio! < 1.5)
    expect(within(expected(machine, weight))).toBe(true)
    expect(within(expected(machine))).toBe(false)
  })
})

it('the first aspect alone says nothing of the time left, and the last leaves none', () => {
  const time = new TimeLeft(new Map([0, 1, 2].map((i) => [i, 1])), 1, 1, 0)
  expect(time.seconds()).toBeUndefined()
  time.add([0], 9, report({ i: 0, at: 9, rays: 9, edges: 9 }))
  expect(time.seconds()).toBeUndefined()
  time.add([1], 10, report({ i: 1, at: 10, rays: 1, edges: 0.5 }))
  expect(time.seconds()).toBeCloseTo(1, 12)
  time.add([2], 11, report({ i: 2, at: 11, rays: 1, edges: 0.5 }))
  expect(time.seconds()).toBe(0)
})

it('without reports the time left is by the rate of finished aspects', () => {
  const time = new TimeLeft(new Map(Array.from({ length: 10 }, (_, i) => [i, 1])), 1, 1, 0)
  for (let i = 0; i < 5; i++) time.add([i], 5 + 2 * i)
  expect(time.seconds()).toBeCloseTo(10, 12)
})

it('groups of aspects count as many as they have', () => {
  const time = new TimeLeft(new Map(Array.from({ length: 12 }, (_, i) => [i, 1])), 1, 1, 0)
  for (let group = 0; group < 2; group++)
    time.add([0, 1, 2].map((k) => 3 * group + k), 1 + group, report({ i: 0, at: 0, rays: 1, edges: 0.3 })) // prettier-ignore
  expect(time.seconds()).toBeCloseTo(2, 12)
})

describe('a stated estimate', () => {
  /** How long a machine takes, and corrections of an estimate so many times as long, with the number of aspects that they came after. */
  const corrections = (machine: Machine, factor: number): { took: number; found: [number, number][] } => {
    const rows = simulate(machine)
    const took = rows.at(-1)!.at
    const stated = factor * took
    const time = new TimeLeft(new Map(rows.map(({ i }) => [i, 1])), stated, machine.threads, 0)
    const found = rows.flatMap((row, n): [number, number][] => {
      time.add([row.i], row.at, report(row))
      const whole = time.corrected(row.at)
      return whole === undefined ? [] : [[whole, n + 1]]
    })
    return { took, found }
  }
  const machine = MACHINES[0][1]

  it('that is right is left alone', () => expect(corrections(machine, 1).found).toEqual([]))

  const right = ({ took, found }: ReturnType<typeof corrections>, after: number): void => {
    expect(found).toHaveLength(1)
    const [[whole, aspects]] = found
    expect(aspects).toBe(after)
    expect(whole / took).toBeGreaterThan(1 / 1.3)
    expect(whole / took).toBeLessThan(1.3)
  }

  it.each([0.2, 5])(
    'that is %s times the time is corrected after a quarter of a short sweep, once',
    (factor) => right(corrections(machine, factor), machine.aspects / 4),
  )

  it('is corrected after two aspects a thread of a long sweep', () =>
    right(corrections({ ...machine, aspects: 1200, edges: constant(20) }, 0.2), 2 * machine.threads))

  it('is corrected after ten seconds of a long sweep of short aspects', () =>
    right(
      corrections({ ...machine, aspects: 12000, edges: constant(0), rays: constant(1 / 128), cold: 1 }, 0.2),
      1280,
    ))

  it('that is off by less than a second is left alone', () => {
    const time = new TimeLeft(new Map(Array.from({ length: 20 }, (_, i) => [i, 1])), 0.2, 1, 0)
    const found = Array.from({ length: 20 }, (_, i) => {
      time.add([i], 0.05 * (i + 1), report({ i, at: 0, rays: 0.05, edges: 0 }))
      return time.corrected(0.05 * (i + 1))
    })
    expect(found.every((whole) => whole === undefined)).toBe(true)
  })
})
