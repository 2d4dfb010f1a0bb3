import { type Aspect, type Direction, dot, type Vec3 } from '../scene/index.js'
import { GRAZING_COSINE, RayCaster, type RayScene } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import type { EdgeFace } from './face.js'
import type { EdgeField } from './edge-field.js'
import type { LightWave } from './image-waves.js'
import { isLit } from './lighting.js'
import { RIGHT_ANGLE, Walls } from './walls.js'
import type { Wedge } from './wedge.js'

/** Folds of a strip that are followed. */
const MAX_FOLDS = 3
/** A wall at a strip's end is looked for this part of the target's diagonal before and behind it. */
const STEP = 1e-6
/** The slope of a strip's length is taken over this part of the segment. */
const SLOPE_STEP = 1e-3

/** Whether strips of the face whose frame begins at `at` run with the light from r, or square to it: -r . x >= 0. */
const withTheLight = (frames: Float64Array, at: number, r: ArrayLike<number>): boolean =>
  r[0] * frames[at] + r[1] * frames[at + 1] + r[2] * frames[at + 2] < GRAZING_COSINE

/** A strip after its folds: whole length, unfolded [m], and the walls (unit normal, and normal . point) in the order they are met. */
interface Fold {
  length: number
  walls: { normal: Vec3; offset: number }[]
}

/**
 * Strips of fringe current that run into a wall at right angles to their face. The wall reflects the wave along the face, so that the
 * current goes on as on the face's mirror image, and turned back on the face itself. Unfolded, the strip is longer, and its part behind
 * a wall is seen by the receiver's image in that wall (docs/second-order.md). An edge along the wall is the problem in two dimensions;
 * one that ends at it starts beside the wall's own edges. There only strips that run with the light count: their current is of the
 * order of the light's own where it grazes the face, that of the others of the order of waves from the edges of one face to those of
 * another, which are left out. One object per thread.
 */
export class CornerStrips {
  private readonly caster: RayCaster
  private readonly walls: Walls

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly face: EdgeFace,
  ) {
    this.caster = new RayCaster(rays)
    this.walls = new Walls(scene, rays)
  }

  /** Whether strips of face i of edge e may run into a wall at all. */
  mayFold(e: number, i: number): boolean {
    return this.walls.at(2 * e + i)
  }

  /**
   * Adds the folded part of a strip.
   *
   * @param e,i     edge and face
   * @param t, piece, length, slope  see `TakePiece`
   * @param lit     the wave that lights it, and the receiver
   * @param shift   phase path of the arrays' origin, (tx + rx).origin [m]
   */
  add(
    e: number,
    i: number,
    t: number,
    piece: number,
    length: number,
    slope: number,
    wave: LightWave,
    lit: Aspect,
    wedge: Wedge,
    shift: number,
    field: EdgeField,
  ): void {
    const folds = this.folds(e, i, t, length, lit.tx.r)
    if (folds.length === 0) return
    const step = SLOPE_STEP * piece
    const sign = this.alongZ(e, i)
    const near = this.folds(e, i, t - step, length - step * sign * slope, lit.tx.r)
    const far = this.folds(e, i, t + step, length + step * sign * slope, lit.tx.r)
    const { frames, edges } = this.scene
    const f = FRAMES_SIZE * e + 9 * i
    const p = EDGE_SIZE * e
    const point = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
    let before = length
    let rise = slope
    for (const [m, fold] of folds.entries()) {
      const rx = behind(lit.rx, fold.walls)
      const aspect: Aspect = { tx: lit.tx, rx: rx.direction }
      if (!this.face.aim(wedge, frames, f, aspect, isLit(frames, f, lit.tx.r))) break
      const psi = dot(wave.r, point) + dot(rx.direction.r, point) + wave.path + rx.path + shift
      // dl/dz of the longer strip, where its neighbours meet the same walls.
      const a = near.at(m)
      const b = far.at(m)
      const after =
        a && b && sameWalls(a, fold) && sameWalls(b, fold)
          ? (sign * (b.length - a.length)) / (2 * step)
          : rise
      // Longer strip less shorter one: the fields are linear in the piece's length and even in its slopes.
      field.openSegment(psi, piece)
      field.addFace(this.face, fold.length, after)
      field.closeSegment()
      field.openSegment(psi, -piece)
      field.addFace(this.face, before, rise)
      field.closeSegment()
      before = fold.length
      rise = after
    }
  }

  /** +1 where z of a face's frame is along the edge, else -1. */
  private alongZ(e: number, i: number): number {
    const { edges, frames } = this.scene
    const [p, f] = [EDGE_SIZE * e + 3, FRAMES_SIZE * e + 9 * i + 6]
    return edges[p] * frames[f] + edges[p + 1] * frames[f + 1] + edges[p + 2] * frames[f + 2] < 0 ? -1 : 1
  }

  /** The strip of face i of edge e from the distance t, of length l before any fold, with one fold, with two, and so on. */
  private folds(e: number, i: number, t: number, l: number, r: Vec3): Fold[] {
    const { scene, caster } = this
    const { edges, frames, diagonal } = scene
    const [p, f] = [EDGE_SIZE * e, FRAMES_SIZE * e + 9 * i]
    const frame = (at: number): Vec3 => [frames[f + at], frames[f + at + 1], frames[f + at + 2]]
    const [x, y, z] = [frame(0), frame(3), frame(6)]
    const [sin, cos] = [Math.hypot(dot(r, x), dot(r, y)), -dot(r, z)]
    let u = x.map((v, c) => sin * v + cos * z[c]) as Vec3
    let end = u.map((v, c) => edges[p + c] + t * edges[p + 3 + c] + l * v) as Vec3
    const running = withTheLight(frames, f, r)
    const out: Fold[] = []
    const step = STEP * diagonal
    let length = l
    while (out.length < MAX_FOLDS) {
      const [ox, oy, oz] = end.map((v, c) => v + step * (y[c] - u[c]))
      if (!caster.nearest(ox, oy, oz, u[0], u[1], u[2], -1) || caster.t > 2 * step) break
      const wall = this.wall(caster.facet)
      if (Math.abs(dot(wall.normal, y)) > RIGHT_ANGLE) break
      if (!running && Math.abs(dot(wall.normal, z)) > RIGHT_ANGLE) break
      const un = dot(u, wall.normal)
      u = u.map((v, c) => v - 2 * un * wall.normal[c]) as Vec3
      const way = this.wayInFace(scene.faces[2 * e + i], end, u, step)
      if (way === 0) break
      length += way
      end = end.map((v, c) => v + way * u[c]) as Vec3
      out.push({ length, walls: [...(out.at(-1)?.walls ?? []), wall] })
    }
    return out
  }

  private wall(facet: number): Fold['walls'][number] {
    const [x, y, z, offset] = this.rays.normals.subarray(4 * facet, 4 * facet + 4)
    return { normal: [x, y, z], offset }
  }

  /** Way [m] from a point of a face's outline along u to where it first leaves the face; 0 where it leads out at once. */
  private wayInFace(face: number, point: Vec3, u: Vec3, least: number): number {
    const { outline, outlineStart, normals } = this.scene
    const n = normals.subarray(3 * face, 3 * face + 3)
    // w . r is constant along u, and grows along outline edges that lead out of the face.
    const w: Vec3 = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]]
    let way = 0
    for (let a = 6 * outlineStart[face]; a < 6 * outlineStart[face + 1]; a += 6) {
      const from: Vec3 = [outline[a] - point[0], outline[a + 1] - point[1], outline[a + 2] - point[2]]
      const to: Vec3 = [outline[a + 3] - point[0], outline[a + 4] - point[1], outline[a + 5] - point[2]]
      const [wa, wb] = [dot(w, from), dot(w, to)]
      if (!(wa <= 0 && wb >= 0 && wa < wb)) continue
      const l = (wb * dot(u, from) - wa * dot(u, to)) / (wb - wa)
      if (l > least && (way === 0 || l < way)) way = l
    }
    return way
  }
}

/** The receiver's image behind walls, for what lies before the first one unfolded, and its phase path. */
function behind(rx: Direction, walls: Fold['walls']): { direction: Direction; path: number } {
  let { r, thetaHat, phiHat } = rx
  let path = 0
  for (const { normal: n, offset } of [...walls].reverse()) {
    const nr = dot(n, r)
    path += 2 * offset * nr
    r = r.map((v, c) => v - 2 * nr * n[c]) as Vec3
    const field = (e: Vec3): Vec3 => e.map((v, c) => 2 * dot(n, e) * n[c] - v) as Vec3
    thetaHat = field(thetaHat)
    phiHat = field(phiHat)
  }
  return { direction: { ...rx, r, thetaHat, phiHat }, path }
}

const sameWalls = (a: Fold, b: Fold): boolean =>
  a.walls.every(({ normal, offset }, i) => {
    const other = b.walls[i]
    return (
      Math.abs(dot(normal, other.normal)) > 1 - 1e-9 &&
      Math.abs(Math.abs(offset) - Math.abs(other.offset)) < 1e-9
    )
  })
