import { type NpyArray, writeNpz } from '../../formats/index.js'
import { apertureOf, planBackprojection, type PlaneName } from '../../isar/index.js'
import { imageDbsm } from '../../plots/levels.js'
import { InputError } from '../../scene/index.js'
import { type ResultLocation, writeJson, writeResult } from '../results.js'
import { VERSION } from '../version.js'
import {
  type Comparison,
  compareImages,
  meanProfile,
  type MeanProfile,
  rangeShift,
  shifted,
} from './compare.js'
import { atResolution, type FormedImage, formPulses, type FormOptions, pulseProfiles } from './form.js'
import type { HistoryPart } from './history-part.js'
import type { Measurement } from './read-history.js'
import { type Backprojector, openBackprojector } from './solve.js'

export interface ImageRequest {
  measurement: Measurement
  simulation?: Measurement
  /** Channels to image; all where absent. */
  channels?: string[]
  form: Omit<FormOptions, 'plane'> & { plane?: PlaneName }
  device: 'auto' | 'gpu' | 'cpu'
  workers?: number
  dynamicRangeDb: number
  /** What the command was given, for meta.json. */
  record: Record<string, unknown>
}

export interface ImageHooks {
  say: (line: string) => void
  warn: (line: string) => void
  progress: (done: number, total: number) => void
}

/** Names of the files of a result. */
export const imageFiles = ({ simulation, ...request }: ImageRequest): string[] => [
  ...chosen(request).flatMap(({ channel }) => [
    `image-${channel}.png`,
    `profiles-${channel}.png`,
    ...(simulation ? [`simulated-${channel}.png`, `difference-${channel}.png`] : []),
  ]),
  'image.npz',
  'range-profiles.npz',
  ...(simulation ? ['compare.csv'] : []),
  'meta.json',
]

function chosen({ measurement, channels }: Omit<ImageRequest, 'simulation'>): HistoryPart[] {
  const has = measurement.channels.map(({ channel }) => channel)
  const missing = channels?.find((c) => !has.includes(c))
  if (missing !== undefined)
    throw new InputError(`--pol: there is no channel ${missing} in ${measurement.files[0]}; there ${has.length > 1 ? 'are' : 'is'} ${has.join(', ')}`) // prettier-ignore
  return measurement.channels.filter(({ channel }) => channels?.includes(channel) ?? true)
}

/** Makes images, profiles and comparison of a measurement and writes them. Returns what `--json` prints. */
export async function imageJob(
  request: ImageRequest,
  place: ResultLocation,
  hooks: ImageHooks,
): Promise<Record<string, unknown>> {
  const { measurement, simulation } = request
  // Sweeps of a target keep the axes of `isar render`; measurements of a scene lie on its ground.
  const plane = request.form.plane ?? (measurement.layout === 'isar' ? 'slant' : 'ground')
  const form = { ...request.form, plane }
  const part = (history: HistoryPart): HistoryPart =>
    form.resolutionM ? atResolution(history, form.resolutionM) : history
  const histories = chosen(request).map(part)
  const { grid } = planBackprojection(histories[0], form)
  const device = await openBackprojector(
    request.device,
    request.workers,
    grid.rows * grid.cols * histories[0].pulses,
  )
  const out = new Output(request, place, hooks)
  try {
    out.plan(histories[0], device, form)
    for (const warning of device.warnings) hooks.warn(warning)
    for (const history of histories) {
      const formed = await formPulses(history, form, device, hooks.progress)
      for (const note of formed.notes) hooks.warn(note)
      const reach = reachOf(formed)
      const profile = meanProfile(history, form.window, reach)
      const other = simulation && part(counterpart(simulation, history.channel))
      if (!other) {
        await out.image(history, formed, { [measurement.name]: profile }, reach)
        continue
      }
      const alone = meanProfile(other, form.window, reach)
      const { shiftM, correlation } = rangeShift(profile, alone)
      const moved = shifted(other, shiftM)
      const window = { acrossM: ends(formed.acrossM), alongM: ends(formed.alongM) }
      const pixelM = formed.acrossM[1] - formed.acrossM[0]
      const image = await formPulses(moved, { ...form, ...window, pixelM }, device, hooks.progress)
      const compared = compareImages(formed, image)
      const gain = 10 ** (compared.gainDb / 10)
      const scaled = meanProfile(moved, form.window, reach)
      const profiles = {
        [measurement.name]: profile,
        [`${simulation.name}, aligned`]: { ...scaled, power: scaled.power.map((p) => gain * p) },
      }
      await out.image(history, formed, profiles, reach)
      await out.comparison(formed, { ...image, image: compared.scaled }, compared.differenceDb, {
        channel: history.channel,
        shiftM,
        gainDb: compared.gainDb,
        profileCorrelation: correlation,
        imageCorrelation: compared.correlation,
        rmsDifferenceDb: compared.rmsDb,
      })
    }
    return await out.finish(device)
  } finally {
    await device.close()
  }
}

function counterpart({ channels, files }: Measurement, channel: string): HistoryPart {
  const found =
    channels.find((c) => c.channel === channel) ?? (channels.length === 1 ? channels[0] : undefined)
  if (!found) throw new InputError(`--compare: ${files[0]} has no channel ${channel}; give a history with it`)
  return found
}

/** Ends of a window that gives this axis again. */
const ends = (axis: Float64Array): [number, number] => {
  const step = axis[1] - axis[0]
  return [axis[0] - step / 2, axis[axis.length - 1] + step / 2]
}

/** How far pixels lie from the origin [m]. */
const reachOf = ({ alongM, acrossM }: FormedImage): number =>
  Math.hypot(...[alongM, acrossM].map((axis) => Math.max(Math.abs(axis[0]), Math.abs(axis[axis.length - 1]))))

const real = (data: Float64Array): NpyArray => ({ data, shape: [data.length], dtype: '<f8' })

/** Files of a result, and what is said of it. */
class Output {
  private readonly images: Record<string, NpyArray> = {}
  private readonly profiles: Record<string, NpyArray> = {}
  private readonly table: Comparison[] = []
  private readonly channels: Record<string, unknown> = {}
  private text = ''
  private plane = ''

  constructor(
    private readonly request: ImageRequest,
    private readonly place: ResultLocation,
    private readonly hooks: ImageHooks,
  ) {}

  plan(history: HistoryPart, device: Backprojector, { algorithm, plane, window }: FormOptions): void {
    const { measurement } = this.request
    const { freqHz, pulses } = history
    const { centre, spanDeg } = apertureOf(history)
    this.plane = plane
    const short = (x: number, digits = 4): string => String(Number(x.toPrecision(digits)))
    const band = `${short(freqHz[0] / 1e9)}–${short(freqHz.at(-1)! / 1e9)} GHz`
    this.hooks.say(
      `history   ${measurement.name} (${measurement.layout}): ${measurement.files.length} file${measurement.files.length === 1 ? '' : 's'}, ${freqHz.length} frequencies ${band}, ${pulses} pulses over ${short(spanDeg, 3)}°`,
    )
    this.hooks.say(`device    ${device.description} (${device.reason})`)
    this.text = [
      `elevation ${short(90 - centre.thetaDeg, 3)}°, azimuth ${short(centre.phiDeg, 4)}°`,
      band,
      `aperture ${short(spanDeg, 3)}°`,
      `${algorithm}, ${plane} plane`,
      window === 'none' ? 'no window' : `${window} window`,
    ].join('  ·  ')
  }

  private title(what: string): { title: string; subtitle: string; unit: string } {
    return { title: what, subtitle: this.text, unit: this.request.measurement.calibrated ? 'dBsm' : 'dB' }
  }

  async image(
    history: HistoryPart,
    formed: FormedImage,
    profiles: Record<string, MeanProfile>,
    reach: number,
  ): Promise<void> {
    const { imagePicture, profilePicture } = await import('./pictures.js')
    const { measurement, dynamicRangeDb, form } = this.request
    const { channel, image, alongM, acrossM } = formed
    const peak = imageDbsm(image).reduce((a, b) => Math.max(a, b))
    const title = this.title(`${measurement.name}, ${channel.toUpperCase()}`)
    await this.write(`image-${channel}.png`, await imagePicture(formed, title, peak, dynamicRangeDb))
    await this.write(`profiles-${channel}.png`, await profilePicture(profiles, { ...title, title: `${title.title}: range profiles` })) // prettier-ignore
    const names = formed.plane.name === 'ground' ? ['y_m', 'x_m'] : ['range_m', 'cross_range_m']
    this.images[`image_${channel}`] = { data: image, shape: [alongM.length, acrossM.length], dtype: '<c16' }
    this.images[names[0]] = real(alongM)
    this.images[names[1]] = real(acrossM)
    const { pulse, rangeM, profiles: data } = pulseProfiles(history, form.window, reach)
    const { thetaDeg, phiDeg } = apertureOf(history)
    const own = (values: Float64Array): NpyArray => real(Float64Array.from(pulse, (n) => values[n]))
    this.profiles[`profile_${channel}`] = { data, shape: [pulse.length, rangeM.length], dtype: '<c8' }
    Object.assign(this.profiles, { [`range_m_${channel}`]: real(rangeM), [`theta_deg_${channel}`]: own(thetaDeg), [`phi_deg_${channel}`]: own(phiDeg) }) // prettier-ignore
    this.channels[channel] = {
      peak: Number(peak.toFixed(4)),
      pulses: history.pulses,
      frequencies: history.freqHz.length,
      rangeResolutionM: formed.rangeResolutionM,
      crossRangeResolutionM: formed.crossRangeResolutionM,
    }
    this.hooks.say(`${channel.padEnd(9)} ${alongM.length} x ${acrossM.length} pixels, resolution ${formed.rangeResolutionM.toPrecision(3)} x ${formed.crossRangeResolutionM.toPrecision(3)} m, peak ${peak.toFixed(2)} ${title.unit}`) // prettier-ignore
  }

  async comparison(
    formed: FormedImage,
    simulated: FormedImage,
    differenceDb: Float32Array,
    row: Comparison,
  ): Promise<void> {
    const { differencePicture, imagePicture } = await import('./pictures.js')
    const { measurement, simulation, dynamicRangeDb } = this.request
    const { channel } = row
    const peak = imageDbsm(formed.image).reduce((a, b) => Math.max(a, b))
    const title = this.title(`${simulation!.name}, aligned, ${channel.toUpperCase()}`)
    // On the measurement's scale, so that the pictures compare.
    await this.write(`simulated-${channel}.png`, await imagePicture(simulated, title, peak, dynamicRangeDb))
    const name = `${measurement.name} − ${simulation!.name}, ${channel.toUpperCase()}`
    await this.write(
      `difference-${channel}.png`,
      await differencePicture(formed, this.title(name), differenceDb),
    )
    this.images[`simulated_${channel}`] = { ...this.images[`image_${channel}`], data: simulated.image }
    this.table.push(row)
    this.hooks.say(`compared  ${channel}: shift ${row.shiftM.toFixed(4)} m, gain ${row.gainDb.toFixed(2)} dB, correlation of profiles ${row.profileCorrelation.toFixed(3)}, of images ${row.imageCorrelation.toFixed(3)}, rms difference ${row.rmsDifferenceDb.toFixed(2)} dB`) // prettier-ignore
  }

  async finish({ description }: Backprojector): Promise<Record<string, unknown>> {
    const { measurement, record, simulation } = this.request
    await this.write('image.npz', writeNpz(this.images))
    await this.write('range-profiles.npz', writeNpz(this.profiles))
    if (simulation) {
      const { comparisonCsv } = await import('./pictures.js')
      await this.write('compare.csv', comparisonCsv(this.table))
    }
    const summary = {
      channels: this.channels,
      ...(simulation && { comparison: this.table }),
    }
    await writeJson(this.place, 'meta.json', {
      command: 'image',
      version: VERSION,
      device: description,
      history: { name: measurement.name, layout: measurement.layout, files: measurement.files, calibrated: measurement.calibrated }, // prettier-ignore
      options: { ...record, plane: this.plane },
      ...summary,
    })
    return summary
  }

  private write(name: string, data: Uint8Array | string): Promise<void> {
    return writeResult(this.place, name, data)
  }
}
