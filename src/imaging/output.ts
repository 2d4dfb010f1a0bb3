import {
  type ArrayFormat,
  FIELD_CONVENTIONS,
  type Geodetic,
  localFrame,
  type NpyArray,
  pointToEcf,
  toGeodetic,
  vector,
  withNpz,
} from '../../formats/index.js'
import { apertureOf, type AutofocusName, type PlaneName, targetOutline } from '../../isar/index.js'
import { dynamicRange, imageDbsm } from '../../isar/levels.js'
import type { Hooks } from '../../run/job.js'
import { type ResultLocation, writeArrays, writeJson, writeResult } from '../../run/results.js'
import { keepTarget, readTargetNpz } from '../../run/mesh-source.js'
import { VERSION } from '../../run/version.js'
import type { Comparison, MeanProfile } from './compare.js'
import { cphdOf } from './cphd.js'
import { type FormedImage, type FormOptions, type HistoryPart, pulseProfiles } from './form.js'
import type { Seen } from './pictures.js'
import { imageCorners, kmlOf, sicdOf } from './sicd.js'
import type { Measurement } from './read-history.js'
import { writeFigure } from '../write-figure.js'
import type { Backprojector } from './solve.js'

export const PRODUCTS = ['cphd', 'sicd', 'kml'] as const
export type Product = (typeof PRODUCTS)[number]

export interface ImageRequest {
  measurement: Measurement
  simulation?: Measurement
  /** Phase errors of the pulses are estimated and taken out of the measurement. */
  autofocus?: AutofocusName
  /** Channels to image; all where absent. */
  channels?: string[]
  form: Omit<FormOptions, 'plane'> & { plane?: PlaneName }
  device: 'auto' | 'gpu' | 'cpu'
  workers?: number
  /** Levels that pictures show below the maximum [dB]; `auto`: chosen from the image. */
  dynamicRangeDb: number | 'auto'
  /** Whether targets that are known are outlined in images on the slant plane. */
  outline: boolean
  /** Formats of the arrays, besides npz. */
  formats: readonly ArrayFormat[]
  /** Of the field: the history as CPHD, images as SICD, their outlines as KML. */
  products: readonly Product[]
  /** Where the scene's origin lies on Earth, where that is known. */
  place?: Geodetic
  /** What the command was given, for meta.json. */
  record: Record<string, unknown>
}

const short = (x: number, digits = 4): string => String(Number(x.toPrecision(digits)))

/** A far-field sweep of all channels: a history as `isar render` writes it. */
export const isSweep = (histories: HistoryPart[]): boolean =>
  histories.every(({ farField, pulses }) => farField && pulses === histories[0].pulses)

/** Arrays of a sweep as `phase-history.npz` has them. */
function historyArrays(histories: HistoryPart[]): Record<string, NpyArray> {
  const [{ freqHz, pulses }] = histories
  const { thetaDeg, phiDeg } = apertureOf(histories[0])
  const shape = [freqHz.length, pulses]
  return {
    ...Object.fromEntries(histories.map(({ channel, f }) => [`f_${channel}`, { data: f, shape, dtype: '<c16' as const }])), // prettier-ignore
    freq_hz: vector(freqHz),
    theta_deg: vector(thetaDeg),
    phi_deg: vector(phiDeg),
  }
}

/** What an image job has made. */
export interface MadeImages {
  /** What `--json` prints: by channel, and comparisons. */
  summary: { channels: Record<string, unknown>; comparison?: Comparison[] }
  /** Arrays of `image.npz` and `range-profiles.npz` by their names (docs/file-formats.md). */
  images: Record<string, NpyArray>
  profiles: Record<string, NpyArray>
}

/** Files of a result, and what is said of it. */
export class Output {
  private readonly images: Record<string, NpyArray> = {}
  private readonly profiles: Record<string, NpyArray> = {}
  private readonly table: Comparison[] = []
  private readonly channels: Record<string, unknown> = {}
  private text = ''
  private options: { plane: PlaneName; sweep: Record<string, number> } & Record<string, unknown> = {
    plane: 'ground',
    sweep: {},
  }
  private readonly histories: HistoryPart[] = []
  private readonly formed: (FormedImage & { isFocused: boolean })[] = []
  private reachM = 1

  constructor(
    private readonly request: ImageRequest,
    private readonly place: ResultLocation | null,
    private readonly hooks: Hooks,
  ) {}

  plan(history: HistoryPart, device: Backprojector, { algorithm, plane, window }: FormOptions): void {
    const { measurement } = this.request
    const { freqHz, pulses } = history
    const { centre, spanDeg } = apertureOf(history)
    this.options = {
      plane,
      window,
      polarFormat: plane === 'slant',
      phaseCentre: measurement.target?.phaseCentre ?? [0, 0, 0],
      sweep: {
        thetaDeg: centre.thetaDeg,
        phi0: centre.phiDeg - spanDeg / 2,
        phi1: centre.phiDeg + spanDeg / 2,
        f0: freqHz[0],
        f1: freqHz.at(-1)!,
        frequencies: freqHz.length,
        aspects: pulses,
        apertureDeg: spanDeg,
      },
    }
    const band = `${short(freqHz[0] / 1e9)}–${short(freqHz.at(-1)! / 1e9)} GHz`
    this.hooks.note(
      'history',
      `${measurement.name} (${measurement.layout}): ${measurement.files.length} file${measurement.files.length === 1 ? '' : 's'}, ${freqHz.length} frequencies ${band}, ${pulses} pulses over ${short(spanDeg, 3)}°`,
    )
    this.hooks.note('device', `${device.description} (${device.reason})`)
    this.text = [
      `elevation ${short(90 - centre.thetaDeg, 3)}°, azimuth ${short(centre.phiDeg, 4)}°`,
      band,
      `aperture ${short(spanDeg, 3)}°`,
      `${algorithm}, ${plane} plane`,
      window === 'none' ? 'no window' : `${window} window`,
    ].join('  ·  ')
  }

  /** Levels that a picture shows; of the first image for all that is recorded [dB]. */
  private rangeOf(image: Float64Array): number {
    const range = dynamicRange([image], this.request.dynamicRangeDb)
    this.options.dynamicRangeDb ??= range
    return range
  }

  /** How a history sees its target, with its outline moved in range [m] on the slant plane. */
  private seen({ target }: Measurement, history: HistoryPart, shiftM = 0): Seen {
    const { centre } = apertureOf(history)
    if (!target || !this.request.outline || this.options.plane !== 'slant') return centre
    const { mesh } = readTargetNpz(target.bytes)
    const { silhouette, edges } = targetOutline(mesh, centre, target.phaseCentre)
    const moved = (lines: Float64Array): Float64Array => lines.map((x, i) => (i % 2 ? x + shiftM : x))
    return { ...centre, outline: { silhouette: moved(silhouette), edges: moved(edges) } }
  }

  private title(
    what: string,
    { rangeResolutionM, crossRangeResolutionM }: FormedImage,
  ): { title: string; subtitle: string; unit: string } {
    const cell = `resolution ${short(rangeResolutionM, 2)} × ${short(crossRangeResolutionM, 2)} m`
    const unit = this.request.measurement.calibrated ? 'dBsm' : 'dB'
    return { title: what, subtitle: [this.text, cell].join('  ·  '), unit }
  }

  async image(
    history: HistoryPart,
    formed: FormedImage,
    profiles: Record<string, MeanProfile>,
    reach: number,
    isFocused: boolean,
  ): Promise<void> {
    const { measurement, form } = this.request
    const { channel, image, alongM, acrossM } = formed
    const peak = imageDbsm(image).reduce((a, b) => Math.max(a, b))
    const dynamicRangeDb = this.rangeOf(image)
    const title = this.title(`${measurement.name}, ${channel.toUpperCase()}`, formed)
    if (this.place) {
      const { imagePicture, profilePicture } = await import('./pictures.js')
      await this.draw(
        `image-${channel}`,
        imagePicture(formed, title, peak, dynamicRangeDb, this.seen(measurement, history)),
      )
      await this.draw(`profiles-${channel}`, profilePicture(profiles, { ...title, title: `${title.title}: range profiles` })) // prettier-ignore
    }
    const names = formed.plane.name === 'ground' ? ['y_m', 'x_m'] : ['range_m', 'cross_range_m']
    this.images[`image_${channel}`] = { data: image, shape: [alongM.length, acrossM.length], dtype: '<c16' }
    this.images[names[0]] = vector(alongM)
    this.images[names[1]] = vector(acrossM)
    const { pulse, rangeM, profiles: data } = pulseProfiles(history, form.window, reach)
    const { thetaDeg, phiDeg } = apertureOf(history)
    const own = (values: Float64Array): NpyArray => vector(Float64Array.from(pulse, (n) => values[n]))
    this.profiles[`profile_${channel}`] = { data, shape: [pulse.length, rangeM.length], dtype: '<c8' }
    Object.assign(this.profiles, { [`range_m_${channel}`]: vector(rangeM), [`theta_deg_${channel}`]: own(thetaDeg), [`phi_deg_${channel}`]: own(phiDeg) }) // prettier-ignore
    if (!history.farField)
      this.profiles[`antenna_m_${channel}`] = { data: Float64Array.from({ length: 3 * pulse.length }, (_, i) => history.antenna[3 * pulse[Math.floor(i / 3)] + (i % 3)]), shape: [pulse.length, 3], dtype: '<f8' } // prettier-ignore
    this.histories.push(history)
    this.formed.push({ ...formed, isFocused })
    this.reachM = reach
    Object.assign(this.options.sweep, { rangeResolutionM: formed.rangeResolutionM, crossRangeResolutionM: formed.crossRangeResolutionM }) // prettier-ignore
    this.channels[channel] = {
      peak: Number(peak.toFixed(4)),
      pulses: history.pulses,
      frequencies: history.freqHz.length,
      rangeResolutionM: formed.rangeResolutionM,
      crossRangeResolutionM: formed.crossRangeResolutionM,
    }
    this.hooks.note(channel, `${alongM.length} x ${acrossM.length} pixels, resolution ${formed.rangeResolutionM.toPrecision(3)} x ${formed.crossRangeResolutionM.toPrecision(3)} m, peak ${peak.toFixed(2)} ${title.unit}`) // prettier-ignore
  }

  async comparison(
    formed: FormedImage,
    simulated: FormedImage,
    differenceDb: Float32Array,
    row: Comparison,
    history: HistoryPart,
  ): Promise<void> {
    const { measurement, simulation } = this.request
    const { channel } = row
    this.images[`simulated_${channel}`] = { ...this.images[`image_${channel}`], data: simulated.image }
    this.table.push(row)
    this.hooks.note('compared', `${channel}: shift ${row.shiftM.toFixed(4)} m, gain ${row.gainDb.toFixed(2)} dB, correlation of profiles ${row.profileCorrelation.toFixed(3)}, of images ${row.imageCorrelation.toFixed(3)}, rms difference ${row.rmsDifferenceDb.toFixed(2)} dB`) // prettier-ignore
    if (!this.place) return
    const { differencePicture, imagePicture } = await import('./pictures.js')
    const peak = imageDbsm(formed.image).reduce((a, b) => Math.max(a, b))
    const title = this.title(`${simulation!.name}, aligned, ${channel.toUpperCase()}`, simulated)
    // On the measurement's scale, so that the pictures compare.
    await this.draw(
      `simulated-${channel}`,
      imagePicture(
        simulated,
        title,
        peak,
        this.rangeOf(formed.image),
        this.seen(simulation!, history, row.shiftM),
      ),
    )
    const name = `${measurement.name} − ${simulation!.name}, ${channel.toUpperCase()}`
    await this.draw(
      `difference-${channel}`,
      differencePicture(formed, this.title(name, formed), differenceDb),
    )
  }

  async finish({ description }: Backprojector): Promise<MadeImages> {
    const { measurement, record, simulation } = this.request
    const { target } = measurement
    const summary = { channels: this.channels, ...(simulation && { comparison: this.table }) }
    const made = { summary, images: this.images, profiles: this.profiles }
    if (!this.place) return made
    await this.arrays('image', this.images)
    await this.arrays('range-profiles', this.profiles)
    if (isSweep(this.histories)) await this.arrays('phase-history', historyArrays(this.histories))
    if (simulation) {
      const { comparisonCsv } = await import('./pictures.js')
      await this.write('compare.csv', comparisonCsv(this.table))
    }
    await this.fieldFormats()
    await keepTarget(this.place, target && this.options.plane === 'slant' ? 1 : 0, () => target!.bytes)
    await writeJson(this.place, 'meta.json', {
      command: 'image',
      mesh: { ...target?.mesh, name: measurement.name },
      version: VERSION,
      device: description,
      history: { name: measurement.name, layout: measurement.layout, files: measurement.files, calibrated: measurement.calibrated }, // prettier-ignore
      options: { ...record, ...this.options },
      ...summary,
    })
    return made
  }

  /** CPHD, SICD and KML; without a place the first two lie on the equator's zero meridian. */
  private async fieldFormats(): Promise<void> {
    const { measurement, products, form } = this.request
    const place = this.request.place ?? { latDeg: 0, lonDeg: 0, heightM: 0 }
    const { name, calibrated } = measurement
    if (products.includes('cphd'))
      await this.write('phase-history.cphd', cphdOf(this.histories, { name, place, calibrated, reachM: this.reachM, version: VERSION })) // prettier-ignore
    for (const [i, formed] of this.formed.entries())
      if (products.includes('sicd')) {
        const { algorithm, window } = form
        const collection = { name, place, calibrated, window, algorithm, isFocused: formed.isFocused, version: VERSION } // prettier-ignore
        await this.write(`image-${formed.channel}.nitf`, sicdOf(formed, this.histories[i], collection))
      }
    if (products.includes('kml')) {
      const frame = localFrame(place)
      const peaks = this.formed.map(({ channel, image, plane, alongM, acrossM }) => {
        const levels = imageDbsm(image)
        const best = levels.reduce((b, v, i) => (v > levels[b] ? i : b), 0)
        const [u, v] = [acrossM[best % acrossM.length], alongM[Math.floor(best / acrossM.length)]]
        const p = plane.origin.map((o, k) => o + u * plane.across[k] + v * plane.along[k])
        return { name: `${channel.toUpperCase()}: ${short(levels[best])} ${calibrated ? 'dBsm' : 'dB'}`, place: toGeodetic(pointToEcf(frame, p)) } // prettier-ignore
      })
      const corners = imageCorners(this.formed[0], this.histories[0], place)
      await this.write('image.kml', kmlOf(name, corners, [{ name: 'origin of the scene', place }, ...peaks]))
    }
  }

  private async arrays(name: string, arrays: Record<string, NpyArray>): Promise<void> {
    const { measurement, formats } = this.request
    const { time_factor, directions, polarisation, amplitude, image } = FIELD_CONVENTIONS
    const attributes = {
      time_factor,
      directions,
      polarisation,
      ...(measurement.calibrated ? { amplitude, image } : { amplitude: 'in the unit of the measurement' }),
    }
    await writeArrays(this.place!, name, arrays, withNpz(formats), attributes)
  }

  private draw(name: string, svg: string): Promise<void> {
    return writeFigure(this.place!, name, svg, ['png'])
  }

  private write(name: string, data: Uint8Array | string): Promise<void> {
    return writeResult(this.place!, name, data)
  }
}
