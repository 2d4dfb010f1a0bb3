import { buildRayScene } from '../../rays/index.js'
import { EPSILON_0 } from '../../scene/band.js'
import { type Box, InputError, type Mesh, prepareTarget, type Target, type Vec3 } from '../../scene/index.js'
import { ITU_MEDIA, propertiesAt } from '../../scene/materials/index.js'
import {
  type Antenna,
  indexReceivers,
  type Polarisation,
  type PropagationSetup,
  type Reception,
} from '../setup.js'
import { findWedges } from './solids.js'

/** What a surface is made of: a half-space of this, or a perfect conductor. */
export type Material = 'pec' | { epsilonR: number; sigma: number }

export const MATERIAL_NAMES = ['pec', ...ITU_MEDIA.map(({ name }) => name)]

/**
 * A material of Recommendation ITU-R P.2040-3 at a frequency, or `pec`.
 * @throws InputError for a name that is not of the table, or a frequency outside the fit
 */
export function namedMaterial(name: string, freqHz: number): Material {
  if (name === 'pec') return 'pec'
  const medium = ITU_MEDIA.find((m) => m.name === name)
  if (!medium) throw new InputError(`material "${name}" is unknown; use one of ${MATERIAL_NAMES.join(', ')}`)
  const properties = new Float64Array(5)
  propertiesAt(medium, freqHz, properties)
  return { epsilonR: properties[0], sigma: properties[4] }
}

/**
 * Complex relative permittivity epsilon_r - j sigma / (omega epsilon_0) for the time factor exp(+jwt), as [re, im]; null for a
 * perfect conductor.
 */
export function complexPermittivity(material: Material, freqHz: number): [number, number] | null {
  if (material === 'pec') return null
  return [material.epsilonR, -material.sigma / (2 * Math.PI * freqHz * EPSILON_0)]
}

/** A scene of radio propagation, in the coordinates of its mesh [m]. */
export interface PropagationScene {
  /** Facets with their groups (`joinMeshes`). */
  mesh: Mesh
  /** Material of each group at a frequency. */
  materials: (freqHz: number) => Material[]
  transmitter: Vec3
  transmitAntenna: Antenna
  receiveAntenna: Antenna
  /** 3 numbers per receiver. */
  receivers: Float64Array
  /** Rays are followed in here; default: around everything. */
  region?: Box
  freqHz: number[]
  transmit: Polarisation[]
  maxReflections: number
  /** Default exact. */
  reception?: Reception
  /** First-order edge diffraction by the uniform theory. */
  diffraction: boolean
}

/** Reflections followed at the most. */
export const MAX_REFLECTIONS = 200
/** Part of the region's diagonal: far more than the rounding of a hit, in single precision too. */
const FLUSH = 2e-6
/** A receiver nearer to the transmitter has no far field of it [m]. */
const NEAREST = 1e-3

/**
 * Makes a scene ready for the engines. @throws InputError for a mesh, transmitter, receivers or numbers that make no scene
 */
export function buildPropagation(given: PropagationScene): { setup: PropagationSetup; target: Target } {
  const { receivers, transmitter, maxReflections } = given
  if (!(Number.isInteger(maxReflections) && maxReflections >= 0 && maxReflections <= MAX_REFLECTIONS))
    throw new InputError(
      `max_reflections is ${maxReflections}; give a whole number from 0 to ${MAX_REFLECTIONS}`,
    )
  if (receivers.length === 0) throw new InputError('the scene has no receivers; give at least one')
  const target = prepareTarget(given.mesh, { smoothAngleDeg: 1 })
  const scene = buildRayScene(target)
  const { origin } = scene
  for (let r = 0; r < receivers.length / 3; r++) {
    const p = receivers.subarray(3 * r, 3 * r + 3)
    if (Math.hypot(p[0] - transmitter[0], p[1] - transmitter[1], p[2] - transmitter[2]) < NEAREST)
      throw new InputError(
        `receiver ${r} at ${p.join()} stands on the transmitter; move it by some wavelengths`,
      )
  }
  const region = widened(given.region ?? aroundAll(target.box, transmitter, receivers))
  if (!transmitter.every((x, a) => x >= region.min[a] && x <= region.max[a]))
    throw new InputError(`the transmitter at ${transmitter.join()} is outside the region; widen the region`)
  const shift = (p: ArrayLike<number>): Vec3 => [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]
  const groups = target.facetGroup ?? new Uint32Array(scene.count)
  const shared = new Uint32Array(new SharedArrayBuffer(4 * scene.count))
  shared.set(groups)
  const excitations = given.freqHz.flatMap((freqHz) =>
    given.transmit.map((transmit) => ({
      freqHz,
      transmit,
      permittivity: given.materials(freqHz).map((m) => complexPermittivity(m, freqHz)),
    })),
  )
  return {
    target,
    setup: {
      scene,
      facetMaterial: shared,
      rims: rimEdges(target),
      transmitter: shift(transmitter),
      transmitAntenna: given.transmitAntenna,
      receiveAntenna: given.receiveAntenna,
      receivers: indexReceivers(receivers.map((x, i) => x - origin[i % 3])),
      region: { min: shift(region.min), max: shift(region.max) },
      excitations,
      maxReflections,
      reception: given.reception ?? 'exact',
      ...(given.diffraction ? { wedges: findWedges(target, scene) } : {}),
    },
  }
}

/** The region a little larger, so that a wall flush with one of its sides is inside. */
function widened({ min, max }: Box): Box {
  const margin = FLUSH * Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])
  return { min: min.map((x) => x - margin) as Vec3, max: max.map((x) => x + margin) as Vec3 }
}

/** See `PropagationSetup.rims`. */
function rimEdges({ edges, triangles }: Target): Uint8Array {
  const rims = new Uint8Array(new SharedArrayBuffer(triangles.length / 3))
  for (let e = 0; e < edges.valence.length; e++) {
    if (edges.valence[e] !== 1) continue
    const t = edges.facets[2 * e]
    const ends = edges.vertices.subarray(2 * e, 2 * e + 2)
    for (let i = 0; i < 3; i++)
      if (ends.includes(triangles[3 * t + i]) && ends.includes(triangles[3 * t + ((i + 1) % 3)]))
        rims[t] |= 1 << i
  }
  return rims
}

/** The box of facets, transmitter and receivers, and a hundredth of its diagonal around. */
function aroundAll(box: Box, transmitter: Vec3, receivers: Float64Array): Box {
  const min = [...box.min]
  const max = [...box.max]
  const take = (p: ArrayLike<number>): void => {
    for (let a = 0; a < 3; a++) {
      min[a] = Math.min(min[a], p[a])
      max[a] = Math.max(max[a], p[a])
    }
  }
  take(transmitter)
  for (let r = 0; r < receivers.length; r += 3) take(receivers.subarray(r, r + 3))
  const margin = 0.01 * Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])
  return { min: min.map((x) => x - margin) as Vec3, max: max.map((x) => x + margin) as Vec3 }
}

/** Sides of a box, in the order -x +x -y +y -z +z. */
export const SIDES = ['-x', '+x', '-y', '+y', '-z', '+z'] as const
type Side = (typeof SIDES)[number]

/** Axis-aligned box of two facets a side, without the sides left out; normals outwards, or inwards for a room. */
export function boxMesh(min: Vec3, max: Vec3, without: readonly Side[] = [], inward = false): Mesh {
  if (!min.every((x, a) => x < max[a]))
    throw new InputError(
      `box from ${min.join()} to ${max.join()}: every coordinate of min must be below that of max`,
    )
  const positions = Array.from({ length: 8 }, (_, v) =>
    [0, 1, 2].map((a) => ((v >> a) & 1 ? max : min)[a]),
  ).flat()
  const triangles: number[] = []
  SIDES.forEach((side, s) => {
    if (without.includes(side)) return
    const axis = s >> 1
    const [b, c] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)]
    const at = s & 1 ? 1 << axis : 0
    const ring = [at, at + b, at + b + c, at + c]
    if ((s & 1) === (inward ? 1 : 0)) ring.reverse()
    triangles.push(ring[0], ring[1], ring[2], ring[0], ring[2], ring[3])
  })
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

/** Plane polygon of three or more corners, convex, seen counter-clockwise from its front. */
export function polygonMesh(corners: Vec3[]): Mesh {
  const triangles: number[] = []
  for (let k = 2; k < corners.length; k++) triangles.push(0, k - 1, k)
  return { positions: Float64Array.from(corners.flat()), triangles: Uint32Array.from(triangles) }
}

/** Several meshes as one; the groups of each follow those of the ones before it (one group where it has none). */
export function joinMeshes(meshes: Mesh[]): Required<Pick<Mesh, 'positions' | 'triangles' | 'facetGroup'>> {
  const positions = new Float64Array(meshes.reduce((s, m) => s + m.positions.length, 0))
  const triangles = new Uint32Array(meshes.reduce((s, m) => s + m.triangles.length, 0))
  const facetGroup = new Uint32Array(triangles.length / 3)
  let [vertex, corner, group] = [0, 0, 0]
  for (const mesh of meshes) {
    positions.set(mesh.positions, 3 * vertex)
    mesh.triangles.forEach((v, i) => (triangles[corner + i] = vertex + v))
    for (let t = 0; t < mesh.triangles.length / 3; t++)
      facetGroup[corner / 3 + t] = group + (mesh.facetGroup?.[t] ?? 0)
    vertex += mesh.positions.length / 3
    corner += mesh.triangles.length
    group += mesh.groupNames?.length ?? 1
  }
  return { positions, triangles, facetGroup }
}
