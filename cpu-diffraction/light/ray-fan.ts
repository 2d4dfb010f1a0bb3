import { DOUBLE_OFFSET, GRAZING_COSINE, RayCaster, type RayScene } from '../../rays/index.js'
import type { Vec3 } from '../../scene/index.js'
import { type FanEdge, FanReach } from './fan-reach.js'
import { NEAR_ZONE, PENUMBRA, penumbraFading } from '../currents/wedge-wave.js'
import { conducts } from '../geometry/edge-scene.js'

/** Reflections of a diffracted ray that are followed. */
const MAX_REFLECTIONS = 3
/** The first rays of a fan (decision 014) are at most this far apart [rad], and this part of a Fresnel zone at the end of the penumbra there; */
const FIRST_STEP = 0.3
const FIRST_ZONES = 0.42
/** where two neighbours meet other planes, the boundary between is found to within this part of a Fresnel zone there. */
const BOUNDARY_ZONES = 0.02
/**
 * Fans of two places along the edge that meet the same planes in the same order have boundaries that are straight lines between; where
 * they do not, halves of the piece between follow, down to this part of a Fresnel zone's width at what it lights;
 */
const PIECE_ZONES = 0.06
/** as do halves where a boundary moves by more than this part of a Fresnel zone at its rays' end: it need not be straight; */
const BEND_ZONES = 0.1
/** what meets the same radiates in parts of this part of it. */
const SMOOTH_ZONES = 0.32
/** The first pieces may be this part of a Fresnel zone, or of the target's size, long. */
const FIRST_LENGTH = 0.02
const FIRST_PIECE = 1 / 150
/**
 * Pieces end at this part of the first pieces, are halved at this part of them, and keep this part of them from the edge's ends: targets have
 * boundaries at round parts of edges, where rounding would decide.
 */
const FIRST_END = 0.0137
const HALF = 0.4871
const NEAR_END = 0.003
/** What is nearer to an edge than this part of a wavelength hides what lies behind it, and nothing else: faces that are there twice. */
const NEAREST = 0.0625
/** What can radiate less than this part of the target's size is left out (`bound`); */
const WEAKEST = 2e-4
/** and what of a fan, between two of its rays, less than this part is not looked at more closely. */
const CLOSER = 1.2e-4
/** The outermost rays of a fan keep this far from the edge's faces [rad]. */
const FROM_FACE = 1e-4
/** First rays of a fan, and halvings of a piece, at most. */
const MOST_RAYS = 4096
const MOST_HALVES = 3
/** What follows in halves begins at least this far from a boundary, where there is room [rad]. */
const MARGIN = 0.02
/** Intervals with less than this in common do not divide what is between [rad]. */
const NARROWEST = 1e-3
/** Numbers per ray in `Fan.hits`. */
const HIT = 4

/** A fan's rays between two azimuths, in the middle of a piece of the edge, which all meet the same planes. */
export interface RayBundle {
  from: number
  to: number
  /** By how much both grow along the edge [rad/m]. */
  fromSlope: number
  toSlope: number
  /** Facets met in order; the first `count` count. */
  facets: Int32Array
  count: number
  /** Bit m: the receiver sees hit m, on the side that the ray meets. */
  visible: number
}

/** What takes the bundles of a fan. */
export interface BundleSink {
  /** A piece of the edge, from its start [m], to which the bundles to come belong. */
  openPiece(middle: number, length: number): void
  /** The bundle is written over afterwards. */
  add(bundle: RayBundle): void
}

/** The fan from one place of an edge: its rays, and the intervals of azimuth in which they meet the same planes. */
class Fan {
  /** Of the first interval [rad], and where each ends; the ray that stands for it. */
  start = 0.5
  count = 0
  to = new Float64Array(64)
  ray = new Int32Array(64)
  rays = 0
  /** By ray: way to its last and its first hit that counts [m], and how many: up to the last that the receiver sees. */
  way = new Float64Array(64)
  first = new Float64Array(64)
  hitCount = new Int32Array(64)
  /** Bit m: the receiver sees hit m. */
  visible = new Int32Array(64)
  facets = new Int32Array(64 * MAX_REFLECTIONS)
  /** Planes met, with their sides. */
  meets = new Int32Array(64 * MAX_REFLECTIONS)
  /** How much longer than a piece of the edge is what a ray from there lights along it, at most. */
  stretch = new Float64Array(64)
  /** HIT numbers for the hit that may radiate most: `strength`, length over which it adds up along the edge, way, length across the fan [m]. */
  hits = new Float64Array(64 * HIT)

  clear(start: number): void {
    this.start = start
    this.count = 0
    this.rays = 0
  }

  /** Place of a new ray. */
  open(): number {
    if (this.rays === this.way.length) {
      this.way = twice(this.way)
      this.first = twice(this.first)
      this.hitCount = twice(this.hitCount)
      this.visible = twice(this.visible)
      this.facets = twice(this.facets)
      this.meets = twice(this.meets)
      this.stretch = twice(this.stretch)
      this.hits = twice(this.hits)
    }
    return this.rays++
  }

  /** A ray that meets nothing. */
  empty(): number {
    const ray = this.open()
    this.visible[ray] = 0
    this.hitCount[ray] = 0
    this.way[ray] = 0
    return ray
  }

  /** Adds what follows up to an azimuth, in one with the last interval where it meets the same as that. */
  add(to: number, ray: number): void {
    const last = this.count - 1
    if (last >= 0 && sameWay(this, this.ray[last], this, ray)) {
      this.to[last] = to
      return
    }
    if (this.count === this.to.length) {
      this.to = twice(this.to)
      this.ray = twice(this.ray)
    }
    this.to[this.count] = to
    this.ray[this.count++] = ray
  }

  from(interval: number): number {
    return interval === 0 ? this.start : this.to[interval - 1]
  }

  /** The first interval that reaches beyond an azimuth, and the first from `at` on that reaches to one; the last where none does. */
  beyond(azimuth: number): number {
    let at = 0
    while (this.to[at] <= azimuth && at < this.count - 1) at++
    return at
  }
  reaching(azimuth: number, at: number): number {
    while (this.to[at] < azimuth && at < this.count - 1) at++
    return at
  }
}

/** A piece of the edge between two places [m from its start], and the fans from them. */
interface Piece {
  z0: number
  z1: number
  f0: Fan
  f1: Fan
}

function twice<T extends Float64Array | Int32Array>(values: T): T {
  const longer = new (values.constructor as new (length: number) => T)(2 * values.length)
  longer.set(values)
  return longer
}

/** Whether what the receiver sees of ray a of one fan and ray b of another lies on the same planes. */
function sameWay(one: Fan, a: number, other: Fan, b: number): boolean {
  const visible = one.visible[a]
  if (visible !== other.visible[b]) return false
  if (visible === 0) return true
  for (let m = 0; m < one.hitCount[a]; m++)
    if (one.meets[MAX_REFLECTIONS * a + m] !== other.meets[MAX_REFLECTIONS * b + m]) return false
  return true
}

/** Directions of a Keller cone by cos and sin of the azimuth: out = sinBeta (cos a x + sin a y) + cosBeta z, in a face's frame at `at`. */
export function coneDirection(
  frame: Float64Array,
  at: number,
  sinBeta: number,
  cosBeta: number,
  cos: number,
  sin: number,
  out: Float64Array | Vec3,
): void {
  const cx = sinBeta * cos
  const cy = sinBeta * sin
  for (let c = 0; c < 3; c++)
    out[c] = cx * frame[at + c] + cy * frame[at + 3 + c] + cosBeta * frame[at + 6 + c]
}

/**
 * Traces fans of diffracted rays from the edges into their penumbras: about the boundaries of incident and reflected light, as far as
 * `PENUMBRA` goes. One object per thread.
 */
export class FanTracer {
  private readonly caster: RayCaster
  private readonly direction = new Float64Array(3)
  private readonly bundle: RayBundle = {
    from: 0.5,
    to: 0.5,
    fromSlope: 0,
    toSlope: 0,
    facets: new Int32Array(MAX_REFLECTIONS),
    count: 0,
    visible: 0,
  }
  /** Of both ends of the first piece, then of its halvings. */
  private readonly fans = Array.from({ length: MOST_HALVES + 2 }, () => new Fan())
  /** The first rays' azimuths. */
  private readonly azimuths = new Float64Array(MOST_RAYS)
  private rays = 0
  private readonly reach: FanReach
  private readonly limit = (azimuth: number): number =>
    this.penumbra(this.sinSquare(Math.cos(azimuth), Math.sin(azimuth)))
  /** Azimuths of the boundaries of light between the faces, ascending, and cos and sin of all. */
  private jumps: number[] = []
  private readonly boundaries = new Float64Array(8)
  /** Length of the current piece [m]. */
  private length = 0.5
  private edge!: FanEdge
  private s!: Vec3
  private sink!: BundleSink
  private readonly p = new Float64Array(3)
  /** Way to the penumbra's end times sin^2 of half the angle from a boundary [m]. */
  private away = 0.5
  /** Length of the lit part of the edge [m]. */
  private whole = 0.5

  /**
   * @param planes    see `facetPlaneNumbers`
   * @param shortest, longest  wavelengths [m]: rays lie as close as the shortest needs, and go as far as the penumbras of the longest
   * @param size      see `RayScene.size`
   */
  constructor(
    private readonly scene: RayScene,
    private readonly planes: Int32Array,
    private readonly shortest: number,
    private readonly longest: number,
    private readonly size: number,
  ) {
    this.caster = new RayCaster(scene)
    this.reach = new FanReach(scene, MOST_RAYS)
  }

  /** Takes a lit edge; s is the direction to the receiver. */
  aim(edge: FanEdge, s: Vec3): void {
    this.edge = edge
    this.s = s
    this.away = (PENUMBRA ** 2 * this.longest) / (4 * Math.PI * edge.sinBeta ** 2)
    this.setAzimuths()
    this.reach.aim(edge, this.azimuths, this.rays, this.limit)
  }

  /**
   * Hands over what the edge's fans between two places (from its start [m]) meet and the receiver sees, piece by piece.
   */
  trace(from: number, to: number, sink: BundleSink): void {
    const { azimuths, rays } = this
    this.sink = sink
    this.whole = to - from
    const longest = Math.max(FIRST_LENGTH * this.width(this.size), FIRST_PIECE * this.size)
    const pieces = Math.ceil((to - from) / longest - 1e-9)
    const step = (to - from) / pieces
    const [first, end] = [azimuths[0], azimuths[rays - 1]]
    let [near, far] = this.fans
    this.length = step
    this.reach.find(from + NEAR_END * step, to - NEAR_END * step)
    this.cut(near, from + NEAR_END * step, first, end)
    for (let i = 0, z = from; i < pieces; i++) {
      const last = i === pieces - 1
      const next = last ? to : from + (i + 1 + FIRST_END) * step
      this.length = step
      this.cut(far, last ? to - NEAR_END * step : next, first, end)
      this.piece({ z0: z, z1: next, f0: near, f1: far }, first, end, 0)
      ;[near, far] = [far, near]
      z = next
    }
  }

  /**
   * The first rays, from every boundary of light outwards: as far apart as Fresnel zones where the penumbra ends, the ways to which grow
   * towards the boundaries. They depend on the boundaries alone, not on which of the faces is the first.
   */
  private setAzimuths(): void {
    const { azimuths, boundaries, edge } = this
    const { N, phi0 } = edge
    const at = [phi0 + Math.PI, phi0 - Math.PI, Math.PI - phi0, 2 * Math.PI * N - Math.PI - phi0]
    at.forEach((b, i) => {
      boundaries[2 * i] = Math.cos(b)
      boundaries[2 * i + 1] = Math.sin(b)
    })
    const first = FROM_FACE
    const end = N * Math.PI - FROM_FACE
    const all = at.flatMap((b) => [b - 2 * Math.PI, b, b + 2 * Math.PI]).sort((a, b) => a - b)
    this.jumps = all.filter((boundary) => boundary > first && boundary < end)
    this.rays = 0
    azimuths[this.rays++] = first
    for (let i = 0; i < all.length; i++) {
      // From half-way to the boundary before to half-way to the next one.
      const from = Math.max(first, i === 0 ? first : 0.5 * (all[i - 1] + all[i]))
      const to = Math.min(end, i === all.length - 1 ? end : 0.5 * (all[i] + all[i + 1]))
      if (!(to > from)) continue
      const middle = Math.min(to, Math.max(from, all[i]))
      this.addAzimuths(all[i], middle, from)
      this.addAzimuths(all[i], middle, to)
    }
  }

  /** Adds the azimuths from `near` to `far`, the first of them nearest to the boundary; in ascending order. */
  private addAzimuths(boundary: number, near: number, far: number): void {
    const { azimuths } = this
    const whole = Math.abs(far - near)
    if (!(whole > 0)) return
    const sign = Math.sign(far - near)
    const steps: number[] = []
    let reached = 0
    while (reached < whole && this.rays + steps.length < MOST_RAYS - 1) {
      const sin = Math.sin(0.5 * (Math.abs(near - boundary) + reached))
      const step = Math.min(FIRST_STEP, FIRST_ZONES * this.zone(this.penumbra(sin * sin)))
      steps.push(step)
      reached += step
    }
    const scale = whole / reached
    let azimuth = sign > 0 ? near : far
    for (let i = 0; i < steps.length; i++) {
      azimuth += scale * steps[sign > 0 ? i : steps.length - 1 - i]
      azimuths[this.rays++] = i === steps.length - 1 ? Math.max(near, far) : azimuth
    }
  }

  /** Length of the way along a ray to where the penumbras end [m]; see `sinSquare`. */
  private penumbra(square: number): number {
    const { away, size } = this
    return Math.min(
      Math.max(NEAR_ZONE * this.longest, away / Math.max(square, 1e-12)),
      MAX_REFLECTIONS * size,
    )
  }

  /** Angle of a Fresnel zone at a distance from the edge [rad], and its width [m]; finite at the edge. */
  private zone(way: number): number {
    return Math.sqrt(this.shortest / (way + this.shortest))
  }
  private width(way: number): number {
    return Math.sqrt(this.shortest * (way + this.shortest))
  }

  /** Cuts the fan from a place of the edge [m] between two azimuths into intervals. */
  private cut(fan: Fan, place: number, from: number, to: number): void {
    const { azimuths, rays, p, edge } = this
    for (let c = 0; c < 3; c++) p[c] = edge.start[c] + place * edge.tangent[c]
    fan.clear(from)
    let azimuth = from
    let ray = this.cast(fan, from)
    const { reached } = this.reach
    for (let i = 0; i < rays && azimuth < to; i++) {
      if (azimuths[i] <= azimuth) continue
      const next = Math.min(azimuths[i], to)
      const nextRay = azimuths[i] > to || reached[i] !== 0 ? this.cast(fan, next) : fan.empty()
      this.between(fan, azimuth, ray, next, nextRay)
      azimuth = next
      ray = nextRay
    }
  }

  /** Cuts what lies between two neighbouring rays. */
  private between(fan: Fan, from: number, a: number, to: number, b: number): void {
    if (sameWay(fan, a, fan, b)) {
      fan.add(to, a)
      return
    }
    const middle = 0.5 * (from + to)
    const angle = to - from
    if (
      angle < BOUNDARY_ZONES * this.zone(Math.max(fan.way[a], fan.way[b])) ||
      this.most(fan, a, angle) + this.most(fan, b, angle) < CLOSER * this.size
    ) {
      fan.add(middle, a)
      fan.add(to, b)
      return
    }
    const ray = this.cast(fan, middle)
    this.between(fan, from, a, middle, ray)
    this.between(fan, middle, ray, to, b)
  }

  /**
   * Hands over what lies between two azimuths of a piece, by the fans of its ends: what comes in the same order in both, from either
   * side, and by halves of the piece what does not.
   */
  private piece(piece: Piece, from: number, to: number, half: number): void {
    const { f0, f1 } = piece
    const a = f0.beyond(from)
    const b = f1.beyond(from)
    const c = f0.reaching(to, a)
    const d = f1.reaching(to, b)
    let same = 0
    while (a + same <= c && b + same <= d && sameWay(f0, f0.ray[a + same], f1, f1.ray[b + same])) same++
    if (a + same > c && b + same > d) {
      this.addSame(piece, a, b, same, from, to, half)
      return
    }
    let sameEnd = 0
    while (
      c - sameEnd >= a + same &&
      d - sameEnd >= b + same &&
      sameWay(f0, f0.ray[c - sameEnd], f1, f1.ray[d - sameEnd])
    )
      sameEnd++
    // What follows on both sides begins and ends inside of what is the same at both ends.
    let left = from
    for (; same > 0; same--) {
      const [i, j] = [a + same - 1, b + same - 1]
      const low = Math.max(from, f0.from(i), f1.from(j))
      const high = Math.min(to, f0.to[i], f1.to[j])
      if (!(high > low)) continue
      left = inside(high, low, f0.to[i] - f1.to[j])
      break
    }
    let right = to
    for (; sameEnd > 0; sameEnd--) {
      const [i, j] = [c - sameEnd + 1, d - sameEnd + 1]
      const low = Math.max(from, left, f0.from(i), f1.from(j))
      const high = Math.min(to, f0.to[i], f1.to[j])
      if (!(high > low)) continue
      right = inside(low, high, f0.from(i) - f1.from(j))
      break
    }
    this.addSame(piece, a, b, same, from, left, half)
    this.addSame(piece, c - sameEnd + 1, d - sameEnd + 1, sameEnd, right, to, half)
    const between = commonAzimuth(f0, a + same, c - sameEnd, f1, b + same, d - sameEnd, left, right)
    if (Number.isNaN(between)) this.halve(piece, left, right, half)
    else {
      this.piece(piece, left, between, half)
      this.piece(piece, between, right, half)
    }
  }

  /** Hands over what comes in another order at both ends of a piece. */
  private halve({ z0, z1, f0, f1 }: Piece, left: number, right: number, half: number): void {
    this.length = z1 - z0
    const middle = z0 + HALF * (z1 - z0)
    if (half === MOST_HALVES || !this.counts(f0, f1, left, right)) {
      this.addFlat(z0, middle, f0, left, right)
      this.addFlat(middle, z1, f1, left, right)
      return
    }
    const fan = this.fans[half + 2]
    this.length = 0.5 * (z1 - z0)
    this.cut(fan, middle, left, right)
    this.piece({ z0, z1: middle, f0, f1: fan }, left, right, half + 1)
    this.piece({ z0: middle, z1, f0: fan, f1 }, left, right, half + 1)
  }

  /** Whether what lies between two azimuths of the fans at both ends of a piece may radiate enough to be looked at more closely, and is not short enough. */
  private counts(f0: Fan, f1: Fan, from: number, to: number): boolean {
    let most = 0
    let zones = 0
    for (const fan of [f0, f1])
      for (let i = 0; i < fan.count; i++) {
        const angle = Math.min(to, fan.to[i]) - Math.max(from, fan.from(i))
        const ray = fan.ray[i]
        if (!(angle > 0) || fan.visible[ray] === 0) continue
        most += this.most(fan, ray, angle)
        zones = Math.max(zones, this.zones(fan, ray, this.length))
      }
    return zones > PIECE_ZONES && most > CLOSER * this.size
  }

  /** Length of a piece as lit by a ray, in Fresnel zones there. */
  private zones(fan: Fan, ray: number, length: number): number {
    return (length * fan.stretch[ray]) / this.width(fan.first[ray])
  }

  /** Hands over what comes in the same order at both ends of a piece; by halves where a boundary moves so far that it may be no straight line. */
  private addSame(
    piece: Piece,
    a: number,
    b: number,
    count: number,
    from: number,
    to: number,
    half: number,
  ): void {
    const { z0, z1, f0, f1 } = piece
    let bends = false
    for (let i = 0; i < count - 1; i++) {
      const way = Math.max(f0.way[f0.ray[a + i]], f0.way[f0.ray[a + i + 1]])
      bends ||= Math.abs(f0.to[a + i] - f1.to[b + i]) > BEND_ZONES * this.zone(way)
    }
    this.length = z1 - z0
    if (bends && half < MOST_HALVES && this.counts(f0, f1, from, to)) this.halve(piece, from, to, half)
    else this.addAll(piece, a, b, count, from, to)
  }

  /** Hands over intervals of a piece between two azimuths, `count` from a and b on of its two fans, with straight lines between them. */
  private addAll(
    { z0, z1, f0, f1 }: Piece,
    a: number,
    b: number,
    count: number,
    from: number,
    to: number,
  ): void {
    for (let i = 0; i < count; i++) {
      const [r0, r1] = [f0.ray[a + i], f1.ray[b + i]]
      if (f0.visible[r0] === 0) continue
      const zones = Math.max(this.zones(f0, r0, z1 - z0), this.zones(f1, r1, z1 - z0))
      const starts = i === 0 ? [from, from] : [f0.from(a + i), f1.from(b + i)]
      const ends = i === count - 1 ? [to, to] : [f0.to[a + i], f1.to[b + i]]
      this.add(z0, z1, f0, r0, [...starts, ...ends], Math.ceil(zones / SMOOTH_ZONES))
    }
  }

  /** Hands over what lies between two azimuths of a fan as if it stayed the same all over a piece. */
  private addFlat(z0: number, z1: number, fan: Fan, from: number, to: number): void {
    for (let i = 0; i < fan.count; i++) {
      const start = Math.max(from, fan.from(i))
      const end = Math.min(to, fan.to[i])
      if (end > start && fan.visible[fan.ray[i]] !== 0)
        this.add(z0, z1, fan, fan.ray[i], [start, start, end, end], 1)
    }
  }

  /**
   * Hands over what a ray stands for, in parts of a piece.
   * @param lines  azimuths where it starts at z0 and at z1, and where it ends
   */
  private add(z0: number, z1: number, fan: Fan, ray: number, lines: number[], parts: number): void {
    const { bundle, sink } = this
    const [start0, start1, end0, end1] = lines
    const length = z1 - z0
    bundle.count = fan.hitCount[ray]
    bundle.visible = fan.visible[ray]
    for (let m = 0; m < bundle.count; m++) bundle.facets[m] = fan.facets[MAX_REFLECTIONS * ray + m]
    const fromSlope = (start1 - start0) / length
    const toSlope = (end1 - end0) / length
    for (let i = 0; i < parts; i++) {
      const at = ((i + 0.5) / parts) * length
      sink.openPiece(z0 + at, length / parts)
      const end = end0 + at * toSlope
      bundle.from = start0 + at * fromSlope
      bundle.fromSlope = fromSlope
      // The diffracted wave jumps at the boundaries of light.
      for (const boundary of this.jumps) {
        if (boundary <= bundle.from || boundary >= end) continue
        bundle.to = boundary
        bundle.toSlope = 0
        sink.add(bundle)
        bundle.from = boundary
        bundle.fromSlope = 0
      }
      bundle.to = end
      bundle.toSlope = toSlope
      sink.add(bundle)
    }
  }

  /** About the most that the piece lights within an angle [rad] round a ray can radiate [m]. */
  private most(fan: Fan, ray: number, angle: number): number {
    if (fan.visible[ray] === 0) return 0
    const { hits } = fan
    const h = HIT * ray
    return hits[h] * Math.min(this.length, hits[h + 1]) * Math.min(angle * hits[h + 2], hits[h + 3])
  }

  /** Traces a ray from the fan's place as far as the penumbra goes; gives its place. */
  private cast(fan: Fan, azimuth: number): number {
    const ray = fan.open()
    const { caster, planes, direction: d, p, edge, s } = this
    const { normals, diagonal } = this.scene
    const { frame, at } = edge
    const cos = Math.cos(azimuth)
    const sin = Math.sin(azimuth)
    coneDirection(frame, at, edge.sinBeta, edge.cosBeta, cos, sin, d)
    const square = this.sinSquare(cos, sin)
    const limit = this.penumbra(square)
    let x = p[0]
    let y = p[1]
    let z = p[2]
    let dx = d[0]
    let dy = d[1]
    let dz = d[2]
    // The edge's direction, and that along the fan.
    let ex = frame[at + 6]
    let ey = frame[at + 7]
    let ez = frame[at + 8]
    let fx = cos * frame[at + 3] - sin * frame[at]
    let fy = cos * frame[at + 4] - sin * frame[at + 1]
    let fz = cos * frame[at + 5] - sin * frame[at + 2]
    let from = -1
    let way = 0
    let count = 0
    let visible = 0
    let most = 0
    let stretch = 1
    fan.first[ray] = limit
    fan.way[ray] = 0
    fan.hitCount[ray] = 0
    while (count < MAX_REFLECTIONS && caster.nearest(x, y, z, dx, dy, dz, from, limit - way)) {
      if (!conducts(this.scene, caster.facet)) break
      from = caster.facet
      const t = caster.t
      way += t
      if (way < NEAREST * this.shortest) break
      if (count === 0) fan.first[ray] = way
      const f = 4 * from
      const nx = normals[f]
      const ny = normals[f + 1]
      const nz = normals[f + 2]
      const nd = nx * dx + ny * dy + nz * dz
      const side = nd < 0 ? 1 : -1
      const lift = side * DOUBLE_OFFSET * diagonal
      x += t * dx + lift * nx
      y += t * dy + lift * ny
      z += t * dz + lift * nz
      const towards = side * (nx * s[0] + ny * s[1] + nz * s[2])
      if (towards > GRAZING_COSINE) {
        // Slopes of the phase path along the edge and along the fan, slid along the ray onto the facet.
        const wx = s[0] - dx
        const wy = s[1] - dy
        const wz = s[2] - dz
        const wd = (wx * dx + wy * dy + wz * dz) / nd
        const slopeEdge = wx * ex + wy * ey + wz * ez - (nx * ex + ny * ey + nz * ez) * wd
        const slopeFan = wx * fx + wy * fy + wz * fz - (nx * fx + ny * fy + nz * fz) * wd
        const bound = this.bound(square, way, slopeEdge, slopeFan) / Math.abs(nd)
        if (bound > WEAKEST * this.size && !caster.occluded(x, y, z, s[0], s[1], s[2], from)) {
          visible |= 1 << count
          fan.hitCount[ray] = count + 1
          fan.way[ray] = way
          const along = (nx * ex + ny * ey + nz * ez) / nd
          stretch = Math.max(stretch, Math.hypot(ex - along * dx, ey - along * dy, ez - along * dz))
          if (bound > most) {
            most = bound
            fan.hits[HIT * ray] = this.strength(square, way) / Math.abs(nd)
            fan.hits[HIT * ray + 1] = this.shortest / (Math.PI * Math.abs(slopeEdge))
            fan.hits[HIT * ray + 2] = way
            fan.hits[HIT * ray + 3] = this.shortest / (Math.PI * Math.abs(slopeFan))
          }
        }
      }
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
      const ne = 2 * (nx * ex + ny * ey + nz * ez)
      ex -= ne * nx
      ey -= ne * ny
      ez -= ne * nz
      const nf = 2 * (nx * fx + ny * fy + nz * fz)
      fx -= nf * nx
      fy -= nf * ny
      fz -= nf * nz
      fan.meets[MAX_REFLECTIONS * ray + count] = side * (planes[from] + 1)
      fan.facets[MAX_REFLECTIONS * ray + count] = from
      count++
    }
    fan.visible[ray] = visible
    fan.stretch[ray] = stretch
    return ray
  }

  /**
   * About the most [m] that what the whole part of the edge lights round a ray can radiate: (k/2 pi) |u_d| times the lengths over which
   * it adds up, which are those of the edge and of two Fresnel zones, or 2/k slope where the phase runs away before.
   */
  private bound(square: number, way: number, slopeEdge: number, slopeFan: number): number {
    const along = Math.min(this.whole, this.shortest / (Math.PI * Math.abs(slopeEdge)))
    const across = Math.min(2 * this.width(way), this.shortest / (Math.PI * Math.abs(slopeFan)))
    return along * across * this.strength(square, way)
  }

  /** About the most that an area lit by a ray radiates, and a smooth surface in phase [1/m]. */
  private strength(square: number, way: number): number {
    const { shortest, longest, away } = this
    const x = PENUMBRA * Math.sqrt((way * square) / away)
    return (penumbraFading(x, way / longest) * Math.min(0.5, 0.28 / x)) / shortest
  }

  /** sin^2 of half the angle between an azimuth, by its cos and sin, and the nearest boundary. */
  private sinSquare(cos: number, sin: number): number {
    const { boundaries } = this
    let nearest = -1
    for (let i = 0; i < 8; i += 2) nearest = Math.max(nearest, cos * boundaries[i] + sin * boundaries[i + 1])
    return Math.max(0, 0.5 * (1 - nearest))
  }
}

/**
 * The middle of the widest part that intervals a to c of one fan and b to d of another have in common between two azimuths while they
 * meet the same planes; NaN where there is none.
 */
function commonAzimuth(
  one: Fan,
  a: number,
  c: number,
  other: Fan,
  b: number,
  d: number,
  from: number,
  to: number,
): number {
  let widest = NARROWEST
  let azimuth = NaN
  for (let i = a, first = b; i <= c; i++) {
    const start = Math.max(from, one.from(i))
    const end = Math.min(to, one.to[i])
    while (first < d && other.to[first] <= start) first++
    for (let j = first; j <= d && other.from(j) < end; j++) {
      const low = Math.max(start, other.from(j))
      const high = Math.min(end, other.to[j])
      if (!(high - low > widest) || !sameWay(one, one.ray[i], other, other.ray[j])) continue
      widest = high - low
      azimuth = 0.5 * (low + high)
    }
  }
  return azimuth
}

/** A place a little from a boundary towards the other end of an interval that both fans share, by what it moves between them [rad]. */
function inside(boundary: number, other: number, moves: number): number {
  const away = Math.min(0.5 * Math.abs(other - boundary), Math.abs(moves) + MARGIN)
  return boundary + Math.sign(other - boundary) * away
}
