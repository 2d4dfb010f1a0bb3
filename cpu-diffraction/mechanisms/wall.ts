import { RayCaster, type RayScene } from '../../rays/index.js'
import { type Aspect, cross, type Direction, dot, type Vec3 } from '../../scene/index.js'
import {
  conducts,
  type EdgeScene,
  FRAMES_SIZE,
  grazingAt,
  pointOn,
  vectorAt,
} from '../geometry/edge-scene.js'
import type { EdgeFace } from '../currents/face.js'
import type { EdgeField } from '../currents/edge-field.js'
import type { LitFace } from '../light/lit-faces.js'
import { StripWalk } from '../light/strip-walk.js'

/** |cos| of the angle between face and wall below which the corner is a right angle. */
const RIGHT_ANGLE = 1e-3
/** A wall touches a face that is this part of the target's diagonal away from it, or so many tolerances of the mesh, or less. */
const TOUCHING = 4e-6
const TOUCHING_TOLERANCES = 8
/** Narrow faces of a thin solid reach half its thickness above the sheet that it is: walls are higher than this part of the thickness. */
const OVER_RIM = 0.6

/**
 * Says which faces may end at a wall at right angles: facets that touch their outlines and rise over them. Found when first asked
 * for, face by face; independent of the aspect. One object per thread.
 */
export class Walls {
  /** By face and side (see `key`): 0 unknown, 1 no wall, 2 a wall. */
  private readonly known: Uint8Array
  private readonly stack: Int32Array
  private readonly low = new Float64Array(3)
  private readonly high = new Float64Array(3)

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
  ) {
    this.known = new Uint8Array(2 * scene.outlineStart.length)
    this.stack = new Int32Array(rays.depth + 4)
  }

  /** Whether strips of the face of an edge, 2 e + i, may end at a wall. */
  at(at: number): boolean {
    const { faces, sides, thickness } = this.scene
    const key = 2 * faces[at] + (sides[at] > 0 ? 1 : 0)
    if (this.known[key] === 0)
      this.known[key] = this.search(faces[at], sides[at], thickness[at >> 1] * OVER_RIM) ? 2 : 1
    return this.known[key] === 2
  }

  /** @param least  height of a wall at the least [m] */
  private search(face: number, side: number, least: number): boolean {
    const { outline, outlineStart, normals, diagonal, tolerance } = this.scene
    const { low, high } = this
    const margin = Math.max(TOUCHING * diagonal, TOUCHING_TOLERANCES * tolerance)
    const nx = side * normals[3 * face]
    const ny = side * normals[3 * face + 1]
    const nz = side * normals[3 * face + 2]
    for (let a = 6 * outlineStart[face]; a < 6 * outlineStart[face + 1]; a += 6) {
      for (let c = 0; c < 3; c++) {
        low[c] = Math.min(outline[a + c], outline[a + 3 + c]) - margin
        high[c] = Math.max(outline[a + c], outline[a + 3 + c]) + margin
      }
      const height = nx * outline[a] + ny * outline[a + 1] + nz * outline[a + 2] + least
      if (this.meetsWall(nx, ny, nz, height + margin)) return true
    }
    return false
  }

  /** Whether the box from `low` to `high` meets that of a facet parallel to n which reaches higher along n. */
  private meetsWall(nx: number, ny: number, nz: number, height: number): boolean {
    const { low, high, stack } = this
    const { pairs, order, normals, vertices: v } = this.rays
    const { boxes, links } = pairs
    let top = 0
    let at = pairs.root
    for (;;) {
      if (at < 0) {
        const first = ~at >> 3
        for (let slot = first; slot < first + (~at & 7); slot++) {
          const n = 4 * order[slot]
          if (Math.abs(nx * normals[n] + ny * normals[n + 1] + nz * normals[n + 2]) > RIGHT_ANGLE) continue
          const f = 9 * order[slot]
          let over = false
          let apart = false
          for (let c = 0; c < 3; c++) {
            const p = f + 3 * c
            over ||= nx * v[p] + ny * v[p + 1] + nz * v[p + 2] > height
            apart ||=
              Math.min(v[f + c], v[f + 3 + c], v[f + 6 + c]) > high[c] ||
              Math.max(v[f + c], v[f + 3 + c], v[f + 6 + c]) < low[c]
          }
          if (over && !apart) return true
        }
      } else
        for (let child = 0; child < 2; child++) {
          const b = 12 * at + 6 * child
          if (
            boxes[b] <= high[0] &&
            boxes[b + 1] <= high[1] &&
            boxes[b + 2] <= high[2] &&
            boxes[b + 3] >= low[0] &&
            boxes[b + 4] >= low[1] &&
            boxes[b + 5] >= low[2]
          )
            stack[top++] = links[2 * at + child]
        }
      if (top === 0) return false
      at = stack[--top]
    }
  }
}

/** Folds of a strip that are followed. */
const MAX_FOLDS = 3
/** A wall at a strip's end is looked for this part of the target's diagonal before and behind it, or so many tolerances of the mesh where these are more. */
const STEP = 1e-6
const STEP_TOLERANCES = 4

/** A wall of height h behind strips of length l turns back 1 - exp(-HEIGHT k h^2/l) of their current: low ones are seen over. */
const HEIGHT = 1

/** A wall's plane: unit normal, and normal . point [m]. */
interface Wall {
  normal: Vec3
  offset: number
}

/** A strip after its folds. */
export interface Fold {
  /** Whole length, unfolded [m], and its slope along z of the face's frame. */
  length: number
  slope: number
  /** In the order they are met. */
  walls: Wall[]
  /** Where it ends, and its direction there. */
  end: Vec3
  u: Vec3
  /** What its walls turn back of the current by their heights, 0 to 1. */
  share: number
}

/** Follows strips that run into walls at right angles to their face, and back over it. One object per thread. */
export class StripFolds {
  private readonly caster: RayCaster
  private readonly walls: Walls
  private readonly walk: StripWalk
  /** Outline edge that `wayInFace` ends on. */
  private exit = -1

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly k: number,
  ) {
    this.caster = new RayCaster(rays)
    this.walls = new Walls(scene, rays)
    this.walk = new StripWalk(scene)
  }

  /** Whether strips of face i of edge e may run into a wall at all. */
  mayFold(e: number, i: number): boolean {
    return this.walls.at(2 * e + i)
  }

  /**
   * The strip of face i of edge e from the distance t, of length l before any fold, with one fold, with two, and so on.
   * @param r    where the light comes from
   * @param all  whether strips that run against the light fold at walls that their edge does not run along
   */
  find(e: number, i: number, t: number, l: number, r: Vec3, all: boolean): Fold[] {
    const { scene, caster } = this
    const { frames, diagonal, tolerance } = scene
    const f = FRAMES_SIZE * e + 9 * i
    const [x, y, z] = [0, 3, 6].map((at) => vectorAt(frames, f + at))
    const [sin, cos] = [Math.hypot(dot(r, x), dot(r, y)), -dot(r, z)]
    let u = x.map((v, c) => sin * v + cos * z[c]) as Vec3
    const start = pointOn(scene, e, t)
    let end = u.map((v, c) => start[c] + l * v) as Vec3
    // Across the strips from each to its neighbour along z.
    let across = z
    const running = all || dot(r, x) < grazingAt(scene, f)
    const out: Fold[] = []
    const step = Math.max(STEP * diagonal, STEP_TOLERANCES * tolerance)
    let length = l
    let share = 1
    while (out.length < MAX_FOLDS) {
      const [ox, oy, oz] = end.map((v, c) => v + step * (y[c] - u[c]))
      if (!caster.nearest(ox, oy, oz, u[0], u[1], u[2], -1) || caster.t > 2 * step) break
      if (!conducts(this.rays, caster.facet)) break
      const wall = this.wall(caster.facet)
      if (Math.abs(dot(wall.normal, y)) > RIGHT_ANGLE) break
      if (!running && Math.abs(dot(wall.normal, z)) > RIGHT_ANGLE) break
      const height = this.wayInFace(scene.faceOf[caster.facet], end, y, step)
      share *= 1 - Math.exp((-HEIGHT * this.k * height * height) / length)
      u = mirrored(u, wall)
      across = mirrored(across, wall)
      const way = this.wayInFace(scene.faces[2 * e + i], end, u, step)
      if (way === 0) break
      length += way
      end = end.map((v, c) => v + way * u[c]) as Vec3
      // across + slope u lies along the outline edge of the exit.
      const over = cross(y, vectorAt(scene.outlineFrames, 6 * this.exit))
      const slope = -dot(across, over) / dot(u, over)
      out.push({ length, slope, walls: [...(out.at(-1)?.walls ?? []), wall], end, u, share })
    }
    return out
  }

  private wall(facet: number): Wall {
    const [x, y, z, offset] = this.rays.normals.subarray(4 * facet, 4 * facet + 4)
    return { normal: [x, y, z], offset }
  }

  /** Way [m] from a point of a face's outline along u to where it first leaves the face; 0 where it leads out at once. */
  private wayInFace(face: number, point: Vec3, u: Vec3, least: number): number {
    const { walk } = this
    walk.point.set(point)
    walk.u.set(u)
    walk.length = 0
    this.exit = walk.cross(face, -1, least)
    return walk.length
  }
}

/** The receiver's image behind walls, for what lies before the first one unfolded, and its phase path. */
export function behind(rx: Direction, walls: Wall[]): { direction: Direction; path: number } {
  let { r, thetaHat, phiHat } = rx
  let path = 0
  for (const wall of [...walls].reverse()) {
    path += 2 * wall.offset * dot(wall.normal, r)
    r = mirrored(r, wall)
    // Reflected as a perfect conductor does.
    thetaHat = mirrored(thetaHat, wall).map((v) => -v) as Vec3
    phiHat = mirrored(phiHat, wall).map((v) => -v) as Vec3
  }
  return { direction: { ...rx, r, thetaHat, phiHat }, path }
}

function mirrored(v: Vec3, { normal }: Wall): Vec3 {
  const along = dot(v, normal)
  return v.map((x, c) => x - 2 * along * normal[c]) as Vec3
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
  constructor(
    private readonly scene: EdgeScene,
    private readonly strips: StripFolds,
    private readonly face: EdgeFace,
  ) {}

  /**
   * Adds the folded part of a strip.
   *
   * @param face  the lit face
   * @param t, piece, length, slope  see `TakePiece`
   */
  add(
    { e, i, wave, lit, lighting, wedge, shift }: LitFace,
    t: number,
    piece: number,
    length: number,
    slope: number,
    field: EdgeField,
  ): void {
    const folds = this.strips.find(e, i, t, length, lit.tx.r, false)
    if (folds.length === 0) return
    const f = FRAMES_SIZE * e + 9 * i
    const point = pointOn(this.scene, e, t)
    let before = length
    let rise = slope
    for (const fold of folds) {
      const rx = behind(lit.rx, fold.walls)
      const { thetaHat, phiHat } = lit.tx
      const weak = (v: Vec3): Vec3 => v.map((x) => lighting.share * fold.share * x) as Vec3
      const tx = { ...lit.tx, thetaHat: weak(thetaHat), phiHat: weak(phiHat) }
      const aspect: Aspect = { tx, rx: rx.direction }
      const psi = dot(wave.r, point) + dot(rx.direction.r, point) + wave.path + rx.path + shift
      if (!this.face.aim(wedge, this.scene.frames, f, aspect, lighting.lit[i])) break
      // Longer strip less shorter one: the fields are linear in the piece's length and even in its slopes.
      field.openSegment(psi, piece)
      field.addFace(this.face, fold.length, fold.slope)
      field.closeSegment()
      field.openSegment(psi, -piece)
      field.addFace(this.face, before, rise)
      field.closeSegment()
      before = fold.length
      rise = fold.slope
    }
  }
}
