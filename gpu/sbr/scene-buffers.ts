import { facetPlanes, type RayScene } from '../../scene/index.js'
import { splitDouble } from '../two-float.js'

/** Facets grow by this part of the box diagonal on each side: a few times float32's error of a hit's position. */
const SINGLE_TOLERANCE = 5e-8
/** A reflected ray starts this part of the box diagonal above the facet it leaves. */
export const SINGLE_OFFSET = 3e-7

export interface SceneBuffers {
  nodes: GPUBuffer
  /** 16 floats per leaf slot: three planes (see `facetPlanes`), then facet and surface number. */
  slots: GPUBuffer
  /** 8 floats per facet: n and n.a, high parts then low parts of two-float numbers. */
  facets: GPUBuffer
}

export function uploadScene(device: GPUDevice, scene: RayScene): SceneBuffers {
  const planes = facetPlanes(scene, SINGLE_TOLERANCE)
  const slots = new Float32Array(16 * scene.count)
  const ids = new Uint32Array(slots.buffer)
  const facets = new Float32Array(8 * scene.count)
  for (let slot = 0; slot < scene.count; slot++) {
    slots.set(planes.subarray(12 * slot, 12 * slot + 12), 16 * slot)
    ids[16 * slot + 12] = scene.order[slot]
    ids[16 * slot + 13] = scene.surface[scene.order[slot]]
    for (let a = 0; a < 4; a++) {
      const [high, low] = splitDouble(scene.normals[4 * slot + a])
      facets[8 * slot + a] = high
      facets[8 * slot + 4 + a] = low
    }
  }
  return {
    nodes: upload(device, 'nodes', scene.nodes),
    slots: upload(device, 'slots', slots),
    facets: upload(device, 'facets', facets),
  }
}

function upload(device: GPUDevice, label: string, data: Float32Array): GPUBuffer {
  const buffer = device.createBuffer({
    label,
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  })
  // A plain copy: the queue does not take shared memory.
  device.queue.writeBuffer(buffer, 0, new Float32Array(data))
  return buffer
}
