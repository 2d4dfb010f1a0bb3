import { Random } from '../../math/random.js'
import type { BodyErrors, Part } from './errors.js'

/** Draws of the bootstrap over bodies. */
const DRAWS = 2000
/** A cut is helped or hurt where its complex error changes by more than this. */
export const CHANGED = 0.01

export type Kind = 'complex' | 'db'
export interface Mean {
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
