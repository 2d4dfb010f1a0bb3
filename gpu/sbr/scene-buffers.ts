import { enlargedCorners, facetGradients, facetPlanes, type RayScene } from '../../scene/index.js'
import { wideNodes, ropeNodes } from './node-layouts.js'

/** Facets grow by this part of the box diagonal on each side: a few times float32's error of a hit's position. */
const SINGLE_TOLERANCE = 5e-8
/** ... and at the most by this part more for launched rays (facet_test.wgsl), for which boxes leave room. */
const MOST_GROWTH = 4e-6
/** What boxes leave room for. */
export const WIDEST = SINGLE_TOLERANCE + MOST_GROWTH
/** A reflected ray starts this part of the box diagonal above the facet it leaves. */
export const SINGLE_OFFSET = 3e-7

/** `lists`: candidate lists, then the stack; `stack` and `ropes`: every ray from the root. All give the same bytes. */
export type Traversal = 'lists' | 'stack' | 'ropes'

export interface SceneBuffers {
  /** See node-layouts.ts. */
  nodes: GPUBuffer
  /** 12 floats per leaf slot: the corners of the enlarged facet. */
  corners: GPUBuffer
  /** 12 floats per leaf slot (facet_test.wgsl); then per slot facet and surface number. */
  slots: GPUBuffer
  /** 8 floats per facet: n and n.a, high parts then low parts of two-float numbers. */
  facets: GPUBuffer
}

export function uploadScene(device: GPUDevice, scene: RayScene, traversal: Traversal): SceneBuffers {
  const gradients = facetGradients(scene)
  const corners = enlargedCorners(scene, SINGLE_TOLERANCE, gradients)
  const outermost = enlargedCorners(scene, WIDEST, gradients)
  const padded = new Float32Array(12 * scene.count)
  for (let corner = 0; corner < 3 * scene.count; corner++)
    for (let a = 0; a < 3; a++) padded[4 * corner + a] = corners[3 * corner + a]
  const facets = new Float32Array(8 * scene.count)
  for (let t = 0; t < scene.count; t++)
    for (let a = 0; a < 4; a++) {
      const x = scene.normals[4 * t + a]
      facets[8 * t + a] = x
      facets[8 * t + 4 + a] = x - facets[8 * t + a]
    }
  return {
    nodes: upload(
      device,
      'nodes',
      traversal === 'ropes' ? ropeNodes(scene, outermost) : wideNodes(scene, outermost),
    ),
    corners: upload(device, 'corners', padded),
    slots: upload(device, 'slots', slotWords(scene, gradients, corners)),
    facets: upload(device, 'facets', facets),
  }
}

/** Planes and numbers of the facets, see `SceneBuffers.slots`. */
export function slotWords(
  scene: RayScene,
  gradients = facetGradients(scene),
  corners = enlargedCorners(scene, SINGLE_TOLERANCE, gradients),
): Float32Array {
  const slots = new Float32Array(12 * scene.count + 4 * Math.ceil(scene.count / 2))
  const words = new Uint32Array(slots.buffer)
  slots.set(facetPlanes(scene, SINGLE_TOLERANCE, gradients))
  for (let slot = 0; slot < scene.count; slot++) {
    words[12 * scene.count + 2 * slot] = scene.order[slot]
    words[12 * scene.count + 2 * slot + 1] = scene.surface[scene.order[slot]]
    for (let a = 0; a < 3; a++) slots[12 * slot + 4 * a + 3] = corners[9 * slot + a]
  }
  return slots
}

export function upload(device: GPUDevice, label: string, data: Float32Array): GPUBuffer {
  const buffer = device.createBuffer({
    label,
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  })
  // A plain copy: the queue does not take shared memory.
  device.queue.writeBuffer(buffer, 0, new Float32Array(data))
  return buffer
}
