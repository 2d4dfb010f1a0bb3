/**
 * Quantum to which partial sums are rounded before they are added: a power of two, fine enough (2^-50 of the bound) to be
 * negligible and coarse enough that every addition is exact. Exact addition is associative, so a total has the same bytes
 * whatever the division into parts and their order.
 *
 * @param bound  magnitude expected of the sum; sums up to 8 times as large are still exact (`staysExact`)
 */
export function exactQuantum(bound: number): number {
  return 2 ** (Math.ceil(Math.log2(bound)) - 50)
}

/** total += values rounded to multiples of the quantum, exactly. */
export function addExactly(total: Float64Array, values: Float64Array, quantum: number): void {
  for (let i = 0; i < values.length; i++) total[i] += Math.round(values[i] / quantum) * quantum
}

/** Rounds values to multiples of the quantum: their sums are then exact. */
export function roundTo(values: Float64Array, quantum: number): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i] / quantum) * quantum
}

/** Whether every number of a total is finite and small enough for the additions to have been exact. */
export const staysExact = (total: Float64Array, quantum: number): boolean =>
  total.every((x) => Math.abs(x) < 2 ** 53 * quantum)
