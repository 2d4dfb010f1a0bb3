/** A result against its reference: amplitude [m], error [m], and the two mean squares of the model error [m^2]. */
export interface Sample {
  amplitude: number
  error: number
  terms: [number, number]
}

const MOST_STEPS = 3000
/** The fit ends when a step changes no factor by more than this fraction. */
const SETTLED = 1e-6

/**
 * Factors w of the model error √(w · terms), for bars that cover a share of the results. Their ratio maximises the likelihood
 * for errors that are complex Gaussian with variance w · terms (multiplicative updates, as of the Itakura–Saito divergence: C. Févotte, N. Bertin and
 * J.-L. Durrieu, Neural Computation 21, 2009); their size is the share's quantile of |error|² / (w · terms). Curves have equal weight.
 */
export function fitFactors(curves: Sample[][], share: number): [number, number] {
  const samples = curves.flatMap((curve) => curve.map((s) => ({ ...s, weight: 1 / curve.length })))
  const w: [number, number] = [1, 1]
  for (let step = 0, settled = false; step < MOST_STEPS && !settled; step++) {
    const up = [0, 0]
    const down = [0, 0]
    for (const { error, terms, weight } of samples) {
      const variance = w[0] * terms[0] + w[1] * terms[1]
      for (const k of [0, 1]) {
        up[k] += (weight * terms[k] * error * error) / variance ** 2
        down[k] += (weight * terms[k]) / variance
      }
    }
    const ratio = [0, 1].map((k) => (down[k] > 0 ? up[k] / down[k] : 1))
    ratio.forEach((r, k) => (w[k] *= r))
    settled = ratio.every((r) => Math.abs(r - 1) < SETTLED)
  }
  const ratios = samples
    .map(({ error, terms, weight }) => ({ weight, ratio: error ** 2 / (w[0] * terms[0] + w[1] * terms[1]) }))
    .sort((a, b) => a.ratio - b.ratio)
  let left = share * curves.length
  const at = ratios.find(({ weight }) => (left -= weight) <= 1e-9) ?? ratios.at(-1)!
  return [w[0] * at.ratio, w[1] * at.ratio]
}

/** Share of a curve's results that lie within the bars, and the bars' median, as 20 log10(1 + bar / |F|). */
export function coverage(curve: Sample[], factors: [number, number]): { covered: number; barDb: number } {
  const bar = ({ terms }: Sample): number => Math.sqrt(factors[0] * terms[0] + factors[1] * terms[1])
  const decibels = curve.map((s) => 20 * Math.log10(1 + bar(s) / Math.max(s.amplitude, 1e-30)))
  return {
    covered: curve.filter((s) => s.error <= bar(s)).length / curve.length,
    barDb: decibels.sort((a, b) => a - b)[curve.length >> 1],
  }
}
