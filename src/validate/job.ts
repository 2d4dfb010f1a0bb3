import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { GpuMemoryError } from '../../gpu/index.js'
import { MemoryError } from '../../run/estimate.js'
import { type Caller, type Job, type JobPlan, runWholeJob, type Store } from '../../run/job.js'
import { type Claim, claimLocation, type ResultLocation, writeJson, writeResult } from '../../run/results.js'
import { makeFolder } from '../../run/sweep/index.js'
import { versionAndCommit } from '../../run/version.js'
import { InputError } from '../../scene/index.js'
import { type Definition, LEVELS, needsData, decisive } from './definition.js'
import type { Folders } from './meshes.js'
import { writeFigure } from '../write-figure.js'
import { caseFigure, casePng } from './report.js'
import type { CaseRecord, Report } from './errors.js'
import { caseRecord, fails, runDefinition } from './run-case.js'
import type { Machine } from './solve.js'

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

/** What is validated. */
interface ValidationRequest {
  /** All cases that there are, those to run, and those that are left out with the reason. */
  all: Definition[]
  chosen: Definition[]
  left: Report['left']
  folders: Folders
  device: Machine['device']
  workers: number | undefined
  /** Where figures go; none are drawn where absent. */
  place?: ResultLocation
  figures: 'both' | 'png' | 'none'
  /** Keep the other cases of the report that is there. */
  update: boolean
}

/** Finished cases by name, and where further ones are kept. */
interface KeptCases {
  cases: ReadonlyMap<string, CaseRecord>
  save: (report: Report) => Promise<void>
}

/** Cases in memory alone. */
export const casesInMemory: Store<KeptCases> = {
  open: () => Promise.resolve({ cases: new Map(), save: () => Promise.resolve() }),
}

/** Where cases are kept until the report is written, in the folder of what is unfinished. */
const KEPT = 'validation.json'

/** Cases kept beside the report; those of another version are computed again. */
export const validationStore = (place: ResultLocation, how: Claim): Store<KeptCases> => ({
  async open() {
    claimLocation(place, ['validation.md', 'validation.json'], how, KEPT)
    const partial = join(place.partial, KEPT)
    const before = how.resume ? readReport(partial) : null
    const same = before?.cases.filter((c) => c.version === versionAndCommit()) ?? []
    makeFolder(place.partial)
    makeFolder(join(place.folder, 'figures', 'validation'))
    const save = (report: Report): Promise<void> => writeJson({ ...place, file: () => partial }, '', report)
    return { cases: new Map(same.map((c) => [c.name, c])), save }
  },
})

/** Cases that were run, and the report with those of an earlier one. */
interface Validation {
  done: CaseRecord[]
  whole: Report
}

/** Runs validation cases one after the other; those that need more memory than there is are left out. @throws as `runJob` */
export const validateCases = (
  request: ValidationRequest,
  caller: Caller<KeptCases, void, JobPlan>,
): Promise<Validation> => runWholeJob(() => openValidation(request, caller), caller)

async function openValidation(
  { all, chosen, left, folders, device, workers, place, figures, update }: ValidationRequest,
  { hooks }: Caller<KeptCases, void, JobPlan>,
): Promise<Job<KeptCases, void, JobPlan, Validation>> {
  // An update overwrites, but keeps the other cases.
  const before = place && update ? readReport(place.file('validation.json')) : null
  const done: CaseRecord[] = []
  const report = (): Report => ({ version: versionAndCommit(), machine: thisMachine(), cases: done, left })
  return {
    key: null,
    shape: undefined,
    warnings: [],
    plan: () => ({ kept: () => (done.length > 0 ? `${done.length} of ${chosen.length} cases` : null) }),
    async solve(kept) {
      for (const d of chosen) {
        hooks.check()
        const machine = { device, workers, signal: hooks.signal }
        try {
          done.push(kept.cases.get(d.name) ?? (await runOne(d, folders, machine, { place, figures })))
        } catch (error) {
          if (!(error instanceof MemoryError || error instanceof GpuMemoryError)) throw error
          left.push({ name: d.name, why: error.message })
          hooks.note('skipped', `${d.name}: ${error.message}`)
          continue
        }
        await kept.save(report())
        hooks.note(...caseLine(done.at(-1)!))
      }
    },
    finish: () => ({ done, whole: merged(all, report(), before) }),
    close: () => Promise.resolve(),
  }
}

async function runOne(
  d: Definition,
  folders: Folders,
  machine: Machine,
  { place, figures }: Pick<ValidationRequest, 'place' | 'figures'>,
): Promise<CaseRecord> {
  const start = performance.now()
  const outcome = await runDefinition(d, folders, machine)
  const seconds = (performance.now() - start) / 1000
  const drawn: string[] = []
  const at = (name: string): string => join('figures', 'validation', name)
  if (place && figures !== 'none') {
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

/** A report written before. @throws InputError */
export function readReport(path: string): Report | null {
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

function caseLine(c: CaseRecord): [what: string, message: string] {
  const rows = c.rows.filter((r) => r.passed === false)
  const shown = (rows.length > 0 ? rows : c.rows.slice(-2)).flatMap((r) =>
    decisive(r).map(
      ({ error, limit, unit }) =>
        `${r.what} ${error.toFixed(unit === ' dB' ? 2 : 3)}${limit === undefined ? '' : ` of ${limit}`}${unit}`,
    ),
  )
  const verdict = fails(c.verdict) ? c.verdict.toUpperCase() : c.verdict
  return [verdict, `${c.name.padEnd(28)} ${`${c.seconds.toFixed(1)} s`.padStart(8)}  ${shown.join('; ')}`]
}
