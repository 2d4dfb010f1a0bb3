import {
  type CentreModel,
  fitCentres,
  middleFrequency,
  ModelEvaluator,
  type SectorHistory,
} from '../isar/index.js'
import { C0, InputError, type Target, type Vec3 } from '../scene/index.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import type { HistoryData } from '../plots/index.js'
import { centreCandidates } from './centre-candidates.js'
import type { CentreModelFile } from './centre-model-file.js'
import type { OpenedResult } from './view/open-result.js'

/** A solved sector, ready for a fit. */
interface ModelInput {
  opened: OpenedResult
  target: Target
  channels: Channel[]
  /** Aspects to be fitted, and others to be compared. */
  fitted: SectorHistory
  held: SectorHistory
}

/**
 * The sector of a result, its aspects divided.
 * @param heldOut  every so many aspects one is not fitted but compared; 0: none
 * @throws InputError for results that have no band, no sector, no target
 */
export function modelInput(opened: OpenedResult, heldOut: number): ModelInput {
  const { history, meta, target, note } = opened
  if (!history) throw new InputError('--model: the result holds no amplitudes over frequency and aspect')
  if (history.bistatic) throw new InputError('--model: the table is bistatic; compute a monostatic one')
  if (meta?.mesh?.ground)
    throw new InputError('--model: centres are of a target in free space; compute it without --ground')
  if (!target) throw new InputError(`--model: ${note ?? 'the result contains no target'}`)
  const channels = CHANNELS.filter((c) => history.layers.some((l) => l.name === c))
  const all = Array.from(history.phiDeg, (_, a) => a)
  const isHeld = (a: number): boolean => heldOut > 0 && a % heldOut === heldOut >> 1
  const fitted = sectorOf(history, channels, all.filter((a) => !isHeld(a))) // prettier-ignore
  const held = sectorOf(history, channels, all.filter(isHeld))
  if (fitted.phiDeg.length < 2 || fitted.freqHz.length < 2)
    throw new InputError(
      `--model: ${fitted.phiDeg.length} aspects and ${fitted.freqHz.length} frequencies; it takes a band and a sector of at least 2 each`,
    )
  return { opened, target: target.target, channels, fitted, held }
}

/** What is told of a fit while it runs. */
interface FitHooks {
  /** Number of places where paths have their phase centres. */
  onCandidates?: (count: number) => void
  /** Number of centres found. */
  onProgress?: (centres: number) => void
}

/**
 * A model of scattering centres of a solved sector, from its fields and from where the target's paths have their phase centres.
 * @param count  most centres
 * @throws InputError where there are none
 */
export function fitCentreModel(
  { opened: { name, meta }, target, channels, fitted, held }: ModelInput,
  count: number,
  { onCandidates, onProgress }: FitHooks = {},
): Omit<CentreModelFile, 'isarCentreModel'> {
  const phaseCentreM = meta?.options?.phaseCentre ?? [0, 0, 0]
  const bandHz = endsOf(fitted.freqHz)
  const resolution = C0 / (2 * (bandHz[1] - bandHz[0]))
  const candidates = centreCandidates(
    target,
    meta?.options ?? {},
    fitted,
    middleFrequency({ bandHz }),
    resolution / 2,
  )
  onCandidates?.(candidates.length)
  const places = Float64Array.from(candidates.flatMap((at) => at.map((x, c) => x - phaseCentreM[c])))
  const search = fitCentres(fitted, places, count)
  let step = search.next()
  while (!step.done) {
    onProgress?.(step.value)
    step = search.next()
  }
  if (step.value.centres.length === 0)
    throw new InputError(
      '--model: no centres were found: the fields are zero, or no path returns to the radar',
    )
  const model: CentreModel = {
    bandHz,
    thetaDeg: endsOf(fitted.thetaDeg),
    phiDeg: endsOf(fitted.phiDeg),
    phaseCentreM,
    channels,
    centres: step.value.centres.map((c) => ({
      ...c,
      positionM: c.positionM.map((x, i) => x + phaseCentreM[i]) as Vec3,
    })),
  }
  const [near, far] = [correlations(model, fitted), correlations(model, held)]
  return {
    target: name,
    ...(meta?.mesh?.sha256 !== undefined && { meshSha256: meta.mesh.sha256 }),
    ...model,
    channels,
    error: {
      fittedAspects: fitted.phiDeg.length,
      heldOutAspects: held.phiDeg.length,
      correlation: Object.fromEntries(
        channels.map((c, i) => [c, { fitted: near[i], heldOut: held.phiDeg.length > 0 ? far[i] : null }]),
      ),
    },
  }
}

const endsOf = (values: Float64Array): [number, number] => [
  values.reduce((a, b) => Math.min(a, b), Infinity),
  values.reduce((a, b) => Math.max(a, b), -Infinity),
]

/** Some aspects of a result's fields. */
function sectorOf(
  { freqHz, thetaDeg, phiDeg, layers }: HistoryData,
  channels: Channel[],
  aspects: number[],
): SectorHistory {
  return {
    freqHz,
    thetaDeg: Float64Array.from(aspects, (a) => thetaDeg[a]),
    phiDeg: Float64Array.from(aspects, (a) => phiDeg[a]),
    fields: channels.map((channel) => {
      const { data } = layers.find((l) => l.name === channel)!
      const field = new Float64Array(2 * aspects.length * freqHz.length)
      aspects.forEach((a, i) => {
        for (let m = 0; m < freqHz.length; m++) {
          const [from, to] = [2 * (m * phiDeg.length + a), 2 * (i * freqHz.length + m)]
          field[to] = data[from]
          field[to + 1] = data[from + 1]
        }
      })
      return field
    }),
  }
}

/** |sum F_model* F| / (|F_model| |F|) of every channel over frequencies and aspects; 0 where either is zero. */
function correlations(model: CentreModel, { freqHz, thetaDeg, phiDeg, fields }: SectorHistory): number[] {
  const evaluator = new ModelEvaluator(model)
  const out = new Float64Array(2 * fields.length)
  const sums = fields.map(() => ({ re: 0, im: 0, model: 0, solver: 0 }))
  phiDeg.forEach((phi, a) =>
    freqHz.forEach((f, m) => {
      evaluator.field(f, thetaDeg[a], phi, out)
      sums.forEach((sum, c) => {
        const at = 2 * (a * freqHz.length + m)
        const [x, y] = [fields[c][at], fields[c][at + 1]]
        const [u, v] = [out[2 * c], out[2 * c + 1]]
        sum.re += x * u + y * v
        sum.im += y * u - x * v
        sum.model += u * u + v * v
        sum.solver += x * x + y * y
      })
    }),
  )
  return sums.map(({ re, im, model: a, solver: b }) =>
    a * b > 0 ? Math.hypot(re, im) / Math.sqrt(a * b) : 0,
  )
}
