import { type Aspect, type Direction, dot, type Vec3 } from '../../../scene/index.js'
import type { EdgeField } from '../../currents/edge-field.js'
import { EdgeFace } from '../../currents/face.js'
import type { Truncation } from '../../currents/strip.js'
import type { WedgeCache } from '../../currents/wedge.js'
import {
  along,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  meetingEnds,
  pointOn,
  vectorAt,
} from '../../geometry/edge-scene.js'
import type { ImageLight } from '../../light/image-light.js'
import { StripFan } from '../../light/strip-walk.js'
import { addFolds, behind, type Fold, type StripFolds } from '../wall.js'

/** A wave that runs this nearly along an edge (square of the sine) meets the wall behind it at the wall's own rim: images do not see its answer. */
const ALONG_EDGE = 0.3
/** What they see of it grows to its whole from there to this square of the sine. */
const ACROSS_EDGE = 0.4

/** Strips of a piece of an edge, on one face under a wave. */
export class LitStrips {
  /** 2 e + i of the edge and face. */
  at = -1
  /** See `TakePiece`. */
  t = NaN
  piece = NaN
  length = NaN
  slope = NaN
  /** Number of the wave; whether it lights the face. */
  wave = -1
  lit = false
  /** Phase path of the wave at their foot, and of the origin [m]. */
  psi = NaN

  /** @param light  the wave at their edge, and the receiver */
  constructor(public light: Aspect) {}
}

/** A wave that comes to a piece of an edge along one of its faces. */
export class Arrival {
  /** 2 e + i of the edge and the face, and the distance from its start [m]; -1: no edge. */
  at = -1
  t = NaN
  piece = NaN
  /** The wave and the receiver; its number: another one means another wave. */
  readonly aspect: Aspect
  wave = -1
  /** Phase path of the wave there, and of the origin [m]. */
  path = NaN
  /** Its amplitude, re and im for each wavenumber. */
  readonly current: Float64Array

  constructor(aspect: Aspect, wavenumbers: number) {
    this.aspect = aspect
    this.current = new Float64Array(2 * wavenumbers)
  }
}

/** An edge as one receiver sees it, or one of its images. */
class View {
  /** 2 e + i of the edge that the faces are aimed at, and the number of the wave. */
  at = -1
  wave = -1
  open = false
  readonly faces: [EdgeFace, EdgeFace]

  constructor(truncation: Truncation) {
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
  }
}

/** What an edge radiates under a wave that comes along one of its faces (`EdgeToEdge`). Keeps what does not depend on the place on the edge. */
export class EdgeAnswer {
  /** Where on the edge the strips that go on over its faces reach corners [m from its start], ascending. */
  readonly breaks: [number[], number[]] = [[], []]
  /** Numbers of the receivers that see it. */
  private images: number[] = []
  /** How much of it all but the receiver itself see, 0 to 1. */
  private across = NaN
  private readonly views: View[] = []
  private readonly fans: [StripFan, StripFan]
  private readonly face: EdgeFace

  constructor(
    private readonly scene: EdgeScene,
    private readonly truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly field: EdgeField,
    private readonly strips: StripFolds | null,
  ) {
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.face = new EdgeFace(truncation)
  }

  /**
   * Adds the fringe currents of a piece of an edge, as the receiver and its images see them. Sets `breaks`. False where the wave runs
   * along the edge.
   * @param weight  of all that is added
   */
  add(arrival: Arrival, seen: ImageLight, weight: number): boolean {
    const { field, fans, strips } = this
    const { at, t, piece, aspect, current } = arrival
    const e = at >> 1
    const point = pointOn(this.scene, e, t)
    const folds: Fold[][] = []
    this.images = this.imagesOf(at, t, aspect.tx.r, seen)
    for (const image of this.images) {
      const { r, path } = seen.waves[image]
      const rx = receiver(aspect.rx, image, seen)
      const view = this.view(image, arrival, rx)
      if (!view.open) return false
      const seenPart = image === 0 ? weight : weight * this.across
      const way = arrival.path + path
      const psi = way + dot(r, point)
      field.openSegment(psi, piece, seenPart, current)
      for (let j = 0; j < 2; j++) {
        if (image === 0) {
          fans[j].at(t)
          folds[j] = strips?.mayFold(e, j) ? strips.find(e, j, t, fans[j].length, aspect.tx.r, true) : []
        }
        field.addFace(view.faces[j], fans[j].length, fans[j].slope, 0)
      }
      field.closeSegment()
      for (let j = 0; j < 2; j++) {
        if (folds[j].length === 0) continue
        const { length, slope } = fans[j]
        const strips = {
          length,
          slope,
          isUniform: true,
          piece,
          weight: seenPart,
          point,
          path: way,
          current,
          rx,
        }
        addFolds(field, this.face, folds[j], strips, (image) =>
          this.aim(this.face, (at & ~1) + j, { tx: aspect.tx, rx: image }, j === (at & 1)),
        )
      }
    }
    return true
  }

  /** Sets place, length and slope of the strips that go on over face j of the edge from a place on it. */
  goOn(j: number, t: number, strips: LitStrips): void {
    const fan = this.fans[j]
    fan.at(t)
    strips.t = t
    strips.length = fan.length
    strips.slope = fan.slope
  }

  /**
   * Adds the ends of strips, where they brought the wave of the last `add`, as the receiver's images see them. What images see of the near
   * part is in the rays that the strips' edge diffracts (`ReflectedEdges`), which know of no end.
   *
   * @param fold  what becomes of the strips, if they run into walls
   */
  addEnds(strips: LitStrips, fold: Fold | undefined, seen: ImageLight, weight: number): void {
    const { scene, face, field, images } = this
    const { at, piece, light, lit, psi } = strips
    const { length, slope } = fold ?? strips
    const walls = fold?.walls ?? []
    const point = pointOn(scene, at >> 1, strips.t)
    for (const image of images) {
      if (image === 0) continue
      const rx = behind(receiver(light.rx, image, seen), walls)
      const aspect = { tx: light.tx, rx: rx.direction }
      if (!this.aim(face, at, aspect, lit)) continue
      const path = psi + seen.waves[image].path + rx.path + dot(rx.direction.r, point)
      field.openSegment(path, piece, weight * this.across)
      field.addEnd(face, length, slope)
    }
  }

  /** Numbers of the receiver (0) and those of its images that see a place of an edge under a wave from r. */
  private imagesOf(at: number, t: number, r: Vec3, seen: ImageLight): number[] {
    const { edges } = this.scene
    const e = at >> 1
    const p = EDGE_SIZE * e
    const out = [0]
    const cos = along(edges, p + 3, r)
    this.across = Math.min(1, (1 - cos * cos - ALONG_EDGE) / (ACROSS_EDGE - ALONG_EDGE))
    if (this.across <= 0) return out
    for (let w = 1; w < seen.waves.length; w++) if (contains(seen.parts(e, w), t)) out.push(w)
    return out
  }

  /** Aims a face at an edge's face 2 e + i. */
  private aim(face: EdgeFace, at: number, aspect: Aspect, lit: boolean): boolean {
    const { edges, frames } = this.scene
    const wedge = this.wedges.get(edges[EDGE_SIZE * (at >> 1) + 7])
    return face.aim(wedge, frames, FRAMES_SIZE * (at >> 1) + 9 * (at & 1), aspect, lit)
  }

  private view(image: number, { at, aspect: { tx }, wave }: Arrival, rx: Direction): View {
    const { fans } = this
    const view = (this.views[image] ??= new View(this.truncation))
    if (view.at === at && view.wave === wave) return view
    view.at = at
    view.wave = wave
    const e = at >> 1
    const aspect = { tx, rx }
    view.open = true
    for (let j = 0; j < 2; j++) {
      const face = view.faces[j]
      view.open &&= this.aim(face, (at & ~1) + j, aspect, j === (at & 1))
      if (!view.open || image > 0) continue
      fans[j].aim(e, j, face.strip.sinBeta0, face.strip.cosBeta0)
      const breaks = this.breaks[j]
      breaks.length = 0
      fans[j].breaks(this.scene.edges[EDGE_SIZE * e + 6], breaks)
    }
    return view
  }
}

/** The receiver's image of a number; 0 is the receiver. */
function receiver(rx: Direction, image: number, { waves }: ImageLight): Direction {
  const { r, thetaHat, phiHat } = waves[image]
  return image === 0 ? rx : { ...rx, r, thetaHat, phiHat }
}

/** Whether a place lies in one of some parts, from and to in turn. */
function contains(parts: number[], t: number): boolean {
  for (let i = 0; i < parts.length; i += 2) if (t >= parts[i] && t <= parts[i + 1]) return true
  return false
}

/** Largest turn between edges of one rim [rad]: beyond it they meet in a corner. */
const TURN = (35 * Math.PI) / 180
/** Edges in line are no rim (1 - cosine of the turn). */
const STRAIGHT = 1e-9

/**
 * Curvature vectors [1/m] of rims, 3 components for each edge and face, 2 e + i: 0 where an end of the edge is a corner, or where the face
 * goes on over a bend.
 */
export function rimCurvatures(scene: EdgeScene): Float64Array {
  const { count, edges, vertices, faces, across, outlineFace } = scene
  const bent = new Float64Array(6 * count)
  const smooth = new Set<number>()
  for (let o = 0; o < across.length; o++) if (across[o] >= 0) smooth.add(outlineFace[o])
  const ends = new Map(meetingEnds(scene).map((list) => [vertices[list[0]], list]))
  for (let at = 0; at < 2 * count; at++) {
    const e = at >> 1
    const p = EDGE_SIZE * e
    const face = faces[at]
    if (smooth.has(face)) continue
    const sum = [0, 0, 0]
    let turns = 0
    for (let end = 0; end < 2; end++) {
      const next = ends
        .get(vertices[2 * e + end])!
        .filter((x) => x >> 1 !== e && (faces[x & ~1] === face || faces[x | 1] === face))
      if (next.length !== 1) continue
      const q = EDGE_SIZE * (next[0] >> 1)
      // The neighbour's tangent in the direction of this edge's.
      const sign = (next[0] & 1) === end ? -1 : 1
      let cos = 0
      for (let c = 3; c < 6; c++) cos += sign * edges[p + c] * edges[q + c]
      if (cos < Math.cos(TURN) || cos > 1 - STRAIGHT) continue
      turns++
      const perLength = (end === 1 ? 1 : -1) / (edges[p + 6] + edges[q + 6])
      for (let c = 0; c < 3; c++) sum[c] += perLength * (sign * edges[q + 3 + c] - edges[p + 3 + c])
    }
    if (turns === 2) bent.set(sum, 3 * at)
  }
  return bent
}

/**
 * Width J of the tube of strips that the rim at 2 e + i sends over its face, after a length l [m], in its first: by the turn of their
 * direction u as the rim turns under light from r, whose angle with the edge has the sine `sin`. Negative behind a caustic.
 */
export function tubeWidth(
  { frames }: EdgeScene,
  bent: Float64Array,
  at: number,
  r: Vec3,
  sin: number,
  l: number,
): number {
  const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
  // Curvature in the face and out of it, and the light across the edge.
  const curvature = vectorAt(bent, 3 * at)
  const [g, h] = [along(frames, f, curvature), along(frames, f + 3, curvature)]
  const [ix, iy] = [along(frames, f, r), along(frames, f + 3, r)]
  return 1 - (l * (g + (g * ix + h * iy) / sin)) / sin
}
