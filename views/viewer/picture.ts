import type { Painter } from '../figures/index.js'

/** Pixels as the data URL of a picture, by the browser's encoder. */
export const pictureOf: Painter = (pixels, columns) => {
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = pixels.length / 4 / columns
  canvas.getContext('2d')!.putImageData(new ImageData(pixels, columns), 0, 0)
  return canvas.toDataURL()
}
