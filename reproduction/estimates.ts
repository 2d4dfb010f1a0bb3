/**
 * Estimates of a run's time against the time that it took, each run in a process of its own, cold as a command is:
 *
 *     npm run build && node dist/reproduction/estimates.js [--meshes cube,found-a,FILE@20] [--freq 10e9] [--device auto] [--threads N]
 *         [--directions 120] [--seconds 8] [--second-order] [--quick]
 *
 * All samples and the stand-ins for meshes as found on the web, at one frequency and over a band of 15 % in 64 frequencies; --quick: a
 * few of them, half the seconds. A run is of fewer directions where its estimate is above --seconds. First: the estimate before the start.
 * Corrected: once the first aspects have shown it to be wrong. Quarter: as expected when a quarter of the directions were there. A star
 * marks what is off by more than a factor of 1.5. Busy: processor time of the run over its threads, which on a machine without a GPU that
 * does other work too is about the time that the run would take alone.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SECOND_ORDER } from '../cpu-diffraction/index.js'
import { textTable } from '../src/compare.js'
import { Hooks, type RunPlan } from '../run/job.js'
import { memoryStore } from '../run/results.js'
import { run } from '../run/run.js'
import { resolveSettings, type SolverSettings } from '../run/settings/settings.js'
import { allAround, meshCase, MESHES } from './cases.js'
import { argumentsOf } from './kit.js'

const QUICK = ['cube', 'sphere', 'drone', 'aircraft', 'aircraft-a', 'found-a']
const WITHIN = 1.5
const LEAST_DIRECTIONS = 4

const { values } = argumentsOf({
  meshes: '',
  /** 0: as each mesh has it, 0 threads: all. */
  freq: 0,
  device: 'auto',
  threads: 0,
  directions: 120,
  seconds: 8,
  'second-order': false,
  quick: false,
  /** One run in this process: the name of its mesh. */
  one: '',
  frequencies: 1,
})

/** What one run said of its time and took [s]; without `time` it was not begun, its estimate being above --seconds. */
interface Outcome {
  device: string
  first: number
  corrected?: number
  quarter?: number
  time?: number
  /** Processor time over threads. */
  busy?: number
}

class TooLong extends Error {}

/** One cold run, as a command makes it. */
async function outcomeOf(name: string, count: number, frequencies: number): Promise<Outcome> {
  const settings = resolveSettings({
    device: values.device as SolverSettings['device'],
    workers: values.threads || undefined,
  })
  const secondOrder = values['second-order'] ? [...SECOND_ORDER] : []
  const { mesh, freqHz } = await meshCase(name, settings.smoothAngleDeg, values.freq || undefined)
  const df = frequencies > 1 ? (0.15 * freqHz) / (frequencies - 1) : 0
  const band = { f0: frequencies > 1 ? 0.925 * freqHz : freqHz, df, n: frequencies }
  const outcome: Outcome = { device: '', first: 0 }
  let [start, used, threads] = [0, process.cpuUsage(), 1]
  const hooks = new Hooks({
    onEstimate: (seconds) => (outcome.corrected ??= seconds),
    onProgress: ({ phase, done, total, secondsLeft }) => {
      if (phase !== 'solve') return
      outcome.time = (performance.now() - start) / 1e3
      const { user, system } = process.cpuUsage(used)
      outcome.busy = (user + system) / 1e6 / threads
      if (done >= total / 4 && secondsLeft !== undefined) outcome.quarter ??= outcome.time + secondsLeft
    },
  })
  const onPlan = ({ estimate, engines }: RunPlan): void => {
    const { device, text } = engines.facets.describe()
    threads = device === 'cpu' ? engines.sbrWorkers : (engines.edges?.engine.describe().threads ?? 1)
    outcome.device = text
    outcome.first = estimate.seconds + estimate.coldSeconds
    if (outcome.first > values.seconds) throw new TooLong()
    start = performance.now()
    used = process.cpuUsage()
  }
  const request = {
    command: 'reproduction',
    target: mesh,
    settings: { ...settings, secondOrder },
    record: {},
  }
  try {
    await (
      await run({ ...request, job: allAround(count, band), store: memoryStore, hooks, onPlan })
    ).closed
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
  }
  return outcome
}

/** The same in a process with the options of Node of the command's first line. */
function inProcess(name: string, count: number, frequencies: number, seconds: number): Outcome {
  const options = readFileSync('dist/src/cli/main.js', 'utf8').split('\n')[0].split(' ').slice(3)
  const more = { one: name, directions: count, frequencies, seconds }
  const args = Object.entries(more).flatMap(([key, value]) => [`--${key}`, `${value}`])
  const child = spawnSync(
    process.execPath,
    [...options, fileURLToPath(import.meta.url), ...process.argv.slice(2), ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (child.status !== 0) throw new Error(`${name} ended with ${child.status}`)
  return JSON.parse(child.stdout) as Outcome
}

const cell = (x: number): string => x.toFixed(2)
const over = (estimate: number | undefined, time: number): string => {
  if (estimate === undefined) return ''
  const ratio = estimate / time
  return `${ratio.toFixed(2)}${Math.max(ratio, 1 / ratio) > WITHIN ? '*' : ''}`
}

function table(): void {
  const meshes = values.meshes ? values.meshes.split(',') : values.quick ? QUICK : MESHES
  const rows: string[][] = []
  let described = ''
  const seconds = values.seconds / (values.quick ? 2 : 1)
  for (const name of meshes)
    for (const frequencies of [1, 64]) {
      let count = values.directions
      let outcome = inProcess(name, count, frequencies, seconds)
      if (outcome.time === undefined) {
        count = Math.max(LEAST_DIRECTIONS, Math.floor((count * seconds) / outcome.first))
        outcome = inProcess(name, count, frequencies, Infinity)
      }
      const { device, first, corrected, quarter, time = NaN, busy = NaN } = outcome
      described = device
      const ratios = [first, corrected, quarter].map((estimate) => over(estimate, time))
      const cells = [`${frequencies}`, `${count}`, ...[first, time, busy].map(cell), ...ratios]
      rows.push([name, ...cells, over(first, busy)])
      process.stderr.write(`${rows.at(-1)!.join('  ')}\n`)
    }
  console.log(`Estimates of cold runs; ${described}`)
  const head =
    'mesh,frequencies,directions,first [s],time [s],busy [s],first / time,corrected / time,quarter / time,first / busy'
  console.log(textTable(head.split(','), rows))
}

if (values.one === '') table()
else {
  const outcome = await outcomeOf(values.one, values.directions, values.frequencies)
  // Dawn's and Piscina's threads may outlive the work.
  process.stdout.write(JSON.stringify(outcome), () => process.exit(0))
}
