import { InputError } from '../scene/index.js'
import { AspectImager, entropyOf } from './image.js'

/** Methods of autofocus, by name. */
export const AUTOFOCUS = ['entropy', 'gradient', 'map-drift'] as const
/** One of the methods: minimum entropy, phase-gradient autofocus, or map drift. */
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
/** Aspects of a sub-aperture: time and memory grow with their square. Neighbours share half of them. */
const SUB_APERTURE = 1024
/** Mean phasor of the steps from aspect to aspect below which phases are not smooth, and cannot be unwrapped. */
const SMOOTH = 0.7

/**
 * Estimates the phase error of each aspect, common to all ranges, from the data alone.
 *
 * - `entropy`: minimum entropy. First the quadratic phase of least entropy, by search; then all phases at once by steps that maximise
 *   sum |z|^2 (ln |z|^2 + c) linearised about the present image z, a minorant of minus the entropy (T. J. Kragh, "Monotonic iterative
 *   algorithm for minimum-entropy autofocus", ASAP workshop, MIT Lincoln Laboratory, 2006).
 * - `gradient`: phase-gradient autofocus (D. E. Wahl, P. H. Eichel, D. C. Ghiglia, C. V. Jakowatz, IEEE Trans. AES 30, 1994): the brightest
 *   point of each range cell moved to the middle, windowed, and the phase step between aspects estimated over all cells.
 * - `map-drift`: shifts between the images of neighbouring parts of the aperture, 2 to 16 of them, are differences of the error's slope
 *   (W. G. Carrara, R. S. Goodman, R. M. Majewski, "Spotlight Synthetic Aperture Radar", 1995, section 6.3): smooth errors alone.
 *
 * More than 1,024 aspects are estimated in sub-apertures that share half of their aspects, and joined where they overlap.
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
  const before = new Float64Array(n)
  const { phase, iterations } = inSubApertures(g, positions, method)
  const phaseRad = withoutTrend(phase, positions, g)
  return {
    phaseRad,
    entropy: [wholeEntropy(g, positions, before), wholeEntropy(g, positions, phaseRad)],
    iterations,
  }
}

/** Entropy of the image of all aspects; of more than a sub-aperture the mean of those of its parts. */
function wholeEntropy(g: Float64Array, positions: Float64Array, phase: Float64Array): number {
  const parts = subApertures(positions.length)
  const sum = parts.reduce((total, [from, to]) => {
    const image = new AspectImager(partOf(positions, from, to).own)
    return total + image.entropy(columns(g, positions.length, from, to), phase.subarray(from, to))
  }, 0)
  return sum / parts.length
}

/** Ends of sub-apertures of so many aspects; each shares half with the next. */
function subApertures(n: number): [number, number][] {
  if (n <= SUB_APERTURE) return [[0, n]]
  const steps = Math.ceil((2 * (n - SUB_APERTURE)) / SUB_APERTURE)
  return Array.from({ length: steps + 1 }, (_, i) => {
    const from = Math.round((i * (n - SUB_APERTURE)) / steps)
    return [from, from + SUB_APERTURE]
  })
}

/** Positions of a part of the aperture in units of its own extent, so that pixels are its resolution cells. */
function partOf(positions: Float64Array, from: number, to: number): { own: Float64Array; extent: number } {
  const n = to - from
  if (n === positions.length) return { own: positions, extent: 1 }
  const extent = ((positions[to - 1] - positions[from]) * n) / (n - 1)
  return { own: Float64Array.from({ length: n }, (_, i) => (positions[from + i] - positions[from]) / extent), extent } // prettier-ignore
}

/** Aspects `from` ... `to - 1` of all rows. */
function columns(g: Float64Array, n: number, from: number, to: number): Float64Array {
  if (to - from === n) return g
  const rows = g.length / (2 * n)
  const out = new Float64Array(2 * rows * (to - from))
  for (let r = 0; r < rows; r++)
    out.set(g.subarray(2 * (r * n + from), 2 * (r * n + to)), 2 * r * (to - from))
  return out
}

function inSubApertures(
  g: Float64Array,
  positions: Float64Array,
  method: AutofocusName,
): { phase: Float64Array; iterations: number } {
  const n = positions.length
  const phase = new Float64Array(n)
  let [iterations, known] = [0, 0]
  for (const [from, to] of subApertures(n)) {
    const { own } = partOf(positions, from, to)
    const image = new AspectImager(own)
    const found = METHODS[method](columns(g, n, from, to), image)
    iterations = Math.max(iterations, found.iterations)
    // The straight line that each part leaves open is that of the parts before it, where they overlap.
    const overlap = known - from
    const line = overlap > 0 ? lineBetween(phase.subarray(from, known), found.phase, own) : [0, 0]
    for (let i = Math.max(0, overlap >> 1); i < to - from; i++)
      phase[from + i] = found.phase[i] + line[0] + line[1] * own[i]
    known = to
  }
  return { phase, iterations }
}

/** Offset and slope over the positions that bring phases b to phases a, of which there are fewer. */
function lineBetween(a: Float64Array, b: Float64Array, positions: Float64Array): [number, number] {
  const sums = (slope: number): [number, number] => {
    let [re, im] = [0, 0]
    for (let i = 0; i < a.length; i++) {
      const d = a[i] - b[i] - slope * positions[i]
      re += Math.cos(d)
      im += Math.sin(d)
    }
    return [re, im]
  }
  let [best, most] = [0, -1]
  const search = (middle: number, half: number, steps: number): void => {
    for (let k = -steps; k <= steps; k++) {
      const slope = middle + (half * k) / steps
      const level = Math.hypot(...sums(slope))
      if (level > most) [best, most] = [slope, level]
    }
  }
  const size = positions.length
  search(0, Math.PI * size, 2 * size)
  for (const half of [Math.PI, Math.PI / 8, Math.PI / 64]) search(best, half, 8)
  const [re, im] = sums(best)
  return [Math.atan2(im, re), best]
}

type Method = (g: Float64Array, image: AspectImager) => { phase: Float64Array; iterations: number }
const METHODS: Record<AutofocusName, Method> = {
  entropy: minimumEntropy,
  gradient: phaseGradient,
  'map-drift': mapDrift,
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

/** Parts of the aperture, from coarse to fine, and rounds with each. */
const DRIFT = { parts: [2, 3, 4, 6, 8, 12, 16], rounds: 4, least: 8 }

function mapDrift(g: Float64Array, image: AspectImager): { phase: Float64Array; iterations: number } {
  const { n, positions } = image
  let phase: Float64Array = new Float64Array(n)
  let entropy = image.entropy(g, phase)
  let iterations = 0
  for (const parts of DRIFT.parts.filter((k) => n >= DRIFT.least * k))
    for (let round = 0; round < DRIFT.rounds; round++) {
      const step = driftOf(g, phase, image, parts)
      const next = trendless(phase.map((p, i) => p + step[i]), positions) // prettier-ignore
      const after = image.entropy(g, next)
      iterations++
      if (!(after < entropy)) break
      ;[phase, entropy] = [next, after]
    }
  return { phase, iterations }
}

/** The phase whose slope changes from part to part of the aperture as their images are shifted to each other. */
function driftOf(g: Float64Array, phase: Float64Array, image: AspectImager, parts: number): Float64Array {
  const { n, positions, x: size } = image
  const edge = (k: number): number => Math.round((k * n) / parts)
  const powers = Array.from({ length: parts }, (_, k) => {
    const own = g.map((v, i) => {
      const at = (i >> 1) % n
      return at >= edge(k) && at < edge(k + 1) ? v : 0
    })
    const z = image.form(own, phase)
    return Float64Array.from({ length: z.length / 2 }, (_, i) => z[2 * i] ** 2 + z[2 * i + 1] ** 2)
  })
  // Slopes [cycles over the aperture] in the middles of the parts.
  const slopes = new Float64Array(parts)
  for (let k = 1; k < parts; k++)
    slopes[k] = slopes[k - 1] + shiftBetween(powers[k - 1], powers[k], size, size >> 2)
  const middles = Float64Array.from({ length: parts }, (_, k) => (positions[edge(k)] + positions[edge(k + 1) - 1]) / 2) // prettier-ignore
  const slopeAt = (u: number): number => {
    let k = 1
    while (k < parts - 1 && (u - middles[k]) * (middles[1] - middles[0]) > 0) k++
    return (
      slopes[k - 1] + ((slopes[k] - slopes[k - 1]) * (u - middles[k - 1])) / (middles[k] - middles[k - 1])
    )
  }
  const out = new Float64Array(n)
  for (let i = 1; i < n; i++)
    out[i] = out[i - 1] + 2 * Math.PI * slopeAt((positions[i] + positions[i - 1]) / 2) * (positions[i] - positions[i - 1]) // prettier-ignore
  return out
}

/** Shift of b against a [pixels], of most correlation over all rows; between pixels by a parabola. */
function shiftBetween(a: Float64Array, b: Float64Array, size: number, reach: number): number {
  const at = (shift: number): number => {
    let sum = 0
    for (let row = 0; row < a.length; row += size)
      for (let x = 0; x < size; x++) sum += a[row + x] * b[row + ((x + shift + size) % size)]
    return sum
  }
  const found = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => at(i - reach))
  let best = 1
  for (let i = 1; i < 2 * reach; i++) if (found[i] > found[best]) best = i
  const curve = found[best - 1] - 2 * found[best] + found[best + 1]
  return best - reach + (curve < 0 ? (0.5 * (found[best - 1] - found[best + 1])) / curve : 0)
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

/** Values less their straight line of least squares over the index, or over positions. */
const trendless = (
  values: Float64Array,
  over: Float64Array = Float64Array.from(values, (_, i) => i),
): Float64Array<ArrayBuffer> => fitted(values, over)

/**
 * Phases unwrapped from aspect to aspect, less their straight line over the positions. Phases that jump cannot be unwrapped, and leave
 * the image's place open: then the line brings the brightest pixel of all rows to the place that the rows are referred to.
 */
function withoutTrend(phase: Float64Array, positions: Float64Array, g: Float64Array): Float64Array {
  let [re, im] = [0, 0]
  for (let i = 1; i < phase.length; i++) {
    re += Math.cos(phase[i] - phase[i - 1])
    im += Math.sin(phase[i] - phase[i - 1])
  }
  if (Math.hypot(re, im) < SMOOTH * (phase.length - 1)) return towardsReference(phase, positions, g)
  const smooth = Float64Array.from(phase)
  for (let i = 1; i < phase.length; i++)
    smooth[i] -= 2 * Math.PI * Math.round((smooth[i] - smooth[i - 1]) / (2 * Math.PI))
  return fitted(smooth, positions)
}

function towardsReference(phase: Float64Array, positions: Float64Array, g: Float64Array): Float64Array {
  const n = phase.length
  const parts = subApertures(n)
  const [from, to] = parts[parts.length >> 1]
  const { own, extent } = partOf(positions, from, to)
  const image = new AspectImager(own)
  const z = image.form(columns(g, n, from, to), phase.subarray(from, to))
  const power = new Float64Array(image.x)
  for (let i = 0; i < z.length; i += 2) power[(i / 2) % image.x] += z[i] ** 2 + z[i + 1] ** 2
  let best = 0
  for (let x = 1; x < image.x; x++) if (power[x] > power[best]) best = x
  const cells = best - (image.x >> 1)
  return phase.map((p, i) => {
    const turned = p + (2 * Math.PI * cells * positions[i]) / extent
    return Math.atan2(Math.sin(turned), Math.cos(turned))
  })
}

function fitted(y: Float64Array, x: Float64Array): Float64Array<ArrayBuffer> {
  const n = x.length
  const mean = (v: Float64Array): number => v.reduce((a, b) => a + b, 0) / n
  const [mx, my] = [mean(x), mean(y)]
  let [xx, xy] = [0, 0]
  for (let i = 0; i < n; i++) {
    xx += (x[i] - mx) ** 2
    xy += (x[i] - mx) * (y[i] - my)
  }
  const slope = xx > 0 ? xy / xx : 0
  return Float64Array.from(y, (v, i) => v - my - slope * (x[i] - mx))
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
