import { SECOND_ORDER, type SecondOrder, type Truncation } from '../../cpu-diffraction/index.js'
import {
  eachInFlight,
  facetField,
  isFullWave,
  stoppable,
  waysOf,
  weightsOfWays,
} from '../../run/sweep/index.js'
import { fullWaveCost, type FullWaveEngine } from '../../full-wave/index.js'
import { checkMemory } from '../../run/estimate.js'
import { type Aspect, type Band, frequency, isMonostatic } from '../../scene/index.js'
import { type AspectField, type Channel, CHANNELS, MAX_BOUNCES, symmetrise } from '../../rays/index.js'
import type { LoadedTarget } from '../../run/loaded-target.js'
import { type EngineRequest, type Method, openEngines, withSecondOrder } from '../../run/solver.js'
import { decibels } from './errors.js'

/** What is computed with edges of this truncation, and with mechanisms of second order or without. */
export const wholeName = (diffraction: string, secondOrder: readonly SecondOrder[]): string =>
  `SBR + ${diffraction.toUpperCase()}${secondOrder.length > 0 ? ' + 2nd order' : ''}`

/** What cases are computed with where they say nothing else. */
export const WHOLE = wholeName('tw-ildc', SECOND_ORDER)

/** Where a case is computed. */
export interface Machine {
  device: 'auto' | 'gpu' | 'cpu'
  /** Worker threads; 0 inline. */
  workers?: number
  signal?: AbortSignal
}

/** Settings of a case that differ from the solver's defaults. */
export interface SolverSettings {
  method?: Method
  raysPerWavelength?: number
  maxBounces?: number
  subdivisions?: number
  onlyBounce?: number
  diffraction?: Truncation | 'none'
  segmentsPerWavelength?: number
  secondOrder?: SecondOrder[]
  /** Leave fields as computed, instead of their mean with transmitter and receiver exchanged. */
  raw?: boolean
}

/** Fields of the aspects, 8 numbers per frequency [m], from the rays alone and with edge diffraction. */
interface Solved {
  sbr: AspectField[]
  total: AspectField[]
  /** Whether the target has edges that diffract and diffraction was requested. */
  edges: boolean
  /** Name of what `total` holds (`wholeName`). */
  whole: string
  device: string
}

/** Computes the aspects with the solver's defaults but for `settings`. */
export async function solve(
  loaded: LoadedTarget,
  aspects: Aspect[],
  band: Band,
  machine: Machine,
  settings: SolverSettings = {},
): Promise<Solved> {
  const { method = 'sbr' } = settings
  const request = {
    method,
    device: machine.device,
    sbr: {
      raysPerWavelength: settings.raysPerWavelength ?? 10,
      maxBounces: settings.maxBounces ?? MAX_BOUNCES,
      subdivisions: settings.subdivisions ?? 2,
      ...(settings.onlyBounce === undefined ? {} : { onlyBounce: settings.onlyBounce }),
    },
    diffraction: settings.diffraction ?? (method === 'mom' ? 'none' : 'tw-ildc'),
    maxWedgeAngleDeg: 160,
    secondOrder: settings.secondOrder,
    workers: machine.workers,
    subGrid: 2048,
  } satisfies EngineRequest
  const resolved = withSecondOrder(request, loaded.target)
  const engines = await openEngines(loaded, resolved)
  const { facets, edges } = engines
  const { text, aspectsInFlight } = facets.describe()
  const whole = edges ? wholeName(request.diffraction, resolved.secondOrder) : 'SBR'
  const result: Solved = { sbr: [], total: [], edges: edges !== undefined, whole, device: text }
  const solving = stoppable(machine.signal)
  if (isFullWave(facets)) {
    try {
      result.sbr = result.total = await fullWaveFields(facets, aspects, band, machine.signal)
      return result
    } finally {
      await engines.close()
    }
  }
  const fieldsOf = async (aspect: Aspect): Promise<[alone: AspectField, total: AspectField]> => {
    const [rays, fringe] = await Promise.all([
      facetField(engines, aspect, band, solving.signal),
      edges?.engine.field(
        {
          aspect,
          band,
          options: { ...edges.options, segmentsPerWavelength: settings.segmentsPerWavelength },
        },
        solving.signal,
      ),
    ])
    const alone = rays.field
    const total = alone.slice()
    if (fringe) for (let c = 0; c < total.length; c++) total[c] += fringe.field[c]
    return [alone, total]
  }
  const work = async (i: number): Promise<void> => {
    const [aspect, exchanged] = waysOf(engines, aspects[i])
    const [alone, total] = await fieldsOf(aspect)
    if (!settings.raw) {
      // Rays alone are as in runs without edges.
      if (isMonostatic(aspect)) for (const field of [alone, total]) symmetrise(field)
      else if (exchanged) symmetrise(total, (await fieldsOf(exchanged))[1], weightsOfWays(engines, aspect))
    }
    result.sbr[i] = alone
    result.total[i] = total
  }
  try {
    await eachInFlight(aspects.keys(), aspectsInFlight, solving, work)
  } finally {
    await engines.close()
  }
  return result
}

/** Fields of the aspects by full wave, one factorisation a frequency. */
async function fullWaveFields(
  engine: FullWaveEngine,
  aspects: Aspect[],
  band: Band,
  signal?: AbortSignal,
): Promise<AspectField[]> {
  const all = aspects.map(() => new Float64Array(8 * band.n))
  const { device } = engine.describe()
  const size = engine.size(frequency(band, band.n - 1))
  if (device === 'cpu')
    checkMemory(fullWaveCost(size, aspects.length, 'cpu', 1).bytes, `full wave has about ${size.unknowns} unknowns here`) // prettier-ignore
  for (let n = 0; n < band.n; n++) {
    const { fields } = await engine.solve(frequency(band, n), aspects, undefined, signal)
    all.forEach((field, i) => field.set(fields.subarray(8 * i, 8 * i + 8), 8 * n))
  }
  all.forEach((field, i) => isMonostatic(aspects[i]) && symmetrise(field))
  return all
}

/** sigma of a channel [m^2]: 4 pi |F|^2. */
export function sigmaOf(field: AspectField, channel: Channel, frequency = 0): number {
  const at = 8 * frequency + 2 * CHANNELS.indexOf(channel)
  return 4 * Math.PI * (field[at] ** 2 + field[at + 1] ** 2)
}

/** A channel's curve over the aspects [dBsm]. */
export const curveOf = (fields: AspectField[], channel: Channel): Float64Array =>
  Float64Array.from(fields, (field) => decibels(sigmaOf(field, channel)))

/** A channel's amplitudes over the aspects, re and im interleaved [m]. */
export function amplitudesOf(fields: AspectField[], channel: Channel): Float64Array {
  const at = 2 * CHANNELS.indexOf(channel)
  return Float64Array.from(fields.flatMap((field) => [field[at], field[at + 1]]))
}
