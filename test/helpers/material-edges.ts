import { buildEdgeScene, EDGE_SIZE, type EdgeScene } from '../../cpu-diffraction/edge-scene.js'
import { BlockEvaluator } from '../../cpu-diffraction/evaluate.js'
import { findPieces } from '../../cpu-diffraction/segments.js'
import type { Truncation } from '../../cpu-diffraction/strip.js'
import { C0 } from '../../scene/constants.js'
import type { Aspect } from '../../scene/direction.js'
import type { Material } from '../../scene/materials/index.js'
import type { Mesh } from '../../scene/mesh.js'
import { sbrJob, solve, testScene } from './sbr.js'

/** One frequency, whose wavelength is 1 m. */
export const BAND = { f0: C0, df: 0, n: 1 }
const PO = { raysPerWavelength: 10, subdivisions: 4, maxBounces: 1 }
const QUANTUM = 2 ** -45

/** An opaque material of a surface impedance, over that of space. */
export const impedance = (re: number, im = 0): Material => ({
  name: 'impedance',
  kind: 'opaque',
  stack: [],
  backing: { impedance: [376.730313668 * re, 376.730313668 * im] },
  facet: 'outer',
  sides: 'both',
})

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
  private readonly scene: ReturnType<typeof testScene>
  readonly edges: EdgeScene
  /** Numbers of the edges along z. */
  readonly along: number[]
  private readonly evaluator: BlockEvaluator

  constructor(mesh: Mesh, truncation: Truncation = 'tw-ildc') {
    this.scene = testScene(mesh)
    this.edges = buildEdgeScene(this.scene.target, 160)
    this.along = Array.from({ length: this.edges.count }, (_, e) => e).filter(
      (e) => Math.abs(this.edges.edges[EDGE_SIZE * e + 5]) > 0.9,
    )
    this.evaluator = new BlockEvaluator(this.edges, BAND, truncation, true)
  }

  async optics(aspect: Aspect): Promise<Float64Array> {
    return (await solve(this.scene, sbrJob(aspect, BAND, PO))).field
  }

  /** @param length  of all strips [m], instead of what the mesh has */
  diffraction(aspect: Aspect, length?: number): Float64Array {
    const sum = new Float64Array(8)
    for (const e of this.along) {
      const { data } = findPieces(this.edges, this.scene.scene, aspect, 0.3, e, e + 1)
      if (length !== undefined)
        for (let o = 0; o < data.length; o += 7) data.set([length, 0, length, 0], o + 3)
      this.evaluator.add(aspect, data, 0, Math.ceil(data.length / (7 * 64)), QUANTUM, sum)
    }
    return sum
  }
}

/** |a - b| / |b| of complex numbers, as a list of re and im. */
export function complexError(got: number[], want: number[]): number {
  return Math.hypot(...got.map((x, i) => x - want[i])) / Math.hypot(...want)
}
