/**
 * Grid on which partial sums are rounded before they are added: a power of two so fine (2^-50 of the bound) that it
 * never shows and so coarse that every addition is exact. Exact addition is associative, so a total has the same bytes
 * however its parts are shared out and in whatever order they come.
 *
 * @param bound  magnitude expected of the sum; sums up to 8 times as large are still exact (`withinGrid`)
 */
export function exactGrid(bound: number): number {
  return 2 ** (Math.ceil(Math.log2(bound)) - 50)
}

/** total += values rounded to the grid, exactly. */
export function addExactly(total: Float64Array, values: Float64Array, grid: number): void {
  for (let i = 0; i < values.length; i++) total[i] += Math.round(values[i] / grid) * grid
}

/** Values rounded to the grid: their sums are exact as they are. */
export function roundTo(values: Float64Array, grid: number): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i] / grid) * grid
}

/** Whether every number of a total is finite and small enough for the additions to have been exact. */
export const withinGrid = (total: Float64Array, grid: number): boolean =>
  total.every((x) => Math.abs(x) < 2 ** 53 * grid)
