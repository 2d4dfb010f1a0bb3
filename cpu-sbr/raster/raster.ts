import { type Direction, type Vec3 } from '../../scene/index.js'
import { RASTER_GRAZING, rasterAxes, type RasterImage, type RasterScene } from '../../rays/raster-scene.js'

/** A lit facet as it is drawn: corners counter-clockwise in pixels, heights towards the radar [m]. */
export interface Drawn {
  facet: number
  /** Normal, turned to the radar. */
  n: Vec3
  x: [number, number, number]
  y: [number, number, number]
  /** Height of corner 0, and the least and greatest of all. */
  h0: number
  low: number
  high: number
  /** Slope of the height per pixel along u and v [m]. */
  slope: [number, number]
  /** By which single precision may displace a height. */
  bias: number
}

/** Samples of a drawn facet, those that nothing nearer hides, and how many of its four probes are in front. */
export interface Seen {
  samples: number
  visible: number
  probes: number
}

/**
 * The image of a target from one direction: the nearest height at every sample (docs/gpueco.md, "Visibility"; the kernels do
 * the same in single precision).
 */
export class Raster {
  readonly u: Vec3
  readonly v: Vec3
  readonly r: Vec3
  /** Size x size heights, -Infinity where the background shows. */
  readonly depth: Float64Array
  readonly drawn: Drawn[] = []

  constructor(
    readonly scene: RasterScene,
    readonly image: RasterImage,
    tx: Direction,
  ) {
    this.r = tx.r
    const { u, v } = rasterAxes(tx)
    this.u = u
    this.v = v
    this.depth = new Float64Array(image.size * image.size).fill(-Infinity)
    for (let t = 0; t < scene.count; t++) {
      const drawn = this.draw(t)
      if (drawn) this.drawn.push(drawn)
    }
    for (const d of this.drawn)
      eachSample(d, image.size, (i, j) => {
        const at = j * image.size + i
        this.depth[at] = Math.max(this.depth[at], height(d, i + 0.5, j + 0.5))
      })
  }

  /** Pixel coordinates and height [m] of a point. */
  project(x: number, y: number, z: number): Vec3 {
    const { u, v, r, image } = this
    return [
      (u[0] * x + u[1] * y + u[2] * z) / image.pixel + image.centre[0],
      (v[0] * x + v[1] * y + v[2] * z) / image.pixel + image.centre[1],
      r[0] * x + r[1] * y + r[2] * z,
    ]
  }

  private draw(facet: number): Drawn | null {
    const { scene, image, u, v, r } = this
    const { normals, vertices } = scene
    let n = Array.from(normals.subarray(4 * facet, 4 * facet + 3)) as Vec3
    let cosine = n[0] * r[0] + n[1] * r[1] + n[2] * r[2]
    if (scene.open[facet] && cosine < 0) {
      n = n.map((c) => -c) as Vec3
      cosine = -cosine
    }
    if (cosine <= RASTER_GRAZING) return null
    const at = 9 * facet
    const [p, q, s] = [0, 3, 6].map((i) =>
      this.project(vertices[at + i], vertices[at + i + 1], vertices[at + i + 2]),
    )
    const turned = (q[0] - p[0]) * (s[1] - p[1]) - (q[1] - p[1]) * (s[0] - p[0]) < 0
    const [b, c] = turned ? [s, q] : [q, s]
    const along = (axis: Vec3): number =>
      (-(n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2]) * image.pixel) / cosine
    const slope: [number, number] = [along(u), along(v)]
    return {
      facet,
      n,
      x: [p[0], b[0], c[0]],
      y: [p[1], b[1], c[1]],
      h0: p[2],
      low: Math.min(p[2], q[2], s[2]),
      high: Math.max(p[2], q[2], s[2]),
      slope,
      bias: image.rounding * (1 + (Math.abs(slope[0]) + Math.abs(slope[1])) / image.pixel),
    }
  }

  isVisible(d: Drawn, i: number, j: number): boolean {
    return height(d, i + 0.5, j + 0.5) >= this.depth[j * this.image.size + i] - d.bias
  }

  look(d: Drawn): Seen {
    let samples = 0
    let visible = 0
    eachSample(d, this.image.size, (i, j) => {
      samples++
      if (this.isVisible(d, i, j)) visible++
    })
    return { samples, visible, probes: samples > 0 ? 0 : this.probe(d) }
  }

  /** Of a facet between the samples: its centre and three points nearer to its corners. */
  private probe(d: Drawn): number {
    const { size, pixel } = this.image
    const slack = d.bias + 0.5 * (Math.abs(d.slope[0]) + Math.abs(d.slope[1])) + pixel
    let found = 0
    for (let p = 0; p < 4; p++) {
      const weights = [1, 2, 3].map((corner) => (p === 0 ? 1 / 3 : p === corner ? 0.5 : 0.25))
      const x = weights.reduce((sum, w, i) => sum + w * d.x[i], 0)
      const y = weights.reduce((sum, w, i) => sum + w * d.y[i], 0)
      if (height(d, x, y) >= this.depth[Math.floor(y) * size + Math.floor(x)] - slack) found++
    }
    return found
  }
}

/** Height of the facet's plane at a point of the image [m], kept to the facet's own heights. */
const height = (d: Drawn, x: number, y: number): number =>
  Math.min(d.high, Math.max(d.low, d.h0 + d.slope[0] * (x - d.x[0]) + d.slope[1] * (y - d.y[0])))

/** Calls back with the samples in the facet; every sample of a closed surface is in exactly one. */
export function eachSample(d: Drawn, size: number, visit: (i: number, j: number) => void): void {
  const { x, y } = d
  const first = (c: number[]): number => Math.max(0, Math.floor(Math.min(...c)) - 1)
  const end = (c: number[]): number => Math.min(size, Math.ceil(Math.max(...c)) + 1)
  const [i0, i1] = [first(x), end(x)]
  const j1 = end(y)
  const sides = [0, 1, 2].map((a) => side(x[a], y[a], x[(a + 1) % 3], y[(a + 1) % 3]))
  for (let j = first(y); j < j1; j++)
    for (let i = i0; i < i1; i++)
      if (leftOf(sides[0], i, j) && leftOf(sides[1], i, j) && leftOf(sides[2], i, j)) visit(i, j)
}

/** A side of a facet from its lesser to its greater end, the same for both facets at it. */
interface Side {
  x: number
  y: number
  dx: number
  dy: number
  turned: boolean
}

function side(px: number, py: number, qx: number, qy: number): Side {
  const turned = qx < px || (qx === px && qy < py)
  return turned
    ? { x: qx, y: qy, dx: px - qx, dy: py - qy, turned }
    : { x: px, y: py, dx: qx - px, dy: qy - py, turned }
}

function leftOf(s: Side, i: number, j: number): boolean {
  const e = s.dx * (j + 0.5 - s.y) - s.dy * (i + 0.5 - s.x)
  return s.turned ? e < 0 : e >= 0
}
