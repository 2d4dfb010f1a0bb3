import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Progress, RunPlan } from '../../run/job.js'
import type { RunRequest } from '../../run/run.js'
import type { RunStore } from '../../run/results.js'
import { temporaryFolder } from '../cli/cli.js'

// Threads load compiled modules: `npm test` builds them first.
const built = async <T>(module: string): Promise<T> =>
  (await import(new URL(`../../dist/run/${module}`, import.meta.url).href)) as T
const { Hooks } = await built<typeof import('../../run/job.js')>('job.js')
const { folderLocation, memoryStore, resultStore } =
  await built<typeof import('../../run/results.js')>('results.js')
const { run } = await built<typeof import('../../run/run.js')>('run.js')
const { openSweep } = await built<typeof import('../../run/sweep-job.js')>('sweep-job.js')
const { resolveSettings } =
  await built<typeof import('../../run/settings/settings.js')>('settings/settings.js')

const settings = resolveSettings({ device: 'cpu', workers: 1, raysPerWavelength: 3, check: true })

/** A request of a small sweep, and what its hooks were told, in order. */
async function request(
  store: RunStore,
  events: { onPlan?: () => void; signal?: AbortSignal } = {},
): Promise<{ asked: RunRequest; told: string[] }> {
  const told: string[] = []
  const hooks = new Hooks({
    signal: events.signal,
    onProgress: ({ phase, done }) => phase === 'solve' && told.push(`${done}`),
    onNote: (what, message) => told.push(`${what}: ${message}`),
    onCheck: () => told.push('check'),
  })
  const onPlan = ({ rows }: RunPlan): void => {
    told.push(`plan, ${rows.size} rows`)
    events.onPlan?.()
  }
  const sweep = { band: { f0: 3e8, f1: 4e8, count: 3 }, thetaDeg: 80, phiDeg: 0, apertureDeg: 10, angles: 3 }
  const opened = await openSweep('samples/cube.stl', sweep, settings, hooks)
  return { asked: { command: 'test', ...opened, record: { a: 1 }, store, hooks, onPlan }, told }
}

describe('a run', () => {
  it('tells its plan, then each aspect, then the check', async () => {
    const { asked, told } = await request(memoryStore)
    const { fields, meta, closed } = await run(asked)
    await closed
    const ahead = 'check: energy and reciprocity at 3 aspects: 10 more solutions'
    expect(told).toEqual(['plan, 0 rows', '0', '1', '2', '3', ahead, 'check'])
    expect(fields.total).toHaveLength(3)
    expect(meta).toMatchObject({ command: 'test', options: { a: 1 }, counts: { aspects: 3, frequencies: 3 } })
  })

  it('tells the time left from its second aspect on', async () => {
    const { asked } = await request(memoryStore)
    const left: (number | undefined)[] = []
    const onProgress = ({ phase, secondsLeft }: Progress): void =>
      void (phase === 'solve' && left.push(secondsLeft))
    const { closed } = await run({ ...asked, hooks: new Hooks({ onProgress }) })
    await closed
    expect(left.slice(0, 2)).toEqual([undefined, undefined])
    expect(left[2]).toBeGreaterThan(0)
    expect(left[3]).toBe(0)
  })

  it('that is called off keeps its rows on disk, and a run that resumes has the same fields', async () => {
    const place = folderLocation(join(temporaryFolder(), 'out'))
    const results = ['image.npz']
    const stop = new AbortController()
    const first = resultStore(place, results, { resume: false, force: false })
    const { asked } = await request(first, { signal: stop.signal, onPlan: () => stop.abort(new Error('enough')) }) // prettier-ignore
    await expect(run(asked)).rejects.toThrow('enough')
    expect(existsSync(place.partial)).toBe(true)
    const refused = await request(resultStore(place, results, { resume: false, force: false }))
    await expect(run(refused.asked)).rejects.toThrow('--resume')
    const second = resultStore(place, results, { resume: true, force: false })
    const resumed = await run((await request(second)).asked)
    await resumed.closed
    second.discard()
    expect(existsSync(place.partial)).toBe(false)
    const whole = await run((await request(memoryStore)).asked)
    await whole.closed
    expect(resumed.fields).toEqual(whole.fields)
  })

  it('begins no thread where results are in the way', async () => {
    let opened = false
    const store: RunStore = {
      ...memoryStore,
      check: () => {
        throw new Error('in the way')
      },
      open: () => {
        opened = true
        return memoryStore.open('', 0)
      },
    }
    const { asked, told } = await request(store)
    await expect(run(asked)).rejects.toThrow('in the way')
    expect([opened, told]).toEqual([false, []])
  })
})
