import { buildEdgeScene, type Truncation } from '../cpu-diffraction/index.js'
import type { CentreModelFile } from '../formats/centre-model-file.js'
import {
  type CentreModel,
  fitCentres,
  middleFrequency,
  ModelEvaluator,
  type SectorHistory,
} from '../isar/index.js'
import { buildRayScene, type Channel, CHANNELS } from '../rays/index.js'
import { C0, direction, InputError, type Target, type Vec3, wavenumber } from '../scene/index.js'
import type { HistoryData } from '../views/figures/index.js'
import type { OpenedResult } from '../views/server/open-result.js'
import { DEFAULT_RAYS } from '../views/server/source.js'
import { DEFAULT_WEDGE_ANGLE_DEG, type RunMeta } from '../views/server/result-file.js'
import { traceAspect } from '../views/server/manifest.js'

/** Aspects whose paths are traced: of a sector in one angle, and along each of two. */
const TRACED = 7
const TRACED_EACH = 4
/** Energy that the cells of an aspect which become candidates hold together, of that of all, and their largest number. */
const KEPT = 0.99
const MOST = 1000

/** Options of a run that its paths depend on. */
type PathOptions = Pick<NonNullable<RunMeta['options']>, 'sbr' | 'diffraction' | 'maxWedgeAngleDeg'>

/**
 * Where a target's ray paths and edge segments have their phase centres [m], the strongest first: range and cross-ranges by which a path's
 * length changes as the radar moves (`PathList.place`), of some aspects of a sector.
 * @param cellM  size of the cells in which contributions are added up
 */
function centreCandidates(
  target: Target,
  options: PathOptions,
  { thetaDeg, phiDeg }: { thetaDeg: Float64Array; phiDeg: Float64Array },
  freqHz: number,
  cellM: number,
): Vec3[] {
  const { sbr = DEFAULT_RAYS, diffraction = 'tw-ildc', maxWedgeAngleDeg = DEFAULT_WEDGE_ANGLE_DEG } = options
  const scene = buildRayScene(target)
  const edges = diffraction === 'none' ? null : buildEdgeScene(target, maxWedgeAngleDeg)
  const truncation = (diffraction === 'none' ? 'tw-ildc' : diffraction) as Truncation
  const found = new Map<string, { power: number; at: Vec3 }>()
  const [thetas, phis] = [distinct(thetaDeg), distinct(phiDeg)]
  const most = Math.min(thetas.length, phis.length) > 1 ? TRACED_EACH : TRACED
  for (const theta of spread(thetas, most))
    for (const phi of spread(phis, most)) {
      const traced = traceAspect(scene, edges, [theta, phi], freqHz, sbr, truncation)
      const { r, thetaHat, phiHat } = direction(theta, phi)
      const cells = new Cells(cellM, wavenumber(freqHz))
      const { list } = traced
      for (let n = 0; n < list.path.length; n++) {
        const from = list.hitStart[list.path[n]]
        const to = from + list.bounce[n] - 1
        let height = 0
        for (let c = 0; c < 3; c++)
          height += ((list.hits[3 * from + c] + list.hits[3 * to + c]) / 2) * thetaHat[c]
        cells.add(list.place[2 * n], list.place[2 * n + 1], height, list.amplitude, 8 * n)
      }
      for (let n = 0; n < traced.edges.edge.length; n++) {
        const { place, height, amplitude } = traced.edges
        cells.add(place[2 * n], place[2 * n + 1], height[n], amplitude, 8 * n)
      }
      for (const { power, place } of cells.strongest()) {
        const at = [0, 1, 2].map((c) => -place[0] * r[c] + place[1] * phiHat[c] + place[2] * thetaHat[c]) as Vec3 // prettier-ignore
        const key = at.map((x) => Math.round(x / cellM)).join()
        const there = found.get(key)
        if (!there || power > there.power) found.set(key, { power, at })
      }
    }
  return [...found.values()].sort((a, b) => b.power - a.power).map(({ at }) => at)
}

const distinct = (angles: Float64Array): number[] => [...new Set(angles)].sort((a, b) => a - b)

/** Some angles, `most` at most, from the lowest to the highest. */
function spread(ascending: number[], most: number): number[] {
  const n = Math.min(most, ascending.length)
  const [low, high] = [ascending[0], ascending[ascending.length - 1]]
  return Array.from({ length: n }, (_, i) => (n === 1 ? low : low + ((high - low) * i) / (n - 1)))
}

interface Cell {
  /** Sums of the channels' contributions in phase, and of their magnitudes with the places so weighted. */
  field: Float64Array
  weight: number
  place: Vec3
}

/** Contributions of an aspect in cells of range, cross-range and height. */
class Cells {
  private readonly cells = new Map<string, Cell>()

  constructor(
    private readonly size: number,
    private readonly k: number,
  ) {}

  add(range: number, cross: number, height: number, amplitude: Float32Array, from: number): void {
    const key = `${Math.round(range / this.size)},${Math.round(cross / this.size)},${Math.round(height / this.size)}`
    let cell = this.cells.get(key)
    if (!cell) this.cells.set(key, (cell = { field: new Float64Array(8), weight: 0, place: [0, 0, 0] }))
    const cos = Math.cos(2 * this.k * range)
    const sin = -Math.sin(2 * this.k * range)
    let weight = 0
    for (let c = 0; c < 8; c += 2) {
      const [re, im] = [amplitude[from + c], amplitude[from + c + 1]]
      cell.field[c] += re * cos - im * sin
      cell.field[c + 1] += re * sin + im * cos
      weight += re * re + im * im
    }
    weight = Math.sqrt(weight)
    cell.weight += weight
    cell.place[0] += weight * range
    cell.place[1] += weight * cross
    cell.place[2] += weight * height
  }

  strongest(): { power: number; place: Vec3 }[] {
    const all = [...this.cells.values()]
      .filter(({ weight }) => weight > 0)
      .map(({ field, weight, place }) => ({
        power: field.reduce((s, x) => s + x * x, 0),
        place: place.map((x) => x / weight) as Vec3,
      }))
      .sort((a, b) => b.power - a.power)
    const wanted = KEPT * all.reduce((s, { power }) => s + power, 0)
    let sum = 0
    const kept: typeof all = []
    for (const cell of all) {
      if (sum >= wanted || kept.length === MOST) break
      sum += cell.power
      kept.push(cell)
    }
    return kept
  }
}

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
