import {
  boxMesh,
  buildPropagation,
  joinMeshes,
  polygonMesh,
  type PropagationScene,
} from '../../propagation/scene/build.js'
import { antennaAxes, type PropagationSetup } from '../../propagation/setup.js'
import type { ImageRoom } from '../../propagation/fields/path-fields.js'
import type { Vec3 } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'

/** A tunnel of 4 x 4 m along z with walls of epsilon_r 5, open at both ends, vertical along y. */
export function tunnelScene(
  length: number,
  receivers: Vec3[],
  given: Partial<PropagationScene> = {},
): PropagationScene {
  const isotropic = { pattern: { kind: 'isotropic' as const }, ...antennaAxes([0, 1, 0]) }
  return {
    mesh: boxMesh([0, 0, -1], [4, 4, length], ['-z', '+z'], true),
    materials: () => [{ epsilonR: 5, sigma: 0 }],
    transmitter: [1.1, 2.1, 0],
    transmitAntenna: isotropic,
    receiveAntenna: isotropic,
    receivers: Float64Array.from(receivers.flat()),
    freqHz: [1e9],
    transmit: ['v'],
    maxReflections: 8,
    diffraction: false,
    ...given,
  }
}

export const tunnelRoom = (length: number): ImageRoom => {
  const wall: [number, number] = [5, 0]
  return { min: [0, 0, -1], max: [4, 4, length], walls: [wall, wall, wall, wall, 'open', 'open'] }
}

export const setupOf = (scene: PropagationScene): PropagationSetup => buildPropagation(scene).setup

/** Two houses on a ground: edges, corners, shadows. */
export function streetScene(receivers: Vec3[], given: Partial<PropagationScene> = {}): PropagationScene {
  const dipole = { pattern: { kind: 'dipole' as const }, ...antennaAxes([0, 0, 1]) }
  const concrete = { epsilonR: 4.5, sigma: 0.09 }
  return {
    ...tunnelScene(1, receivers),
    mesh: joinMeshes([
      polygonMesh(rows('-50 -50 0, 80 -50 0, 80 80 0, -50 80 0')),
      boxMesh([0, 0, 0], [20, 30, 15], ['-z']),
      boxMesh([30, 0, 0], [60, 30, 25], ['-z']),
    ]),
    materials: () => [{ epsilonR: 15, sigma: 0.02 }, concrete, concrete],
    transmitter: [25.3, -10.2, 8.1],
    transmitAntenna: dipole,
    receiveAntenna: dipole,
    maxReflections: 5,
    ...given,
  }
}
