/** A double as the sum of two floats: [high, low], exact to about 48 bits. */
export function splitDouble(x: number): [number, number] {
  const high = Math.fround(x)
  return [high, Math.fround(x - high)]
}

/** Doubles as the sums of two floats each: all high parts, all low parts. */
export function splitDoubles(numbers: ArrayLike<number>): { high: number[]; low: number[] } {
  const pairs = Array.from(numbers, splitDouble)
  return { high: pairs.map(([high]) => high), low: pairs.map(([, low]) => low) }
}
