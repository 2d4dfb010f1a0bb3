/** Errors of a curve against another. */
export interface CurveErrors {
  /** Of the differences in dB, both curves clipped at the floor: root mean square, median and maximum of their sizes. */
  rmsDb: number
  medianDb: number
  maxDb: number
  /** Mean difference, ours less the reference [dB]. */
  biasDb: number
  /** Pearson's correlation of the clipped curves in dB; null where one of them is constant. */
  correlation: number | null
  /** The floor [dB below the reference's maximum]. */
  floorDb: number
  /** The root mean square with the floors of `FLOORS` [dB], in their order, whatever `floorDb`. */
  rmsAtFloors: number[]
  /** Points compared. */
  points: number
  /** ||F - F_ref|| / ||F_ref||, where the reference has amplitudes. */
  complex?: number
}

/** Floors that every comparison is stated with [dB below the reference's maximum]. */
export const FLOORS = [30, 45, 60] as const

interface ErrorOptions {
  /** Both curves are clipped so far below the reference's maximum [dB]. Default 30. */
  floorDb?: number
  /** Only points where the reference is no further below its maximum count [dB]. */
  withinDb?: number
  /** Only these points count. */
  only?: (i: number) => boolean
}

/** Depth of a zero amplitude in tables [dBsm]. */
export const ZERO_DB = -300

/** 10 log10 x, ZERO_DB for zero. */
export const decibels = (x: number): number => (x > 0 ? Math.max(ZERO_DB, 10 * Math.log10(x)) : ZERO_DB)

/**
 * Errors of a curve in dB against a reference of the same length.
 * @throws Error where a value is not finite or no point is left to compare: a bug or a broken reference, never a result
 */
export function dbErrors(
  ours: ArrayLike<number>,
  reference: ArrayLike<number>,
  { floorDb = 30, withinDb = Infinity, only = () => true }: ErrorOptions = {},
): CurveErrors {
  let top = -Infinity
  for (let i = 0; i < reference.length; i++) if (only(i)) top = Math.max(top, reference[i])
  const points: [number, number][] = []
  for (let i = 0; i < reference.length; i++) {
    if (!only(i) || reference[i] < top - withinDb) continue
    if (!Number.isFinite(ours[i]) || !Number.isFinite(reference[i]))
      throw new Error(`point ${i} is ${ours[i]} dB against ${reference[i]} dB: not finite`)
    points.push([ours[i], reference[i]])
  }
  if (points.length === 0) throw new Error('no point to compare')
  const clipped = (below: number): [number, number][] =>
    points.map(([a, b]) => [Math.max(top - below, a), Math.max(top - below, b)])
  const pairs = clipped(floorDb)
  const difference = pairs.map(([a, b]) => a - b)
  const sizes = difference.map(Math.abs).sort((a, b) => a - b)
  const n = sizes.length
  return {
    rmsDb: rms(sizes),
    medianDb: (sizes[(n - 1) >> 1] + sizes[n >> 1]) / 2,
    maxDb: sizes[n - 1],
    biasDb: mean(difference),
    correlation: correlation(pairs),
    floorDb,
    rmsAtFloors: FLOORS.map((below) => rms(clipped(below).map(([a, b]) => a - b))),
    points: n,
  }
}

const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length

const rms = (x: number[]): number => Math.sqrt(mean(x.map((v) => v * v)))

function correlation(pairs: [number, number][]): number | null {
  const [a, b] = [mean(pairs.map((p) => p[0])), mean(pairs.map((p) => p[1]))]
  let [aa, bb, ab] = [0, 0, 0]
  for (const [x, y] of pairs) {
    aa += (x - a) ** 2
    bb += (y - b) ** 2
    ab += (x - a) * (y - b)
  }
  return aa > 1e-12 && bb > 1e-12 ? ab / Math.sqrt(aa * bb) : null
}

/** ||f - reference|| / ||reference|| of amplitudes, re and im interleaved. */
export function complexError(f: ArrayLike<number>, reference: ArrayLike<number>): number {
  let difference = 0
  let norm = 0
  for (let i = 0; i < reference.length; i++) {
    difference += (f[i] - reference[i]) ** 2
    norm += reference[i] ** 2
  }
  return Math.sqrt(difference / norm)
}

/** Error of `f` against `reference` (interleaved): rms in dB with both clipped 30 dB below the maximum, and ||f - ref||/||ref||. */
export function curveErrors(f: Float64Array, reference: Float64Array): { db: number; complex: number } {
  const power = (a: Float64Array): number[] =>
    Array.from({ length: reference.length / 2 }, (_, i) => decibels(a[2 * i] ** 2 + a[2 * i + 1] ** 2))
  return { db: dbErrors(power(f), power(reference)).rmsDb, complex: complexError(f, reference) }
}

/** Limits of a curve's errors. */
export interface Limit {
  /** Which of the errors in dB is held to `db`. */
  metric: 'rms' | 'max'
  db?: number
  /** Of the complex error. */
  complex?: number
}

/**
 * Of limits set from outside, a requirement is `met` or `missed`; of figures of a version or a prototype of isar, kept as a guard, the case is
 * `unchanged` or `changed`; `stated` where nothing is held to a limit.
 */
export type Verdict = 'met' | 'missed' | 'unchanged' | 'changed' | 'stated'

/** A case's line in validation.json. */
export interface CaseRecord {
  name: string
  title: string
  source: string
  basis: string
  level: string
  verdict: Verdict
  seconds: number
  device: string
  version: string
  date: string
  note?: string
  /** Files in figures/validation, without ending. */
  figures: { name: string }[]
  rows: {
    what: string
    method: string
    errors: CurveErrors
    limit?: Limit
    passed: boolean | null
  }[]
}

/** What validation.json holds. */
export interface Report {
  /** With the commit of a build in a clone: `0.2.0 (1a2b3c4)`. */
  version: string
  /** Processor, threads and version of Node of the last run; absent in reports of 0.2.0 and before. */
  machine?: string
  cases: CaseRecord[]
  /** Cases left out, and why. */
  left: { name: string; why: string }[]
}

/** Replacer of `JSON.stringify` that keeps six figures of numbers. */
export const sixFigures = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value

/** Text of validation.json: a case a line, numbers to six figures. */
export function reportJson({ cases, left, ...about }: Report): string {
  const lines = cases.map((c) => `    ${JSON.stringify(c, sixFigures)}`).join(',\n')
  const [head] = JSON.stringify(about, null, 2).split('\n}')
  return `${head},\n  "cases": [\n${lines}\n  ],\n  "left": ${JSON.stringify(left)}\n}\n`
}
