/** Round tick values (1, 2 or 5 times a power of ten apart) inside [low, high], about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / Math.max(1, count)
  const decade = 10 ** Math.floor(Math.log10(raw))
  const step = decade * ([1, 2, 5, 10].find((m) => m * decade >= raw * (1 - 1e-9)) ?? 10)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step)
}

/** Labels of ticks with as many decimals as their spacing needs, and a true minus sign. */
export function tickLabels(values: number[]): string[] {
  const step = values.length > 1 ? values[1] - values[0] : 1
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return values.map((v) => (Math.abs(v) < step * 1e-9 ? 0 : v).toFixed(decimals).replace('-', '−'))
}
