import { DataTexture, LinearFilter, RGBAFormat } from 'three'
import { type Colours, type Grid, type ImageGridData, raster } from '../figures/index.js'
import { cellAt, projected } from './cell.js'
import type { SceneView } from './scene-view.js'

/**
 * Projects an image onto the target along the normal of its plane, the direction that the radar does not resolve.
 * @param grid,low,high  its levels and the scale that they are drawn with
 */
export function projectImage(
  scene: SceneView,
  image: ImageGridData,
  { x, y, levels }: Grid,
  low: number,
  high: number,
  colours: Colours,
): void {
  const cell = cellAt(image, 0, 0)
  const [dx, dy] = [x[1] - x[0], y[1] - y[0]]
  scene.mesh.setPictureCoordinates((corner, at) => {
    const [c, r] = projected(corner, at, cell)
    return [(c - x[0] + dx / 2) / (dx * x.length), (r - y[0] + dy / 2) / (dy * y.length)]
  })
  const pixels = raster(levels, x.length, low, high, colours)
  const texture = new DataTexture(new Uint8Array(pixels.buffer), x.length, y.length, RGBAFormat)
  texture.flipY = true
  texture.magFilter = LinearFilter
  texture.minFilter = LinearFilter
  texture.needsUpdate = true
  scene.mesh.setPicture(texture)
}
