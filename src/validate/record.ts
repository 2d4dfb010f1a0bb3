import type { CurveErrors } from './errors.js'

// Types of the library alone: their declarations are in the package, those of the definitions, a megabyte, are not.

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
