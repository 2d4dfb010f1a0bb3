import { dot, type Vec3 } from '../scene/index.js'
import { GRAZING_COSINE, RayCaster, type RayScene } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { RIGHT_ANGLE, Walls } from './walls.js'

/** Folds of a strip that are followed. */
const MAX_FOLDS = 3
/** A wall at a strip's end is looked for this part of the target's diagonal before and behind it. */
const STEP = 1e-6
/** Whether strips of the face whose frame begins at `at` run with the light from r, or square to it: -r . x >= 0. */
const withTheLight = (frames: Float64Array, at: number, r: ArrayLike<number>): boolean =>
  r[0] * frames[at] + r[1] * frames[at + 1] + r[2] * frames[at + 2] < GRAZING_COSINE

/** A strip after its folds: whole length, unfolded [m], and the walls (unit normal, and normal . point) in the order they are met. */
export interface Fold {
  length: number
  walls: { normal: Vec3; offset: number }[]
  /** Where it ends, and its direction there. */
  end: Vec3
  u: Vec3
}

/** Follows strips that run into walls at right angles to their face and back over it. One object per thread. */
export class StripFolds {
  private readonly caster: RayCaster
  private readonly walls: Walls

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
  ) {
    this.caster = new RayCaster(rays)
    this.walls = new Walls(scene, rays)
  }

  /** Whether strips of face i of edge e may run into a wall at all. */
  mayFold(e: number, i: number): boolean {
    return this.walls.at(2 * e + i)
  }

  /** The strip of face i of edge e from the distance t, of length l before any fold, with one fold, with two, and so on. */
  find(e: number, i: number, t: number, l: number, r: Vec3, all = false): Fold[] {
    const { scene, caster } = this
    const { edges, frames, diagonal } = scene
    const [p, f] = [EDGE_SIZE * e, FRAMES_SIZE * e + 9 * i]
    const frame = (at: number): Vec3 => [frames[f + at], frames[f + at + 1], frames[f + at + 2]]
    const [x, y, z] = [frame(0), frame(3), frame(6)]
    const [sin, cos] = [Math.hypot(dot(r, x), dot(r, y)), -dot(r, z)]
    let u = x.map((v, c) => sin * v + cos * z[c]) as Vec3
    let end = u.map((v, c) => edges[p + c] + t * edges[p + 3 + c] + l * v) as Vec3
    const running = all || ALL || withTheLight(frames, f, r)
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
      out.push({ length, walls: [...(out.at(-1)?.walls ?? []), wall], end, u })
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

const ALL = process.env.ALL === '1'
