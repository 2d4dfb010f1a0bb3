import { readFileSync } from 'node:fs'
import { SETTINGS, settingOf } from '../../run/settings/settings.js'
import { defaultOf } from '../../run/settings/types.js'
import { MODEL_COVERAGE } from '../../run/error-estimate.js'
import { windowSamples, type WindowName } from '../../isar/index.js'
import { FLOORS, type Report } from '../../src/validate/errors.js'
import { needsData, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import { WHOLE } from '../../src/validate/solve.js'

/** A number quoted by hand, and where it is from: `0.84 dB<!-- from: validation ship-10ghz-phi0 VV edges rms -->`. */
export interface Quoted {
  number: string
  source: string
  /** Where in the text the number begins. */
  at: number
}

const MARKER = /<!-- from: (.+?) -->/g
/** A number as documents write it. */
const DIGITS = String.raw`[-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e-?\d+)?`
/** It, and what may stand between it and its marker: its unit, the rest of a link. */
const TO_MARKER = String.raw`(?<![\w.])(${DIGITS})([^\d\n<|]*(?:\]\([^)\n]*\))?[^\d\n<|]*)`
const NUMBER = new RegExp(`${TO_MARKER}$`)
const MARKED = new RegExp(`${TO_MARKER}<!-- from: .+? -->`, 'g')
const UNITS = 'dB|ms|s|seconds?|minutes?|hours?|%|(?:validation )?cases?|facets|aspects|images|times'
const BARE = String.raw`[\d.,]*\d(?:e-?\d+)?`
/** A number with a unit, or the first of several: `1.9 / 1.0 dB`, `.4 to § s`, § one that has a marker. */
const WITH_UNIT = new RegExp(
  String.raw`(?<![\w.])${BARE}(?: (?:\/|to|→) (?:§|${BARE}))* (?:${UNITS})(?![\w])`,
  'g',
)

/** The numbers of a text that have markers. @throws Error for a marker without a number before it */
export function quotedNumbers(text: string): Quoted[] {
  let from = 0
  return [...text.matchAll(MARKER)].map((match) => {
    const found = NUMBER.exec(text.slice(from, match.index))
    if (!found) throw new Error(`no number before ${match[0]}`)
    const at = from + found.index
    from = match.index + match[0].length
    return { number: found[1], source: match[1], at }
  })
}

/** Numbers of accuracy, time and counts in prose that have no marker. */
export function unmarkedNumbers(prose: string): string[] {
  const rest = prose
    .replace(/`[^`\n]*`/g, '``')
    .replace(MARKED, '§$2')
    .replace(/\]\([^)]*\)/g, ']')
  return [...rest.matchAll(WITH_UNIT)].map(([found]) => found)
}

const report = (): Report => JSON.parse(readFileSync('docs/validation.json', 'utf8')) as Report
/** What methods are called in the report: rays alone; the default, without mechanisms of second order where they do not count; others. */
const METHODS: Record<string, string[]> = {
  rays: ['SBR'],
  edges: [WHOLE, 'SBR + TW-ILDC'],
  creeping: ['SBR, creeping'],
  full: ['full wave'],
}

/** A file of the repository, or by a name without an ending a page of docs/tables. */
const pathOf = (file: string): string => (file.includes('.') ? file : `docs/tables/${file}.md`)
/** Numbers as code and tables write them. */
const PLAIN = /-?[\d.]*\d(?:e-?\d+)?/g

/** What sources are: the first word, then its arguments. */
const SOURCES: Record<string, (...args: string[]) => number> = {
  /** validation CASE CURVE rays|edges|creeping|full rms|median|max|complex|points|floor, or rms-45 for another floor; CURVE is a row's name or the first word of it. */
  validation(name, curve, method, figure) {
    const row = report()
      .cases.find((c) => c.name === name)
      ?.rows.find(
        (r) => [r.what, r.what.split(/[ ,]/)[0]].includes(curve) && METHODS[method].includes(r.method),
      )
    if (!row) throw new Error(`the report has no ${curve} of ${name} by ${method}`)
    const [, floor] = /^rms-(\d+)$/.exec(figure) ?? []
    if (floor) return row.errors.rmsAtFloors[FLOORS.indexOf(Number(floor) as (typeof FLOORS)[number])]
    const { rmsDb, medianDb, maxDb, complex, points, floorDb } = row.errors
    return { rms: rmsDb, median: medianDb, max: maxDb, complex, points, floor: floorDb }[figure] as number
  },
  /** worst rays|edges|creeping|full GROUP...: the largest rms of any curve of these groups [dB]. */
  worst(method, ...groups) {
    const own = new Set(definitions().flatMap((d) => (groups.includes(d.group) ? [d.name] : [])))
    const rows = report().cases.flatMap((c) => (own.has(c.name) ? c.rows : []))
    return Math.max(...rows.flatMap((r) => (METHODS[method].includes(r.method) ? [r.errors.rmsDb] : [])))
  },
  /** cases quick|standard|full: those of a run of that level; cases GROUP...: those of groups. */
  cases(...what) {
    const levels = ['quick', 'standard', 'full']
    const [level] = what
    if (!levels.includes(level)) return definitions().filter((d) => what.includes(d.group)).length
    return definitions().filter((d) => levels.indexOf(d.level) <= levels.indexOf(level)).length
  },
  /** facets SAMPLE: of samples/SAMPLE.stl. */
  facets: (sample) => readFileSync(`samples/${sample}.stl`).readUInt32LE(80),
  /** default SETTING, by its name in the library. */
  default(name) {
    const key = SETTINGS.find((setting) => setting === name)
    if (!key) throw new Error(`there is no setting ${name}`)
    return Number(defaultOf(settingOf(key)))
  },
  /** coverage of the model error [%]. */
  coverage: () => 100 * MODEL_COVERAGE,
  /** table FILE "ROW" "COLUMN" [n]: the nth number of a cell of a table in docs/tables, or in the file of that path; ROW is what its first cells are, a comma between. */
  table(file, row, column, nth = '1') {
    const rows = readFileSync(pathOf(file), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const at = rows.findIndex((cells) =>
      `${cells.slice(1).join(', ').replaceAll('`', '')}, `.startsWith(`${row}, `),
    )
    const head = rows.slice(0, at).findLast((cells) => cells.includes(column))
    if (at < 0 || !head) throw new Error(`${pathOf(file)} has no ${row}, ${column}`)
    return Number([...rows[at][head.indexOf(column)].matchAll(/-?[\d.]*\d/g)][Number(nth) - 1]?.[0])
  },
  /** after FILE "TEXT" [FACTOR]: the number that follows a text, as a test that asserts it or a decision that measured it has it, times FACTOR. */
  after(file, text, factor = '1') {
    const page = readFileSync(pathOf(file), 'utf8')
    const at = page.indexOf(text)
    if (at < 0) throw new Error(`${pathOf(file)} does not say "${text}"`)
    return Number(page.slice(at + text.length).match(PLAIN)?.[0]) * Number(factor)
  },
  /** constant FILE NAME|NAME.KEY|NAME[n] [FACTOR|dB]: a constant of the code, or one number of an object or a list, times FACTOR, or as dB of power. */
  constant(file, name, factor = '1') {
    const [, own, key, nth = '0'] = /^(\w+)(?:\.(\w+)|\[(\d+)\])?$/.exec(name) ?? []
    const line = new RegExp(`^(?:export )?const ${own} = (.+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1]
    const from = key ? line?.indexOf(`${key}: `) : 0
    if (line === undefined || from === undefined || from < 0) throw new Error(`${file} has no ${name}`)
    const value = Number(line.slice(from).replaceAll('_', '').match(PLAIN)?.[Number(nth)])
    return factor === 'dB' ? 10 * Math.log10(value) : value * Number(factor)
  },
  /** window NAME sidelobe|width: highest sidelobe below the peak [dB], or width at half power in cells (c/2B), of many samples. */
  window(name, what) {
    const samples = windowSamples(name as WindowName, 1024)
    const power = (cells: number): number => {
      const turn = (2 * Math.PI * cells) / samples.length
      const part = (of: (x: number) => number): number =>
        samples.reduce((sum, w, i) => sum + w * of(turn * i), 0)
      return part(Math.cos) ** 2 + part(Math.sin) ** 2
    }
    if (what === 'width') {
      let [inside, outside] = [0, 1]
      for (let i = 0; i < 30; i++) {
        const middle = (inside + outside) / 2
        if (power(middle) > power(0) / 2) inside = middle
        else outside = middle
      }
      return 2 * inside
    }
    const levels = Array.from({ length: 400 }, (_, i) => 10 * Math.log10(power(i / 50) / power(0)))
    const firstNull = levels.findIndex((level, i) => level < levels[i + 1])
    return -Math.max(...levels.slice(firstNull))
  },
}

const definitions = () => readDefinitions(packageFolders().validation).filter((d) => !needsData(d))

/** The value that a source has now, to as many decimals as are quoted. @throws Error for a source that is none */
export function recomputed({ number, source }: Pick<Quoted, 'number' | 'source'>): string {
  const [kind, ...args] = [...source.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0])
  if (!Object.hasOwn(SOURCES, kind)) throw new Error(`"${source}": no source is called ${kind}`)
  const value = SOURCES[kind](...args)
  if (!Number.isFinite(value)) throw new Error(`"${source}" has no number`)
  const [mantissa, exponent] = number.split('e')
  const decimals = mantissa.split('.')[1]?.length ?? 0
  return exponent === undefined ? value.toFixed(decimals) : value.toExponential(decimals)
}

/** The text with the numbers that its sources have now, written as they were. */
export function requoted(text: string): string {
  let out = ''
  let from = 0
  for (const { number, source, at } of quotedNumbers(text)) {
    const now = recomputed({ number, source })
    if (now === plain(number)) continue
    const [, whole, decimals] = /^([^.]*)(?:\.(.*))?$/.exec(
      now.replace(/^-/, number.startsWith('−') ? '−' : '-'),
    )!
    const grouped = number.includes(',') ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole
    const short = number.startsWith('.') && whole === '0' ? '' : grouped
    out += text.slice(from, at) + (decimals === undefined ? grouped : `${short}.${decimals}`)
    from = at + number.length
  }
  return out + text.slice(from)
}

/** A number as it is quoted, in the form of `recomputed`. */
export const plain = (number: string): string =>
  number
    .replaceAll(',', '')
    .replace('−', '-')
    .replace(/^(-?)\./, '$10.')
