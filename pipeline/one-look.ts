import { type EdgeScene, lookAtEdges, type Truncation } from '../cpu-diffraction/index.js'
import {
  type Aspect,
  direction,
  dot,
  frequency,
  InputError,
  type Look,
  type RayScene,
  type SbrEngine,
  type SbrOptions,
  wavenumber,
} from '../scene/index.js'
import { movePhase, symmetrise, type SweepJob } from './sweep.js'

export interface LookResult {
  /** Approximate amplitudes of every aspect of the sweep, as a sweep's rows hold them [m]. */
  fields: Float64Array[]
  /** The aspects looked from. */
  aspects: Aspect[]
  /** Contributions of SBR in all. */
  contributions: number
  /** Seconds of SBR and of edge diffraction. */
  sbrSeconds: number
  edgeSeconds: number
}

/** Where the edges of one look are. */
export interface LookEdges {
  scene: EdgeScene
  rays: RayScene
  truncation: Truncation
}

/**
 * The fields of a monostatic sweep over phi from the rays and edge segments of a few of its aspects (`looks`; 1 is the
 * middle): each contribution keeps its amplitude over its look's share of the aperture, and its phase is linear in frequency
 * and angle (`LookGrid`), which an image by the small-angle transform turns into a point in focus anywhere.
 *
 * @param sbr  the double-precision engine
 * @throws InputError for sweeps that are not one band over uniform steps of phi
 */
export async function lookAtSweep(
  sbr: SbrEngine,
  options: SbrOptions,
  edges: LookEdges | null,
  job: SweepJob,
  looks = 1,
  signal?: AbortSignal,
): Promise<LookResult> {
  if (sbr.kind !== 'cpu') throw new RangeError('looks are computed by the double-precision engine')
  const { aspects, bands, phaseCentre } = job
  const [first, last] = [aspects[0].tx, aspects[aspects.length - 1].tx]
  if (bands.length !== 1 || aspects.length < 2 || first.thetaDeg !== last.thetaDeg)
    throw new InputError('one look serves a single band and aspects along phi')
  const [band] = bands
  const stepDeg = (last.phiDeg - first.phiDeg) / (aspects.length - 1)
  const step = (stepDeg * Math.PI) / 180
  const centre = direction(first.thetaDeg, (first.phiDeg + last.phiDeg) / 2)
  const angle = (m: number): number => step * (m - (aspects.length - 1) / 2)
  const result: LookResult = { fields: [], aspects: [], contributions: 0, sbrSeconds: 0, edgeSeconds: 0 }
  for (let q = 0; q < looks; q++) {
    const from = Math.floor((q * aspects.length) / looks)
    const count = Math.floor(((q + 1) * aspects.length) / looks) - from
    if (count === 0) continue
    const d = direction(first.thetaDeg, first.phiDeg + stepDeg * (from + (count - 1) / 2))
    const aspect: Aspect = { tx: d, rx: d }
    const look: Look = { centre, start: angle(from), step, count }
    const main = await sbr.aspect({ aspect, band, options, look }, signal)
    const start = performance.now()
    if (edges) {
      const { scene, rays, truncation } = edges
      const edge = lookAtEdges(scene, rays, aspect, band, look, truncation)
      for (let i = 0; i < edge.length; i++) main.field[i] += edge[i]
    }
    for (let m = 0; m < count; m++) result.fields.push(main.field.slice(8 * band.n * m, 8 * band.n * (m + 1)))
    result.aspects.push(aspect)
    result.contributions += main.statistics.contributions
    result.sbrSeconds += main.times.total
    result.edgeSeconds += (performance.now() - start) / 1000
  }
  const across = wavenumber(frequency(band, (band.n - 1) / 2)) * Math.sin((centre.thetaDeg * Math.PI) / 180)
  result.fields.forEach((field, m) => {
    symmetrise(field)
    const turn = -2 * across * angle(m) * dot(centre.phiHat, phaseCentre)
    movePhase(field, band, -2 * dot(centre.r, phaseCentre), turn)
  })
  return result
}
