import { ARRAY_ENDINGS, withNpz } from '../../formats/index.js'
import { type AutofocusName, planBackprojection } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { type Caller as JobCaller, type Hooks, type Job, type JobPlan, runWholeJob } from '../../run/job.js'
import type { ResultLocation } from '../../run/results.js'
import { compareImages, meanProfile, otherCoverage, rangeShift, shifted } from './compare.js'
import { focusedImage } from './focus.js'
import { atResolution, type FormedImage, type FormOptions, formPulses, gapsOf } from './form.js'
import type { HistoryPart } from './history-part.js'
import { type ImageRequest, isSweep, type MadeImages, Output } from './output.js'
import type { Measurement } from './read-history.js'
import { trackWarning } from './sicd.js'
import { type Backprojector, openBackprojector } from './solve.js'

/** Names of the files of a result. */
export const imageFiles = ({ simulation, ...request }: ImageRequest): string[] => [
  ...chosen(request).flatMap(({ channel }) => [
    `image-${channel}.png`,
    `profiles-${channel}.png`,
    ...(simulation ? [`simulated-${channel}.png`, `difference-${channel}.png`] : []),
  ]),
  ...withNpz(request.formats).flatMap((format) =>
    ['image', 'range-profiles', ...(isSweep(chosen(request)) ? ['phase-history'] : [])].map(
      (name) => `${name}.${ARRAY_ENDINGS[format]}`,
    ),
  ),
  ...(request.products.includes('cphd') ? ['phase-history.cphd'] : []),
  ...(request.products.includes('sicd') ? chosen(request).map(({ channel }) => `image-${channel}.nitf`) : []),
  ...(request.products.includes('kml') ? ['image.kml'] : []),
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

/** What an image takes (`planOf`); absent unless it is wanted. */
export interface ImagePlan extends JobPlan {
  record?: Record<string, unknown>
}

type Caller = JobCaller<undefined, void, ImagePlan> & {
  /** The plan alone is wanted, with the time that trials say: `onPlan` throws. */
  onlyPlan?: boolean
}

/** Makes images, profiles and comparison of a measurement. @param place  where they are written; null: nowhere */
export const imageJob = (
  request: ImageRequest,
  place: ResultLocation | null,
  caller: Caller,
): Promise<MadeImages> => runWholeJob(() => openJob(request, place, caller), caller)

async function openJob(
  request: ImageRequest,
  place: ResultLocation | null,
  { hooks, onlyPlan }: Caller,
): Promise<Job<undefined, void, ImagePlan, MadeImages>> {
  const { measurement, simulation } = request
  // Sweeps of a target keep the axes of `isar render`; measurements of a scene lie on its ground.
  const plane = request.form.plane ?? (measurement.layout === 'isar' ? 'slant' : 'ground')
  if (plane === 'slant' && request.form.heightM)
    throw new InputError('--height is of the ground plane; give --plane ground with it')
  const form = { ...request.form, plane }
  if (request.products.includes('kml') && !request.place)
    throw new InputError('--formats kml: where the scene lies is not known; give --location LAT,LON')
  const part = (history: HistoryPart): HistoryPart =>
    form.resolutionM ? atResolution(history, form.resolutionM) : history
  const histories = measurement.isSelected ? chosen(request) : chosen(request).map(part)
  const others = simulation && histories.map(({ channel }) => part(counterpart(simulation, channel)))
  const { grid } = planBackprojection(histories[0], form)
  const opened = await openBackprojector(
    request.device,
    request.workers,
    grid.rows * grid.cols * histories[0].pulses,
  )
  const device: Backprojector = {
    ...opened,
    image: (history, plan, onProgress) => opened.image(history, plan, onProgress, hooks.signal),
  }
  const out = new Output(request, place, hooks)
  out.plan(histories[0], device, form)
  const progress = (done: number, total: number): void =>
    hooks.progress('solve', done, total, undefined, 'pixels x pulses')
  return {
    key: null,
    shape: undefined,
    warnings: [
      ...device.warnings,
      ...histories.flatMap((history) => gapsOf(history, form)),
      ...(request.products.includes('sicd') ? histories.flatMap(trackWarning) : []),
    ],
    plan: async () => ({
      ...(onlyPlan && { record: await planOf(histories, request, form, device) }),
      kept: () => null,
    }),
    async solve() {
      if (!request.place && request.products.length > 0)
        hooks.note('location', 'not known: CPHD and SICD lie at latitude 0, longitude 0; --location sets it')
      for (const [i, measured] of histories.entries()) {
        const { history, formed, sharpened } = request.autofocus
          ? await refocused(measured, request.autofocus, form, device, hooks, progress)
          : {
              history: measured,
              formed: await formPulses(measured, form, device, progress),
              sharpened: false,
            }
        for (const note of formed.notes) hooks.warn(note)
        const reach = reachOf(formed)
        const profile = meanProfile(history, form.window, reach)
        const other = others?.[i]
        if (!other) {
          await out.image(history, formed, { [measurement.name]: profile }, reach, sharpened)
          continue
        }
        const apart = otherCoverage(history, other)
        if (apart) hooks.warn(`--compare: ${simulation!.name} has ${apart}: images differ by that`)
        const alone = meanProfile(other, form.window, reach)
        const { shiftM, correlation } = rangeShift(profile, alone)
        const moved = shifted(other, shiftM)
        const window = { acrossM: ends(formed.acrossM), alongM: ends(formed.alongM) }
        const pixelM: [number, number] = [step(formed.acrossM), step(formed.alongM)]
        const image = await formPulses(moved, { ...form, ...window, pixelM }, device, progress)
        const compared = compareImages(formed, image)
        const gain = 10 ** (compared.gainDb / 10)
        const scaled = meanProfile(moved, form.window, reach)
        const profiles = {
          [measurement.name]: profile,
          [`${simulation!.name}, aligned`]: { ...scaled, power: scaled.power.map((p) => gain * p) },
        }
        await out.image(history, formed, profiles, reach, sharpened)
        await out.comparison(
          formed,
          { ...image, image: compared.scaled },
          compared.differenceDb,
          {
            channel: history.channel,
            shiftM,
            gainDb: compared.gainDb,
            profileCorrelation: correlation,
            imageCorrelation: compared.correlation,
            rmsDifferenceDb: compared.rmsDb,
          },
          other,
        )
      }
    },
    finish: () => out.finish(device),
    close: () => device.close(),
  }
}

/** Pixels times pulses of the trial that a plan makes. */
const TRIAL = 2e7

/** What an image takes: by the time of some of its rows, and by the arrays that are held. Autofocus takes more. */
async function planOf(
  histories: HistoryPart[],
  { simulation }: ImageRequest,
  form: FormOptions,
  device: Backprojector,
): Promise<Record<string, unknown>> {
  const [history] = histories
  const plan = planBackprojection(history, form)
  const { rows, cols } = plan.grid
  const timeOf = async (count: number): Promise<number> => {
    const start = performance.now()
    await device.image(history, { ...plan, grid: { ...plan.grid, rows: count } })
    return (performance.now() - start) / 1000
  }
  const some = Math.max(1, Math.min(rows, Math.ceil(TRIAL / (cols * history.pulses))))
  let one: number
  if (form.algorithm === 'polar-format') {
    // Hardly more than a transform: done once.
    const start = performance.now()
    await formPulses(history, form, device)
    one = (performance.now() - start) / 1000
  } else {
    await timeOf(1)
    const [fixed, most] = [await timeOf(1), await timeOf(some)]
    one = some > 1 ? fixed + (Math.max(0, most - fixed) * (rows - 1)) / (some - 1) : most
  }
  const images = histories.length * (simulation ? 2 : 1)
  const samples = histories.reduce((sum, { f }) => sum + f.length, 0) * (simulation ? 2 : 1)
  return {
    pixels: rows * cols,
    size: [rows, cols],
    pulses: history.pulses,
    frequencies: history.freqHz.length,
    images,
    // Of each image the array, its levels and its file.
    memory_bytes: 80e6 + 8 * samples + 40 * images * rows * cols,
    seconds: images * one,
    device: device.description,
  }
}

/** A history and its image with the phase errors of the pulses taken out where that sharpens it, and a line on it. */
async function refocused(
  measured: HistoryPart,
  method: AutofocusName,
  form: FormOptions,
  device: Pick<Backprojector, 'image'>,
  hooks: Hooks,
  progress: (done: number, total: number) => void,
): Promise<{ history: HistoryPart; formed: FormedImage; sharpened: boolean }> {
  const found = await focusedImage(measured, method, form, device, progress)
  const { sharpened, entropy, peakDb, rmsRad } = found
  const change = `entropy of the image ${entropy[0].toFixed(3)} to ${entropy[1].toFixed(3)}, peak ${peakDb[0].toFixed(2)} to ${peakDb[1].toFixed(2)} dB`
  hooks.note(
    'focus',
    sharpened
      ? `${measured.channel}: ${change}, phases of ${rmsRad.toFixed(2)} rad rms taken out`
      : `${measured.channel}: left as it is, since autofocus does not sharpen it (${change})`,
  )
  return found
}

function counterpart({ channels, files }: Measurement, channel: string): HistoryPart {
  const found =
    channels.find((c) => c.channel === channel) ?? (channels.length === 1 ? channels[0] : undefined)
  if (!found) throw new InputError(`--compare: ${files[0]} has no channel ${channel}; give a history with it`)
  return found
}

const step = (axis: Float64Array): number => (axis[axis.length - 1] - axis[0]) / (axis.length - 1)

/** Ends of a window that gives this axis again. */
const ends = (axis: Float64Array): [number, number] => [
  axis[0] - step(axis) / 2,
  axis[axis.length - 1] + step(axis) / 2,
]

/** How far pixels lie from the origin [m]. */
const reachOf = ({ alongM, acrossM }: Pick<FormedImage, 'alongM' | 'acrossM'>): number =>
  Math.hypot(...[alongM, acrossM].map((axis) => Math.max(Math.abs(axis[0]), Math.abs(axis[axis.length - 1]))))
