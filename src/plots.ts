import { barDbsm, dbsm, type RcsTable } from '../formats/rcs-table.js'
import { CHANNELS } from '../rays/index.js'
import { isFixedAngle } from '../run/rcs.js'
import type { Aspect } from '../scene/index.js'
import { type Material, slab } from '../scene/materials/index.js'
import { type Figure, PAPER, svg } from '../views/figures/axes.js'
import { type Curve, ghz, lineFigure } from '../views/figures/index.js'
import { linePlot, type LineSeries } from '../views/figures/node.js'
import { PAGE } from '../views/figures/svg.js'

/** Lowest level drawn, and what stands for nothing at all [dB]. */
const FLOOR = -60
const PANEL = 360
/** Points of a curve. */
const POINTS = 361

/** Frequencies and angles of a figure of a material. */
interface MaterialView {
  /** Of the curves over angle [Hz]. */
  freqHz: number
  /** Ends of the curves over frequency [Hz]; none where absent. */
  band?: [number, number]
  /** Angles of incidence of the curves over frequency, from the normal [degrees]. */
  thetaDeg: number[]
}

/**
 * |R| and |T| of a material in dB over the angle of incidence and, below it, over frequency; of both polarisations. SVG document.
 * @throws InputError for frequencies that it is not given for
 */
export function materialPlot(material: Material, view: MaterialView): string {
  const { freqHz, band, thetaDeg } = view
  const angles = range(0, 90)
  const common = { yTitle: 'Power [dB]', low: FLOOR, high: 5 }
  const panels = [
    lineFigure(
      {
        ...common,
        title: material.name,
        subtitle: `${ghz(freqHz)}, incidence on the front`,
        xTitle: 'Angle of incidence [deg]',
        angular: true,
        curves: curvesOf(material, angles, angles.map((theta) => [freqHz, theta]), ''), // prettier-ignore
      },
      PAGE,
      PANEL,
      PAPER,
    ),
  ]
  if (band) {
    const frequencies = range(...band)
    const x = frequencies.map((f) => f / 1e9)
    panels.push(
      lineFigure(
        {
          ...common,
          title: '',
          subtitle: '',
          xTitle: 'Frequency [GHz]',
          curves: thetaDeg.flatMap(
            (theta) =>
            curvesOf(material, x, frequencies.map((f) => [f, theta]), `, ${theta}°`), // prettier-ignore
          ),
        },
        PAGE,
        PANEL,
        PAPER,
      ),
    )
  }
  return stacked(panels)
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: POINTS }, (_, i) => from + ((to - from) * i) / (POINTS - 1))

/** Levels at (frequency [Hz], angle [degrees]); those of T only where something passes, one of both polarisations where they are equal. */
function curvesOf(material: Material, x: number[], at: [number, number][], what: string): Curve[] {
  const out = new Float64Array(8)
  const levels = [0, 2, 4, 6].map(() => new Float64Array(at.length))
  at.forEach(([f, theta], i) => {
    slab(material, f, Math.cos((theta * Math.PI) / 180), out)
    levels.forEach((level, k) => {
      const power = out[2 * k] ** 2 + out[2 * k + 1] ** 2
      level[i] = Math.max(2 * FLOOR, 10 * Math.log10(power))
    })
  })
  return (['R', 'T'] as const).flatMap((name, k) => {
    const [s, p] = levels.slice(2 * k, 2 * k + 2)
    if (name === 'T' && material.kind !== 'sheet') return []
    const alike = s.every((level, i) => Math.abs(level - p[i]) < 1e-6)
    const curve = (y: Float64Array, pol: string, dashed: boolean): Curve => ({
      name: `|${name}|²${pol}${what}`,
      x,
      y,
      dashed,
    })
    return alike ? [curve(s, '', name === 'T')] : [curve(s, ' s', name === 'T'), curve(p, ' p', name === 'T')]
  })
}

/** Figures one below the other. */
function stacked(figures: Figure[]): string {
  const height = figures.reduce((sum, figure) => sum + figure.height, 0)
  let top = 0
  const parts = figures.map((figure) => {
    const part = figure.markup.replace('<svg ', `<svg y="${top}" `)
    top += figure.height
    return part
  })
  return svg(PAGE, height, PAPER, parts)
}

/** What the curves run over: the first of the axes that varies. */
const AXES = [
  { title: 'θ [deg]', angular: true, of: (t: RcsTable) => t.aspects.map((a) => a.tx.thetaDeg) },
  { title: 'φ [deg]', angular: true, of: (t: RcsTable) => t.aspects.map((a) => a.tx.phiDeg) },
  { title: 'receiver θ [deg]', angular: true, of: (t: RcsTable) => t.aspects.map((a) => a.rx.thetaDeg) },
  { title: 'receiver φ [deg]', angular: true, of: (t: RcsTable) => t.aspects.map((a) => a.rx.phiDeg) },
]

const degrees = (x: number): string => `${Number(x.toPrecision(6))}°`

/** Levels shown below the highest [dB]. */
const DEPTH = 60

/** Most curves in one picture; further cuts are left to the table. */
const MAX_CURVES = 8

/**
 * RCS against aspect (or against frequency where there is one aspect), a curve per channel and, where several angles
 * vary, per cut. SVG document.
 */
export function rcsPlot(name: string, table: RcsTable): string {
  const { freqHz, aspects, channels } = table
  const fields = table.fields.total
  const sigma = (a: number, n: number, c: number): number =>
    dbsm(fields[a][8 * n + 2 * c], fields[a][8 * n + 2 * c + 1])
  /** The error bars of the results (aspect, frequency), as a field of a series; none without an estimate. */
  const barsOf = (points: [number, number][], c: number): Pick<LineSeries, 'bars'> => {
    if (!table.bars) return {}
    const ends = points.map(([a, n]) => barDbsm(table, a, n, c))
    return { bars: { low: ends.map(([low]) => low), high: ends.map(([, high]) => high) } }
  }
  const yTitle = 'RCS [dBsm]'
  if (aspects.length === 1 && freqHz.length > 1) {
    const { tx } = aspects[0]
    const series: LineSeries[] = channels.map((channel) => ({
      name: channel.toUpperCase(),
      x: freqHz.map((f) => f / 1e9),
      y: freqHz.map((_, n) => sigma(0, n, CHANNELS.indexOf(channel))),
      ...barsOf(
        freqHz.map((_, n) => [0, n]),
        CHANNELS.indexOf(channel),
      ),
    }))
    mergeAlike(series)
    const { drawn, note } = highEnough(series)
    return linePlot({
      title: name,
      subtitle: [`θ = ${degrees(tx.thetaDeg)}, φ = ${degrees(tx.phiDeg)}`, ...barsNote(table), ...note].join(
        '  ·  ',
      ),
      xTitle: 'Frequency [GHz]',
      yTitle,
      depth: DEPTH,
      series: drawn,
    })
  }
  // A monostatic run has no receiver axes of its own.
  const turned = isFixedAngle(aspects)
  const axes = table.bistatic && !turned ? AXES : AXES.slice(0, 2)
  const values = axes.map((axis) => axis.of(table))
  const varying = values.map((v) => new Set(v).size > 1)
  // The axis with most values is the one to plot over.
  const main = values.reduce((best, v, i) => (new Set(v).size > new Set(values[best]).size ? i : best), 0)
  const cutOf = (a: number): string =>
    axes
      .flatMap((axis, i) =>
        i !== main && varying[i] ? [`${axis.title.split(' [')[0]} = ${degrees(values[i][a])}`] : [],
      )
      .join(', ')
  const series: LineSeries[] = []
  const cuts = new Set(aspects.map((_, a) => cutOf(a)))
  for (let n = 0; n < freqHz.length; n++)
    for (const [i, cut] of [...cuts].entries()) {
      const family = n * cuts.size + i
      for (const channel of channels) {
        const rows = aspects.flatMap((_, a) => (cutOf(a) === cut ? [a] : []))
        const labels = [channel.toUpperCase(), cut, freqHz.length > 1 ? ghz(freqHz[n]) : ''].filter(Boolean)
        series.push({
          name: labels.join(', '),
          ...(cuts.size * freqHz.length > 1 &&
            channels.length > 1 && {
              colour: family,
              dash: channels.indexOf(channel),
            }),
          x: rows.map((a) => values[main][a]),
          y: rows.map((a) => sigma(a, n, CHANNELS.indexOf(channel))),
          ...barsOf(
            rows.map((a) => [a, n]),
            CHANNELS.indexOf(channel),
          ),
        })
      }
    }
  const fixed = axes.flatMap((axis, i) =>
    i < 2 && !varying[i] ? [`${axis.title.split(' [')[0]} = ${degrees(values[i][0])}`] : [],
  )
  mergeAlike(series)
  const { drawn, note } = highEnough(series)
  const bistatic = table.bistatic && turned ? [`bistatic: receiver at ${turnedBy(aspects[0])}`] : []
  const left = drawn.length - MAX_CURVES
  return linePlot({
    title: name,
    subtitle: [
      ...(freqHz.length === 1 ? [ghz(freqHz[0])] : []),
      ...fixed,
      ...bistatic,
      ...barsNote(table),
      ...note,
      ...(left > 0 ? [`${left} more curves in the table`] : []),
    ].join('  ·  '),
    xTitle: (table.bistatic && turned ? 'transmitter ' : '') + axes[main].title,
    yTitle,
    angular: true,
    depth: DEPTH,
    series: drawn.slice(0, MAX_CURVES),
  })
}

/** How far a receiver is turned from its transmitter. */
const turnedBy = ({ tx, rx }: Aspect): string =>
  [
    ['θ', rx.thetaDeg - tx.thetaDeg],
    ['φ', rx.phiDeg - tx.phiDeg],
  ]
    .filter(([, by]) => by !== 0)
    .map(([name, by]) => `${name} ${Number(by) > 0 ? '+' : '−'} ${degrees(Math.abs(Number(by)))}`)
    .join(', ')

const barsNote = ({ bars }: RcsTable): string[] =>
  bars ? [`bands: error of ray sampling${bars.model ? ' and model' : ''}, 95 %`] : []

/** The curves of which anything shows, and what to say of those left out. */
function highEnough(series: LineSeries[]): { drawn: LineSeries[]; note: string[] } {
  let top = -Infinity
  for (const { y } of series) for (const value of Array.from(y)) top = Math.max(top, value)
  const shows = ({ y }: LineSeries): boolean => Array.from(y).some((value) => value > top - DEPTH)
  const low = series.filter((c) => !shows(c)).map((c) => c.name)
  const note = low.length > 0 && low.length <= 4 ? [`below the picture: ${low.join('; ')}`] : []
  return { drawn: series.filter(shows), note }
}

/** Monostatic cross-polar curves are the same to the last bit: one of them would hide the other. */
function mergeAlike(series: LineSeries[]): void {
  const alike = (a: LineSeries, b: LineSeries): boolean => Array.from(a.y).every((y, i) => y === b.y[i])
  for (const hv of series.filter((s) => s.name.startsWith('HV'))) {
    const vh = series.find((s) => s.name === hv.name.replace('HV', 'VH'))
    if (!vh || !alike(vh, hv)) continue
    vh.name = hv.name.replace('HV', 'VH = HV')
    series.splice(series.indexOf(hv), 1)
  }
}
