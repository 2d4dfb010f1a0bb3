import { type Aspect, isMonostatic, wavelength, wavenumber } from '../scene/index.js'
import { type RayScene } from '../rays/index.js'
import { type AddPart, DelayedParts, forEachPart } from './delayed-parts.js'
import type { EdgeScene } from './edge-scene.js'
import { DEFAULT_SEGMENTS } from './job.js'
import { findSegments } from './segments.js'
import type { Truncation } from './strip.js'
import { WedgeCache } from './wedge.js'

/** What the segments of the edges that diffract contribute at one aspect and frequency, N contributions of them. */
export interface EdgeList {
  /** N: number of the edge in its scene. */
  edge: Uint32Array
  /** 2N: range and cross-range in an ISAR image about the aspect [m], from the mesh's origin. */
  place: Float64Array
  /** N: and across both, along theta-hat [m]. */
  height: Float64Array
  /** 8N: what it adds to a pixel at its place [m], as in `PathList` (cpu-sbr): re, im of VV HH VH HV; |sum|^2 is RCS [m^2]. */
  amplitude: Float32Array
}

/**
 * The contributions of the edges one by one: what hot spots are traced back to edges with.
 *
 * @param most  segments, about: they are made longer where the edges would need more of them at DEFAULT_SEGMENTS a wavelength
 */
export function listEdges(
  scene: EdgeScene,
  rays: RayScene,
  aspect: Aspect,
  freqHz: number,
  truncation: Truncation,
  most: number,
): EdgeList {
  if (!isMonostatic(aspect))
    throw new RangeError('edges are listed for a radar whose receiver is its transmitter')
  const edges: number[] = []
  const positions: number[] = []
  const heights: number[] = []
  const amplitudes: number[] = []
  const { phiHat, thetaHat } = aspect.tx
  const scale = Math.sqrt(4 * Math.PI)
  const k = wavenumber(freqHz)
  const add: AddPart = (edge, tau, px, py, pz, of) => {
    edges.push(edge)
    positions.push(-tau / 2, (phiHat[0] * px + phiHat[1] * py + phiHat[2] * pz) / 2)
    heights.push((thetaHat[0] * px + thetaHat[1] * py + thetaHat[2] * pz) / 2)
    // Without the factor j, as rays are listed.
    for (let c = 0; c < 8; c += 2) amplitudes.push(scale * of[c + 1], -scale * of[c])
  }
  const longest = Math.max(wavelength(freqHz) / DEFAULT_SEGMENTS, scene.length / most)
  const segments = findSegments(scene, rays, aspect, longest, 0, scene.count)
  forEachPart(
    scene,
    aspect,
    segments,
    new WedgeCache(1),
    truncation,
    new DelayedParts(add, Float64Array.of(k), k, 1),
  )
  return {
    edge: Uint32Array.from(edges),
    place: Float64Array.from(positions),
    height: Float64Array.from(heights),
    amplitude: Float32Array.from(amplitudes),
  }
}
