import { decode, encode } from 'fast-png'
import { escapeXml, FONT } from '../../views/figures/axes.js'
import { linePlot, type LineSeries, svgToPng, yRange } from '../../views/figures/node.js'
import { type Definition, decisive, type Outcome, type Panel } from './definition.js'
import { type CaseRecord, FLOORS, type Limit, type Report, type Verdict } from './errors.js'
import { fails } from './run-case.js'
import { wholeName } from './solve.js'

/**
 * The picture with few colours, a half to a quarter of its size: the most frequent ones, and others such that each colour of the picture has one
 * near it. A picture that has a palette stays as it is.
 */
export function indexedPng(png: Uint8Array, most = 256): Uint8Array {
  const { width, height, data, channels, palette: given } = decode(png)
  if (given) return png
  const key = (i: number): number =>
    (data[channels * i] << 16) | (data[channels * i + 1] << 8) | data[channels * i + 2]
  const counts = new Map<number, number>()
  for (let i = 0; i < width * height; i++) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1)
  const colours = [...counts].sort((a, b) => b[1] - a[1]).map(([k]) => [k >> 16, (k >> 8) & 255, k & 255])
  const palette = paletteOf(colours, most)
  const index = new Map<number, number>()
  const indices = new Uint8Array(width * height)
  for (let i = 0; i < indices.length; i++) {
    const k = key(i)
    let found = index.get(k)
    if (found === undefined) {
      const [r, g, b] = [k >> 16, (k >> 8) & 255, k & 255]
      const distances = palette.map((p) => squared(p, [r, g, b]))
      found = distances.indexOf(Math.min(...distances))
      index.set(k, found)
    }
    indices[i] = found
  }
  return encode({ width, height, data: indices, depth: 8, channels: 1, palette }, { zlib: { level: 9 } })
}

/** At most so many of the colours, which come most frequent first: an eighth of them by frequency, the others as far apart as they must be. */
function paletteOf(colours: number[][], most: number): number[][] {
  for (let apart = 1; ; apart += 2) {
    const kept = colours.slice(0, most / 8)
    for (const colour of colours) {
      if (kept.every((k) => squared(k, colour) >= apart ** 2)) kept.push(colour)
      if (kept.length > most) break
    }
    if (kept.length <= most) return kept
  }
}

const squared = (p: number[], q: number[]): number =>
  (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2

/** Colours of line drawings. */
const LINE_COLOURS = 32
/** Zoom of the PNG: two panels across fill a page of documentation. */
const ZOOM = 0.95
/** dB shown below the highest value: the least of these that shows so large a part of the values. */
const DEPTHS = [60, 80, 100]
const SHOWN = 0.8
const HEAD_PX = 40

/** The figure of a case: its panels, two to a row, as SVG document. Null where it has none. */
export function caseFigure(d: Definition, { panels }: Outcome): string | null {
  if (panels.length === 0) return null
  const parts = []
  const levels = commonRange(panels)
  for (const panel of panels) {
    const svg = panelSvg(panel, levels)
    const [, width, height] = /^<svg[^>]*?width="([\d.]+)"[^>]*?height="([\d.]+)"/.exec(svg)!.map(Number)
    parts.push({ svg, width, height })
  }
  const width = Math.max(...parts.map((p) => p.width))
  const height = Math.max(...parts.map((p) => p.height))
  const columns = Math.min(2, parts.length)
  const [w, h] = [columns * width, HEAD_PX + Math.ceil(parts.length / columns) * height]
  const place = (i: number): string =>
    `${(i % columns) * width},${HEAD_PX + Math.floor(i / columns) * height}`
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}">`,
    `<rect width="${w}" height="${h}" fill="white"/>`,
    `<text x="20" y="30" font-family="${FONT}" font-size="20" font-weight="600">${escapeXml(d.title)}</text>`,
    ...parts.map((part, i) => `<g transform="translate(${place(i)})">${part.svg}</g>`),
    '</svg>',
  ].join('')
  return svg
}

/** The same as PNG, with few colours. */
export const casePng = async (svg: string): Promise<Uint8Array> =>
  indexedPng(await svgToPng(svg, ZOOM), LINE_COLOURS)

const isDifference = ({ series }: Panel): boolean =>
  series.every((s) => Array.from(s.y).every((y) => Math.abs(y) < 10))

/** Ends of the axis that the panels share, so that channels can be compared; each its own where one shows differences. */
function commonRange(panels: Panel[]): [number, number] | undefined {
  if (panels.some(isDifference)) return undefined
  const series = panels.flatMap((p) => p.series)
  const values = series.flatMap((s) => Array.from(s.y))
  const top = values.reduce((a, b) => Math.max(a, b))
  const shows = (depth: number): boolean =>
    values.filter((y) => y > top - depth).length >= SHOWN * values.length
  return yRange({ series, depth: DEPTHS.find(shows) ?? DEPTHS[DEPTHS.length - 1] })
}

function panelSvg(
  { title, xTitle, yTitle, angular, series }: Panel,
  levels: [number, number] | undefined,
): string {
  return linePlot({
    title,
    xTitle,
    yTitle: yTitle ?? 'RCS [dBsm]',
    angular,
    yRange: levels,
    width: 450,
    height: 267,
    series: series.map(inOrder),
  })
}

/** The curve with its points by x: references may have a row that stands apart from the others. */
function inOrder(series: LineSeries): LineSeries {
  const order = Array.from(series.x, (_, i) => i).sort((a, b) => series.x[a] - series.x[b])
  return { ...series, x: order.map((i) => series.x[i]), y: order.map((i) => series.y[i]) }
}

const number = (x: number): string => (x !== 0 && x < 0.005 ? '< .005' : x.toFixed(2))

/** Markdown table, its columns padded as formatters have it. */
export function markdownTable(head: string[], rows: string[][], right: number[] = []): string {
  const width = head.map((h, c) => Math.max(3, h.length, ...rows.map((r) => [...r[c]].length)))
  const cell = (text: string, c: number): string => {
    const space = ' '.repeat(width[c] - [...text].length)
    return right.includes(c) ? space + text : text + space
  }
  const line = (cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`
  const rule = width.map((w, c) => (right.includes(c) ? '-'.repeat(w - 1) + ':' : '-'.repeat(w)))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

const VERDICTS: Record<Verdict, string> = {
  met: 'requirement met',
  missed: '**requirement missed**',
  unchanged: 'unchanged',
  changed: '**changed**',
  stated: 'stated',
}

/**
 * The report for people, by path: `validation.md`, one page that sums up the groups of cases, and `validation/GROUP.md`, a section with
 * table and figure for each case. @param definitions  what the cases belong to
 */
export function markdownReport(report: Report, definitions: Definition[]): Record<string, string> {
  const groups = new Map(definitions.map((d) => [d.group, [] as CaseRecord[]]))
  const groupOf = new Map(definitions.map((d) => [d.name, d.group]))
  for (const c of report.cases) groups.get(groupOf.get(c.name)!)!.push(c)
  const computed = [...groups].filter(([, cases]) => cases.length > 0)
  return {
    'validation.md': summaryPage(report, computed),
    ...Object.fromEntries(
      computed.map(([group, cases]) => [`validation/${group}.md`, groupPage(group, cases)]),
    ),
  }
}

/** A group's name as a heading: method-of-moments, Method of moments. */
const heading = (group: string): string => group[0].toUpperCase() + group.slice(1).replaceAll('-', ' ')

function summaryPage({ version, machine, cases, left }: Report, groups: [string, CaseRecord[]][]): string {
  const count = (verdict: Verdict): number => cases.filter((c) => c.verdict === verdict).length
  const links = groups.flatMap(([group, members]) =>
    members
      .filter((c) => fails(c.verdict))
      .map((c) => `- [${c.name}](validation/${group}.md#${c.name}): ${VERDICTS[c.verdict]}, ${worst(c)}`),
  )
  const devices = [...new Set([...cases.map((c) => c.device), ...(machine ? [machine] : [])])].join('; ')
  // An update keeps cases that an earlier version computed.
  const versions = [...new Set(cases.map((c) => c.version))].join(', ') || version
  const minutes = cases.reduce((sum, c) => sum + c.seconds, 0) / 60
  const parts = [
    '# Validation',
    `Written by \`isar validate\` (isar ${versions}; ${cases.length} cases in ${minutes.toFixed(1)} minutes on ${devices}). \`isar validate --list\` lists the cases, \`isar validate NAME\` computes one again. [limits.md](limits.md) explains the errors by mechanism.`,
    [
      `- Requirements, set from outside (closed forms, exactness, another code’s figures, specifications): requirement met ${count('met')}, missed ${count('missed')}.`,
      `- Guards, which are figures of a version or a prototype of isar with a margin, and claim no accuracy: unchanged ${count('unchanged')}, changed ${count('changed')}.`,
      `- Stated without a limit: ${count('stated')}.`,
    ].join('\n'),
  ]
  if (links.length > 0) parts.push('## Missed or changed', links.join('\n'))
  parts.push(
    '## Groups',
    'Each group has a page with a table for every case, and figures. `isar validate NAME --figures png` draws those of a case. Medians over the curves of a group, of the rms difference [dB] and of the relative complex error ‖ΔF‖: from the reference, or where a group has none from its own comparison (a rotated twin, a finer density, rays with edges).',
    markdownTable(
      ['group', 'cases', 'verdicts', 'SBR: rms', '‖ΔF‖', 'with edges: rms', '‖ΔF‖'],
      groups.map(([group, members]) => [
        `[${heading(group)}](validation/${group}.md)`,
        String(members.length),
        tally(members),
        ...[false, true].flatMap((edges) => medians(members, edges)),
      ]),
      [1, 3, 4, 5, 6],
    ),
    '## How errors are measured',
    `Both curves are clipped at a floor, so many dB below the reference’s maximum (30 dB unless a table says otherwise), and subtracted in dB. Tables give the root mean square (rms), median and maximum of the differences at the case’s own floor, and the rms at ${FLOORS.join(', ')} dB. Correlation is that of the clipped curves in dB. ‖ΔF‖ is the norm of the complex difference relative to the reference’s, where the reference has amplitudes. A limit is one of the rms unless it says max. Conventions: (θ, φ) points from the target to the radar, V = θ̂, H = φ̂, exp(+jωt).`,
  )
  const reasons = [...new Set(left.map((l) => l.why))]
  if (left.length > 0)
    parts.push(
      '## Not run',
      reasons
        .map(
          (why) =>
            `- ${why}: ${left
              .filter((l) => l.why === why)
              .map((l) => l.name)
              .join(', ')}`,
        )
        .join('\n'),
    )
  return parts.join('\n\n') + '\n'
}

/** Verdicts of a group with their numbers. */
const tally = (cases: CaseRecord[]): string =>
  Object.entries(VERDICTS)
    .map(([verdict, text]) => [cases.filter((c) => c.verdict === verdict).length, text] as const)
    .filter(([n]) => n > 0)
    .map(([n, text]) => `${n} ${text}`)
    .join(', ')

/** Medians of rms [dB] and of the relative complex error over the curves of a method. */
/** Of the rays alone, or with edges: first order where a case asks for no more. */
function medians(cases: CaseRecord[], edges: boolean): string[] {
  const counts = ({ method }: { method: string }): boolean =>
    edges ? method.startsWith(wholeName('tw-ildc', [])) : method === 'SBR'
  const errors = cases.flatMap((c) => c.rows.filter(counts).map((r) => r.errors))
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]
  const complex = errors.flatMap((e) => e.complex ?? [])
  return [
    errors.length > 0 ? number(median(errors.map((e) => e.rmsDb))) : '–',
    complex.length > 0 ? median(complex).toFixed(3) : '–',
  ]
}

function groupPage(group: string, cases: CaseRecord[]): string {
  const table = markdownTable(
    ['case', 'verdict', 'worst against its limit', 'time'],
    cases.map((c) => [`[${c.name}](#${c.name})`, VERDICTS[c.verdict], worst(c), `${c.seconds.toFixed(1)} s`]),
    [3],
  )
  const head = [
    `# Validation: ${heading(group).toLowerCase()}`,
    'Written by `isar validate`. [Summary of all groups, and what the columns mean](../validation.md).',
  ]
  return [...head, table, '## Cases', ...cases.map(caseSection)].join('\n\n') + '\n'
}

/** The row nearest to a limit, or furthest beyond it. */
function worst(c: CaseRecord): string {
  const held = c.rows.flatMap((row) => (row.limit ? decisive(row).map((d) => ({ ...d, row })) : []))
  if (held.length === 0) return '–'
  const share = (h: (typeof held)[number]): number => h.error / Math.max(h.limit!, 1e-12)
  const { error, unit, row, limit } = held.reduce((a, b) => (share(b) > share(a) ? b : a))
  const text = unit === ' dB' ? limitText({ metric: row.limit!.metric, db: limit }) : limit
  return `${unit === ' dB' ? number(error) : error.toFixed(3)} of ${text}${unit} (${row.what}, ${row.method})`
}

const limitText = ({ metric, db, complex }: Limit): string =>
  [
    ...(db === undefined ? [] : [`${metric === 'max' ? 'max ' : ''}${db}`]),
    ...(complex === undefined ? [] : [`‖ΔF‖ ${complex}`]),
  ].join(', ')

// prettier-ignore
const HEAD = [
  'curve', 'method', 'rms', 'median', 'max', 'floor', ...FLOORS.map((floor) => `rms −${floor}`),
  'correlation', '‖ΔF‖', 'points', 'limit', '',
]

function caseSection(c: CaseRecord): string {
  const table = markdownTable(
    HEAD,
    c.rows.map(({ what, method, errors, limit, passed }) => [
      what,
      method,
      number(errors.rmsDb),
      number(errors.medianDb),
      number(errors.maxDb),
      `−${errors.floorDb}`,
      // Records of other versions may not have them.
      ...FLOORS.map((_, i) => (errors.rmsAtFloors ? number(errors.rmsAtFloors[i]) : '–')),
      errors.correlation === null ? '–' : errors.correlation.toFixed(3),
      errors.complex === undefined ? '–' : errors.complex.toFixed(3),
      String(errors.points),
      limit ? limitText(limit) : '–',
      passed === null ? '' : passed ? 'kept' : '**not kept**',
    ]),
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  )
  return [
    `### ${c.name}`,
    `${c.title}. Reference: ${c.source} Limit: ${c.basis} ${c.note ? `${c.note} ` : ''}Took ${c.seconds.toFixed(1)} s on ${c.device}.`,
    table,
    ...c.figures.map(({ name }) => `![${c.title}](../figures/validation/${name}.png)`),
  ].join('\n\n')
}
