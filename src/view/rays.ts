import {
  buildEdgeScene,
  type EdgeList,
  type EdgeScene,
  listEdges,
  type Truncation,
} from '../../cpu-diffraction/index.js'
import { listPaths } from '../../cpu-sbr/index.js'
import { buildRayScene, MAX_BOUNCES, type SbrOptions } from '../../rays/index.js'
import { direction } from '../../scene/index.js'
import type { OpenedResult } from './open-result.js'
import type { ArrayRef, RaysView } from './manifest.js'
import type { ArrayStore, Numbers } from './store.js'

/** Most ray tubes of one aspect traced for the page: a second or two of work. */
const MOST_TUBES = 100_000
/** Most edge segments, likewise. */
const MOST_SEGMENTS = 50_000
/** Spacing of traced aspects over the aperture [degrees], and their largest number. */
const ASPECT_STEP_DEG = 4
const MOST_ASPECTS = 9

const DEFAULT_RAYS: SbrOptions = {
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
  const half = Math.min((MOST_ASPECTS - 1) / 2, Math.floor(Math.ceil(span / ASPECT_STEP_DEG) / 2))
  const step = span / (2 * half + 1)
  const angles = Array.from({ length: 2 * half + 1 }, (_, i) => image.phiDeg + (i - half) * step)
  return angles.sort((a, b) => Math.abs(a - image.phiDeg) - Math.abs(b - image.phiDeg))
}

const NO_EDGES: EdgeList = {
  edge: new Uint32Array(),
  place: new Float64Array(),
  amplitude: new Float32Array(),
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
    const tx = direction(image!.thetaDeg, phiDeg)
    const { raysPerWavelength, maxBounces, subdivisions, formulation } = sbr
    const options = { raysPerWavelength, maxBounces, subdivisions, formulation }
    const freqHz = (sweep!.f0 + sweep!.f1) / 2
    const list = listPaths(this.scene, { tx, rx: tx }, freqHz, options, MOST_TUBES)
    const truncation = (meta!.options!.diffraction ?? 'tw-ildc') as Truncation
    const edges = this.edges
      ? listEdges(this.edges, this.scene, { tx, rx: tx }, freqHz, truncation, MOST_SEGMENTS)
      : NO_EDGES
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
