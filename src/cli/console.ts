import { endTargetThread } from '../../run/target-thread.js'
import { printable } from '../../scene/index.js'

/** Where a command line writes: the process, or what a test or another program reads. */
export interface Io {
  stdout: { write(text: string): unknown; isTTY?: boolean }
  stderr: { write(text: string): unknown; isTTY?: boolean }
}

/** Messages to people go to stderr; results go to files, and with --json one summary to stdout. One of a command line. */
export class Console {
  /** Of --quiet and --json, once they are parsed. */
  private quiet = false
  private wantsJson = false
  /** Of a command that ends without a message why. */
  exitCode = 0
  private bar = ''
  /** Done at the start of the run, and at the end of its first part, which is slow with cold compilers and caches. */
  private initial = -1
  private first: { done: number; at: number } | null = null
  private lastDrawn = 0

  constructor(private readonly io: Io = process) {}

  /** Takes what the options of the command ask for. */
  configure({ quiet, json }: { quiet?: boolean; json?: boolean }): void {
    this.quiet = quiet === true
    this.wantsJson = json === true
  }

  /** Whether somebody reads stdout on a terminal. */
  get isTerminal(): boolean {
    return this.io.stdout.isTTY === true
  }

  /** Writes to stdout. */
  print(text: string): void {
    this.io.stdout.write(text)
  }

  /** With --json prints one line of it on stdout. */
  json(summary: unknown): void {
    if (this.wantsJson) this.print(`${JSON.stringify(summary)}\n`)
  }

  /** Writes to stderr, also where nothing is said. */
  error(text: string): void {
    this.io.stderr.write(text)
  }

  say(line: string): void {
    if (this.quiet) return
    this.clearBar()
    this.error(printable(line) + '\n')
    this.drawBar()
  }

  warn(line: string): void {
    this.say(`warning: ${line}`)
  }

  /**
   * Redraws the progress bar on a terminal; elsewhere a line every tenth part. Parts of one that is being done count.
   * @param secondsLeft  by the parts done so far where absent
   */
  progress(done: number, total: number, what: string, secondsLeft?: number): void {
    if (this.quiet || total === 0) return
    if (this.initial < 0) this.initial = done
    if (!this.first && done > this.initial) this.first = { done, at: performance.now() }
    const { done: before, at } = this.first ?? { done, at: 0 }
    const made = done - before
    const rate = made > 0 ? (performance.now() - at) / 1000 / made : NaN
    const left = secondsLeft ?? (total - done) * rate
    const finished = Number.isInteger(done) ? String(done) : `${Math.round((100 * done) / total)} %`
    const text =
      `${finished} of ${total} ${what}` + (done < total && left >= 0 ? `, ${duration(left)} left` : '')
    if (this.io.stderr.isTTY) {
      const width = 30
      const full = Math.round((width * done) / total)
      this.clearBar()
      this.bar = done < total ? `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${text}` : ''
      this.drawBar()
    } else {
      const tenth = Math.floor((10 * done) / total)
      if (tenth > this.lastDrawn) {
        this.lastDrawn = tenth
        this.error(text + '\n')
      }
    }
  }

  clearBar(): void {
    if (this.bar && this.io.stderr.isTTY) this.error('\r\x1b[K')
  }

  private drawBar(): void {
    if (this.bar && this.io.stderr.isTTY) this.error(this.bar)
  }
}

/** 75 -> "1 min 15 s". */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}

/** 12345678 -> "12.3 M". */
export function count(n: number): string {
  for (const [unit, size] of [
    ['T', 1e12],
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e4],
  ] as const)
    // prettier-ignore
    if (n >= size) return `${(n / (unit === 'k' ? 1e3 : size)).toPrecision(3)} ${unit}`
  return String(Math.round(n))
}

/** Bytes with a unit. */
export const bytes = (n: number): string =>
  n >= 2 ** 30 ? `${(n / 2 ** 30).toFixed(1)} GiB` : `${Math.max(1, Math.round(n / 2 ** 20))} MiB`

/** Raised by Ctrl-C: finished parts are kept. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** How long work may go on after Ctrl-C where it looks at no signal, a solution of very many frequencies above all [ms]. */
const PATIENCE_MS = 5000
/** When a run that goes on after Ctrl-C says so [ms]. */
const ANSWER_MS = 500

/** A signal that Ctrl-C fires with Interrupted of the message then, between `listen` and `end`. */
export function interruption(message: () => string): {
  signal: AbortSignal
  listen: () => void
  end: () => void
} {
  const interrupt = new AbortController()
  let answer: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  const onSignal = (): void => {
    interrupt.abort(new Interrupted(message()))
    answer = setTimeout(() => process.stderr.write('stopping  waits for its threads\n'), ANSWER_MS)
    answer.unref()
    // What is finished is kept already.
    timer = setTimeout(() => {
      process.stderr.write(
        `isar: ${message()}; threads did not end in time; continue a started run with --resume\n`,
      )
      process.exit(130)
    }, PATIENCE_MS)
    timer.unref()
  }
  return {
    signal: interrupt.signal,
    listen() {
      process.once('SIGINT', onSignal)
      process.once('SIGTERM', onSignal)
    },
    end() {
      clearTimeout(answer)
      clearTimeout(timer)
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
    },
  }
}

/**
 * Ends the process with 130 on a signal that no command listens for: before its work, while results are written, or
 * when the first signal has not ended it yet. Temporary files are removed.
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      process.stderr.write('isar: interrupted; continue a started run with --resume\n')
      void endTargetThread().then(() => process.exit(130))
    })
}
