import { type BandBasis, materialBasis } from '../../rays/material-basis.js'
import {
  enlargedCorners,
  facetGradients,
  facetPlanes,
  type RayScene,
  type SbrJob,
  type SceneMaterials,
} from '../../rays/index.js'
import { crossing } from '../../scene/ground/index.js'
import { C0, frequency, wavenumber } from '../../scene/index.js'
import { greatestPower, slab } from '../../scene/materials/slab.js'
import { upload } from '../device.js'
import { BRANCH_CONSTANTS, FACET_PLANE, ropeNodes, SLOT, wideNodes } from './layouts.js'

/** Facets grow by this part of the box diagonal on each side: a few times float32's error of a hit's position (decision 003). */
const SINGLE_TOLERANCE = 5e-8
/** ... and at the most by this part more for launched rays (facet_test.wgsl), for which boxes leave room. */
const MOST_GROWTH = 4e-6
/** What boxes leave room for. */
const WIDEST = SINGLE_TOLERANCE + MOST_GROWTH
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
function slotWords(
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

/** Intervals of the cosine of the angle of incidence between samples of the coefficients. */
export const MATERIAL_COSINES = 1024
/** Error of coefficients between nodes of the band. */
const TOLERANCE = 1e-6
/** Nodes of a band at the most. */
const MOST_NODES = 32
/** Bands whose tables are kept. */
const KEPT = 4

/** What the kernels of an aspect need to know of the target's materials. */
export interface MaterialTables {
  /** Nodes of the band. */
  nodes: number
  buffers: {
    /**
     * Number of each facet's material, with the bits SHEET, BELOW and METAL. With sheets then the greatest |R|^2 and |T|^2 over polarisations and nodes by
     * material, side (front, back) and cosine 0 ... 1.
     */
    materials: GPUBuffer
    /** R_s, R_p by material, side, node and cosine, and last T_s, T_p of a ground (`crossing`); with sheets then T_s, T_p. */
    coefficients: GPUBuffer
    /** By frequency and node: what amplitudes are interpolated with. */
    nodeWeights: GPUBuffer
  }
}

/** The tables of a target's materials, by band and bounces. */
export class MaterialStore {
  private readonly kept: { key: string; tables: MaterialTables }[] = []

  constructor(
    private readonly device: GPUDevice,
    scene: RayScene,
    private readonly materials: SceneMaterials,
  ) {
    if (scene.count !== materials.of.length) throw new RangeError('one material per facet')
  }

  take({ band, options }: SbrJob): MaterialTables {
    const key = [band.f0, band.df, band.n, options.maxBounces].join()
    const at = this.kept.findIndex((of) => of.key === key)
    const [found] = at < 0 ? [{ key, tables: this.make(band, options.maxBounces) }] : this.kept.splice(at, 1)
    this.kept.unshift(found)
    // What aspects in flight use lives until they are done.
    for (const { tables } of this.kept.splice(KEPT))
      for (const buffer of Object.values(tables.buffers)) buffer.destroy()
    return found.tables
  }

  private make(band: SbrJob['band'], bounces: number): MaterialTables {
    const { device, materials } = this
    const { list, of, isSheet, sheets, ground } = materials
    const { k, weights } = bandBasis(materials, band, bounces)
    const samples = MATERIAL_COSINES + 1
    const entries = (2 * list.length + (ground ? 1 : 0)) * samples
    const coefficients = new Float32Array(4 * entries * k.length * (sheets ? 2 : 1))
    const facets = new Float32Array(of.length + (sheets ? 2 * entries : 0))
    const words = new Uint32Array(facets.buffer)
    const { SHEET, BELOW, METAL } = BRANCH_CONSTANTS
    const bits = list.map(({ kind }, m) => (isSheet[m] ? SHEET : 0) | (kind === 'conductor' ? METAL : 0))
    of.forEach((m, f) => (words[f] = m | bits[m] | (ground?.below[f] ? BELOW : 0)))
    const out = new Float64Array(8)
    const powers = facets.subarray(of.length)
    for (let side = 0; side < 2 * list.length; side++)
      for (let p = 0; p < k.length; p++)
        for (let c = 0; c < samples; c++) {
          slab(list[side >> 1], (k[p] * C0) / (2 * Math.PI), c / MATERIAL_COSINES, out, side % 2 === 1)
          const at = 4 * ((side * k.length + p) * samples + c)
          coefficients.set(out.subarray(0, 4), at)
          if (!sheets) continue
          coefficients.set(out.subarray(4), 4 * entries * k.length + at)
          const to = 2 * (side * samples + c)
          powers[to] = Math.max(powers[to], greatestPower(out, 0))
          powers[to + 1] = Math.max(powers[to + 1], greatestPower(out, 4))
        }
    if (ground)
      for (let p = 0; p < k.length; p++)
        for (let c = 0; c < samples; c++) {
          crossing(ground.ground, (k[p] * C0) / (2 * Math.PI), c / MATERIAL_COSINES, out)
          coefficients.set(out.subarray(0, 4), 4 * ((2 * list.length * k.length + p) * samples + c))
        }
    return {
      nodes: k.length,
      buffers: {
        materials: upload(device, 'materials', facets),
        coefficients: upload(device, 'coefficients', coefficients),
        nodeWeights: upload(device, 'nodeWeights', Float32Array.from(weights)),
      },
    }
  }
}

/** What amplitudes are interpolated with, whose phases and shapes are taken at every frequency; the band's own where many nodes were needed. */
function bandBasis({ list, ground }: SceneMaterials, band: SbrJob['band'], bounces: number): BandBasis {
  const constant = (k: Float64Array): Float64Array[] => [new Float64Array(k.length).fill(1)]
  const most = Math.min(MOST_NODES, band.n - 1)
  const basis = materialBasis({ list, ground: ground?.ground }, band, bounces, constant, TOLERANCE, most)
  if (basis) return basis
  const k = Float64Array.from({ length: band.n }, (_, n) => wavenumber(frequency(band, n)))
  const weights = Float64Array.from({ length: band.n ** 2 }, (_, i) => (i % (band.n + 1) === 0 ? 1 : 0))
  return { k, weights }
}
