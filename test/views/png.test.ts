import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { opaquePng } from '../../views/figures/svg.js'
import { random } from '../helpers/random.js'

describe('opaquePng', () => {
  it('keeps red, green and blue of every pixel, whatever filters its rows have', async () => {
    const [width, height] = [37, 21]
    const uniform = random(5)
    // Noise, a row above repeated, a pixel before repeated, and a slope in both directions.
    const pixels = new Uint8Array(4 * width * height)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        for (let c = 0; c < 4; c++) {
          const at = 4 * (y * width + x) + c
          const kind = y % 4
          pixels[at] =
            kind === 1
              ? pixels[at - 4 * width]
              : kind === 2
                ? 40 * c
                : kind === 3
                  ? 9 * x + 17 * y
                  : 256 * uniform()
        }
    const read = decode(await opaquePng(pixels, width))
    expect(read).toMatchObject({ width, height, channels: 3, depth: 8 })
    expect(Array.from(read.data)).toEqual(Array.from(pixels.filter((_, i) => i % 4 < 3)))
  })

  it('has rows of a slope in a hundredth of their bytes', async () => {
    const width = 400
    const pixels = Uint8Array.from({ length: 4 * width * width }, (_, i) => (i >> 2) % width + Math.floor(i / 4 / width)) // prettier-ignore
    expect((await opaquePng(pixels, width)).length).toBeLessThan((3 * width * width) / 100)
  })
})
