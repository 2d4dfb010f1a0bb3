import type { Box, Vec3 } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import { splitDouble, splitDoubles } from '../device.js'
import {
  ANTENNA,
  EXCITATION,
  FIXED_EXPONENT,
  MATERIAL,
  PROPAGATION_JOB,
  PROPAGATION_STEP,
  RECEIVER,
  RECEIVER_NODE,
} from './kernels.js'

/** An antenna as the kernels take it. */
export interface GpuAntenna {
  kind: 'isotropic' | 'dipole' | 'short-dipole' | 'table'
  axis: Vec3
  side: Vec3
  /** Of a table: points in theta (0 to pi) and phi (0 to 2 pi); g_theta re, im, g_phi re, im each, theta outermost. */
  table?: { thetas: number; phis: number; values: Float64Array }
}

/** What the kernels need of a scene of radio propagation; positions in the ray scene's coordinates [m]. */
export interface GpuPropagationScene {
  scene: RayScene
  /** Material of each facet, and its edges that are rims of the mesh (bit i: from corner i to the next). */
  facetMaterial: Uint32Array
  rims: Uint8Array
  transmitter: Vec3
  region: Box
  receivers: { points: Float64Array; nodes: Float32Array }
  excitations: { cyclesPerMetre: number; vertical: boolean; permittivity: ([number, number] | null)[] }[]
  transmitAntenna: GpuAntenna
  receiveAntenna: GpuAntenna
  maxReflections: number
  reception: 'exact' | 'spheres'
}

/** Rows of triangles j0 ... j1 - 1 of the lattices of faces `face` ... `face + faces - 1`, with the vertex rows j0 ... j1. */
export interface GpuBatch {
  face: number
  faces: number
  j0: number
  j1: number
}

const KINDS = ['isotropic', 'dipole', 'short-dipole', 'table']

/** The numbers of `excitations`: each excitation with its materials, then the two antennas, then their tables. */
export function packExcitations({ excitations, transmitAntenna, receiveAntenna }: GpuPropagationScene): {
  data: Float32Array<ArrayBuffer>
  materials: number
  tables: number
} {
  const materials = excitations[0].permittivity.length
  const rows: ArrayBuffer[] = []
  for (const { cyclesPerMetre, vertical, permittivity } of excitations) {
    rows.push(EXCITATION.pack({ cyclesPerMetre: splitDouble(cyclesPerMetre), vertical: vertical ? 1 : 0 }))
    for (const eps of permittivity)
      rows.push(MATERIAL.pack({ permittivity: eps ?? [0, 0], conductor: eps ? 0 : 1 }))
  }
  const tables = rows.length
  const antennas = [transmitAntenna, receiveAntenna]
  const antennaRows = ANTENNA.words / 4
  let start = tables + antennaRows * antennas.length
  for (const { kind, axis, side, table } of antennas) {
    const { thetas = 0, phis = 0, values } = table ?? {}
    rows.push(ANTENNA.pack({ axis, kind: KINDS.indexOf(kind), side, table: start, thetas, phis }))
    start += (values?.length ?? 0) / 4
  }
  const values = antennas.flatMap(({ table }) => [...(table?.values ?? [])])
  const numbers = rows.flatMap((row) => [...new Float32Array(row)])
  return { data: Float32Array.from([...numbers, ...values]), materials, tables }
}

/** The records RECEIVER. */
export function packPoints(
  { receivers: { points }, transmitter }: GpuPropagationScene,
  listed?: Uint8Array,
): Float32Array<ArrayBuffer> {
  const { at, words } = RECEIVER
  const count = points.length / 3
  const out = new Float32Array(words * count)
  const bits = new Uint32Array(out.buffer)
  for (let r = 0; r < count; r++) {
    let square = 0
    for (let a = 0; a < 3; a++) {
      const x = points[3 * r + a]
      out[words * r + at.position + a] = x
      out[words * r + at.positionLo + a] = x - out[words * r + at.position + a]
      square += (x - transmitter[a]) ** 2
    }
    bits[words * r + at.listed] = listed?.[r] ? 1 : 0
    out[words * r + at.distance] = Math.sqrt(square)
  }
  return out
}

export interface JobNumbers {
  lift: number
  capacity: number
  listedCapacity: number
  materials: number
  tables: number
}

/**
 * The uniform of a run.
 * @param faces  18 numbers per face: three corners, then the rows that give a direction's weights of them
 */
export function packPropagationJob(
  given: GpuPropagationScene,
  faces: Float64Array,
  numbers: JobNumbers,
): ArrayBuffer {
  const { scene, transmitter, region, receivers, excitations } = given
  const from = splitDoubles(transmitter)
  return PROPAGATION_JOB.pack({
    transmitter: from.high,
    transmitterLo: from.low,
    regionMin: region.min,
    regionMax: region.max,
    zero: 0,
    slots: scene.count,
    diagonal: scene.diagonal,
    receivers: receivers.points.length / 3,
    receiverNodes: receivers.nodes.length / RECEIVER_NODE.words,
    fixedExponent: FIXED_EXPONENT,
    excitations: excitations.length,
    ...numbers,
    faces: Array.from({ length: 20 }, (_, face) => {
      const rows = [0, 1, 2, 3, 4, 5].map((row) => {
        const at = 18 * face + 3 * row
        return splitDoubles(faces.subarray(at, at + 3))
      })
      return {
        corners: rows.slice(0, 3).map(({ high }) => high),
        weights: rows.slice(3).map(({ high }) => high),
        weightsLo: rows.slice(3).map(({ low }) => low),
      }
    }),
  })
}

/** Places of a batch in the buffer of rays: of a pair of rows (first with last, and so on inwards), of a face, of all. */
export function batchPlaces(
  n: number,
  { faces, j0, j1 }: GpuBatch,
): { pair: number; face: number; total: number } {
  const pair = 2 * (n + 1) - j0 - j1
  const face = pair * Math.ceil((j1 - j0 + 1) / 2)
  return { pair, face, total: faces * face }
}

/** The uniforms of the batches, DYNAMIC_STRIDE bytes apart. @param stride  rays that the buffer has room for */
export const packPropagationSteps = (batches: GpuBatch[], n: number, stride: number): ArrayBuffer =>
  PROPAGATION_STEP.packAll(
    batches.map((batch, number) => {
      const { pair, face, total } = batchPlaces(n, batch)
      const { j0, j1 } = batch
      return { n, j0, j1, width: pair, face: batch.face, places: face, total, batch: number, stride }
    }),
    DYNAMIC_STRIDE,
  )

/** All faces in batches of at most so many places (one row of triangles of a face at the least). */
export function cutBatches(n: number, most: number): GpuBatch[] {
  const batches: GpuBatch[] = []
  for (let j0 = 0; j0 < n;) {
    const fits = (faces: number, j1: number): boolean =>
      batchPlaces(n, { face: 0, faces, j0, j1 }).total <= most
    let faces = 20
    while (faces > 1 && !fits(faces, j0 + 1)) faces = Math.ceil(faces / 2)
    let j1 = j0 + 1
    while (j1 < n && fits(faces, j1 + 1)) j1++
    for (let face = 0; face < 20; face += faces)
      batches.push({ face, faces: Math.min(faces, 20 - face), j0, j1 })
    j0 = j1
  }
  return batches
}

/** A batch in two; null where it is one row of triangles of one face. */
export function halveBatch({ face, faces, j0, j1 }: GpuBatch): GpuBatch[] | null {
  const middle = (j0 + j1) >> 1
  const half = faces >> 1
  if (j1 - j0 > 1)
    return [
      { face, faces, j0, j1: middle },
      { face, faces, j0: middle, j1 },
    ]
  if (faces > 1)
    return [
      { face, faces: half, j0, j1 },
      { face: face + half, faces: faces - half, j0, j1 },
    ]
  return null
}
