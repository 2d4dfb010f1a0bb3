import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/cli.js'
import { fileHashes, writeConfig } from '../cli/dataset-config.js'
import { HALL, write } from '../cli/fixtures.js'
import { random } from '../helpers/random.js'
import { signalAt } from '../helpers/signal-at.js'
import { record } from './record.js'
import { errorLines, namesIn, run, sameBytes, softwareGpu, start, withFault } from './run-cli.js'
import { words } from '../helpers/words.js'

/** Signals at random moments; the whole claim is 200 (npm run docs -- reliability). */
const ROUNDS = Number(process.env.ISAR_FAULT_ROUNDS ?? 3)
/** Every fault everywhere; or those of threads once in full, of rays, and elsewhere that they go the same way. */
const ALL = process.env.ISAR_FAULT_ROUNDS !== undefined

/** Threads that start on a busy machine, after the hung ones too, must be done with their first tasks by then. */
const HANG_SECONDS = 10

const RESUMED = '--resume gives the same bytes'
const note = (fault: string, code: number | string, after: string, times = 1, lost = 'nothing'): void =>
  record('faults', { fault, times, 'exit code': code, lost, after })

const cube = resolve('samples/cube.stl')
const SWEEP = words`rcs ${cube} --freq 1e9 --theta 70 --phi 0:29:1 --second-order none --device cpu --workers 2`

/** Where what fails is not the threads. */
const QUICK = words`rcs ${cube} --freq 3e8 --theta 70 --phi 0:29:1 --diffraction none --device cpu --workers 1`

const folder = temporaryFolder()
let seconds = 0
let places = 0
const place = (): string => {
  const fresh = join(folder, `place-${places++}`)
  mkdirSync(fresh)
  return fresh
}
const quick = join(folder, 'quick.csv')

/** What a failed run must be: one line, its exit code, no result, the finished rows. Then it is resumed. */
async function expectResumable(args: string[], out: string, of: string): Promise<void> {
  expect(existsSync(out)).toBe(false)
  const resumed = await run([...args, '--out', out, '--resume'])
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/wrote/)])
  expect(sameBytes(out, of)).toBe(true)
  expect(existsSync(`${out}.partial`)).toBe(false)
}

type Kind = 'exit' | 'throw' | 'hang' | 'memory'

/** Threads of a command, one of whose calls goes wrong. */
interface Threads {
  /** What they and their tasks are called in the report, and before the message. */
  thread: string
  task: string
  says: string
  make: (out: string, ...more: string[]) => string[]
  /** Where the fault strikes, and how often a call has to be made for it. */
  fault: Record<string, string>
  kinds: Kind[]
  /** Of a run without a fault. */
  undisturbed: string
  /** A fault from such a call on in every thread, and the line that ends the run. */
  again?: { at: string; says: RegExp; every: string; result: string }
}

const home = place()
const datasetOfImages = writeConfig(home, {
  targets: [{ label: 'cube', mesh: cube }],
  solver: { 'rays-per-wavelength': 4, 'second-order': 'none', device: 'cpu', workers: 1 },
})
const receivers = [{ name: 'floor', grid: { x: [4, 8], y: [2, 4], z: 1 }, step: 1 }]
const transmitter = { position: [2.13, 3.31, 1.57], polarisation: 'v' }
const scene = write(home, 'hall.json', { ...HALL, receivers, transmitter, rays: 40_000, paths: [] })

const THREADS: Threads[] = [
  {
    thread: 'a thread',
    task: 'a task',
    says: '',
    make: (out, ...more) => words`${SWEEP} --out ${out}.csv ${more}`,
    fault: { ISAR_TEST_AT: '40' },
    kinds: ['exit', 'throw', 'hang', 'memory'],
    undisturbed: join(place(), 'out'),
    again: {
      at: '150',
      says: /a fault on purpose; [1-9]\d* of 30 aspects are kept; continue with --resume/,
      every: 'every task throws from some moment on',
      result: '.csv',
    },
  },
  {
    thread: 'a thread of images',
    task: 'an image',
    says: 'images: ',
    make: (out, ...more) => words`dataset ${datasetOfImages} --image-workers 2 --out ${out} ${more}`,
    fault: { ISAR_TEST_IN: 'threads/chipTasks.js', ISAR_TEST_AT: '7' },
    kinds: ALL ? ['exit', 'throw', 'hang', 'memory'] : ['exit'],
    undisturbed: join(place(), 'out'),
    again: {
      at: '7',
      says: /a fault on purpose/,
      every: 'every image throws from some moment on',
      result: '/manifest.json',
    },
  },
  {
    thread: 'a thread of propagate',
    task: 'a task of propagate',
    says: 'propagation: ',
    make: (out, ...more) => words`propagate ${scene} --device cpu --workers 2 --out ${out}.csv ${more}`,
    fault: { ISAR_TEST_CALL: 'Math.hypot', ISAR_TEST_IN: 'threads/propagationTasks.js', ISAR_TEST_AT: '20' },
    kinds: ALL ? ['exit', 'throw', 'hang'] : ['exit'],
    undisturbed: join(place(), 'out'),
  },
]

const whole = `${THREADS[0].undisturbed}.csv`
beforeAll(async () => {
  for (const { make, undisturbed } of THREADS.toReversed()) {
    const ended = await run(make(undisturbed))
    expect(ended.code, ended.stderr).toBe(0)
    seconds = ended.seconds
  }
  expect((await run([...QUICK, '--out', quick])).code).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(THREADS)('$thread', ({ thread, task, says, make, fault, kinds, undisturbed, again }) => {
  /** What a run leaves: its results, but for records of the run. */
  const results = (out: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(fileHashes(join(out, '..'))).filter(([name]) => !/flag|(meta|timing)\.json$/.test(name)),
    )
  const runWith = (kind: Kind, out: string, env: Record<string, string>) =>
    run(make(out), {
      node: [...(kind === 'memory' ? ['--max-old-space-size=160'] : []), ...withFault('thread')],
      env: { ISAR_HANG_SECONDS: String(HANG_SECONDS), ISAR_TEST_FAULT: kind, ...fault, ...env },
    })
  const HOW: Record<Kind, [what: string, says: string]> = {
    exit: [`${thread} ends`, 'a worker failed .*trying its part again'],
    throw: [`${task} throws`, 'a worker failed \\(a fault on purpose\\); trying its part again'],
    hang: [
      `${thread} hangs`,
      `the worker threads gave no result for ${HANG_SECONDS} s; ending them and trying`,
    ],
    memory: [`${thread} runs out of memory`, '.*memory limit.*trying its part again'],
  }

  it.each(kinds)('%s: the run ends as if nothing had been', async (kind) => {
    const [what, message] = HOW[kind]
    const out = join(place(), 'out')
    const { code, stderr } = await runWith(kind, out, { ISAR_TEST_FLAGS: `${out}.flag` })
    expect([code, stderr]).toEqual([0, expect.stringMatching(says + message)])
    expect(results(out)).toEqual(results(undisturbed))
    note(what, 0, 'the run ends, same bytes')
  })

  it.runIf(again !== undefined)('failing again and again ends the run; what is finished stays', async () => {
    const out = join(place(), 'out')
    const { code, stderr } = await runWith('throw', out, { ISAR_TEST_FLAGS: 'all', ISAR_TEST_AT: again!.at })
    expect([code, errorLines(stderr)], stderr).toEqual([1, [expect.stringMatching(again!.says)]])
    expect(existsSync(out + again!.result)).toBe(false)
    expect((await run(make(out, '--resume'))).code).toBe(0)
    expect(results(out)).toEqual(results(undisturbed))
    note(again!.every, 1, RESUMED)
  })
})

describe('a GPU', () => {
  const gpu = softwareGpu()
  const plate = resolve('samples/plate.stl')
  const sweep = words`rcs ${plate} --freq 0.6e9 --theta 70 --phi 0:3:1 --max-bounces 1 --diffraction none --device gpu --workers 1`
  const once = join(place(), 'x.csv')
  const often = join(place(), 'x.csv')
  const runWith = (fault: string, at: string, out: string) =>
    run([...sweep, '--out', out, '--resume'], {
      node: withFault('gpu'),
      env: { ...gpu!, ISAR_TEST_FAULT: fault, ISAR_TEST_AT: at },
    })

  it.skipIf(!gpu)('a kernel that did not compile in advance is compiled again', async () => {
    const { code, stderr } = await runWith('compile', '4', once)
    expect([code, errorLines(stderr)]).toEqual([0, []])
  })

  it.skipIf(!gpu).each(
    (
      [
        // The ninth: of those that need the scene.
        ['compile', 'a shader does not compile', '9', /kernel \w+ does not compile/],
        ['lost', 'the device is lost in mid-run', '3', /GPU gave no result|device was lost/],
        ['allocation', 'memory that the device does not have', '12', /GPU error: .*size/],
        ['error', 'an error that nobody caught', '3', /GPU error: /],
      ] as const
    ).slice(0, ALL ? 4 : 2),
  )('%s: the run fails with one line', async (fault, what, at, says) => {
    const { code, stderr } = await runWith(fault, at, often)
    expect([code, errorLines(stderr)]).toEqual([1, [expect.stringMatching(says)]])
    // Where nothing is kept, nothing is offered.
    expect(errorLines(stderr)[0]).toMatch(
      /^((?!kept|--resume).)*$|[1-4] of 4 aspects are kept; continue with --resume$/,
    )
    expect(existsSync(often)).toBe(false)
    note(what, 1, RESUMED)
  })

  it.skipIf(!gpu)('runs that failed are resumed: the same bytes', async () => {
    expect((await run([...sweep, '--out', often, '--resume'], { env: gpu! })).code).toBe(0)
    expect(sameBytes(often, once)).toBe(true)
  })
})

it(
  `${ROUNDS} signals at random moments: nothing finished is lost, and nothing half-finished stays`,
  async () => {
    const next = random(ROUNDS)
    const counts: Record<string, number> = { SIGINT: 0, SIGTERM: 0, SIGKILL: 0 }
    const out = join(place(), 'x.csv')
    // Files on the way that a killed run left stay until a run gets as far as to remove them.
    let leftovers = false
    for (let sent = 0; sent < ROUNDS;) {
      const signal = (['SIGKILL', 'SIGINT', 'SIGTERM'] as const)[sent % 3]
      const running = start([...SWEEP, '--out', out, '--resume'])
      const timer = setTimeout(() => running.child.kill(signal), 1100 * seconds * next())
      const { code, signal: by, stderr } = await running.ended
      clearTimeout(timer)
      // Also where the signal came after the last file was written, and only the process had to end.
      if (code === 0 || (existsSync(out) && !existsSync(`${out}.partial`))) {
        expect(sameBytes(out, whole)).toBe(true)
        expect(namesIn(join(out, '..'))).toEqual(['x.csv', 'x.meta.json', 'x.target.npz', 'x.timing.json'])
        for (const name of namesIn(join(out, '..'))) rmSync(join(out, '..', name))
        leftovers = false
        continue
      }
      sent++
      counts[signal]++
      // Before Node has begun to listen a signal ends it like any process.
      if (signal === 'SIGKILL') expect(by).toBe('SIGKILL')
      else if (by === null)
        expect([code, errorLines(stderr)]).toEqual([130, [expect.stringMatching(/interrupted/)]])
      leftovers ||= signal === 'SIGKILL'
      if (!leftovers) expect(namesIn(join(out, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([])
    }
    if (existsSync(`${out}.partial`)) await expectFinished(out)
    for (const [signal, times] of Object.entries(counts))
      note(`${signal} at a random moment`, signal === 'SIGKILL' ? 'killed' : 130, RESUMED, times)
  },
  600_000 + 10_000 * ROUNDS,
)

/** Killed while the results were written, some of them may be there. */
async function expectFinished(out: string): Promise<void> {
  expect((await run([...SWEEP, '--out', out, '--resume'])).code).toBe(0)
  expect(sameBytes(out, whole)).toBe(true)
  expect(namesIn(join(out, '..'))).toEqual(['x.csv', 'x.meta.json', 'x.target.npz', 'x.timing.json'])
}

/** A file system of its own, where this process may make one. */
function mounted(size: string): string | null {
  const path = place()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status === 0) return path
  process.stderr.write('no file system can be mounted here: disk full and read-only are not tested\n')
  return null
}

describe('a file system', () => {
  it('that is full: exit 1, one line; with free space again --resume continues', async (context) => {
    const path = mounted('128k')
    if (!path) return context.skip()
    try {
      let times = 0
      // From no room at all to room for all but the last file.
      for (let filled = 128; filled >= 92; filled -= ALL ? 4 : 18) {
        const out = join(path, 'x.csv')
        writeFileSync(join(path, 'ballast'), new Uint8Array(1024 * filled))
        const { code, signal, stderr } = await run([...QUICK, '--out', out])
        rmSync(join(path, 'ballast'))
        if (code === 0) break
        times++
        expect([code, signal, errorLines(stderr)]).toEqual([
          1,
          null,
          [expect.stringMatching(/the disk is full; make room.*--resume/)],
        ])
        expect(namesIn(path).filter((name) => name.endsWith('.tmp'))).toEqual([])
        const resumed = await run([...QUICK, '--out', out, '--resume'])
        expect([resumed.code, resumed.signal, errorLines(resumed.stderr)], resumed.stderr).toEqual([
          0,
          null,
          [],
        ])
        expect(sameBytes(out, quick)).toBe(true)
        for (const name of namesIn(path)) rmSync(join(path, name), { force: true })
      }
      expect(times).toBeGreaterThan(2)
      note('disk full', 1, RESUMED, times)
    } finally {
      spawnSync('umount', ['-l', path])
    }
  })

  it('that is read-only: exit 2, one line', async (context) => {
    const path = mounted('128k')
    if (!path) return context.skip()
    try {
      spawnSync('mount', ['-o', 'remount,ro', path])
      for (const out of [join(path, 'x.csv'), join(path, 'below', 'x.csv')]) {
        const { code, stderr } = await run([...QUICK, '--out', out])
        expect([code, errorLines(stderr)], stderr).toEqual([
          2,
          [expect.stringMatching(/(read-only|EROFS).*; choose another --out/)],
        ])
      }
      note('read-only folder', 2, 'another --out', 2)
    } finally {
      spawnSync('umount', ['-l', path])
    }
  })
})

it('two runs into one folder: the second is refused, whatever it asks for', async () => {
  const out = join(place(), 'x.csv')
  const second: ReturnType<typeof run>[] = []
  const first = start([...QUICK, '--out', out], {
    // It waits for the others, however fast it is.
    ...signalAt({ message: /\d of 30 aspects/, signal: 'SIGSTOP' }),
    onStderr: (text) => {
      if (second.length > 0 || !/\d of 30 aspects/.test(text)) return
      for (const more of [[], ['--resume'], ['--force']]) second.push(run([...QUICK, '--out', out, ...more]))
      void Promise.all(second).then(() => first.child.kill('SIGCONT'))
    },
  })
  const { code } = await first.ended
  expect(second).toHaveLength(3)
  for (const { code, signal, stderr } of await Promise.all(second))
    expect([code, signal, errorLines(stderr)], stderr).toEqual([
      2,
      null,
      [expect.stringMatching(new RegExp(`being written by process ${first.child.pid}|exists; give --force`))],
    ])
  expect(code).toBe(0)
  expect(sameBytes(out, quick)).toBe(true)
  note('two runs into one folder', 2, 'the first goes on', 3)
})

it('a clock that jumps changes nothing', async () => {
  const out = join(place(), 'x.csv')
  expect((await run([...QUICK, '--out', out], { node: withFault('clock') })).code).toBe(0)
  expect(sameBytes(out, quick)).toBe(true)
  note('clock jumps by days', 0, 'the run ends, same bytes')
})

it('rows damaged on disk are computed again; a damaged plan is reported', async () => {
  const out = join(place(), 'x.csv')
  await run([...QUICK, '--out', out], signalAt({ message: /^1\d of 30 aspects/, signal: 'SIGKILL' }))
  const rows = join(`${out}.partial`, 'rows.bin')
  const { length } = readFileSync(rows)
  expect(length).toBeGreaterThan(1000)
  truncateSync(rows, length - 5)
  const flipped = readFileSync(rows)
  flipped[Math.floor(length / 2)] ^= 16
  writeFileSync(rows, flipped)
  const plan = join(`${out}.partial`, 'plan.json')
  const text = readFileSync(plan)
  writeFileSync(plan, text.subarray(0, 9))
  const { code, stderr } = await run([...QUICK, '--out', out, '--resume'])
  expect([code, errorLines(stderr)]).toEqual([
    2,
    [expect.stringMatching(/plan\.json is damaged; start again with --force/)],
  ])
  writeFileSync(plan, text)
  await expectResumable(QUICK, out, quick)
  note('kept rows damaged on disk', 0, RESUMED, 1, 'damaged rows and those behind them') // prettier-ignore
})
