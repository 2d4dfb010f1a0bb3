// Prints errors of the validation cuts with rays alone, with edges, and with second-order edge mechanisms, as Markdown.
//   npm run docs -- second-order, or node dist/reproduction/second-order.js [name-part …] [--with reflected,wall,double --with LIST] [--data DIR]
import { availableParallelism } from 'node:os'
import { SECOND_ORDER, type SecondOrder } from '../cpu-diffraction/index.js'
import { eachInFlight, stoppable } from '../run/sweep/index.js'
import { type DefinitionOf, needsData, readDefinitions } from '../src/validate/definition.js'
import type { CurveErrors } from '../src/validate/errors.js'
import { packageFolders } from '../src/validate/meshes.js'
import { runCut } from '../src/validate/kinds/cut.js'
import { argumentsOf } from './kit.js'

type Cut = DefinitionOf<'cut'>
type Pair = [CurveErrors | undefined, CurveErrors | undefined]

const { values, words } = argumentsOf({ with: ['reflected,wall,double', SECOND_ORDER.join()], data: '' })
const folders = packageFolders(values.data || undefined)
const lists = values.with.map((list) => list.split(',') as SecondOrder[])
const cuts = readDefinitions(folders.validation).filter(
  (d): d is Cut =>
    d.kind === 'cut' &&
    d.level !== 'full' &&
    d.solver.diffraction !== 'none' &&
    (values.data !== '' || !needsData(d)) &&
    (words.length === 0 || words.some((part) => d.name.includes(part))),
)

/** Errors of both channels over the whole cut: with rays alone, and with edges where the target has any. */
async function errors(d: Cut, solver: Cut['solver']): Promise<{ rays: Pair; edges: Pair; seconds: number }> {
  const start = performance.now()
  const { rows } = await runCut({ ...d, solver }, folders, { device: 'cpu' })
  const whole = rows.some((r) => r.method !== 'SBR')
  const of = (method: (name: string) => boolean): Pair => {
    const [vv, hh] = ['VV', 'HH'].map(
      (what) => rows.find((r) => r.what.split(',')[0] === what && method(r.method))?.errors,
    )
    return [vv, hh]
  }
  return {
    rays: of((name) => name === 'SBR'),
    edges: of((name) => !whole || name !== 'SBR'),
    seconds: (performance.now() - start) / 1000,
  }
}

const number = (x: number | undefined, digits: number): string =>
  x === undefined ? '–' : x.toFixed(digits).replace(/^0\./, '.')
const cell = (pair: Pair): string => {
  const complex = pair.some((e) => e?.complex !== undefined)
  const text = pair.map((e) => number(e?.rmsDb, 2)).join(' / ')
  return complex ? `${text} (${pair.map((e) => number(e?.complex, 3)).join(' ')})` : text
}

console.log(`# Second order at edges against references

The cuts of \`isar validate\`, rms dB VV / HH with both curves clipped 30 dB below the maximum, in
brackets the complex error relative to the reference's norm. [Second order at edges](../second-order.md) defines the mechanisms.
`)
console.log(`| case | rays | rays and edges | ${lists.map((l) => `and ${l.join(', ')}`).join(' | ')} |`)
console.log(`| --- | --- | --- |${' --- |'.repeat(lists.length)}`)
const sums = { rays: 0, first: 0, second: lists.map(() => 0), curves: 0 }
const worse: string[] = []
/** Of each cut: with first order, and with each list of mechanisms. */
const found: Awaited<ReturnType<typeof errors>>[][] = []
// A cut's threads wait for one another now and then.
await eachInFlight(cuts.keys(), Math.ceil(availableParallelism() / 4), stoppable(), async (i) => {
  const d = cuts[i]
  found[i] = []
  for (const secondOrder of [[], ...lists]) found[i].push(await errors(d, { ...d.solver, secondOrder }))
  console.error(`${d.name}: ${found[i].map((e) => number(e.seconds, 1)).join(', ')} s`)
})
for (const [at, d] of cuts.entries()) {
  const [first, ...second] = found[at]
  if (first.edges.every((e) => e === undefined)) continue
  const cells = [first.rays, first.edges, ...second.map((e) => e.edges)].map(cell)
  console.log(`| ${d.name} | ${cells.join(' | ')} |`)
  for (const [i, channel] of ['VV', 'HH'].entries()) {
    const [rays, before] = [first.rays[i], first.edges[i]]
    const after = second.map((e) => e.edges[i])
    for (const [l, list] of lists.entries())
      for (const key of ['complex', 'rmsDb'] as const) {
        const [a, b] = [before?.[key], after[l]?.[key]]
        if (a !== undefined && b !== undefined && b > 1.1 * a)
          worse.push(`${list.join()} ${d.name} ${channel} ${key}: ${number(a, 3)} to ${number(b, 3)}`)
      }
    if (rays?.complex === undefined || before?.complex === undefined) continue
    sums.rays += rays.complex
    sums.first += before.complex
    for (const [l, e] of after.entries()) sums.second[l] += e?.complex ?? NaN
    sums.curves++
  }
}
if (sums.curves > 0) {
  const mean = (x: number): string => number(x / sums.curves, 3)
  console.log(
    `\nMean complex error of ${sums.curves} curves: rays ${mean(sums.rays)}, with edges ${mean(sums.first)}, ` +
      lists.map((list, l) => `with ${list.join()} ${mean(sums.second[l])}`).join(', ') +
      '.',
  )
}
console.log(
  `\nWorse by more than 10 % than with first-order edges:${worse.length === 0 ? ' none.' : `\n\n- ${worse.join('\n- ')}`}`,
)
