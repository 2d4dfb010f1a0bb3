import { InputError } from '../../scene/index.js'
import { type PlotData, targetOf } from './data.js'
import { highest, lowOf } from '../../isar/levels.js'
import { type Curve, lineFigure, type LineSpec, polarFigure } from './line-figure.js'
import { layerOf, type Settings, titled, type View } from './tabs.js'

/** Channels that a figure of curves shows. */
export const drawnLayers = ({ layer, layers }: Settings): readonly string[] => layers ?? [layer]

/** A curve of one result and channel, with what tells it from others of them. */
export type Part = Pick<Curve, 'x' | 'y' | 'bars'> & { of: string[] }

/** Curves of RCS of one result, or of two, in the channels that are drawn. */
export function lineView(
  result: PlotData,
  other: PlotData | null,
  settings: Settings,
  curvesOf: (r: PlotData, layer: string) => Part[],
  look: Pick<LineSpec, 'subtitle' | 'xTitle' | 'angular' | 'zero'> & { axes: View['axes']; polar?: boolean },
): View {
  const results = other ? [result, other] : [result]
  const layers = drawnLayers(settings)
  const titleOf = (layer: string): string => layerOf(result.history!.layers, layer).title
  const drawn = results.flatMap((r) =>
    channelsDrawn(
      layers.flatMap((layer) =>
        curvesOf(r, layer).map(({ of, ...curve }): NamedCurve => {
          const family = [...(other ? [r.place] : []), ...of].join(', ')
          return { ...curve, name: '', family, channels: [titleOf(layer)] }
        }),
      ),
    ),
  )
  return linesOf(
    drawn,
    settings,
    {
      title: [
        other ? result.name : targetOf(result),
        ...(layers.length === 1 ? [titleOf(layers[0])] : []),
      ].join(', '),
      yTitle: 'RCS [dBsm]',
      // The own name of a lone curve.
      lone: layers.length === 1 ? titleOf(layers[0]) : '',
      ...look,
    },
    'dBsm',
    look,
  )
}

/** A curve by its channels and by what else tells it from others. */
export interface NamedCurve extends Curve {
  family: string
  channels: string[]
}

/** Of one result. Monostatic cross-polar curves are the same to the last bit: one of them would hide the other. */
function channelsDrawn(curves: NamedCurve[]): NamedCurve[] {
  const kept: NamedCurve[] = []
  for (const curve of curves) {
    const same = kept.find((k) => k.family === curve.family && sameCurve(k, curve))
    if (same) same.channels.push(...curve.channels)
    else kept.push(curve)
  }
  return kept
}

const sameCurve = (a: Curve, b: Curve): boolean =>
  a.y.length === b.y.length && Array.prototype.every.call(a.y, (y: number, i) => y === b.y[i])

/** A view of curves: of several channels and other families the colour tells the family and the dash the channel, of one of both, both. */
export function linesOf(
  named: NamedCurve[],
  settings: Settings,
  {
    lone,
    ...look
  }: Pick<LineSpec, 'title' | 'subtitle' | 'xTitle' | 'yTitle' | 'angular' | 'zero' | 'log' | 'stems'> & {
    lone: string
  },
  unit: string,
  { axes, polar }: Pick<View, 'axes'> & { polar?: boolean },
): View {
  const families = [...new Set(named.map((c) => c.family))]
  const channels = [...new Set(named.map((c) => c.channels.join(' = ')))]
  const two = families.length > 1 && channels.length > 1
  const { names, xlim, ylim, top } = settings
  if (names && names.length !== named.length)
    throw new InputError(
      `--names: ${names.length} names for ${named.length} curves${named.length > 1 ? ` (${named.map((c) => ownName(c, channels.length > 1, lone)).join('; ')})` : ''}; give one for each, separated by commas`,
    )
  const curves = named.map(({ family, channels: of, ...curve }, i): Curve => ({
    ...curve,
    name: names?.[i] ?? ownName({ family, channels: of }, channels.length > 1, lone),
    colour: two ? families.indexOf(family) : i,
    dash: two ? channels.indexOf(of.join(' = ')) : i,
  }))
  const high = ylim?.[1] ?? top ?? 5 * Math.ceil(Math.max(...curves.map((c) => highest(c.y))) / 5)
  const low = ylim?.[0] ?? lowOf(curves, high, settings)
  const below = curves.filter(({ y }) => highest(y) < low)
  const drawn = curves.filter((c) => below.length === curves.length || !below.includes(c))
  const spec: LineSpec = {
    ...look,
    title: settings.title ?? look.title,
    subtitle:
      settings.title === ''
        ? ''
        : [
            look.subtitle,
            ...(below.length > 0 ? [`below the picture: ${below.map((c) => c.name).join('; ')}`] : []),
          ].join('  ·  '),
    curves: drawn,
    high,
    low,
    ...(xlim && { x: xlim }),
  }
  return {
    curves,
    axes,
    unit,
    draw: (width, height, palette) =>
      (polar ? polarFigure : lineFigure)(titled(spec, settings), width, height, palette),
  }
}

const ownName = (
  { family, channels }: Pick<NamedCurve, 'family' | 'channels'>,
  several: boolean,
  lone: string,
): string =>
  [...(several || channels.length > 1 ? [channels.join(' = ')] : []), family].filter(Boolean).join(', ') ||
  lone
