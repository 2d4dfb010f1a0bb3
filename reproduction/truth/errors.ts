import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { Random } from '../../math/random.js'
import { WorkerPool } from '../../parallel/worker-pool.js'
import { complexError, dbErrors, decibels } from '../../src/validate/errors.js'
import { type Family, MONOSTATIC } from './bodies.js'
import solveBody, { type SolveResult, type SolveTask } from './solve.js'
import type { TrueBody } from './truth.js'

/** Errors of one body against the method of moments. */
export interface BodyErrors {
  name: string
  family: Family
  /** By variant: of the monostatic and the bistatic cut, all channels together. */
  variants: Record<string, { complex: [number, number]; db: [number, number] }>
  /**
   * By mechanism and cut, of its part M of the default's field, what is missing R without it, and the truth T:
   * ‖M‖², re and im of ⟨M, R⟩ and ‖R‖², over ‖T‖². The factor c of M that leaves least is ⟨M, R⟩/‖M‖².
   */
  parts: Record<string, [Part, Part]>
}

type Part = [square: number, re: number, im: number, missing: number]

/** A mechanism's part in a cut. */
function partOf(all: Float64Array, without: Float64Array, truth: Float64Array): Part {
  const part: Part = [0, 0, 0, 0]
  let norm = 0
  for (let i = 0; i < truth.length; i += 2) {
    const [x, y] = [all[i] - without[i], all[i + 1] - without[i + 1]]
    const [u, v] = [truth[i] - without[i], truth[i + 1] - without[i + 1]]
    part[0] += x * x + y * y
    part[1] += x * u + y * v
    part[2] += x * v - y * u
    part[3] += u * u + v * v
    norm += truth[i] ** 2 + truth[i + 1] ** 2
  }
  return part.map((value) => value / norm) as Part
}

/** A cut's errors: ||F - F'|| / ||F'||, and rms dB of all channels with both clipped 30 dB below the cut's peak. */
function cutErrors(ours: Float64Array, truth: Float64Array): { complex: number; db: number } {
  const levels = (f: Float64Array): number[] =>
    Array.from({ length: f.length / 2 }, (_, i) => decibels(f[2 * i] ** 2 + f[2 * i + 1] ** 2))
  return { complex: complexError(ours, truth), db: dbErrors(levels(ours), levels(truth)).rmsDb }
}

/** Both cuts' errors of a body's fields. */
function errorsOf(
  fields: Float64Array,
  truth: Float64Array,
): { complex: [number, number]; db: [number, number] } {
  const at = 8 * MONOSTATIC
  const mono = cutErrors(fields.subarray(0, at), truth.subarray(0, at))
  const bistatic = cutErrors(fields.subarray(at), truth.subarray(at))
  return { complex: [mono.complex, bistatic.complex], db: [mono.db, bistatic.db] }
}

/**
 * Errors of all bodies with each variant (`SolveResult`), on `workers` threads, a body a task.
 * @param file  keeps the errors of finished bodies, a line each; those that it has are not computed again
 */
export async function errorsOfBodies(
  bodies: TrueBody[],
  workers: number,
  file: string,
): Promise<BodyErrors[]> {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  const found = new Map(kept.map((line) => JSON.parse(line) as BodyErrors).map((e) => [e.name, e]))
  const pool = new WorkerPool<SolveTask, SolveResult>({
    what: 'bodies',
    workers,
    module: new URL('./solve.js', import.meta.url),
    data: undefined,
    tasks: () => solveBody,
  })
  const left = bodies.filter(({ body }) => !found.has(body.name))
  let done = 0
  const start = performance.now()
  await Promise.all(
    left.map(async ({ body: { family, number, name }, truth }) => {
      try {
        const fields = await pool.run({ family, number })
        const variants = Object.fromEntries(
          [...fields].map(([variant, field]) => [variant, errorsOf(field, truth.fields)]),
        )
        const at = 8 * MONOSTATIC
        const cut = (mechanism: string, from: number, to?: number): Part => {
          const some = [fields.get('all')!, fields.get(`-${mechanism}`)!, truth.fields]
          const [a, b, c] = some.map((f) => f.subarray(from, to))
          return partOf(a, b, c)
        }
        const parts = Object.fromEntries(
          SECOND_ORDER.map((m) => [m, [cut(m, 0, at), cut(m, at)] as [Part, Part]]),
        )
        const errors: BodyErrors = { name, family, variants, parts }
        found.set(name, errors)
        appendFileSync(file, `${JSON.stringify(errors)}\n`)
        const spent = ((performance.now() - start) / 1000).toFixed(0)
        console.error(`${++done}/${left.length} ${name}, ${spent} s so far`)
      } catch (error) {
        console.error(`${name}: failed: ${String(error).split('\n')[0]}`)
      }
    }),
  )
  await pool.close()
  return bodies.flatMap(({ body }) => found.get(body.name) ?? [])
}

/** Draws of the bootstrap over bodies. */
const DRAWS = 2000
/** A cut is helped or hurt where its complex error changes by more than this. */
export const CHANGED = 0.01

export type Kind = 'complex' | 'db'
interface Mean {
  mean: number
  low: number
  high: number
}

/** Mean of both cuts. */
export const errorOf = ({ variants }: BodyErrors, variant: string, kind: Kind): number => {
  const [a, b] = variants[variant][kind]
  return (a + b) / 2
}

/** A statistic of bodies with its bootstrap interval of 95 %. */
export function bootstrap<T>(x: T[], of: (some: T[]) => number): Mean {
  const random = new Random(1, 0)
  const drawn = Array.from({ length: DRAWS }, () =>
    of(x.map(() => x[Math.floor(x.length * random.uniform())])),
  )
  drawn.sort((a, b) => a - b)
  return { mean: of(x), low: drawn[Math.floor(0.025 * DRAWS)], high: drawn[Math.floor(0.975 * DRAWS)] }
}

export const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length

/** The complex factor of a mechanism that leaves the least mean square of complex errors with all others, by cut; null where it has no part. */
export function bestFactor(all: BodyErrors[], mechanism: string): { re: number; im: number } | null {
  const sum: Part = [0, 0, 0, 0]
  for (const { parts } of all) for (const part of parts[mechanism]) part.forEach((x, i) => (sum[i] += x))
  return sum[0] > 0 ? { re: sum[1] / sum[0], im: sum[2] / sum[0] } : null
}

/** Changes from one variant to another by body, its error with `to` less that with `from`. */
export const changes = (all: BodyErrors[], from: string, to: string, kind: Kind): number[] =>
  all.map((e) => errorOf(e, to, kind) - errorOf(e, from, kind))

export const number = (x: number, digits: number): string =>
  `${x < 0 ? '−' : ''}${Math.abs(x).toFixed(digits).replace(/^0\./, '.')}`
export const signed = (x: number, digits: number): string =>
  Math.abs(x) < 0.5 * 10 ** -digits ? '0' : `${x > 0 ? '+' : ''}${number(x, digits)}`
export const interval = ({ mean, low, high }: Mean, digits: number): string =>
  `${signed(mean, digits)} (${signed(low, digits)} … ${signed(high, digits)})`

/** Cuts that a change helps and hurts, with the families of those that it hurts. */
export function helpedAndHurt(all: BodyErrors[], from: string, to: string): string[] {
  let helped = 0
  const hurt = new Map<string, number>()
  let count = 0
  for (const { family, variants } of all)
    for (const cut of [0, 1]) {
      const change = variants[to].complex[cut] - variants[from].complex[cut]
      if (change < -CHANGED) helped++
      if (change > CHANGED) {
        count++
        hurt.set(family, (hurt.get(family) ?? 0) + 1)
      }
    }
  const most = [...hurt].sort((a, b) => b[1] - a[1]).slice(0, 3)
  return [String(helped), `${count}${count > 0 ? `: ${most.map(([f, n]) => `${f} ${n}`).join(', ')}` : ''}`]
}
