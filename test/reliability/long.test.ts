import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/cli.js'
import { record } from './record.js'
import { run, sameBytes, start, withFault } from './run-cli.js'
import { words } from '../helpers/words.js'

/** Aspects of one run; the whole claim is 10,000 (npm run docs -- reliability). */
const ANGLES = Number(process.env.ISAR_LONG_ANGLES ?? 400)
/** Interruptions of another run, each resumed; the whole claim is 20. */
const INTERRUPTIONS = Number(process.env.ISAR_LONG_INTERRUPTIONS ?? 3)

/** An aspect's record on disk: head, 8 amplitudes of one frequency and 12 counts. */
const ROW_BYTES = 8 + 8 * (8 + 12)

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true }))
const sweep = (angles: number): string[] =>
  words`rcs ${resolve('samples/plate.stl')} --freq 3e8 --theta 60 --phi 0:${(360 * (angles - 1)) / angles}:${360 / angles} --device cpu --workers 1`

interface Sample {
  /** Since the start [s]. */
  at: number
  memoryMiB: number
  handles: number
}

/** What a process holds. Linux alone tells; elsewhere null. */
function sampleOf(pid: number, from: number): Sample | null {
  if (!existsSync(`/proc/${pid}/status`)) return null
  try {
    const memory = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    const handles = readdirSync(`/proc/${pid}/fd`).length
    return memory && { at: (performance.now() - from) / 1000, memoryMiB: Number(memory[1]) / 1024, handles }
  } catch {
    return null
  }
}

it(`${ANGLES} aspects: memory and handles stay as they are`, async () => {
  const samples: Sample[] = []
  const tenths: number[] = []
  const from = performance.now()
  const running = start([...sweep(ANGLES), '--out', join(folder, 'long.csv')], {
    onStderr: (text) => {
      const done = text.match(/^\d+ of \d+ aspects/gm)?.length ?? 0
      while (tenths.length < done) tenths.push((performance.now() - from) / 1000)
    },
  })
  const timer = setInterval(() => {
    const sample = sampleOf(running.child.pid!, from)
    if (sample) samples.push(sample)
  }, 100)
  const { code } = await running.ended
  clearInterval(timer)
  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'long.csv'), 'utf8').split('\n')).toHaveLength(ANGLES + 2)
  expect(tenths).toHaveLength(10)
  // Between the first tenth and the last the run is in its stride.
  const steady = samples.filter(({ at }) => at > tenths[0] && at < tenths[9])
  const half = Math.floor(steady.length / 2)
  const most = (part: Sample[], of: (s: Sample) => number): number => Math.max(...part.map(of))
  const [early, late] = [steady.slice(0, half), steady.slice(half)]
  const grown = most(late, (s) => s.memoryMiB) - most(early, (s) => s.memoryMiB)
  const opened = most(late, (s) => s.handles) - most(early, (s) => s.handles)
  record('long', {
    aspects: ANGLES,
    'memory, MiB': Math.round(most(late, (s) => s.memoryMiB)),
    'grown in the second half, MiB': Number(grown.toFixed(1)),
    'handles opened in the second half': opened,
    'second tenth, s': Number((tenths[1] - tenths[0]).toFixed(2)),
    'last tenth, s': Number((tenths[9] - tenths[8]).toFixed(2)),
  })
  // The garbage collector's moments are its own; rows are 0.2 KiB an aspect.
  expect(grown).toBeLessThan(48)
  expect(opened).toBeLessThanOrEqual(2)
}, 1_200_000)

it(`${INTERRUPTIONS} interruptions of one run, each resumed, give the bytes of an uninterrupted one`, async () => {
  const angles = 100 * (INTERRUPTIONS + 2)
  const args = sweep(angles)
  const whole = join(folder, 'whole.csv')
  expect((await run([...args, '--out', whole])).code).toBe(0)
  const out = join(folder, 'often.csv')
  let kept = 0
  for (let i = 0; i < INTERRUPTIONS; i++) {
    const rows = join(`${out}.partial`, 'rows.bin')
    const before = statSync(rows, { throwIfNoEntry: false })?.size ?? 0
    // By itself, as soon as some more aspects are finished.
    const { code, stderr } = await run([...args, '--out', out, '--resume'], {
      node: withFault('rows'),
      env: { ISAR_TEST_ROWS: rows, ISAR_TEST_BYTES: String(before + 20 * ROW_BYTES) },
    })
    const now = Number(/interrupted; (\d+) of/.exec(stderr)?.[1] ?? 0)
    expect([code, stderr]).toEqual([130, expect.stringMatching(/interrupted/)])
    // What was finished stays, and more.
    expect(now).toBeGreaterThan(kept + 19)
    kept = now
  }
  expect((await run([...args, '--out', out, '--resume'])).code).toBe(0)
  expect(sameBytes(out, whole)).toBe(true)
  record('interruptions', {
    aspects: angles,
    interruptions: INTERRUPTIONS,
    'aspects lost': 0,
    'with other bytes': 0,
  })
}, 1_200_000)
