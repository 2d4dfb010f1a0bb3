import type { Band } from '../scene/band.js'
import type { Aspect, Direction, Vec3 } from '../scene/direction.js'
import { openFacets, type Target } from '../scene/target.js'
import type { FacetScene, RayScene, SceneMaterials } from './ray-scene.js'
import { fieldBound, type FieldEngine } from './sbr.js'

/**
 * What rasterised physical optics needs of a target (docs/gpueco.md); lengths in metres, relative to `origin`. Arrays may lie in
 * shared memory.
 */
export interface RasterScene {
  /** Point of the mesh's coordinates at which the arrays have their origin. */
  origin: Vec3
  /** Facets, T. */
  count: number
  /** 9T: the three vertices of each facet. */
  vertices: Float64Array
  /** 4T: outward unit normal n, and n . a for a point a of the plane. */
  normals: Float64Array
  /** T: 1 where both sides of the facet are outside. */
  open: Uint8Array
  /** Sum of the facet areas [m^2]. */
  area: number
  /** Radius of the sphere about the origin that holds every vertex. */
  radius: number
  /** Opaque ones; absent where everything conducts. */
  materials?: SceneMaterials
}

/**
 * The edges that diffract, E of them, in the same coordinates: a part of cpu-diffraction's `EdgeScene`, which serves as one.
 */
export interface RasterEdges {
  count: number
  /** 8E: start, unit tangent, length, N of the wedge (exterior angle over pi). */
  edges: Float64Array
  /** 18E: per face x (into the face), y (out of it), z = x cross y (along the edge). */
  frames: Float64Array
  /** Sum of the lengths. */
  length: number
}

/**
 * Edges to be drawn with a target: those between conducting facets, which come first in an edge scene; equivalent currents of other
 * materials are not known.
 */
export function metalEdges(scene: RasterEdges & { materials?: { kind: Uint8Array } }): RasterEdges {
  const coated = scene.materials?.kind.findIndex((kind) => kind !== 0) ?? -1
  const count = coated < 0 ? scene.count : coated
  const { edges, frames, length } = scene
  return { count, edges: edges.subarray(0, 8 * count), frames: frames.subarray(0, 18 * count), length }
}

export function buildRasterScene(
  target: Target,
  scene: FacetScene & Pick<RayScene, 'materials'>,
): RasterScene {
  const { origin, count, vertices, normals, points, materials } = scene
  let radius = 0
  for (let i = 0; i < points.length; i += 3)
    radius = Math.max(radius, Math.hypot(points[i], points[i + 1], points[i + 2]))
  return {
    origin,
    count,
    vertices,
    normals,
    open: openFacets(target),
    area: target.area,
    radius,
    ...(materials && { materials }),
  }
}

/** One aspect of a sweep, as a raster engine takes it. */
export interface RasterJob {
  aspect: Aspect
  band: Band
  /** Physical optics of the facets alone, or equivalent edge currents alone; both where absent. */
  only?: 'facets' | 'edges'
}

/** Rasterised physical optics and equivalent edge currents for one target (paper 001; docs/gpueco.md). */
export interface RasterEngine extends FieldEngine<RasterJob> {
  /** Pixels along a side of its image, and whether its fields hold edge diffraction. */
  readonly raster: { size: number; edges: boolean }
}

/** Pixels along a side of the image where nobody says otherwise. */
export const DEFAULT_PIXELS = 1024

/** Turn of the image against theta-hat [rad] and shift of its samples [pixels]: symmetric targets do not lie on them. */
const TURN = 0.3
const SHIFT: [number, number] = [Math.SQRT2 - 1, (Math.sqrt(5) - 1) / 2]

/** A square image of the sphere that holds the target, the same for every direction. */
export interface RasterImage {
  /** Pixels along a side. */
  size: number
  /** Side of a pixel [m]. */
  pixel: number
  /** Pixel coordinates of the scene's origin; sample (i, j) lies at (i + 0.5, j + 0.5). */
  centre: [number, number]
  /** By which rounding to single precision may displace a height [m], before it is made longer by a facet's slope. */
  rounding: number
}

/** Single precision displaces coordinates of a scene of radius 1 by at most this in all (docs/gpueco.md, "Visibility"). */
const ROUNDING = 2 ** -20

export function rasterImage(radius: number, size: number): RasterImage {
  const pixel = (2 * radius) / (size - 2)
  return {
    size,
    pixel,
    centre: [size / 2 - 0.5 + SHIFT[0], size / 2 - 0.5 + SHIFT[1]],
    rounding: ROUNDING * radius,
  }
}

/** Axes of the image seen from a direction: u x v = r. */
export function rasterAxes({ r, thetaHat, phiHat }: Direction): { u: Vec3; v: Vec3 } {
  const [c, s] = [Math.cos(TURN), Math.sin(TURN)]
  const u = phiHat.map((x, a) => c * x + s * thetaHat[a]) as Vec3
  return { u, v: [r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]] }
}

/** Facets at less than this cosine to the incidence are neither drawn nor lit. */
export const RASTER_GRAZING = 1e-6
/** Samples of an edge that one word of a mask holds. */
export const PIECE_SAMPLES = 32

/** Samples of an edge [number], no farther apart than a pixel. */
export const edgeSamples = (length: number, pixel: number): number => Math.max(1, Math.ceil(length / pixel))

/**
 * Bound of the sums [m^2] that `finishField` turns into amplitudes: physical optics of all facets, and fringe currents of all
 * edges, strengths up to 64, at the band's lowest wavenumber [rad/m].
 */
export const rasterBound = (scene: RasterScene, edges: RasterEdges | null, lowestK: number): number =>
  fieldBound(scene.area, 1) + 64 * (edges?.length ?? 0) * ((4 * Math.PI) / lowestK)
