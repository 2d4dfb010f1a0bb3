import { addExactly } from '../../math/exact-sum.js'
import { delayRows, spreadWidth } from '../../rays/delay-sum.js'
import { materialBasis } from '../../rays/material-basis.js'
import { gordonSum, type SbrJob, type SceneMaterials, sinc, SUM_TOLERANCE } from '../../rays/index.js'
import { type Band, frequency, wavenumber } from '../../scene/index.js'
import { ExtrapolatedSum, type FieldSum } from '../field-sum.js'
import { PARALLELOGRAM, QUADRILATERAL } from '../records.js'
import { bandNodes, isNufft, type Nodes, NufftSum } from '../spreading.js'
import { type BranchContributor, FACTOR, ROW } from './contribution.js'

/** Nodes above which the direct sum is taken. */
const MOST_NODES = 32
/** Parts of the reach at which phases are looked at. */
const SPANS = [1, 0.85, 0.7, 0.5, 0.35, 0.2]
/** Choices kept. */
const KEPT = 16

const kept = new WeakMap<SceneMaterials, Map<string, Nodes | null>>()

/**
 * Nodes of a band for contributions whose amplitudes are products of up to `bounces` coefficients of the materials, and how far these are
 * interpolated: to the tolerance with every shape of the reach of `bandNodes` (`materialBasis`). Null where so many would not be
 * worth it.
 */
function materialNodes(
  materials: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const all = kept.get(materials) ?? new Map<string, Nodes | null>()
  kept.set(materials, all)
  const key = [band.f0, band.df, band.n, tolerance, bounces].join()
  let found = all.get(key)
  if (found === undefined) {
    if (all.size >= KEPT) all.clear()
    all.set(key, (found = findNodes(materials, band, tolerance, bounces)))
  }
  return found
}

function findNodes(
  { list, ground }: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const { k, reach } = bandNodes(band, tolerance)
  const middle = (k[0] + k[k.length - 1]) / 2
  const shapes = (x: Float64Array): Float64Array[] => [
    x.map((value) => (middle / value) ** 2),
    ...SPANS.flatMap((part) => [
      x.map((value) => Math.cos((value - middle) * part * reach)),
      x.map((value) => Math.sin((value - middle) * part * reach)),
    ]),
  ]
  const basis = materialBasis(
    { list, ground: ground?.ground },
    band,
    bounces,
    shapes,
    // Phases between those that are looked at err by more.
    tolerance / 4,
    Math.min(MOST_NODES, band.n - 1),
  )
  return basis && { ...basis, reach }
}

/** A sum of the contributions of a `BranchContributor`, and the wavenumbers that it takes their amplitudes at [rad/m]. */
interface BranchSum {
  k: Float64Array
  sum: FieldSum
}

/** As `fieldSum`, for a target with materials; direct where their coefficients vary too fast over the band to be interpolated. */
export function branchSum(
  materials: SceneMaterials,
  job: SbrJob,
  quantum: number,
  nodes = branchNodes(materials, job),
): BranchSum {
  const { band, options, aspect, extrapolation } = job
  const { sumTolerance = SUM_TOLERANCE } = options
  const k = nodes?.k ?? Float64Array.from({ length: band.n }, (_, n) => wavenumber(frequency(band, n)))
  const sumOf = (values?: Float64Array, like?: FieldSum): FieldSum =>
    nodes
      ? new BranchNufftSum(band, quantum, sumTolerance, values, like as BranchNufftSum | undefined, nodes)
      : new BranchDirectSum(k, quantum, values)
  return { k, sum: extrapolation ? new ExtrapolatedSum(aspect, extrapolation, sumOf) : sumOf() }
}

/** Bytes of the totals of `branchSum`, see `fieldSumBytes`. */
export function branchSumBytes(materials: SceneMaterials, job: SbrJob): number {
  const { band, options, extrapolation } = job
  const nodes = branchNodes(materials, job)
  const rows = nodes
    ? nodes.k.length * delayRows(band, spreadWidth(options.sumTolerance ?? SUM_TOLERANCE))
    : band.n
  return 64 * rows * (extrapolation?.directions.length ?? 1)
}

/** Nodes of a job's band; null for the direct sum. */
export function branchNodes(materials: SceneMaterials, job: SbrJob): Nodes | null {
  const { sumTolerance = SUM_TOLERANCE, maxBounces } = job.options
  return isNufft(job) ? materialNodes(materials, job.band, sumTolerance / 2, maxBounces) : null
}

/** Every contribution at every frequency, as `DirectSum`. */
class BranchDirectSum implements FieldSum {
  private readonly part: Float64Array
  private readonly shape = new Float64Array(2)

  constructor(
    private readonly k: Float64Array,
    private readonly quantum: number,
    readonly values: Float64Array = new Float64Array(8 * k.length),
  ) {
    this.part = new Float64Array(8 * k.length)
  }

  add({ parallelograms, quadrilaterals, fields: { amplitudes } }: BranchContributor): void {
    const { k, part, shape } = this
    part.fill(0)
    const { data } = parallelograms
    for (let at = 0; at < parallelograms.length * PARALLELOGRAM.size; at += PARALLELOGRAM.size)
      for (let n = 0; n < k.length; n++) {
        const spans =
          sinc(k[n] * data[at + PARALLELOGRAM.spans]) * sinc(k[n] * data[at + PARALLELOGRAM.spans + 1])
        this.addField(data, at, n, amplitudes, spans, 0)
      }
    const quads = quadrilaterals.data
    for (let at = 0; at < quadrilaterals.length * QUADRILATERAL.size; at += QUADRILATERAL.size)
      for (let n = 0; n < k.length; n++) {
        gordonSum(quads, at + QUADRILATERAL.edges, 4, k[n], shape)
        this.addField(quads, at, n, amplitudes, shape[0], shape[1])
      }
    addExactly(this.values, part, this.quantum)
  }

  finish(out: Float64Array): void {
    out.set(this.values)
  }

  /** Adds the record at `at` at wavenumber n with a shape. */
  private addField(
    data: Float64Array,
    at: number,
    n: number,
    amplitudes: Float64Array,
    shapeRe: number,
    shapeIm: number,
  ): void {
    const { part, k } = this
    const angle = -k[n] * data[at + PARALLELOGRAM.pathLength]
    const cos = data[at + FACTOR] * Math.cos(angle)
    const sin = data[at + FACTOR] * Math.sin(angle)
    const re = shapeRe * cos - shapeIm * sin
    const im = shapeRe * sin + shapeIm * cos
    const from = 8 * (k.length * data[at + ROW] + n)
    for (let c = 0; c < 8; c += 2) {
      part[8 * n + c] += amplitudes[from + c] * re - amplitudes[from + c + 1] * im
      part[8 * n + c + 1] += amplitudes[from + c] * im + amplitudes[from + c + 1] * re
    }
  }
}

/** As `NufftSum`, with complex amplitudes by row at its nodes. */
class BranchNufftSum extends NufftSum {
  private rows: Float64Array = new Float64Array(0)

  override add(contributor: BranchContributor): void {
    this.rows = contributor.fields.amplitudes
    super.add(contributor)
  }

  protected override addCollected(): void {
    this.sum.addCollectedComplex(this.amplitudes)
  }

  protected override putReal(p: number, data: Float64Array, at: number, shape: number): void {
    this.put(p, data, at, shape, 0)
  }

  protected override put(p: number, data: Float64Array, at: number, shapeRe: number, shapeIm: number): void {
    const { amplitudes, rows, k } = this
    const from = 8 * (k.length * data[at + ROW] + p)
    const re = data[at + FACTOR] * shapeRe
    const im = data[at + FACTOR] * shapeIm
    for (let c = 0; c < 8; c += 2) {
      amplitudes[8 * p + c] = rows[from + c] * re - rows[from + c + 1] * im
      amplitudes[8 * p + c + 1] = rows[from + c] * im + rows[from + c + 1] * re
    }
  }
}
