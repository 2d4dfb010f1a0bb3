import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { convertIndexedToRgb, decode } from 'fast-png'
import { expect } from 'vitest'
import { indexedPng } from '../../src/validate/report.js'

/** A colour that differs by more than this on any channel (of 255) counts. */
const APART = 40
/** Part of the pixels that may. */
const MOST = 0.01

/**
 * Compares a screenshot with the one kept under test/views/viewer/golden. ISAR_GOLDEN=1 keeps it instead: look at it then.
 */
export function expectGolden(name: string, png: Uint8Array): void {
  const file = resolve('test/views/viewer/golden', `${name}.png`)
  if (process.env.ISAR_GOLDEN) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, indexedPng(png))
    return
  }
  expect(existsSync(file), `${file} is missing`).toBe(true)
  const [now, then] = [pixelsOf(png), pixelsOf(readFileSync(file))]
  expect([now.width, now.height]).toEqual([then.width, then.height])
  const pixels = now.width * now.height
  let apart = 0
  for (let i = 0; i < pixels; i++)
    if (
      [0, 1, 2].some(
        (c) => Math.abs(now.data[now.channels * i + c] - then.data[then.channels * i + c]) > APART,
      )
    )
      apart++
  expect(apart / pixels, `part of the pixels of ${name} that differ`).toBeLessThan(MOST)
}

function pixelsOf(png: Uint8Array): {
  width: number
  height: number
  channels: number
  data: ArrayLike<number>
} {
  const image = decode(png)
  return image.palette
    ? { ...image, data: convertIndexedToRgb(image), channels: image.palette[0].length }
    : image
}
