import { enlargedCorners, type FlatScene } from '../../scene/index.js'
import { splitDouble } from '../two-float.js'
import { wideNodes } from './node-layouts.js'
import { type SceneBuffers, slotWords, type Traversal, upload, WIDEST } from './scene-buffers.js'

/** What the kernels of adaptive tubes bind; `slots` holds more than that of the other kernels (cells.wgsl). */
export interface AdaptiveBuffers extends SceneBuffers {
  /** Four-child nodes, whatever the rays' traversal. */
  boxes: GPUBuffer
  /** 16 floats per slot: the facet's centre as two-float numbers, two corners relative to it. */
  facetPoints: GPUBuffer
}

export function uploadAdaptive(
  device: GPUDevice,
  scene: FlatScene,
  buffers: SceneBuffers,
  traversal: Traversal,
): AdaptiveBuffers {
  return {
    ...buffers,
    boxes:
      traversal === 'ropes'
        ? upload(device, 'boxes', wideNodes(scene, enlargedCorners(scene, WIDEST)))
        : buffers.nodes,
    slots: upload(device, 'slots and solids', solidSlots(scene)),
    facetPoints: upload(device, 'facet points', facetPoints(scene)),
  }
}

/** What `uploadScene` puts into `slots`, then the facets as they are, with what cells.wgsl reads of their flats. */
function solidSlots(scene: FlatScene): Float32Array {
  const { count, order, vertices, flats } = scene
  const planes = slotWords(scene)
  const slots = new Float32Array(planes.length + 12 * count)
  const words = new Uint32Array(slots.buffer)
  words.set(new Uint32Array(planes.buffer))
  order.forEach((facet, slot) => {
    const at = planes.length + 12 * slot
    for (let i = 0; i < 9; i++) slots[at + 4 * Math.floor(i / 3) + (i % 3)] = vertices[9 * facet + i]
    words[at + 3] = flats.flat[facet]
    words[at + 7] = flats.curved[facet] + 2 * (flats.shell[facet] + 1)
    words[planes.length + 12 * facet + 11] = slot
  })
  return slots
}

function facetPoints({ count, order, vertices }: FlatScene): Float32Array {
  const points = new Float32Array(16 * count)
  order.forEach((facet, slot) => {
    const v = vertices.subarray(9 * facet, 9 * facet + 9)
    for (let a = 0; a < 3; a++) {
      const centre = (v[a] + v[3 + a] + v[6 + a]) / 3
      const [high, low] = splitDouble(centre)
      points[16 * slot + a] = high
      points[16 * slot + 4 + a] = low
      points[16 * slot + 8 + a] = v[a] - centre
      points[16 * slot + 12 + a] = v[3 + a] - centre
    }
  })
  return points
}
