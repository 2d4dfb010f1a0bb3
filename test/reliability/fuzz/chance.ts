/** Uniform numbers in [0, 1). */
export type Next = () => number

/** A whole number from 0 to n - 1. */
export const below = (next: Next, n: number): number => Math.floor(next() * n)

export const pick = <T>(next: Next, list: readonly T[]): T => list[below(next, list.length)]

/** `value` through one to `most` of the changes, drawn anew each time. */
export function several<T>(next: Next, most: number, value: T, changes: readonly ((value: T) => T)[]): T {
  for (let i = 1 + below(next, most); i > 0; i--) value = pick(next, changes)(value)
  return value
}
