import {
  edgeSamples,
  PIECE_SAMPLES,
  rasterAxes,
  type RasterEdges,
  type RasterImage,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Aspect, type Band, C0, wavenumber } from '../../scene/index.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import { splitDouble, splitDoubles } from '../device.js'
import { ASPECT, EDGE, EDGE_FACE, FACET, GPUECO_JOB, GPUECO_STEP } from './kernels.js'

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

function upload(device: GPUDevice, label: string, data: Float32Array | Uint32Array): GPUBuffer {
  const buffer = device.createBuffer({
    label,
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  })
  device.queue.writeBuffer(buffer, 0, data as Float32Array<ArrayBuffer>)
  return buffer
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
