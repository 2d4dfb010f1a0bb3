// Errors of strips of materials, infinite along z, against the method of moments (test/validation/materials/README.md), of physical optics and with
// edges, as Markdown; * where edges are worse.
//   npm run build && node dist/reproduction/material-strips.js [name-part …] [--data test/validation/materials] [--widths 3] [--every 1]
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { direction } from '../scene/index.js'
import type { Layer, Material } from '../scene/materials/index.js'
import { argumentsOf, numbersOf } from './kit.js'
import { bothWays, complexError, Prism, strip } from './prism.js'

type Complex = [number, number]

const layer = (eps: Complex, thickness: number, mu: Complex = [1, 0]): Layer => ({
  medium: { name: 'm', eps, mu, conductivity: 0 },
  thickness,
})
const sheet = (of: Layer | { impedance: Complex }): Material => ({
  name: 'sheet',
  kind: 'sheet',
  stack: [of],
})
const coating = (of: Layer, sides: 'front' | 'both'): Material => ({
  name: 'coating',
  kind: 'opaque',
  stack: [of],
  backing: 'conductor',
  facet: 'outer',
  sides,
})
const magnetic = layer([12, -0.6], 0.05, [2.2, -1.6])

/** Material, and the plane of the facet lit from above [wavelengths]: the middle of a sheet, the outer face of a coating. */
const STRIPS: Record<string, [Material, number]> = {
  resistive_100: [sheet({ impedance: [100, 0] }), 0],
  resistive_377: [sheet({ impedance: [377, 0] }), 0],
  diel_thin: [sheet(layer([2.61, -0.036], 0.05)), 0],
  diel_glass: [sheet(layer([6.3, -0.05], 0.08)), 0],
  magram_sheet: [sheet(magnetic), 0],
  coat1_lossless: [coating(layer([4, 0], 0.06), 'front'), 0.06],
  coat1_magram: [coating(magnetic, 'front'), 0.05],
  coat2_lossy: [coating(layer([6, -1.2], 0.06), 'both'), 0.06],
  coat2_magram: [coating(magnetic, 'both'), 0.05],
}

/** Complex error, and rms errors with floors 30 and 40 dB below the peak [dB]. */
type Errors = [complex: number, floor30: number, floor40: number]

interface StripErrors {
  pol: 'TM' | 'TE'
  /** Rows of the file. */
  part: string
  optics: Errors
  edges: Errors
}

type Fields = Record<'optics' | 'edges', Float64Array>

/** Rows of a file of numbers. */
const rowsOf = (file: URL): number[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[-\d]/.test(line))
    .map(numbersOf)

/** Angles from the plane of the strip, from the face that is coated or from the other one. */
const PARTS: [part: string, side: number, from: number, to: number][] = [
  ['0-90', 1, 0, 90],
  ['10-90', 1, 10, 90],
  ['30-90', 1, 30, 90],
  ['60-90', 1, 60, 90],
  ['back 0-90', -1, 0, 90],
  ['back 10-90', -1, 10, 90],
  ['back 30-90', -1, 30, 90],
  ['back 60-90', -1, 60, 90],
]

const FLOORS = [30, 40]

/**
 * Errors of a strip's cut, of every part of it that the file has.
 *
 * @param folder  with the references
 * @param width   [wavelengths]
 * @param every   of so many rows one
 */
async function stripErrors(
  folder: URL,
  name: string,
  width: number,
  cut: 'mono' | 'bistatic',
  every: number,
): Promise<StripErrors[]> {
  const [material, y] = STRIPS[name]
  const front = new Prism(strip(y, material, -width / 2, width / 2))
  // Seen from its bare side a strip is where its metal is.
  const atMetal = { ...material, facet: 'metal' } as Material
  const back = y > 0 ? new Prism(strip(0, atMetal, -width / 2, width / 2)) : front
  const file = (what: string): URL => new URL(`strip_${name}_w${width}lam_${what}.csv`, folder)
  const all = rowsOf(file(cut))
  // The package has directions close to the plane in files of their own.
  if (cut === 'mono' && existsSync(file('grazing'))) all.unshift(...rowsOf(file('grazing')))
  const receiver = cut === 'bistatic' ? 1 : 0
  const parts: [string, number[][]][] =
    cut === 'bistatic'
      ? [...new Set(all.map(([phi]) => phi))].map((from) => [
          `from ${from}`,
          all.filter(([phi]) => phi === from),
        ])
      : PARTS.map(([part, side, from, to]) => [
          part,
          all.filter(([phi]) => side * phi >= from && side * phi <= to && (phi !== 0 || side > 0)),
        ])
  const fields = new Map<number[], Fields>()
  const sampled = all.filter((_, r) => r % every === 0)
  for (const row of sampled) {
    const prism = row[0] < 0 ? back : front
    const aspect = { tx: direction(90, row[0]), rx: direction(90, row[receiver]) }
    const optics = await prism.optics(aspect)
    const edges = await bothWays(prism, aspect, optics)
    fields.set(row, { optics, edges })
  }
  const out: StripErrors[] = []
  for (const [part, rows] of parts) {
    const some = rows.filter((row) => fields.has(row))
    if (some.length < 3) continue
    for (const [pol, at, sign, column] of [
      ['TM', 0, 1, 3],
      ['TE', 2, -1, 5],
    ] as const) {
      const want = some.flatMap((row) => row.slice(receiver + column, receiver + column + 2))
      // F = (j / pi) P of a length of 1 m.
      const of = (what: keyof Fields): Errors =>
        errorsOf(
          some.flatMap((row) => {
            const F = fields.get(row)![what]
            return [sign * Math.PI * F[at + 1], -sign * Math.PI * F[at]]
          }),
          want,
        )
      out.push({ pol, part, optics: of('optics'), edges: of('edges') })
    }
  }
  return out
}

function errorsOf(got: number[], want: number[]): Errors {
  const size = (list: number[]): number[] =>
    Array.from({ length: list.length / 2 }, (_, i) => Math.hypot(list[2 * i], list[2 * i + 1]))
  const [a, b] = [size(got), size(want)]
  const [x, z] = FLOORS.map((floor) => {
    const least = Math.max(...b) * 10 ** (-floor / 20)
    const sum = a.reduce((s, v, i) => s + Math.log10(Math.max(v, least) / Math.max(b[i], least)) ** 2, 0)
    return 20 * Math.sqrt(sum / a.length)
  })
  return [complexError(got, want), x, z]
}

const { values, words } = argumentsOf({ data: 'test/validation/materials', widths: '3', every: 1 })
const folder = pathToFileURL(`${values.data}/`)
const short = (x: number, digits: number): string => x.toFixed(digits).replace(/^0\./, '.')

console.log('| strip | width, λ | E or H along | angles | complex | 30 dB | 40 dB |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const name of Object.keys(STRIPS)) {
  if (words.length > 0 && !words.some((part) => name.includes(part))) continue
  for (const width of numbersOf(values.widths))
    for (const cut of ['mono', 'bistatic'] as const) {
      if (!existsSync(new URL(`strip_${name}_w${width}lam_${cut}.csv`, folder))) continue
      for (const { pol, part, optics, edges } of await stripErrors(folder, name, width, cut, values.every)) {
        const cells = optics.map((x, i) => {
          const digits = i === 0 ? 4 : 2
          return `${short(x, digits)} → ${short(edges[i], digits)}${edges[i] > 1.005 * x ? '*' : ''}`
        })
        console.log(`| ${name} | ${width} | ${pol === 'TM' ? 'E' : 'H'} | ${part} | ${cells.join(' | ')} |`)
      }
    }
}
