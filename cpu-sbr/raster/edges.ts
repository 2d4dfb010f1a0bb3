import type { Tasks } from '../../parallel/thread.js'
import { EdgeFace, WedgeCache } from '../../cpu-diffraction/index.js'
import { type AspectField, sinc } from '../../rays/index.js'
import {
  edgeSamples,
  PIECE_SAMPLES,
  RASTER_GRAZING,
  type RasterEdges,
  type RasterImage,
  type RasterJob,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../../scene/index.js'
import { addFacet, Raster } from './raster.js'

const faces = [new EdgeFace('eec'), new EdgeFace('eec')]
const wedges = new WedgeCache(1)

/** A face at an edge as drawn: see `side_of` of the kernels. */
interface Side {
  slope: [number, number]
  into: [number, number]
  front: boolean
}

/**
 * Adds 4 pi/(jk) times the fringe amplitudes of an edge's visible samples to `sums` [m^2], which is what `finishField` takes back;
 * returns the number of pieces of which something is seen. Currents are Michaeli's, untruncated (paper 001, equation 2).
 */
function addEdge(
  raster: Raster,
  edges: RasterEdges,
  e: number,
  aspect: Aspect,
  band: Band,
  sums: Float64Array,
): number {
  const frames = edges.frames.subarray(18 * e, 18 * e + 18)
  const vec = (i: number): Vec3 => [frames[3 * i], frames[3 * i + 1], frames[3 * i + 2]]
  const sides = [0, 3].map((at) => sideOf(raster, vec(at), vec(at + 1)))
  if (!sides[0].front && !sides[1].front) return 0
  const [x, y, z, tx, ty, tz, length, N] = edges.edges.subarray(8 * e, 8 * e + 8)
  const tangent: Vec3 = [tx, ty, tz]
  const amplitudes = [0, 0, 0, 0]
  faces.forEach((face, i) => {
    if (face.aim(wedges.get(N), frames, 9 * i, aspect, dot(vec(3 * i + 1), aspect.tx.r) > RASTER_GRAZING))
      amplitudes.forEach((_, ch) => (amplitudes[ch] += face.untruncated[ch]))
  })
  const samples = edgeSamples(length, raster.image.pixel)
  const spacing = length / samples
  const across: [number, number] = [-dot(tangent, raster.v), dot(tangent, raster.u)]
  const visible = (i: number): boolean => {
    const t = (i + 0.5) * spacing
    return sampleVisible(raster, raster.project(x + t * tx, y + t * ty, z + t * tz), across, sides)
  }
  const w = aspect.rx.r.map((s, a) => s + aspect.tx.r[a]) as Vec3
  const slide = dot(w, tangent)
  const start = dot(w, [x, y, z])
  let pieces = 0
  for (let first = 0; first < samples; first += PIECE_SAMPLES) {
    const end = Math.min(samples, first + PIECE_SAMPLES)
    let any = false
    for (let i = first; i < end;) {
      if (!visible(i)) {
        i++
        continue
      }
      any = true
      const begin = i
      while (i < end && visible(i)) i++
      const run = (i - begin) * spacing
      const psi = start + slide * 0.5 * (begin + i) * spacing
      for (let f = 0; f < band.n; f++) {
        const k = wavenumber(frequency(band, f))
        const size = (run * sinc(0.5 * k * slide * run) * 4 * Math.PI) / k
        for (let ch = 0; ch < 4; ch++) {
          sums[8 * f + 2 * ch] += amplitudes[ch] * size * Math.sin(k * psi)
          sums[8 * f + 2 * ch + 1] -= amplitudes[ch] * size * Math.cos(k * psi)
        }
      }
    }
    if (any) pieces++
  }
  return pieces
}

function sideOf({ image, u, v, r }: Raster, into: Vec3, out: Vec3): Side {
  const cosine = dot(out, r)
  const scale = -image.pixel / Math.max(cosine, RASTER_GRAZING)
  return {
    slope: [scale * dot(out, u), scale * dot(out, v)],
    into: [dot(into, u), dot(into, v)],
    front: cosine > RASTER_GRAZING,
  }
}

/** Whether at one of the four pixels around it nothing is nearer than the edge's own face, or the edge itself beside its faces. */
function sampleVisible(raster: Raster, p: Vec3, across: [number, number], sides: Side[]): boolean {
  const { size, pixel, rounding } = raster.image
  const [i, j] = [Math.floor(p[0] - 0.5), Math.floor(p[1] - 0.5)]
  for (let q = 0; q < 4; q++) {
    const [column, row] = [i + (q & 1), j + (q >> 1)]
    if (column < 0 || row < 0 || column >= size || row >= size) continue
    const [ax, ay] = [column + 0.5 - p[0], row + 0.5 - p[1]]
    const beside = ax * across[0] + ay * across[1]
    let own = -Infinity
    let slope = [0, 0]
    for (const s of sides) {
      const rise = s.slope[0] * ax + s.slope[1] * ay
      if (s.front && beside * (s.into[0] * across[0] + s.into[1] * across[1]) >= 0 && rise > own) {
        own = rise
        slope = s.slope
      }
    }
    const bias = rounding * (1 + (Math.abs(slope[0]) + Math.abs(slope[1])) / pixel)
    if (p[2] + (own === -Infinity ? 0 : own) >= raster.depth[row * size + column] - bias) return true
  }
  return false
}

/** A target as worker threads are given it. */
export interface RasterTarget {
  scene: RasterScene
  edges: RasterEdges | null
  image: RasterImage
}

export interface RasterResult {
  /** Sums for `finishField` [m^2]. */
  field: AspectField
  facets: number
  pieces: number
  traceSeconds: number
  fieldSeconds: number
}

/** One aspect: visibility, then the fields in the order of facets and edges. */
function runRasterTask(
  { scene, edges, image }: RasterTarget,
  { aspect, band, only }: RasterJob,
): RasterResult {
  const start = performance.now()
  const raster = new Raster(scene, image, aspect.tx)
  const seen = raster.drawn.map((d) => raster.look(d))
  const traced = performance.now()
  const field = new Float64Array(8 * band.n)
  let facets = 0
  let pieces = 0
  if (only !== 'edges')
    raster.drawn.forEach((d, i) => (facets += addFacet(raster, d, seen[i], aspect, band, field) ? 1 : 0))
  if (edges && only !== 'facets')
    for (let e = 0; e < edges.count; e++) pieces += addEdge(raster, edges, e, aspect, band, field)
  return {
    field,
    facets,
    pieces,
    traceSeconds: (traced - start) / 1000,
    fieldSeconds: (performance.now() - traced) / 1000,
  }
}

/** `runRasterTask` for the threads of a target. */
export const rasterTasks: Tasks<RasterTarget, RasterJob, RasterResult> = (target) => (job) =>
  runRasterTask(target, job)
