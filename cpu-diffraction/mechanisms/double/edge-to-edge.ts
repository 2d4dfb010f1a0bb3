import { groupByKey } from '../../../math/partition.js'
import { type Aspect, cross, type Direction, dot, type Vec3 } from '../../../scene/index.js'
import {
  along,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  pointOn,
  vectorAt,
} from '../../geometry/edge-scene.js'
import { Arrival, EdgeAnswer, LitStrips, rimCurvatures, tubeWidth } from './edge-answer.js'
import type { EdgeField } from '../../currents/edge-field.js'
import { EdgeFace } from '../../currents/face.js'
import type { ImageLight } from '../../light/image-light.js'
import { MOMENTS, type Truncation } from '../../currents/strip.js'
import type { WedgeCache } from '../../currents/wedge.js'
import type { Fold, StripFolds } from '../wall.js'
import { type Lighting, type Sides, sidesOf } from '../../light/segments.js'
import { grown, type StripPiece } from '../../light/lit-faces.js'

/** Edges shorter than this part of the strip's Fresnel zone are left out, but pieces of a curved rim of a plane face. */
const SHORTEST_EDGE = 0.5
/** What is left out fades, so that the field has no steps: from a limit to these times it a wave grows to its whole. */
const FADE_LENGTH = 1.25
const FADE = 2
/** Waves that run so nearly along the edge that they come to (sine of the angle) are left out, and fade from these times it. */
const ALONG_EDGE = 0.005
const FADE_ALONG = 3
/** A strip ends on an edge when it comes this near to it, in parts of the target's diagonal, or in tolerances of the mesh where these are more. */
const ON_EDGE = 1e-7
const ON_EDGE_TOLERANCES = 4

/** Waves are followed from edge to edge until they are weaker than this part of the light (estimates of V_d multiplied); */
const WEAKEST = 0.01
/**
 * while what they add is estimated at this part of the target's size at least: the strength times this many times the lit length of the
 * edge, or 2/(k slope) where the phase runs away before, as it is seen on the edge that the wave comes to;
 */
const NEGLIGIBLE = 3e-4
const STRONGEST = 0.5
/** and over so many faces at most. */
const MAX_FACES = 6

/** A face that a wave crosses from one edge to another, after so many others: what does not depend on the place on the edge. */
class Crossing {
  /** The strips that bring the wave. */
  readonly strips: LitStrips
  /** 2 e + i of the edge and face that the wave starts from, the number of the wave that lights it, and whether it lights the face. */
  at = -1
  wave = -1
  lit = false
  incoming: Aspect = { tx: direction(), rx: direction() }
  /** Direction of the strips, sin and cos of the angle between the edge's z and incidence, and |cos(phi0/2)|. */
  readonly u: Vec3 = [NaN, NaN, NaN]
  sin = NaN
  cos = NaN
  a = NaN
  /** Whether `source` is aimed; false where the edge is then seen end-on. */
  aimed = false
  open = false
  readonly source: EdgeFace
  /** The wave along the face as it comes to the edge at the strips' other end: its amplitude is V_d exp(jL) of all strips that bring it. */
  readonly arrival: Arrival
  /** Direction in which it comes there, and the sign of its E: both turn at every wall on the way. */
  readonly onward: Vec3 = [NaN, NaN, NaN]
  sign = 0
  /** What that edge radiates. */
  readonly answer: EdgeAnswer

  constructor(truncation: Truncation, answer: EdgeAnswer, wavenumbers: number) {
    this.source = new EdgeFace(truncation)
    this.answer = answer
    this.arrival = new Arrival({ tx: direction(), rx: direction() }, wavenumbers)
    this.strips = new LitStrips(this.arrival.aspect)
  }
}

/**
 * Edge to edge across faces (docs/second-order.md). The wave that an edge sends along its face meets the edge at the strip's other
 * end as a plane wave at grazing incidence, whose H on the face is that of the strip's current there, 2 H_z V_d(l)/sin beta0; this
 * edge's fringe currents on both its faces follow as under any plane wave, and send waves in turn. Only the part with E across the
 * face: the other vanishes on it. A wall at right angles to the face turns a wave back over it, E reversed.
 *
 * At grazing the wave of the edge over which the light comes cancels the light: V_d -> -1/2 on one side of the face, +1/2 on the other.
 * A series cut after two edges therefore is missing what cancels waves that begin at the far edges. So a first strip that runs with the light
 * at grazing incidence counts as part of the light. Waves weaken along all others, |V_d| about 1/(2 sqrt(2 pi L)), and are followed until they are weak. One
 * object per thread.
 */
export class EdgeToEdge {
  /** Edges and places (0, 1) of each side of each face, 2 e + i, from `first` of its key on. */
  private readonly first: Uint32Array
  private readonly edgesOf: Uint32Array
  private readonly crossings: Crossing[]
  /** See `rimCurvatures`. */
  private readonly bent: Float64Array
  private readonly moments = new Float64Array(MOMENTS)
  /** Numbers of waves given out. */
  private numbers = 0
  /** The light on the edge: of the whole field, and of what a face in its plane or an edge behind one has of it. */
  private readonly light: Aspect = { tx: direction(), rx: direction() }
  private number = -1
  private seen!: ImageLight
  private sides!: Sides
  private at = 0
  private whole = NaN

  /**
   * @param size       see `RayScene.size`
   * @param strips     null where walls do not count
   */
  constructor(
    private readonly scene: EdgeScene,
    truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly paths: EdgeField,
    private readonly size: number,
    private readonly strips: StripFolds | null,
  ) {
    const { k } = paths
    this.crossings = Array.from({ length: MAX_FACES }, () => {
      const answer = new EdgeAnswer(scene, truncation, wedges, paths, strips)
      return new Crossing(truncation, answer, k.length)
    })
    this.bent = rimCurvatures(scene)
    const sides = Uint32Array.from({ length: 2 * scene.count }, (_, at) => this.sideOf(at))
    const { start, order } = groupByKey(sides, 2 * scene.outlineStart.length)
    this.first = start
    this.edgesOf = order
  }

  /**
   * Takes face i of edge e under a wave. False where no wave along the face finds another edge of it.
   * @param whole     length of what of the edge is lit [m]
   * @param lighting  of the edge under the wave
   * @param seen      what images of the receiver see
   */
  aim(
    e: number,
    i: number,
    whole: number,
    { tx, rx }: Aspect,
    { lit, share }: Lighting,
    seen: ImageLight,
  ): boolean {
    this.at = 2 * e + i
    this.whole = whole
    this.seen = seen
    if (!this.mayCross(this.at)) return false
    const { r } = tx
    this.sides = sidesOf(this.scene, FRAMES_SIZE * e + 9 * i, r, lit[i], share)
    const { weight } = this.sides
    const { light } = this
    for (let c = 0; c < 3; c++) {
      light.tx.r[c] = r[c]
      light.tx.thetaHat[c] = weight * tx.thetaHat[c]
      light.tx.phiHat[c] = weight * tx.phiHat[c]
    }
    light.rx = rx
    for (const { arrival } of this.crossings) arrival.aspect.rx = rx
    this.number = this.numbers++
    return true
  }

  /**
   * Adds what the wave along a piece of the face's strips does at other edges.
   * @param psi  phase path of the light at the piece's midpoint, and of the origin [m]
   */
  add({ t, piece, length, slope, weight }: StripPiece, psi: number): void {
    const { strips } = this.crossings[0]
    strips.at = this.at
    strips.t = t
    strips.piece = piece
    strips.length = length
    strips.slope = slope
    strips.light = this.light
    strips.wave = this.number
    strips.psi = psi
    for (const lit of this.sides.lit) {
      strips.lit = lit
      this.follow(0, 1, weight)
    }
  }

  /** Whether the face's side has another edge long enough for a strip of the shortest kind. */
  private mayCross(at: number): boolean {
    const key = this.sideOf(at)
    return this.first[key + 1] - this.first[key] > 1
  }

  /**
   * Adds what a crossing's strips do at the edge they end on, and what becomes of the wave from there.
   *
   * @param faces     that the wave has crossed before
   * @param strength  of the wave, estimated, in parts of the light
   * @param weight    of what it adds, below 1 near the limits
   */
  private follow(faces: number, strength: number, weight: number): void {
    const { edges, frames } = this.scene
    const crossing = this.crossings[faces]
    const { strips } = crossing
    const { at, piece, length: l, slope } = strips
    const e = at >> 1
    const p = EDGE_SIZE * e
    const least = SHORTEST_EDGE * Math.sqrt((2 * Math.PI * l) / this.paths.highest)
    if (!this.isBent(at)) weight *= grown(edges[p + 6] / least, FADE_LENGTH)
    if (weight === 0 || !this.mayCross(at)) return
    if (crossing.at !== at || crossing.wave !== strips.wave || crossing.lit !== strips.lit)
      this.setCrossing(crossing)
    const { u, sin } = crossing
    const spread = 0.5 / Math.sqrt(2 * Math.PI * this.paths.lowest * l * sin * sin)
    // The more a first strip runs with the light, the less its current weakens: not at all at grazing incidence, where a is 0.
    strength *= faces === 0 ? Math.min(1, spread / Math.min(1, 2 * crossing.a ** 2)) : Math.min(0.5, spread)
    // dl/dz turned to the edge's tangent.
    const turned =
      along(frames, FRAMES_SIZE * e + 9 * (at & 1) + 6, vectorAt(edges, p + 3)) < 0 ? -slope : slope
    const adding = Math.min(
      this.whole,
      2 / (this.paths.highest * Math.abs(this.phaseSlope(crossing, p, turned))),
    )
    // Length of the other edge per length of this one: where strips run nearly along that edge, a short piece lights all of it.
    const stretch = Math.sqrt(Math.max(0, (1 - slope * crossing.cos) ** 2 + (slope * sin) ** 2))
    weight *= grown((strength * STRONGEST * adding * stretch) / (NEGLIGIBLE * this.size), FADE)
    if (weight === 0) return
    const { arrival } = crossing
    const fold = this.findEnd(crossing)
    const hit = arrival.at
    if (hit < 0) return
    weight *= fold?.share ?? 1
    if (!this.isBent(hit)) weight *= grown(edges[EDGE_SIZE * (hit >> 1) + 6] / least, FADE_LENGTH)
    if (weight === 0) return
    if (!crossing.aimed) this.aimCrossing(crossing)
    if (!crossing.open) return
    const onward = fold?.u ?? u
    const length = fold?.length ?? l
    this.setArrival(crossing, onward, fold && fold.walls.length % 2 ? -1 : 1)
    // The other edge's piece that these strips end on.
    const h = EDGE_SIZE * (hit >> 1) + 3
    const cos = along(edges, h, onward)
    const across = Math.sqrt(Math.max(0, 1 - cos * cos))
    weight *= grown(across / ALONG_EDGE, FADE_ALONG)
    if (weight === 0) return
    arrival.piece = (piece * sin) / across
    arrival.path = strips.psi - length
    this.setCurrent(crossing, length, faces)
    if (this.isBent(at)) {
      this.spread(crossing, length)
      weight *= 1 - Math.exp(-((this.paths.lowest * length * sin * sin) ** 2))
    }
    const { answer } = crossing
    if (!answer.add(arrival, this.seen, weight)) return
    if (faces === 0) answer.addEnds(strips, fold, this.seen, weight)
    weight *= grown(strength / WEAKEST, FADE)
    if (weight === 0 || faces + 1 === MAX_FACES) return
    const { strips: next } = this.crossings[faces + 1]
    // What lies beyond the edge's ends, of strips that a wall has turned, goes on from no edge.
    const start = Math.max(0, arrival.t - 0.5 * arrival.piece)
    const end = Math.min(edges[EDGE_SIZE * (hit >> 1) + 6], arrival.t + 0.5 * arrival.piece)
    const slant = along(edges, EDGE_SIZE * (hit >> 1) + 3, arrival.aspect.tx.r)
    next.light = arrival.aspect
    next.wave = arrival.wave
    for (let j = 0; j < 2; j++) {
      // As the first, each piece is cut where the strips that go on reach a corner.
      const breaks = answer.breaks[j]
      for (let b = 0, from = start; b <= breaks.length; b++) {
        const to = b < breaks.length ? Math.min(breaks[b], end) : end
        if (to <= from) continue
        answer.goOn(j, 0.5 * (from + to), next)
        next.at = (hit & ~1) + j
        next.piece = to - from
        next.lit = j === (hit & 1)
        next.psi = arrival.path + (next.t - arrival.t) * slant
        this.follow(faces + 1, strength, weight)
        from = to
      }
    }
  }

  /** Sets where a crossing's strips end on an edge; gives the strips after their folds, if they run into a wall. */
  private findEnd({ u, arrival, strips: { at, t, length: l, light } }: Crossing): Fold | undefined {
    const { strips, scene } = this
    const e = at >> 1
    const end = pointOn(scene, e, t)
    for (let c = 0; c < 3; c++) end[c] += l * u[c]
    this.findEdge(end, at, e, arrival)
    if (arrival.at >= 0 || !strips?.mayFold(e, at & 1)) return undefined
    const fold = strips.find(e, at & 1, t, l, light.tx.r, false).at(-1)
    if (fold) this.findEdge(fold.end, at, -1, arrival)
    return fold
  }

  /** Slope along the edge at position p of the phase path over strips' ends to the receiver, where their length has the slope `rise`. */
  private phaseSlope({ u, incoming: { tx, rx } }: Crossing, p: number, rise: number): number {
    const { edges } = this.scene
    let slope = -rise
    for (let c = 0; c < 3; c++) slope += (tx.r[c] + rx.r[c]) * edges[p + 3 + c] + rise * rx.r[c] * u[c]
    return slope
  }

  /** Takes the edge and face of a crossing's strips under their wave: their direction, and how much they run with the light. */
  private setCrossing(crossing: Crossing): void {
    const { frames } = this.scene
    const { u } = crossing
    const { at, light, wave, lit } = crossing.strips
    const { r } = light.tx
    crossing.at = at
    crossing.wave = wave
    crossing.lit = lit
    crossing.incoming = light
    crossing.aimed = false
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    const ix = along(frames, f, r)
    const iy = along(frames, f + 3, r)
    const iz = along(frames, f + 6, r)
    const sin = Math.hypot(ix, iy)
    crossing.sin = sin
    crossing.cos = iz
    // |cos(phi0/2)|
    crossing.a = Math.sqrt(Math.max(0, 0.5 + (0.5 * ix) / sin))
    for (let c = 0; c < 3; c++) u[c] = sin * frames[f + c] - iz * frames[f + 6 + c]
  }

  /** Aims the source of a crossing. */
  private aimCrossing(crossing: Crossing): void {
    const { edges, frames } = this.scene
    const { source, at, lit, u } = crossing
    const { tx, rx } = crossing.incoming
    crossing.aimed = true
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    // Observed along the strip, the current's phase is taken out of R: R = V_d exp(jL) - V_d(0) - jS.
    const wedge = this.wedges.get(edges[EDGE_SIZE * (at >> 1) + 7])
    crossing.open = source.aim(wedge, frames, f, { tx, rx: { ...rx, r: u } }, lit)
    crossing.sign = 0
  }

  /** Sets the wave that a crossing brings to the other edge in the direction u. @param sign  of its E */
  private setArrival(crossing: Crossing, u: Vec3, sign: number): void {
    const { onward, arrival, at, incoming, sin } = crossing
    if (crossing.sign === sign && onward.every((v, c) => v === u[c])) return
    crossing.sign = sign
    arrival.wave = this.numbers++
    const { frames } = this.scene
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    const y = vectorAt(frames, f + 3)
    const z = vectorAt(frames, f + 6)
    const { tx } = incoming
    const wave = arrival.aspect.tx
    for (let c = 0; c < 3; c++) {
      onward[c] = u[c]
      wave.r[c] = -u[c]
    }
    for (const key of ['thetaHat', 'phiHat'] as const) {
      // Z H at the edge, along z; half of the H on the face, across the strip, and its E, along y.
      const hz = -dot(cross(tx.r, tx[key]), z)
      for (let c = 0; c < 3; c++) wave[key][c] = (sign * hz * y[c]) / sin
    }
  }

  /** Key of a face's side at an edge: 2 e + i. */
  private sideOf(at: number): number {
    return 2 * this.scene.faces[at] + (this.scene.sides[at] > 0 ? 1 : 0)
  }

  /** Sets place and edge, other than `own`, of the side of a face (2 e + i) that a point lies on, or -1. */
  private findEdge([x, y, z]: Vec3, at: number, own: number, arrival: Arrival): void {
    const { edgesOf, first } = this
    const { edges, diagonal, tolerance } = this.scene
    const key = this.sideOf(at)
    const near = Math.max(ON_EDGE * diagonal, ON_EDGE_TOLERANCES * tolerance)
    arrival.at = -1
    for (let i = first[key]; i < first[key + 1]; i++) {
      const other = edgesOf[i]
      if (other >> 1 === own) continue
      const p = EDGE_SIZE * (other >> 1)
      const dx = x - edges[p]
      const dy = y - edges[p + 1]
      const dz = z - edges[p + 2]
      const t = dx * edges[p + 3] + dy * edges[p + 4] + dz * edges[p + 5]
      if (t < -near || t > edges[p + 6] + near) continue
      const ox = dx - t * edges[p + 3]
      const oy = dy - t * edges[p + 4]
      const oz = dz - t * edges[p + 5]
      const square = ox * ox + oy * oy + oz * oz
      if (square >= near * near) continue
      arrival.at = other
      // Off its ends, from where strips would go on to one side or the other by rounding; of two that meet there, the first.
      const inside = Math.min(near, 0.5 * edges[p + 6])
      arrival.t = Math.min(Math.max(t, inside), edges[p + 6] - inside)
      return
    }
  }

  /** Whether an edge is a piece of a curved rim of its face. */
  private isBent(at: number): boolean {
    const { bent } = this
    return bent[3 * at] !== 0 || bent[3 * at + 1] !== 0 || bent[3 * at + 2] !== 0
  }

  /**
   * Strips of a curved rim converge or spread: by the width J of their tube after a length l the amplitude is 1/sqrt(J), and behind a
   * caustic, where J < 0, a quarter of a period ahead. Pieces count by their width at the source, hence sqrt|J|. Rays need kl sin^2 beta0 > 1:
   * shorter strips, along the rim, fade.
   */
  private spread({ sin, at, incoming, arrival: { current } }: Crossing, l: number): void {
    const J = tubeWidth(this.scene, this.bent, at, incoming.tx.r, sin, l)
    const root = Math.sqrt(Math.abs(J))
    for (let o = 0; o < current.length; o += 2) {
      const [re, im] = [root * current[o], root * current[o + 1]]
      current[o] = J < 0 ? -im : re
      current[o + 1] = J < 0 ? re : im
    }
  }

  /** Sets V_d exp(jL) of the source's strips of length l, at all wavenumbers, times those of the faces crossed before. */
  private setCurrent({ source, arrival: { current } }: Crossing, l: number, crossed: number): void {
    const { moments, crossings } = this
    const { k, lowest } = this.paths
    const perK = l * source.strip.sinBeta0 ** 2
    const mu = 1 - 2 * source.strip.c ** 2
    for (let n = 0, o = 0; n < k.length; n++, o += 2) {
      source.strip.moments(k[n] * perK, lowest * perK, moments)
      const re = moments[4] + source.strip.V0 - mu * moments[1]
      const im = moments[5] + mu * moments[0]
      const a = crossed === 0 ? 1 : crossings[crossed - 1].arrival.current[o]
      const b = crossed === 0 ? 0 : crossings[crossed - 1].arrival.current[o + 1]
      current[o] = re * a - im * b
      current[o + 1] = re * b + im * a
    }
  }
}

const direction = (): Direction => ({
  thetaDeg: NaN,
  phiDeg: NaN,
  r: [NaN, NaN, NaN],
  thetaHat: [NaN, NaN, NaN],
  phiHat: [NaN, NaN, NaN],
})
