import { coherentGain, windowSamples } from '../isar/index.js'
import { RayCaster, type RayScene } from '../rays/index.js'
import { C0, cross, dot, type Vec3 } from '../scene/index.js'
import { complexNoise, type Looks } from './imager.js'
import type { DatasetConfig } from './config.js'
import type { Pose } from './plan.js'
import type { Radar } from './radar.js'
import type { Random } from '../math/random.js'
import { type ImagePlane, spacing } from './view.js'

/** Resolution cells over which the point-spread function of clutter reaches on either side. */
const REACH = 4
/** Most azimuths at which a point of the ground is tried for shadow. */
const MOST_LOOKS = 9

/**
 * Cells of the ground that an image shows: its pixels, finer where pixels are coarser than the resolution, and as many around
 * them as the point-spread function reaches.
 */
export interface GroundCells {
  /** Cells in range and cross-range, margins included. */
  size: [number, number]
  /** Cells per pixel, and cells of margin. */
  perPixel: [number, number]
  margin: [number, number]
  /** Part of the aperture that lights each cell, 0 to 1, [range][cross-range]. */
  lit: Float64Array
}

/**
 * Mean power of a pixel over the backscatter coefficient, image scaled so that |pixel|^2 is the RCS of an isolated point: the area of
 * ground that a pixel of uniform clutter is the mean of, the integral of the squared point-spread function [m^2].
 */
export function pixelAreaM2(
  config: DatasetConfig,
  radar: Radar,
  pose: Pose,
  { thetaDeg, across, r }: Looks,
): number {
  const spread = (n: number): number => {
    const w = windowSamples(config.image.window, n)
    return w.reduce((s, x) => s + x * x, 0) / (n * coherentGain(w)) ** 2
  }
  const { freqHz, angles } = radar
  const last = freqHz[freqHz.length - 1]
  const stepRad = (pose.apertureDeg / (angles - 1)) * (Math.PI / 180) * Math.sin((thetaDeg * Math.PI) / 180)
  const rangeM = (C0 * (freqHz.length - 1)) / (2 * (last - freqHz[0]))
  const crossRangeM = C0 / (freqHz[0] + last) / stepRad
  return (rangeM * spread(freqHz.length) * crossRangeM * spread(angles)) / Math.abs(cross(across, r)[2])
}

/**
 * The cells, each lit where the line from its middle on the ground to the radar meets no facet, at up to 9 azimuths over the
 * aperture: the edges of shadows are as soft as the aperture makes them. Layover is where a cell in front of the target is lit.
 */
export function groundCells(
  config: DatasetConfig,
  radar: Radar,
  { directions }: Looks,
  scene: RayScene,
  plane: ImagePlane,
): GroundCells {
  const { size } = radar
  const steps = [spacing(plane.rangeM), spacing(plane.crossRangeM)]
  const resolution = [radar.rangeResolutionM, radar.crossRangeResolutionM]
  // An odd number, so that one cell's middle is the pixel's.
  const perPixel = steps.map((s, i) => 2 * Math.ceil((s / resolution[i] - 1) / 2 - 1e-9) + 1) as [
    number,
    number,
  ]
  const cell = steps.map((s, i) => s / perPixel[i])
  const margin = cell.map((c, i) => Math.ceil((REACH * resolution[i]) / c)) as [number, number]
  const cells: [number, number] = [0, 1].map((i) => size[i] * perPixel[i] + 2 * margin[i]) as [number, number]
  const lit = new Float64Array(cells[0] * cells[1]).fill(1)

  const looks = Math.min(MOST_LOOKS, directions.length)
  const toRadar = Array.from(
    { length: looks },
    (_, i) => directions[Math.round((i * (directions.length - 1)) / Math.max(1, looks - 1))].r,
  )
  const { r, across, up } = plane
  const level = groundHeight(config, scene)
  const centre = plane.phaseCentre.map((x, a) => x - scene.origin[a]) as Vec3
  const caster = new RayCaster(scene)
  const mayBeDark = shadowBox(scene, level, toRadar)
  for (let i = 0; i < cells[0]; i++) {
    const range = plane.rangeM[0] + ((i - margin[0] + 0.5) / perPixel[0] - 0.5) * steps[0] - plane.offsetM[0]
    const p = dot(centre, r) - range
    for (let l = 0; l < cells[1]; l++) {
      const at =
        plane.crossRangeM[0] + ((l - margin[1] + 0.5) / perPixel[1] - 0.5) * steps[1] - plane.offsetM[1]
      const q = dot(centre, across) + at
      // The point of the ground with these coordinates along r and across.
      const w = (level - p * r[2] - q * across[2]) / up[2]
      const [x, y] = [0, 1].map((a) => p * r[a] + q * across[a] + w * up[a])
      if (!mayBeDark(x, y)) continue
      let dark = 0
      for (const d of toRadar) if (caster.nearest(x, y, level, d[0], d[1], d[2], -1)) dark++
      lit[i * cells[1] + l] = 1 - dark / looks
    }
  }
  return { size: cells, perPixel, margin, lit }
}

/** Height of the ground in the scene's own coordinates [m]: the lowest point of the target by default. */
function groundHeight({ ground }: DatasetConfig, { points, origin }: RayScene): number {
  if (ground!.heightM !== undefined) return ground!.heightM - origin[2]
  let lowest = Infinity
  for (let i = 2; i < points.length; i += 3) lowest = Math.min(lowest, points[i])
  return lowest
}

/** Whether a point of the ground may lie in the shadow of the target's box, for some of the directions: a test without rays. */
function shadowBox({ points }: RayScene, level: number, toRadar: Vec3[]): (x: number, y: number) => boolean {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  for (let i = 0; i < points.length; i++) {
    low[i % 3] = Math.min(low[i % 3], points[i])
    high[i % 3] = Math.max(high[i % 3], points[i])
  }
  // The box moved along each shadow to its end.
  const [from, to] = [low.slice(), high.slice()]
  for (const r of toRadar)
    for (let a = 0; a < 2; a++) {
      const shift = (-r[a] * (high[2] - level)) / r[2]
      from[a] = Math.min(from[a], low[a] + shift)
      to[a] = Math.max(to[a], high[a] + shift)
    }
  return (x, y) => x >= from[0] && x <= to[0] && y >= from[1] && y <= to[1]
}

/** Mean of the lit share over each pixel, in 256 steps: 0 where no part of the aperture lights the ground, 255 where all does. */
export function litMask(
  { size, perPixel, margin, lit }: GroundCells,
  { size: [rows, cols] }: Radar,
): Uint8Array {
  const out = new Uint8Array(rows * cols)
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      let sum = 0
      for (let p = 0; p < perPixel[0]; p++)
        for (let q = 0; q < perPixel[1]; q++)
          sum += lit[(margin[0] + i * perPixel[0] + p) * size[1] + margin[1] + l * perPixel[1] + q]
      out[i * cols + l] = Math.round((255 * sum) / (perPixel[0] * perPixel[1]))
    }
  return out
}

/**
 * Speckle of the lit ground, of mean power 1 per pixel where all is lit: independent complex normal numbers of the cells' lit
 * shares, convolved with the image's point-spread function. Interleaved re, im, [range][cross-range].
 */
export function groundSpeckle(
  config: DatasetConfig,
  radar: Radar,
  plane: ImagePlane,
  cells: GroundCells,
  random: Random,
): Float64Array {
  const { size, perPixel, margin, lit } = cells
  const g = complexNoise(size[0] * size[1], random)
  for (let i = 0; i < g.length; i++) g[i] *= Math.sqrt(lit[i >> 1])
  const [rows, cols] = radar.size
  const kernels = [
    pointSpread(
      config,
      radar.freqHz.length,
      spacing(plane.rangeM) / perPixel[0] / radar.rangeResolutionM,
      margin[0],
    ),
    pointSpread(
      config,
      radar.angles,
      spacing(plane.crossRangeM) / perPixel[1] / radar.crossRangeResolutionM,
      margin[1],
    ),
  ]
  // Along cross-range first, then along range, at the middles of the pixels.
  const half = new Float64Array(2 * size[0] * cols)
  const middle = (n: number): number => (n - 1) / 2
  for (let i = 0; i < size[0]; i++)
    for (let l = 0; l < cols; l++)
      for (let k = -margin[1]; k <= margin[1]; k++) {
        const at = 2 * (i * size[1] + margin[1] + l * perPixel[1] + middle(perPixel[1]) + k)
        const w = kernels[1][k + margin[1]]
        half[2 * (i * cols + l)] += w * g[at]
        half[2 * (i * cols + l) + 1] += w * g[at + 1]
      }
  const out = new Float64Array(2 * rows * cols)
  for (let i = 0; i < rows; i++)
    for (let k = -margin[0]; k <= margin[0]; k++) {
      const from = 2 * cols * (margin[0] + i * perPixel[0] + middle(perPixel[0]) + k)
      const w = kernels[0][k + margin[0]]
      for (let l = 0; l < 2 * cols; l++) out[2 * cols * i + l] += w * half[from + l]
    }
  return out
}

/** Point-spread function of a window of n samples at whole multiples of `cells` resolution cells, of unit energy. */
function pointSpread(config: DatasetConfig, n: number, cells: number, reach: number): Float64Array {
  const w = windowSamples(config.image.window, n)
  const out = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => {
    // The resolution is that of n - 1 steps of frequency or angle.
    const turn = (2 * Math.PI * (i - reach) * cells) / (n - 1)
    return w.reduce((s, x, m) => s + x * Math.cos(turn * (m - (n - 1) / 2)), 0)
  })
  const energy = Math.sqrt(out.reduce((s, x) => s + x * x, 0))
  return out.map((x) => x / energy)
}
