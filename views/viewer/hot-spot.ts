import { windowSamples, type WindowName } from '../../isar/index.js'
import { C0, direction, dot } from '../../scene/index.js'
import { CHANNELS } from '../../rays/index.js'
import type { HistoryData, ImageGridData } from '../figures/index.js'
import type { Cell } from './geometry.js'
import type { RaysData } from './data.js'

/** Paths over the same surfaces in the same order, or a diffracting edge: the contribution of one mechanism to a pixel. */
export interface Mechanism {
  /** Smooth surfaces met, in order; the last one radiates. Empty for an edge. Of paths over named parts those of one path. */
  surfaces: number[]
  /** Names of the parts met, where the mesh has several: then paths over the same parts are one mechanism. */
  parts?: string[]
  /** Number of the edge; null for paths. */
  edge: number | null
  /** Contribution to the pixel: re, im [m], and |re + j im|^2 [dBsm]. */
  re: number
  im: number
  level: number
  /** The rays of the aspect with the largest contribution, and its paths there (segments for an edge). */
  rays: RaysData
  paths: number[]
  /** Of all aspects. */
  facets: number[]
}

/** Contributions further from the pixel than this many cells of an aspect are ignored: the window attenuates them by at least 40 dB. */
const REACH = 3

interface Gathered {
  surfaces: number[]
  parts?: string[]
  edge: number | null
  aspects: Map<RaysData, { re: number; im: number; near: number[]; wide: number[] }>
  near: Set<number>
  wide: Set<number>
}

/** For one aspect: the contribution of an amplitude at a position to the pixel; null beyond REACH. */
type Weigh = (
  position: Float64Array,
  amplitude: Float32Array,
  i: number,
) => { re: number; im: number; near: boolean; wide: boolean } | null

/**
 * The mechanisms of a pixel, strongest first. Each contribution of an aspect's rays and edges adds, for the samples of the
 * sweep nearest to that aspect, its amplitude with the carrier's phase and the window's response at its distance from the pixel.
 * As in the aspect extrapolation of `isar render --fast`, its path length changes with the angle according to its cross-range.
 */
export function mechanisms(
  aspects: readonly RaysData[],
  cell: Cell,
  image: Pick<ImageGridData, 'window' | 'polarFormat' | 'phiDeg' | 'thetaDeg'>,
  history: HistoryData,
  channel: string,
  partOf?: (facet: number) => string,
): Mechanism[] {
  const groups = new Map<string, Gathered>()
  for (const rays of aspects) {
    const weighRay = weighing({ aspects, cell, image, history, channel }, rays, 'rays')
    for (let i = 0; i < rays.path.length; i++) {
      const part = weighRay(rays.place, rays.amplitude, i)
      if (!part) continue
      const from = rays.hitStart[rays.path[i]]
      const facets = Array.from(rays.facets.subarray(from, from + rays.bounce[i]))
      const surfaces = facets.map((t) => rays.surface[t])
      const parts = partOf && facets.map(partOf)
      const group = gather(groups, parts ? JSON.stringify(parts) : surfaces.join(), surfaces, null, parts)
      add(group, rays, part, rays.path[i], facets)
    }
    const { edge, place, amplitude } = rays.edges
    const weighEdge = weighing({ aspects, cell, image, history, channel }, rays, 'edges')
    for (let i = 0; i < edge.length; i++) {
      const part = weighEdge(place, amplitude, i)
      if (part) add(gather(groups, `edge ${edge[i]}`, [], edge[i]), rays, part, i, [])
    }
  }
  return [...groups.values()].map(finish).sort((a, b) => b.level - a.level)
}

/** Coherent sum of mechanisms [dBsm]. */
export const sumOf = (groups: readonly Mechanism[]): number =>
  level(
    groups.reduce((s, g) => s + g.re, 0),
    groups.reduce((s, g) => s + g.im, 0),
  )

/** Level of what mechanisms leave of a pixel of this complex value [dBsm]; theirs are without the factor j (`PathList`). */
export const restOf = (groups: readonly Mechanism[], [re, im]: [number, number]): number =>
  level(
    groups.reduce((s, g) => s + g.im, re),
    groups.reduce((s, g) => s - g.re, im),
  )

const radians = (deg: number): number => (deg * Math.PI) / 180
const level = (re: number, im: number): number => 10 * Math.log10(re * re + im * im + 1e-30)

const nearestAspect = (aspects: readonly RaysData[], phi: number): RaysData =>
  aspects.reduce((best, l) => (Math.abs(l.phiDeg - phi) < Math.abs(best.phiDeg - phi) ? l : best))

interface Weighed {
  aspects: readonly RaysData[]
  cell: Cell
  image: Pick<ImageGridData, 'window' | 'polarFormat' | 'phiDeg' | 'thetaDeg'>
  history: HistoryData
  channel: string
}

function weighing(
  { aspects, cell, image, history: { freqHz, phiDeg }, channel }: Weighed,
  rays: RaysData,
  of: 'rays' | 'edges',
): Weigh {
  const c = CHANNELS.indexOf(channel as (typeof CHANNELS)[number])
  const k = (2 * Math.PI * rays.freqHz) / C0
  const window = image.window as WindowName
  const taper = windowSamples(window, freqHz.length)
  // Physical optics is proportional to frequency, edge diffraction is not.
  const alongRange = response(
    of === 'edges' ? taper : taper.map((w, n) => (w * freqHz[n]) / rays.freqHz),
    total(taper),
    freqHz.map((f) => (4 * Math.PI * (f - rays.freqHz)) / C0),
  )
  const weights = windowSamples(window, phiDeg.length)
  const own = phiDeg.map((phi, n) => (nearestAspect(aspects, phi) === rays ? n : -1)).filter((n) => n >= 0)
  const ownWeights = Float64Array.from(own, (n) => weights[n])
  const share = total(ownWeights) / total(weights)
  const sinTheta = Math.sin(radians(image.thetaDeg))
  const alongCross = response(
    ownWeights,
    total(ownWeights),
    Float64Array.from(own, (n) => -2 * k * sinTheta * radians(phiDeg[n] - rays.phiDeg)),
  )
  const cellOfAspect = cell.dc * (phiDeg.length / Math.max(1, own.length))
  const seen = seenFrom(rays.phiDeg, cell, image)
  return (at, amplitude, i) => {
    const r = seen.delay - at[2 * i]
    const x = seen.cross - at[2 * i + 1]
    if (Math.abs(r) > REACH * cell.dr || Math.abs(x) > REACH * cellOfAspect) return null
    const [wr, wx] = [alongRange(r), alongCross(x)]
    const [gr, gi] = [share * (wr[0] * wx[0] - wr[1] * wx[1]), share * (wr[0] * wx[1] + wr[1] * wx[0])]
    const phase = 2 * k * (seen.carrier - at[2 * i])
    const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
    const [ar, ai] = [amplitude[8 * i + 2 * c], amplitude[8 * i + 2 * c + 1]]
    const [br, bi] = [ar * cos - ai * sin, ar * sin + ai * cos]
    const inRange = Math.abs(r) <= cell.dr / 2
    return {
      re: br * gr - bi * gi,
      im: br * gi + bi * gr,
      near: inRange && Math.abs(x) <= cell.dc / 2,
      wide: inRange && Math.abs(x) <= cellOfAspect / 2,
    }
  }
}

/** A pixel as seen from another azimuth, from the mesh's origin [m]. */
interface Seen {
  /** Range by the phase that the image compensates in each sample at the middle of the band, */
  carrier: number
  /** and by how that phase changes over frequency. */
  delay: number
  cross: number
}

/** A pixel's range and cross-range by the phase that the image compensates in each sample (isar/image.ts, a and b). */
function seenFrom(
  phiDeg: number,
  { rangeM, crossRangeM, phaseCentre }: Cell,
  { polarFormat, phiDeg: centre, thetaDeg }: Pick<ImageGridData, 'polarFormat' | 'phiDeg' | 'thetaDeg'>,
): Seen {
  const delta = radians(phiDeg - centre)
  const sinTheta = Math.sin(radians(thetaDeg))
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const [range, cross] = [dot(phaseCentre, r), dot(phaseCentre, phiHat)]
  if (!polarFormat) {
    // The small-angle image compensates the phase at the middle of the band only: points migrate through range cells.
    const carrier = rangeM - crossRangeM * sinTheta * delta - range
    return { carrier, delay: rangeM - range, cross: crossRangeM + cross }
  }
  const carrier = rangeM * Math.cos(delta) - crossRangeM * sinTheta * Math.sin(delta) - range
  const rotated = crossRangeM * Math.cos(delta) + (rangeM * Math.sin(delta)) / sinTheta
  return { carrier, delay: carrier, cross: rotated + cross }
}

function gather(
  groups: Map<string, Gathered>,
  key: string,
  surfaces: number[],
  edge: number | null,
  parts?: string[],
): Gathered {
  let group = groups.get(key)
  if (!group) {
    group = { surfaces, edge, ...(parts && { parts }), aspects: new Map(), near: new Set(), wide: new Set() }
    groups.set(key, group)
  }
  return group
}

function add(
  group: Gathered,
  rays: RaysData,
  { re, im, near, wide }: NonNullable<ReturnType<Weigh>>,
  path: number,
  facets: number[],
): void {
  const part = group.aspects.get(rays) ?? { re: 0, im: 0, near: [], wide: [] }
  group.aspects.set(rays, part)
  part.re += re
  part.im += im
  if (near) part.near.push(path)
  if (wide) part.wide.push(path)
  for (const t of facets) {
    if (near) group.near.add(t)
    if (wide) group.wide.add(t)
  }
}

function finish({ surfaces, parts: names, edge, aspects, near, wide }: Gathered): Mechanism {
  const parts = [...aspects].sort((a, b) => level(b[1].re, b[1].im) - level(a[1].re, a[1].im))
  const [re, im] = [parts.reduce((s, [, p]) => s + p.re, 0), parts.reduce((s, [, p]) => s + p.im, 0)]
  // A flash in a single aspect is smeared over more than a cell: its rays may then lie outside the pixel's cell.
  const [rays, { near: close, wide: around }] = parts[0]
  return {
    surfaces,
    ...(names && { parts: names }),
    edge,
    re,
    im,
    level: level(re, im),
    rays,
    paths: close.length > 0 ? close : around,
    facets: [...(near.size > 0 ? near : wide)],
  }
}

const total = (weights: Float64Array): number => weights.reduce((a, b) => a + b, 0)

/** Weighted sum of exp(j k distance) over wavenumbers k [rad/m], divided by `by`: re, im. */
function response(
  weights: Float64Array,
  by: number,
  wavenumbers: Float64Array,
): (distance: number) => [number, number] {
  return (distance) => {
    let re = 0
    let im = 0
    for (let i = 0; i < weights.length; i++) {
      re += weights[i] * Math.cos(wavenumbers[i] * distance)
      im += weights[i] * Math.sin(wavenumbers[i] * distance)
    }
    return [re / by, im / by]
  }
}
