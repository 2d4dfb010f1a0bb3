/** A double as the sum of two floats: [high, low], exact to about 48 bits. */
export function splitDouble(x: number): [number, number] {
  const high = Math.fround(x)
  return [high, Math.fround(x - high)]
}
