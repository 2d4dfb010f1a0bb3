import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { NpyArray } from '../formats/index.js'
import { InputError } from '../scene/index.js'
import type { LinePlot, LineSeries } from '../views/figures/node.js'
import { axis, imageData, matrices } from '../views/server/result-file.js'
import { openFile, readArrays } from '../views/server/open-result.js'
import { textTable } from './compare.js'
import { decibels as level, ZERO_DB } from './validate/errors.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../run/job.js'
import { checkDeclared, type SettingsOf } from '../run/settings/settings.js'
import { aboveZero, checkKeys, type Setting } from '../run/settings/types.js'

/** Levels that count unless another floor is given [dB below the highest]. */
export const FLOOR_DB = 30

/** Options of `isar compare` of results and of `compare`. */
export const COMPARE = {
  /** Differences count down to so far below the highest level of a channel [dB]. Default 30. */
  floorDb: {
    type: aboveZero().optional(),
    help: `of results: levels this far below the highest of a channel count as that, default ${FLOOR_DB}`,
    group: 'Output',
    option: 'floor',
    value: '<dB>',
  },
} as const satisfies Record<string, Setting>

/** How results are compared. */
export interface CompareOptions extends CallOptions, SettingsOf<typeof COMPARE> {
  /** Channels to compare; default: all that the results share. */
  channels?: readonly string[]
}

/**
 * Results on disk against the first of them, as `isar compare RESULT RESULT…` does: rms, maximum and complex difference by channel and
 * frequency, for each kind of data that all have.
 * @param results  folders, or .csv, .npz, .h5, .mat files
 * @throws (rejects) InputError for what is no result, or results with nothing in common
 */
export async function compare(
  results: readonly string[],
  options: CompareOptions = {},
): Promise<Comparison[]> {
  checkKeys(options, 'compare', [...CALL_OPTIONS, ...Object.keys(COMPARE), 'channels'])
  if (results.length < 2) throw new InputError('compare: give a result and at least another to compare with')
  const hooks = new Hooks(options)
  const { floorDb = FLOOR_DB } = checkDeclared(COMPARE, { ...options })
  const { compared } = await compareFiles(results, floorDb, options.channels)
  hooks.check()
  return compared.flat()
}

/** Deepest that a picture goes below its highest curve [dB]. */
const DEPTH = 100

/**
 * Curves of all results of a channel over the axis of which most values differ, through the place of the largest difference of all;
 * the scale covers every curve, or the picture says what lies below it.
 */
export function comparedCurves(
  all: readonly Comparable[],
  comparisons: readonly Comparison[],
  channel: string,
): LinePlot {
  const [reference] = all
  const differences = comparisons.flatMap((c) => c.differences.filter((d) => d.channel === channel))
  const largest = differences.flatMap(({ max }) => (max ? [max] : [])).sort((a, b) => Math.abs(b.db) - Math.abs(a.db))[0] // prettier-ignore
  // Every axis with its values: that of frequency too.
  const distinct = (values: ArrayLike<number>): number => new Set(Array.from(values)).size
  const over = reference.axes
    .map((axis) => ({ ...axis, count: distinct(axis.values) }))
    .reduce((best, axis) => (axis.count > best.count ? axis : best))
  const byFrequency = reference.freqHz!.length > over.count
  const at = largest?.at ?? { freq_hz: reference.freqHz![0] }
  const held = byFrequency
    ? Object.fromEntries(Object.entries(at).filter(([name]) => name !== 'freq_hz'))
    : Object.fromEntries(Object.entries(at).filter(([name]) => name !== over.name))
  const series = all.map((one) => curveOf(one, channel, byFrequency ? null : over.name, held))
  const highs = series.map(({ y }) => Array.from(y).reduce((a, b) => Math.max(a, b), ZERO_DB))
  const high = Math.max(...highs)
  const lows = series.flatMap(({ y }) => Array.from(y).filter((v) => v > high - DEPTH))
  const low = lows.reduce((a, b) => Math.min(a, b), high - 10)
  const bottom = 5 * Math.floor(low / 5)
  const below = series.flatMap(({ name, y }) => {
    const count = Array.from(y).filter((v) => v < bottom).length
    return count > 0 ? [`${name}: ${count === y.length ? 'all' : `${count} of ${y.length}`} samples below the picture`] : [] // prettier-ignore
  })
  // One frequency is named too: it is that of the picture.
  const where = placeText(held, { frequencies: byFrequency ? [] : [0, 1] })
  return {
    title: `${all.map(({ name }) => name).join(', ')}: ${channel.toUpperCase()}`,
    subtitle: [
      ...(where ? [where] : []),
      ...(largest ? [`largest difference ${largest.db.toFixed(1).replace('-', '−')} dB at ${placeText(largest.at, { frequencies: reference.freqHz! })}`] : []), // prettier-ignore
      ...below,
    ].join('  ·  '),
    xTitle: byFrequency
      ? 'Frequency [GHz]'
      : `${over.title} [${over.unit === '°' ? 'deg' : over.unit.trim()}]`,
    yTitle: reference.unit === 'dBsm' ? 'RCS [dBsm]' : 'Path gain [dB]',
    angular: !byFrequency && over.unit === '°',
    yRange: [bottom, 5 * Math.ceil((high + 0.5) / 5)],
    series: series.map((one, i) => ({ ...one, style: i % 2 === 1 ? 'dashed' : 'line' })),
  }
}

/** A result's levels along an axis (null: frequency) where its other axes have the values that are held. */
function curveOf(
  one: Comparable,
  channel: string,
  over: string | null,
  held: Record<string, number>,
): LineSeries {
  const data = one.layers.find(({ name }) => name === channel)!.data
  const freqHz = one.freqHz!
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-8 * Math.max(1, Math.abs(b))
  const nearest = (f: number): number => Array.from(freqHz).findIndex((v) => near(v / f, 1))
  const value = (n: number, p: number): number => {
    const i = 2 * (n * one.points + p)
    return level(one.scale * (data[i] ** 2 + data[i + 1] ** 2))
  }
  const fits = (p: number, skip?: string): boolean =>
    one.axes.every(({ name, values }) => name === skip || !(name in held) || near(values[p], held[name]))
  const places = Array.from({ length: one.points }, (_, p) => p)
  if (over === null) {
    const p = Math.max(
      0,
      places.findIndex((place) => fits(place)),
    )
    const order = Array.from(freqHz, (_, n) => n).sort((a, b) => freqHz[a] - freqHz[b])
    return { name: one.name, x: order.map((n) => freqHz[n] / 1e9), y: order.map((n) => value(n, p)) }
  }
  const n = Math.max(0, nearest(held.freq_hz))
  const cut = places.filter((p) => fits(p, over))
  // On a track all axes change together: no cut along one of them has more than a point.
  const shown = cut.length > 1 ? cut : places
  const x = one.axes.find(({ name }) => name === over)!.values
  shown.sort((a, b) => x[a] - x[b])
  return { name: one.name, x: shown.map((p) => x[p]), y: shown.map((p) => value(n, p)) }
}

/** An axis that says where the points of a result are. */
interface PointAxis {
  /** As in files, e.g. `phi_deg`. */
  name: string
  title: string
  unit: string
  values: ArrayLike<number>
}

/** What of a result is compared: complex values in layers over frequencies and named points. */
export interface Comparable {
  /** As people call it: its file or folder. */
  name: string
  kind: 'directions' | 'receivers' | 'pixels'
  /** Of power, |value|² times `scale`. */
  unit: string
  scale: number
  /** Ascending [Hz]; null of an image. */
  freqHz: ArrayLike<number> | null
  axes: PointAxis[]
  points: number
  /** Complex, interleaved re, im, [frequency][point]. */
  layers: { name: string; data: ArrayLike<number> }[]
}

/** A layer of a result against that of the reference. Differences are the result's levels less the reference's [dB]. */
interface Difference {
  channel: string
  /** Null: of all frequencies together, or of an image. */
  freq_hz: number | null
  /** Points of which either level lies above the floor, which alone count in `rms_db`, and all that were compared. */
  counted: number
  points: number
  rms_db: number
  /** The difference of the largest size, where it is, and both levels there (not clipped). Null where no point counts. */
  max: { db: number; reference: number; result: number; at: Record<string, number> } | null
  /** Levels of mean powers, and their difference [dB]. */
  mean: { reference: number; result: number; db: number }
  /** ‖F − F_ref‖ / ‖F_ref‖; null where the reference is zero or no point counts. */
  complex: number | null
}

/** A result against the reference. */
export interface Comparison {
  reference: string
  result: string
  kind: Comparable['kind']
  unit: string
  floor_db: number
  /** Frequencies [Hz] and points that both have, of the reference's. */
  frequencies: number[]
  points: number
  of: { frequencies: number; points: number }
  /** By channel: all frequencies together, then, of several, each. */
  differences: Difference[]
}

/** Levels this far below the highest of all channels are rounding, whatever the floor [dB]: cross-polarisation that symmetry forbids. */
const ROUNDING_DB = 150

/** Two values of an axis are one where they agree to so many digits. */
const keyOf = (value: number): string => (Math.abs(value) < 1e-9 ? '0' : value.toPrecision(9))

/** Numbers of the frequencies and of the points that both have, in pairs: of the reference, of the result. */
interface Common {
  frequencies: Uint32Array
  points: Uint32Array
}

/** @throws InputError where the results are of different kinds, or have no point, frequency or channel in common */
function commonOf(reference: Comparable, result: Comparable): Common {
  const [a, b] = [reference, result]
  const names = ({ axes }: Comparable): string => axes.map(({ title }) => title).join(', ')
  if (a.kind !== b.kind || names(a) !== names(b))
    throw new InputError(
      `${b.name} has ${b.kind} (${names(b)}) and ${a.name} ${a.kind} (${names(a)}); compare results of one kind`,
    )
  if (a.unit !== b.unit)
    throw new InputError(
      `${b.name} is in ${b.unit} and ${a.name} in ${a.unit}: one is not calibrated (isar image --reference)`,
    )
  if (a.kind === 'pixels') {
    checkPixels(a, b)
    return { frequencies: new Uint32Array(2), points: new Uint32Array(2 * a.points).map((_, i) => i >> 1) }
  }
  const frequencies = shared(
    Array.from(a.freqHz!, (f) => keyOf(f)),
    Array.from(b.freqHz!, (f) => keyOf(f)),
  )
  if (frequencies.length === 0)
    throw new InputError(
      `no frequency of ${b.name} (${spanOf(b.freqHz!, 1e-9, ' GHz')}) is one of ${a.name} (${spanOf(a.freqHz!, 1e-9, ' GHz')}); compute both at the same`,
    )
  const keys = ({ axes, points }: Comparable): string[] =>
    Array.from({ length: points }, (_, i) => axes.map(({ values }) => keyOf(values[i])).join())
  const points = shared(keys(a), keys(b))
  if (points.length === 0)
    throw new InputError(
      `none of the ${b.kind} of ${b.name} (${b.axes.map((x) => `${x.title} ${spanOf(x.values, 1, x.unit)}`).join(', ')}) is one of ${a.name} (${a.axes.map((x) => `${x.title} ${spanOf(x.values, 1, x.unit)}`).join(', ')}); compute both at the same`,
    )
  return { frequencies, points }
}

/** Pairs of places of equal keys, in the order of the first list; of a key that comes twice its first places. */
function shared(a: string[], b: string[]): Uint32Array {
  const places = new Map<string, number>()
  b.forEach((key, i) => {
    if (!places.has(key)) places.set(key, i)
  })
  const pairs: number[] = []
  a.forEach((key, i) => {
    const place = places.get(key)
    if (place === undefined) return
    pairs.push(i, place)
    places.delete(key)
  })
  return Uint32Array.from(pairs)
}

const number = (x: number): string => String(Number(x.toPrecision(6))).replace('-', '−')

/** Ends of an axis as text. */
function spanOf(values: ArrayLike<number>, scale: number, unit: string): string {
  const list = Array.from(values)
  const [low, high] = [list.reduce((x, y) => Math.min(x, y)), list.reduce((x, y) => Math.max(x, y))]
  return (low === high ? [low] : [low, high]).map((x) => number(x * scale) + unit).join(' to ')
}

/** @throws InputError unless both images have the same pixels */
function checkPixels(a: Comparable, b: Comparable): void {
  for (const [i, axis] of a.axes.entries()) {
    const other = b.axes[i].values
    const reach = Math.abs(axis.values[a.points - 1] - axis.values[0])
    let same = a.points === b.points
    for (let p = 0; same && p < a.points; p++) same = Math.abs(axis.values[p] - other[p]) <= 1e-6 * reach
    if (same) continue
    throw new InputError(
      `the images of ${a.name} (${a.points} pixels, ${axis.title} ${spanOf(axis.values, 1, axis.unit)}) and ${b.name} (${b.points}, ${spanOf(other, 1, axis.unit)}) have other pixels; make both with the same band, aperture and --size`,
    )
  }
}

/**
 * A result against the reference over what they have in common, by channel and frequency.
 * @param floorDb   differences count down to so far below the highest level of the channel in either; both are clipped there
 * @param channels  those to compare; where absent all channels of both without mechanisms' parts
 * @throws InputError  see `commonOf`; for a channel that either is without
 */
export function compareResults(
  reference: Comparable,
  result: Comparable,
  floorDb: number,
  channels?: readonly string[],
): Comparison {
  const common = commonOf(reference, result)
  const wanted = sharedChannels(reference, result, channels)
  const { scale, freqHz } = reference
  const layerOf = ({ layers }: Comparable, name: string) => layers.find((l) => l.name === name)!.data
  const power = (data: ArrayLike<number>, at: number): number => scale * (data[2 * at] ** 2 + data[2 * at + 1] ** 2) // prettier-ignore
  const { frequencies: bands, points } = common
  /** Calls with the places of each pair at some of the frequencies, by their numbers among the common ones. */
  const each = (from: number, to: number, use: (i: number, j: number) => void): void => {
    for (let f = 2 * from; f < 2 * to; f += 2)
      for (let p = 0; p < points.length; p += 2)
        use(bands[f] * reference.points + points[p], bands[f + 1] * result.points + points[p + 1])
  }
  const count = bands.length / 2
  let highest = 0
  for (const channel of wanted) {
    const [a, b] = [layerOf(reference, channel), layerOf(result, channel)]
    each(0, count, (i, j) => (highest = Math.max(highest, power(a, i), power(b, j))))
  }
  const whereOf = (place: number): Record<string, number> => {
    const point = place % reference.points
    return {
      ...(freqHz && { freq_hz: freqHz[Math.floor(place / reference.points)] }),
      ...Object.fromEntries(reference.axes.map(({ name, values }) => [name, values[point]])),
    }
  }
  const differenceOf = (channel: string, from: number, to: number): Difference => {
    const [a, b] = [layerOf(reference, channel), layerOf(result, channel)]
    const size = ((to - from) * points.length) / 2
    let [top, sumA, sumB, change, norm] = [0, 0, 0, 0, 0]
    each(from, to, (i, j) => {
      const [pa, pb] = [power(a, i), power(b, j)]
      top = Math.max(top, pa, pb)
      sumA += pa
      sumB += pb
      change += (b[2 * j] - a[2 * i]) ** 2 + (b[2 * j + 1] - a[2 * i + 1]) ** 2
      norm += a[2 * i] ** 2 + a[2 * i + 1] ** 2
    })
    const floor = Math.max(level(top) - floorDb, level(highest) - ROUNDING_DB)
    let [squares, counted, most, at] = [0, 0, 0, -1]
    let levels = { reference: ZERO_DB, result: ZERO_DB }
    each(from, to, (i, j) => {
      const [la, lb] = [level(power(a, i)), level(power(b, j))]
      if (Math.max(la, lb) <= floor) return
      const db = Math.max(lb, floor) - Math.max(la, floor)
      counted++
      squares += db * db
      if (at >= 0 && Math.abs(db) <= Math.abs(most)) return
      ;[most, at, levels] = [db, i, { reference: la, result: lb }]
    })
    const mean = { reference: level(sumA / size), result: level(sumB / size) }
    return {
      channel,
      freq_hz: freqHz && to === from + 1 ? freqHz[bands[2 * from]] : null,
      counted,
      points: size,
      rms_db: Math.sqrt(squares / Math.max(1, counted)),
      max: at < 0 ? null : { db: most, ...levels, at: whereOf(at) },
      mean: { ...mean, db: mean.result - mean.reference },
      complex: counted > 0 && norm > 0 ? Math.sqrt(change / norm) : null,
    }
  }
  return {
    reference: reference.name,
    result: result.name,
    kind: reference.kind,
    unit: reference.unit,
    floor_db: floorDb,
    frequencies: freqHz ? Array.from({ length: count }, (_, n) => freqHz[bands[2 * n]]) : [],
    points: points.length / 2,
    of: { frequencies: freqHz?.length ?? 0, points: reference.points },
    differences: wanted.flatMap((channel) => [
      differenceOf(channel, 0, count),
      ...(count > 1 ? Array.from({ length: count }, (_, n) => differenceOf(channel, n, n + 1)) : []),
    ]),
  }
}

function sharedChannels(a: Comparable, b: Comparable, channels?: readonly string[]): string[] {
  const names = ({ layers }: Comparable): string[] => layers.map(({ name }) => name)
  for (const channel of channels ?? [])
    for (const one of [a, b])
      if (!names(one).includes(channel))
        throw new InputError(`--pol ${channel}: ${one.name} has ${names(one).join(', ')}`)
  const found = channels ?? names(a).filter((name) => !name.includes('_') && names(b).includes(name))
  if (found.length === 0)
    throw new InputError(`${a.name} has ${names(a).join(', ')} and ${b.name} ${names(b).join(', ')}: no channel in common`) // prettier-ignore
  return [...found]
}

/** Most frequencies that the printed table lists one by one. */
const LISTED = 12

const decibels = (x: number): string => x.toFixed(2).replace(/^-(?=[0.]+$)/, '').replace('-', '−') // prettier-ignore
const signed = (x: number): string => (decibels(x).startsWith('−') ? '' : '+') + decibels(x)

/** A comparison as a text table. */
export function formatErrors(comparison: Comparison): string {
  const { reference, result, kind, unit, floor_db, frequencies, points, of, differences } = comparison
  const part = (n: number, all: number): string => (n === all ? `${n}` : `${n} of ${all}`)
  const many = frequencies.length > LISTED
  const shown = many ? differences.filter(({ freq_hz }) => freq_hz === null) : differences
  const sizes = [
    `${part(points, of.points)} ${kind}`,
    ...(frequencies.length > 0 ? [`${part(frequencies.length, of.frequencies)} ${frequencies.length === 1 ? 'frequency' : 'frequencies'}`] : []), // prettier-ignore
  ]
  const rows = shown.map(({ channel, freq_hz, counted, rms_db, max, mean, complex }) => [
    channel,
    ...(frequencies.length > 0 ? [freq_hz === null ? 'all' : `${number(freq_hz / 1e9)} GHz`] : []),
    `${counted}`,
    counted > 0 ? decibels(rms_db) : '–',
    max ? signed(max.db) : '–',
    max ? `${decibels(max.reference)} → ${decibels(max.result)}` : '–',
    max ? placeText(max.at, comparison) : '–',
    // Without a level that counts there is nothing but rounding.
    counted > 0 ? `${decibels(mean.reference)} → ${decibels(mean.result)}` : '–',
    counted > 0 ? signed(mean.db) : '–',
    complex === null ? '–' : complex.toPrecision(3),
  ])
  const head = ['channel', ...(frequencies.length > 0 ? ['frequency'] : []), 'counted', 'rms [dB]', 'max [dB]', `there [${unit}]`, 'where', `mean power [${unit}]`, 'change [dB]', '‖ΔF‖/‖F‖'] // prettier-ignore
  return [
    `${result} less ${reference}: ${sizes.join(' x ')}; levels down to ${floor_db} dB below the highest count`,
    textTable(head, rows),
    ...(many ? [`${frequencies.length} frequencies: --json and compare.json have each\n`] : []),
  ].join('\n')
}

/** A place in words, with its frequency where there are several. */
function placeText(at: Record<string, number>, { frequencies }: { frequencies: ArrayLike<number> }): string {
  return Object.entries(at)
    .flatMap(([name, value]) =>
      name === 'freq_hz'
        ? frequencies.length > 1
          ? [`${number(value / 1e9)} GHz`]
          : []
        : [`${AXES[name].title} ${number(value)}${AXES[name].unit}`],
    )
    .join(', ')
}

/** Titles and units of axes by their names in files. */
export const AXES: Record<string, { title: string; unit: string }> = {
  theta_deg: { title: 'θ', unit: '°' },
  phi_deg: { title: 'φ', unit: '°' },
  rx_theta_deg: { title: 'receiver θ', unit: '°' },
  rx_phi_deg: { title: 'receiver φ', unit: '°' },
  x_m: { title: 'x', unit: ' m' },
  y_m: { title: 'y', unit: ' m' },
  z_m: { title: 'z', unit: ' m' },
  range_m: { title: 'range', unit: ' m' },
  cross_range_m: { title: 'cross-range', unit: ' m' },
}

const axisOf = (name: string, values: ArrayLike<number>): PointAxis => ({ name, ...AXES[name], values })

/**
 * What of a result folder or file can be compared: an image, and amplitudes over directions or receivers.
 * @throws InputError for anything else
 */
async function openComparable(path: string, name: string): Promise<Comparable[]> {
  const { file, folder, meta, arrays } = await openFile(path)
  const has = (head: string): boolean => Object.keys(arrays).some((key) => key.startsWith(head))
  if (has('spectrogram_'))
    throw new InputError(
      `${path} is of a moving target; compare tables of rcs, results of propagate, and images`,
    )
  if (has('position_m')) return [receivers(arrays, name)]
  if (!has('image_')) return [directions(arrays, name)]
  const { rangeM, crossRangeM, ground, unit = 'dBsm', layers } = imageData(arrays, meta)
  const columns = crossRangeM.length
  const points = rangeM.length * columns
  const [along, across] = ground ? ['y_m', 'x_m'] : ['range_m', 'cross_range_m']
  const history = join(dirname(file), 'phase-history.npz')
  return [
    {
      name,
      kind: 'pixels',
      unit,
      scale: 1,
      freqHz: null,
      axes: [
        axisOf(
          along,
          Float64Array.from({ length: points }, (_, i) => rangeM[Math.floor(i / columns)]),
        ),
        axisOf(
          across,
          Float64Array.from({ length: points }, (_, i) => crossRangeM[i % columns]),
        ),
      ],
      points,
      layers,
    },
    ...(folder && existsSync(history) ? [directions(await readArrays(history), name)] : []),
  ]
}

function directions(arrays: Record<string, NpyArray>, name: string): Comparable {
  const names = ['theta_deg', 'phi_deg', ...('rx_theta_deg' in arrays ? ['rx_theta_deg', 'rx_phi_deg'] : [])]
  const freqHz = axis(arrays, 'freq_hz', name)
  const axes = names.map((n) => axisOf(n, axis(arrays, n, name)))
  const points = axes[0].values.length
  const layers = matrices(arrays, 'f_', [freqHz.length, points])
  return { name, kind: 'directions', unit: 'dBsm', scale: 4 * Math.PI, freqHz, axes, points, layers }
}

function receivers(arrays: Record<string, NpyArray>, name: string): Comparable {
  const freqHz = axis(arrays, 'freq_hz', name)
  const position = axis(arrays, 'position_m', name)
  const points = position.length / 3
  const axes = ['x_m', 'y_m', 'z_m'].map((n, c) =>
    axisOf(
      n,
      Float64Array.from({ length: points }, (_, i) => position[3 * i + c]),
    ),
  )
  const layers = matrices(arrays, 'h_', [freqHz.length, points])
  return { name, kind: 'receivers', unit: 'dB', scale: 1, freqHz, axes, points, layers }
}

/** Names of results that tell them apart: of files and folders, with as much of the paths as it takes. */
function namesOf(paths: readonly string[]): string[] {
  const full = paths.map((path) => resolve(path).split(/[\\/]/))
  for (let parts = 1; ; parts++) {
    const names = full.map((words) => words.slice(-parts).join('/'))
    if (new Set(names).size === paths.length || parts >= Math.max(...full.map((words) => words.length)))
      return names
  }
}

/**
 * Results on disk against the first of them, for each kind of data that all have.
 * @returns their names, what is compared by kind, and the comparisons of each kind in the order of the others
 * @throws InputError for what is no result, or nothing in common
 */
export async function compareFiles(
  paths: readonly string[],
  floorDb: number,
  channels?: readonly string[],
): Promise<{ names: string[]; sets: Comparable[][]; compared: Comparison[][] }> {
  const names = namesOf(paths)
  const opened = await Promise.all(paths.map((path, i) => openComparable(path, names[i])))
  const [first, ...others] = opened
  const sets = first.flatMap((one) => {
    const same = others.map((other) => other.find(({ kind }) => kind === one.kind))
    return same.every((other) => other !== undefined) ? [[one, ...same]] : []
  })
  // Of different kinds: the error says which.
  if (sets.length === 0) sets.push(opened.map(([one]) => one))
  const compared = sets.map(([one, ...rest]) =>
    rest.map((other) => compareResults(one, other, floorDb, channels)),
  )
  return { names, sets, compared }
}

/** Whether a path is a result rather than a mesh. */
export const isResult = (path: string): boolean =>
  /\.(csv|npz|h5|hdf5|mat)$/i.test(basename(path)) || (existsSync(path) && statSync(path).isDirectory())
