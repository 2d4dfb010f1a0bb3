// Over 300 lines: one walk from edge to edge, whose steps share their aimed faces.
import { type Aspect, cross, type Direction, dot, type Vec3 } from '../scene/index.js'
import { GRAZING_COSINE } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { EdgeFace, END_ON } from './face.js'
import { fresnelW } from './fresnel.js'
import { FringeSum } from './fringe-sum.js'
import type { ImageLight } from './image-light.js'
import type { Lighting } from './lighting.js'
import type { PathSink } from './path-sum.js'
import { StripFan } from './strip-fan.js'
import { behind } from './corner-strips.js'
import type { Fold, StripFolds } from './strip-folds.js'
import { MOMENTS, type Truncation } from './strip.js'
import type { WedgeCache } from './wedge.js'

/** Edges shorter than this part of the strip's Fresnel zone, pieces of a curved rim, are left out: their waves converge or spread. */
const SHORTEST_EDGE = 0.5
/** A strip ends on an edge when it comes this near to it, in parts of the target's diagonal. */
const ON_EDGE = 1e-7

/** Waves are followed from edge to edge until they are weaker than this part of the light (estimates of V_d multiplied); */
const WEAKEST = 0.01
/**
 * while what they add is estimated at this part of the target's size at least: the strength times this many times the lit length of the
 * edge, or 2/(k slope) where the phase runs away before;
 */
const NEGLIGIBLE = 3e-4
const STRONGEST = 0.5
/** and over so many faces at most. */
const MAX_FACES = 6

/** A face that a wave crosses from one edge to another, after so many others: what does not depend on the place on the edge. */
class Crossing {
  /** 2 e + i of the edge and face that the wave starts from, the number of the wave that lights it, and whether it lights the face. */
  at = -1
  wave = -1
  lit = false
  incoming: Aspect = { tx: direction(), rx: direction() }
  /** Direction of the strips, sin of the angle between the edge and incidence, and |cos(phi0/2)|. */
  readonly u: Vec3 = [0.5, 0.5, 0.5]
  sin = 0.5
  a = 0.5
  /** Whether `source` is aimed; false where the edge is then seen end-on. */
  aimed = false
  open = false
  /** Number of the wave along the face: another one means another wave. */
  number = -1
  readonly source: EdgeFace
  /** The wave along the face where it arrives at the other edge, and the receiver. */
  readonly aspect: Aspect
  /** Direction in which it arrives there, and the sign of its field: it turns with every wall on the way. */
  readonly arriving: Vec3 = [0.5, 0.5, 0.5]
  turned = 1
  /** The answering edge as each receiver sees it, the receiver itself first, then its images. */
  readonly views: View[] = []
  readonly fans: [StripFan, StripFan]
  /** V_d exp(jL) of the strips that bring the wave so far. */
  readonly current: Float64Array
  /** Strip length [m] and slope of the two strips that go on. */
  readonly onwards = new Float64Array(4)

  constructor(scene: EdgeScene, truncation: Truncation, wavenumbers: number) {
    this.source = new EdgeFace(truncation)
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.current = new Float64Array(2 * wavenumbers)
    this.aspect = { tx: direction(), rx: direction() }
  }
}

/** An edge at the strips' other end as one receiver sees it. */
class View {
  /** 2 e + i of the edge that the faces are aimed at, for the wave `answers`; whether it is open. */
  target = -1
  answers = -1
  open = false
  readonly faces: [EdgeFace, EdgeFace]

  constructor(truncation: Truncation) {
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
  }
}

/**
 * Edge to edge across faces (docs/second-order.md). The wave that an edge sends along its face meets the edge at the strip's other
 * end as a plane wave at grazing incidence, whose H on the face is that of the strip's current there, 2 H_z V_d(l)/sin beta0; this
 * edge's fringe currents on both its faces follow as under any plane wave, and send waves in turn. Only the part with E across the
 * face: the other vanishes on it.
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
  private readonly moments = new Float64Array(MOMENTS)
  private readonly fringe: FringeSum
  private readonly endFace: EdgeFace
  private readonly lowest: number
  private readonly highest: number
  /** Numbers of waves given out. */
  private numbers = 0
  /** The light on the edge: of the whole field, and of what a face in its plane or an edge behind one has of it. */
  private readonly light: Aspect = { tx: direction(), rx: direction() }
  private number = -1
  private seen!: ImageLight
  txImage = false
  /** How the face takes the light, by pieces: one, or the mean of both sides of its plane. */
  private bright = false
  private inPlane = false
  private at = 0
  private whole = 0.5
  /** Where the last strip ends: 2 e + i of the edge, or -1; distance from its start [m]. */
  private hit = -1
  private hitAt = 0.5

  /**
   * @param smallestK  wavenumber at the band's lowest frequency [rad/m]
   * @param size       see `sizeOf`
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly paths: PathSink,
    private readonly smallestK: number,
    private readonly size: number,
    private readonly strips: StripFolds,
  ) {
    const { k } = paths
    this.fringe = new FringeSum(paths)
    this.endFace = new EdgeFace(truncation)
    this.crossings = Array.from({ length: MAX_FACES }, () => new Crossing(scene, truncation, k.length))
    this.lowest = k.reduce((a, b) => Math.min(a, b), Infinity)
    this.highest = k.reduce((a, b) => Math.max(a, b), 0)
    const keys = 2 * scene.outlineStart.length
    this.first = new Uint32Array(keys + 1)
    this.edgesOf = new Uint32Array(2 * scene.count)
    for (let at = 0; at < 2 * scene.count; at++) this.first[this.sideOf(at) + 1]++
    for (let i = 0; i < keys; i++) this.first[i + 1] += this.first[i]
    const next = this.first.slice()
    for (let at = 0; at < 2 * scene.count; at++) this.edgesOf[next[this.sideOf(at)]++] = at
  }

  /**
   * Takes face i of edge e under a wave. False where no wave along the face finds another edge of it.
   * @param whole     length of what of the edge is lit [m]
   * @param lighting  of the edge under the wave
   */
  aim(e: number, i: number, whole: number, { tx, rx }: Aspect, { lit, share }: Lighting, seen: ImageLight): boolean {
    const { frames } = this.scene
    this.at = 2 * e + i
    this.whole = whole
    if (!this.mayCross(this.at)) return false
    // In the face's own plane: the mean of what a wave from either side of it brings.
    const f = FRAMES_SIZE * e + 9 * i
    const { r } = tx
    this.inPlane =
      share === 1 &&
      Math.abs(r[0] * frames[f + 3] + r[1] * frames[f + 4] + r[2] * frames[f + 5]) <= GRAZING_COSINE
    const weight = this.inPlane ? 0.5 : share
    this.bright = lit[i]
    const { light } = this
    for (let c = 0; c < 3; c++) {
      light.tx.r[c] = r[c]
      light.tx.thetaHat[c] = weight * tx.thetaHat[c]
      light.tx.phiHat[c] = weight * tx.phiHat[c]
    }
    light.rx = rx
    for (const crossing of this.crossings) crossing.aspect.rx = rx
    this.seen = seen
    this.number = this.numbers++
    return true
  }

  /**
   * Adds what the wave along a piece of the face's strips does at other edges.
   * @param t, piece, length, slope  see `TakePiece`
   * @param psi  phase path of the light at the piece's midpoint, and of the origin [m]
   */
  add(t: number, piece: number, length: number, slope: number, psi: number): void {
    const { at, light, number, bright } = this
    if (!this.inPlane) this.follow(0, at, t, piece, length, slope, bright, light, number, psi, 1)
    else {
      this.follow(0, at, t, piece, length, slope, true, light, number, psi, 1)
      this.follow(0, at, t, piece, length, slope, false, light, number, psi, 1)
    }
  }

  /** Whether the face's side has another edge long enough for a strip of the shortest kind. */
  private mayCross(at: number): boolean {
    const key = this.sideOf(at)
    return this.first[key + 1] - this.first[key] > 1
  }

  /**
   * Adds what a strip does at the edge it ends on, and what becomes of it from there.
   *
   * @param faces     that the wave has crossed before
   * @param at        2 e + i of the strip's edge and face
   * @param incoming  the wave at its own edge, and the receiver; its number
   * @param psi       phase path of that wave at its foot, and of the origin [m]
   * @param strength  of the wave, estimated, in parts of the light
   */
  private follow(
    faces: number,
    at: number,
    t: number,
    piece: number,
    l: number,
    slope: number,
    lit: boolean,
    incoming: Aspect,
    number: number,
    psi: number,
    strength: number,
  ): void {
    const { edges, frames } = this.scene
    const crossing = this.crossings[faces]
    const e = at >> 1
    const p = EDGE_SIZE * e
    const least = SHORTEST_EDGE * Math.sqrt((2 * Math.PI * l) / this.highest)
    if (edges[p + 6] < least || !this.mayCross(at)) return
    if (crossing.at !== at || crossing.wave !== number || crossing.lit !== lit)
      this.setCrossing(crossing, at, lit, incoming, number)
    const { u, sin } = crossing
    const spread = 0.5 / Math.sqrt(2 * Math.PI * this.smallestK * l * sin * sin)
    // The more a first strip runs with the light, the less its current weakens: not at all at grazing incidence, where a is 0.
    strength *= faces === 0 ? Math.min(1, spread / Math.min(1, 2 * crossing.a ** 2)) : Math.min(0.5, spread)
    // dl/dz turned to the edge's tangent.
    const f = FRAMES_SIZE * e + 9 * (at & 1) + 6
    const along = frames[f] * edges[p + 3] + frames[f + 1] * edges[p + 4] + frames[f + 2] * edges[p + 5]
    const turned = along < 0 ? -slope : slope
    const adding = Math.min(this.whole, 2 / (this.highest * Math.abs(this.phaseSlope(crossing, p, turned))))
    if (strength * STRONGEST * adding < NEGLIGIBLE * this.size) return
    let end = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c] + l * u[c]) as Vec3
    let onward: Vec3 = u
    let sign = 1
    let walls: Fold['walls'] = []
    this.findEdge(end[0], end[1], end[2], at, e)
    if (this.hit < 0 && FOLD && this.strips.mayFold(e, at & 1)) {
      const fold = this.strips.find(e, at & 1, t, l, incoming.tx.r)
      const last = fold.at(-1)
      if (last) {
        l = last.length
        end = last.end
        walls = last.walls
        onward = last.u
        sign = fold.length & 1 ? -1 : 1
        this.findEdge(end[0], end[1], end[2], at, -1)
      }
    }
    const { hit } = this
    if (hit < 0 || edges[EDGE_SIZE * (hit >> 1) + 6] < least) return
    if (!crossing.aimed) this.aimCrossing(crossing)
    if (!crossing.open) return
    this.setArrival(crossing, onward, sign)
    const hitAt = this.hitAt
    // The other edge's piece that these strips end on.
    const h = EDGE_SIZE * (hit >> 1) + 3
    const cosHit = onward[0] * edges[h] + onward[1] * edges[h + 1] + onward[2] * edges[h + 2]
    const sinHit = Math.sqrt(Math.max(0, 1 - cosHit * cosHit))
    if (sinHit < END_ON) return
    const answering = (piece * sin) / sinHit
    this.setCurrent(crossing, l, faces)
    if (!this.respond(crossing, hit, hitAt, answering, psi - l)) return
    if (faces === 0 && ENDS) this.addEnds(crossing, hit, hitAt, t, piece, l, slope, walls, psi)
    if (strength < WEAKEST || faces + 1 === MAX_FACES) return
    const { onwards, aspect } = crossing
    const next = hit & ~1
    for (let j = 0; j < 2; j++) {
      const lighted = j === (hit & 1)
      const length = onwards[2 * j]
      const rise = onwards[2 * j + 1]
      this.follow(
        faces + 1,
        next + j,
        hitAt,
        answering,
        length,
        rise,
        lighted,
        aspect,
        crossing.number,
        psi - l,
        strength,
      )
    }
  }

  /** Slope along the edge at position p of the phase path over strips' ends to the receiver, where their length has the slope `rise`. */
  private phaseSlope({ u, incoming: { tx, rx } }: Crossing, p: number, rise: number): number {
    const { edges } = this.scene
    let slope = -rise
    for (let c = 0; c < 3; c++) slope += (tx.r[c] + rx.r[c]) * edges[p + 3 + c] + rise * rx.r[c] * u[c]
    return slope
  }

  /** Takes a strip's edge and face under a wave: its direction, and how much it runs with the light. */
  private setCrossing(crossing: Crossing, at: number, lit: boolean, incoming: Aspect, number: number): void {
    const { frames } = this.scene
    const { u } = crossing
    const { r } = incoming.tx
    crossing.at = at
    crossing.wave = number
    crossing.lit = lit
    crossing.incoming = incoming
    crossing.number = this.numbers++
    crossing.aimed = false
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    const ix = r[0] * frames[f] + r[1] * frames[f + 1] + r[2] * frames[f + 2]
    const iy = r[0] * frames[f + 3] + r[1] * frames[f + 4] + r[2] * frames[f + 5]
    const iz = r[0] * frames[f + 6] + r[1] * frames[f + 7] + r[2] * frames[f + 8]
    const sin = Math.hypot(ix, iy)
    crossing.sin = sin
    // |cos(phi0/2)|
    crossing.a = Math.sqrt(Math.max(0, 0.5 + (0.5 * ix) / sin))
    for (let c = 0; c < 3; c++) u[c] = sin * frames[f + c] - iz * frames[f + 6 + c]
  }

  /** Aims the source of a crossing, and sets the wave that it sends along the face. */
  private aimCrossing(crossing: Crossing): void {
    const { edges, frames } = this.scene
    const { source, at, lit, u } = crossing
    const { tx, rx } = crossing.incoming
    crossing.aimed = true
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    // Observed along the strip, the current's phase is taken out of R: R = V_d exp(jL) - V_d(0) - jS.
    const wedge = this.wedges.get(edges[EDGE_SIZE * (at >> 1) + 7])
    crossing.open = source.aim(wedge, frames, f, { tx, rx: { ...rx, r: u } }, lit)
    if (!crossing.open) return
    crossing.number = -1
    crossing.turned = 0
  }

  /** Sets the wave that a crossing brings to the other edge, along u and with this sign. */
  private setArrival(crossing: Crossing, u: Vec3, sign: number): void {
    const { arriving, aspect, at } = crossing
    if (crossing.turned === sign && same(arriving, u)) return
    crossing.turned = sign
    crossing.number = this.numbers++
    const { frames } = this.scene
    const { tx } = crossing.incoming
    const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
    const y: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
    const z: Vec3 = [frames[f + 6], frames[f + 7], frames[f + 8]]
    const wave = aspect.tx
    for (let c = 0; c < 3; c++) {
      arriving[c] = u[c]
      wave.r[c] = -u[c]
    }
    for (const key of ['thetaHat', 'phiHat'] as const) {
      // Z H at the edge, along z; half of the H on the face, across u, and its E, along y.
      const hz = -dot(cross(tx.r, tx[key]), z)
      for (let c = 0; c < 3; c++) wave[key][c] = (hz / crossing.sin) * sign * y[c]
    }
  }

  /** Key of a face's side at an edge: 2 e + i. */
  private sideOf(at: number): number {
    return 2 * this.scene.faces[at] + (this.scene.sides[at] > 0 ? 1 : 0)
  }

  /** Sets `hit` to the edge, other than its own, of the side of a face (2 e + i) that a point lies on, or to -1. */
  private findEdge(x: number, y: number, z: number, at: number, own: number): void {
    const { edgesOf, first } = this
    const { edges, diagonal } = this.scene
    const key = this.sideOf(at)
    const near = (ON_EDGE * diagonal) ** 2
    this.hit = -1
    for (let i = first[key]; i < first[key + 1]; i++) {
      const other = edgesOf[i]
      if (other >> 1 === own) continue
      const p = EDGE_SIZE * (other >> 1)
      const dx = x - edges[p]
      const dy = y - edges[p + 1]
      const dz = z - edges[p + 2]
      const t = dx * edges[p + 3] + dy * edges[p + 4] + dz * edges[p + 5]
      if (t < 0 || t > edges[p + 6]) continue
      const ox = dx - t * edges[p + 3]
      const oy = dy - t * edges[p + 4]
      const oz = dz - t * edges[p + 5]
      if (ox * ox + oy * oy + oz * oz >= near) continue
      this.hit = other
      this.hitAt = t
      return
    }
  }

  /**
   * Adds the fringe currents of a piece of an edge under the grazing wave, times V_d of the strips that brought it. Sets their strips.
   * False where the edge is seen end-on.
   *
   * @param at,t      the edge, and the distance from its start [m]
   * @param arriving  phase path of the wave there, and of the origin [m]
   */
  private respond(crossing: Crossing, at: number, t: number, piece: number, arriving: number): boolean {
    const { scene, fringe } = this
    const { edges, frames } = scene
    const { aspect, fans, onwards } = crossing
    const e = at >> 1
    const p = EDGE_SIZE * e
    const point = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
    const { waves } = this.seen
    const hs = EDGE_SIZE * e + 3
    const cosH = dot(aspect.tx.r, [edges[hs], edges[hs + 1], edges[hs + 2]])
    const most = !IMAGES || 1 - cosH * cosH < MINSIN || (DIRECT && this.txImage) || (FIRST && this.crossings.indexOf(crossing) > 0) ? 1 : waves.length
    for (let w = 0; w < most; w++) {
      if (w > 0 && !contains(this.seen.parts(e, w), t) && !HALF) continue
      const PART = (globalThis as { PART?: string }).PART
      if (PART && PART !== (this.txImage ? 'i' : 'd') + (w ? 'i' : 'd')) continue
      const PAIR = (globalThis as { PAIR?: string }).PAIR
      if (PAIR && PAIR !== `${crossing.at >> 1}-${e}-${this.crossings.indexOf(crossing)}`) continue
      const view = (crossing.views[w] ??= new View(this.truncation))
      const wave = waves[w]
      if (view.target !== at || view.answers !== crossing.number) {
        view.target = at
        view.answers = crossing.number
        const wedge = this.wedges.get(edges[p + 7])
        view.open = true
        const rx = w === 0 ? aspect.rx : { ...aspect.rx, r: wave.r, thetaHat: wave.thetaHat, phiHat: wave.phiHat }
        for (let j = 0; j < 2; j++) {
          const face = view.faces[j]
          view.open &&= face.aim(wedge, frames, FRAMES_SIZE * e + 9 * j, { tx: aspect.tx, rx }, j === (at & 1))
          if (view.open && w === 0) fans[j].aim(e, j, face.strip.sinBeta0, face.strip.cosBeta0)
        }
      }
      if (!view.open) return false
      const psi = arriving + wave.path + dot(wave.r, point)
      this.weigh(crossing.current, w, point, t, e)
      const weighed = this.weighed
      fringe.open()
      for (let j = 0; j < 2; j++) {
        if (w === 0) {
          fans[j].at(t)
          onwards[2 * j] = fans[j].length
          onwards[2 * j + 1] = fans[j].slope
        }
        fringe.addFace(view.faces[j], onwards[2 * j], onwards[2 * j + 1], piece, psi, weighed)
      }
      fringe.close(psi, weighed)
      if (RFOLD)
        for (let j = 0; j < 2; j++) {
          if (!this.strips.mayFold(e, j)) continue
          const lit = j === (at & 1)
          const rx = w === 0 ? aspect.rx : { ...aspect.rx, r: wave.r, thetaHat: wave.thetaHat, phiHat: wave.phiHat }
          let before = onwards[2 * j]
          for (const fold of this.strips.find(e, j, t, before, aspect.tx.r, RFOLD > 1)) {
            const image = behind(rx, fold.walls)
            const wedge = this.wedges.get(edges[p + 7])
            if (!this.endFace.aim(wedge, frames, FRAMES_SIZE * e + 9 * j, { tx: aspect.tx, rx: image.direction }, lit)) break
            const path = arriving + wave.path + image.path + dot(image.direction.r, point)
            fringe.addEnd(this.endFace, fold.length, onwards[2 * j + 1], piece, path, weighed)
            for (let n = 0; n < weighed.length; n++) weighed[n] *= -1
            fringe.addEnd(this.endFace, before, onwards[2 * j + 1], piece, path, weighed)
            for (let n = 0; n < weighed.length; n++) weighed[n] *= -1
            before = fold.length
          }
        }
    }
    return true
  }

  private readonly weighed = new Float64Array(256)
  private weigh(current: Float64Array | null, w: number, P: Vec3, t: number, e: number): void {
    const { k } = this.paths
    const { weighed } = this
    const { edges, faces, normals, outlineStart, outline } = this.scene
    for (let n = 0; n < k.length; n++) {
      weighed[2 * n] = current ? current[2 * n] : 1
      weighed[2 * n + 1] = current ? current[2 * n + 1] : 0
    }
    if (!WEIGH || w === 0) return
    const wave = this.seen.waves[w]
    const s = this.crossings[0].aspect.rx.r
    const lit = contains(this.seen.parts(e, w), t)
    if (wave.planes.length !== 1) { if (!lit) weighed.fill(0); return }
    // wall normal
    const n = wave.r.map((v, c) => v - s[c]) as Vec3
    const norm = Math.hypot(...n)
    const near: number[] = []
    const seenEdges = new Set<number>()
    for (let o = 0; o < this.scene.count; o++)
      for (let i = 0; i < 2; i++) {
        const f = faces[2 * o + i]
        if (seenEdges.has(o)) continue
        if (Math.abs(dot(n, [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]])) < 0.999 * norm) continue
        // plane offset must match: image path
        const q = 6 * outlineStart[f]
        const off = dot(n, [outline[q], outline[q + 1], outline[q + 2]])
        if (Math.abs(-off - wave.path) > 1e-6 + 1e-3 * Math.abs(off)) continue
        if (edges[EDGE_SIZE * o + 7] < 1.9) continue
        seenEdges.add(o)
        const p = EDGE_SIZE * o
        const tt: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
        const d = P.map((v, c) => v - edges[p + c]) as Vec3
        const z = dot(d, tt)
        const rho = Math.sqrt(Math.max(0, dot(d, d) - z * z))
        const cb = dot(s, tt)
        const sb = Math.sqrt(1 - cb * cb)
        near.push(Math.max(0, rho * sb - cb * z - dot(s, [edges[p], edges[p + 1], edges[p + 2]]) + dot(wave.r, P) + wave.path))
      }
    near.sort((a, b) => a - b)
    if (near.length === 0) { if (!lit) weighed.fill(0); return }
    for (let m = 0; m < k.length; m++) {
      const x = k[m] * near[0]
      fresnelW(Math.sqrt(x), wpair, 0)
      const re = 0.5 * (Math.cos(x) * wpair[0] + Math.sin(x) * wpair[1])
      const im = 0.5 * (Math.cos(x) * wpair[1] - Math.sin(x) * wpair[0])
      const a = lit ? 1 - re : re
      const b = lit ? -im : im
      const c = weighed[2 * m]
      const dd = weighed[2 * m + 1]
      weighed[2 * m] = a * c - b * dd
      weighed[2 * m + 1] = a * dd + b * c
    }
  }

  /** Adds the ends of the strips of a first crossing as the receiver's images see them: what is near the edge is in the diffracted rays. */
  private addEnds(
    { at, incoming, lit, arriving }: Crossing,
    hit: number,
    hitAt: number,
    t: number,
    piece: number,
    l: number,
    slope: number,
    walls: Fold['walls'],
    psi: number,
  ): void {
    const { edges, frames } = this.scene
    const { waves } = this.seen
    const e = at >> 1
    const p = EDGE_SIZE * e
    const point = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
    const hs = EDGE_SIZE * (hit >> 1) + 3
    const cosH = dot(arriving, [edges[hs], edges[hs + 1], edges[hs + 2]])
    const most = !IMAGES || 1 - cosH * cosH < MINSIN || (DIRECT && this.txImage) ? 1 : waves.length
    for (let w = 1; w < most; w++) {
      if (!contains(this.seen.parts(hit >> 1, w), hitAt) && !HALF) continue
      const PART = (globalThis as { PART?: string }).PART
      if (PART && PART !== (this.txImage ? 'i' : 'd') + (w ? 'i' : 'd')) continue
      const PAIR = (globalThis as { PAIR?: string }).PAIR
      if (PAIR && PAIR !== `${e}-${hit >> 1}-0`) continue
      const wave = waves[w]
      const rx = { ...incoming.rx, r: wave.r, thetaHat: wave.thetaHat, phiHat: wave.phiHat }
      const image = behind(rx, walls)
      const wedge = this.wedges.get(edges[p + 7])
      const aspect = { tx: incoming.tx, rx: image.direction }
      if (!this.endFace.aim(wedge, frames, FRAMES_SIZE * e + 9 * (at & 1), aspect, lit)) continue
      const path = psi + wave.path + image.path + dot(image.direction.r, point)
      const h = EDGE_SIZE * (hit >> 1)
      const there = [0, 1, 2].map((c) => edges[h + c] + hitAt * edges[h + 3 + c]) as Vec3
      this.weigh(null, w, there, hitAt, hit >> 1)
      this.fringe.addEnd(this.endFace, l, slope, piece, path, this.weighed)
    }
  }

  /** Sets V_d exp(jL) of the source's strips of length l, at all wavenumbers, times those of the faces crossed before. */
  private setCurrent({ source, current }: Crossing, l: number, crossed: number): void {
    const { moments, lowest, crossings } = this
    const { k } = this.paths
    const perK = l * source.strip.sinBeta0 ** 2
    const mu = 1 - 2 * source.strip.c ** 2
    for (let n = 0, o = 0; n < k.length; n++, o += 2) {
      source.strip.moments(k[n] * perK, lowest * perK, moments)
      const re = moments[4] + source.strip.V0 - mu * moments[1]
      const im = moments[5] + mu * moments[0]
      const a = crossed === 0 ? 1 : crossings[crossed - 1].current[o]
      const b = crossed === 0 ? 0 : crossings[crossed - 1].current[o + 1]
      current[o] = re * a - im * b
      current[o + 1] = re * b + im * a
    }
  }
}

const WEIGH = process.env.WEIGH === '1'
const HALF = process.env.HALF === '1'
const wpair = new Float64Array(2)
const MINSIN = Number(process.env.MINSIN ?? 0)
const DIRECT = process.env.DIRECT === '1'
const FIRST = process.env.FIRST === '1'
const RFOLD = Number(process.env.RFOLD ?? 0)
const ENDS = process.env.NOENDS !== '1'
const FOLD = process.env.NOFOLD !== '1'
const IMAGES = process.env.NOIMG !== '1'

const same = (a: Vec3, b: Vec3): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2]

/** Whether a place lies in one of some parts, from and to in turn. */
function contains(parts: number[], t: number): boolean {
  for (let i = 0; i < parts.length; i += 2) if (t >= parts[i] && t <= parts[i + 1]) return true
  return false
}

const direction = (): Direction => ({
  thetaDeg: NaN,
  phiDeg: NaN,
  r: [0.5, 0.5, 0.5],
  thetaHat: [0.5, 0.5, 0.5],
  phiHat: [0.5, 0.5, 0.5],
})
