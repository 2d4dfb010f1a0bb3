import type { RayScene } from '../../rays/index.js'
import type { Box, Vec3 } from '../../scene/index.js'
import { splitDouble, splitDoubles } from '../device.js'
import type { KernelContract } from '../kernel.js'
import { array, DYNAMIC_STRIDE, struct, uniform, wordConstants } from '../layout.js'
import { FACET_PLANE, SLOT, SLOT_ROWS, WIDE_NODE } from '../sbr/layouts.js'

/** A face of the icosahedron: two-float vectors have their low parts in `...Lo`. */
const FACE = struct('Face', {
  corners: [array('vec3f', 3), ''],
  weights: [array('vec3f', 3), "rows that give a direction's weights of the corners"],
  weightsLo: [array('vec3f', 3), ''],
})

/** Constant over a run. */
const PROPAGATION_JOB = uniform('Job', {
  transmitter: ['vec3f', '[m]'],
  lift: ['f32', 'start of a reflected ray above its facet [m]'],
  transmitterLo: ['vec3f', ''],
  zero: ['u32', 'always 0: see two_float'],
  regionMin: ['vec3f', 'absorbing box [m]'],
  slots: ['u32', 'facets'],
  regionMax: ['vec3f', ''],
  diagonal: ['f32', "of the target's box [m]"],
  receivers: ['u32', ''],
  receiverNodes: ['u32', ''],
  capacity: ['u32', 'candidates'],
  listedCapacity: ['u32', 'paths of listed receivers'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent'],
  excitations: ['u32', ''],
  materials: ['u32', ''],
  tables: ['u32', 'start of the antennas in `excitations` [rows]'],
  faces: [array(FACE, 20), ''],
})

/** One batch of rays. */
export const PROPAGATION_STEP = uniform('Step', {
  n: ['u32', 'subdivision'],
  j0: ['u32', 'first row of triangles'],
  j1: ['u32', 'last row of vertices'],
  width: ['u32', 'places of a pair of rows: 2 (n + 1) - j0 - j1'],
  face: ['u32', 'first face'],
  places: ['u32', 'of one face'],
  total: ['u32', 'of all faces of the batch'],
  batch: ['u32', 'its number'],
  stride: ['u32', 'rays that the buffer has room for'],
})

const RECEIVER = struct('Receiver', {
  position: ['vec3f', '[m], high parts'],
  listed: ['u32', '1: its paths are listed'],
  positionLo: ['vec3f', 'low parts'],
  distance: ['f32', 'from the transmitter [m]'],
})

/** A node of the receivers' BVH, in depth-first order. */
export const RECEIVER_NODE = struct('ReceiverNode', {
  low: ['vec3f', 'corner of its box [m]'],
  next: ['u32', 'node that follows its subtree'],
  high: ['vec3f', ''],
  leaf: ['u32', 'first receiver << 4 | their number; 0: inner node'],
})

/** The rows of 16 bytes in `excitations`: of each excitation with its materials, then of the two antennas. */
export const EXCITATION = struct('Excitation', {
  cyclesPerMetre: ['vec2f', 'f/c [1/m], two-float'],
  vertical: ['f32', '1: transmits V'],
})
export const MATERIAL = struct('Material', {
  permittivity: ['vec2f', 'relative, complex'],
  conductor: ['f32', '1: perfect'],
})
export const ANTENNA = struct('Antenna', {
  axis: ['vec3f', 'unit vector'],
  kind: ['f32', '0 isotropic, 1 half-wave dipole, 2 short dipole, 3 table'],
  side: ['vec3f', 'unit vector across the axis, where phi = 0'],
  table: ['f32', 'its first row in `excitations`'],
  thetas: ['f32', 'rows of the table'],
  phis: ['f32', 'columns'],
})

/** What a batch's rays leave behind, word beside word of neighbouring rays. */
export const rayRecord = (maxReflections: number) =>
  struct('Ray', {
    reflections: ['u32', ''],
    met: [array('u32', maxReflections), 'slots'],
    segments: [array('f32', 2 * (maxReflections + 1)), 'their ends along the unfolded ray, from and to [m]'],
  })

/** Head of `candidates`; then candidates, then listed paths. */
export const CANDIDATES_HEAD = struct('CandidatesHead', {
  found: ['u32', 'candidates of the batch'],
  listed: ['u32', 'paths'],
})
export const CANDIDATE = struct('Candidate', {
  ray: ['u32', ''],
  receiver: ['u32', 'reflections << 24 | slot'],
})
export const LISTED = struct('Listed', {
  slot: ['u32', 'of the receiver'],
  reflections: ['u32', ''],
  direction: [array('f32', 3), 'unit vector away from the transmitter'],
})

/** Words of `counters` before those of the batches. */
const PROPAGATION_COUNTERS = struct('Counters', {
  notFinite: ['u32', ''],
  paths: ['u32', ''],
  candidates: ['u32', ''],
  escaped: ['u32', 'rays that slipped past a facet'],
  segments: [array('u32', 2), 'low, high word'],
})

/** What is summed per receiver and excitation, 64-bit integers (low, high word) times 2^-FIXED_EXPONENT; see `SUM` in propagation. */
export const PATH_SUMS = struct('PathSums', {
  field: [array('vec2u', 6), ''],
  transfer: [array('vec2u', 4), ''],
  power: [array('vec2u', 3), ''],
  arrival: [array('vec2u', 3), ''],
  departure: [array('vec2u', 3), ''],
  single: ['vec2u', ''],
  paths: ['vec2u', ''],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

export const PROPAGATION_STRUCTS = [
  PROPAGATION_JOB,
  PROPAGATION_STEP,
  SLOT,
  WIDE_NODE,
  FACET_PLANE,
  RECEIVER,
  RECEIVER_NODE,
  EXCITATION,
  MATERIAL,
  ANTENNA,
]

/** Constants that host and kernels share. */
export const propagationConstants = (maxReflections: number): Record<string, number> => ({
  ...wordConstants(rayRecord(maxReflections), 'RAY_'),
  ...wordConstants(CANDIDATES_HEAD, 'HEAD_'),
  ...wordConstants(CANDIDATE, 'CANDIDATE_'),
  ...wordConstants(LISTED, 'LISTED_'),
  ...wordConstants(PROPAGATION_COUNTERS),
  OVERFLOWS: PROPAGATION_COUNTERS.words,
  ...wordConstants(PATH_SUMS, 'SUM_'),
  SLOT_ROWS,
  ANTENNA_ROWS: ANTENNA.words / 4,
  MAX_REFLECTIONS: maxReflections,
})

/** The kernels of a batch of rays, in the order they run. */
export const PROPAGATION_KERNELS = {
  trace: {
    name: 'propagation_trace',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'facet_test',
      'bvh_nodes',
      'traversal',
      'propagation_cones',
      'slabs',
      'propagation_receivers',
      'propagation_trace',
    ],
    buffers: [
      read('nodes'),
      read('slots'),
      read('receiverNodes'),
      read('points'),
      write('rays'),
      write('candidates'),
      write('counters'),
    ],
  },
  spheres: {
    name: 'propagation_spheres',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'propagation_cones',
      'slabs',
      'propagation_receivers',
      'propagation_spheres',
    ],
    buffers: [read('facets'), read('receiverNodes'), read('points'), read('rays'), write('candidates')],
  },
  paths: {
    name: 'propagation_paths',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'facet_test',
      'bvh_nodes',
      'traversal',
      'two_float',
      'fixed_point',
      'phase',
      'propagation_cones',
      'propagation_antenna',
      'complex',
      'propagation_fresnel',
      'propagation_paths',
    ],
    buffers: [
      read('nodes'),
      read('slots'),
      read('facets'),
      read('points'),
      read('rays'),
      write('candidates'),
      read('excitations'),
      write('counters'),
    ],
  },
} satisfies Record<string, KernelContract>

/** Words of `counters` before those of the batches: nonzero where a batch's candidates were too many. */
export const HEADER = {
  ...PROPAGATION_COUNTERS.at,
  overflows: PROPAGATION_COUNTERS.words,
} as const
/** Numbers summed per receiver and excitation. */
export const SUMS = PATH_SUMS.words / 2
/** Sums are integers times 2^-FIXED_EXPONENT. */
export const FIXED_EXPONENT = 47

/** An antenna as the kernels take it. */
interface GpuAntenna {
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

interface JobNumbers {
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
