import { fresnelW } from '../../math/fresnel.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import { type Aspect, cross, type Direction, dot, type Vec3 } from '../../scene/index.js'
import type { EdgeField } from '../currents/edge-field.js'
import { EdgeFace } from '../currents/face.js'
import type { Truncation } from '../currents/strip.js'
import { WedgeWave } from '../currents/wedge-wave.js'
import {
  along,
  awayFromEnd,
  azimuthOf,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  halfWay,
  meetingEnds,
  pointOn,
  vectorAt,
} from '../geometry/edge-scene.js'
import type { LitEdge, LitFaces } from '../light/lit-faces.js'
import { awayFromFaces, grazes, type Lighting, setLighting } from '../light/segments.js'
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
        const beside = halfWay(scene, to).away
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
  private readonly footprint: ReturnType<EdgeField['takeFootprints']>
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly parts: number[] = []

  /** Wavelengths [m]: pieces are as short as the shortest needs, rays as long as the penumbras of the longest. */
  private readonly shortest: number
  private readonly longest: number

  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    truncation: Truncation,
    private readonly lit: LitFaces,
    private readonly paths: EdgeField,
  ) {
    const shortest = (2 * Math.PI) / paths.highest
    this.shortest = shortest
    this.longest = (2 * Math.PI) / paths.lowest
    this.caster = new RayCaster(rays)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.current = new Float64Array(2 * paths.k.length)
    this.footprint = paths.takeFootprints()
    this.meetings = findMeetings(scene, SHORTEST * shortest)
  }

  /**
   * Adds what an edge under a wave does at the edges that it meets.
   * @param over  what the way along a face is longer by than the direct one, where light comes over it, by the distance from the edge's start [m]
   */
  add(edge: LitEdge, over: ((middle: number) => number) | null): void {
    for (const meeting of this.meetings[edge.e]) this.meet(meeting, edge, over)
  }

  private meet(meeting: Meeting, edge: LitEdge, over: ((middle: number) => number) | null): void {
    const { scene, faces, fans, lighting, minus, plus } = this
    const { e, wave } = edge
    const { rx } = edge.lit
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
    // As in `ReflectedEdges`: what comes along a face is incident and reflected wave in one.
    const grazing = grazes(this.scene, e, phi0, full) ? 0.5 : 1
    const d = first.map((v, c) => -dot(r, first) * v + sinBeta * across[c]) as Vec3
    const arriving: Direction = { ...rx, r: d.map((v) => -v) as Vec3 }
    setLighting(scene, to, arriving.r, lighting)
    if (lighting.share === 0) return
    this.setParts(meeting, edge, origin)
    if (this.parts.length === 0) return
    minus.set(N, azimuth - phi0)
    plus.set(N, azimuth + phi0)
    const ray: Ray = { d, origin, way, sinBeta, late: Math.max(0, origin * dot(r, first) - way + 1) }
    const aspect: Aspect = { tx: arriving, rx }
    const wedge = this.lit.wedges.get(edges[EDGE_SIZE * to + 7])
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
        this.addPieces(meeting, ray, edge, kind === 'hard' ? over : null, {
          isHard: kind === 'hard',
          tangential,
        })
      }
  }

  /** Sets the parts of the second edge, in distances from the vertex, that rays from the lit parts of the first come to and the receiver sees. */
  private setParts(
    { to, begins, toBegins }: Meeting,
    { e, parts: lit, lit: { rx } }: LitEdge,
    origin: number,
  ): void {
    const { edges } = this.scene
    const { parts } = this
    const seen = this.lit.seenOf(to, rx)
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
    { e, wave, lit: { rx }, shift }: LitEdge,
    longer: ((middle: number) => number) | null,
    { isHard, tangential }: { isHard: boolean; tangential: boolean },
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
        const x = sinBeta * Math.sqrt((4 * Math.PI * path) / longest)
        if (!minus.reaches(x, path / longest) && !plus.reaches(x, path / longest)) break
        const point = vertex.map((v, c) => v + t * onward[c]) as Vec3
        const start = awayFromFaces(scene, to, point, back)
        const met = caster.nearest(start[0], start[1], start[2], back[0], back[1], back[2], -1)
        if (met && caster.t < path - CLEAR * scene.tolerance) continue
        const at = begins ? origin * t : scene.edges[EDGE_SIZE * e + 6] - origin * t
        const over = longer ? longer(at) : Infinity
        this.setCurrent(sinBeta, path, isHard, tangential ? late * t : -1, over)
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
   * Sets u_d = v(phi - phi0) -+ v(phi + phi0), without exp(-jk path), after the way `path` [m], of soft or hard fields; and times
   * erf(sqrt(j k late)) where `late` >= 0 [m].
   */
  private setCurrent(sinBeta: number, path: number, isHard: boolean, late: number, over: number): void {
    const { current, paths, footprint, plus, minus } = this
    const { module, numbers, sum } = footprint
    // As a footprint of unit amplitude, less its factor jk.
    const values = module.view(numbers, 16)
    minus.put(values, 0)
    plus.put(values, 2)
    values.fill(0, 8)
    values[isHard ? 12 : 8] = 1
    module.run.footprint(numbers, sinBeta, path, Infinity, Infinity, over, 0, 0, sum)
    const u = module.view(sum, 8 * paths.k.length)
    for (let n = 0; n < paths.k.length; n++) {
      const k = paths.k[n]
      const [re, im] = [u[8 * n + 1] / k, -u[8 * n] / k]
      let [a, b] = [1, 0]
      if (late >= 0) {
        // erf(sqrt(jq)) = 1 - exp(-jq) W(sqrt(q))
        const q = k * late
        fresnelW(Math.sqrt(q), w, 0)
        a = 1 - Math.cos(q) * w[0] - Math.sin(q) * w[1]
        b = Math.sin(q) * w[0] - Math.cos(q) * w[1]
      }
      current[2 * n] = re * a - im * b
      current[2 * n + 1] = re * b + im * a
    }
  }
}

const w = new Float64Array(2)
