import { buildEdgeScene, type EdgeScene, type Truncation } from '../../cpu-diffraction/index.js'
import { buildRayScene, MAX_BOUNCES, type SbrOptions } from '../../rays/index.js'
import type { OpenedResult } from './open-result.js'
import type { ArrayRef, RaysView } from './manifest.js'
import type { ArrayStore, Numbers } from './store.js'
import { traceAngles, traceAspect } from './trace-aspect.js'

/** Where meta.json does not contain them. */
export const DEFAULT_RAYS: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: MAX_BOUNCES,
  subdivisions: 2,
  formulation: 'all-bounces',
}

/**
 * Azimuths at which the rays behind a result's hot spots are traced [degrees], the centre one first; none without a target or its materials, or over a
 * ground.
 */
export function rayAspects({ image, meta, target }: OpenedResult): number[] {
  const sweep = meta?.options?.sweep
  if (!image || !sweep || !target || meta.mesh?.ground) return []
  if (meta.mesh?.materials && !target.target.facetMaterial) return []
  const span = Math.abs(sweep.phi1 - sweep.phi0)
  return traceAngles(image.phiDeg, span)
}

/** Traces aspects of one target at its image's centre frequency, in double precision. */
export class AspectTracer {
  private readonly scene
  private readonly edges: EdgeScene | null

  /** @param result  one that `rayAspects` returns angles for */
  constructor(private readonly result: OpenedResult) {
    const { target, edgeAngleDeg } = result.target!
    this.scene = buildRayScene(target)
    const edges =
      edgeAngleDeg.length > 0 ? buildEdgeScene(target, result.meta!.options!.maxWedgeAngleDeg ?? 160) : null
    // The result's edges are those found by its run: where this version finds others, edge numbers would not match.
    this.edges = edges?.count === edgeAngleDeg.length ? edges : null
  }

  trace(phiDeg: number, prefix: string, store: ArrayStore): RaysView {
    const { image, meta, target } = this.result
    const { sweep, sbr = DEFAULT_RAYS } = meta!.options!
    const freqHz = (sweep!.f0 + sweep!.f1) / 2
    const truncation = (meta!.options!.diffraction ?? 'tw-ildc') as Truncation
    const angles: [number, number] = [image!.thetaDeg, phiDeg]
    const { list, edges } = traceAspect(this.scene, this.edges, angles, freqHz, sbr, truncation)
    const add = (name: string, data: Numbers, width = 1): ArrayRef =>
      store.add(`${prefix}/${name}`, data, width === 1 ? [data.length] : [data.length / width, width])
    return {
      phiDeg,
      hitStart: add('hit-start', list.hitStart),
      hits: add('hits', list.hits, 3),
      facets: add('facets', list.facets),
      path: add('path', list.path),
      bounce: add('bounce', list.bounce),
      place: add('place', list.place, 2),
      amplitude: add('amplitude', list.amplitude, 8),
      current: add('current', list.current, 4),
      surface: add('surface', target!.target.surface),
      raysPerWavelength: list.raysPerWavelength,
      freqHz,
      edges: {
        edge: add('edge', edges.edge),
        place: add('edge-place', edges.place, 2),
        amplitude: add('edge-amplitude', edges.amplitude, 8),
      },
    }
  }
}
