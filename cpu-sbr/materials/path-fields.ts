import type { RayScene, SbrOptions, SceneMaterials } from '../../rays/index.js'
import { type Aspect, C0 } from '../../scene/index.js'
import { greatestPower } from '../../scene/materials/slab.js'
import { longer } from '../facet-lists.js'
import { facetCoefficients } from './facet-coefficients.js'
import { HIT, LAUNCH, REFLECTED, split, TRANSMITTED } from './hit.js'
import { CLEAR, SightFields } from './sight-fields.js'

/** What becomes of the reflected wave: it is too weak, goes on, or would but for the bounce limit. */
export const [ENDS, GOES_ON, CUT_OFF] = [0, 1, 2]

/** Waves that can have at most this part of the incident power are not followed (50 dB). */
const LEAST_POWER = 1e-5
/** Transmissions through sheets followed, per reflection. */
const TRANSMISSIONS = 2
/** Doubles of paths and rows kept before they are forgotten between tiles: 64 MB. */
const MOST_NUMBERS = 2 ** 23

/**
 * The fields along paths of hits, each of which goes on reflected or transmitted, at the wavenumbers k (P of them), and what
 * they radiate. All tubes along a path share them (facets are plane), so that they are computed once.
 */
export class PathFields {
  /** Of the hit that ends each path. */
  facet = new Int32Array(0)
  hits = new Float64Array(0)
  /** Reflections before it. */
  bounces = new Uint8Array(0)
  /** Power of the reflected wave and of the transmitted one at the most, whatever the polarisation: products of the largest |R|^2 and |T|^2 of the wavenumbers. */
  reflected = new Float64Array(0)
  /** ENDS, GOES_ON or CUT_OFF. */
  reflects = new Uint8Array(0)
  /** 1 where the transmitted wave goes on. */
  transmits = new Uint8Array(0)
  /** Amplitudes A by row: per wavenumber re, im of VV, HH, VH, HV. */
  amplitudes: Float64Array
  private throughPower = new Float64Array(0)
  private transmissions = new Uint8Array(0)
  private parents = new Int32Array(0)
  private kinds = new Uint8Array(0)
  /** E_r then E_t per path and wavenumber: of transmitted V re x y z, im x y z, then of H. */
  private fields = new Float64Array(0)
  private used = 0
  private rowCount = 0
  /** Paths by the path before, how it goes on, and facet. */
  private readonly children = new Map<number, number>()
  /** Rows by path and sight; -1: nothing is radiated. */
  private readonly rows = new Map<number, number>()
  private readonly sights: SightFields
  private readonly frequencies: Float64Array
  private readonly coefficients = new Float64Array(8)

  /**
   * @param d  direction of incidence, unit
   * @param paths  that there is room for at first
   */
  constructor(
    private readonly scene: RayScene,
    readonly materials: SceneMaterials,
    private readonly aspect: Aspect,
    private readonly d: ArrayLike<number>,
    private readonly k: Float64Array,
    private readonly options: SbrOptions,
    paths = 256,
  ) {
    this.frequencies = k.map((x) => (x * C0) / (2 * Math.PI))
    this.enlarge(paths)
    this.amplitudes = new Float64Array(paths * 8 * k.length)
    this.sights = new SightFields(scene, materials, aspect.rx, this.frequencies)
    this.launch()
  }

  /** Forgets all paths and rows where there are too many: between tiles, whose sums group contributions by row. */
  limit(): void {
    const { k, used, rowCount, sights } = this
    if ((24 * used + 8 * rowCount + 12 * sights.count) * k.length < MOST_NUMBERS) return
    this.used = this.rowCount = 0
    this.children.clear()
    this.rows.clear()
    sights.forget()
    this.launch()
  }

  /** Paths that there is room for. */
  get room(): number {
    return this.facet.length
  }

  /** The path that goes on from another by its reflected or transmitted wave to facet f; across the ground where f is on its other side. */
  child(path: number, kind: number, f: number): number {
    const { ground } = this.materials
    // Incident waves come from above.
    const below = path === LAUNCH ? 0 : ground?.below[this.facet[path]]
    if (!ground || ground.below[f] === below) return this.next(path, kind, f)
    return this.next(this.next(path, kind, this.scene.count), TRANSMITTED, f)
  }

  private next(path: number, kind: number, f: number): number {
    const key = (2 * path + kind) * (this.scene.count + 1) + f
    const known = this.children.get(key)
    if (known !== undefined) return known
    const grown = this.grow(path, kind, f)
    this.children.set(key, grown)
    return grown
  }

  /** The sight through a sheet's facet f and then others (0: none) to the receiver; see `row`. */
  sight(beyond: number, f: number): number {
    return this.sights.through(beyond, f)
  }

  /**
   * Row of `amplitudes` of the currents at the end of a path, seen through the sheets of a sight; -1 where nothing is radiated. The currents are the
   * jump of the total field across the facet, eta J = n x (H_i + H_r - H_t) and M = (E_i + E_r - E_t) x n. Before any reflection the part
   * of E_i - E_t radiates without regard to sheets: added up over the sheets behind each other it makes their forward scattering.
   */
  row(path: number, sight: number): number {
    const key = path * 2 ** 24 + sight
    const known = this.rows.get(key)
    if (known !== undefined) return known
    const row = this.radiate(path, sight) ? this.rowCount++ : -1
    this.rows.set(key, row)
    return row
  }

  /** Power of the reflected or the transmitted wave at the first wavenumber: of both polarisations the mean. */
  power(path: number, kind: number): number {
    const at = 24 * this.k.length * path + (kind === REFLECTED ? 0 : 12)
    let sum = 0
    for (let i = at; i < at + 12; i++) sum += this.fields[i] ** 2
    return sum / 2
  }

  /** e.E_t of transmitted V at the first wavenumber: re, im. */
  transmitted(path: number, e: ArrayLike<number>): [number, number] {
    const at = 24 * this.k.length * path + 12
    const along = (from: number): number =>
      e[0] * this.fields[from] + e[1] * this.fields[from + 1] + e[2] * this.fields[from + 2]
    return [along(at), along(at + 3)]
  }

  /** The path before the first hit. */
  private launch(): void {
    const { fields, d, hits, k, aspect } = this
    this.used = this.reflected[LAUNCH] = 1
    for (let c = 0; c < 3; c++) hits[HIT.reflected + c] = d[c]
    fields.fill(0, 0, 24 * k.length)
    for (let p = 0; p < k.length; p++) {
      fields.set(aspect.tx.thetaHat, 24 * p)
      fields.set(aspect.tx.phiHat, 24 * p + 6)
    }
  }

  private grow(parent: number, kind: number, f: number): number {
    const path = this.used++
    if (path === this.facet.length) this.enlarge(2 * path)
    const { hits, bounces, transmissions } = this
    this.facet[path] = f
    this.parents[path] = parent
    this.kinds[path] = kind
    bounces[path] = parent === LAUNCH ? 0 : bounces[parent] + (kind === REFLECTED ? 1 : 0)
    transmissions[path] = transmissions[parent] + (kind === TRANSMITTED ? 1 : 0)
    const at = HIT.size * path
    const { normals } = this.scene
    const from = HIT.size * parent + (kind === REFLECTED ? HIT.reflected : HIT.incidence)
    const nd =
      normals[4 * f] * hits[from] + normals[4 * f + 1] * hits[from + 1] + normals[4 * f + 2] * hits[from + 2]
    const side = nd > 0 ? -1 : 1
    for (let c = 0; c < 3; c++) {
      const n = side * normals[4 * f + c]
      hits[at + HIT.incidence + c] = hits[from + c]
      hits[at + HIT.normal + c] = n
      hits[at + HIT.reflected + c] = hits[from + c] - 2 * side * nd * n
    }
    hits[at + HIT.offset] = side * normals[4 * f + 3]
    hits[at + HIT.cosine] = side * nd
    this.split(path, side < 0)
    return path
  }

  /** Computes the reflected and the transmitted wave, and whether they go on. */
  private split(path: number, back: boolean): void {
    const { k, fields, hits, coefficients, frequencies } = this
    const { maxBounces } = this.options
    const at = HIT.size * path
    const c = -hits[at + HIT.cosine]
    const from = this.incidentAt(path)
    const to = 24 * k.length * path
    let reflected = 0
    let transmitted = 0
    for (let p = 0; p < k.length; p++) {
      facetCoefficients(this.materials, this.facet[path], frequencies[p], c, coefficients, back)
      for (let e = 0; e < 12; e += 6) {
        const r = to + 24 * p + e
        split(coefficients, hits, at, fields, from + 24 * p + e, r, r + 12)
      }
      reflected = Math.max(reflected, greatestPower(coefficients, 0))
      transmitted = Math.max(transmitted, greatestPower(coefficients, 4))
    }
    const before = this.kinds[path] === REFLECTED ? this.reflected : this.throughPower
    this.reflected[path] = reflected *= before[this.parents[path]]
    this.throughPower[path] = transmitted *= before[this.parents[path]]
    const last = this.bounces[path] + 1 >= maxBounces
    this.reflects[path] = !(reflected > LEAST_POWER) ? ENDS : last ? CUT_OFF : GOES_ON
    const follows = this.transmissions[path] < TRANSMISSIONS * maxBounces
    this.transmits[path] = follows && transmitted > LEAST_POWER ? 1 : 0
  }

  /** Place in `fields` of the wave that meets the last hit of a path. */
  private incidentAt(path: number): number {
    return 24 * this.k.length * this.parents[path] + (this.kinds[path] === REFLECTED ? 0 : 12)
  }

  /** Writes a row; false where it is zero. */
  private radiate(path: number, sight: number): boolean {
    const { k, fields, hits, sights } = this
    if (8 * k.length * (this.rowCount + 1) > this.amplitudes.length)
      this.amplitudes = longer(this.amplitudes, 2 * this.amplitudes.length)
    const { amplitudes } = this
    const unseen = sights.from(this.facet[path], this.bounces[path] === 0 ? CLEAR : sight)
    sight = sights.from(this.facet[path], sight)
    let any = false
    for (let p = 0; p < k.length; p++) {
      const incident = this.incidentAt(path) + 24 * p
      const reflected = 24 * (k.length * path + p)
      const to = 8 * (k.length * this.rowCount + p)
      for (let rx = 0; rx < 2; rx++) {
        sights.project(sight, p, rx, hits, HIT.size * path, REFLECTED, projectR)
        sights.project(unseen, p, rx, hits, HIT.size * path, TRANSMITTED, projectT)
        for (let tx = 0; tx < 2; tx++) {
          // VV HH VH HV, transmitted first.
          const channel = to + 2 * (tx === rx ? tx : 2 + tx)
          let re = 0
          let im = 0
          for (let c = 0; c < 3; c++) {
            const rRe = fields[reflected + 6 * tx + c]
            const rIm = fields[reflected + 6 * tx + 3 + c]
            re += projectR[c] * rRe - projectR[3 + c] * rIm
            im += projectR[c] * rIm + projectR[3 + c] * rRe
            const tRe = fields[incident + 6 * tx + c] - fields[reflected + 12 + 6 * tx + c]
            const tIm = fields[incident + 6 * tx + 3 + c] - fields[reflected + 12 + 6 * tx + 3 + c]
            re += projectT[c] * tRe - projectT[3 + c] * tIm
            im += projectT[c] * tIm + projectT[3 + c] * tRe
          }
          amplitudes[channel] = re
          amplitudes[channel + 1] = im
          if (re !== 0 || im !== 0) any = true
        }
      }
    }
    return any
  }

  private enlarge(paths: number): void {
    this.facet = longer(this.facet, paths)
    this.hits = longer(this.hits, paths * HIT.size)
    this.bounces = longer(this.bounces, paths)
    this.reflected = longer(this.reflected, paths)
    this.throughPower = longer(this.throughPower, paths)
    this.reflects = longer(this.reflects, paths)
    this.transmits = longer(this.transmits, paths)
    this.transmissions = longer(this.transmissions, paths)
    this.parents = longer(this.parents, paths)
    this.kinds = longer(this.kinds, paths)
    this.fields = longer(this.fields, paths * 24 * this.k.length)
  }
}

const projectR = new Float64Array(6)
const projectT = new Float64Array(6)
