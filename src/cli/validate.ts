import { existsSync, readFileSync, rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { GpuMemoryError } from '../../gpu/index.js'
import { MemoryError } from '../../run/estimate.js'
import {
  claimLocation,
  folderLocation,
  type ResultLocation,
  writeJson,
  writeResult,
} from '../../run/results.js'
import { makeFolder } from '../../run/sweep/index.js'
import { versionAndCommit } from '../../run/version.js'
import { InputError } from '../../scene/index.js'
import { type Definition, LEVELS, needsData, readDefinitions } from '../validate/definition.js'
import { packageFolders } from '../validate/meshes.js'
import { caseFigure, casePng } from '../validate/plot.js'
import { markdownReport, type Report } from '../validate/report.js'
import { decisive } from '../validate/result.js'
import { caseRecord, type CaseRecord, fails, runDefinition, type Verdict } from '../validate/run-case.js'
import type { Machine } from '../validate/solve.js'
import { Console, duration, interruptible } from './console.js'
import { settingOption } from './options.js'
import { writeFigure } from '../write-figure.js'
import { parseCount } from './quantity.js'
import { pdfOption } from './picture-options.js'

interface Selection {
  /** Longest cases to run. */
  level: (typeof LEVELS)[number]
  /** Whether the data outside the package is available. */
  data: boolean
  /** Compute the cases by full wave, whatever they say; where none is named, those of its group. */
  method?: 'mom'
}

/** A case by full wave, whose limits are those of the group `full-wave` alone; null for what full wave does not compute. */
function byFullWave(d: Definition): Definition | null {
  if ('solver' in d && d.solver.method === 'mom') return d
  if (d.kind !== 'cut' && d.kind !== 'sphere-bistatic') return null
  if (d.kind === 'cut' && (d.reference.lengthM !== undefined || 'material' in d.mesh)) return null
  const same = { title: `${d.title}, full wave`, limitsAre: undefined, solver: { method: 'mom' as const } }
  return d.kind === 'cut'
    ? { ...d, ...same, limits: undefined }
    : { ...d, ...same, ranges: d.ranges.map(({ to }) => ({ to })) }
}

/**
 * The cases to run, and the requested ones that are skipped. A name is that of a case, whatever its level, or of a group.
 * @throws InputError for a name that is neither, and where nothing is left to run
 */
export function chooseCases(
  all: Definition[],
  names: string[],
  { level, data, method }: Selection,
): { chosen: Definition[]; left: { name: string; why: string }[] } {
  if (method && names.length === 0) names = ['full-wave']
  for (const name of names)
    if (!all.some((d) => d.name === name || d.tags.includes(name)))
      throw new InputError(
        `no validation case or group is called "${name}"; isar validate --list prints the cases, the groups are ${[...new Set(all.flatMap((d) => d.tags))].join(', ')}`,
      )
  const chosen: Definition[] = []
  const left: { name: string; why: string }[] = []
  for (const d of all) {
    const named = names.includes(d.name)
    if (names.length > 0 && !named && !d.tags.some((t) => names.includes(t))) continue
    if (needsData(d) && !data) left.push({ name: d.name, why: 'needs the UT Austin RCS suite, --data DIR' })
    else if (!named && LEVELS.indexOf(d.level) > LEVELS.indexOf(level))
      left.push({ name: d.name, why: d.level === 'full' ? 'only with --full' : 'not with --quick' })
    else {
      const one = method ? byFullWave(d) : d
      if (one) chosen.push(one)
      else left.push({ name: d.name, why: `not for --method ${method}` })
    }
  }
  if (chosen.length === 0)
    throw new InputError(`nothing to run: ${left.map((l) => `${l.name} (${l.why})`).join(', ')}`)
  return { chosen, left }
}

interface RawOptions {
  quick?: boolean
  full?: boolean
  data?: string
  out: string
  method?: 'mom'
  device: Machine['device']
  workers?: string
  figures: 'both' | 'png' | 'none'
  pdf?: boolean
  list?: boolean
  plan?: boolean
  update?: boolean
  resume?: boolean
  force?: boolean
  json?: boolean
  quiet?: boolean
}

/** Validation cases missed their limits: the run is complete, with exit code 1. */
class Missed extends Error {
  override readonly name = 'Missed'
}

export function validateCommand(command: Command): void {
  command
    .argument('[name...]', 'cases or groups of cases (see --list); default: all of the level')
    .option('--quick', 'the short cases: 3 minutes at most on 2 idle cores; prints what it skips')
    .option('--full', 'also the long cases, meant for a GPU')
    .option('--data <dir>', 'folder of the UT Austin RCS suite, whose cases are skipped without it')
    .addOption(pdfOption())
    .option('--out <dir>', 'where the report goes', 'validation')
    .addOption(
      new Option('--method <method>', 'computes the named cases, or its own group, by full wave; errors are stated') // prettier-ignore
        .choices(['mom']),
    )
    .addOption(settingOption('device'))
    .option('--workers <n>', 'worker threads')
    .addOption(
      new Option('--figures <which>', 'PNG and SVG, PNG alone, or none')
        .choices(['both', 'png', 'none'])
        .default('both'),
    )
    .option('--list', 'print the cases and end')
    .option(
      '--plan',
      'print the cases that would run and what each took on the machine of docs/validation.json, and end',
    )
    .option('--update', 'keep the other cases of the report in --out')
    .option('--resume', 'continue an interrupted run')
    .option('--force', 'overwrite a report')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .action(runValidate)
}

async function runValidate(names: string[], raw: RawOptions): Promise<void> {
  const out = new Console(raw.quiet === true)
  const folders = packageFolders(raw.data)
  const all = readDefinitions(folders.validation)
  const { chosen, left } = chooseCases(all, names, {
    level: raw.full ? 'full' : raw.quick ? 'quick' : 'standard',
    data: raw.data !== undefined,
    method: raw.method,
  })
  if (raw.quick && raw.full)
    throw new InputError('--quick and --full contradict each other; give one of them')
  if (raw.list) {
    for (const d of raw.quick || raw.full || names.length > 0 ? chosen : all)
      process.stdout.write(listLine(d))
    return
  }
  if (raw.plan) return printPlan(chosen, folders.record, raw.json === true)
  if (raw.update && raw.force)
    throw new InputError('--update and --force contradict each other; give one of them')
  const workers = raw.workers === undefined ? undefined : parseCount(raw.workers, '--workers', 1, 1024)
  const place = { ...folderLocation(raw.out), pdf: raw.pdf === true }
  const results = ['validation.md', 'validation.json']
  // An update overwrites, but keeps the other cases.
  const before = raw.update ? readReport(place.file('validation.json')) : null
  claimLocation(place, results, {
    resume: raw.resume === true,
    force: raw.force === true || (raw.update === true && !raw.resume),
  })
  const kept = new Map<string, CaseRecord>()
  const partial = join(place.partial, 'validation.json')
  if (raw.resume && existsSync(partial))
    for (const c of readReport(partial)!.cases) if (c.version === versionAndCommit()) kept.set(c.name, c)
  makeFolder(place.partial)
  makeFolder(join(place.folder, 'figures', 'validation'))
  for (const line of skippedLines(left, all)) out.say(line)

  const start = performance.now()
  const done: CaseRecord[] = []
  const report = (): Report => ({ version: versionAndCommit(), machine: thisMachine(), cases: done, left })
  const message = () =>
    `interrupted; ${done.length} of ${chosen.length} cases are kept; continue with --resume`
  await interruptible(message, async (signal) => {
    for (const d of chosen) {
      const machine = { device: raw.device, workers, signal }
      let record: CaseRecord
      try {
        record = kept.get(d.name) ?? (await runOne(d, folders, machine, place, raw.figures))
      } catch (error) {
        if (!(error instanceof MemoryError || error instanceof GpuMemoryError)) throw error
        left.push({ name: d.name, why: error.message })
        out.say(`skipped   ${d.name}: ${error.message}`)
        continue
      }
      done.push(record)
      await writeJson({ ...place, file: () => partial }, '', report())
      out.say(caseLine(record))
    }
  })
  const whole = merged(all, report(), before)
  makeFolder(join(place.folder, 'validation'))
  for (const [path, text] of Object.entries(markdownReport(whole, all))) await writeResult(place, path, text)
  await writeJson(place, 'validation.json', whole)
  rmSync(place.partial, { recursive: true, force: true })
  const missed = done.filter((c) => fails(c.verdict))
  const of = (verdict: Verdict): string[] => done.filter((c) => c.verdict === verdict).map((c) => c.name)
  const tally = (['met', 'missed', 'unchanged', 'changed', 'stated'] as const)
    .map((verdict) => `${of(verdict).length} ${verdict}`)
    .join(', ')
  out.say(
    `wrote     ${place.file('validation.md')}: ${done.length} cases, ${tally}, ${duration((performance.now() - start) / 1000)}`,
  )
  if (raw.json)
    process.stdout.write(
      JSON.stringify({
        command: 'validate',
        out: place.folder,
        cases: done.length,
        met: of('met'),
        missed: of('missed'),
        unchanged: of('unchanged'),
        changed: of('changed'),
        stated: of('stated'),
        left: left.map((l) => l.name),
        seconds: (performance.now() - start) / 1000,
      }) + '\n',
    )
  if (missed.length > 0)
    throw new Missed(
      `${missed.length} of ${done.length} cases missed their requirement or changed: ${missed.map((c) => c.name).join(', ')}; see ${place.file('validation.md')}`,
    )
}

async function runOne(
  d: Definition,
  folders: ReturnType<typeof packageFolders>,
  machine: Machine,
  place: ResultLocation,
  figures: RawOptions['figures'],
): Promise<CaseRecord> {
  const start = performance.now()
  const outcome = await runDefinition(d, folders, machine)
  const seconds = (performance.now() - start) / 1000
  const drawn: string[] = []
  const at = (name: string): string => join('figures', 'validation', name)
  if (figures !== 'none') {
    const figure = caseFigure(d, outcome)
    if (figure) {
      await writeResult(place, at(`${d.name}.png`), await casePng(figure))
      await writeFigure(place, at(d.name), figure, figures === 'both' ? ['svg'] : [])
      drawn.push(d.name)
    }
    for (const [suffix, svg] of Object.entries(outcome.pictures ?? {})) {
      await writeFigure(place, at(`${d.name}-${suffix}`), svg, ['png'])
      drawn.push(`${d.name}-${suffix}`)
    }
  }
  return caseRecord(d, outcome, drawn, seconds, versionAndCommit())
}

function readReport(path: string): Report | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch (error) {
    throw new InputError(`${path} is not a validation report; give --force to write a new one`, {
      cause: error,
    })
  }
}

/** The report with the other cases of an earlier one, in the order of the definitions. */
function merged(all: Definition[], now: Report, before: Report | null): Report {
  if (!before) return now
  const records = new Map([...before.cases, ...now.cases].map((c) => [c.name, c]))
  const missing = new Map([...before.left, ...now.left].map((l) => [l.name, l]))
  return {
    version: now.version,
    machine: now.machine,
    cases: all.flatMap((d) => records.get(d.name) ?? []),
    left: all.flatMap((d) => (records.has(d.name) ? [] : (missing.get(d.name) ?? []))),
  }
}

const thisMachine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} threads, Node ${process.version}`

const listLine = (d: Definition): string =>
  `${d.name.padEnd(30)} ${d.level.padEnd(9)} ${needsData(d) ? '--data ' : '       '} ${d.tags.join(',').padEnd(20)} ${d.title}\n`

/** The cases that would run, with their times in the report of this version, where it has them. */
function printPlan(chosen: Definition[], record: string, json: boolean): void {
  const before = readReport(record)
  const took = new Map(before?.cases.map(({ name, seconds }) => [name, seconds]))
  const cases = chosen.map(({ name }) => ({ name, seconds: took.get(name) ?? null }))
  const seconds = cases.reduce((sum, one) => sum + (one.seconds ?? 0), 0)
  const unknown = cases.filter((one) => one.seconds === null).length
  const machine = before?.machine ?? null
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ command: 'validate', plan: true, cases, seconds, unknown, machine })}\n`,
    )
    return
  }
  for (const one of cases)
    process.stdout.write(
      `${one.name.padEnd(30)} ${one.seconds === null ? 'no record' : duration(one.seconds)}\n`,
    )
  process.stdout.write(
    `${cases.length} cases took ${duration(seconds)} on ${machine ?? 'another machine'}${unknown > 0 ? `; ${unknown} have no record` : ''}\n`,
  )
}

/** One line per reason: how many cases of which groups. */
function skippedLines(left: Report['left'], all: Definition[]): string[] {
  const groupOf = new Map(all.map((d) => [d.name, d.group]))
  return [...new Set(left.map(({ why }) => why))].map((why) => {
    const cases = left.filter((l) => l.why === why)
    const counts = new Map<string, number>()
    for (const { name } of cases) {
      const group = groupOf.get(name)!
      counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    const groups = [...counts].map(([group, count]) => `${count} of ${group}`).join(', ')
    return `skipped   ${cases.length} case${cases.length === 1 ? '' : 's'}: ${why}: ${groups}`
  })
}

function caseLine(c: CaseRecord): string {
  const rows = c.rows.filter((r) => r.passed === false)
  const shown = (rows.length > 0 ? rows : c.rows.slice(-2)).flatMap((r) =>
    decisive(r).map(
      ({ error, limit, unit }) =>
        `${r.what} ${error.toFixed(unit === ' dB' ? 2 : 3)}${limit === undefined ? '' : ` of ${limit}`}${unit}`,
    ),
  )
  const verdict = fails(c.verdict) ? c.verdict.toUpperCase() : c.verdict
  return `${verdict.padEnd(10)}${c.name.padEnd(28)} ${`${c.seconds.toFixed(1)} s`.padStart(8)}  ${shown.join('; ')}`
}
