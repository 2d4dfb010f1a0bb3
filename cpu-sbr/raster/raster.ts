import { gordonCoefficients, gordonSum, type SceneMaterials, sinc } from '../../rays/index.js'
import { RASTER_GRAZING, rasterAxes, type RasterImage, type RasterScene } from '../../rays/raster-scene.js'
import {
  type Aspect,
  type Band,
  cross,
  type Direction,
  dot,
  frequency,
  type Vec3,
  wavenumber,
} from '../../scene/index.js'
import { slab } from '../../scene/materials/slab.js'

/** A lit facet as it is drawn: corners counter-clockwise in pixels, heights towards the radar [m]. */
export interface Drawn {
  facet: number
  /** Normal, turned to the radar. */
  n: Vec3
  x: [number, number, number]
  y: [number, number, number]
  /** Height of corner 0, and the least and greatest of all. */
  h0: number
  low: number
  high: number
  /** Slope of the height per pixel along u and v [m]. */
  slope: [number, number]
  /** By which single precision may displace a height. */
  bias: number
}

/** Samples of a drawn facet, those that nothing nearer hides, and how many of its four probes are in front. */
interface Seen {
  samples: number
  visible: number
  probes: number
}

/**
 * The image of a target from one direction: the nearest height at every sample (docs/gpueco.md, "Visibility"; the kernels do
 * the same in single precision).
 */
export class Raster {
  readonly u: Vec3
  readonly v: Vec3
  readonly r: Vec3
  /** Size x size heights, -Infinity where the background shows. */
  readonly depth: Float64Array
  readonly drawn: Drawn[] = []

  constructor(
    readonly scene: RasterScene,
    readonly image: RasterImage,
    tx: Direction,
  ) {
    this.r = tx.r
    const { u, v } = rasterAxes(tx)
    this.u = u
    this.v = v
    this.depth = new Float64Array(image.size * image.size).fill(-Infinity)
    for (let t = 0; t < scene.count; t++) {
      const drawn = this.draw(t)
      if (drawn) this.drawn.push(drawn)
    }
    for (const d of this.drawn)
      eachSample(d, image.size, (i, j) => {
        const at = j * image.size + i
        this.depth[at] = Math.max(this.depth[at], height(d, i + 0.5, j + 0.5))
      })
  }

  /** Pixel coordinates and height [m] of a point. */
  project(x: number, y: number, z: number): Vec3 {
    const { u, v, r, image } = this
    return [
      (u[0] * x + u[1] * y + u[2] * z) / image.pixel + image.centre[0],
      (v[0] * x + v[1] * y + v[2] * z) / image.pixel + image.centre[1],
      r[0] * x + r[1] * y + r[2] * z,
    ]
  }

  private draw(facet: number): Drawn | null {
    const { scene, image, u, v, r } = this
    const { normals, vertices } = scene
    let n = Array.from(normals.subarray(4 * facet, 4 * facet + 3)) as Vec3
    let cosine = n[0] * r[0] + n[1] * r[1] + n[2] * r[2]
    if (scene.open[facet] && cosine < 0) {
      n = n.map((c) => -c) as Vec3
      cosine = -cosine
    }
    if (cosine <= RASTER_GRAZING) return null
    const at = 9 * facet
    const [p, q, s] = [0, 3, 6].map((i) =>
      this.project(vertices[at + i], vertices[at + i + 1], vertices[at + i + 2]),
    )
    const turned = (q[0] - p[0]) * (s[1] - p[1]) - (q[1] - p[1]) * (s[0] - p[0]) < 0
    const [b, c] = turned ? [s, q] : [q, s]
    const along = (axis: Vec3): number =>
      (-(n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2]) * image.pixel) / cosine
    const slope: [number, number] = [along(u), along(v)]
    return {
      facet,
      n,
      x: [p[0], b[0], c[0]],
      y: [p[1], b[1], c[1]],
      h0: p[2],
      low: Math.min(p[2], q[2], s[2]),
      high: Math.max(p[2], q[2], s[2]),
      slope,
      bias: image.rounding * (1 + (Math.abs(slope[0]) + Math.abs(slope[1])) / image.pixel),
    }
  }

  isVisible(d: Drawn, i: number, j: number): boolean {
    return height(d, i + 0.5, j + 0.5) >= this.depth[j * this.image.size + i] - d.bias
  }

  look(d: Drawn): Seen {
    let samples = 0
    let visible = 0
    eachSample(d, this.image.size, (i, j) => {
      samples++
      if (this.isVisible(d, i, j)) visible++
    })
    return { samples, visible, probes: samples > 0 ? 0 : this.probe(d) }
  }

  /** Of a facet between the samples: its centre and three points nearer to its corners. */
  private probe(d: Drawn): number {
    const { size, pixel } = this.image
    const slack = d.bias + 0.5 * (Math.abs(d.slope[0]) + Math.abs(d.slope[1])) + pixel
    let found = 0
    for (let p = 0; p < 4; p++) {
      const weights = [1, 2, 3].map((corner) => (p === 0 ? 1 / 3 : p === corner ? 0.5 : 0.25))
      const x = weights.reduce((sum, w, i) => sum + w * d.x[i], 0)
      const y = weights.reduce((sum, w, i) => sum + w * d.y[i], 0)
      if (height(d, x, y) >= this.depth[Math.floor(y) * size + Math.floor(x)] - slack) found++
    }
    return found
  }
}

/** Height of the facet's plane at a point of the image [m], kept to the facet's own heights. */
const height = (d: Drawn, x: number, y: number): number =>
  Math.min(d.high, Math.max(d.low, d.h0 + d.slope[0] * (x - d.x[0]) + d.slope[1] * (y - d.y[0])))

/** Calls back with the samples in the facet; every sample of a closed surface is in exactly one. */
export function eachSample(d: Drawn, size: number, visit: (i: number, j: number) => void): void {
  const { x, y } = d
  const first = (c: number[]): number => Math.max(0, Math.floor(Math.min(...c)) - 1)
  const end = (c: number[]): number => Math.min(size, Math.ceil(Math.max(...c)) + 1)
  const [i0, i1] = [first(x), end(x)]
  const j1 = end(y)
  const sides = [0, 1, 2].map((a) => side(x[a], y[a], x[(a + 1) % 3], y[(a + 1) % 3]))
  for (let j = first(y); j < j1; j++)
    for (let i = i0; i < i1; i++)
      if (leftOf(sides[0], i, j) && leftOf(sides[1], i, j) && leftOf(sides[2], i, j)) visit(i, j)
}

/** A side of a facet from its lesser to its greater end, the same for both facets at it. */
interface Side {
  x: number
  y: number
  dx: number
  dy: number
  turned: boolean
}

function side(px: number, py: number, qx: number, qy: number): Side {
  const turned = qx < px || (qx === px && qy < py)
  return turned
    ? { x: qx, y: qy, dx: px - qx, dy: py - qy, turned }
    : { x: px, y: py, dx: qx - px, dy: qy - py, turned }
}

function leftOf(s: Side, i: number, j: number): boolean {
  const e = s.dx * (j + 0.5 - s.y) - s.dy * (i + 0.5 - s.x)
  return s.turned ? e < 0 : e >= 0
}

const coefficients = new Float64Array(8)

/** Parts of what a facet radiates that do not depend on frequency, for each channel. */
interface Channel {
  /** Of -(eta J + M x s) . e for the incident wave alone: eta J = n x H_i, M = E_i x n. */
  incident: number
  /** The same for the three vectors that make the reflected wave: E_i, a n, a (n + c d). */
  reflected: [number, number, number]
}

/**
 * Radiated amplitudes of VV HH VH HV for the currents eta J = n x (H_i + H_r) and M = (E_i + E_r) x n on an opaque facet: of metal those of
 * `facetAmplitudes`. With a = n.E, c = -n.d and R of `slab` (exp(+jwt)), E_r = R_s E + a [2 R_p n - Q (n + c d)], Q = (R_p + R_s)/(1 - c^2), as
 * rays have it (docs/materials.md, "Rays").
 *
 * @param n     normal on the lit side
 * @param back  whether that is the back of the facet
 */
class MaterialAmplitudes {
  private readonly channels: Channel[]
  private readonly c: number

  constructor(
    { tx, rx }: Aspect,
    n: Vec3,
    private readonly material: SceneMaterials['list'][number],
    private readonly back: boolean,
  ) {
    const d = tx.r.map((x) => -x) as Vec3
    const c = Math.min(1, -dot(n, d))
    this.c = c
    const onwards = d.map((x, i) => x + 2 * c * n[i]) as Vec3
    /** Of a wave of field e along `along`, received as `to`. */
    const radiated = (e: Vec3, along: Vec3, to: Vec3): number =>
      -(dot(cross(n, cross(along, e)), to) + dot(cross(cross(e, n), rx.r), to))
    const channel = (e: Vec3, to: Vec3): Channel => {
      const a = dot(n, e)
      const parts = [e, n.map((x) => a * x) as Vec3, n.map((x, i) => a * (x + c * d[i])) as Vec3]
      return {
        incident: radiated(e, d, to),
        reflected: parts.map((part) => radiated(part, onwards, to)) as Channel['reflected'],
      }
    }
    this.channels = [
      channel(tx.thetaHat, rx.thetaHat),
      channel(tx.phiHat, rx.phiHat),
      channel(tx.thetaHat, rx.phiHat),
      channel(tx.phiHat, rx.thetaHat),
    ]
  }

  /** Writes re and im of the channels at a frequency into `out`. */
  at(frequencyHz: number, out: Float64Array): void {
    slab(this.material, frequencyHz, this.c, coefficients, this.back)
    const sineSqr = 1 - this.c * this.c
    // At normal incidence R_p = -R_s.
    const across = sineSqr < 1e-24 ? 0 : 1 / sineSqr
    this.channels.forEach(({ incident, reflected: [own, normal, plane] }, ch) => {
      for (let part = 0; part < 2; part++) {
        const [s, p] = [coefficients[part], coefficients[2 + part]]
        out[2 * ch + part] = (part === 0 ? incident : 0) + s * own + 2 * p * normal - (p + s) * across * plane
      }
    })
  }
}

/** Amplitudes of a facet of another material, re and im of VV HH VH HV. */
const complex = new Float64Array(8)

/** Radiated amplitudes A of VV HH VH HV for the current 2n x (d x E) on a facet (docs/theory.md, "5. Current" and "6. Radiated amplitude"). */
export function facetAmplitudes({ tx, rx }: Aspect, n: Vec3): [number, number, number, number] {
  const radiated = (e: Vec3, to: Vec3): number => {
    const [ne, nr] = [dot(n, e), dot(n, tx.r)]
    return 2 * (ne * dot(tx.r, to) - nr * dot(e, to))
  }
  return [
    radiated(tx.thetaHat, rx.thetaHat),
    radiated(tx.phiHat, rx.phiHat),
    radiated(tx.thetaHat, rx.phiHat),
    radiated(tx.phiHat, rx.thetaHat),
  ]
}

/**
 * Adds the physical-optics sums [m^2] of a facet to `sums`, 8 numbers per frequency (re, im of VV HH VH HV); true when anything of it
 * is seen. A facet seen whole is integrated exactly over its triangle. Of one seen in part the hidden samples are taken
 * away from that, or the visible ones summed, whichever are fewer; a sample stands for an equal share of the area.
 */
export function addFacet(
  raster: Raster,
  d: Drawn,
  seen: Seen,
  aspect: Aspect,
  band: Band,
  sums: Float64Array,
): boolean {
  const { samples, visible, probes } = seen
  if (samples > 0 ? visible === 0 : probes === 0) return false
  const { vertices } = raster.scene
  const corners = vertices.subarray(9 * d.facet, 9 * d.facet + 9)
  const centre = [0, 1, 2].map((a) => (corners[a] + corners[3 + a] + corners[6 + a]) / 3) as Vec3
  const w = aspect.rx.r.map((s, a) => s + aspect.tx.r[a]) as Vec3
  const path = dot(w, centre)
  const { materials } = raster.scene
  const material = materials?.of[d.facet] ? materials.list[materials.of[d.facet]] : null
  const outward = Array.from(raster.scene.normals.subarray(4 * d.facet, 4 * d.facet + 3)) as Vec3
  const made = material && new MaterialAmplitudes(aspect, d.n, material, dot(d.n, outward) < 0)
  const amplitudes = made ? null : facetAmplitudes(aspect, d.n)
  const whole = samples === 0 ? probes / 4 : 2 * visible >= samples ? 1 : 0
  const coefficients = new Float64Array(9)
  const relative = Float64Array.from(corners, (x, i) => x - centre[i % 3])
  gordonCoefficients(relative, 3, w, outward, coefficients, 0)
  const integral = new Float64Array(2)
  const parts = partSums(raster, d, seen, w, centre)
  for (let f = 0; f < band.n; f++) {
    const k = wavenumber(frequency(band, f))
    gordonSum(coefficients, 0, 3, k, integral)
    let re = whole * integral[0]
    let im = whole * integral[1]
    if (parts) {
      const [a, b] = parts(k)
      re += a
      im += b
    }
    const [c, s] = [Math.cos(k * path), Math.sin(k * path)]
    if (!amplitudes) {
      made!.at(frequency(band, f), complex)
      const [x, y] = [re * c - im * s, re * s + im * c]
      for (let ch = 0; ch < 8; ch += 2) {
        sums[8 * f + ch] += complex[ch] * x - complex[ch + 1] * y
        sums[8 * f + ch + 1] += complex[ch] * y + complex[ch + 1] * x
      }
      continue
    }
    for (let ch = 0; ch < 4; ch++) {
      sums[8 * f + 2 * ch] += amplitudes[ch] * (re * c - im * s)
      sums[8 * f + 2 * ch + 1] += amplitudes[ch] * (re * s + im * c)
    }
  }
  return true
}

/** Integral over the samples that a facet seen in part is missing (as a negative) or has, about its centre; null for one seen whole. */
function partSums(
  raster: Raster,
  d: Drawn,
  { samples, visible }: Seen,
  w: Vec3,
  centre: Vec3,
): ((k: number) => [number, number]) | null {
  if (visible === 0 || visible === samples) return null
  const { u, v, r, image } = raster
  const hidden = 2 * visible >= samples
  const step = (axis: Vec3, slope: number): number => image.pixel * dot(w, axis) + slope * dot(w, r)
  const [pu, pv] = [step(u, d.slope[0]), step(v, d.slope[1])]
  const [cx, cy] = raster.project(...centre)
  const offsets: number[] = []
  eachSample(d, image.size, (i, j) => {
    if (raster.isVisible(d, i, j) !== hidden) offsets.push(pu * (i + 0.5 - cx) + pv * (j + 0.5 - cy))
  })
  const [e, f, g] = [0, 3, 6].map((i) => raster.scene.vertices.subarray(9 * d.facet + i, 9 * d.facet + i + 3))
  const [a, b] = [f.map((x, i) => x - e[i]), g.map((x, i) => x - e[i])]
  const area = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) / 2
  return (k) => {
    const share = ((hidden ? -1 : 1) * area * sinc(0.5 * k * pu) * sinc(0.5 * k * pv)) / samples
    let re = 0
    let im = 0
    for (const x of offsets) {
      re += Math.cos(k * x)
      im += Math.sin(k * x)
    }
    return [share * re, share * im]
  }
}
