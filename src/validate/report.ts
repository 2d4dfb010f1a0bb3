import { FLOORS } from './errors.js'
import { fails, type CaseRecord, type Verdict } from './run-case.js'

/** What validation.json holds. */
export interface Report {
  version: string
  cases: CaseRecord[]
  /** Cases left out, and why. */
  left: { name: string; why: string }[]
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

/** The report for people: a summary, the table of every case, and its figure. */
export function markdownReport({ version, cases, left }: Report): string {
  const named = (verdict: Verdict): string => {
    const found = cases.filter((c) => c.verdict === verdict)
    const links = found.map((c) => `[${c.name}](#${c.name})`).join(', ')
    return `${found.length}${fails(verdict) && found.length > 0 ? ` (${links})` : ''}`
  }
  const parts = [
    '# Validation',
    `Written by \`isar validate\` (isar ${version}). ${cases.length} cases. Limits set from outside (closed forms, exactness, another code’s figures, specifications): requirement met ${named('met')}, missed ${named('missed')}. Guards, which are a version’s own figures with a margin and claim no accuracy: unchanged ${named('unchanged')}, changed ${named('changed')}. Stated without a limit: ${named('stated')}. [limits.md](limits.md) says what causes a miss, and the errors that a limit allows.`,
    `Errors are differences in dB of the curves after both were clipped at the floor, so many dB below the reference’s maximum: root mean square (rms), median and maximum of their sizes at the case’s own floor, and the rms at ${FLOORS.join(', ')} dB. Correlation is that of the clipped curves in dB; ‖ΔF‖ is the norm of the complex difference relative to the reference’s, where the reference has amplitudes. A limit is one of the rms unless it says max. Conventions: (θ, φ) points from the target to the radar, V = θ̂, H = φ̂, exp(+jωt).`,
    '## Summary',
    markdownTable(
      ['case', 'verdict', 'worst against its limit', 'time'],
      cases.map((c) => [
        `[${c.name}](#${c.name})`,
        VERDICTS[c.verdict],
        worst(c),
        `${c.seconds.toFixed(1)} s`,
      ]),
      [3],
    ),
  ]
  if (left.length > 0)
    parts.push(
      '## Not run',
      markdownTable(
        ['case', 'why'],
        left.map((l) => [l.name, l.why]),
      ),
    )
  parts.push('## Cases', ...cases.map(caseSection))
  return parts.join('\n\n') + '\n'
}

const errorOf = (row: CaseRecord['rows'][number]): number =>
  row.limit?.metric === 'max' ? row.errors.maxDb : row.errors.rmsDb

/** The row nearest to its limit, or furthest beyond it. */
function worst(c: CaseRecord): string {
  const held = c.rows.filter((r) => r.limit)
  if (held.length === 0) return '–'
  const share = (r: (typeof held)[number]): number => errorOf(r) / Math.max(r.limit!.db, 1e-12)
  const row = held.reduce((a, b) => (share(b) > share(a) ? b : a))
  return `${number(errorOf(row))} of ${limitText(row.limit!)} dB (${row.what}, ${row.method})`
}

const limitText = (limit: NonNullable<CaseRecord['rows'][number]['limit']>): string =>
  `${limit.metric === 'max' ? 'max ' : ''}${limit.db}`

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
    ...c.figures.map(({ name }) => `![${c.title}](figures/validation/${name}.png)`),
  ].join('\n\n')
}
