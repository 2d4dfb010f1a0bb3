import { type Aspect, type Band, C0, wavenumber } from '../../scene/index.js'
import { type RasterImage, rasterAxes } from '../../raster/raster-scene.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import { splitDouble, splitDoubles } from '../two-float.js'
import { ASPECT, GPUECO_JOB, GPUECO_STEP } from './layouts.js'

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
