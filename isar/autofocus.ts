import { InputError } from '../scene/index.js'
import { AspectImager, entropyOf } from './image.js'

/** Methods of autofocus, by name. */
export const AUTOFOCUS = ['entropy', 'gradient'] as const
/** One of the methods: minimum entropy, or phase-gradient autofocus. */
export type AutofocusName = (typeof AUTOFOCUS)[number]

/** Range profiles over aspect, as autofocus takes them. */
export interface AspectProfiles {
  /** [range][aspect], interleaved re, im. */
  profiles: Float64Array
  /**
   * Position u_n of each of the N aspects: a point at cross-range pixel x has the phase 2 pi x u_n, x = -X/2 ... X/2 - 1. Default
   * n / N, aspects uniformly spaced. Ascending or descending, over at most 1.
   */
  positions?: Float64Array
}

/** Phases found by autofocus. */
export interface Focus {
  /** Phase error of each aspect [rad], without its mean and its linear part, which move the image: take exp(-j phase) to the data. */
  phaseRad: Float64Array
  /** Entropy of the image's normalised power, -sum p ln p, before and after; lower is sharper. */
  entropy: [number, number]
  iterations: number
}

/** Range cells of most energy that count: the others add noise. */
const MOST_ROWS = 64
const MOST_ITERATIONS = 60
/** Steps that change less end the search [rad, rms]. */
const STILL = 2e-3

/**
 * Estimates the phase error of each aspect, common to all ranges, from the data alone.
 *
 * - `entropy`: minimum entropy. First the quadratic phase of least entropy, by search; then all phases at once by steps that maximise
 *   sum |z|^2 (ln |z|^2 + c) linearised about the present image z, a minorant of minus the entropy (T. J. Kragh, "Monotonic iterative
 *   algorithm for minimum-entropy autofocus", ASAP workshop, MIT Lincoln Laboratory, 2006).
 * - `gradient`: phase-gradient autofocus (D. E. Wahl, P. H. Eichel, D. C. Ghiglia, C. V. Jakowatz, IEEE Trans. AES 30, 1994): the brightest
 *   point of each range cell moved to the middle, windowed, and the phase step between aspects estimated over all cells.
 * @throws InputError for profiles that do not fit N aspects, or hold nothing
 */
export function autofocus(data: AspectProfiles, aspects: number, method: AutofocusName): Focus {
  const n = aspects
  const { profiles } = data
  const rows = profiles.length / (2 * n)
  if (!(Number.isInteger(rows) && rows > 0 && n >= 3))
    throw new InputError(`autofocus: ${profiles.length / 2} samples do not fit ${n} aspects, at least 3`)
  const positions = data.positions ?? Float64Array.from({ length: n }, (_, i) => i / n)
  if (positions.length !== n)
    throw new InputError(`autofocus: ${positions.length} positions for ${n} aspects`)
  const g = brightest(profiles, rows, n)
  if (!g.some((x) => x !== 0)) throw new InputError('autofocus: the profiles hold nothing')
  const image = new AspectImager(positions)
  const before = image.entropy(g, new Float64Array(n))
  const found = method === 'entropy' ? minimumEntropy(g, image) : phaseGradient(g, image)
  const phaseRad = withoutTrend(found.phase, positions)
  return { phaseRad, entropy: [before, image.entropy(g, phaseRad)], iterations: found.iterations }
}

/** The range cells of most energy. */
function brightest(profiles: Float64Array, rows: number, n: number): Float64Array {
  const energy = Array.from({ length: rows }, (_, r) => {
    let sum = 0
    for (let i = 2 * n * r; i < 2 * n * (r + 1); i++) sum += profiles[i] * profiles[i]
    return { r, sum }
  })
  energy.sort((a, b) => b.sum - a.sum)
  const kept = energy.slice(0, MOST_ROWS)
  const out = new Float64Array(2 * n * kept.length)
  kept.forEach(({ r }, k) => out.set(profiles.subarray(2 * n * r, 2 * n * (r + 1)), 2 * n * k))
  return out
}

function minimumEntropy(g: Float64Array, image: AspectImager): { phase: Float64Array; iterations: number } {
  let phase = bestQuadratic(g, image)
  let z = image.form(g, phase)
  let entropy = entropyOf(z)
  // Weight of the present image in a step: more of it makes steps shorter.
  let inertia = 0
  for (let iterations = 1; ; iterations++) {
    const next = entropyStep(g, image, z, inertia)
    const after = image.form(g, next)
    const lower = entropyOf(after)
    const change = rmsStep(phase, next)
    if (lower <= entropy) [phase, z, entropy] = [next, after, lower]
    else inertia = 2 * inertia + 1
    if (change < STILL || iterations === MOST_ITERATIONS || inertia > 100) return { phase, iterations }
  }
}

/** Phases that maximise the real part of sum weight conj(z) z', weight = ln |z|^2 over its mean, where positive, plus inertia. */
function entropyStep(g: Float64Array, image: AspectImager, z: Float64Array, inertia: number): Float64Array {
  const { n } = image

  let total = 0
  for (const x of z) total += x * x
  const mean = (2 * total) / z.length
  const weighted = new Float64Array(z.length)
  for (let i = 0; i < z.length; i += 2) {
    const p = z[i] * z[i] + z[i + 1] * z[i + 1]
    const weight = Math.max(0, Math.log(p / mean)) + inertia
    weighted[i] = p > 0 ? weight * z[i] : 0
    weighted[i + 1] = p > 0 ? weight * z[i + 1] : 0
  }
  const h = image.back(weighted)
  return Float64Array.from({ length: n }, (_, i) => {
    let [re, im] = [0, 0]
    for (let at = 2 * i; at < g.length; at += 2 * n) {
      re += g[at] * h[at] + g[at + 1] * h[at + 1]
      im += g[at + 1] * h[at] - g[at] * h[at + 1]
    }
    return Math.atan2(im, re)
  })
}

/** Phases at the ends of the aperture that the search begins with [rad], and how often their span is narrowed. */
const QUADRATIC = { most: 24 * Math.PI, steps: 48, rounds: 5 }

function bestQuadratic(g: Float64Array, image: AspectImager): Float64Array {
  const { n } = image
  const at = (end: number): Float64Array => Float64Array.from({ length: n }, (_, i) => end * ((2 * i) / (n - 1) - 1) ** 2) // prettier-ignore
  let [best, half] = [0, QUADRATIC.most]
  let lowest = Infinity
  for (let round = 0; round < QUADRATIC.rounds; round++) {
    const steps = round === 0 ? QUADRATIC.steps : 4
    const middle = best
    for (let k = -steps; k <= steps; k++) {
      const end = middle + (half * k) / steps
      const entropy = image.entropy(g, at(end))
      if (entropy < lowest) [lowest, best] = [entropy, end]
    }
    half /= steps
  }
  return at(best)
}

function phaseGradient(g: Float64Array, image: AspectImager): { phase: Float64Array; iterations: number } {
  const { n, x: size } = image
  let phase = new Float64Array(n)
  let width = size
  let entropy = Infinity
  let best = phase
  for (let iterations = 1; ; iterations++) {
    const z = image.form(g, phase)
    const now = entropyOf(z)
    if (now < entropy) [entropy, best] = [now, phase]
    const centred = new Float64Array(z.length)
    const power = new Float64Array(size)
    for (let at = 0; at < z.length; at += 2 * size) {
      let [peak, most] = [0, -1]
      for (let x = 0; x < size; x++) {
        const p = z[at + 2 * x] ** 2 + z[at + 2 * x + 1] ** 2
        if (p > most) [peak, most] = [x, p]
      }
      for (let x = 0; x < size; x++) {
        const from = at + 2 * ((x + peak - (size >> 1) + size) % size)
        power[x] += z[from] ** 2 + z[from + 1] ** 2
        if (Math.abs(x - (size >> 1)) > width / 2) continue
        centred[at + 2 * x] = z[from]
        centred[at + 2 * x + 1] = z[from + 1]
      }
    }
    const h = image.back(centred)
    const step = new Float64Array(n)
    for (let i = 1; i < n; i++) {
      let [re, im] = [0, 0]
      for (let at = 2 * i; at < h.length; at += 2 * n) {
        re += h[at - 2] * h[at] + h[at - 1] * h[at + 1]
        im += h[at - 2] * h[at + 1] - h[at - 1] * h[at]
      }
      step[i] = step[i - 1] + Math.atan2(im, re)
    }
    const correction = trendless(step)
    phase = phase.map((p, i) => p + correction[i])
    const rms = Math.sqrt(correction.reduce((sum, c) => sum + c * c, 0) / n)
    if (rms < STILL || iterations === MOST_ITERATIONS) {
      return { phase: image.entropy(g, phase) <= entropy ? phase : best, iterations }
    }
    width = Math.max(5, Math.min(0.8 * width, 3 * widthOf(power)))
  }
}

/** Width of the power about the middle, to 10 dB below it [pixels]. */
function widthOf(power: Float64Array): number {
  const middle = power.length >> 1
  let half = 0
  power.forEach((p, x) => {
    if (p > 0.1 * power[middle]) half = Math.max(half, Math.abs(x - middle))
  })
  return 2 * half + 1
}

const rmsStep = (a: Float64Array, b: Float64Array): number => {
  // Phases differ by whole turns and by one constant without effect.
  let [re, im] = [0, 0]
  for (let i = 0; i < a.length; i++) {
    re += Math.cos(b[i] - a[i])
    im += Math.sin(b[i] - a[i])
  }
  const mean = Math.atan2(im, re)
  let sum = 0
  for (let i = 0; i < a.length; i++) {
    const d = b[i] - a[i] - mean
    sum += Math.atan2(Math.sin(d), Math.cos(d)) ** 2
  }
  return Math.sqrt(sum / a.length)
}

/** Values less their straight line of least squares over the index. */
function trendless(values: Float64Array): Float64Array {
  return fitted(
    values,
    Float64Array.from(values, (_, i) => i),
  )
}

/** Phases unwrapped from aspect to aspect, less their straight line over the positions. */
function withoutTrend(phase: Float64Array, positions: Float64Array): Float64Array {
  const smooth = Float64Array.from(phase)
  for (let i = 1; i < phase.length; i++)
    smooth[i] -= 2 * Math.PI * Math.round((smooth[i] - smooth[i - 1]) / (2 * Math.PI))
  return fitted(smooth, positions)
}

function fitted(y: Float64Array, x: Float64Array): Float64Array {
  const n = x.length
  const mean = (v: Float64Array): number => v.reduce((a, b) => a + b, 0) / n
  const [mx, my] = [mean(x), mean(y)]
  let [xx, xy] = [0, 0]
  for (let i = 0; i < n; i++) {
    xx += (x[i] - mx) ** 2
    xy += (x[i] - mx) * (y[i] - my)
  }
  const slope = xx > 0 ? xy / xx : 0
  return y.map((v, i) => v - my - slope * (x[i] - mx))
}

/**
 * Similarity of two complex images (interleaved re, im) on the same pixels: the Pearson correlation coefficient of their
 * magnitudes, 1 for the same picture up to a factor. @throws InputError for images of different sizes.
 */
export function imageCorrelation(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length)
    throw new InputError(`images of ${a.length / 2} and ${b.length / 2} pixels cannot be compared`)
  const count = a.length / 2
  let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0]
  for (let i = 0; i < a.length; i += 2) {
    const x = Math.hypot(a[i], a[i + 1])
    const y = Math.hypot(b[i], b[i + 1])
    sumA += x
    sumB += y
    sumAA += x * x
    sumBB += y * y
    sumAB += x * y
  }
  return (
    (sumAB - (sumA * sumB) / count) /
    Math.sqrt((sumAA - (sumA * sumA) / count) * (sumBB - (sumB * sumB) / count))
  )
}
