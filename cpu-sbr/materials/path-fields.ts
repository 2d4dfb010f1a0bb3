import type { RayScene, SbrJob, SbrOptions, SceneMaterials } from '../../rays/index.js'
import { crossing } from '../../scene/ground/index.js'
import { type Aspect, C0, type Direction } from '../../scene/index.js'
import { greatestPower, slab } from '../../scene/materials/slab.js'
import { longer } from '../facet-lists.js'
import { layout } from '../records.js'

/** How a wave goes on from a hit. */
export const REFLECTED = 0
export const TRANSMITTED = 1
/** The path before the first hit: what goes on from it, as if reflected, is the incident wave. */
export const LAUNCH = 0

/** In the place of a transmitted wave: it is not wanted. */
const NONE = -1

/** A path's last hit. */
export const HIT = layout({
  incidence: ['vec3', 'd, direction of incidence, unit'],
  reflected: ['vec3', 'direction of the reflected wave, unit'],
  normal: ['vec3', 'n, unit normal on the side met'],
  offset: ['f64', 'of the plane: n.r = offset [m]'],
  cosine: ['f64', 'n.d, negative'],
})

/** The record of a hit. */
interface HitPlace {
  hits: Float64Array
  at: number
}

/**
 * From E at `from` of `fields` the reflected wave to `r` and the transmitted one to `t` (or NONE), at a hit; without the basis of
 * s and p, with a = n.E, c = -n.d and R, T of `slab`:
 *
 *     E_r = R_s E + a [2 R_p n - Q (n + c d)],  Q = (R_p + R_s) / (1 - c^2),     E_t = T_s E + a Q_t (n + c d),  Q_t = (T_p - T_s) / (1 - c^2)
 *
 * A perfect conductor's are E_r = 2n a - E and E_t = 0.
 */
function split(
  coefficients: Float64Array,
  { hits, at }: HitPlace,
  fields: Float64Array,
  from: number,
  r: number,
  t: number,
): void {
  const rsRe = coefficients[0]
  const rsIm = coefficients[1]
  const rpRe = coefficients[2]
  const rpIm = coefficients[3]
  const tsRe = coefficients[4]
  const tsIm = coefficients[5]
  const tpRe = coefficients[6]
  const tpIm = coefficients[7]
  const n = at + HIT.normal
  const d = at + HIT.incidence
  const c = -hits[at + HIT.cosine]
  const sineSqr = 1 - c * c
  // At normal incidence R_p = -R_s and T_p = T_s.
  const across = sineSqr < 1e-24 ? 0 : 1 / sineSqr
  const qRe = (rpRe + rsRe) * across
  const qIm = (rpIm + rsIm) * across
  const qtRe = (tpRe - tsRe) * across
  const qtIm = (tpIm - tsIm) * across
  const aRe = hits[n] * fields[from] + hits[n + 1] * fields[from + 1] + hits[n + 2] * fields[from + 2]
  const aIm = hits[n] * fields[from + 3] + hits[n + 1] * fields[from + 4] + hits[n + 2] * fields[from + 5]
  for (let i = 0; i < 3; i++) {
    const re = fields[from + i]
    const im = fields[from + 3 + i]
    const g = hits[n + i] + c * hits[d + i]
    const bRe = 2 * rpRe * hits[n + i] - qRe * g
    const bIm = 2 * rpIm * hits[n + i] - qIm * g
    fields[r + i] = rsRe * re - rsIm * im + aRe * bRe - aIm * bIm
    fields[r + 3 + i] = rsRe * im + rsIm * re + aRe * bIm + aIm * bRe
    if (t === NONE) continue
    fields[t + i] = tsRe * re - tsIm * im + g * (aRe * qtRe - aIm * qtIm)
    fields[t + 3 + i] = tsRe * im + tsIm * re + g * (aRe * qtIm + aIm * qtRe)
  }
}

const factors = new Float64Array(4)

/** As `slab`, for facet f of a scene; the plane of the ground, one more than the facets, lets waves through as `crossing` says. */
function facetCoefficients(
  { list, of, ground }: SceneMaterials,
  f: number,
  frequencyHz: number,
  c: number,
  out: Float64Array,
  back: boolean,
): void {
  if (f < of.length) return slab(list[of[f]], frequencyHz, c, out, back)
  crossing(ground!.ground, frequencyHz, c, factors)
  out.fill(0)
  out.set(factors, 4)
}

/** A sight through nothing. */
export const CLEAR = 0

/**
 * Polarisations of the receiver as they reach a current through sheets on the way, and across a ground: e_rx, transmitted by each of them like a wave
 * along s, from the receiver inwards (transmission is symmetric, by reciprocity). Exact for plane sheets.
 */
class SightFields {
  /** Sights so far. */
  count = 1
  /** e_rx per sight and frequency: of V re x y z, im x y z, then of H. */
  private fields: Float64Array
  private readonly known = new Map<number, number>()
  /** 1 for sights that begin, at the current's end, below a ground. */
  private readonly below: number[] = []
  private readonly coefficients = new Float64Array(8)
  private readonly hit = new Float64Array(HIT.size)
  private readonly reflected = new Float64Array(18)

  constructor(
    private readonly scene: RayScene,
    private readonly materials: SceneMaterials,
    private readonly rx: Direction,
    private readonly frequencies: Float64Array,
  ) {
    this.fields = new Float64Array(32 * 12 * frequencies.length)
    for (let p = 0; p < frequencies.length; p++) {
      this.fields.set(rx.thetaHat, 12 * p)
      this.fields.set(rx.phiHat, 12 * p + 6)
    }
    this.below[CLEAR] = rx.r[2] < 0 ? 1 : 0
  }

  forget(): void {
    this.count = 1
    this.known.clear()
  }

  /** A sight from facet f: across the ground where it would begin on the other side. */
  from(f: number, sight: number): number {
    const { ground } = this.materials
    if (!ground || ground.below[f] === this.below[sight]) return sight
    return this.next(sight, this.scene.count, ground.below[f])
  }

  /** The sight through facet f of a sheet, and then through those of `beyond`. */
  through(beyond: number, f: number): number {
    return this.next(this.from(f, beyond), f, this.materials.ground?.below[f] ?? 0)
  }

  private next(beyond: number, f: number, below: number): number {
    const key = beyond * (this.scene.count + 1) + f
    const known = this.known.get(key)
    if (known !== undefined) return known
    const sight = this.count++
    this.known.set(key, sight)
    this.below[sight] = below
    const size = 12 * this.frequencies.length
    if (size * this.count > this.fields.length) this.fields = longer(this.fields, 2 * this.fields.length)
    this.transmit(beyond, f, sight)
    return sight
  }

  private transmit(beyond: number, f: number, sight: number): void {
    const { fields, frequencies, hit, coefficients, reflected, rx } = this
    const { normals } = this.scene
    const { r: s } = rx
    const ns = normals[4 * f] * s[0] + normals[4 * f + 1] * s[1] + normals[4 * f + 2] * s[2]
    const side = ns > 0 ? -1 : 1
    for (let c = 0; c < 3; c++) {
      hit[HIT.incidence + c] = s[c]
      hit[HIT.normal + c] = side * normals[4 * f + c]
    }
    hit[HIT.cosine] = side * ns
    const place = { hits: hit, at: 0 }
    for (let p = 0; p < frequencies.length; p++) {
      facetCoefficients(this.materials, f, frequencies[p], -side * ns, coefficients, side < 0)
      for (let e = 0; e < 12; e += 6) {
        const from = 12 * (frequencies.length * beyond + p) + e
        reflected.set(fields.subarray(from, from + 6))
        split(coefficients, place, reflected, 0, 6, 12)
        fields.set(reflected.subarray(12), 12 * (frequencies.length * sight + p) + e)
      }
    }
  }

  /**
   * The vector, re x y z, im x y z, whose product with E_r (`kind` REFLECTED) or with E_i - E_t (TRANSMITTED) of a hit is what the receiver's
   * polarisation rx (0: V, 1: H) gets of its currents: -e.eta J - (s x e).M with eta J = d' (n.E) - (n.d') E and M = E x n for a wave
   * along d', counted negative where it leaves the other side, is
   *
   *     E . [ -(n.d) e - (e.d_r) n - n x (s x e) ]     of E_r,     E . [ (n.d) e - (e.d) n - n x (s x e) ]     of E_i - E_t
   */
  project(
    sight: number,
    p: number,
    rx: number,
    { hits, at }: HitPlace,
    kind: number,
    out: Float64Array,
  ): void {
    const { fields, frequencies } = this
    const { r: s } = this.rx
    const e = 12 * (frequencies.length * sight + p) + 6 * rx
    const d = at + (kind === REFLECTED ? HIT.reflected : HIT.incidence)
    const n = at + HIT.normal
    const cosine = kind === REFLECTED ? -hits[at + HIT.cosine] : hits[at + HIT.cosine]
    const ns = hits[n] * s[0] + hits[n + 1] * s[1] + hits[n + 2] * s[2]
    for (let part = 0; part < 6; part += 3) {
      const x = fields[e + part]
      const y = fields[e + part + 1]
      const z = fields[e + part + 2]
      const along = x * hits[d] + y * hits[d + 1] + z * hits[d + 2]
      const across = x * hits[n] + y * hits[n + 1] + z * hits[n + 2]
      // n x (s x e) = s (n.e) - e (n.s)
      out[part] = (cosine + ns) * x - along * hits[n] - across * s[0]
      out[part + 1] = (cosine + ns) * y - along * hits[n + 1] - across * s[1]
      out[part + 2] = (cosine + ns) * z - along * hits[n + 2] - across * s[2]
    }
  }
}

/** Intervals of the cosine between samples, as on the GPU (`powers` of branches.wgsl). */
const COSINES = 1024

const coefficients = new Float64Array(8)

/**
 * The greatest parts of its power that a facet reflects and transmits, over polarisations and frequencies: sampled over the cosine of the angle of
 * incidence as they are asked for, linear in between.
 */
class Powers {
  /** |R|^2 and |T|^2 by material, side and cosine; NaN where not asked for yet. */
  private readonly samples: Float64Array
  /** Of the last facet asked for. */
  reflected = NaN
  transmitted = NaN

  readonly frequencies: Float64Array

  /** @param k  wavenumbers [rad/m] */
  constructor(
    private readonly materials: SceneMaterials,
    k: Float64Array,
  ) {
    this.frequencies = k.map((x) => (x * C0) / (2 * Math.PI))
    this.samples = new Float64Array(4 * (materials.list.length + 1) * (COSINES + 1)).fill(NaN)
  }

  /** Sets both for facet f, the plane of the ground as the one after the last. @param back  seen from behind */
  find(f: number, back: boolean, c: number): void {
    const { list, of } = this.materials
    const x = Math.min(Math.max(c, 0), 1) * COSINES
    const first = Math.min(Math.floor(x), COSINES - 1)
    const side = 2 * (f < of.length ? of[f] : list.length) + (back ? 1 : 0)
    const [a, b] = [this.sample(side, first), this.sample(side, first + 1)]
    const { samples } = this
    const share = x - first
    this.reflected = samples[a] + share * (samples[b] - samples[a])
    this.transmitted = samples[a + 1] + share * (samples[b + 1] - samples[a + 1])
  }

  /** Place of a sample. */
  private sample(side: number, i: number): number {
    const { samples, frequencies, materials } = this
    const at = 2 * (side * (COSINES + 1) + i)
    if (!Number.isNaN(samples[at])) return at
    samples[at] = samples[at + 1] = 0
    const material = materials.list[side >> 1]
    for (const frequency of frequencies) {
      if (material) slab(material, frequency, i / COSINES, coefficients, side % 2 === 1)
      else {
        coefficients.fill(0)
        crossing(materials.ground!.ground, frequency, i / COSINES, coefficients.subarray(4))
      }
      samples[at] = Math.max(samples[at], greatestPower(coefficients, 0))
      samples[at + 1] = Math.max(samples[at + 1], greatestPower(coefficients, 4))
    }
    return at
  }
}

/** What becomes of the reflected wave: it is too weak, goes on, or would but for the bounce limit. */
export const [ENDS, GOES_ON, CUT_OFF] = [0, 1, 2]

/** Waves that can have at most this part of the incident power are not followed (50 dB). */
const LEAST_POWER = 1e-5
/** Nor, where a sheet splits a wave, the weaker part with at most so much (30 dB): no more than some thousand branches live (decision 007). */
const LEAST_BRANCH = 1e-3
/** Transmissions through sheets followed, per reflection. */
const TRANSMISSIONS = 2
/** Doubles of paths and rows kept before they are forgotten between tiles: 64 MB. */
const MOST_NUMBERS = 2 ** 23

/**
 * The fields along paths of hits, each of which goes on reflected or transmitted, at the wavenumbers k (P of them), and what
 * they radiate. All tubes along a path share them (facets are plane), so that they are computed once, and only where it or a path
 * that goes on from it radiates: most hits are not seen by the receiver.
 */
export class PathFields {
  /** Of the hit that ends each path. */
  facet = new Int32Array(0)
  hits = new Float64Array(0)
  /** Reflections before it. */
  bounces = new Uint8Array(0)
  /** Power of the reflected wave at the most, whatever the polarisation: products of the largest |R|^2 and |T|^2 of the wavenumbers (`Powers`). */
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
  /** 1 where the facet's back is met. */
  private backs = new Uint8Array(0)
  /** Place of a path's fields among those computed; -1: not yet. */
  private places = new Int32Array(0)
  /** E_r, then where waves pass through anything E_t, per place and wavenumber: of transmitted V re x y z, im x y z, then of H. */
  private fields: Float64Array
  /** Doubles of them. */
  private readonly size: number
  private used = 0
  private placed = 0
  private rowCount = 0
  /** Paths by the path before, how it goes on, and facet. */
  private readonly children = new Map<number, number>()
  /** Rows by path and sight; -1: nothing is radiated. */
  private readonly rows = new Map<number, number>()
  private sights: SightFields
  private readonly coefficients = new Float64Array(8)
  private readonly powers: Powers
  private aspect: Aspect
  private readonly options: SbrOptions

  /**
   * @param d       direction of incidence, unit
   * @param like    as large a one
   */
  constructor(
    private readonly scene: RayScene,
    readonly materials: SceneMaterials,
    job: Pick<SbrJob, 'aspect' | 'options'>,
    private d: ArrayLike<number>,
    private readonly k: Float64Array,
    like?: PathFields,
  ) {
    this.aspect = job.aspect
    this.options = job.options
    this.powers = new Powers(materials, k)
    this.size = materials.sheets || materials.ground ? 24 : 12
    this.enlarge(like?.facet.length ?? 256)
    const room = (found: number | undefined, each: number): Float64Array =>
      new Float64Array(k.length * (like && found ? Math.ceil(found / like.k.length) : 64 * each))
    this.fields = room(like?.fields.length, this.size)
    this.amplitudes = room(like?.amplitudes.length, 8)
    this.sights = new SightFields(scene, materials, job.aspect.rx, this.powers.frequencies)
    this.launch()
  }

  /** Begins another aspect in the same memory. */
  restart(aspect: Aspect, d: ArrayLike<number>): void {
    this.aspect = aspect
    this.d = d
    this.forget()
    this.sights = new SightFields(this.scene, this.materials, aspect.rx, this.powers.frequencies)
  }

  /** Forgets all paths and rows where there are too many: between tiles, whose sums group contributions by row. */
  limit(): void {
    const { k, used, placed, size, rowCount, sights } = this
    if ((size * placed + 8 * rowCount + 12 * sights.count) * k.length + HIT.size * used < MOST_NUMBERS) return
    sights.forget()
    this.forget()
  }

  private forget(): void {
    this.rowCount = 0
    this.children.clear()
    this.rows.clear()
    this.launch()
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
    const place = this.placeOf(path)
    if (kind === TRANSMITTED && this.size === 12) return 0
    const at = this.size * this.k.length * place + (kind === REFLECTED ? 0 : 12)
    let sum = 0
    for (let i = at; i < at + 12; i++) sum += this.fields[i] ** 2
    return sum / 2
  }

  /** e.E_t of transmitted V at the first wavenumber: re, im. */
  transmitted(path: number, e: ArrayLike<number>): [number, number] {
    const place = this.placeOf(path)
    if (this.size === 12) return [0, 0]
    const at = this.size * this.k.length * place + 12
    const along = (from: number): number =>
      e[0] * this.fields[from] + e[1] * this.fields[from + 1] + e[2] * this.fields[from + 2]
    return [along(at), along(at + 3)]
  }

  /** The path before the first hit. */
  private launch(): void {
    const { fields, d, hits, k, aspect, size } = this
    this.used = this.placed = this.reflected[LAUNCH] = 1
    this.places[LAUNCH] = 0
    for (let c = 0; c < 3; c++) hits[HIT.reflected + c] = d[c]
    fields.fill(0, 0, size * k.length)
    for (let p = 0; p < k.length; p++) {
      fields.set(aspect.tx.thetaHat, size * p)
      fields.set(aspect.tx.phiHat, size * p + 6)
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
    this.places[path] = -1
    this.backs[path] = side < 0 ? 1 : 0
    this.goOn(path)
    return path
  }

  /** Sets whether the reflected and the transmitted wave of a path go on. */
  private goOn(path: number): void {
    const { powers, hits } = this
    const { maxBounces } = this.options
    powers.find(this.facet[path], this.backs[path] === 1, -hits[HIT.size * path + HIT.cosine])
    const before = (this.kinds[path] === REFLECTED ? this.reflected : this.throughPower)[this.parents[path]]
    const reflected = (this.reflected[path] = powers.reflected * before)
    const transmitted = (this.throughPower[path] = powers.transmitted * before)
    const last = this.bounces[path] + 1 >= maxBounces
    const follows = this.transmissions[path] < TRANSMISSIONS * maxBounces
    const passes = follows && transmitted > LEAST_POWER
    const oneAlone = passes && reflected > LEAST_POWER && Math.min(reflected, transmitted) <= LEAST_BRANCH
    const returns = reflected > LEAST_POWER && !(oneAlone && reflected < transmitted)
    this.reflects[path] = !returns ? ENDS : last ? CUT_OFF : GOES_ON
    this.transmits[path] = passes && !(oneAlone && reflected >= transmitted) ? 1 : 0
  }

  /** Place of a path's fields, which are computed where they are not known. */
  private placeOf(path: number): number {
    if (this.places[path] >= 0) return this.places[path]
    const from = this.incidentAt(path)
    const { k, hits, coefficients, size } = this
    const place = (this.places[path] = this.placed++)
    const to = size * k.length * place
    if (to + size * k.length > this.fields.length) this.fields = longer(this.fields, 2 * this.fields.length)
    const { fields } = this
    const at = HIT.size * path
    const f = this.facet[path]
    const back = this.backs[path] === 1
    const hit = { hits, at }
    for (let p = 0; p < k.length; p++) {
      facetCoefficients(
        this.materials,
        f,
        this.powers.frequencies[p],
        -hits[at + HIT.cosine],
        coefficients,
        back,
      )
      for (let e = size * p; e < size * p + 12; e += 6)
        split(coefficients, hit, fields, from + e, to + e, size === 24 ? to + e + 12 : NONE)
    }
    return place
  }

  /** Place in `fields` of the wave that meets the last hit of a path. */
  private incidentAt(path: number): number {
    return (
      this.size * this.k.length * this.placeOf(this.parents[path]) + (this.kinds[path] === REFLECTED ? 0 : 12)
    )
  }

  /** Writes a row; false where it is zero. */
  private radiate(path: number, sight: number): boolean {
    const { k, hits, sights, size } = this
    const first = size * k.length * this.placeOf(path)
    const met = this.incidentAt(path)
    const { fields } = this
    if (8 * k.length * (this.rowCount + 1) > this.amplitudes.length)
      this.amplitudes = longer(this.amplitudes, 2 * this.amplitudes.length)
    const { amplitudes } = this
    const unseen = sights.from(this.facet[path], this.bounces[path] === 0 ? CLEAR : sight)
    sight = sights.from(this.facet[path], sight)
    const hit = { hits, at: HIT.size * path }
    let any = false
    for (let p = 0; p < k.length; p++) {
      const incident = met + size * p
      const reflected = first + size * p
      const to = 8 * (k.length * this.rowCount + p)
      for (let rx = 0; rx < 2; rx++) {
        sights.project(sight, p, rx, hit, REFLECTED, projectR)
        sights.project(unseen, p, rx, hit, TRANSMITTED, projectT)
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
            let tRe = fields[incident + 6 * tx + c]
            let tIm = fields[incident + 6 * tx + 3 + c]
            if (size === 24) {
              tRe -= fields[reflected + 12 + 6 * tx + c]
              tIm -= fields[reflected + 12 + 6 * tx + 3 + c]
            }
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
    this.backs = longer(this.backs, paths)
    this.places = longer(this.places, paths)
  }
}

const projectR = new Float64Array(6)
const projectT = new Float64Array(6)
