import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { WorkerPool } from '../../parallel/worker-pool.js'
import { InputError } from '../../scene/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const piscina = pathToFileURL(createRequire(import.meta.url).resolve('piscina')).href

const folder = scratchFolder()
let files = 0

/** A threads' module that multiplies by what the threads were given, and dies on its first negative number. */
function modulePath(): URL {
  const file = join(folder, `worker-${files++}.mjs`)
  writeFileSync(
    file,
    `import Piscina from ${JSON.stringify(piscina)}
     import { existsSync, writeFileSync } from 'node:fs'
     const factor = Piscina.workerData.data
     export default (x) => {
       if (x < 0 && !existsSync(${JSON.stringify(file)} + x)) {
         writeFileSync(${JSON.stringify(file)} + x, '')
         process.exit(1)
       }
       return factor * x
     }`,
  )
  return pathToFileURL(file)
}

const pools = (faults: string[]) =>
  [0, 2].map(
    (workers) =>
      new WorkerPool<number, number, number>({
        what: 'products',
        workers,
        module: modulePath(),
        data: 3,
        tasks: (factor) => (x) => factor * x,
        onFault: (message) => faults.push(message),
      }),
  )

test('threads and the calling thread give the same results, in the order of the tasks', async () => {
  const faults: string[] = []
  for (const pool of pools(faults)) {
    const tasks = Array.from({ length: 20 }, (_, i) => i)
    expect(await Promise.all(tasks.map((x) => pool.run(x)))).toEqual(tasks.map((x) => 3 * x))
    await pool.close()
  }
  expect(faults).toEqual([])
})

test('a task whose thread dies is run once more, and reported', async () => {
  const faults: string[] = []
  const [inline, threads] = pools(faults)
  expect(await Promise.all([threads.run(-1), threads.run(2)])).toEqual([-3, 6])
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^products: a worker failed \(.*\); trying its part again$/)
  await Promise.all([inline.close(), threads.close()])
})

test('an aborted run rejects with the reason of its signal, and the pool serves the next one', async () => {
  for (const pool of pools([])) {
    const controller = new AbortController()
    const run = Promise.all([1, 2, 3, 4, 5].map((x) => pool.run(x, controller.signal)))
    controller.abort(new InputError('enough'))
    await expect(run).rejects.toThrow('enough')
    expect(await pool.run(5)).toBe(15)
    await pool.close()
  }
})
