import { type Aspect, type Band, C0, wavenumber } from '../../scene/index.js'
import { type RasterImage, rasterAxes } from '../../raster/raster-scene.js'
import { splitDouble } from '../two-float.js'

/** Bytes of the structs `Job`, `Aspect` and `Step` in gpueco_job.wgsl; steps lie as far apart as dynamic offsets need. */
export const JOB_BYTES = 80
export const ASPECT_BYTES = 160
export const STEP_BYTES = 16
export const STEP_STRIDE = 256

/** What the kernels are told of a batch beside the band and the image. */
export interface JobCounts {
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
  const buffer = new ArrayBuffer(JOB_BYTES)
  const f = new Float32Array(buffer)
  const u = new Uint32Array(buffer)
  f.set([...splitDouble(band.f0 / C0), ...splitDouble(band.df / C0)], 0)
  f.set([wavenumber(band.f0), wavenumber(band.df), image.pixel, image.rounding], 4)
  f.set(image.centre, 8)
  new Int32Array(buffer)[11] = counts.fixedExponent
  u.set([band.n, counts.facets, counts.works, counts.pieces, image.size, counts.tile, counts.group], 12)
  return buffer
}

/** The struct `Aspect` of each aspect. */
export function packAspects(aspects: Aspect[]): Float32Array<ArrayBuffer> {
  const out = new Float32Array((aspects.length * ASPECT_BYTES) / 4)
  aspects.forEach(({ tx, rx }, i) => {
    const { u, v } = rasterAxes(tx)
    const w = tx.r.map((x, a) => splitDouble(x + rx.r[a]))
    const rows = [
      tx.r,
      u,
      v,
      w.map(([high]) => high),
      w.map(([, low]) => low),
      tx.thetaHat,
      tx.phiHat,
      rx.thetaHat,
      rx.phiHat,
      rx.r,
    ]
    rows.forEach((row, r) => out.set(row, (i * ASPECT_BYTES) / 4 + 4 * r))
  })
  return out
}

/** First pixels of the tiles that an image is cut into. */
export function tileCorners(size: number, tile: number): [number, number][] {
  const out: [number, number][] = []
  for (let y = 0; y < size; y += tile) for (let x = 0; x < size; x += tile) out.push([x, y])
  return out
}

export function packSteps(corners: [number, number][]): ArrayBuffer {
  const buffer = new ArrayBuffer(STEP_STRIDE * corners.length)
  corners.forEach((corner, i) => new Int32Array(buffer, STEP_STRIDE * i, 2).set(corner))
  return buffer
}
