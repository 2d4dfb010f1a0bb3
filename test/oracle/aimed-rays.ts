import { facetCount, type Target } from '../../scene/index.js'
import { type RayScene } from '../../rays/index.js'

/** Facets at a cosine to the ray below this do not face it. */
const FACING = 0.02
/** Rays start this fraction of the box diagonal farther from the scene's origin than any vertex, as those of an aperture do. */
const STANDOFF = 1e-3

/**
 * Rays aimed from outside at points of shared edges (every other one: at vertices) of a target, in the coordinates of
 * its scene, with only facets around the point that face the ray: a nearest hit farther than the point is a leak.
 */
export class AimedRays {
  /** Origin and unit direction of the last ray. */
  readonly o = new Float64Array(3)
  readonly d = new Float64Array(3)
  /** Distance of the target point [m]. */
  distance = 0
  private readonly standoff: number
  private readonly around: Uint32Array[]
  private readonly edges: [from: number, to: number, facets: number[]][]

  constructor(
    private readonly target: Target,
    private readonly scene: RayScene,
    private readonly random: () => number,
  ) {
    let radius = 0
    for (let i = 0; i < scene.points.length; i += 3)
      radius = Math.max(radius, Math.hypot(scene.points[i], scene.points[i + 1], scene.points[i + 2]))
    this.standoff = radius + STANDOFF * scene.diagonal
    const around: number[][] = Array.from({ length: target.positions.length / 3 }, () => [])
    const edges = new Map<string, [number, number, number[]]>()
    for (let t = 0; t < facetCount(target); t++)
      for (let c = 0; c < 3; c++) {
        const [a, b] = [target.triangles[3 * t + c], target.triangles[3 * t + ((c + 1) % 3)]]
        around[a].push(t)
        const key = a < b ? `${a} ${b}` : `${b} ${a}`
        const edge = edges.get(key)
        if (edge) edge[2].push(t)
        else edges.set(key, [a, b, [t]])
      }
    this.around = around.map((facets) => Uint32Array.from(facets))
    this.edges = [...edges.values()].filter(([, , facets]) => facets.length > 1)
  }

  /** Draws the next ray; `atVertex`: through a vertex. Returns false where the facets around the point do not face it. */
  draw(atVertex: boolean): boolean {
    const { random, target, scene, o, d } = this
    const z = 2 * random() - 1
    const phi = 2 * Math.PI * random()
    const r = Math.sqrt(1 - z * z)
    d[0] = r * Math.cos(phi)
    d[1] = r * Math.sin(phi)
    d[2] = z
    const [from, to, both] = this.edges[Math.floor(random() * this.edges.length)]
    for (const t of atVertex ? this.around[from] : both) {
      const n = 4 * t
      if (d[0] * scene.normals[n] + d[1] * scene.normals[n + 1] + d[2] * scene.normals[n + 2] > -FACING)
        return false
    }
    const s = atVertex ? 0 : random()
    this.distance = this.standoff
    for (let a = 0; a < 3; a++) {
      o[a] = (1 - s) * target.positions[3 * from + a] + s * target.positions[3 * to + a] - scene.origin[a]
      this.distance += o[a] * d[a]
    }
    for (let a = 0; a < 3; a++) o[a] -= this.distance * d[a]
    return true
  }
}
