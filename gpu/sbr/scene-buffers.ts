import { enlargedCorners, facetGradients, facetPlanes, type RayScene } from '../../rays/index.js'
import { FACET_PLANE, SLOT } from './layouts.js'
import { wideNodes, ropeNodes } from './node-layouts.js'

/** Facets grow by this part of the box diagonal on each side: a few times float32's error of a hit's position (decision 003). */
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
  /** SLOT, by leaf slot; then per slot facet and surface number. */
  slots: GPUBuffer
  /** FACET_PLANE, by facet. */
  facets: GPUBuffer
}

export function uploadScene(device: GPUDevice, scene: RayScene, traversal: Traversal): SceneBuffers {
  const gradients = facetGradients(scene)
  const enlarged = enlargedCorners(scene, SINGLE_TOLERANCE, gradients)
  const outermost = enlargedCorners(scene, WIDEST, gradients)
  const corners = new Float32Array(12 * scene.count)
  for (let i = 0; i < 3 * scene.count; i++) {
    corners[4 * i] = enlarged[3 * i]
    corners[4 * i + 1] = enlarged[3 * i + 1]
    corners[4 * i + 2] = enlarged[3 * i + 2]
  }
  const nodes = traversal === 'ropes' ? ropeNodes(scene, outermost) : wideNodes(scene, outermost)
  return {
    nodes: upload(device, 'nodes', nodes),
    corners: upload(device, 'corners', corners),
    slots: upload(device, 'slots', slotWords(scene, gradients, enlarged)),
    facets: upload(device, 'facets', facetPlaneWords(scene.normals)),
  }
}

/**
 * The records FACET_PLANE.
 * @param normals  4 numbers a facet: n, n.a
 * @param order    numbers of the facets, where they do not stand in their own order
 */
export function facetPlaneWords(normals: Float64Array, order?: Uint32Array): Float32Array<ArrayBuffer> {
  const { at, words } = FACET_PLANE
  const count = normals.length / 4
  const out = new Float32Array(words * count)
  for (let i = 0; i < count; i++) {
    const from = 4 * (order ? order[i] : i)
    for (let a = 0; a < 4; a++) {
      const high = words * i + (a < 3 ? at.normal + a : at.offset)
      const low = words * i + (a < 3 ? at.normalLo + a : at.offsetLo)
      out[high] = normals[from + a]
      out[low] = normals[from + a] - out[high]
    }
  }
  return out
}

/** Planes and numbers of the facets, see `SceneBuffers.slots`. */
export function slotWords(
  scene: RayScene,
  gradients = facetGradients(scene),
  corners = enlargedCorners(scene, SINGLE_TOLERANCE, gradients),
): Float32Array<ArrayBuffer> {
  const { count, order, surface } = scene
  const numbers = SLOT.words * count
  const slots = new Float32Array(numbers + 4 * Math.ceil(count / 2))
  const words = new Uint32Array(slots.buffer)
  slots.set(facetPlanes(scene, SINGLE_TOLERANCE, gradients))
  for (let slot = 0; slot < count; slot++) {
    words[numbers + 2 * slot] = order[slot]
    words[numbers + 2 * slot + 1] = surface[order[slot]]
    slots[SLOT.words * slot + SLOT.at.cornerX] = corners[9 * slot]
    slots[SLOT.words * slot + SLOT.at.cornerY] = corners[9 * slot + 1]
    slots[SLOT.words * slot + SLOT.at.cornerZ] = corners[9 * slot + 2]
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
