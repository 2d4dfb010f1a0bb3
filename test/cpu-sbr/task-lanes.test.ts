import { expect, test } from 'vitest'
import { TaskLanes } from '../../cpu-sbr/task-lanes.js'

/** Lanes whose tasks end when they are told to. */
function stage(count: number) {
  const begun: { task: string; end: (error?: Error) => void }[] = []
  const lanes = new TaskLanes<string, string>(
    count,
    (task) =>
      new Promise((resolve, reject) =>
        begun.push({ task, end: (error) => (error ? reject(error) : resolve(task.toUpperCase())) }),
      ),
  )
  const settle = () => new Promise((resolve) => setTimeout(resolve))
  /** Ends the task begun as the nth. */
  const end = async (n: number, error?: Error) => {
    begun[n].end(error)
    await settle()
  }
  return { lanes, begun, end, names: () => begun.map(({ task }) => task).join(' '), settle }
}

test('two lanes take a job from both ends, and go on with the next one', async () => {
  const { lanes, end, names } = stage(2)
  const first = lanes.run(['a', 'b', 'c', 'd', 'e'])
  const second = lanes.run(['x', 'y', 'z'])
  expect(names()).toBe('a e')
  await end(0)
  expect(names()).toBe('a e b')
  await end(2)
  await end(3)
  // One lane alone has taken what was left; the other is still at its first task.
  expect(names()).toBe('a e b c d')
  await end(4)
  expect(names()).toBe('a e b c d x')
  await end(1)
  expect(names()).toBe('a e b c d x z')
  expect(await first).toEqual(['A', 'B', 'C', 'D', 'E'])
  await end(5)
  await end(6)
  await end(7)
  expect(await second).toEqual(['X', 'Y', 'Z'])
})

test.each([1, 2, 3, 4, 5, 8])('%s lanes do every task once, whatever is the slower', async (count) => {
  const { lanes, begun, end } = stage(count)
  const jobs = [7, 1, 0, 12].map((n, job) => Array.from({ length: n }, (_, i) => `t${job}.${i}`))
  const results = jobs.map((tasks) => lanes.run(tasks))
  let alive = [...Array(Math.min(count, 20)).keys()]
  for (let step = 0; alive.length > 0; step++) {
    const before = begun.length
    const [done] = alive.splice((7 * step) % alive.length, 1)
    await end(done)
    alive = [...alive, ...begun.keys()].filter(
      (n, i, all) => (n >= before || alive.includes(n)) && all.indexOf(n) === i,
    )
    expect(alive.length).toBeLessThanOrEqual(count)
  }
  expect(begun.map(({ task }) => task).sort()).toEqual(jobs.flat().sort())
  expect(await Promise.all(results)).toEqual(jobs.map((tasks) => tasks.map((t) => t.toUpperCase())))
})

test('a task that fails ends its job, not the others', async () => {
  const { lanes, end, names } = stage(2)
  const bad = lanes.run(['a', 'b', 'c', 'd'])
  const failed = expect(bad).rejects.toThrow('broken')
  const good = lanes.run(['x'])
  await end(0, new Error('broken'))
  await failed
  expect(names()).toBe('a d x')
  await end(1)
  await end(2)
  expect(await good).toEqual(['X'])
  expect(names()).toBe('a d x')
})

test('a job called off is dropped, also where none of it has begun', async () => {
  const { lanes, end, names } = stage(1)
  const stop = new AbortController()
  const first = lanes.run(['a'])
  const off = lanes.run(['b', 'c'], stop.signal)
  const failed = expect(off).rejects.toThrow('enough')
  const last = lanes.run(['d'])
  stop.abort(new Error('enough'))
  await failed
  await end(0)
  expect(await first).toEqual(['A'])
  expect(names()).toBe('a d')
  await end(1)
  expect(await last).toEqual(['D'])
})
