import {
  boundingBox,
  type Box,
  C0,
  cross,
  dot,
  facetCount,
  type Mesh,
  rotatePart,
  type Vec3,
} from '../../scene/index.js'
import { facetMaterials } from '../../scene/materials/index.js'
import type { PartMotion } from './config.js'
import {
  beyond,
  type LoadedMotion,
  type NodeAxis,
  periodicAxis,
  spanAxis,
  targetSight,
  translation,
} from './target.js'

/** Most blades that are recognised as alike. */
const MOST_FOLD = 12

/**
 * Largest n such that a part looks the same after 1/n of a turn about its axis: the centroids of its facets lie on each other, within
 * `tolerance` [m], and their materials are the same.
 */
export function foldOf(mesh: Mesh, { pivot, axis }: PartMotion, tolerance: number): number {
  const centroids = new Places(mesh, tolerance)
  for (let fold = MOST_FOLD; fold > 1; fold--)
    if (centroids.meet(rotatePart(mesh, { pivot, axis, angleDeg: 360 / fold }))) return fold
  return 1
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** Centroids of facets in cells as wide as the tolerance. */
class Places {
  private readonly cells = new Map<string, number[][]>()

  constructor(
    mesh: Mesh,
    private readonly tolerance: number,
  ) {
    for (const point of centroidsOf(mesh)) {
      const key = this.cellOf(point).join()
      this.cells.set(key, [...(this.cells.get(key) ?? []), point])
    }
  }

  /** Whether every facet of the mesh has one here at its place. */
  meet(mesh: Mesh): boolean {
    for (const point of centroidsOf(mesh)) if (!this.has(point)) return false
    return true
  }

  private has(point: number[]): boolean {
    const [x, y, z, material] = this.cellOf(point)
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (let k = -1; k <= 1; k++)
          for (const other of this.cells.get([x + i, y + j, z + k, material].join()) ?? [])
            if (Math.hypot(...point.map((p, c) => p - other[c])) <= this.tolerance) return true
    return false
  }

  private cellOf = ([x, y, z, material]: number[]): number[] => [
    ...[x, y, z].map((p) => Math.floor(p / this.tolerance)),
    material,
  ]
}

/** Centroid of each facet, and the number of its material. */
function* centroidsOf(mesh: Mesh): Generator<number[]> {
  const { positions, triangles } = mesh
  const { facetMaterial } = facetMaterials(mesh)
  for (let t = 0; t < facetCount(mesh); t++) {
    const centroid = [0, 1, 2].map(
      (c) =>
        (positions[3 * triangles[3 * t] + c] +
          positions[3 * triangles[3 * t + 1] + c] +
          positions[3 * triangles[3 * t + 2] + c]) /
        3,
    )
    yield [...centroid, facetMaterial?.[t] ?? 0]
  }
}

/** Samples of the motion by which its fastest rotation is found. */
const SAMPLES = 2000

/** 2k at the highest frequency [rad/m]. */
const twoK = ({ config: { radar } }: LoadedMotion): number =>
  (4 * Math.PI * radar.freqHz[radar.freqHz.length - 1]) / C0

/** Of a step, by which each sample is farther along in its own than the one before: irrational, so that no motion repeats with them. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Times of the dwell at which the motion is sampled: both ends, and one about each of equal steps between them. */
export const sampleTimes = ({ duration, startS = 0 }: LoadedMotion): number[] =>
  Array.from({ length: SAMPLES + 1 }, (_, i) => {
    const aside = i === 0 || i === SAMPLES ? 0 : ((i * GOLDEN) % 1) - 0.5
    return startS + ((i + aside) * duration) / SAMPLES
  })

/** Time in which fast motion shows too [s]: a small part of a pulse, and far more than rounding of the dwell's times. */
const shortTime = ({ duration, config }: LoadedMotion): number =>
  Math.min(Math.max(0.01 / config.radar.prfHz, 1e-7 * duration), duration / 20 / SAMPLES)

/** Spans of time over which rates are taken: between samples, and a short one after each. */
export function sampleSpans(loaded: LoadedMotion): [from: number, to: number][] {
  const times = sampleTimes(loaded)
  return times.slice(1).flatMap((to, i): [number, number][] => [
    [times[i], to],
    [times[i], times[i] + shortTime(loaded)],
  ])
}

/** Harmonics that turning polarisation adds to those of phase: fields are of second degree in its vectors. */
const POLARISATION = 2
/** Distance within which two facets lie on each other [wavelengths]: it moves a phase by less than 4 pi times as many rad. */
const ALIKE = 1 / 2000

/**
 * Axis over the angle of parts that turn together, over as much of a turn as all look the same after: fine enough for the phases
 * 2k across sin(beta) per rad of points at that distance from the axis, beta its angle to the line of sight.
 */
export function turnAxis(
  loaded: LoadedMotion,
  members: { part: PartMotion; mesh: Mesh; across: number }[],
): NodeAxis {
  const most = members.map(({ part, across }) => {
    const sines = sampleTimes(loaded).flatMap((t) => {
      const { r } = targetSight(loaded, t)
      // Waves by the ground come from the direction's mirror image.
      const seen: Vec3[] = loaded.ground ? [r, [r[0], r[1], -r[2]]] : [r]
      return seen.map((d) => Math.hypot(...cross(d, part.axis)))
    })
    const turning = twoK(loaded) * across * sines.reduce((a, b) => Math.max(a, b)) + POLARISATION
    return turning * swingOf(part)
  })
  const tolerance = (ALIKE * 4 * Math.PI) / twoK(loaded)
  const fold = members
    .map(({ part, mesh }) => (part.swingDeg === undefined ? foldOf(mesh, part, tolerance) : 1))
    .reduce(commonDivisor)
  return periodicAxis((2 * Math.PI) / fold, Math.max(...most), fold)
}

/** Size of a change of a direction cosine; 0 of what is rounding. */
const beyondRounding = (x: number): number => Math.max(0, Math.abs(x) - 8 * Number.EPSILON)

/**
 * Axis over the times of a dwell, or over the period of the attitude: fine enough for the phases 2k u(t) . (x - centre) of all points x
 * of a box, which are fastest at its corners, and for polarisation that turns.
 */
export function timeAxis(loaded: LoadedMotion, { min, max }: Box, centre: Vec3): NodeAxis {
  const { duration, motion, startS = 0 } = loaded
  if (duration === 0) return spanAxis(startS, startS, 0)
  const reach = [0, 1, 2].map((c) => Math.max(max[c] - centre[c], centre[c] - min[c]))
  /** A change of phase and polarisation at the fastest point: the box about its centre has each coordinate of x at its larger end. */
  const size = (r: number[], v: number[]): number => {
    const [dr, dv] = [r.map(beyondRounding), v.map(beyondRounding)]
    const moved = reach.reduce((sum, x, c) => sum + x * dr[c], 0)
    return twoK(loaded) * moved + POLARISATION * (Math.hypot(...dr) + Math.hypot(...dv))
  }
  const less = (a: number[], b: number[]): number[] => a.map((x, c) => x - b[c])
  const short = shortTime(loaded)
  const times = sampleTimes(loaded)
  const sights = times.map((t) => targetSight(loaded, t))
  let [rate, bend] = [0, 0]
  for (let i = 1; i < times.length; i++) {
    const [a, b] = [sights[i - 1], sights[i]]
    const [c, d] = [1, 2].map((n) => targetSight(loaded, times[i - 1] + n * short))
    const slow = size(less(b.r, a.r), less(b.v, a.v)) / (times[i] - times[i - 1])
    const fast = size(less(c.r, a.r), less(c.v, a.v)) / short
    rate = Math.max(rate, slow, fast)
    const [r, v] = [less(less(d.r, c.r), less(c.r, a.r)), less(less(d.v, c.v), less(c.v, a.v))]
    bend = Math.max(bend, size(r, v) / (short * short))
  }
  // Of a sine the rate of change of its rate says its angular frequency: each swing but the first, which the axis has, adds harmonics.
  const frequency = rate > 0 ? bend / rate : 0
  const swings = Math.max(0, (frequency * duration) / (2 * Math.PI) - 1)
  const harmonics = swings > 0 ? beyond(rate / frequency) : 0
  const once = spanAxis(startS, startS + duration, rate + (2 * Math.PI * harmonics * swings) / duration)
  if (motion.period >= duration) return once
  const periodic = periodicAxis(motion.period, (rate * motion.period) / (2 * Math.PI))
  return periodic.nodes.length < once.nodes.length ? periodic : once
}

/** Largest distances of a part's points from the point of its axis and from the axis [m]. */
export function reach(
  { positions, triangles }: Mesh,
  { pivot, axis }: PartMotion,
): { radius: number; across: number } {
  let [radius, across] = [0, 0]
  for (const v of triangles) {
    const d = [0, 1, 2].map((c) => positions[3 * v + c] - pivot[c]) as Vec3
    const along = dot(d, axis)
    const square = dot(d, d)
    radius = Math.max(radius, square)
    across = Math.max(across, square - along * along)
  }
  return { radius: Math.sqrt(radius), across: Math.sqrt(across) }
}

/** Angle of a part at its fastest over that of one that turns as often [rad per rad]. */
const swingOf = ({ swingDeg }: PartMotion): number =>
  swingDeg === undefined ? 1 : (swingDeg * Math.PI) / 180

/** Speed of the points of a part at this distance from its axis, at its fastest [m/s]. */
export const topSpeed = (part: PartMotion, across: number): number =>
  2 * Math.PI * Math.abs(part.rate) * across * swingOf(part)

export const middleOf = ({ min, max }: Box): Vec3 => min.map((x, c) => (x + max[c]) / 2) as Vec3

export const cubeAbout = (at: Vec3, half: number): Box => ({
  min: at.map((x) => x - half) as Vec3,
  max: at.map((x) => x + half) as Vec3,
})

export const aroundBoth = (a: Box, b: Box): Box => ({
  min: a.min.map((x, c) => Math.min(x, b.min[c])) as Vec3,
  max: a.max.map((x, c) => Math.max(x, b.max[c])) as Vec3,
})

/** Boxes that hold the body and each part at any angle, with the speed of the fastest point of the part across its axis [m/s]. */
function boxesOf({ body, parts, config }: LoadedMotion): { box: Box; speed: number; axis: Vec3 }[] {
  return [
    ...(facetCount(body) > 0 ? [{ box: boundingBox(body), speed: 0, axis: [0, 0, 1] as Vec3 }] : []),
    ...parts.map((mesh, i) => {
      const { pivot, axis } = config.parts[i]
      const { radius, across } = reach(mesh, config.parts[i])
      return { box: cubeAbout(pivot, radius), speed: topSpeed(config.parts[i], across), axis }
    }),
  ]
}

/** Least and largest u . x of the points of a box. */
const spanAlong = (u: Vec3, { min, max }: Box): [number, number] => [
  u.reduce((sum, x, c) => sum + Math.min(x * min[c], x * max[c]), 0),
  u.reduce((sum, x, c) => sum + Math.max(x * min[c], x * max[c]), 0),
]

/** What moves of a target, for labels. */
interface MotionLabels {
  /** Parts that turn, and parts that swing. */
  rotors: number
  wings: number
  /** Mean of their rates, without sign [Hz]; 0 where there are none. */
  rateHz: number
  /** Mean of the largest distances of their points from their axes [m]. */
  bladeM: number
}

export function motionLabels({ parts, config }: LoadedMotion): MotionLabels {
  const moving = config.parts.flatMap((part, i) => (part.rate === 0 ? [] : [{ part, across: reach(parts[i], part).across }])) // prettier-ignore
  const mean = (of: (m: (typeof moving)[number]) => number): number =>
    moving.length === 0 ? 0 : moving.reduce((sum, m) => sum + of(m), 0) / moving.length
  const wings = moving.filter(({ part }) => part.swingDeg !== undefined).length
  return {
    rotors: moving.length - wings,
    wings,
    rateHz: mean(({ part }) => Math.abs(part.rate)),
    bladeM: mean(({ across }) => across),
  }
}

/** Nearest and farthest range -r . r-hat of the moving target's box over the dwell, of parts at any angle [m]. */
export function rangeExtent(loaded: LoadedMotion): [number, number] {
  const whole = boxesOf(loaded).map(({ box }) => box).reduce(aroundBoth) // prettier-ignore
  let [near, far] = [Infinity, -Infinity]
  for (const t of sampleTimes(loaded)) {
    const path = translation(loaded, t)
    const [low, high] = spanAlong(targetSight(loaded, t).r, whole)
    near = Math.min(near, -path - high)
    far = Math.max(far, -path - low)
  }
  return [near, far]
}

/** Bounds of the Doppler of all points at the highest frequency over the dwell, positive: approaching [Hz]. */
export function dopplerExtent(loaded: LoadedMotion): [number, number] {
  const boxes = boxesOf(loaded)
  let [least, most] = [Infinity, -Infinity]
  for (const [from, to] of sampleSpans(loaded)) {
    const { r } = targetSight(loaded, from)
    const moved = targetSight(loaded, to).r.map((x, c) => x - r[c]) as Vec3
    const path = translation(loaded, to) - translation(loaded, from)
    for (const { box, speed, axis } of boxes) {
      const [low, high] = spanAlong(moved, box)
      const own = speed * Math.hypot(...cross(r, axis))
      least = Math.min(least, (path + low) / (to - from) - own)
      most = Math.max(most, (path + high) / (to - from) + own)
    }
  }
  return [least, most].map((v) => (twoK(loaded) * v) / (2 * Math.PI)) as [number, number]
}

/** What the radar's pulses and frequencies cannot tell apart, for the user. */
export function ambiguities(loaded: LoadedMotion): string[] {
  const { freqHz, prfHz, waveform } = loaded.config.radar
  const n = freqHz.length
  const rate = waveform === 'stepped' ? prfHz / n : prfHz
  const short = (x: number): string => String(Number(x.toPrecision(3))).replace('-', '−')
  const notes: string[] = []
  const [least, most] = dopplerExtent(loaded)
  if (Math.max(-least, most) > rate / 2)
    notes.push(
      `Doppler of the target’s box lies between ${short(least)} and ${short(most)} Hz and folds over at ±${short(rate / 2)} Hz; give a higher radar.prf_hz`,
    )
  if (n < 2) return notes
  const whole = boxesOf(loaded).map(({ box }) => box).reduce(aroundBoth) // prettier-ignore
  const times = sampleTimes(loaded)
  const lengths = times.map((t) => spanAlong(targetSight(loaded, t).r, whole)).map(([low, high]) => high - low) // prettier-ignore
  const paths = times.map((t) => translation(loaded, t))
  const covered = Math.max(...lengths, Math.max(...paths) - Math.min(...paths))
  const extent = ((n - 1) * C0) / (2 * (freqHz[n - 1] - freqHz[0]))
  if (covered > extent)
    notes.push(
      `the target’s box covers, or moves through, ${short(covered)} m of range, which folds over after ${short(extent)} m; give more frequencies in radar.band`,
    )
  return notes
}
