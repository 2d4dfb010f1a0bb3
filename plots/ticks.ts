/** The round step (1, 2 or 5 times a power of ten) that divides a span into at most about `count` parts. */
export function tickStep(span: number, count: number): number {
  const raw = span / Math.max(1, count)
  const decade = 10 ** Math.floor(Math.log10(raw))
  return decade * ([1, 2, 5, 10].find((m) => m * decade >= raw * (1 - 1e-9)) ?? 10)
}

const ANGLE_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 60, 90]

/** The same for angles in degrees: parts of a right angle. */
export const angleStep = (span: number, count: number): number =>
  ANGLE_STEPS.find((s) => span / s <= count) ?? 90

/** Multiples of a step inside [low, high]. */
export function multiples(step: number, low: number, high: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step)
}

/** Round tick values inside [low, high], about `count` of them. */
export const ticks = (low: number, high: number, count: number): number[] =>
  multiples(tickStep(high - low, count), low, high)

/** Labels of ticks with as many decimals as their spacing needs, and a true minus sign. */
export function tickLabels(values: number[]): string[] {
  const step = values.length > 1 ? values[1] - values[0] : 1
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return values.map((v) => (Math.abs(v) < step * 1e-9 ? 0 : v).toFixed(decimals).replace('-', '−'))
}
