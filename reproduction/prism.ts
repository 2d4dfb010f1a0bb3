import { createCpuEngine } from '../cpu-sbr/index.js'
import { buildEdgeScene, EDGE_SIZE, type EdgeScene } from '../cpu-diffraction/geometry/edge-scene.js'
import { BlockEvaluator } from '../cpu-diffraction/engine/evaluate.js'
import { BLOCK_SEGMENTS } from '../cpu-diffraction/engine/job.js'
import { SEGMENT_SIZE, SegmentFinder } from '../cpu-diffraction/light/segments.js'
import type { Truncation } from '../cpu-diffraction/currents/strip.js'
import { buildRayScene, type RayScene, symmetrise } from '../rays/index.js'
import { type Aspect, C0, type Mesh, prepareTarget } from '../scene/index.js'
import type { Material } from '../scene/materials/index.js'

/** One frequency, whose wavelength is 1 m. */
export const BAND = { f0: C0, df: 0, n: 1 }
const PO = { raysPerWavelength: 10, subdivisions: 4, maxBounces: 1 } as const
const QUANTUM = 2 ** -45

/** A strip from x = a to b, in the plane y, `length` long along z about 0; its normal is +y. */
export function strip(y: number, material: Material, a: number, b: number, length = 1): Mesh {
  const z = length / 2
  return {
    positions: Float64Array.of(a, y, -z, b, y, -z, b, y, z, a, y, z),
    triangles: Uint32Array.of(0, 2, 1, 0, 3, 2),
    groupMaterials: [material],
  }
}

/** A target whose cross-section is the same all along z: physical optics and the edges along z. */
export class Prism {
  private readonly rays: RayScene
  private readonly engine: ReturnType<typeof createCpuEngine>
  readonly edges: EdgeScene
  /** Numbers of the edges along z. */
  readonly along: number[]
  private readonly evaluator: BlockEvaluator

  constructor(mesh: Mesh, truncation: Truncation = 'tw-ildc') {
    const target = prepareTarget(mesh, { smoothAngleDeg: 20 })
    this.rays = buildRayScene(target)
    this.engine = createCpuEngine(this.rays, target.area, 0)
    this.edges = buildEdgeScene(target, 160)
    // It goes on at both ends: edges meet none there.
    this.edges.vertices.forEach((_, end, vertices) => (vertices[end] = end))
    this.along = Array.from({ length: this.edges.count }, (_, e) => e).filter(
      (e) => Math.abs(this.edges.edges[EDGE_SIZE * e + 5]) > 0.9,
    )
    this.evaluator = new BlockEvaluator(this.edges, BAND, truncation, true)
  }

  async optics(aspect: Aspect): Promise<Float64Array> {
    return (await this.engine.field({ aspect, band: BAND, options: PO })).field
  }

  /** @param length  of all strips [m], instead of what the mesh has */
  diffraction(aspect: Aspect, length?: number): Float64Array {
    const sum = new Float64Array(8)
    for (const e of this.along) {
      const { data } = new SegmentFinder(this.edges, this.rays, 0.3).find(aspect, e, e + 1, true)
      if (length !== undefined)
        for (let o = 0; o < data.length; o += SEGMENT_SIZE) data.set([length, 0, length, 0], o + 3)
      const end = Math.ceil(data.length / (SEGMENT_SIZE * BLOCK_SEGMENTS))
      this.evaluator.add(aspect, data, { first: 0, end }, QUANTUM, sum)
    }
    return sum
  }
}

/** Rays and edges as a run has them: the mean with transmitter and receiver exchanged. @param optics  of the aspect */
export async function bothWays(prism: Prism, aspect: Aspect, optics: Float64Array): Promise<Float64Array> {
  const back = { tx: aspect.rx, rx: aspect.tx }
  const rays = await prism.optics(back)
  const field = prism.diffraction(aspect).map((x, i) => x + optics[i])
  symmetrise(
    field,
    prism.diffraction(back).map((x, i) => x + rays[i]),
  )
  return field
}

/** |a - b| / |b| of complex numbers, as a list of re and im. */
export function complexError(got: number[], want: number[]): number {
  return Math.hypot(...got.map((x, i) => x - want[i])) / Math.hypot(...want)
}
