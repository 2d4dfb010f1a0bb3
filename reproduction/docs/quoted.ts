import { readFileSync } from 'node:fs'
import { SETTINGS, settingOf } from '../../run/settings/settings.js'
import { defaultOf } from '../../run/settings/types.js'
import { MODEL_COVERAGE } from '../../run/error-estimate.js'
import { FLOORS } from '../../src/validate/errors.js'
import { needsData, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import type { Report } from '../../src/validate/record.js'
import { WHOLE } from '../../src/validate/solve.js'

/** A number quoted by hand, and where it is from: `0.84 dB<!-- from: validation ship-10ghz-phi0 VV edges rms -->`. */
export interface Quoted {
  number: string
  source: string
  /** Where in the text the number begins. */
  at: number
}

const MARKER = /<!-- from: (.+?) -->/g
/** A number, and what may stand between it and its marker: its unit, the rest of a link. */
const NUMBER = /(?<![\w.])([-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+))(?:[^\d\n<|]*(?:\]\([^)\n]*\))?[^\d\n<|]*)$/

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
    .replace(
      /(?<![\w.])[-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[^\d\n<|]*(?:\]\([^)\n]*\))?[^\d\n<|]*)<!-- from: .+? -->/g,
      '',
    )
    .replace(/\]\([^)]*\)/g, ']')
  const units = 'dB|ms|s|seconds?|minutes?|hours?|%|(?:validation )?cases?|facets|aspects|images|times'
  return [...rest.matchAll(new RegExp(`(?<![\\w.])[\\d.,]*\\d (?:${units})(?![\\w])`, 'g'))].map(
    ([found]) => found,
  )
}

const report = (): Report => JSON.parse(readFileSync('docs/validation.json', 'utf8')) as Report
/** What rays alone and what the default computes is called: without mechanisms of second order where they do not count. */
const METHODS: Record<string, string[]> = { rays: ['SBR'], edges: [WHOLE, 'SBR + TW-ILDC'] }

/** What sources are: the first word, then its arguments. */
const SOURCES: Record<string, (...args: string[]) => number> = {
  /** validation CASE CURVE rays|edges rms|median|max|complex|points|floor, or rms-45 for another floor. */
  validation(name, curve, method, figure) {
    const row = report()
      .cases.find((c) => c.name === name)
      ?.rows.find((r) => r.what.split(/[ ,]/)[0] === curve && METHODS[method].includes(r.method))
    if (!row) throw new Error(`the report has no ${curve} of ${name} by ${method}`)
    const [, floor] = /^rms-(\d+)$/.exec(figure) ?? []
    if (floor) return row.errors.rmsAtFloors[FLOORS.indexOf(Number(floor) as (typeof FLOORS)[number])]
    const { rmsDb, medianDb, maxDb, complex, points, floorDb } = row.errors
    return { rms: rmsDb, median: medianDb, max: maxDb, complex, points, floor: floorDb }[figure] as number
  },
  /** worst rays|edges GROUP...: the largest rms of any curve of these groups [dB]. */
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
  /** table FILE "ROW" "COLUMN" [n]: the nth number of a cell of a table in docs/tables; ROW is what its first cells are, a comma between. */
  table(file, row, column, nth = '1') {
    const rows = readFileSync(`docs/tables/${file}.md`, 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const at = rows.findIndex((cells) =>
      `${cells.slice(1).join(', ').replaceAll('`', '')}, `.startsWith(`${row}, `),
    )
    const head = rows.slice(0, at).findLast((cells) => cells.includes(column))
    if (at < 0 || !head) throw new Error(`docs/tables/${file}.md has no ${row}, ${column}`)
    return Number([...rows[at][head.indexOf(column)].matchAll(/-?[\d.]*\d/g)][Number(nth) - 1]?.[0])
  },
  /** after FILE "TEXT": the number that follows a text in docs/tables. */
  after(file, text) {
    const page = readFileSync(`docs/tables/${file}.md`, 'utf8')
    const at = page.indexOf(text)
    if (at < 0) throw new Error(`docs/tables/${file}.md does not say "${text}"`)
    return Number(/[\d.]*\d/.exec(page.slice(at + text.length))![0])
  },
}

const definitions = () => readDefinitions(packageFolders().validation).filter((d) => !needsData(d))

/** The value that a source has now, to as many decimals as are quoted. @throws Error for a source that is none */
export function recomputed({ number, source }: Pick<Quoted, 'number' | 'source'>): string {
  const [kind, ...args] = [...source.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0])
  if (!Object.hasOwn(SOURCES, kind)) throw new Error(`"${source}": no source is called ${kind}`)
  const value = SOURCES[kind](...args)
  if (!Number.isFinite(value)) throw new Error(`"${source}" has no number`)
  return value.toFixed(number.split('.')[1]?.length ?? 0)
}

/** The text with the numbers that its sources have now, written as they were. */
export function requoted(text: string): string {
  let out = ''
  let from = 0
  for (const { number, source, at } of quotedNumbers(text)) {
    const now = recomputed({ number, source })
    if (now === plain(number)) continue
    const [whole, decimals] = now.split('.')
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
