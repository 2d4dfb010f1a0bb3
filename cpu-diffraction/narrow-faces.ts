import { sinc } from '../rays/index.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { SEGMENT_SIZE } from './segments.js'

/**
 * Adds `factor` times the physical optics of the narrow faces along lit segments of thin solids' rims (`EdgeScene.thickness`): the rim of a
 * sheet holds all that they scatter, and rays have added it once.
 *
 * @param segments  `Segments.data` of the scene
 * @param out       8 numbers per frequency: F [m] referred to the mesh's origin
 */
export function addNarrowFaces(
  { edges, frames, thickness }: EdgeScene,
  { tx, rx }: Aspect,
  band: Band,
  segments: Float64Array,
  factor: number,
  out: Float64Array,
): void {
  const w = tx.r.map((x, c) => x + rx.r[c]) as Vec3
  for (let o = 0; o < segments.length; o += SEGMENT_SIZE) {
    const e = segments[o]
    const t = thickness[e]
    const f = FRAMES_SIZE * e
    // Out of the narrow face: away from the sheet's.
    const n: Vec3 = [-frames[f], -frames[f + 1], -frames[f + 2]]
    const cos = dot(n, tx.r)
    if (t === 0 || cos <= 0) continue
    const length = segments[o + 2]
    const p = EDGE_SIZE * e
    const along: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
    const up: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
    const [spanAlong, spanUp] = [0.5 * length * dot(w, along), 0.5 * t * dot(w, up)]
    // -e_rx . eta J with eta J = 2 [d (n.E) - E (n.d)], d = -r (docs/theory.md, (6) and (8)).
    const amplitude = (sent: Vec3, received: Vec3): number =>
      2 * (dot(n, sent) * dot(tx.r, received) - cos * dot(sent, received))
    const amplitudes = [
      amplitude(tx.thetaHat, rx.thetaHat),
      amplitude(tx.phiHat, rx.phiHat),
      amplitude(tx.thetaHat, rx.phiHat),
      amplitude(tx.phiHat, rx.thetaHat),
    ]
    for (let i = 0; i < band.n; i++) {
      const k = wavenumber(frequency(band, i))
      const size = ((factor * k) / (4 * Math.PI)) * t * length * sinc(k * spanAlong) * sinc(k * spanUp)
      const [re, im] = [-size * Math.sin(k * segments[o + 1]), size * Math.cos(k * segments[o + 1])]
      for (let c = 0; c < 4; c++) {
        out[8 * i + 2 * c] += re * amplitudes[c]
        out[8 * i + 2 * c + 1] += im * amplitudes[c]
      }
    }
  }
}
