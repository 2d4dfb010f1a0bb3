import {
  edgeSamples,
  PIECE_SAMPLES,
  RASTER_GRAZING,
  rasterAxes,
  type RasterEdges,
  type RasterImage,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Aspect, type Band, C0, wavenumber } from '../../scene/index.js'
import { splitDouble, splitDoubles, upload } from '../device.js'
import type { Kernel, KernelContract } from '../kernel.js'
import { array, DYNAMIC_STRIDE, struct, uniform, wordConstants } from '../layout.js'

/** Constant over a batch of aspects. Two-float numbers are vec2f (high, low). */
export const GPUECO_JOB = uniform('Job', {
  cyclesPerMetre: ['vec2f', 'f0/c [1/m], two-float'],
  cyclesPerMetreStep: ['vec2f', 'df/c [1/m], two-float'],
  wavenumber: ['f32', 'k at f0 [rad/m]'],
  wavenumberStep: ['f32', 'dk from frequency to frequency [rad/m]'],
  pixel: ['f32', 'side of a pixel [m]'],
  rounding: ['f32', 'of depths [m]'],
  centre: ['vec2f', "pixel coordinates of the scene's origin"],
  zero: ['u32', 'always 0: see two_float'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent m^2'],
  frequencies: ['u32', 'of the band'],
  facets: ['u32', ''],
  works: ['u32', 'entries of the work list'],
  pieces: ['u32', 'pieces of edges'],
  size: ['u32', 'pixels along a side of the image'],
  tile: ['u32', 'pixels along a side of the tile that the depth buffer holds'],
  group: ['u32', 'facets that a workgroup of gpueco_fields sums'],
})

/** Changes from dispatch to dispatch. */
export const GPUECO_STEP = uniform('Step', {
  tileX: ['i32', 'first pixel of the tile'],
  tileY: ['i32', ''],
  aspect: ['u32', 'of the kernels that take one at a time'],
})

export const ASPECT = struct('Aspect', {
  r: ['vec3f', 'from the target to the transmitter'],
  u: ['vec3f', 'axes of the image, u x v = r'],
  v: ['vec3f', ''],
  w: ['vec3f', 's + r, the phase gradient per wavenumber: high parts'],
  wLo: ['vec3f', 'and low parts'],
  txV: ['vec3f', 'transmit theta-hat'],
  txH: ['vec3f', 'transmit phi-hat'],
  rxV: ['vec3f', 'receive theta-hat'],
  rxH: ['vec3f', 'receive phi-hat'],
  s: ['vec3f', 'from the target to the receiver'],
})

/** Of the three corners the coordinates, and relative to `point`, which single precision holds exactly. */
const FACET = struct('Facet', {
  corner0: ['vec3f', '[m]'],
  normalX: ['f32', 'outward unit normal'],
  corner1: ['vec3f', ''],
  normalY: ['f32', ''],
  corner2: ['vec3f', ''],
  normalZ: ['f32', ''],
  point: ['vec3f', 'of the facet [m]'],
  bothSides: ['u32', '1: both sides are lit'],
  relative0: ['vec3f', 'corner0 - point [m]'],
  entry: ['u32', 'its first entry in the work list'],
  relative1: ['vec3f', ''],
  entries: ['u32', 'their number'],
  relative2: ['vec3f', ''],
})

/** An entry of the work list: a facet, or some rows of a large one. */
const WORK = struct('Work', {
  facet: ['u32', 'its number | 2^31 where both sides are lit'],
  part: ['u32', 'part of the rows | parts << 16'],
})

/** An entry of the work list of a facet that is seen in part. */
export const PARTIAL = struct('Partial', {
  aspect: ['u32', ''],
  entry: ['u32', ''],
})

/** A face at an edge. */
const EDGE_FACE = struct('EdgeFace', {
  into: ['vec3f', 'unit vector into the face, across the edge'],
  out: ['vec3f', 'out of it'],
  along: ['vec3f', 'along the edge'],
})

const EDGE = struct('Edge', {
  start: ['vec3f', 'first end [m]'],
  spacing: ['f32', 'distance of samples [m]'],
  startLo: ['vec3f', 'low parts'],
  wedge: ['f32', 'N: exterior angle over pi'],
  tangent: ['vec3f', ''],
  samples: ['f32', 'their number'],
  faces: [array(EDGE_FACE, 2), ''],
})

/** Up to PIECE_SAMPLES samples of an edge. */
const PIECE = struct('Piece', {
  edge: ['u32', ''],
  first: ['u32', 'sample'],
})

/** Per facet and aspect. */
export const COUNTS = struct('Counts', {
  samples: ['u32', ''],
  visible: ['u32', 'samples'],
  probes: ['u32', 'visible ones'],
})

/** Words of the counter buffer, before those of each aspect. */
const GPUECO_COUNTERS = struct('Counters', {
  partialArgs: [array('u32', 3), 'x y z of the dispatch over the list of facets seen in part'],
  partials: ['u32', 'entries of that list'],
  notFinite: ['u32', 'nonzero: a sum was infinite, not a number or too large'],
})

/** What of an aspect is seen. */
const SEEN = struct('Seen', {
  facets: ['u32', ''],
  pieces: ['u32', ''],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })
const common = ['gpueco_job', 'two_float', 'path_cycles', 'phase'] as const

/** Workgroups along an axis of a dispatch. */
export const AXIS = 65535

export const GPUECO_STRUCTS = [GPUECO_JOB, GPUECO_STEP, ASPECT, FACET, WORK, PARTIAL, EDGE, PIECE]
/** Constants that host and kernels share. */
export const GPUECO_CONSTANTS = {
  ...wordConstants(GPUECO_COUNTERS),
  COUNTERS_HEAD: GPUECO_COUNTERS.words,
  ...wordConstants(SEEN, 'SEEN_'),
  ...wordConstants(COUNTS, 'COUNT_'),
  GRAZING: RASTER_GRAZING,
  PIECE_SAMPLES,
  AXIS,
}

/** Kernels of an aspect in the order they run: visibility of facets, then of edges, then the fields (docs/gpueco.md). */
export const GPUECO_KERNELS = {
  depth: {
    name: 'gpueco_depth',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'gpueco_depth'],
    buffers: [read('facets'), read('work'), read('aspects'), write('depth')],
  },
  visible: {
    name: 'gpueco_visible',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'gpueco_visible'],
    buffers: [read('facets'), read('work'), read('aspects'), read('depth'), write('counts')],
  },
  edges: {
    name: 'gpueco_edges',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_wedge', 'gpueco_edges'],
    buffers: [read('edges'), read('pieces'), read('aspects'), read('depth'), write('masks')],
  },
  fields: {
    name: 'gpueco_fields',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'polygon', 'fixed_point', 'gpueco_sum', 'gpueco_fields'],
    buffers: [
      read('facets'),
      read('aspects'),
      read('counts'),
      write('totals'),
      write('counters'),
      write('partial'),
    ],
  },
  pixels: {
    name: 'gpueco_pixels',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'fixed_point', 'gpueco_pixels'],
    buffers: [
      read('facets'),
      read('work'),
      read('aspects'),
      read('depth'),
      read('counts'),
      write('totals'),
      write('counters'),
      read('partial'),
    ],
  },
  edgeFields: {
    name: 'gpueco_edge_fields',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'fixed_point', 'gpueco_sum', 'gpueco_wedge', 'gpueco_edge_fields'],
    buffers: [
      read('edges'),
      read('pieces'),
      read('aspects'),
      read('masks'),
      write('totals'),
      write('counters'),
    ],
  },
} satisfies Record<string, KernelContract>

/** The same, compiled. */
export type GpuecoKernels = Record<keyof typeof GPUECO_KERNELS, Kernel>

/** Frequencies that a workgroup sums at the most. */
export const FREQUENCY_LANES = 64
/** Facets, and pieces of edges, that a workgroup sums at once. */
export const LANES = 64
/** Positions in the counter buffer: those of the batch, then, `head` words on, those of each aspect. */
export const COUNTERS = {
  ...GPUECO_COUNTERS.at,
  ...SEEN.at,
  head: GPUECO_COUNTERS.words,
  perAspect: SEEN.words,
} as const

/** Samples of a facet's box that one entry of the work list takes, about. */
const ENTRY_SAMPLES = 8192
const BOTH_SIDES = 0x80000000

/** The target as the kernels read it (gpueco_raster.wgsl, gpueco_fields.wgsl, gpueco_wedge.wgsl). */
export interface GpuecoBuffers {
  facets: GPUBuffer
  work: GPUBuffer
  works: number
  edges: GPUBuffer
  pieces: GPUBuffer
  pieceCount: number
}

export function uploadRaster(
  device: GPUDevice,
  scene: RasterScene,
  edges: RasterEdges | null,
  image: RasterImage,
): GpuecoBuffers {
  const work = workList(scene, image)
  const pieces = pieceList(edges, image)
  return {
    facets: upload(device, 'facets', packFacets(scene, work)),
    work: upload(device, 'work', work),
    works: work.length / 2,
    edges: upload(device, 'edges', packEdges(edges, image)),
    pieces: upload(device, 'pieces', pieces),
    pieceCount: edges ? pieces.length / 2 : 0,
  }
}

function packFacets({ count, vertices, normals, open }: RasterScene, work: Uint32Array): Float32Array {
  const { at } = FACET
  const out = new Float32Array(FACET.words * count)
  const words = new Uint32Array(out.buffer)
  const corners = [at.corner0, at.corner1, at.corner2]
  const relative = [at.relative0, at.relative1, at.relative2]
  const normal = [at.normalX, at.normalY, at.normalZ]
  for (let t = 0; t < count; t++) {
    const from = FACET.words * t
    const v = vertices.subarray(9 * t, 9 * t + 9)
    words[from + at.bothSides] = open[t]
    for (let a = 0; a < 3; a++) {
      const point = Math.fround((v[a] + v[3 + a] + v[6 + a]) / 3)
      out[from + at.point + a] = point
      out[from + normal[a]] = normals[4 * t + a]
      for (let i = 0; i < 3; i++) {
        out[from + corners[i] + a] = v[3 * i + a]
        out[from + relative[i] + a] = v[3 * i + a] - point
      }
    }
  }
  for (let entry = 0; entry < work.length / 2; entry++) {
    const part = work[2 * entry + 1] & 0xffff
    const from = FACET.words * (work[2 * entry] & 0x7fffffff)
    if (part > 0) continue
    words[from + at.entry] = entry
    words[from + at.entries] = work[2 * entry + 1] >>> 16
  }
  return out
}

/** The records WORK; large facets have many. */
export function workList({ count, vertices, open }: RasterScene, { pixel }: RasterImage): Uint32Array {
  const out: number[] = []
  for (let t = 0; t < count; t++) {
    const v = vertices.subarray(9 * t, 9 * t + 9)
    let longest = 0
    for (let i = 0; i < 9; i += 3) {
      const j = (i + 3) % 9
      longest = Math.max(longest, Math.hypot(v[i] - v[j], v[i + 1] - v[j + 1], v[i + 2] - v[j + 2]))
    }
    const box = (longest / pixel) ** 2 / 2
    const parts = Math.min(65535, Math.max(1, Math.ceil(box / ENTRY_SAMPLES)))
    const facet = (open[t] ? BOTH_SIDES : 0) + t
    for (let part = 0; part < parts; part++) out.push(facet, part + 65536 * parts)
  }
  return Uint32Array.from(out)
}

function packEdges(edges: RasterEdges | null, image: RasterImage): Float32Array {
  const count = edges?.count ?? 0
  if (!edges || count === 0) return new Float32Array(EDGE.words)
  const { at, words } = EDGE
  const face = EDGE_FACE.words
  const out = new Float32Array(words * count)
  for (let e = 0; e < count; e++) {
    const from = words * e
    const [length, wedge] = edges.edges.subarray(8 * e + 6, 8 * e + 8)
    const samples = edgeSamples(length, image.pixel)
    out[from + at.spacing] = length / samples
    out[from + at.wedge] = wedge
    out[from + at.samples] = samples
    for (let a = 0; a < 3; a++) {
      const x = edges.edges[8 * e + a]
      out[from + at.start + a] = x
      out[from + at.startLo + a] = x - out[from + at.start + a]
      out[from + at.tangent + a] = edges.edges[8 * e + 3 + a]
      for (let f = 0; f < 2; f++) {
        const own = from + at.faces + face * f + a
        const frame = 18 * e + 9 * f + a
        out[own + EDGE_FACE.at.into] = edges.frames[frame]
        out[own + EDGE_FACE.at.out] = edges.frames[frame + 3]
        out[own + EDGE_FACE.at.along] = edges.frames[frame + 6]
      }
    }
  }
  return out
}

/** The records PIECE. */
function pieceList(edges: RasterEdges | null, { pixel }: RasterImage): Uint32Array {
  const out: number[] = []
  for (let e = 0; e < (edges?.count ?? 0); e++) {
    const samples = edgeSamples(edges!.edges[8 * e + 6], pixel)
    for (let first = 0; first < samples; first += PIECE_SAMPLES) out.push(e, first)
  }
  return out.length > 0 ? Uint32Array.from(out) : new Uint32Array(2)
}

/** What the kernels are given of a batch beside the band and the image. */
interface JobCounts {
  facets: number
  works: number
  pieces: number
  /** Pixels along a side of a tile. */
  tile: number
  /** Facets per workgroup of gpueco_fields. */
  group: number
  /** Sums are integers times 2^-fixedExponent m^2. */
  fixedExponent: number
}

export function packJob(band: Band, image: RasterImage, counts: JobCounts): ArrayBuffer {
  return GPUECO_JOB.pack({
    cyclesPerMetre: splitDouble(band.f0 / C0),
    cyclesPerMetreStep: splitDouble(band.df / C0),
    wavenumber: wavenumber(band.f0),
    wavenumberStep: wavenumber(band.df),
    pixel: image.pixel,
    rounding: image.rounding,
    centre: image.centre,
    zero: 0,
    frequencies: band.n,
    size: image.size,
    ...counts,
  })
}

/** The struct `Aspect` of each aspect. */
export const packAspects = (aspects: Aspect[]): ArrayBuffer =>
  ASPECT.packAll(
    aspects.map(({ tx, rx }) => {
      const { u, v } = rasterAxes(tx)
      const w = splitDoubles(tx.r.map((x, a) => x + rx.r[a]))
      return {
        r: tx.r,
        u,
        v,
        w: w.high,
        wLo: w.low,
        txV: tx.thetaHat,
        txH: tx.phiHat,
        rxV: rx.thetaHat,
        rxH: rx.phiHat,
        s: rx.r,
      }
    }),
  )

/** First pixels of the tiles that an image is cut into. */
export function tileCorners(size: number, tile: number): [number, number][] {
  const out: [number, number][] = []
  for (let y = 0; y < size; y += tile) for (let x = 0; x < size; x += tile) out.push([x, y])
  return out
}

/** The uniforms of the dispatches over tiles, DYNAMIC_STRIDE bytes apart. */
export const packSteps = (corners: [number, number][]): ArrayBuffer =>
  GPUECO_STEP.packAll(
    corners.map(([tileX, tileY]) => ({ tileX, tileY, aspect: 0 })),
    DYNAMIC_STRIDE,
  )
