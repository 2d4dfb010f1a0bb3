import { type Figure, PAPER, svg } from '../views/figures/axes.js'
import { type Curve, ghz, lineFigure } from '../views/figures/index.js'
import { PAGE } from '../views/figures/svg.js'
import { type Material, slab } from '../scene/materials/index.js'

/** Lowest level drawn, and what stands for nothing at all [dB]. */
const FLOOR = -60
const PANEL = 360
/** Points of a curve. */
const POINTS = 361

/** Frequencies and angles of a figure of a material. */
export interface MaterialView {
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
