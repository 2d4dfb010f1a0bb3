import { windowSamples, type WindowName } from '../isar/index.js'
import { C0, CHANNELS, type Direction, direction, dot, type Vec3 } from '../scene/index.js'
import type { HistoryData, ImageGridData } from '../src/plots/index.js'
import type { RaysData, TargetData } from './data.js'

/** A resolution cell of an image, and the aspect that it belongs to. */
export interface Cell {
  rangeM: number
  crossRangeM: number
  /** Sides [m]. */
  dr: number
  dc: number
  aspect: Direction
  phaseCentre: Vec3
}

export const cellAt = (image: ImageGridData, rangeM: number, crossRangeM: number): Cell => ({
  rangeM,
  crossRangeM,
  dr: image.rangeResolutionM,
  dc: image.crossRangeResolutionM,
  aspect: direction(image.thetaDeg, image.phiDeg),
  phaseCentre: image.phaseCentre,
})

/** Cross-range and range of a point in the image [m]. */
export function projected(p: ArrayLike<number>, at: number, { aspect, phaseCentre }: Cell): [number, number] {
  const r: Vec3 = [p[at] - phaseCentre[0], p[at + 1] - phaseCentre[1], p[at + 2] - phaseCentre[2]]
  return [dot(r, aspect.phiHat), -dot(r, aspect.r)]
}

type Point = [number, number]

/** Whether a convex polygon (or segment) meets the cell: no side of either sets them apart. */
function meets(corners: Point[], { rangeM, crossRangeM, dr, dc }: Cell): boolean {
  const box: Point[] = [-1, 1].flatMap((i) =>
    [-1, 1].map((j): Point => [crossRangeM + (i * dc) / 2, rangeM + (j * dr) / 2]),
  )
  const axes: Point[] = [[1, 0], [0, 1]] // prettier-ignore
  for (let i = 0; i < corners.length; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % corners.length]]
    axes.push([b[1] - a[1], a[0] - b[0]])
  }
  const apart = ([x, y]: Point): boolean => {
    const of = (points: Point[]): number[] => points.map((p) => p[0] * x + p[1] * y)
    const [p, q] = [of(corners), of(box)]
    return Math.max(...p) < Math.min(...q) || Math.max(...q) < Math.min(...p)
  }
  return !axes.some(apart)
}

/** Facets turned towards the radar whose range and cross-range meet the cell; none is hidden by others here. */
export function facetsInCell({ positions, triangles }: TargetData, cell: Cell): number[] {
  const found: number[] = []
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [a, b, c] = [0, 1, 2].map((i) => projected(positions, 3 * triangles[3 * t + i], cell))
    if (meets([a, b, c], cell) && facing(positions, triangles, t, cell.aspect.r)) found.push(t)
  }
  return found
}

export function facing(p: Float64Array, triangles: Uint32Array, t: number, r: Vec3): boolean {
  const [a, b, c] = [0, 1, 2].map((i) => 3 * triangles[3 * t + i])
  const u: Vec3 = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
  const v: Vec3 = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
  return dot([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], r) > 0
}

/** Edges that diffract and pass through the cell. */
export function edgesInCell({ edges }: TargetData, cell: Cell): number[] {
  const found: number[] = []
  for (let e = 0; 6 * e < edges.length; e++)
    if (meets([projected(edges, 6 * e, cell), projected(edges, 6 * e + 3, cell)], cell)) found.push(e)
  return found
}

/** Paths over the same surfaces in the same order: what one mechanism adds to a pixel. */
export interface PathGroup {
  /** Smooth surfaces met, in order; the last is where the bounce radiates. */
  surfaces: number[]
  /** What it adds to the pixel: re, im [m], and |re + j im|^2 [dBsm]. */
  re: number
  im: number
  level: number
  /** The aspect at which it adds most, and its paths there. */
  look: RaysData
  paths: number[]
  /** Of all aspects. */
  facets: number[]
}

/** Contributions further from the pixel than this many cells of an aspect are left out: the window has them 40 dB down. */
const REACH = 2

interface Gathered {
  surfaces: number[]
  re: number
  im: number
  looks: Map<RaysData, { re: number; im: number; near: number[]; wide: number[] }>
  near: Set<number>
  wide: Set<number>
}

/**
 * What a pixel is made of, by mechanism, strongest first. Each contribution of an aspect's rays adds, for the samples of the sweep
 * nearest to that aspect, its amplitude with the carrier's phase and the window's response at its distance from the pixel, as
 * `isar render --fast` does: its path length is taken to change with the angle as its place in cross-range has it.
 */
export function pathGroups(
  looks: readonly RaysData[],
  cell: Cell,
  image: Pick<ImageGridData, 'window' | 'polarFormat' | 'phiDeg' | 'thetaDeg'>,
  { freqHz, phiDeg }: HistoryData,
  channel: string,
): PathGroup[] {
  const c = CHANNELS.indexOf(channel as (typeof CHANNELS)[number])
  const k = (2 * Math.PI * looks[0].freqHz) / C0
  const window = image.window as WindowName
  const alongRange = response(
    windowSamples(window, freqHz.length),
    freqHz.map((f) => (4 * Math.PI * (f - looks[0].freqHz)) / C0),
  )
  const weights = windowSamples(window, phiDeg.length)
  const weightSum = weights.reduce((a, b) => a + b, 0)
  const sinTheta = Math.sin(radians(image.thetaDeg))
  const groups = new Map<string, Gathered>()
  for (const rays of looks) {
    const own = phiDeg.map((phi, n) => (nearestLook(looks, phi) === rays ? n : -1)).filter((n) => n >= 0)
    const share = own.reduce((sum, n) => sum + weights[n], 0) / weightSum
    const alongCross = response(
      Float64Array.from(own, (n) => weights[n]),
      Float64Array.from(own, (n) => -2 * k * sinTheta * radians(phiDeg[n] - rays.phiDeg)),
    )
    const cellOfLook = cell.dc * (phiDeg.length / Math.max(1, own.length))
    const [range0, cross0] = seenFrom(rays.phiDeg, cell, image)
    const { place, amplitude } = rays
    for (let i = 0; i < rays.path.length; i++) {
      const r = range0 - place[2 * i]
      const x = cross0 - place[2 * i + 1]
      if (Math.abs(r) > REACH * cell.dr || Math.abs(x) > REACH * cellOfLook) continue
      const group = gather(groups, rays, i)
      const [wr, wx] = [alongRange(r), alongCross(x)]
      const [gr, gi] = [share * (wr[0] * wx[0] - wr[1] * wx[1]), share * (wr[0] * wx[1] + wr[1] * wx[0])]
      const [cos, sin] = [Math.cos(2 * k * r), Math.sin(2 * k * r)]
      const [ar, ai] = [amplitude[8 * i + 2 * c], amplitude[8 * i + 2 * c + 1]]
      const [br, bi] = [ar * cos - ai * sin, ar * sin + ai * cos]
      const part = group.looks.get(rays)!
      part.re += br * gr - bi * gi
      part.im += br * gi + bi * gr
      const inRange = Math.abs(r) <= cell.dr / 2
      if (inRange && Math.abs(x) <= cellOfLook / 2) keep(rays, i, part.wide, group.wide)
      if (inRange && Math.abs(x) <= cell.dc / 2) keep(rays, i, part.near, group.near)
    }
  }
  return [...groups.values()].map(finishGroup).sort((a, b) => b.level - a.level)
}

/** What all mechanisms add up to [dBsm]. */
export const sumOf = (groups: readonly PathGroup[]): number =>
  level(
    groups.reduce((s, g) => s + g.re, 0),
    groups.reduce((s, g) => s + g.im, 0),
  )

const radians = (deg: number): number => (deg * Math.PI) / 180
const level = (re: number, im: number): number => 10 * Math.log10(re * re + im * im + 1e-30)

const nearestLook = (looks: readonly RaysData[], phi: number): RaysData =>
  looks.reduce((best, l) => (Math.abs(l.phiDeg - phi) < Math.abs(best.phiDeg - phi) ? l : best))

/**
 * Range and cross-range from the mesh's origin [m] of what an image has at a pixel, as seen from another azimuth: the phase that
 * the image takes out of each sample (isar/image.ts, a and b) is that of a point at this range.
 */
function seenFrom(
  phiDeg: number,
  { rangeM, crossRangeM, phaseCentre }: Cell,
  { polarFormat, phiDeg: centre, thetaDeg }: Pick<ImageGridData, 'polarFormat' | 'phiDeg' | 'thetaDeg'>,
): [number, number] {
  const delta = radians(phiDeg - centre)
  const sinTheta = Math.sin(radians(thetaDeg))
  const [range, cross] = polarFormat
    ? [
        rangeM * Math.cos(delta) - crossRangeM * sinTheta * Math.sin(delta),
        crossRangeM * Math.cos(delta) + (rangeM * Math.sin(delta)) / sinTheta,
      ]
    : [rangeM - crossRangeM * sinTheta * delta, crossRangeM]
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  return [range - dot(phaseCentre, r), cross + dot(phaseCentre, phiHat)]
}

function gather(groups: Map<string, Gathered>, rays: RaysData, i: number): Gathered {
  const from = rays.hitStart[rays.path[i]]
  const surfaces: number[] = []
  for (let h = from; h < from + rays.bounce[i]; h++) surfaces.push(rays.surface[rays.facets[h]])
  const key = surfaces.join()
  let group = groups.get(key)
  if (!group) {
    group = { surfaces, re: 0, im: 0, looks: new Map(), near: new Set(), wide: new Set() }
    groups.set(key, group)
  }
  if (!group.looks.has(rays)) group.looks.set(rays, { re: 0, im: 0, near: [], wide: [] })
  return group
}

function keep(rays: RaysData, i: number, paths: number[], facets: Set<number>): void {
  const from = rays.hitStart[rays.path[i]]
  paths.push(rays.path[i])
  for (let h = from; h < from + rays.bounce[i]; h++) facets.add(rays.facets[h])
}

function finishGroup({ surfaces, looks, near, wide }: Gathered): PathGroup {
  const parts = [...looks].sort((a, b) => level(b[1].re, b[1].im) - level(a[1].re, a[1].im))
  const [re, im] = [parts.reduce((s, [, p]) => s + p.re, 0), parts.reduce((s, [, p]) => s + p.im, 0)]
  // A flash that only one aspect sees is smeared over more than a cell: then its rays lie beside it.
  const [look, { near: close, wide: around }] = parts[0]
  return {
    surfaces,
    re,
    im,
    level: level(re, im),
    look,
    paths: close.length > 0 ? close : around,
    facets: [...(near.size > 0 ? near : wide)],
  }
}

/** Weighted mean of exp(j k distance) over wavenumbers k [rad/m]: re, im. */
function response(weights: Float64Array, wavenumbers: Float64Array): (distance: number) => [number, number] {
  const sum = weights.reduce((a, b) => a + b, 0)
  return (distance) => {
    let re = 0
    let im = 0
    for (let i = 0; i < weights.length; i++) {
      re += weights[i] * Math.cos(wavenumbers[i] * distance)
      im += weights[i] * Math.sin(wavenumbers[i] * distance)
    }
    return [re / sum, im / sum]
  }
}
