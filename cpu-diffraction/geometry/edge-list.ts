import { shared } from '../../parallel/shared-memory.js'
import type { RayScene } from '../../rays/index.js'
import { type Aspect, isMonostatic, wavelength, wavenumber } from '../../scene/index.js'
import { type AddPart, DelayedParts, forEachPart } from '../currents/delayed-parts.js'
import type { Truncation } from '../currents/strip.js'
import { WedgeCache } from '../currents/wedge.js'
import { DEFAULT_SEGMENTS } from '../engine/job.js'
import { findSegments } from '../light/segments.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE, pointOn } from './edge-scene.js'

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

/** The scene with some of its edges alone, of which the midpoint [m, about `origin`] decides; faces stay, and hide and end strips as before. */
export function someEdges(scene: EdgeScene, which: (x: number, y: number, z: number) => boolean): EdgeScene {
  const { edges, frames, vertices, faces, sides, thickness, materials } = scene
  const kept: number[] = []
  let total = 0
  for (let e = 0; e < scene.count; e++) {
    const length = edges[EDGE_SIZE * e + 6]
    if (!which(...pointOn(scene, e, 0.5 * length))) continue
    kept.push(e)
    total += length
  }
  const take = <A extends Float64Array | Uint32Array | Int8Array | Uint8Array>(
    from: A,
    size: number,
    out: NoInfer<A>,
  ): A => {
    kept.forEach((e, i) => out.set(from.subarray(size * e, size * (e + 1)), size * i))
    return out
  }
  const n = kept.length
  return {
    ...scene,
    count: n,
    length: total,
    edges: take(edges, EDGE_SIZE, shared(Float64Array, EDGE_SIZE * n)),
    frames: take(frames, FRAMES_SIZE, shared(Float64Array, FRAMES_SIZE * n)),
    vertices: take(vertices, 2, shared(Uint32Array, 2 * n)),
    faces: take(faces, 2, shared(Uint32Array, 2 * n)),
    sides: take(sides, 2, shared(Int8Array, 2 * n)),
    thickness: take(thickness, 1, shared(Float64Array, n)),
    ...(materials && {
      materials: {
        ...materials,
        of: take(materials.of, 2, shared(Uint8Array, 2 * n)),
        kind: take(materials.kind, 1, shared(Uint8Array, n)),
      },
    }),
    sheets: scene.sheets.map((sheet) => ({ ...sheet, scene: someEdges(sheet.scene, which) })),
  }
}

/**
 * Of E edges both ends [m], 6E numbers in the mesh's coordinates, and E interior wedge angles [degrees]; above a ground alone where there is one.
 * @param groundM  z of the ground [m]
 */
export function edgeEnds(
  all: EdgeScene,
  groundM?: number,
): { edgesM: Float64Array; edgeAngleDeg: Float64Array } {
  const least = groundM === undefined ? -Infinity : groundM - all.origin[2] - all.tolerance
  const { count, edges, origin } = groundM === undefined ? all : someEdges(all, (_x, _y, z) => z > least)
  const edgesM = new Float64Array(6 * count)
  const edgeAngleDeg = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    const at = EDGE_SIZE * e
    for (let c = 0; c < 3; c++) {
      edgesM[6 * e + c] = origin[c] + edges[at + c]
      edgesM[6 * e + 3 + c] = edgesM[6 * e + c] + edges[at + 6] * edges[at + 3 + c]
    }
    edgeAngleDeg[e] = 180 * (2 - edges[at + 7])
  }
  return { edgesM, edgeAngleDeg }
}
