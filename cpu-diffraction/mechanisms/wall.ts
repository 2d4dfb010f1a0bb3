import { RayCaster, type RayScene } from '../../rays/index.js'
import { cross, type Direction, dot, type Vec3 } from '../../scene/index.js'
import {
  along,
  conducts,
  type EdgeScene,
  FRAMES_SIZE,
  grazingAt,
  pointOn,
  vectorAt,
} from '../geometry/edge-scene.js'
import type { EdgeFace } from '../currents/face.js'
import type { EdgeField } from '../currents/edge-field.js'
import { imageIn, mirrored, type Plane, planeOf } from '../light/image-light.js'
import type { LitFace, StripPiece } from '../light/lit-faces.js'
import { StripWalk } from '../light/strip-walk.js'

/** |cos| of the angle between face and wall below which the corner is a right angle. */
const RIGHT_ANGLE = 1e-3
/** A wall touches a face that is this part of the target's diagonal away from it, or so many tolerances of the mesh, or less. */
const TOUCHING = 4e-6
const TOUCHING_TOLERANCES = 8
/** Narrow faces of a thin solid reach half its thickness above the sheet that it is: walls are higher than this part of the thickness. */
const OVER_RIM = 0.6

/** Folds of a strip that are followed. */
const MAX_FOLDS = 3
/** A wall at a strip's end is looked for this part of the target's diagonal before and behind it, or so many tolerances of the mesh where these are more. */
const STEP = 1e-6
const STEP_TOLERANCES = 4

/** A wall of height h behind strips of length l turns back 1 - exp(-HEIGHT k h^2/l) of their current: low ones are seen over. */
const HEIGHT = 1

/** A strip after its folds. */
export interface Fold {
  /** Whole length, unfolded [m], and its slope along z of the face's frame. */
  length: number
  slope: number
  /** In the order they are met. */
  walls: Plane[]
  /** Where it ends, and its direction there. */
  end: Vec3
  u: Vec3
  /** What its walls turn back of the current by their heights, 0 to 1. */
  share: number
}

/** Follows strips that run into walls at right angles to their face, and back over it. One object per thread. */
export class StripFolds {
  private readonly caster: RayCaster
  /** Whether faces may end at a wall, by face and side: 0 unknown, 1 no, 2 yes; independent of the aspect. */
  private readonly walled: Uint8Array
  private readonly walk: StripWalk
  /** Outline edge that `wayInFace` ends on. */
  private exit = -1

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly k: number,
  ) {
    this.caster = new RayCaster(rays)
    this.walled = new Uint8Array(2 * scene.outlineStart.length)
    this.walk = new StripWalk(scene)
  }

  /** Whether strips of face i of edge e may run into a wall at all: facets at right angles that touch its outline and rise over it. */
  mayFold(e: number, i: number): boolean {
    const { scene, walled } = this
    const [face, side] = [scene.faces[2 * e + i], scene.sides[2 * e + i]]
    const key = 2 * face + (side > 0 ? 1 : 0)
    if (walled[key] === 0) walled[key] = this.hasWall(face, side, scene.thickness[e] * OVER_RIM) ? 2 : 1
    return walled[key] === 2
  }

  /** @param least  height of a wall at the least [m] */
  private hasWall(face: number, side: number, least: number): boolean {
    const { outline, outlineStart, normals, diagonal, tolerance } = this.scene
    const margin = Math.max(TOUCHING * diagonal, TOUCHING_TOLERANCES * tolerance)
    const up = vectorAt(normals, 3 * face).map((x) => side * x) as Vec3
    for (let a = 6 * outlineStart[face]; a < 6 * outlineStart[face + 1]; a += 6) {
      const [p, q] = [vectorAt(outline, a), vectorAt(outline, a + 3)]
      const low = p.map((x, c) => Math.min(x, q[c]) - margin)
      const high = p.map((x, c) => Math.max(x, q[c]) + margin)
      if (this.meetsWall(up, dot(up, p) + least + margin, low, high, this.rays.pairs.root)) return true
    }
    return false
  }

  /** Whether a box meets that of a facet at node `at` of the tree which is parallel to `up` and reaches higher along it. */
  private meetsWall(up: Vec3, height: number, low: number[], high: number[], at: number): boolean {
    const { pairs, order, normals, vertices: v } = this.rays
    if (at >= 0) {
      for (let child = 0; child < 2; child++) {
        const b = 12 * at + 6 * child
        const meets = low.every((x, c) => pairs.boxes[b + c] <= high[c] && pairs.boxes[b + 3 + c] >= x)
        if (meets && this.meetsWall(up, height, low, high, pairs.links[2 * at + child])) return true
      }
      return false
    }
    const first = ~at >> 3
    for (let slot = first; slot < first + (~at & 7); slot++) {
      const f = 9 * order[slot]
      if (Math.abs(along(normals, 4 * order[slot], up)) > RIGHT_ANGLE) continue
      const meets = low.every(
        (x, c) =>
          Math.min(v[f + c], v[f + 3 + c], v[f + 6 + c]) <= high[c] &&
          Math.max(v[f + c], v[f + 3 + c], v[f + 6 + c]) >= x,
      )
      if (meets && [0, 3, 6].some((p) => along(v, f + p, up) > height)) return true
    }
    return false
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
      const wall = planeOf(this.rays, caster.facet)
      if (Math.abs(dot(wall.normal, y)) > RIGHT_ANGLE) break
      if (!running && Math.abs(dot(wall.normal, z)) > RIGHT_ANGLE) break
      const height = this.wayInFace(scene.faceOf[caster.facet], end, y, step)
      share *= 1 - Math.exp((-HEIGHT * this.k * height * height) / length)
      u = mirrored(u, wall.normal)
      across = mirrored(across, wall.normal)
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
export function behind(rx: Direction, walls: Plane[]): { direction: Direction; path: number } {
  const image = walls.reduceRight(imageIn, { ...rx, path: 0 })
  return { direction: image, path: image.path }
}

/** Strips of a piece of an edge's face before they fold. */
interface FoldingStrips {
  length: number
  slope: number
  /** Whether all are as long as that of the midpoint, but for their phases. */
  isUniform: boolean
  /** Length of the piece [m], and the weight of what is added. */
  piece: number
  weight: number
  /** Midpoint of the piece; phase path of the wave there, and of the origin [m]; the wave's amplitude (`EdgeField.openSegment`). */
  point: Vec3
  path: number
  current?: Float64Array
  rx: Direction
}

/**
 * Adds what strips have beyond the walls that they run into: after each fold the longer strip less the shorter one, as the receiver's image sees
 * it. The fields are linear in the piece's length and even in its slopes.
 * @param aim  aims the face, under the wave and with a receiver; false where the edge is seen end-on
 */
export function addFolds(
  field: EdgeField,
  face: EdgeFace,
  folds: readonly Fold[],
  strips: FoldingStrips,
  aim: (rx: Direction) => boolean,
): void {
  const { isUniform, piece, weight, point, path, current, rx } = strips
  let before: Pick<Fold, 'length' | 'slope'> = strips
  for (const fold of folds) {
    const image = behind(rx, fold.walls)
    if (!aim(image.direction)) return
    const psi = path + image.path + dot(image.direction.r, point)
    for (const [{ length, slope }, sign] of [
      [fold, 1],
      [before, -1],
    ] as const) {
      field.openSegment(psi, sign * piece, weight * fold.share, current)
      field.addFace(face, length, slope, isUniform ? 0 : slope)
      field.closeSegment()
    }
    before = fold
  }
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
   */
  add(
    { e, i, wave, lit, lighting, wedge, shift }: LitFace,
    { t, piece, length, slope, weight }: StripPiece,
    field: EdgeField,
  ): void {
    const folds = this.strips.find(e, i, t, length, lit.tx.r, false)
    if (folds.length === 0) return
    const { scene, face } = this
    const point = pointOn(scene, e, t)
    const strips = {
      length,
      slope,
      isUniform: false,
      piece,
      weight: weight * lighting.share,
      point,
      path: dot(wave.r, point) + wave.path + shift,
      rx: lit.rx,
    }
    const f = FRAMES_SIZE * e + 9 * i
    addFolds(field, face, folds, strips, (rx) =>
      face.aim(wedge, scene.frames, f, { tx: lit.tx, rx }, lighting.lit[i]),
    )
  }
}
