import {
  edgeSamples,
  PIECE_SAMPLES,
  type RasterEdges,
  type RasterImage,
  type RasterScene,
} from '../../raster/raster-scene.js'
import { splitDouble } from '../two-float.js'

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

/** Floats per facet (FACET_ROWS of gpueco_job.wgsl). */
const FACET_FLOATS = 28

function packFacets({ count, vertices, normals, open }: RasterScene, work: Uint32Array): Float32Array {
  const out = new Float32Array(FACET_FLOATS * count)
  const words = new Uint32Array(out.buffer)
  for (let t = 0; t < count; t++) {
    const at = FACET_FLOATS * t
    const v = vertices.subarray(9 * t, 9 * t + 9)
    // A point of the facet that single precision holds exactly; the vertices relative to it lose nothing.
    const point = [0, 1, 2].map((a) => Math.fround((v[a] + v[3 + a] + v[6 + a]) / 3))
    out.set([...point, open[t]], at + 12)
    for (let i = 0; i < 3; i++) {
      out.set([v[3 * i], v[3 * i + 1], v[3 * i + 2], normals[4 * t + i]], at + 4 * i)
      for (let a = 0; a < 3; a++) out[at + 16 + 4 * i + a] = v[3 * i + a] - point[a]
    }
  }
  for (let entry = 0; entry < work.length / 2; entry++) {
    const part = work[2 * entry + 1] & 0xffff
    const at = FACET_FLOATS * (work[2 * entry] & 0x7fffffff)
    if (part > 0) continue
    words[at + 19] = entry
    words[at + 23] = work[2 * entry + 1] >>> 16
  }
  return out
}

/** Two words per entry: facet, and which part of its rows of how many. Large facets have many entries. */
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

/** Floats of the struct `Edge`. */
const EDGE_FLOATS = 36

function packEdges(edges: RasterEdges | null, image: RasterImage): Float32Array {
  const count = edges?.count ?? 0
  const out = new Float32Array(Math.max(1, count) * EDGE_FLOATS)
  for (let e = 0; e < count; e++) {
    const [x, y, z, tx, ty, tz, length, N] = edges!.edges.subarray(8 * e, 8 * e + 8)
    const at = EDGE_FLOATS * e
    const samples = edgeSamples(length, image.pixel)
    ;[x, y, z].forEach((value, a) => {
      const [high, low] = splitDouble(value)
      out[at + a] = high
      out[at + 4 + a] = low
    })
    out[at + 3] = length / samples
    out[at + 7] = N
    out.set([tx, ty, tz, samples], at + 8)
    for (let i = 0; i < 6; i++)
      out.set(edges!.frames.subarray(18 * e + 3 * i, 18 * e + 3 * i + 3), at + 12 + 4 * i)
  }
  return out
}

/** Two words per piece of an edge: the edge, the first of its up to PIECE_SAMPLES samples. */
function pieceList(edges: RasterEdges | null, { pixel }: RasterImage): Uint32Array {
  const out: number[] = []
  for (let e = 0; e < (edges?.count ?? 0); e++) {
    const samples = edgeSamples(edges!.edges[8 * e + 6], pixel)
    for (let first = 0; first < samples; first += PIECE_SAMPLES) out.push(e, first)
  }
  return out.length > 0 ? Uint32Array.from(out) : new Uint32Array(2)
}

function upload(device: GPUDevice, label: string, data: Float32Array | Uint32Array): GPUBuffer {
  const buffer = device.createBuffer({
    label,
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  })
  device.queue.writeBuffer(buffer, 0, data as Float32Array<ArrayBuffer>)
  return buffer
}
