// Over 300 lines: one search, fan by fan, whose rays are kept in arrays of a class.
import { DOUBLE_OFFSET, GRAZING_COSINE, RayCaster, type RayScene } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'
import { conducts } from './conducting.js'
import { NEAR_ZONE, PENUMBRA, penumbraFading } from './wedge-wave.js'

/** Reflections of a diffracted ray that are followed. */
const MAX_REFLECTIONS = 3
/** The first rays of a fan are at most this far apart [rad], and this part of a Fresnel zone at the end of the penumbra there; */
const FIRST_STEP = 0.3
const FIRST_ZONES = 2
/** where two neighbours meet other planes, the boundary between is found to within this part of a Fresnel zone there. */
const BOUNDARY_ZONES = 0.015
/** Where the fans at both ends of a piece of the edge differ it is at most this part of a Fresnel zone's width at what it lights long, */
const PIECE_ZONES = 0.05
/** where they meet the same, parts of this part of it radiate as one; */
const SMOOTH_ZONES = 0.32
/** the first pieces, which look for that, may be this part of the target's size long. */
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
const CLOSER = 6e-5
/** The outermost rays of a fan keep this far from the edge's faces [rad]. */
const FROM_FACE = 1e-4
/** First rays of a fan, halvings of a piece, and rays that are kept, at most. */
const MOST_RAYS = 4096
const MOST_HALVES = 16
const PLACES = 4 * MOST_RAYS
/** Place of the ray of the bundle that is still to be handed over. */
const OPEN = PLACES
/** Numbers per ray in `hits`. */
const HIT = 4

/** A fan's rays between two azimuths, which all meet the same planes. */
export interface RayBundle {
  from: number
  to: number
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

/** A lit edge: its line and wedge, and the light's cone. */
export interface FanEdge {
  /** Start, a little off the faces, and unit tangent. */
  start: Vec3
  tangent: Vec3
  /** Frame of its first face, at a position of an array. */
  frame: Float64Array
  at: number
  N: number
  /** See `coneDirection`. */
  sinBeta: number
  cosBeta: number
  /** Azimuth of the light [rad]. */
  phi0: number
}

/** A piece of the edge between two places [m from its start]; ray i of the fans from them is kept at s0 + i and s1 + i. */
interface Piece {
  z0: number
  z1: number
  s0: number
  s1: number
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
    facets: new Int32Array(MAX_REFLECTIONS),
    count: 0,
    visible: 0,
  }
  /** Whether `bundle` is still to be handed over. */
  private open = false
  /** The first rays' azimuths. */
  private readonly azimuths = new Float64Array(MOST_RAYS)
  private rays = 0
  /** cos and sin of the azimuths of the boundaries of light. */
  private readonly boundaries = new Float64Array(8)
  /** By ray: way to its last and its first hit [m], hits, bit m: the receiver sees hit m; facets met, planes met with their sides. */
  private readonly way: Float64Array
  private readonly first: Float64Array
  /** How much longer than a piece of the edge is what a ray from there lights along it, at most. */
  private readonly stretch: Float64Array
  private readonly count: Int32Array
  private readonly visible: Int32Array
  private readonly facets: Int32Array
  private readonly meets: Int32Array
  /** By ray, HIT numbers for the hit that may radiate most: `strength`, length over which it adds up along the edge, way, length across the fan [m]. */
  private readonly hits: Float64Array
  /** Length of the current piece [m]. */
  private length = 0.5
  /** The first place that holds no ray of the pieces being looked at. */
  private top = 0
  private edge!: FanEdge
  private s!: Vec3
  private sink!: BundleSink
  private readonly p = new Float64Array(3)
  /** Way to the penumbra's end times sin^2 of half the angle from a boundary [m]. */
  private reach = 0.5
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
    const rays = OPEN + 1
    this.way = new Float64Array(rays)
    this.first = new Float64Array(rays)
    this.stretch = new Float64Array(rays)
    this.count = new Int32Array(rays)
    this.visible = new Int32Array(rays)
    this.facets = new Int32Array(MAX_REFLECTIONS * rays)
    this.meets = new Int32Array(MAX_REFLECTIONS * rays)
    this.hits = new Float64Array(HIT * rays)
  }

  /** Takes a lit edge; s is the direction to the receiver. */
  aim(edge: FanEdge, s: Vec3): void {
    this.edge = edge
    this.s = s
    this.reach = (PENUMBRA ** 2 * this.longest) / (4 * Math.PI * edge.sinBeta ** 2)
    this.setAzimuths()
  }

  /**
   * Hands over what the edge's fans between two places (from its start [m]) meet and the receiver sees, piece by piece.
   */
  trace(from: number, to: number, sink: BundleSink): void {
    this.sink = sink
    this.whole = to - from
    const longest = Math.max(PIECE_ZONES * this.width(this.size), FIRST_PIECE * this.size)
    const pieces = Math.ceil((to - from) / longest - 1e-9)
    const step = (to - from) / pieces
    let [near, far] = [0, this.rays]
    this.top = 2 * this.rays
    this.castFan(near, 0, this.rays - 1, from + NEAR_END * step)
    for (let i = 0, z = from; i < pieces; i++) {
      const last = i === pieces - 1
      const end = last ? to : from + (i + 1 + FIRST_END) * step
      this.castFan(far, 0, this.rays - 1, last ? to - NEAR_END * step : end)
      this.piece({ z0: z, z1: end, s0: near, s1: far }, 0, this.rays - 1, 0)
      ;[near, far] = [far, near]
      z = end
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
    const { reach, size } = this
    return Math.min(
      Math.max(NEAR_ZONE * this.longest, reach / Math.max(square, 1e-12)),
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

  /** Casts rays first to last of the fan from a place of the edge [m] to the places from `at` on. */
  private castFan(at: number, first: number, last: number, place: number): void {
    this.moveTo(place)
    for (let i = first; i <= last; i++) this.cast(at + i, this.azimuths[i])
  }

  private moveTo(place: number): void {
    const { p, edge } = this
    for (let c = 0; c < 3; c++) p[c] = edge.start[c] + place * edge.tangent[c]
  }

  /**
   * Rays first to last of a piece. Where its fans at both ends and neighbouring rays meet the same planes, what lies between does. Where they do
   * not, and the piece is too long for that, its halves follow.
   */
  private piece(piece: Piece, first: number, last: number, half: number): void {
    const { azimuths, visible } = this
    const { z0, z1, s0, s1 } = piece
    const length = z1 - z0
    // First and last ray of the parts of the fan that the piece is too long for.
    const again: number[] = []
    for (let i = first + 1; i <= last; i++) {
      const [a, b, c, d] = [s0 + i - 1, s0 + i, s1 + i - 1, s1 + i]
      if (visible[a] + visible[b] + visible[c] + visible[d] === 0) continue
      const zones = this.zones(a, b, c, d, length)
      if (this.sameWay(a, b) && this.sameWay(a, c) && this.sameWay(a, d)) {
        this.addSmooth(z0, z1, i, a, Math.ceil(zones / SMOOTH_ZONES))
        continue
      }
      this.length = length
      const angle = azimuths[i] - azimuths[i - 1]
      if (zones > PIECE_ZONES && half < MOST_HALVES && this.counts(a, b, c, d, angle)) {
        if (again.at(-1) === i - 1) again[again.length - 1] = i
        else again.push(i - 1, i)
      } else if (this.sameWay(a, b) && this.sameWay(c, d)) this.alongEdge(z0, a, z1, c, i, length)
      else this.acrossEdge(z0, z1, i)
    }
    for (let i = 0; i < again.length; i += 2) this.halves(piece, again[i], again[i + 1], half)
  }

  private halves({ z0, z1, s0, s1 }: Piece, first: number, last: number, half: number): void {
    const { top } = this
    const count = last - first + 1
    // No room for more rays.
    if (top + count > PLACES - 2) {
      for (let i = first + 1; i <= last; i++) this.acrossEdge(z0, z1, i)
      return
    }
    const middle = z0 + HALF * (z1 - z0)
    const at = top - first
    this.top = top + count
    this.castFan(at, first, last, middle)
    this.piece({ z0, z1: middle, s0, s1: at }, first, last, half + 1)
    this.piece({ z0: middle, z1, s0: at, s1 }, first, last, half + 1)
    this.top = top
  }

  /** Length of a piece as lit by four rays, in Fresnel zones there. */
  private zones(a: number, b: number, c: number, d: number, length: number): number {
    const { stretch, first } = this
    return (
      (length * Math.max(stretch[a], stretch[b], stretch[c], stretch[d])) /
      this.width(Math.min(first[a], first[b], first[c], first[d]))
    )
  }

  /** Hands over what a piece lights before its ray i, the same all over, in parts. */
  private addSmooth(z0: number, z1: number, i: number, ray: number, parts: number): void {
    if (this.visible[ray] === 0) return
    const { azimuths } = this
    const step = (z1 - z0) / parts
    for (let j = 0; j < parts; j++) {
      this.sink.openPiece(z0 + (j + 0.5) * step, step)
      this.emit(azimuths[i - 1], azimuths[i], ray)
      this.flush()
    }
  }

  /**
   * Hands over what lies before ray i of a piece where it changes along the edge, from ray a at z0 to ray b at z1.
   * @param piece  length of all of it [m], for which `most` counts
   */
  private alongEdge(z0: number, a: number, z1: number, b: number, i: number, piece: number): void {
    const { azimuths, way, visible, top } = this
    if (visible[a] + visible[b] === 0) return
    const [from, to] = [azimuths[i - 1], azimuths[i]]
    if (this.sameWay(a, b)) return this.addSmooth(z0, z1, i, a, 1)
    const middle = 0.5 * (z0 + z1)
    if (
      z1 - z0 < BOUNDARY_ZONES * this.width(Math.max(way[a], way[b])) ||
      top === PLACES ||
      this.most(a, to - from) + this.most(b, to - from) < (CLOSER * this.size * piece) / (z1 - z0)
    ) {
      this.addSmooth(z0, middle, i, a, 1)
      this.addSmooth(middle, z1, i, b, 1)
      return
    }
    this.top++
    this.moveTo(middle)
    this.cast(top, 0.5 * (from + to))
    this.alongEdge(z0, a, middle, top, i, piece)
    this.alongEdge(middle, top, z1, b, i, piece)
    this.top = top
  }

  /** Hands over what lies before ray i of a piece where it changes along the fan: from the piece's middle. */
  private acrossEdge(z0: number, z1: number, i: number): void {
    const { azimuths, top } = this
    const middle = 0.5 * (z0 + z1)
    this.moveTo(middle)
    this.length = z1 - z0
    this.cast(top, azimuths[i - 1])
    this.cast(top + 1, azimuths[i])
    if (this.visible[top] + this.visible[top + 1] === 0) return
    this.sink.openPiece(middle, this.length)
    this.between(azimuths[i - 1], top, azimuths[i], top + 1, top + 2)
    this.flush()
  }

  /** Hands over what lies between two neighbouring rays, `a` and `b`; the places from `scratch` on are for rays between. */
  private between(from: number, a: number, to: number, b: number, scratch: number): void {
    if (this.sameWay(a, b)) return this.emit(from, to, a)
    const middle = 0.5 * (from + to)
    const { way } = this
    if (
      to - from < BOUNDARY_ZONES * this.zone(Math.max(way[a], way[b])) ||
      scratch >= PLACES ||
      !this.counts(a, b, a, b, to - from)
    ) {
      this.emit(from, middle, a)
      this.emit(middle, to, b)
      return
    }
    this.cast(scratch, middle)
    this.between(from, a, middle, scratch, scratch + 1)
    this.between(middle, scratch, to, b, scratch + 1)
  }

  /** Whether what lies between four rays, so far apart [rad], may radiate enough to be looked at more closely. */
  private counts(a: number, b: number, c: number, d: number, angle: number): boolean {
    return (
      this.most(a, angle) + this.most(b, angle) + this.most(c, angle) + this.most(d, angle) >
      2 * CLOSER * this.size
    )
  }

  /** About the most that the piece lights within an angle [rad] round a ray can radiate [m]. */
  private most(ray: number, angle: number): number {
    if (this.visible[ray] === 0) return 0
    const { hits } = this
    const h = HIT * ray
    return hits[h] * Math.min(this.length, hits[h + 1]) * Math.min(angle * hits[h + 2], hits[h + 3])
  }

  /** Hands over a bundle, in one with the one before where that meets the same. */
  private emit(from: number, to: number, ray: number): void {
    const { bundle, facets, meets } = this
    if (this.open && bundle.to === from && this.sameWay(ray, OPEN)) {
      bundle.to = to
      return
    }
    this.flush()
    if (this.visible[ray] === 0) return
    this.open = true
    bundle.from = from
    bundle.to = to
    bundle.count = this.count[ray]
    bundle.visible = this.visible[ray]
    this.count[OPEN] = bundle.count
    this.visible[OPEN] = bundle.visible
    for (let m = 0; m < bundle.count; m++) {
      bundle.facets[m] = facets[MAX_REFLECTIONS * ray + m]
      meets[MAX_REFLECTIONS * OPEN + m] = meets[MAX_REFLECTIONS * ray + m]
    }
  }

  private flush(): void {
    if (this.open) this.sink.add(this.bundle)
    this.open = false
  }

  private sameWay(a: number, b: number): boolean {
    const { count, visible, meets } = this
    if (visible[a] !== visible[b] || count[a] !== count[b]) return false
    for (let m = 0; m < count[a]; m++)
      if (meets[MAX_REFLECTIONS * a + m] !== meets[MAX_REFLECTIONS * b + m]) return false
    return true
  }

  /** Traces a ray from the piece's middle as far as the penumbra goes. */
  private cast(ray: number, azimuth: number): void {
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
    this.first[ray] = limit
    while (count < MAX_REFLECTIONS && caster.nearest(x, y, z, dx, dy, dz, from, limit - way)) {
      if (!conducts(this.scene, caster.facet)) break
      from = caster.facet
      const t = caster.t
      way += t
      if (way < NEAREST * this.shortest) break
      if (count === 0) this.first[ray] = way
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
          const along = (nx * ex + ny * ey + nz * ez) / nd
          stretch = Math.max(stretch, Math.hypot(ex - along * dx, ey - along * dy, ez - along * dz))
          if (bound > most) {
            most = bound
            this.hits[HIT * ray] = this.strength(square, way) / Math.abs(nd)
            this.hits[HIT * ray + 1] = this.shortest / (Math.PI * Math.abs(slopeEdge))
            this.hits[HIT * ray + 2] = way
            this.hits[HIT * ray + 3] = this.shortest / (Math.PI * Math.abs(slopeFan))
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
      this.meets[MAX_REFLECTIONS * ray + count] = side * (planes[from] + 1)
      this.facets[MAX_REFLECTIONS * ray + count] = from
      count++
    }
    this.way[ray] = way
    this.count[ray] = count
    this.visible[ray] = visible
    this.stretch[ray] = stretch
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
    const { shortest, longest, reach } = this
    const x = PENUMBRA * Math.sqrt((way * square) / reach)
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
