import { decode, encode } from 'fast-png'

const MAX_COLOURS = 256

/**
 * The picture with its 256 most frequent colours, every other replaced by the nearest of them: a third of the size for
 * line drawings, whose rare colours are those of smoothed corners.
 */
export function indexedPng(png: Uint8Array): Uint8Array {
  const { width, height, data, channels } = decode(png)
  const key = (i: number): number =>
    (data[channels * i] << 16) | (data[channels * i + 1] << 8) | data[channels * i + 2]
  const counts = new Map<number, number>()
  for (let i = 0; i < width * height; i++) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1)
  const kept = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAX_COLOURS)
  const palette = kept.map(([k]) => [k >> 16, (k >> 8) & 255, k & 255])
  const index = new Map(kept.map(([k], i) => [k, i]))
  const indices = new Uint8Array(width * height)
  for (let i = 0; i < indices.length; i++) {
    const k = key(i)
    let found = index.get(k)
    if (found === undefined) {
      found = nearest(palette, [k >> 16, (k >> 8) & 255, k & 255])
      index.set(k, found)
    }
    indices[i] = found
  }
  return encode({ width, height, data: indices, depth: 8, channels: 1, palette })
}

function nearest(palette: number[][], colour: number[]): number {
  let best = 0
  let least = Infinity
  palette.forEach((p, i) => {
    const distance = p.reduce((sum, x, c) => sum + (x - colour[c]) ** 2, 0)
    if (distance < least) [best, least] = [i, distance]
  })
  return best
}
