import { existsSync, readFileSync } from 'node:fs'
import { bodies, type Body, BISTATIC, fingerprint, MONOSTATIC } from './bodies.js'

/** Largest number of a line: the peak. */
const STEPS = 9999
/** VV, HH and the cross-polarised mean of monostatic directions; VV, HH, VH, HV of bistatic ones: re and im. */
const VALUES = 6 * MONOSTATIC + 8 * BISTATIC

export const HEADER = `# Random bodies by the method of moments (reproduction/truth/make.ts). A line a body: name, fingerprint, unknowns, residual,
# power error, peak [m]; then re and im of F in 1/${STEPS} of the peak: VV, HH, HV of ${MONOSTATIC} monostatic directions and VV, HH, VH, HV of ${BISTATIC} bistatic ones.`

/** Fields of a body by the method of moments. */
export interface Solved {
  /** 8 numbers a direction, the monostatic ones first: re and im of F [m] for VV, HH, VH, HV. */
  fields: Float64Array
  unknowns: number
  residual: number
  powerError: number
}

/** A body with its fields. */
export interface TrueBody {
  body: Body
  truth: Solved
}

/** The bodies' lines of a file, by name; none where there is no file. */
export function linesOf(file: string): Map<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return new Map(lines.filter((line) => /^[a-z]/.test(line)).map((line) => [line.split(',')[0], line]))
}

export function truthLine(body: Body, { fields, unknowns, residual, powerError }: Solved): string {
  const peak = fields.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const kept = [...fields].filter((_, i) => i >= 8 * MONOSTATIC || (i % 8) >> 1 !== 2)
  const numbers = kept.map((x) => Math.round((STEPS * x) / peak))
  return [
    body.name,
    fingerprint(body),
    unknowns,
    residual.toExponential(1),
    powerError.toExponential(1),
    peak.toPrecision(6),
    ...numbers,
  ].join()
}

/** @throws Error for a line of another body, or of another version of it */
export function parseLine(line: string, body: Body): Solved {
  const [, hash, unknowns, residual, powerError, peak, ...numbers] = line.split(',')
  if (hash !== fingerprint(body))
    throw new Error(`${body.name}: its fields are those of another body: make them again`)
  if (numbers.length !== VALUES)
    throw new Error(`${body.name} has ${numbers.length} numbers in place of ${VALUES}`)
  const fields = new Float64Array(8 * (MONOSTATIC + BISTATIC))
  let at = 0
  for (let i = 0; i < fields.length; i++) {
    const twin = i < 8 * MONOSTATIC && (i % 8) >> 1 === 2
    // Monostatic VH is HV, which follows.
    const n = twin ? numbers[at + (i % 2)] : numbers[at++]
    fields[i] = (Number(n) * Number(peak)) / STEPS
  }
  return { fields, unknowns: Number(unknowns), residual: Number(residual), powerError: Number(powerError) }
}

/** The bodies whose fields are stored in a file, by number, then family. */
export function readTruth(file = 'reproduction/truth/bodies.csv'): TrueBody[] {
  const lines = linesOf(file)
  return [...bodies()].flatMap((body) => {
    const line = lines.get(body.name)
    return line === undefined ? [] : [{ body, truth: parseLine(line, body) }]
  })
}
