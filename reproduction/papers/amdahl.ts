/**
 * Amdahl's law T = T1 (1 - p + p / n) fitted to times (least squares in log T): the parallel part p and T1. The time of one lane
 * may be missing.
 */
export function amdahl(points: { n: number; time: number }[]): { p: number; one: number } {
  const offset = (p: number): number =>
    points.reduce((s, { n, time }) => s + Math.log(time / (1 - p + p / n)), 0) / points.length
  const misfit = (p: number): number =>
    points.reduce((s, { n, time }) => s + (Math.log(time / (1 - p + p / n)) - offset(p)) ** 2, 0)
  // In log(1 - p), for p from 0 to 1 - 1e-8.
  let [low, high] = [Math.log(1e-8), 0]
  const golden = (Math.sqrt(5) - 1) / 2
  for (let i = 0; i < 100; i++) {
    const [a, b] = [high - golden * (high - low), low + golden * (high - low)]
    if (misfit(1 - Math.exp(a)) < misfit(1 - Math.exp(b))) high = b
    else low = a
  }
  const p = 1 - Math.exp((low + high) / 2)
  return { p, one: Math.exp(offset(p)) }
}
