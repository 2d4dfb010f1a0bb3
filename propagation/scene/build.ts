import { type Box, InputError, type Mesh, prepareTarget, type Target, type Vec3 } from '../../scene/index.js'
import { buildRayScene } from '../../rays/index.js'
import type { Antenna, Polarisation } from './antenna.js'
import { complexPermittivity, type Material } from './materials.js'
import { indexReceivers } from './receiver-index.js'
import type { PropagationSetup, Reception } from '../setup.js'
import { findWedges } from './wedges.js'

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
