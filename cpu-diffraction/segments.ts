import { type Aspect, dot, GRAZING_COSINE, RayCaster, type RayScene, type Vec3 } from '../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { END_ON } from './face.js'
import { StripFan } from './strip-fan.js'

/** Numbers per segment: edge, phase path of the midpoint [m], length [m], then strip length [m] and slope of both faces. */
export const SEGMENT_SIZE = 7

/** Breaks closer than this part of a segment's length to another are passed by. */
const LEAST_PIECE = 0.25
/** Segments grow finer towards an end where the strips of a face are shorter than this part of a segment's length. */
const SHORT_STRIP = 0.5
/** Where the strips at the end of a piece are looked at, in parts of the piece. */
const NEAR_END = 1e-6
/** Shadow boundaries on an edge are found to within this part of a segment's length; */
const SHADOW_EDGE = 0.02
/** towards the edge's ends they are looked for down to this part of the first and last segment. */
const NEAR_SHADOW = 0.01
/** A segment's shadow ray starts this part of the target's diagonal off the edge, half-way between the faces. */
const LIFT = 1e-7

/** Whether the face whose frame begins at `at` is lit from r: the test of physical optics, grazing rays left out. */
export const isLit = (frames: Float64Array, at: number, r: readonly number[]): boolean =>
  r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5] > GRAZING_COSINE

/** What of edge diffraction depends on the aspect but not on the frequency: the segments of the edges that diffract. */
export interface Segments {
  /** SEGMENT_SIZE numbers each, those visible from the transmitter only, in the order of their edges. */
  data: Float64Array
  /** Distance of each one's midpoint from the start of its edge [m]. */
  middles: number[]
  /** Segments of edges with a lit face, before the visibility test. */
  considered: number
}

/**
 * Cuts the edges first to end - 1 into segments of at most about `segmentLength` [m] and keeps those that the transmitter
 * sees. Edges with no lit face, and those seen end-on, have none (docs/edge-diffraction.md, "Segments", "Visibility").
 *
 * @param reaches  whether the light reaches a point a little off an edge; seen from the transmitter where left out
 */
export function findSegments(
  scene: EdgeScene,
  rays: RayScene,
  aspect: Aspect,
  segmentLength: number,
  first: number,
  end: number,
  reaches?: (x: number, y: number, z: number) => boolean,
): Segments {
  const { edges, frames, sides, origin } = scene
  const { tx, rx } = aspect
  const caster = new RayCaster(rays)
  const fans = [new StripFan(scene), new StripFan(scene)]
  const [sx, sy, sz] = [0, 1, 2].map((c) => tx.r[c] + rx.r[c])
  const shift = dot(tx.r, origin) + dot(rx.r, origin)
  const [dx, dy, dz] = tx.r
  const lit =
    reaches ?? ((x: number, y: number, z: number): boolean => !caster.occluded(x, y, z, dx, dy, dz, -1))
  const middles: number[] = []
  let data = new Float64Array(256 * SEGMENT_SIZE)
  let count = 0
  let considered = 0
  for (let e = first; e < end; e++) {
    const f = FRAMES_SIZE * e
    if (!isLit(frames, f, tx.r) && !isLit(frames, f + 9, tx.r)) continue
    const ix = dx * frames[f] + dy * frames[f + 1] + dz * frames[f + 2]
    const iy = dx * frames[f + 3] + dy * frames[f + 4] + dz * frames[f + 5]
    const sinBeta0 = Math.hypot(ix, iy)
    if (sinBeta0 < END_ON) continue
    const cosBeta0 = (i: number): number =>
      -(dx * frames[f + 9 * i + 6] + dy * frames[f + 9 * i + 7] + dz * frames[f + 9 * i + 8])
    const p = EDGE_SIZE * e
    const rim = scene.faces[2 * e] === scene.faces[2 * e + 1] && sides[2 * e] === -sides[2 * e + 1]
    fans[0].aim(e, 0, sinBeta0, cosBeta0(0))
    // The two faces of a rim are one, seen from both sides.
    if (!rim) fans[1].aim(e, 1, sinBeta0, cosBeta0(1))
    const points = division(edges[p + 6], rim ? fans.slice(0, 1) : fans, segmentLength)
    const [bx, by, bz] = awayFromFaces(scene, e, [0, 0, 0])
    const visible = (t: number): boolean =>
      lit(
        edges[p] + t * edges[p + 3] + bx,
        edges[p + 1] + t * edges[p + 4] + by,
        edges[p + 2] + t * edges[p + 5] + bz,
      )
    considered += points.length - 1
    for (const [from, to] of visibleParts(points, visible, SHADOW_EDGE * segmentLength)) {
      if (SEGMENT_SIZE * (count + 1) > data.length) {
        const larger = new Float64Array(2 * data.length)
        larger.set(data)
        data = larger
      }
      const t = 0.5 * (from + to)
      middles.push(t)
      const x = edges[p] + t * edges[p + 3]
      const y = edges[p + 1] + t * edges[p + 4]
      const z = edges[p + 2] + t * edges[p + 5]
      const o = SEGMENT_SIZE * count++
      data[o] = e
      data[o + 1] = x * sx + y * sy + z * sz + shift
      data[o + 2] = to - from
      fans[0].at(t)
      data[o + 3] = fans[0].length
      data[o + 4] = fans[0].slope
      if (!rim) fans[1].at(t)
      data[o + 5] = rim ? fans[0].length : fans[1].length
      data[o + 6] = rim ? -fans[0].slope : fans[1].slope
    }
  }
  return { data: data.slice(0, SEGMENT_SIZE * count), middles, considered }
}

/** A point of edge e moved a little off it, half-way between the faces: where rays meet neither. */
export function awayFromFaces({ edges, frames, diagonal }: EdgeScene, e: number, point: Vec3): Vec3 {
  const f = FRAMES_SIZE * e
  // Turned from face 1 by half the wedge.
  const half = 0.5 * Math.PI * edges[EDGE_SIZE * e + 7]
  const [across, up] = [LIFT * diagonal * Math.cos(half), LIFT * diagonal * Math.sin(half)]
  return point.map((x, c) => x + (across * frames[f + c] + up * frames[f + 3 + c])) as Vec3
}

/**
 * The parts of segments that lie in the light. Where the light changes between two midpoints, or towards an end of the
 * edge, the boundary is sought to within `tolerance`. An edge of one segment is taken whole, by its midpoint.
 */
function visibleParts(
  points: number[],
  visible: (t: number) => boolean,
  tolerance: number,
): [number, number][] {
  const last = points.length - 1
  if (last === 1) return visible(0.5 * points[1]) ? [[0, points[1]]] : []
  const looks = [NEAR_SHADOW * points[1]]
  for (let i = 1; i <= last; i++) looks.push(0.5 * (points[i - 1] + points[i]))
  looks.push(points[last] - NEAR_SHADOW * (points[last] - points[last - 1]))
  const out: [number, number][] = []
  /** Where the light that now shines began, or -1 in the dark. */
  let since = -1
  /** Next point of division. */
  let next = 1
  const emit = (until: number): void => {
    for (; next < last && points[next] < until; next++) {
      if (since >= 0) out.push([since, points[next]])
      if (since >= 0) since = points[next]
    }
    if (since >= 0 && until > since) out.push([since, until])
  }
  let before = visible(looks[0])
  if (before) since = 0
  for (let i = 1; i < looks.length; i++) {
    const now = visible(looks[i])
    if (now === before) continue
    let [a, b] = [looks[i - 1], looks[i]]
    while (b - a > tolerance) {
      const middle = 0.5 * (a + b)
      if (visible(middle) === before) a = middle
      else b = middle
    }
    const boundary = 0.5 * (a + b)
    emit(boundary)
    since = now ? boundary : -1
    before = now
  }
  emit(points[last])
  return out
}

/** Ends of the segments of an edge [m from its start], ascending from 0 to `whole`. */
function division(whole: number, fans: StripFan[], segmentLength: number): number[] {
  const breaks: number[] = []
  if (whole > LEAST_PIECE * segmentLength) for (const fan of fans) fan.breaks(whole, breaks)
  breaks.sort((a, b) => a - b)
  const least = Math.min(LEAST_PIECE * segmentLength, 0.5 * whole)
  const points = [0]
  let from = 0
  for (const to of [...breaks, whole]) {
    if (to < whole && (to - from < least || whole - to < least)) continue
    const count = Math.ceil((to - from) / segmentLength - 1e-9)
    const short = (t: number): boolean =>
      count > 1 && fans.some((fan) => (fan.at(t), fan.length < SHORT_STRIP * segmentLength))
    const start = short(from + NEAR_END * (to - from))
    const finish = short(to - NEAR_END * (to - from))
    for (let i = 1; i < count; i++) points.push(from + (to - from) * graded(i / count, start, finish))
    points.push(to)
    from = to
  }
  return points
}

/** 0 to 1 onto itself, with quadratic steps at the ends asked for. */
function graded(s: number, start: boolean, finish: boolean): number {
  if (start && finish) return s < 0.5 ? 2 * s * s : 1 - 2 * (1 - s) ** 2
  if (start) return s * s
  return finish ? 1 - (1 - s) ** 2 : s
}
