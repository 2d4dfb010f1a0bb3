import type { MotionData } from './data.js'
import { highest, NOTHING, shown } from '../../isar/levels.js'
import { mapFigure, type MapSpec, type MapWindow, wholeOf } from './map-figure.js'
import { layerOf, type Settings, type TabName, titled, type View } from './tabs.js'

/** Spectrogram of a moving target with a line at the slider's time, or the range-Doppler map of the interval nearest to it. */
export function motionView(name: string, motion: MotionData, tab: TabName, settings: Settings): View {
  const layer = layerOf(motion.layers, settings.layer)
  const time = motion.timeS[settings.slider]
  const common = { title: `${name}, ${layer.title}`, unit: 'dBsm', colours: settings.colours, smooth: true, window: settings.window } // prettier-ignore
  const view = (spec: Omit<MapSpec, 'low' | 'high'>, all: Float32Array, more: Partial<View>): View => {
    const top = settings.top ?? highest(all)
    // Nothing at all is dark.
    const high = top > NOTHING ? top : 0
    const whole: MapSpec = { ...spec, high, low: high - settings.depth }
    return {
      grid: whole,
      axes: { x: 'Doppler', xUnit: 'Hz', y: 'range', yUnit: 'm' },
      unit: 'dBsm',
      draw: (width, height, palette, paint) =>
        mapFigure(titled(whole, settings), width, height, palette, paint),
      ...more,
    }
  }
  if (tab === 'spectrogram')
    return view(
      {
        ...common,
        levels: layer.spectrogram,
        x: motion.timeS,
        y: motion.dopplerHz,
        subtitle: 'spectrogram',
        xTitle: 'Time [s]',
        yTitle: 'Doppler [Hz], positive: approaching',
      },
      layer.spectrogram,
      { axes: { x: 'time', xUnit: 's', y: 'Doppler', yUnit: 'Hz' }, line: time, steps: true },
    )
  const maps = motion.maps!
  const i = mapAt(motion, settings.slider)
  const size = maps.rangeM.length * maps.dopplerHz.length
  // One scale for all, as in a film.
  return view(
    {
      ...common,
      levels: layer.maps!.subarray(i * size, (i + 1) * size),
      x: maps.dopplerHz,
      y: maps.rangeM,
      subtitle: `map ${i + 1} of ${maps.timeS.length}, about ${shown(maps.timeS[i], 4)} s`,
      xTitle: 'Doppler [Hz], positive: approaching',
      yTitle: 'Range, away from the radar [m]',
    },
    layer.maps!,
    {},
  )
}

/** Turns of a part that the first view of a spectrogram shows: four periods of two blades. */
const FIRST_TURNS = 2

/** The part of a long spectrogram that is shown first, a few periods of the blades about a time; undefined where that is most of it. */
export function firstWindow({ timeS, dopplerHz, turnS }: MotionData, column: number): MapWindow | undefined {
  const { x, y } = wholeOf({ levels: new Float32Array(), x: timeS, y: dopplerHz })
  const span = FIRST_TURNS * (turnS ?? Infinity)
  if (!(span < 0.5 * (x[1] - x[0]))) return undefined
  const from = Math.max(x[0], Math.min(x[1] - span, timeS[column] - span / 2))
  return { x: [from, from + span], y }
}

/** A view of a spectrogram that has gone on to a time outside it, by whole views. */
export function windowTo(window: MapWindow, { timeS, dopplerHz }: MotionData, time: number): MapWindow {
  const whole = wholeOf({ levels: new Float32Array(), x: timeS, y: dopplerHz }).x
  const [a, b] = window.x
  const span = b - a
  const by = time > b ? Math.max(span, time - b) : time < a ? Math.min(-span, time - a) : 0
  const from = Math.max(whole[0], Math.min(whole[1] - span, a + by))
  return { ...window, x: [from, from + span] }
}

/** Number of the range-Doppler map whose middle is nearest to a column of the spectrogram. */
export function mapAt({ timeS, maps }: MotionData, column: number): number {
  const of = maps!.timeS
  let best = 0
  of.forEach((t, i) => {
    if (Math.abs(t - timeS[column]) < Math.abs(of[best] - timeS[column])) best = i
  })
  return best
}
