import { decode, encode } from 'fast-png'

/** Steps a colour channel is rounded to: lines on white, smoothed at their edges, need few. */
const STEPS = [17, 36, 85]

/** The picture with at most 256 colours, a third of the size for line drawings. */
export function indexedPng(png: Uint8Array): Uint8Array {
  const { width, height, data, channels } = decode(png)
  for (const step of STEPS) {
    const colours = new Map<number, number>()
    const indices = new Uint8Array(width * height)
    let fits = true
    for (let i = 0; i < indices.length && fits; i++) {
      const [r, g, b] = [0, 1, 2].map((c) => Math.round(data[channels * i + c] / step) * step)
      const key = (r << 16) | (g << 8) | b
      let index = colours.get(key)
      if (index === undefined) {
        index = colours.size
        colours.set(key, index)
      }
      fits = index < 256
      indices[i] = index
    }
    if (!fits) continue
    const palette = [...colours.keys()].map((key) => [key >> 16, (key >> 8) & 255, key & 255])
    return encode({ width, height, data: indices, depth: 8, channels: 1, palette })
  }
  return png
}
