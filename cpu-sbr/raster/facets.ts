import { gordonCoefficients, gordonSum, type SceneMaterials, sinc } from '../../rays/index.js'
import { type Aspect, type Band, cross, dot, frequency, type Vec3, wavenumber } from '../../scene/index.js'
import { slab } from '../../scene/materials/slab.js'
import { type Drawn, eachSample, type Raster, type Seen } from './raster.js'

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
