import {
  antennaAxes,
  boxMesh,
  buildPropagation,
  type PropagationScene,
  type PropagationSetup,
  type Reception,
} from '../propagation/index.js'

/** The tunnel of paper 004: 4 x 4 x 1000 m, epsilon_r 5, 1 GHz, `count` receivers from 10 to 800 m. */
export function tunnelCase(
  count: number,
  maxReflections: number,
  reception: Reception,
): { scene: PropagationScene; setup: PropagationSetup; heights: Float64Array } {
  const isotropic = { pattern: { kind: 'isotropic' as const }, ...antennaAxes([0, 1, 0]) }
  const heights = Float64Array.from({ length: count }, (_, i) => 10 + (790 * i) / Math.max(1, count - 1))
  const scene: PropagationScene = {
    mesh: boxMesh([0, 0, 0], [4, 4, 1000], ['-z', '+z'], true),
    materials: () => [{ epsilonR: 5, sigma: 0 }],
    transmitter: [1.1, 2.1, 0],
    transmitAntenna: isotropic,
    receiveAntenna: isotropic,
    receivers: Float64Array.from([...heights].flatMap((z) => [1.9, 1.7, z])),
    freqHz: [1e9],
    transmit: ['v'],
    maxReflections,
    reception,
    diffraction: false,
  }
  return { scene, setup: buildPropagation(scene).setup, heights }
}
