import { expect, onTestFinished, test, vi } from 'vitest'
import { InputError } from '../../scene/index.js'
import { PoolWatch } from '../../parallel/pool-watch.js'

/** Rejects when the pool would end the task's thread. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))

test('a task that fails is tried once more, and told of', async () => {
  const faults: string[] = []
  let calls = 0
  const watch = new PoolWatch(
    async (failures: number) => {
      if (++calls <= failures) throw new Error('gone')
      return calls
    },
    { what: 'work', onFault: (m) => faults.push(m) },
  )
  expect(await watch.run(1)).toBe(2)
  expect(faults).toEqual(['work: a worker failed (gone); trying its part again'])
  calls = 0
  await expect(watch.run(2)).rejects.toThrow('gone')
})

test('bad input and an interrupted run are not tried again', async () => {
  let calls = 0
  const watch = new PoolWatch(
    async (error: Error | null, signal) => {
      calls++
      if (error) throw error
      return hang(signal)
    },
    { what: 'work' },
  )
  await expect(watch.run(new InputError('no'))).rejects.toThrow(InputError)
  const stop = new AbortController()
  const running = watch.run(null, stop.signal)
  stop.abort(new Error('interrupted'))
  await expect(running).rejects.toThrow('interrupted')
  await expect(watch.run(null, stop.signal)).rejects.toThrow('interrupted')
  expect(calls).toBe(2)
})

test('silence ends all running tasks, once; tasks that make progress are not ended', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const faults: string[] = []
  let hanging = 2
  const watch = new PoolWatch(async (task: number, signal) => (hanging-- > 0 ? hang(signal) : task), {
    what: 'work',
    onFault: (m) => faults.push(m),
    silence: 0.1,
  })
  const both = Promise.all([watch.run(1), watch.run(2)])
  await vi.advanceTimersByTimeAsync(200)
  expect(await both).toEqual([1, 2])
  expect(faults).toEqual([
    expect.stringMatching(/^work: the worker threads gave no result for 0.1 s; ending them/),
  ])
  hanging = Infinity
  const third = expect(watch.run(3)).rejects.toThrow(/gave no result for 0.1 s/)
  await vi.advanceTimersByTimeAsync(400)
  await third

  // A slow task, while others finish.
  faults.length = 0
  const busy = new PoolWatch(
    (seconds: number) => new Promise<number>((done) => setTimeout(done, 1000 * seconds, seconds)),
    { what: 'work', onFault: (m) => faults.push(m), silence: 1 },
  )
  const slow = busy.run(2)
  for (let i = 0; i < 9; i++) {
    const quick = busy.run(0.2)
    await vi.advanceTimersByTimeAsync(200)
    expect(await quick).toBe(0.2)
  }
  await vi.advanceTimersByTimeAsync(200)
  expect(await slow).toBe(2)
  expect(faults).toEqual([])
})

test('a cancelled run drops queued tasks, ends no running task, and does not affect other runs', async () => {
  const began: number[] = []
  const ended: AbortSignal[] = []
  const finish: (() => void)[] = []
  const watch = new PoolWatch(
    (task: number, signal) => {
      began.push(task)
      signal.addEventListener('abort', () => ended.push(signal))
      return new Promise<number>((done) => finish.push(() => done(task)))
    },
    { what: 'work', threads: 1 },
  )
  const stop = new AbortController()
  const first = watch.run(1, stop.signal)
  const second = watch.run(2, stop.signal)
  const other = watch.run(3)
  stop.abort(new Error('interrupted'))
  await expect(first).rejects.toThrow('interrupted')
  await expect(second).rejects.toThrow('interrupted')
  expect([began, ended]).toEqual([[1], []])
  let idle = false
  const settled = watch.idle().then(() => (idle = true))
  await Promise.resolve()
  expect(idle).toBe(false)
  finish[0]()
  await settled
  await new Promise(setImmediate)
  expect(began).toEqual([1, 3])
  finish[1]()
  expect(await other).toBe(3)
  await watch.idle()
})

test('no more tasks run at a time than there are threads, in the order they came', async () => {
  let [running, most] = [0, 0]
  const order: number[] = []
  const watch = new PoolWatch(
    async (task: number) => {
      most = Math.max(most, ++running)
      order.push(task)
      await new Promise(setImmediate)
      running--
      return task
    },
    { what: 'work', threads: 2 },
  )
  const tasks = [0, 1, 2, 3, 4, 5, 6]
  expect(await Promise.all(tasks.map((task) => watch.run(task)))).toEqual(tasks)
  expect([most, order]).toEqual([2, tasks])
})

test('a thread takes the queued task that is nearest its own place, from the first batch that has any', async () => {
  const ends = new Map<string, () => void>()
  const order: string[] = []
  const watch = new PoolWatch(
    (name: string) => {
      order.push(name)
      return new Promise<void>((done) => ends.set(name, done))
    },
    { what: 'work', threads: 2 },
  )
  const all = ['a', 'b'].flatMap((letter) => {
    const batch = {}
    return [0, 1, 2, 3, 4, 5].map((i) => watch.run(`${letter}${i}`, undefined, { batch, at: i / 5 }))
  })
  const settled = (): Promise<void> => new Promise((done) => setTimeout(done))
  const end = async (name: string): Promise<void> => {
    ends.get(name)!()
    await settled()
  }
  await settled()
  expect(order).toEqual(['a0', 'a1'])
  // The first slot goes on from below, the second from above, and neither starts on b while a has tasks.
  await end('a1')
  await end('a5')
  await end('a0')
  await end('a2')
  await end('a4')
  expect(order).toEqual(['a0', 'a1', 'a5', 'a4', 'a2', 'a3', 'b5'])
  await end('a3')
  expect(order.at(-1)).toBe('b0')
  for (let i = 0; i < all.length; i++) for (const name of order) await end(name)
  await Promise.all(all)
  expect(new Set(order).size).toBe(all.length)
})
