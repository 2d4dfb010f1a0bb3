import type { NpyArray } from '../../formats/index.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import { C0, describeReport, type Target, type Vec3 } from '../../scene/index.js'
import type { PropagationEngine, PropagationResult } from '../engines.js'
import { rayCount, subdivisionFor } from '../paths/geodesic.js'
import type { PropagationPath } from '../paths/path-walker.js'
import type { LoadedScene, ReceiverSet } from '../scene/load-scene.js'
import { insideSolids } from '../scene/solids.js'
import { PATH_UNIT, type PropagationSetup, SUM } from '../setup.js'

/** What the sums of one receiver and excitation say of its channel. */
export interface ChannelFigures {
  /** exp(-jkr)/r-weighted field of a transmitter with gain 1 [1/m]: x re, im, y re, im, z re, im. */
  field: Float64Array
  /** Transfers h_v and h_h: re, im each. |h|^2 is the path gain between the ports of the antennas. */
  transfer: Float64Array
  /** Sum of the powers |h_v|^2 + |h_h|^2 of the paths: the path gain without interference. */
  pathPower: number
  /** Power-weighted mean delay, and its standard deviation [s]; NaN where no path arrives. */
  meanDelay: number
  delaySpread: number
  /**
   * Power-weighted spread of the paths' directions at the receiver and at the transmitter [degrees]: sqrt(1 - |m|^2) of the mean m
   * of unit vectors (B. H. Fleury, IEEE Trans. Inf. Theory 46, 2000), which for small spreads is the rms angle.
   */
  arrivalSpreadDeg: number
  departureSpreadDeg: number
  /** Mean directions, unit vectors (zero where there is none). */
  arrival: Vec3
  departure: Vec3
}

/**
 * @param sums  as `PropagationResult.sums`
 * @param at    the receiver's and excitation's first number there
 * @param r0    distance of the receiver from the transmitter [m]
 */
export function channelFigures(sums: Float64Array, at: number, r0: number, freqHz: number): ChannelFigures {
  const part = (from: number, length: number): Float64Array => sums.subarray(at + from, at + from + length)
  const scale = C0 / freqHz / (4 * Math.PI * r0)
  const [p, late, late2] = part(SUM.power, 3)
  const mean = late / p
  const spread = (from: number): { degrees: number; mean: Vec3 } => {
    const m = Array.from(part(from, 3), (x) => (p > 0 ? x / p : 0)) as Vec3
    const size = Math.hypot(...m)
    return {
      degrees: p > 0 ? (180 / Math.PI) * Math.sqrt(Math.max(0, 1 - size * size)) : NaN,
      mean: size > 0 ? (m.map((x) => x / size) as Vec3) : m,
    }
  }
  const arrival = spread(SUM.arrival)
  const departure = spread(SUM.departure)
  return {
    field: part(SUM.field, 6).map((x) => x / r0),
    transfer: part(SUM.transfer, 4).map((x) => x * scale),
    pathPower: p * scale * scale,
    meanDelay: ((1 + mean) * r0) / C0,
    delaySpread: (Math.sqrt(Math.max(0, late2 / p - mean * mean)) * r0) / C0,
    arrivalSpreadDeg: arrival.degrees,
    departureSpreadDeg: departure.degrees,
    arrival: arrival.mean,
    departure: departure.mean,
  }
}

/** A gain or power of nothing at all [dB, dBm]. */
export const NOTHING_DB = -300

/** 10 log10 of a power; -300 for zero. @throws Error where it is not finite: such a result must not be written */
export function decibels(power: number): number {
  if (!Number.isFinite(power)) throw new Error('a received field is not finite: please report this scene')
  return power > 0 ? Math.max(NOTHING_DB, 10 * Math.log10(power)) : NOTHING_DB
}

/** Results of a scene by receiver, frequency and transmit polarisation. */
export class PropagationTable {
  readonly receivers: number
  /** Channels (transmit, receive) that were computed. */
  readonly channels: Channel[]
  /** 1 for receivers that no path reaches because they stand inside a closed solid, a building; else 0. */
  readonly inside: Uint8Array

  /** @param built  what the result was computed from (`buildPropagation`) */
  constructor(
    readonly loaded: LoadedScene,
    readonly result: PropagationResult,
    { target, setup }: { target: Target; setup: PropagationSetup },
  ) {
    const { receivers, transmit, transmitter } = loaded.scene
    this.receivers = receivers.length / 3
    this.channels = CHANNELS.filter((c) => transmit.includes(c[0] as 'v' | 'h'))
    this.inside = new Uint8Array(this.receivers)
    const silent = Array.from(this.inside.keys()).filter((r) => !this.reached(r))
    const points = Float64Array.from(silent.flatMap((r) => this.position(r)))
    insideSolids(target, setup.scene, transmitter, points).forEach((x, i) => (this.inside[silent[i]] = x))
  }

  /** Whether any path reaches a receiver. */
  reached(receiver: number): boolean {
    return this.numbers(receiver).power > 0
  }

  /** Number of paths that were found to a receiver, and the part of their power by those which one ray alone has found, 0 to 1. */
  found(receiver: number): { paths: number; singleShare: number } {
    const { power, single } = this.numbers(receiver)
    const paths = this.result.sums[this.first(receiver) + SUM.paths] / PATH_UNIT
    return { paths, singleShare: power > 0 ? single / power : 0 }
  }

  /** Sums over frequencies and transmit polarisations. */
  private numbers(receiver: number): { power: number; single: number } {
    let [power, single] = [0, 0]
    for (let at = this.first(receiver); at < this.first(receiver + 1); at += SUM.length) {
      power += this.result.sums[at + SUM.power]
      single += this.result.sums[at + SUM.single]
    }
    return { power, single }
  }

  /** A receiver's first number in the sums. */
  private first(receiver: number): number {
    const { freqHz, transmit } = this.loaded.scene
    return SUM.length * freqHz.length * transmit.length * receiver
  }

  /** Place of a receiver [m]. */
  position(receiver: number): Vec3 {
    const p = this.loaded.scene.receivers
    return [p[3 * receiver], p[3 * receiver + 1], p[3 * receiver + 2]]
  }

  /** Distance from the transmitter [m]. */
  distance(receiver: number): number {
    const t = this.loaded.scene.transmitter
    const [x, y, z] = this.position(receiver)
    return Math.hypot(x - t[0], y - t[1], z - t[2])
  }

  /** Fields, delays and spreads of a receiver; `frequency` is a number into the list, `transmit` v or h. */
  figures(receiver: number, frequency: number, transmit: string): ChannelFigures {
    const { freqHz, transmit: polarisations } = this.loaded.scene
    const excitation = frequency * polarisations.length + polarisations.indexOf(transmit as 'v' | 'h')
    const at = SUM.length * (receiver * freqHz.length * polarisations.length + excitation)
    return channelFigures(this.result.sums, at, this.distance(receiver), freqHz[frequency])
  }

  /** Transfer h of a channel: re, im; |h|^2 is the path gain. */
  transfer(receiver: number, frequency: number, channel: Channel): [number, number] {
    const { transfer } = this.figures(receiver, frequency, channel[0])
    const at = channel[1] === 'v' ? 0 : 2
    return [transfer[at], transfer[at + 1]]
  }

  /** Path gain of a channel [dB]. */
  gain(receiver: number, frequency: number, channel: Channel): number {
    const [re, im] = this.transfer(receiver, frequency, channel)
    return decibels(re * re + im * im)
  }

  /** The set that a receiver belongs to. */
  setOf(receiver: number): ReceiverSet {
    return this.loaded.sets.find(({ first, count }) => receiver < first + count)!
  }
}

/** rms field of a transmitter of this power and gain 1 at 1 m [V/m]: sqrt(30 P). */
const fieldAtOneMetre = (powerDbm: number): number => Math.sqrt(30 * 10 ** ((powerDbm - 30) / 10))

const POLARISATIONS = ['v', 'h'] as const
const AXES = ['x', 'y', 'z'] as const

/** One row per frequency and receiver, frequency outermost; channels not computed are left empty. `inside_building`: see `PropagationTable.inside`. */
export function propagationCsv(table: PropagationTable): string {
  const { scene, powerDbm } = table.loaded
  const head = [
    'freq_hz,receiver,set,x_m,y_m,z_m,distance_m',
    ...CHANNELS.flatMap((c) => [`path_gain_${c}_db`, `power_${c}_dbm`, `h_${c}_re`, `h_${c}_im`]),
    ...POLARISATIONS.flatMap((t) => [
      ...AXES.flatMap((a) => [`e${a}_${t}_re`, `e${a}_${t}_im`]),
      `mean_delay_${t}_s`,
      `delay_spread_${t}_s`,
      `arrival_spread_${t}_deg`,
      `departure_spread_${t}_deg`,
    ]),
    'inside_building',
  ].join()
  const scale = fieldAtOneMetre(powerDbm)
  const finite = (x: number, digits: number): string => (Number.isFinite(x) ? x.toExponential(digits) : '')
  const lines = scene.freqHz.flatMap((f, n) =>
    Array.from({ length: table.receivers }, (_, r) =>
      [
        f,
        r,
        table.setOf(r).name,
        ...table.position(r),
        table.distance(r).toFixed(4),
        ...CHANNELS.flatMap((c) => {
          if (!table.channels.includes(c)) return ['', '', '', '']
          const gain = table.gain(r, n, c)
          const [re, im] = table.transfer(r, n, c)
          const power = gain > NOTHING_DB ? gain + powerDbm : NOTHING_DB
          return [gain.toFixed(5), power.toFixed(5), re.toExponential(10), im.toExponential(10)]
        }),
        ...POLARISATIONS.flatMap((t) => {
          if (!scene.transmit.includes(t)) return Array.from({ length: 10 }, () => '')
          const figures = table.figures(r, n, t)
          return [
            ...Array.from(figures.field, (x) => (x * scale).toExponential(10)),
            finite(figures.meanDelay, 8),
            finite(figures.delaySpread, 8),
            finite(figures.arrivalSpreadDeg, 6),
            finite(figures.departureSpreadDeg, 6),
          ]
        }),
        table.inside[r],
      ].join(),
    ),
  )
  return [head, ...lines, ''].join('\n')
}

/**
 * The same as arrays: positions, 1 for receivers inside buildings, and per channel h_CH complex [frequency][receiver], per transmit polarisation e_T complex
 * [frequency][receiver][xyz] and the figures of the channel [frequency][receiver] (0 where no path arrives).
 */
export function propagationArrays(table: PropagationTable): Record<string, NpyArray> {
  const { scene, powerDbm } = table.loaded
  const [frequencies, receivers] = [scene.freqHz.length, table.receivers]
  const real = (data: Float64Array, shape: number[]): NpyArray => ({ data, shape, dtype: '<f8' })
  const complex = (data: Float64Array, shape: number[]): NpyArray => ({ data, shape, dtype: '<c16' })
  const each = (of: (r: number, n: number) => ArrayLike<number>, length: number): Float64Array => {
    const out = new Float64Array(frequencies * receivers * length)
    for (let n = 0; n < frequencies; n++)
      for (let r = 0; r < receivers; r++) out.set(of(r, n), length * (n * receivers + r))
    return out
  }
  const shape = [frequencies, receivers]
  const scale = fieldAtOneMetre(powerDbm)
  const known = (x: number): number => (Number.isFinite(x) ? x : 0)
  return {
    freq_hz: real(Float64Array.from(scene.freqHz), [frequencies]),
    position_m: real(scene.receivers, [receivers, 3]),
    inside_building: { data: table.inside, shape: [receivers], dtype: '|u1' },
    ...Object.fromEntries(
      table.channels.map((c) => [
        `h_${c}`,
        complex(
          each((r, n) => table.transfer(r, n, c), 2),
          shape,
        ),
      ]),
    ),
    ...Object.fromEntries(
      scene.transmit.flatMap((t) => [
        [
          `e_${t}`,
          complex(
            each((r, n) => table.figures(r, n, t).field.map((x) => x * scale), 6),
            [...shape, 3],
          ),
        ],
        ...(['meanDelay', 'delaySpread', 'arrivalSpreadDeg', 'departureSpreadDeg', 'pathPower'] as const).map(
          (key) => [
            `${FIGURE_NAMES[key]}_${t}`,
            real(
              each((r, n) => [known(table.figures(r, n, t)[key])], 1),
              shape,
            ),
          ],
        ),
      ]),
    ),
  }
}

const FIGURE_NAMES = {
  meanDelay: 'mean_delay_s',
  delaySpread: 'delay_spread_s',
  arrivalSpreadDeg: 'arrival_spread_deg',
  departureSpreadDeg: 'departure_spread_deg',
  pathPower: 'path_power',
} as const

const angles = ([x, y, z]: Vec3): [number, number] => [
  (180 / Math.PI) * Math.acos(Math.max(-1, Math.min(1, z))),
  (180 / Math.PI) * Math.atan2(y, x),
]

/**
 * The channel impulse response: one row per path. Delay, directions of departure (from the transmitter) and arrival (from the
 * receiver to where the path comes from), the transfers at the first frequency, points of reflection as "x y z; x y z".
 */
export function pathsCsv(table: PropagationTable): string {
  const { scene } = table.loaded
  const head = [
    'set,receiver,path,kind,bounces,length_m,delay_s,departure_theta_deg,departure_phi_deg,arrival_theta_deg,arrival_phi_deg',
    ...CHANNELS.flatMap((c) => [`h_${c}_re`, `h_${c}_im`]),
    'path_gain_db,points_m',
  ].join()
  let [receiver, number] = [-1, 0]
  const lines = table.result.paths.map((path) => {
    number = path.receiver === receiver ? number + 1 : 0
    receiver = path.receiver
    return [
      table.setOf(receiver).name,
      receiver,
      number,
      pathKind(path),
      path.points.length,
      path.length.toFixed(6),
      (path.length / C0).toExponential(10),
      ...[...angles(path.departure), ...angles(path.arrival)].map((x) => x.toFixed(5)),
      ...CHANNELS.flatMap((c) => {
        const e = scene.transmit.indexOf(c[0] as 'v' | 'h')
        if (e < 0) return ['', '']
        const at = 4 * e + (c[1] === 'v' ? 0 : 2)
        return [path.transfers[at].toExponential(10), path.transfers[at + 1].toExponential(10)]
      }),
      decibels(pathPower(path, scene.transmit.length)).toFixed(4),
      path.points.map((p) => p.map((x) => x.toFixed(4)).join(' ')).join('; '),
    ].join()
  })
  return [head, ...lines, ''].join('\n')
}

const pathKind = ({ facets }: PropagationPath): string =>
  facets.length === 0 ? 'direct' : facets.some((f) => f < 0) ? 'diffracted' : 'reflected'

/** Power of a path at the first frequency: of its transmit polarisations the strongest, both receive channels. */
export function pathPower({ transfers }: PropagationPath, polarisations: number): number {
  let most = 0
  for (let e = 0; e < polarisations; e++)
    most = Math.max(
      most,
      transfers.subarray(4 * e, 4 * e + 4).reduce((s, x) => s + x * x, 0),
    )
  return most
}

/**
 * Of a receiver's power, the part by paths that one ray alone of three has found from which on others may be missing. In a tunnel with
 * fewer and fewer rays the first path was lost at 0.27 (docs/propagation.md).
 */
const MOST_SINGLE = 0.25
/** Of fewer paths that part says little: near the shadow of a corner one ray finds what there is. */
const FEW_PATHS = 10

/** What is odd about a scene's surfaces. Scenes are open by nature: that is left out. */
export const shellWarnings = ({ report }: Target): string[] =>
  describeReport(report).filter((line) => !/not closed/.test(line))

/** What is odd about a result. */
export function resultWarnings(table: PropagationTable): string[] {
  const { escaped } = table.result.statistics
  const { receivers, loaded } = table
  let [inside, silent, sparse, nearest] = [0, 0, 0, Infinity]
  for (let r = 0; r < receivers; r++) {
    if (table.inside[r]) inside++
    else if (!table.reached(r)) silent++
    const { paths, singleShare } = table.found(r)
    if (paths >= FEW_PATHS && singleShare > MOST_SINGLE) {
      sparse++
      nearest = Math.min(nearest, table.distance(r))
    }
  }
  return [
    ...(escaped > 0 ? [`${escaped} rays slipped through seams of the mesh and were dropped`] : []),
    ...(sparse > 0
      ? [
          `rays stand too far apart for ${sparse} of ${receivers} receivers, from ${Number(nearest.toPrecision(3))} m on: paths may be missing there; give --rays ${4 * loaded.file.rays}`,
        ]
      : []),
    ...(inside > 0 ? [`${inside} of ${receivers} receivers are inside buildings (-300 dB)`] : []),
    ...(silent > 0 ? [`no path found to ${silent} of ${receivers} receivers (-300 dB)`] : []),
  ]
}

/** What `meta.json` of `isar propagate` holds. @param run  version of isar, the engine's description, options as given */
export function propagationMeta(
  table: PropagationTable,
  { version, device, options }: { version: string; device: string; options: object },
): Record<string, unknown> {
  const { file, scene, sets, powerDbm, sha256 } = table.loaded
  const { statistics, seconds } = table.result
  return {
    command: 'propagate',
    version,
    scene: file,
    scene_sha256: sha256,
    freq_hz: scene.freqHz,
    power_dbm: powerDbm,
    rays: rayCount(subdivisionFor(file.rays)),
    subdivision: subdivisionFor(file.rays),
    device,
    options,
    receivers: sets.map(({ name, first, count }) => ({ name, first, count })),
    statistics,
    seconds,
  }
}

/** A run with fewer rays against the run with all. */
export interface ConvergenceStep {
  rays: number
  paths: number
  /** Paths found, as a part of all that the finest run found. */
  pathShare: number
  /** Change of path gain (both receive channels) to the finest run over receivers: median, and 95th percentile [dB]. */
  medianDb: number
  ninetyFiveDb: number
}

/**
 * Runs again with a quarter and a half of the rays. A ray only finds paths, so that more rays add paths and change none: what
 * the last doubling changed bounds what a further one would, unless the scene has finer openings still.
 */
export async function convergence(
  engine: PropagationEngine,
  loaded: LoadedScene,
  subdivision: number,
  finest: PropagationResult,
  signal?: AbortSignal,
): Promise<ConvergenceStep[]> {
  const excitations = loaded.scene.freqHz.length * loaded.scene.transmit.length
  const all = gains(finest, excitations)
  const steps: ConvergenceStep[] = []
  for (const part of [1 / 2, Math.SQRT1_2, 1]) {
    const n = Math.max(1, Math.round(part * subdivision))
    const result = n === subdivision ? finest : await engine.run({ subdivision: n }, undefined, signal)
    const changes = gains(result, excitations)
      .map((g, i) => Math.abs(Math.max(g, all[i] - 60) - all[i]))
      .filter((_, i) => all[i] > NOTHING_DB)
      .sort()
    steps.push({
      rays: rayCount(n),
      paths: result.statistics.paths,
      pathShare: finest.statistics.paths > 0 ? result.statistics.paths / finest.statistics.paths : 1,
      medianDb: changes.at(changes.length >> 1) ?? 0,
      ninetyFiveDb: changes.at(Math.floor(0.95 * changes.length)) ?? 0,
    })
  }
  return steps
}

/** Power of both receive channels per receiver and excitation, up to a factor [dB]. */
const gains = ({ sums }: PropagationResult, excitations: number): Float64Array =>
  Float64Array.from({ length: sums.length / SUM.length / excitations }, (_, r) => {
    const at = SUM.length * excitations * r + SUM.transfer
    return decibels(sums.subarray(at, at + 4).reduce((s, x) => s + x * x, 0))
  })

export const convergenceCsv = (steps: ConvergenceStep[]): string =>
  [
    'rays,paths,path_share,median_change_db,change_95_percent_db',
    ...steps.map((s) =>
      [s.rays, s.paths, s.pathShare.toFixed(6), s.medianDb.toFixed(6), s.ninetyFiveDb.toFixed(6)].join(),
    ),
    '',
  ].join('\n')
