import type { Target } from '../scene/index.js'
import { chordOf, type CurrentMeshOptions, DEFAULTS, symmetrySets } from './mesh-for-currents.js'
import { FINEST } from './remesh/size-field.js'

/**
 * Rates of a device: complex matrix elements filled and floating-point operations of factors per second, of a GPU or of one thread, bytes of
 * a matrix element, and what threads do beside [s of one]: for each unknown (elements close together for a GPU, the power balance), and for
 * each unknown and direction. A GPU's are those of an H200 with 16 threads: 2.5 to 34 s for 5,000 to 57,000 unknowns, within 1.4.
 */
const RATES = {
  gpu: { fill: 2e9, flops: 1.2e13, element: 8, start: 0.5, unknown: 5.6e-3, direction: 4.8e-6 },
  software: { fill: 2e5, flops: 2e9, element: 8, start: 1, unknown: 5.6e-3, direction: 4.8e-6 },
  cpu: { fill: 7e5, flops: 1e10, element: 16, start: 0.3, unknown: 1e-3, direction: 1e-6 },
}

export interface FullWaveCost {
  /** Host and device memory of the largest frequency [bytes]. */
  bytes: number
  seconds: number
}

/**
 * What one frequency costs, about: for each set of N unknowns 8/3 N³ operations for the factors, 8 N² a right-hand side; images of all sets
 * are part of every element.
 * @param threads  of the CPU, beside a GPU too
 */
export function fullWaveCost(
  { unknowns, sets }: SystemSize,
  aspects: number,
  device: keyof typeof RATES,
  threads: number,
): FullWaveCost {
  const { fill, flops, element, start, unknown, direction } = RATES[device]
  const n = unknowns / sets
  const operations = sets * ((8 / 3) * n ** 3 + 2 * aspects * 16 * n ** 2)
  return {
    bytes: sets * element * n * n + 4 * aspects * 16 * unknowns,
    seconds:
      start +
      (unknowns * (unknown + aspects * direction)) / threads +
      (unknowns ** 2 / fill + operations / flops) / (device === 'cpu' ? threads : 1),
  }
}

/** Size of the system of equations at a wavelength. */
export interface SystemSize {
  unknowns: number
  /** Sets of as many unknowns each that do not couple, by planes of symmetry. */
  sets: number
}

/** Estimates the system of `meshForCurrents`, without meshing; symmetry is that at the first wavelength asked for. */
export function estimateSystem(target: Target): (wavelength: number) => SystemSize {
  const unknownsAt = estimateUnknowns(target)
  let sets: number | undefined
  return (wavelength) => ({
    unknowns: unknownsAt(wavelength),
    // Groups of facets mean nothing to the currents of a conductor.
    sets: (sets ??= symmetrySets({ ...target, facetGroup: undefined }, wavelength)),
  })
}

/** RWG functions a square of the size, away from edges: measured on spheres and wide plates. */
const PER_SQUARE = 3.5
/** Edges bent by more than this are graded [degrees]; see `findFeatures`. */
const SINGULAR_DEG = 40

/**
 * About how many RWG functions `meshForCurrents` gives, without meshing: by area, and by the length of borders, junctions and sharp edges.
 * Within some 30 %, small curved parts within a factor of two.
 *
 * @returns the estimate of a wavelength [m]
 */
export function estimateUnknowns(
  target: Target,
  options: CurrentMeshOptions = {},
): (wavelength: number) => number {
  const { edges, positions: p, triangles: tri } = target
  const { elementsPerWavelength, firstRow, growth, chordTolerance } = { ...DEFAULTS, ...options }
  const size = 1 / elementsPerWavelength
  const rows = Math.max(0, Math.log(size / firstRow) / Math.log(growth))
  // Rows up to the plain size, less those that the same strip had of that size; three functions for two triangles.
  const width = (size - firstRow) / (growth - 1)
  const perLength = firstRow < size ? 3 * (rows / size - width / (size * size)) : 0
  const { vertices, facets, valence, interiorAngle } = edges
  const areas = Float64Array.from({ length: tri.length / 3 }, (_, t) => areaOf(p, tri, t))
  /** Largest curvature at each facet [1/m]. */
  const curvature = new Float64Array(areas.length)
  let length = 0
  for (let e = 0; e < valence.length; e++) {
    const [a, b] = [3 * vertices[2 * e], 3 * vertices[2 * e + 1]]
    const here = Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
    const bendDeg = Math.abs(180 - interiorAngle[e])
    if (valence[e] === 2 && bendDeg < SINGULAR_DEG) {
      const [f, g] = [facets[2 * e], facets[2 * e + 1]]
      // Over the distance of the facets' centres across the edge.
      const bent = ((bendDeg * Math.PI) / 180) * ((1.5 * here) / (areas[f] + areas[g]))
      curvature[f] = Math.max(curvature[f], bent)
      curvature[g] = Math.max(curvature[g], bent)
      continue
    }
    // A junction of n facets has about n wedges.
    const sides = valence[e] === 2 ? 2 : 1
    length += sides * here
  }
  return (wavelength) => {
    let squares = 0
    const chord = chordOf(target, wavelength, chordTolerance)
    areas.forEach((here, t) => {
      const curved = Math.sqrt((8 * chord) / (curvature[t] * wavelength))
      squares += here / (wavelength * Math.max(FINEST * size, Math.min(size, curved))) ** 2
    })
    return Math.ceil(PER_SQUARE * squares + (perLength * length) / wavelength)
  }
}

function areaOf(p: Float64Array, tri: Uint32Array, t: number): number {
  const [a, b, c] = [3 * tri[3 * t], 3 * tri[3 * t + 1], 3 * tri[3 * t + 2]]
  const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
  const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
  return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2
}
