import { addExactly } from '../../math/exact-sum.js'
import type { Aspect, Band } from '../../scene/index.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../geometry/edge-scene.js'
import { EdgeFace } from '../currents/face.js'
import { EdgeField, type SegmentSink } from '../currents/edge-field.js'
import { boundsOf } from '../../scene/band.js'
import { MaterialEdges } from '../currents/materials/material-edges.js'
import { type Lighting, SEGMENT_SIZE, setLighting } from '../light/segments.js'
import type { Truncation } from '../currents/strip.js'
import { WedgeCache } from '../currents/wedge.js'

/** Segments summed in a field of their own. Blocks are counted from an aspect's first segment: no split moves them. */
export const BLOCK_SEGMENTS = 64

/** Evaluates blocks of segments over a band; keeps what depends on band and truncation only. */
export class BlockEvaluator {
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly field: EdgeField
  private readonly wedges: WedgeCache
  private readonly block: Float64Array
  private readonly coated: MaterialEdges | null

  /** @param exact  evaluate every segment at every frequency instead of interpolating */
  constructor(
    private readonly scene: EdgeScene,
    band: Band,
    truncation: Truncation,
    exact: boolean,
  ) {
    const { lowest, highest } = boundsOf(band)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.field = EdgeField.of(band, exact)
    this.wedges = new WedgeCache(highest / lowest)
    this.block = new Float64Array(8 * band.n)
    const { materials } = scene
    this.coated = materials ? new MaterialEdges(scene, materials, band, truncation, exact) : null
  }

  /**
   * Adds blocks first to end - 1 of an aspect's segments (`Segments.data`), each rounded to the quantum, to `sum`:
   * amplitudes [m] referred to the mesh's origin, times the `weights` of the frequencies.
   */
  add(
    aspect: Aspect,
    segments: Float64Array,
    { first, end }: { first: number; end: number },
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null = null,
  ): void {
    const size = SEGMENT_SIZE * BLOCK_SEGMENTS
    const until = Math.min(end, Math.ceil(segments.length / size))
    for (let b = first; b < until; b++) {
      this.evaluate(aspect, segments, size * b, Math.min(size * (b + 1), segments.length))
      if (weights) weigh(this.block, weights)
      addExactly(sum, this.block, quantum)
    }
  }

  private evaluate(aspect: Aspect, segments: Float64Array, from: number, to: number): void {
    this.field.reset()
    addSegments(this.scene, this.wedges, this.faces, aspect, segments.subarray(from, to), this.field)
    this.field.finish(this.block)
    this.coated?.add(aspect, segments, from, to, this.block)
  }
}

/** Multiplies the amplitudes of every frequency by its weight. */
export function weigh(field: Float64Array, weights: Float64Array): void {
  for (let i = 0; i < field.length; i++) field[i] *= weights[i >> 3]
}

/** Adds segments of an aspect (`Segments.data`) to a field: those of conductors. */
export function addSegments(
  scene: EdgeScene,
  wedges: WedgeCache,
  faces: [EdgeFace, EdgeFace],
  aspect: Aspect,
  segments: Float64Array,
  field: SegmentSink,
): void {
  const { frames, materials } = scene
  const lighting: Lighting = { lit: [false, false], share: 1 }
  let edge = -1
  let aimed = false
  for (let o = 0; o < segments.length; o += SEGMENT_SIZE) {
    if (segments[o] !== edge) {
      edge = segments[o]
      aimed = !materials?.kind[edge]
      if (!aimed) continue
      const f = FRAMES_SIZE * edge
      const wedge = wedges.get(scene.edges[EDGE_SIZE * edge + 7])
      setLighting(scene, edge, aspect.tx.r, lighting)
      const { lit, share } = lighting
      aimed =
        faces[0].aim(wedge, frames, f, aspect, lit[0], share) &&
        faces[1].aim(wedge, frames, f + 9, aspect, lit[1], share)
    }
    if (!aimed) continue
    field.openSegment(segments[o + 1], segments[o + 2])
    field.addFace(faces[0], segments[o + 3], segments[o + 4])
    field.addFace(faces[1], segments[o + 5], segments[o + 6])
    field.closeSegment()
  }
}
