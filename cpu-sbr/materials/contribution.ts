import { type Aperture, gordonCoefficients, type RayScene, type SbrOptions } from '../../rays/index.js'
import type { Aspect } from '../../scene/index.js'
import type { Cell } from '../contribution.js'
import { longer } from '../facet-lists.js'
import { CONTRIBUTION, layout, PARALLELOGRAM, QUADRILATERAL, Records } from '../records.js'
import { type Vector, vector } from '../prism.js'
import { HIT, REFLECTED } from './hit.js'
import { type BranchTracer, HIDDEN } from './path.js'
import type { PathFields } from './path-fields.js'
import { CLEAR } from './sight-fields.js'

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
