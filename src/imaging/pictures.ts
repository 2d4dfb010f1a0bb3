import type { Outline } from '../../isar/index.js'
import { compass, imageDbsm, mapPlot, linePlot, outlineOf } from '../../views/figures/node.js'
import type { Comparison, MeanProfile } from './compare.js'
import type { FormedImage } from './form.js'

/** What is drawn over and beside an image on the slant plane. */
export interface Seen {
  thetaDeg: number
  phiDeg: number
  outline?: Outline
}

interface PictureText {
  title: string
  subtitle: string
  /** `dBsm` where amplitudes are calibrated, else `dB`. */
  unit: string
}

const axisTitles = ({ plane }: FormedImage): { xTitle: string; yTitle: string } =>
  plane.name === 'ground'
    ? { xTitle: 'x [m]', yTitle: 'y [m]' }
    : { xTitle: 'Cross-range [m]', yTitle: 'Range, away from the radar [m]' }

/** An image on a scale that ends at `high`; SVG document. */
export function imagePicture(
  formed: FormedImage,
  text: PictureText,
  high: number,
  rangeDb: number,
  seen: Seen,
): string {
  return mapPlot({
    ...text,
    ...axisTitles(formed),
    levels: Float32Array.from(imageDbsm(formed.image)),
    x: formed.acrossM,
    y: formed.alongM,
    low: high - rangeDb,
    high,
    colours: 'inferno',
    span: true,
    square: true,
    smooth: true,
    ...(formed.plane.name === 'slant' && {
      overlay: (axes) => (seen.outline ? outlineOf(seen.outline, axes) : []),
      aside: (x, y) => compass(x, y, seen.thetaDeg, seen.phiDeg),
    }),
  })
}

/** Levels of one image less another's; SVG document. */
export function differencePicture(formed: FormedImage, text: PictureText, levels: Float32Array): string {
  return mapPlot({
    ...text,
    ...axisTitles(formed),
    levels,
    x: formed.acrossM,
    y: formed.alongM,
    low: -20,
    high: 20,
    unit: 'dB',
    colours: 'difference',
    square: true,
    smooth: true,
  })
}

/** Mean range profiles, of a measurement and where there is one of a simulation; SVG document. */
export function profilePicture(profiles: Record<string, MeanProfile>, text: PictureText): string {
  return linePlot({
    title: text.title,
    subtitle: text.subtitle,
    xTitle: 'Range beyond the reference [m]',
    yTitle: `Mean over the pulses [${text.unit}]`,
    series: Object.entries(profiles).map(([name, { rangeM, power }], i) => ({
      name,
      x: rangeM,
      y: power.map((p) => 10 * Math.log10(Math.max(1e-30, p))),
      style: i === 0 ? ('line' as const) : ('dashed' as const),
    })),
    depth: 60,
  })
}

/** The table of a comparison as CSV. */
export const comparisonCsv = (rows: Comparison[]): string =>
  [
    'channel,range_shift_m,gain_db,profile_correlation,image_correlation,rms_difference_db',
    ...rows.map((r) =>
      [
        r.channel,
        r.shiftM.toFixed(5),
        r.gainDb.toFixed(3),
        r.profileCorrelation.toFixed(5),
        r.imageCorrelation.toFixed(5),
        r.rmsDifferenceDb.toFixed(3),
      ].join(),
    ),
    '',
  ].join('\n')
