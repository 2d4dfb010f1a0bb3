import { fresnelW } from '../../math/fresnel.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import { type Aspect, cross, type Direction, dot, type Vec3 } from '../../scene/index.js'
import type { EdgeField } from '../currents/edge-field.js'
import { EdgeFace } from '../currents/face.js'
import type { Truncation } from '../currents/strip.js'
import { nearTheEdge, offGrazing, WedgeWave } from '../currents/wedge-wave.js'
import type { WedgeCache } from '../currents/wedge.js'
import {
  along,
  awayFromEnd,
  azimuthOf,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  meetingEnds,
  pointOn,
  vectorAt,
} from '../geometry/edge-scene.js'
import type { LightWave } from '../light/image-light.js'
import { awayFromFaces, grazes, type Lighting, type SegmentFinder, setLighting } from '../light/segments.js'
import { StripFan } from '../light/strip-walk.js'

/** Edges this near to a line (sine of the angle) do not meet at an angle. */
const STRAIGHT = 1e-2

/** The wave is taken so far off the second edge [rad], away from its faces, as is reflected light: both agree on a boundary's side. */
const BESIDE = 1e-6

/** Two edges that meet at a vertex and have no face in common. */
interface Meeting {
  /** Edge that the wave comes to. */
  to: number
  vertex: Vec3
  /** Unit vectors along both edges away from the vertex, and across the first towards the second, in the plane of both. */
  along: Vec3
  onward: Vec3
  across: Vec3
  /** Of the angle between them. */
  sin: number
  cos: number
  /** Azimuth of `across` about the first edge, from its first face [rad]. */
  azimuth: number
  /** Whether the edges begin at the vertex, rather than end there. */
  begins: boolean
  toBegins: boolean
}

/**
 * Per edge the edges that it meets, whose wave comes to them outside the material of both: rims where a seam ends, not the edges of solids,
 * which have a face in common.
 * @param least  length of edges at the least [m]
 */
export function findMeetings(scene: EdgeScene, least: number): Meeting[][] {
  const { count, edges, faces, materials } = scene
  const out: Meeting[][] = Array.from({ length: count }, () => [])
  for (const list of meetingEnds(scene, (e) => edges[EDGE_SIZE * e + 6] >= least && !materials?.kind[e]))
    for (const a of list)
      for (const b of list) {
        const [e, to] = [a >> 1, b >> 1]
        if (e === to) continue
        const [f, g] = [2 * e, 2 * to]
        if (faces[f] === faces[g] || faces[f] === faces[g + 1]) continue
        if (faces[f + 1] === faces[g] || faces[f + 1] === faces[g + 1]) continue
        const along = awayFromEnd(edges, a)
        const onward = awayFromEnd(edges, b)
        const cos = dot(along, onward)
        const sin = Math.sqrt(Math.max(0, 1 - cos * cos))
        if (sin < STRAIGHT) continue
        const across = onward.map((v, c) => (v - cos * along[c]) / sin) as Vec3
        const back = along.map((v, c) => (v - cos * onward[c]) / sin) as Vec3
        const beside = awayFrom(scene, to)
        const azimuth = outside(
          scene,
          e,
          across.map((v, c) => v + BESIDE * beside[c]),
        )
        if (azimuth === null || outside(scene, to, back) === null) continue
        const vertex = pointOn(scene, e, a & 1 ? edges[EDGE_SIZE * e + 6] : 0)
        out[e].push({
          to,
          vertex,
          along,
          onward,
          across,
          sin,
          cos,
          azimuth,
          begins: !(a & 1),
          toBegins: !(b & 1),
        })
      }
  return out
}

/** Unit vector away from an edge, half-way between its faces. */
function awayFrom({ edges, frames }: EdgeScene, e: number): Vec3 {
  const half = 0.5 * Math.PI * edges[EDGE_SIZE * e + 7]
  const f = FRAMES_SIZE * e
  return [0, 1, 2].map((c) => Math.cos(half) * frames[f + c] + Math.sin(half) * frames[f + 3 + c]) as Vec3
}

/** Azimuth of a direction across an edge, from its first face [rad]; null inside the material. */
function outside({ edges, frames }: EdgeScene, e: number, v: ArrayLike<number>): number | null {
  const f = FRAMES_SIZE * e
  let azimuth = Math.atan2(along(frames, f + 3, v), along(frames, f, v))
  if (azimuth < 0) azimuth += 2 * Math.PI
  return azimuth < edges[EDGE_SIZE * e + 7] * Math.PI ? azimuth : null
}

/** Edges shorter than this many wavelengths are left out: the wave has no room to become one. */
const SHORTEST = 0.5
/** Pieces are at most this many wavelengths long near the vertex, */
const PIECE = 0.2
/** and further away this part of a Fresnel zone √(λt) at the distance t from it. */
const PART_OF_ZONE = 0.2
/** Parts of the field below this square are left out. */
const NOTHING = 1e-12
/** What a ray meets nearer than this many tolerances to its end is the edge itself. */
const CLEAR = 4

/** The ray from the first edge to the second under a wave; lengths are parts of the second point's distance t from the vertex. */
interface Ray {
  d: Vec3
  /** Distance of its start from the vertex, and its way. */
  origin: number
  way: number
  /** Of the angle between the first edge and the light. */
  sinBeta: number
  /** What the way over the vertex is longer by. */
  late: number
}

/** The first edge, and its light (`MeetingEdges.add`). */
interface MeetingLight {
  e: number
  wave: LightWave
  rx: Direction
  shift: number
  over: ((middle: number) => number) | null
}

/**
 * The wave that an edge sends to another which it meets, where a seam of two faces ends (docs/second-order.md). Both lie in a plane: the ray
 * of the first one's Keller cone in it goes the same way d from everywhere, so that a plane wave along d comes to the second edge,
 * u_d(t) of `WedgeWave` at the distance t from the vertex; the fringe currents there follow as under any plane wave.
 *
 * The first edge ends at the vertex, at a face of the second, in which light and edge have their image: of its wave D there come
 * D (1 - F) + D' F, F = erfc(sqrt(jk late))/2, D' the mirrored wave. So E along that face has the factor 1 - 2F = erf(sqrt(jk late)), and
 * vanishes where the light grazes the face; E across it stays. One object per thread.
 */
export class MeetingEdges {
  private readonly caster: RayCaster
  private readonly meetings: Meeting[][]
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly fans: [StripFan, StripFan]
  private readonly minus = new WedgeWave()
  private readonly plus = new WedgeWave()
  private readonly current: Float64Array
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly seen: number[] = []
  private readonly parts: number[] = []

  /** Wavelengths [m]: pieces are as short as the shortest needs, rays as long as the penumbras of the longest. */
  private readonly shortest: number
  private readonly longest: number

  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly paths: EdgeField,
  ) {
    const shortest = (2 * Math.PI) / paths.highest
    this.shortest = shortest
    this.longest = (2 * Math.PI) / paths.lowest
    this.caster = new RayCaster(rays)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.current = new Float64Array(2 * paths.k.length)
    this.meetings = findMeetings(scene, SHORTEST * shortest)
  }

  /**
   * Adds what an edge under a wave does at the edges that it meets.
   * @param lit  parts of the edge that the wave lights, from and to in turn [m from its start]
   */
  add(light: MeetingLight, lit: number[], finder: SegmentFinder): void {
    for (const meeting of this.meetings[light.e]) this.meet(meeting, light, lit, finder)
  }

  private meet(meeting: Meeting, light: MeetingLight, lit: number[], finder: SegmentFinder): void {
    const { scene, wedges, faces, fans, lighting, minus, plus } = this
    const { e, wave, rx } = light
    const { edges, frames } = scene
    const f = FRAMES_SIZE * e
    const { to, along: first, across, sin, cos, azimuth } = meeting
    const { r } = wave
    const z = vectorAt(frames, f + 6)
    const [ix, iy] = [along(frames, f, r), along(frames, f + 3, r)]
    const sinBeta = Math.hypot(ix, iy)
    const cosBeta = -dot(r, z)
    const origin = cos + (sin * dot(r, first)) / sinBeta
    const way = sin / sinBeta
    if (!(origin > 0)) return
    const N = edges[EDGE_SIZE * e + 7]
    const full = N * Math.PI
    const phi0 = azimuthOf(ix, iy, full)
    // As in `ReflectedWave`: what comes along a face is incident and reflected wave in one.
    const grazing = grazes(this.scene, e, phi0, full) ? 0.5 : 1
    const d = first.map((v, c) => -dot(r, first) * v + sinBeta * across[c]) as Vec3
    const arriving: Direction = { ...rx, r: d.map((v) => -v) as Vec3 }
    setLighting(scene, to, arriving.r, lighting)
    if (lighting.share === 0) return
    finder.findLight(to, rx.r, this.seen)
    this.setParts(meeting, e, origin, lit)
    if (this.parts.length === 0) return
    minus.set(N, azimuth - phi0)
    plus.set(N, azimuth + phi0)
    const ray: Ray = { d, origin, way, sinBeta, late: Math.max(0, origin * dot(r, first) - way + 1) }
    const aspect: Aspect = { tx: arriving, rx }
    const wedge = wedges.get(edges[EDGE_SIZE * to + 7])
    const at = FRAMES_SIZE * to
    const n = vectorAt(frames, at + (lighting.lit[0] ? 3 : 12))
    const units = {
      soft: z.map((v, c) => (v - cosBeta * d[c]) / sinBeta) as Vec3,
      hard: cross(z, d).map((v) => v / sinBeta) as Vec3,
    }
    for (const kind of ['soft', 'hard'] as const)
      for (const tangential of [false, true]) {
        const unit = units[kind]
        const normal = dot(unit, n)
        const part = n.map((v, c) => (tangential ? unit[c] - normal * v : normal * v)) as Vec3
        if (dot(part, part) < NOTHING) continue
        const field = (p: Vec3): Vec3 => {
          const a = kind === 'hard' ? grazing * dot(cross(p, r), z) : dot(p, z)
          return part.map((v) => (a * v) / sinBeta) as Vec3
        }
        arriving.thetaHat = field(wave.thetaHat)
        arriving.phiHat = field(wave.phiHat)
        for (let i = 0; i < 2; i++) {
          if (!faces[i].aim(wedge, frames, at + 9 * i, aspect, lighting.lit[i], lighting.share)) return
          fans[i].aim(to, i, faces[i].strip.sinBeta0, faces[i].strip.cosBeta0)
        }
        this.addPieces(meeting, ray, light, kind === 'hard' ? 1 : -1, tangential)
      }
  }

  /** Sets the parts of the second edge, in distances from the vertex, that rays from the lit parts of the first come to and the receiver sees. */
  private setParts({ to, begins, toBegins }: Meeting, e: number, origin: number, lit: number[]): void {
    const { edges } = this.scene
    const { parts, seen } = this
    const length = edges[EDGE_SIZE * e + 6]
    const other = edges[EDGE_SIZE * to + 6]
    parts.length = 0
    for (let i = 0; i < lit.length; i += 2)
      for (let j = 0; j < seen.length; j += 2) {
        const [a, b] = begins ? [lit[i], lit[i + 1]] : [length - lit[i + 1], length - lit[i]]
        const [c, g] = toBegins ? [seen[j], seen[j + 1]] : [other - seen[j + 1], other - seen[j]]
        const from = Math.max(a / origin, c)
        const to = Math.min(b / origin, g)
        if (to > from) parts.push(from, to)
      }
  }

  /** Adds the fringe currents of the second edge under the part of the wave that its faces are aimed at. */
  private addPieces(
    { to, begins, toBegins, vertex, along, onward }: Meeting,
    { d, origin, way, sinBeta, late }: Ray,
    { e, wave, rx, shift, over: longer }: MeetingLight,
    sign: number,
    tangential: boolean,
  ): void {
    const { scene, paths, parts, faces, fans, current, shortest, longest, caster, minus, plus } = this
    const length = scene.edges[EDGE_SIZE * to + 6]
    const back = d.map((v) => -v) as Vec3
    for (let i = 0; i < parts.length; i += 2) {
      let from = parts[i]
      while (from < parts[i + 1]) {
        const most = Math.max(PIECE * shortest, PART_OF_ZONE * Math.sqrt(shortest * from))
        const until = parts[i + 1] - from < 1.5 * most ? parts[i + 1] : from + most
        const t = 0.5 * (from + until)
        const piece = until - from
        from = until
        const path = way * t
        const perK = 2 * sinBeta * sinBeta * path
        const x = Math.sqrt((perK * 2 * Math.PI) / longest)
        if (!minus.reaches(x, path / longest) && !plus.reaches(x, path / longest)) break
        const point = vertex.map((v, c) => v + t * onward[c]) as Vec3
        const start = awayFromFaces(scene, to, point, back)
        const met = caster.nearest(start[0], start[1], start[2], back[0], back[1], back[2], -1)
        if (met && caster.t < path - CLEAR * scene.tolerance) continue
        const at = begins ? origin * t : scene.edges[EDGE_SIZE * e + 6] - origin * t
        const over = longer && sign > 0 ? longer(at) : Infinity
        this.setCurrent(perK, path, sign, tangential ? late * t : -1, over)
        const foot = vertex.map((v, c) => v + origin * t * along[c]) as Vec3
        const psi = dot(wave.r, foot) + wave.path - path + dot(rx.r, point) + shift
        paths.openSegment(psi, piece, 1, current)
        for (let j = 0; j < 2; j++) {
          fans[j].at(toBegins ? t : length - t)
          paths.addFace(faces[j], fans[j].length, fans[j].slope, 0)
        }
        paths.closeSegment()
      }
    }
  }

  /**
   * Sets u_d = v(phi - phi0) -+ v(phi + phi0), without exp(-jk path), at 2 k_t rho = `perK` times the wavenumber after the way `path` [m]; and times erf(sqrt(j k late))
   * where `late` >= 0 [m].
   */
  private setCurrent(perK: number, path: number, sign: number, late: number, over: number): void {
    const { minus, plus, current, paths } = this
    for (let n = 0; n < paths.k.length; n++) {
      const x = Math.sqrt(perK * paths.k[n])
      const near = nearTheEdge((paths.k[n] * path) / (2 * Math.PI))
      minus.at(x, near, u, 0)
      plus.at(x, near, u, 2)
      const re = u[0] + sign * u[2]
      const im = u[1] + sign * u[3]
      let [a, b] = [1, 0]
      const left = offGrazing(paths.k[n] * over)
      if (late >= 0) {
        // erf(sqrt(jq)) = 1 - exp(-jq) W(sqrt(q))
        const q = paths.k[n] * late
        fresnelW(Math.sqrt(q), u, 0)
        a = 1 - Math.cos(q) * u[0] - Math.sin(q) * u[1]
        b = Math.sin(q) * u[0] - Math.cos(q) * u[1]
      }
      current[2 * n] = left * (re * a - im * b)
      current[2 * n + 1] = left * (re * b + im * a)
    }
  }
}

const u = new Float64Array(4)
