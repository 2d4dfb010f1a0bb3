import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { describeGpu, type GpuContext, GpuSbrEngine } from '../../gpu/index.js'
import type { RayScene, SbrEngine } from '../../rays/index.js'
import { mayHaveGpu } from '../../run/find-gpu.js'
import { openNodeGpu } from '../../run/node-gpu.js'
import { packageUrl, versionAndCommit } from '../../run/version.js'
import { indexedPng } from '../../src/validate/report.js'
import { linePlot, type LinePlot, svgToPng } from '../../views/figures/node.js'
import { decibels, sixFigures } from '../../src/validate/errors.js'
import type { MomCut } from '../cases.js'
import { groupOf } from '../figures/table.js'
import { argumentsOf, processor } from '../kit.js'

/** A table, figure or number of a paper beside ours. */
export interface Row {
  /** As the paper numbers it: `Table 2`, `Figure 5`, `section 2.4`. */
  item: string
  paper: string
  ours: string
  /** Reproduced; better by; differs because; or what is missing in the paper. */
  verdict: string
  /** Where it is not the part's own: a command, a file of the code, a test. */
  by?: string
}

interface Figure {
  /** `5a`: figures/papers/003-5a.png. */
  name: string
  caption: string
  draw: LinePlot | (() => Promise<Uint8Array>)
}

/** How a part is run. */
export interface Run {
  /** At a size that two cores compute in seconds. */
  quick: boolean
  /** A hardware GPU; with `quick` any. */
  gpu: GpuContext | null
  /** A line of progress. */
  say: (line: string) => void
  /** Keeps what has been measured so far, for a run that is ended before its part is. */
  keep: (measured: unknown) => void
}

/** What one command measures: its rows, and its figures, follow from what it kept. */
export interface Part<T> {
  /** For the command line. */
  name: string
  /** Roughly how long it takes on a machine with a GPU; also what it needs beside one. */
  takes: string
  /** What is named where nothing has been measured. */
  items: string
  /** Rows until it is measured again: of earlier versions, or what stands for it. */
  meanwhile?: Row[]
  measure: (run: Run) => Promise<T>
  rows: (data: T) => Row[]
  /** Tables and explanations below the rows, Markdown. */
  text?: (data: T) => string
  figures?: (data: T) => Figure[]
}

export interface Paper {
  number: string
  title: string
  /** Authors, journal, year. */
  reference: string
  /** What differs throughout: targets, machine, conventions. */
  about: string
  /** In the paper's order; a `Row` alone is what takes no measurement. */
  entries: (Row | Part<unknown>)[]
  /** Figures that take no measurement. */
  drawings?: Figure[]
}

/** For the list of a paper's entries: a part whatever it keeps. */
export const part = <T>(of: Part<T>): Part<unknown> => of as unknown as Part<unknown>

const isPart = (entry: Row | Part<unknown>): entry is Part<unknown> => 'measure' in entry

/** What a part kept, and by whom. */
interface Kept {
  version: string
  date: string
  machine: string
  seconds: number
  data: unknown
}
export type PaperData = Record<string, Kept>

const program = (paper: Paper): string => `paper-${paper.number}.js`

/** Whether the paper's page shows a figure. */
const isShown = ({ number }: Paper, { name }: Figure): boolean =>
  groupOf(`papers/${number}-${name}.png`) !== null

/** The page of a paper from what has been measured. */
export function paperPage(paper: Paper, data: PaperData): string {
  const rows: Row[] = []
  const texts: string[] = []
  const figures = [...(paper.drawings ?? [])]
  const stamps = new Map<string, string[]>()
  for (const entry of paper.entries) {
    if (!isPart(entry)) {
      rows.push(entry)
      continue
    }
    const kept = data[entry.name] as Kept | undefined
    const by = `\`${entry.name}\``
    if (!kept) {
      const instead = entry.meanwhile ?? [
        { item: entry.items, paper: '–', ours: '–', verdict: 'not measured yet' },
      ]
      rows.push(...instead.map((row) => ({ by, ...row })))
      continue
    }
    rows.push(...entry.rows(kept.data).map((row) => ({ ...row, by: row.by ?? by })))
    const text = entry.text?.(kept.data)
    if (text) texts.push(text)
    figures.push(...(entry.figures?.(kept.data) ?? []))
    const stamp = `isar ${kept.version}, ${kept.date}, ${kept.machine}`
    stamps.set(stamp, [...(stamps.get(stamp) ?? []), `\`${entry.name}\``])
  }
  const made = [...stamps].map(([stamp, names]) => `${names.join(', ')}: ${stamp}.`)
  const table = rows.map(
    ({ item, paper: theirs, ours, verdict, by }) => `| ${[item, theirs, ours, verdict, by].join(' | ')} |`,
  )
  const pictures = figures
    .filter((figure) => isShown(paper, figure))
    .map(({ name, caption }) => `![${caption}](../figures/papers/${paper.number}-${name}.png)`)
  const others = figures.filter((figure) => !isShown(paper, figure)).map(({ caption }) => caption)
  if (others.length > 0)
    pictures.push(
      `\`node dist/reproduction/${program(paper)} --page --out DIR\` also draws: ${others.join('; ')}.`,
    )
  return `${[
    `# Paper ${paper.number}: ${paper.title}`,
    paper.reference,
    paper.about,
    `Written by \`node dist/reproduction/${program(paper)} [PART…]\` from docs/papers/data/${paper.number}.json; the last column names the part, or another command. ${made.join(' ')}`,
    ['| of the paper | there | here | verdict | by |', '| --- | --- | --- | --- | --- |', ...table].join(
      '\n',
    ),
    ...texts,
    ...(pictures.length > 0 ? ['## Figures, in the paper’s axes', ...pictures] : []),
  ].join('\n\n')}\n`
}

/** What is kept of a paper's measurements; nothing where the file is not there. */
export const paperData = (file: string): PaperData =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PaperData) : {}

/** The data that come with the repository. */
export const keptData = (number: string): PaperData =>
  paperData(fileURLToPath(packageUrl(`docs/papers/data/${number}.json`)))

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.tmp`, content)
  renameSync(`${path}.tmp`, path)
}

const SMALL = { width: 520, height: 250 }

/** Draws the figures of what has been measured. @param all  also those that the page does not show */
async function drawFigures(paper: Paper, data: PaperData, folder: string, all: boolean): Promise<number> {
  const measured = [...(paper.drawings ?? [])]
  for (const entry of paper.entries)
    if (isPart(entry) && data[entry.name]) measured.push(...(entry.figures?.(data[entry.name].data) ?? []))
  const figures = all ? measured : measured.filter((figure) => isShown(paper, figure))
  for (const { name, draw } of figures) {
    const png = typeof draw === 'function' ? await draw() : await svgToPng(linePlot({ ...SMALL, ...draw }))
    write(join(folder, `${paper.number}-${name}.png`), indexedPng(png))
  }
  return figures.length
}

/**
 * A paper's program: `[PART…] [--quick] [--page] [--out FOLDER]`. Measures the named parts, or all, keeps what each gives in
 * FOLDER/papers/data, and writes the page and the figures from what is there; `--page` does that alone. FOLDER is docs,
 * and with `--quick` a temporary one.
 */
export async function runPaper(paper: Paper): Promise<never> {
  const { values, words } = argumentsOf({ quick: false, page: false, out: '' })
  const parts = paper.entries.filter(isPart)
  const unknown = words.find((name) => !parts.some((p) => p.name === name))
  if (unknown !== undefined) {
    console.error(`no part "${unknown}": choose among ${parts.map((p) => p.name).join(', ')}`)
    process.exit(2)
  }
  const out = values.out || (values.quick ? mkdtempSync(join(tmpdir(), 'isar-paper-')) : 'docs')
  const file = join(out, `papers/data/${paper.number}.json`)
  const data = values.page && !existsSync(file) ? keptData(paper.number) : paperData(file)
  let failed = false
  if (!values.page) {
    const gpu = mayHaveGpu() ? await openNodeGpu(!values.quick) : null
    if (!gpu && !values.quick) console.error('warning: no GPU here: its columns stay empty')
    const machine = [...(gpu ? [describeGpu(gpu, 1).text] : []), processor()].join('; ')
    for (const { name, measure } of parts) {
      if (words.length > 0 && !words.includes(name)) continue
      const start = performance.now()
      const elapsed = (): number => (performance.now() - start) / 1000
      const say = (line: string): void =>
        console.error(`${paper.number} ${name} ${elapsed().toFixed(0)} s: ${line}`)
      const keep = (measured: unknown): void => {
        const date = new Date().toISOString().slice(0, 10)
        const version = versionAndCommit()
        data[name] = { version, date, machine, seconds: Math.round(elapsed()), data: measured }
        write(file, JSON.stringify(data, sixFigures))
      }
      say('start')
      try {
        keep(await measure({ quick: values.quick, gpu, say, keep }))
        say('kept')
      } catch (error) {
        failed = true
        console.error(
          `${paper.number} ${name}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`,
        )
      }
    }
  }
  const page = join(out, `papers/${paper.number}.md`)
  write(page, paperPage(paper, data))
  const drawn = await drawFigures(paper, data, join(out, 'figures/papers'), out !== 'docs')
  console.log(`wrote ${page} and ${drawn} figures`)
  process.exit(failed ? 1 : 0)
}

/** Rays on the GPU, or in double precision on all cores. */
export const sbrEngine = ({ gpu }: Run, scene: RayScene, area: number): SbrEngine =>
  gpu
    ? new GpuSbrEngine(gpu, scene, area, { subGrid: 2048 })
    : createCpuEngine(scene, area, availableParallelism())

/** Ends a CPU engine's threads; a GPU engine's device is that of the run, and stays. */
export const closeSbr = async ({ gpu }: Run, engine: SbrEngine): Promise<void> => {
  if (!gpu) await engine.close()
}

/** from, from + step, ... to, both included. */
export const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step)

/** To two decimals, as kept in the data. */
export const rounded = (values: ArrayLike<number>, digits = 2): number[] =>
  Array.from(values, (x) => Number(x.toFixed(digits)))

/** RCS of VV (0) or HH (1) of a field [dBsm]. */
export const level = (f: ArrayLike<number>, channel: number): number =>
  decibels(4 * Math.PI * (f[2 * channel] ** 2 + f[2 * channel + 1] ** 2))

/** It of every field, as kept in the data. */
export const levels = (fields: ArrayLike<number>[], channel: number): number[] =>
  rounded(fields.map((f) => level(f, channel)))

/** Levels of a reference's VV and HH at some of its directions. */
export const momLevels = ({ vv, hh }: MomCut, at: number[]): number[][] =>
  [vv, hh].map((f) => rounded(at.map((i) => level(f.subarray(2 * i), 0))))

/** Three figures. */
export const figure = (x: number): string => (x >= 100 ? x.toFixed(0) : x.toPrecision(3))

export const seconds = (x: number | null | undefined): string =>
  x === null || x === undefined ? '–' : x < 1 ? `${figure(1e3 * x)} ms` : `${figure(x)} s`

export const percent = (x: number, digits = 0): string => `${(100 * x).toFixed(digits)} %`

/** Range of an axis from zero to above the highest value, a round number. */
export function fromZero(series: { y: ArrayLike<number> }[]): [number, number] {
  const most = Math.max(...series.flatMap(({ y }) => Array.from(y)))
  const step = 10 ** Math.floor(Math.log10(most))
  return [0, step * Math.ceil((1.02 * most) / step)]
}
