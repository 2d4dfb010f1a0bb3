/**
 * The best complex factors of mechanisms on the fitting half of the random bodies, all others in place: least mean square complex error.
 *
 *     node dist/reproduction/truth/fit.js [NAME…] [--errors FILE] [--write]
 *
 * FILE is what `ledger.js --half fit --errors FILE` keeps. Fields are multiples of the constants of `edge-wave`, `corner` and `travelling`:
 * `--write` multiplies these in their sources and in constants.ts; then build again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { markdownTable } from '../../src/validate/report.js'
import { argumentsOf } from '../kit.js'
import { bestFactor, type BodyErrors, bootstrap, number } from './errors.js'

const { values, words } = argumentsOf({ errors: '', write: false })
if (values.errors === '') throw new Error('--errors is missing: see the head of this file')
const all = readFileSync(values.errors, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as BodyErrors)
if (all.some(({ name }) => Number(name.slice(-2)) % 2 === 1))
  throw new Error(`${values.errors} has bodies of the judging half`)

/** Mean square complex error of the cuts in which a mechanism has a part, with a factor of it. */
function residual(mechanism: string, re: number, im: number): number {
  const parts = all.flatMap((e) => e.parts[mechanism]).filter(([square]) => square > 0)
  const errors = parts.map(([m, x, y, r]) => r - 2 * (re * x + im * y) + (re * re + im * im) * m)
  return errors.reduce((a, b) => a + b, 0) / parts.length
}

/** Constants of which a mechanism's field is a multiple, in its source and, quoted, in constants.ts. */
const CONSTANTS: Record<string, string[]> = {
  'edge-wave': ['ALONG', 'ACROSS', 'BETWEEN'],
  corner: ['REFLECTION'],
  travelling: ['REFLECTION', 'PHASE'],
}
/** A reflection as size and phase [degrees], as a size alone, and as a phase alone. */
const FORMS = String.raw`polar\(([\d.]+), (-?\d+)\)|([\d.]+)$|([\d.]+)'|\((-?\d+) \* Math\.PI\) / 180`

function write(mechanism: string, size: number, degrees: number): void {
  const sized = (g: string): number => Number((Number(g) * size).toPrecision(2))
  const turned = (phase: string): number => Math.round(((Number(phase) + degrees + 540) % 360) - 180)
  const files = (readdirSync('cpu-diffraction', { recursive: true }) as string[]).map((file) =>
    join('cpu-diffraction', file),
  )
  const wanted = mechanism === 'edge-wave' ? 'edge-waves' : mechanism === 'corner' ? 'face-waves' : mechanism
  for (const name of CONSTANTS[mechanism] ?? [])
    for (const file of ['reproduction/truth/constants.ts', ...files]) {
      const isTable = file.startsWith('reproduction')
      if (!file.endsWith('.ts') || !(isTable || file.includes(wanted))) continue
      const head = isTable ? `row\\('${mechanism}', 'fit', '${name}', '` : `^const ${name} = `
      const text = readFileSync(file, 'utf8')
      const changed = text.replace(
        new RegExp(`(${head})(?:${FORMS})`, 'm'),
        (_, before: string, ...[g, phase, alone, quoted, angle]: (string | undefined)[]) => {
          if (g !== undefined) return `${before}polar(${sized(g)}, ${turned(phase!)})`
          if (alone !== undefined) return `${before}${sized(alone)}`
          if (quoted !== undefined) return `${before}${sized(quoted)}'`
          return `${before}(${turned(angle!)} * Math.PI) / 180`
        },
      )
      if (changed !== text) writeFileSync(file, changed)
    }
}

const names = words.length > 0 ? words : SECOND_ORDER
const rows = names.map((mechanism) => {
  const best = bestFactor(all, mechanism)
  if (best === null) return [mechanism, '0', '', '', '', '', '']
  const { re, im } = best
  const [size, degrees] = [Math.hypot(re, im), (Math.atan2(im, re) * 180) / Math.PI]
  const { low, high } = bootstrap(all, (some) => bestFactor(some, mechanism)?.re ?? 0)
  const errors = [residual(mechanism, 0, 0), residual(mechanism, 1, 0), residual(mechanism, re, im)]
  if (values.write) write(mechanism, size, degrees)
  const cuts = all.flatMap((e) => e.parts[mechanism]).filter(([square]) => square > 0).length
  return [
    mechanism,
    String(cuts),
    `${number(size, 2)} ∠${number(degrees, 0)}°`,
    `${number(low, 2)} … ${number(high, 2)}`,
    ...errors.map((e) => number(e, 4)),
  ]
})
console.log(
  markdownTable(
    ['mechanism', 'cuts', 'factor', 'real part, 95 %', 'without', 'as it is', 'with the factor'],
    rows,
    [1, 2, 3, 4, 5, 6],
  ),
)
