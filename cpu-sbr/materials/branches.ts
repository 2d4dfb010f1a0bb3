import { addExactly } from '../../math/exact-sum.js'
import { delayRows, spreadWidth } from '../../rays/delay-sum.js'
import {
  type Aperture,
  comparedBounces,
  gordonCoefficients,
  gordonSum,
  isExitForm,
  type RayScene,
  type SbrJob,
  type SbrOptions,
  type SceneMaterials,
  sinc,
  SUM_TOLERANCE,
} from '../../rays/index.js'
import { materialBasis } from '../../rays/material-basis.js'
import { type Aspect, type Band, frequency, wavenumber } from '../../scene/index.js'
import type { Cell } from '../contribution.js'
import { longer } from '../facet-lists.js'
import { bandNodes, ExtrapolatedSum, type FieldSum, isNufft, type Nodes, NufftSum } from '../field-sum.js'
import { aspectTables, type Tracers } from '../lattice-tracer.js'
import { vector, type Vector } from '../prism.js'
import { CONTRIBUTION, layout, PARALLELOGRAM, QUADRILATERAL, Records } from '../records.js'
import { type SbrTask, TileTracer } from '../tile.js'
import { CLEAR, HIT, PathFields, REFLECTED } from './path-fields.js'
import { BranchTracer, HIDDEN } from './path.js'

/** A tube at a hit. */
const TUBE = layout({
  r: ['vec3', 'hit of the central ray [m]'],
  psi: ['f64', 'phase path up to it [m]'],
  a: ['vec3', 'side across the incidence [m]'],
  b: ['vec3', 'the other one [m]'],
})

/** In the place of the four amplitudes of a contribution: its row of `PathFields.amplitudes`, and what this is multiplied by. */
export const ROW = CONTRIBUTION.amplitudes
export const FACTOR = CONTRIBUTION.amplitudes + 1

/**
 * What tubes radiate whose paths branch at sheets: the steps of `Contributor` (docs/theory.md, "The field of a tube"), with amplitudes by path
 * and frequency. Conductors keep a class of their own: as rows of amplitudes that no frequency changes, their tubes took 28 to 32 % more
 * processor time (samples/aircraft.stl, 1 and 64 frequencies, 5 bounces).
 */
export class BranchContributor {
  readonly parallelograms = new Records(PARALLELOGRAM)
  readonly quadrilaterals = new Records(QUADRILATERAL)
  private tubes = new Float64Array(64 * TUBE.size)
  private readonly p = vector()
  private readonly q = vector()
  private readonly w = vector()
  private readonly corners = new Float64Array(12)
  /** Incidence and lattice axes. */
  private readonly d: ArrayLike<number>
  private readonly u: ArrayLike<number>
  private readonly v: ArrayLike<number>

  constructor(
    private readonly scene: RayScene,
    readonly fields: PathFields,
    private readonly aspect: Aspect,
    private readonly options: SbrOptions,
    { d, u, v }: Aperture,
  ) {
    this.d = d
    this.u = u
    this.v = v
  }

  /** Forgets the contributions of a tile. */
  clear(): void {
    this.fields.limit()
    this.parallelograms.length = 0
    this.quadrilaterals.length = 0
  }

  /** Contributions held. */
  get count(): number {
    return this.parallelograms.length + this.quadrilaterals.length
  }

  /**
   * Adds the contributions of the last ray of a tracer, the central one of a tube, whose sights are known; see `Contributor.add` for
   * `cornerFacets`. Returns whether any hit radiates.
   */
  addTube(cell: Cell, ray: BranchTracer, cornerFacets: Int32Array | null): boolean {
    const { fields } = this
    const { onlyBounce } = this.options
    if (TUBE.size * ray.count > this.tubes.length) this.tubes = longer(this.tubes, 2 * TUBE.size * ray.count)
    let any = false
    for (let i = 0; i < ray.count; i++) {
      this.hit(cell, ray, i)
      const path = ray.paths[i]
      if (ray.sights[i] === HIDDEN) continue
      if (onlyBounce !== undefined && onlyBounce !== fields.bounces[path] + 1) continue
      const row = fields.row(path, ray.sights[i])
      if (row < 0) continue
      any = true
      if (cornerFacets && ray.sights[i] === CLEAR) this.quadrilateral(cell, cornerFacets, row)
      else this.parallelogram(i, path, row)
    }
    return any
  }

  /** Steps 1, 3 and 8: the tube at hit i from the hit before it, or from the aperture. */
  private hit(cell: Cell, ray: BranchTracer, i: number): void {
    const { d, u, v, tubes } = this
    const { hits } = this.fields
    const to = TUBE.size * i
    const from = TUBE.size * ray.before[i]
    let x = cell.ox
    let y = cell.oy
    let z = cell.oz
    let psi
    if (ray.before[i] < 0) {
      psi = x * d[0] + y * d[1] + z * d[2]
      for (let c = 0; c < 3; c++) {
        tubes[to + TUBE.a + c] = u[c] * cell.side
        tubes[to + TUBE.b + c] = v[c] * cell.side
      }
    } else {
      x = tubes[from]
      y = tubes[from + 1]
      z = tubes[from + 2]
      psi = tubes[from + TUBE.psi]
      const n = HIT.size * ray.paths[ray.before[i]] + HIT.normal
      for (let side = TUBE.a; side <= TUBE.b; side += TUBE.b - TUBE.a) {
        const s = from + side
        const twice =
          ray.kinds[i] === REFLECTED
            ? 2 * (hits[n] * tubes[s] + hits[n + 1] * tubes[s + 1] + hits[n + 2] * tubes[s + 2])
            : 0
        for (let c = 0; c < 3; c++) tubes[to + side + c] = tubes[s + c] - twice * hits[n + c]
      }
    }
    const at = HIT.size * ray.paths[i]
    const n = at + HIT.normal
    const t =
      (hits[at + HIT.offset] - hits[n] * x - hits[n + 1] * y - hits[n + 2] * z) / hits[at + HIT.cosine]
    tubes[to] = x + t * hits[at + HIT.incidence]
    tubes[to + 1] = y + t * hits[at + HIT.incidence + 1]
    tubes[to + 2] = z + t * hits[at + HIT.incidence + 2]
    tubes[to + TUBE.psi] = psi + t
  }

  /** Path length and hit sum of a contribution from hit i. */
  private place(data: Float64Array, record: number, i: number): void {
    const { tubes } = this
    const s = this.aspect.rx.r
    const r = TUBE.size * i
    data[record + CONTRIBUTION.pathLength] =
      tubes[r + TUBE.psi] - s[0] * tubes[r] - s[1] * tubes[r + 1] - s[2] * tubes[r + 2]
    for (let c = 0; c < 3; c++) data[record + CONTRIBUTION.hitSum + c] = tubes[c] + tubes[r + c]
  }

  /** Steps 4 and 7 through the parallelogram of the tube. */
  private parallelogram(i: number, path: number, row: number): void {
    const { parallelograms, p, q } = this
    const { hits } = this.fields
    const at = HIT.size * path
    this.slide(TUBE.size * i + TUBE.a, at, p)
    this.slide(TUBE.size * i + TUBE.b, at, q)
    const areaX = p[1] * q[2] - p[2] * q[1]
    const areaY = p[2] * q[0] - p[0] * q[2]
    const areaZ = p[0] * q[1] - p[1] * q[0]
    const s = this.aspect.rx.r
    const record = parallelograms.next()
    const { data } = parallelograms
    this.place(data, record, i)
    data[record + ROW] = row
    data[record + FACTOR] = Math.sqrt(areaX * areaX + areaY * areaY + areaZ * areaZ)
    data[record + ROW + 2] = data[record + ROW + 3] = 0
    let spanP = 0
    let spanQ = 0
    for (let c = 0; c < 3; c++) {
      const w = s[c] - hits[at + HIT.incidence + c]
      spanP += w * p[c]
      spanQ += w * q[c]
    }
    data[record + PARALLELOGRAM.spans] = 0.5 * spanP
    data[record + PARALLELOGRAM.spans + 1] = 0.5 * spanQ
  }

  /** A side slid along the incidence onto the plane of the hit at `at`. */
  private slide(side: number, at: number, out: Vector): void {
    const { tubes } = this
    const { hits } = this.fields
    const n = at + HIT.normal
    const d = at + HIT.incidence
    const slide =
      (hits[n] * tubes[side] + hits[n + 1] * tubes[side + 1] + hits[n + 2] * tubes[side + 2]) /
      hits[at + HIT.cosine]
    for (let c = 0; c < 3; c++) out[c] = tubes[side + c] - slide * hits[d + c]
  }

  /** Steps 4 and 7 through the quadrilateral of the corner rays' first hits, ++ -+ -- +-. */
  private quadrilateral(cell: Cell, cornerFacets: Int32Array, row: number): void {
    const { corners, u, v, d, tubes, w, quadrilaterals } = this
    const { normals } = this.scene
    const s = this.aspect.rx.r
    const half = 0.5 * cell.side
    for (let i = 0; i < 4; i++) {
      const halfU = i === 0 || i === 3 ? half : -half
      const halfV = i < 2 ? half : -half
      const x = cell.ox + halfU * u[0] + halfV * v[0]
      const y = cell.oy + halfU * u[1] + halfV * v[1]
      const z = cell.oz + halfU * u[2] + halfV * v[2]
      const n = 4 * cornerFacets[i]
      const nd = normals[n] * d[0] + normals[n + 1] * d[1] + normals[n + 2] * d[2]
      const t = (normals[n + 3] - normals[n] * x - normals[n + 1] * y - normals[n + 2] * z) / nd
      corners[3 * i] = x + t * d[0] - tubes[0]
      corners[3 * i + 1] = y + t * d[1] - tubes[1]
      corners[3 * i + 2] = z + t * d[2] - tubes[2]
    }
    // Twice the vector area.
    const area = [0, 0, 0]
    for (let i = 0; i < 12; i += 3) {
      const next = (i + 3) % 12
      for (let c = 0; c < 3; c++) {
        const [y, z] = [(c + 1) % 3, (c + 2) % 3]
        area[c] += corners[i + y] * corners[next + z] - corners[i + z] * corners[next + y]
      }
    }
    const twiceArea = Math.hypot(area[0], area[1], area[2])
    if (twiceArea === 0) return
    for (let c = 0; c < 3; c++) {
      area[c] /= twiceArea
      w[c] = s[c] - d[c]
    }
    const record = quadrilaterals.next()
    const { data } = quadrilaterals
    this.place(data, record, 0)
    data[record + ROW] = row
    data[record + FACTOR] = 1
    data[record + ROW + 2] = data[record + ROW + 3] = 0
    gordonCoefficients(corners, 4, w, area, data, record + QUADRILATERAL.edges)
  }
}

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

/** Fields of the last aspects of a thread: those in flight. */
const KEPT_ASPECTS = 2
const keptFieldsOf = new WeakMap<SceneMaterials, { key: string; waves: string; fields: PathFields }[]>()

/** The fields along the paths of an aspect, those keptFieldsOf from its other tasks on this thread where there are any. */
function keptFields(
  scene: RayScene,
  materials: SceneMaterials,
  job: Pick<SbrJob, 'aspect' | 'options'>,
  d: ArrayLike<number>,
  k: Float64Array,
): PathFields {
  const { aspect, options } = job
  const all = keptFieldsOf.get(materials) ?? []
  keptFieldsOf.set(materials, all)
  const { tx, rx } = aspect
  const key = [tx, rx].map(({ r, thetaHat, phiHat }) => [...r, ...thetaHat, ...phiHat])
  const name = [...key.flat(), ...Array.from(d), ...k, options.maxBounces].join()
  const found = all.find((entry) => entry.key === name)
  if (found) return found.fields
  // The memory of the one before those in flight serves again.
  const waves = [...k, options.maxBounces].join()
  const old = all.length === KEPT_ASPECTS ? all.pop()! : null
  const fits = old?.waves === waves ? old.fields : null
  fits?.restart(aspect, d)
  const fields = fits ?? new PathFields(scene, materials, job, d, k, all[0]?.fields)
  all.unshift({ key: name, waves, fields })
  return fields
}

/** What follows rays of an aspect on a target with materials, with fields at the wavenumbers k. @throws RangeError for the exit form */
export function branchTracers(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  job: Pick<SbrJob, 'aspect' | 'options'>,
  k: Float64Array,
): Tracers<BranchTracer, BranchContributor> {
  const { aspect, options } = job
  const { d } = aperture
  if (isExitForm(options)) throw new RangeError('the exit form is for perfect conductors')
  const fields = keptFields(scene, materials, job, d, k)
  const { tree } = aspectTables(scene, aperture, aspect)
  const ray = (): BranchTracer => new BranchTracer(scene, tree, fields, d, comparedBounces(options))
  const contributor = new BranchContributor(scene, fields, aspect, options, aperture)
  return { contributor, centre: ray(), corner: ray() }
}

/** The tracer and the sum of a task on a target with materials. @throws RangeError for the exit form */
export function branchWork(
  scene: RayScene,
  materials: SceneMaterials,
  aperture: Aperture,
  { job, tiles, quantum, nodes }: SbrTask,
): { sum: FieldSum; tracer: TileTracer<BranchTracer, BranchContributor> } {
  const { sum, k } = branchSum(materials, job, quantum, nodes)
  const tracers = branchTracers(scene, materials, aperture, job, k)
  return { sum, tracer: new TileTracer(scene, aperture, job.aspect, job.options, tiles, tracers) }
}
