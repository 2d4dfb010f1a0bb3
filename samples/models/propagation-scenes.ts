/** A corner in x, y, z [m]. */
type Point = [number, number, number]

/** Concrete of the street scene (paper 004, section IV). */
const CONCRETE = { epsilonR: 4.5, sigma: 0.09 }

/**
 * Footprints of the METIS "Madrid grid" (test case 2 of deliverable D6.1): x0 y0 x1 y1 [m]. The deliverable's heights are 28 to
 * 52.5 m; here all are 50 m, as in paper 004.
 */
const BUILDINGS: [number, number, number, number][] = [
  [9, 423, 129, 543],
  [9, 285, 129, 405],
  [9, 147, 129, 267],
  [9, 9, 129, 129],
  [147, 423, 267, 543],
  [147, 147, 267, 267],
  [147, 9, 267, 129],
  [297, 423, 327, 543],
  [297, 285, 327, 405],
  [297, 147, 327, 267],
  [297, 9, 327, 129],
  [348, 423, 378, 543],
  [348, 285, 378, 405],
  [348, 147, 378, 267],
  [348, 9, 378, 129],
]

/** The streets x = 129 to 147 m and y = 129 to 147 m cross at B. */
const A: Point = [138, 20, 10]
const LINE_START: Point = [138, 30, 5]
const B: Point = [138, 138, 5]
const C: Point = [138, 266, 5]
const D: Point = [266, 138, 5]

const ground = (x0: number, y0: number, x1: number, y1: number): Point[] => [
  [x0, y0, 0],
  [x1, y0, 0],
  [x1, y1, 0],
  [x0, y1, 0],
]

/** Scenes of `isar propagate` by name: the contents of samples/<name>.json (docs/propagation.md). */
export const propagationScenes: Record<string, Record<string, unknown>> = {
  tunnel: {
    name: 'tunnel',
    description: 'Rectangular dielectric tunnel, 4 x 4 x 1000 m, at 1 GHz (paper 004, Fig. 7)',
    frequency: '1 GHz',
    geometry: [
      {
        box: { min: [0, 0, 0], max: [4, 4, 1000], without: ['-z', '+z'], inward: true },
        material: { epsilonR: 5, sigma: 0 },
      },
    ],
    transmitter: {
      position: [1.1, 2.1, 0],
      antenna: { pattern: 'isotropic', axis: [0, 1, 0] },
      polarisation: 'v',
    },
    receivers: [
      {
        name: 'axis',
        line: [
          [1.9, 1.7, 1],
          [1.9, 1.7, 1000],
        ],
        step: 1,
      },
      { name: 'far', points: [[1.9, 1.7, 400.5]] },
    ],
    rays: 1_200_000,
    maxReflections: 40,
    paths: ['far'],
  },
  'madrid-grid': {
    name: 'madrid-grid',
    description:
      'Street canyons of the METIS Madrid grid with buildings of 50 m, at 5 GHz (paper 004, Figs. 8 and 9); line of sight along A-B-C, around the corner along B-D',
    frequency: '5 GHz',
    geometry: [
      { polygon: ground(-60, -60, 450, 612), material: CONCRETE },
      ...BUILDINGS.map(([x0, y0, x1, y1]) => ({
        box: { min: [x0, y0, 0], max: [x1, y1, 50], without: ['-z'] },
        material: CONCRETE,
      })),
    ],
    transmitter: {
      position: A,
      powerDbm: 30,
      antenna: { pattern: 'half-wave-dipole' },
      polarisation: 'v',
    },
    receivers: [
      { name: 'A-B-C', line: [LINE_START, C], step: 1 },
      { name: 'B-D', line: [B, D], step: 1 },
      { name: 'corner', points: [[180, 138, 5]] },
      { name: 'map', grid: { x: [-20, 408], y: [-20, 572], z: 5 }, step: 4 },
    ],
    region: { min: [-60, -60, 0], max: [450, 612, 60] },
    rays: 400_000,
    maxReflections: 8,
    diffraction: 'none',
    paths: ['corner'],
  },
  'two-ray': {
    name: 'two-ray',
    description: 'Direct wave and reflection at a dielectric ground, both polarisations, at 1 GHz',
    frequency: '1 GHz',
    geometry: [{ polygon: ground(-50, -600, 2000, 600), material: { epsilonR: 5, sigma: 0 } }],
    transmitter: { position: [0, 0, 2], polarisation: 'both' },
    receivers: [
      {
        name: 'range',
        line: [
          [1, 0, 1.5],
          [1000, 0, 1.5],
        ],
        step: 0.5,
      },
    ],
    rays: 400_000,
    maxReflections: 1,
  },
}
