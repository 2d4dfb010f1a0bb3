import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { random } from '../../helpers/random.js'
import { isCad, type Kind } from './seeds.js'

export interface Outcome {
  /** `read` and `refused` are as they should be; a refusal is one line without control characters. */
  outcome:
    'read' | 'refused' | 'muddled' | 'crashed' | 'polluted' | 'too slow' | 'too much memory' | 'hung' | 'died'
  message: string
  /** Processor time. */
  seconds: number
  /** Address space asked for since the reader started [MiB]. */
  megabytes: number
}

export interface Failure extends Outcome {
  /** Seed of the file, and the file, which stays. */
  seed: number
  path: string
}

export interface FuzzReport {
  counts: Partial<Record<Outcome['outcome'], number>>
  failures: Failure[]
  slowest: number
  largest: number
}

/** Processes that read files at the same time. */
const READERS = 2

/** A file may take 2 s of processor time; on a busy machine that is several of the clock. */
const HANG_SECONDS = 60

/** WebAssembly, which casts rays, reserves 10 GiB of addresses for each memory otherwise. */
const WITHOUT_GUARDS = '--disable-wasm-trap-handler'

/** A process that reads files one after the other, started anew after a crash. */
class Reader {
  private child: ChildProcessWithoutNullStreams | null = null
  private answer: (outcome: Outcome) => void = () => {}

  read(path: string): Promise<Outcome> {
    this.child ??= this.start()
    return new Promise((done) => {
      const verdict = (outcome: Outcome['outcome']): void => {
        this.stop()
        done({ outcome, message: '', seconds: HANG_SECONDS, megabytes: 0 })
      }
      const timer = setTimeout(() => verdict('hung'), 1000 * HANG_SECONDS)
      this.child!.once('close', () => verdict('died'))
      this.answer = (outcome) => {
        clearTimeout(timer)
        this.child!.removeAllListeners('close')
        // What one file left behind must not count against the next.
        if (outcome.outcome !== 'read' && outcome.outcome !== 'refused') this.stop()
        done(outcome)
      }
      this.child!.stdin.write(`${path}\n`)
    })
  }

  stop(): void {
    this.child?.removeAllListeners('close')
    this.child?.kill('SIGKILL')
    this.child = null
  }

  private start(): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [WITHOUT_GUARDS, resolve('test/reliability/fuzz/reader.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }) as unknown as ChildProcessWithoutNullStreams
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', (line) => this.answer(JSON.parse(line) as Outcome))
    return child
  }
}

/** Files of a kind after which readers end, that what one kind left behind does not count against the next. */
const SHARED_UP_TO = 1000

/** Readers of few files serve all kinds, since each takes a second to start; those of CAD measure memory otherwise (reader.mjs). */
const readers = Array.from({ length: READERS }, () => ({ cad: new Reader(), other: new Reader() }))

export function stopReaders(): void {
  for (const { cad, other } of readers) for (const reader of [cad, other]) reader.stop()
}

/** Has `count` mutated files of a kind read, numbered from `seed` on. Files that went wrong stay in a temporary folder. */
export async function fuzz(kind: Kind, count: number, seed: number): Promise<FuzzReport> {
  const folder = mkdtempSync(join(tmpdir(), 'isar-fuzz-'))
  const report: FuzzReport = { counts: {}, failures: [], slowest: 0, largest: 0 }
  let next = seed
  const readOn = async ({ cad, other }: (typeof readers)[number]): Promise<void> => {
    while (next < seed + count) await readOne(isCad(kind) ? cad : other, next++)
  }
  const readOne = async (reader: Reader, i: number): Promise<void> => {
    const path = join(folder, `${i}${kind.ending}`)
    writeFileSync(path, kind.make(random(i)))
    let result = await reader.read(path)
    // Processor time grows with what else the machine does: the least of some readings counts.
    for (let again = 0; again < 2 && result.outcome === 'too slow'; again++) result = await reader.read(path)
    report.counts[result.outcome] = (report.counts[result.outcome] ?? 0) + 1
    report.slowest = Math.max(report.slowest, result.seconds)
    report.largest = Math.max(report.largest, result.megabytes)
    if (result.outcome === 'read' || result.outcome === 'refused') rmSync(path)
    else report.failures.push({ ...result, seed: i, path })
  }
  await Promise.all(readers.map(readOn))
  if (count > SHARED_UP_TO) stopReaders()
  report.failures.sort((a, b) => a.seed - b.seed)
  if (report.failures.length === 0) rmSync(folder, { recursive: true })
  return report
}
