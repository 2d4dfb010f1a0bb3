import {
  highest,
  type ImageGridData,
  imageGrid,
  type Settings,
  type View,
  viewOf,
} from '../../plots/index.js'
import type { Channel } from '../../rays/index.js'
import { direction } from '../../scene/index.js'
import { facing } from '../cell.js'
import type { TargetData } from '../data.js'
import { projectImage } from '../image-on-target.js'
import type { SceneView } from '../scene-view.js'

/** Levels shown below the top [dB]. */
const DEPTH = 40
const COLOURS = 'inferno'

/** The image as a figure. */
export function liveImageView(name: string, image: ImageGridData, channel: Channel): View {
  const settings: Settings = { layer: channel, depth: DEPTH, top: null, colours: COLOURS, compare: 'own', polar: false, slider: 0 } // prettier-ignore
  return viewOf({ name, place: 'live', image }, null, 'image', settings)
}

/** Paints the facets that face the radar with the image. */
export function imageOnTarget(
  scene: SceneView,
  { positions, triangles }: TargetData,
  image: ImageGridData,
  channel: Channel,
): void {
  const { r } = direction(image.thetaDeg, image.phiDeg)
  const grid = imageGrid(image, channel)
  const high = highest(grid.levels)
  scene.mesh.setFlags('lit', (t) => facing(positions, triangles, t, r))
  projectImage(scene, image, grid, high - DEPTH, high, COLOURS)
  scene.mesh.colour('image')
  scene.scale.show({ low: high - DEPTH, high, unit: 'dBsm', colours: COLOURS })
  scene.draw()
}
