import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { folderLocation, writeResult } from '../../run/results.js'
import { makeFolder } from '../../run/sweep/index.js'
import { InputError } from '../../scene/index.js'
import { type Definition, needsData, readDefinitions } from '../validate/definition.js'
import { chooseCases, readReport, validateCases, validationStore } from '../validate/job.js'
import { packageFolders } from '../validate/meshes.js'
import { type Report, reportJson, type Verdict } from '../validate/errors.js'
import { markdownReport } from '../validate/report.js'
import { fails } from '../validate/run-case.js'
import { type Console, duration } from './console.js'
import { readDeclared } from '../../run/settings/settings.js'
import { VALIDATE } from '../library/validate.js'
import { addDeclared } from './options.js'
import { outputOptions, pdfOption } from './quantity.js'
import { reportJob } from './run.js'

interface RawOptions {
  quick?: boolean
  full?: boolean
  out: string
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

export function validateCommand(command: Command, out: Console): void {
  command
    .argument('[name...]', 'cases or groups of cases (see --list); default: all of the level')
    .option('--quick', 'the short cases: 3 minutes at most on 2 idle cores; prints what it skips')
    .option('--full', 'also the long cases, meant for a GPU')
  addDeclared(command, VALIDATE, 'data', 'data')
  command.addOption(pdfOption()).option('--out <dir>', 'where the report goes', 'validation')
  addDeclared(command, VALIDATE, 'method')
  command
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
  outputOptions(command, 'a report').action((names, raw) => runValidate(names, raw, out))
}

async function runValidate(
  names: string[],
  raw: RawOptions & Record<string, unknown>,
  out: Console,
): Promise<void> {
  const { level, data, method, device, workers } = readDeclared(VALIDATE, raw)
  const folders = packageFolders(data)
  const all = readDefinitions(folders.validation)
  const { chosen, left } = chooseCases(all, names, {
    level,
    data: data !== undefined,
    method,
  })
  if (raw.list) {
    for (const d of raw.quick || raw.full || names.length > 0 ? chosen : all) out.print(listLine(d))
    return
  }
  if (raw.plan) return printPlan(chosen, folders.record, raw.json === true, out)
  if (raw.update && raw.force)
    throw new InputError('--update and --force contradict each other; give one of them')
  const place = { ...folderLocation(raw.out), pdf: raw.pdf === true }
  const update = raw.update === true
  const store = validationStore(place, {
    resume: raw.resume === true,
    force: raw.force === true || (update && !raw.resume),
  })
  const start = performance.now()
  const request = {
    all,
    chosen,
    left,
    folders,
    device,
    workers,
    place,
    figures: raw.figures,
    update,
  }
  const report = await reportJob(
    {
      command: 'validate',
      out,
      report() {
        for (const line of skippedLines(left, all)) out.say(line)
        return {}
      },
    },
    (reported) => validateCases(request, { ...reported, store }),
  )
  if (!report) return
  const { done, whole } = report
  makeFolder(join(place.folder, 'validation'))
  const kept = reportJson(whole)
  const pages = markdownReport(JSON.parse(kept) as Report, all)
  for (const [path, text] of Object.entries({ ...pages, 'validation.json': kept }))
    await writeResult(place, path, text)
  rmSync(place.partial, { recursive: true, force: true })
  const missed = done.filter((c) => fails(c.verdict))
  const of = (verdict: Verdict): string[] => done.filter((c) => c.verdict === verdict).map((c) => c.name)
  const tally = (['met', 'missed', 'unchanged', 'changed', 'stated'] as const)
    .map((verdict) => `${of(verdict).length} ${verdict}`)
    .join(', ')
  out.say(
    `wrote     ${place.file('validation.md')}: ${done.length} cases, ${tally}, ${duration((performance.now() - start) / 1000)}`,
  )
  out.json({
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
  })
  if (missed.length > 0)
    throw new Missed(
      `${missed.length} of ${done.length} cases missed their requirement or changed: ${missed.map((c) => c.name).join(', ')}; see ${place.file('validation.md')}`,
    )
}

const listLine = (d: Definition): string =>
  `${d.name.padEnd(30)} ${d.level.padEnd(9)} ${needsData(d) ? '--data ' : '       '} ${d.tags.join(',').padEnd(20)} ${d.title}\n`

/** The cases that would run, with their times in the report of this version, where it has them. */
function printPlan(chosen: Definition[], record: string, json: boolean, out: Console): void {
  const before = readReport(record)
  const took = new Map(before?.cases.map(({ name, seconds }) => [name, seconds]))
  const cases = chosen.map(({ name }) => ({ name, seconds: took.get(name) ?? null }))
  const seconds = cases.reduce((sum, one) => sum + (one.seconds ?? 0), 0)
  const unknown = cases.filter((one) => one.seconds === null).length
  const machine = before?.machine ?? null
  if (json) {
    out.json({ command: 'validate', plan: true, cases, seconds, unknown, machine })
    return
  }
  for (const one of cases)
    out.print(`${one.name.padEnd(30)} ${one.seconds === null ? 'no record' : duration(one.seconds)}\n`)
  out.print(
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
