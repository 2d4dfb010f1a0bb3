import { type EngineDescription, type FieldEngine, noStatistics } from '../rays/index.js'
import {
  type Aspect,
  type Band,
  type Direction,
  direction,
  dot,
  frequency,
  type Target,
  type Vec3,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import type { Factors, MomentBackend } from './backend.js'
import { symmetricFunctions } from './functions.js'
import {
  chordOf,
  type CurrentMesh,
  type CurrentMeshOptions,
  DEFAULTS,
  meshForCurrents,
  meshQuality,
  type MeshQuality,
  symmetrySets,
} from './mesh-for-currents.js'
import { FINEST } from './remesh/size-field.js'

/**
 * Directions and weights (which sum to 4π) that integrate the power of a field of a body of radius kr [rad]: Gauss's rule in cos θ,
 * equal steps in φ.
 */
function sphereRule(kr: number): { d: Direction; weight: number }[] {
  const count = Math.ceil(kr + 3 * Math.cbrt(kr)) + 3
  const [nodes, weights] = gaussLegendre(count)
  const around = 2 * count
  return nodes.flatMap((z, i) =>
    Array.from({ length: around }, (_, j) => ({
      d: direction((Math.acos(z) * 180) / Math.PI, (360 * j) / around),
      weight: (weights[i] * 2 * Math.PI) / around,
    })),
  )
}

/** Nodes and weights on -1 to 1, by Newton's method on the Legendre polynomial. */
function gaussLegendre(count: number): [nodes: number[], weights: number[]] {
  const nodes: number[] = []
  const weights: number[] = []
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5))
    let slope = 1
    for (let step = 0; step < 20; step++) {
      let [p, q] = [1, 0]
      for (let n = 1; n <= count; n++) [p, q] = [((2 * n - 1) * x * p - (n - 1) * q) / n, p]
      slope = (count * (x * p - q)) / (x * x - 1)
      const dx = p / slope
      x -= dx
      if (Math.abs(dx) < 1e-15) break
    }
    nodes.push(x)
    weights.push(2 / ((1 - x * x) * slope * slope))
  }
  return [nodes, weights]
}

/** Worse solutions are errors. */
const MOST_RESIDUAL = 1e-5
const MOST_CONDITION = 1e10
const MOST_POWER_ERROR = 0.05
/** Directions solved together: two right-hand sides each. */
const TOGETHER = 512

export interface FullWave {
  triangles: number
  /** RWG functions, of all sets. */
  unknowns: number
  /** Sets of functions that do not couple, about equally many in each: 2 for a plane of symmetry. */
  sets: number
  /** Estimate of the matrix's condition number, 1-norm; the largest of all sets. */
  condition: number
  /** Wall time until all matrices are filled, and after it [s]. */
  seconds: { fill: number; factor: number }
  /**
   * Fields of aspects, monostatic or bistatic.
   * @throws Error for a residual or a power balance that a solution may not have
   */
  solve(aspects: Aspect[], signal?: AbortSignal): Promise<AspectFields>
  destroy(): void
}

export interface AspectFields {
  /** 8 numbers an aspect: re and im of F [m] for VV, HH, VH, HV (transmit, receive), about the mesh's origin. */
  fields: Float64Array
  /** Largest ‖b − A x‖ / ‖b‖. */
  residual: number
  /** Largest | scattered power / power taken from the incident wave − 1 | of both polarisations of the first direction. */
  powerError: number
}

/**
 * Fills and factors the method of moments of a mesh.
 * @param k wavenumber [rad/m]
 * @throws Error for a condition number that a solution may not have
 */
export async function prepareFullWave(
  { mesh, k, backend }: { mesh: CurrentMesh; k: number; backend: MomentBackend },
  onProgress?: (part: number) => void,
  signal?: AbortSignal,
): Promise<FullWave> {
  const sets = symmetricFunctions(mesh, k)
  const unknowns = sets.reduce((sum, { count }) => sum + count, 0)
  const parts = sets.map(() => 0)
  // Together: threads fill one matrix while a GPU factors another.
  const results = await Promise.allSettled(
    sets.map((functions, set) => {
      const report = (part: number): void => {
        parts[set] = part
        onProgress?.(parts.reduce((sum, x) => sum + x, 0) / sets.length)
      }
      return backend.factor({ functions, k }, report, signal)
    }),
  )
  const factors = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const destroy = (): void => factors.forEach((one) => one.destroy())
  try {
    for (const result of results) if (result.status === 'rejected') throw result.reason
    factors.forEach(({ condition }, set) => {
      if (!(condition < MOST_CONDITION))
        throw new Error(`full wave: the matrix of ${sets[set].count} unknowns has a condition number of ${condition.toExponential(1)}, above ${MOST_CONDITION.toExponential(0)}: its solutions cannot be trusted`) // prettier-ignore
    })
  } catch (error) {
    destroy()
    throw error
  }
  const longest = (of: (one: Factors) => number): number => Math.max(...factors.map(of))
  const condition = longest((one) => one.condition)
  const seconds = {
    fill: longest((one) => one.seconds.fill),
    factor: longest((one) => one.seconds.fill + one.seconds.factor) - longest((one) => one.seconds.fill),
  }
  const { triangles, positions, symmetry } = mesh
  const waves = backend.planeWaves(sets, k)
  return {
    triangles: triangles.length / 3,
    unknowns,
    sets: sets.length,
    condition,
    seconds,
    destroy,
    solve: async (aspects, signal) => {
      const { directions, of } = transmitters(aspects)
      const fields = new Float64Array(8 * aspects.length)
      let residual = 0
      let powerError = 0
      for (let from = 0; from < directions.length; from += TOGETHER) {
        const some = directions.slice(from, from + TOGETHER)
        const driven = await waves.excite(some, signal)
        const solved = await Promise.all(factors.map((one, set) => one.solve(driven[set], signal)))
        const solutions = solved.map(({ x }) => x)
        for (const one of solved) {
          residual = Math.max(residual, one.residual)
          if (!(residual < MOST_RESIDUAL))
            throw new Error(
              `full wave: the solution's residual is ${residual.toExponential(1)}, above ${MOST_RESIDUAL}`,
            )
        }
        if (from === 0)
          powerError = await balance(positions, k, some[0], (to) =>
            waves.radiate(
              to,
              solutions,
              to.map(() => 0),
              3,
              signal,
            ),
          )
        const here = [...aspects.keys()].filter((i) => of[i] >= from && of[i] < from + some.length)
        const amplitudes = await waves.radiate(
          here.map((i) => aspects[i].rx),
          solutions,
          here.map((i) => of[i] - from),
          7,
          signal,
        )
        here.forEach((i, place) => {
          const F = amplitudes.subarray(8 * place, 8 * place + 8)
          // V transmitted: V, H received; then H: V, H.
          fields.set([F[0], F[1], F[6], F[7], F[2], F[3], F[4], F[5]], 8 * i)
        })
      }
      if (!(powerError < MOST_POWER_ERROR))
        throw new Error(`full wave: scattered power differs from the power taken from the incident wave by ${(100 * powerError).toFixed(1)} %, more than ${100 * MOST_POWER_ERROR} %: the target is too few wavelengths across, or has parts that pass through each other without common edges`) // prettier-ignore
      if (symmetry) aboutOrigin(fields, aspects, k, symmetry.centre)
      return { fields, residual, powerError }
    },
  }
}

/** Moves the origin of phases from a point. */
function aboutOrigin(fields: Float64Array, aspects: Aspect[], k: number, centre: Vec3): void {
  aspects.forEach(({ tx, rx }, i) => {
    const phase = k * (dot(tx.r, centre) + dot(rx.r, centre))
    const [c, s] = [Math.cos(phase), Math.sin(phase)]
    for (let at = 8 * i; at < 8 * i + 8; at += 2) {
      const re = fields[at]
      fields[at] = re * c - fields[at + 1] * s
      fields[at + 1] = re * s + fields[at + 1] * c
    }
  })
}

/** | Scattered power / extinction − 1 | of both polarisations from a direction: ∫|F|² dΩ over −4π/k Im F of the forward direction. */
async function balance(
  positions: Float64Array,
  k: number,
  from: Direction,
  radiate: (to: Direction[]) => Promise<Float64Array>,
): Promise<number> {
  const rule = sphereRule(k * radius(positions))
  // Behind the target θ̂ stays and φ̂ is the other way round.
  const directions = [direction(180 - from.thetaDeg, from.phiDeg + 180), ...rule.map(({ d }) => d)]
  const F = await radiate(directions)
  const scattered = [0, 0]
  rule.forEach(({ weight }, d) => {
    for (let i = 0; i < 8; i++) scattered[i >> 2] += weight * F[8 * (d + 1) + i] ** 2
  })
  const taken = [-F[1], F[7]].map((im) => (4 * Math.PI * im) / k)
  return Math.max(...taken.map((power, i) => Math.abs(scattered[i] / power - 1)))
}

/** Directions of transmission, each once, and that of each aspect. */
function transmitters(aspects: Aspect[]): { directions: Direction[]; of: number[] } {
  const places = new Map<string, number>()
  const directions: Direction[] = []
  const of = aspects.map(({ tx }) => {
    const key = `${tx.thetaDeg} ${tx.phiDeg}`
    const place = places.get(key) ?? directions.push(tx) - 1
    places.set(key, place)
    return place
  })
  return { directions, of }
}

/** Half the diagonal of the box about points. */
function radius(corners: Float64Array): number {
  let sum = 0
  for (let a = 0; a < 3; a++) {
    let [low, high] = [Infinity, -Infinity]
    for (let i = a; i < corners.length; i += 3) {
      low = Math.min(low, corners[i])
      high = Math.max(high, corners[i])
    }
    sum += (high - low) ** 2
  }
  return Math.sqrt(sum) / 2
}

/** One aspect over a band. */
export interface FullWaveJob {
  aspect: Aspect
  band: Band
}

/** How one frequency was solved. Times are wall time [s]. */
export interface FullWaveReport {
  frequencyHz: number
  triangles: number
  /** Shape of the triangles. */
  quality: Pick<MeshQuality, 'worst' | 'median' | 'longestEdge'>
  /** RWG functions. */
  unknowns: number
  /** Largest ‖b − A x‖ / ‖b‖ of the right-hand sides, after refinement. */
  residual: number
  /** Estimate of the matrix's condition number, 1-norm. */
  condition: number
  /** Largest | scattered power / power taken from the incident wave − 1 | of the checked aspects (optical theorem). */
  powerError: number
  seconds: { mesh: number; fill: number; factor: number; solve: number }
}

/** The fields of all aspects at one frequency. */
export interface FrequencySolution {
  /** 8 numbers an aspect: re and im of F [m] for VV, HH, VH, HV, about the mesh's origin. */
  fields: Float64Array
  report: FullWaveReport
}

/** Solves for the currents of a target: one factorisation a frequency, any number of aspects. */
export interface FullWaveEngine extends FieldEngine<FullWaveJob> {
  /** The system at a frequency [Hz], about, without meshing. */
  size(frequencyHz: number): SystemSize
  /**
   * The fields of all aspects at one frequency [Hz].
   * @param onProgress  called with the finished part of the work, 0 to 1
   * @throws Error where residual, condition or power balance is worse than a solution may have
   */
  solve(
    frequencyHz: number,
    aspects: Aspect[],
    onProgress?: (part: number) => void,
    signal?: AbortSignal,
  ): Promise<FrequencySolution>
}

/** A frequency whose factors are kept for further aspects. */
interface Solved {
  frequencyHz: number
  seconds: number
  quality: FullWaveReport['quality']
  solver: FullWave
}

/**
 * Full wave of a target of conductors. Every frequency has a mesh of its own, so that its fields depend on nothing of the others; the
 * factors of the last one stay until another is asked for.
 * @param device  what the backend runs on
 */
export function createFullWaveEngine(
  target: Target,
  backend: MomentBackend,
  device: Pick<EngineDescription, 'device' | 'isSoftware' | 'text'>,
): FullWaveEngine {
  let last: Solved | null = null
  let estimate: ((wavelength: number) => SystemSize) | undefined
  const factorsOf = async (
    frequencyHz: number,
    onProgress: (part: number) => void,
    signal?: AbortSignal,
  ): Promise<Solved> => {
    if (last?.frequencyHz === frequencyHz) return last
    last?.solver.destroy()
    last = null
    const start = performance.now()
    // Groups of facets mean nothing to the currents of a conductor.
    const mesh = meshForCurrents({ ...target, facetGroup: undefined }, wavelength(frequencyHz))
    const { worst, median, longestEdge } = meshQuality(mesh, wavelength(frequencyHz))
    const seconds = (performance.now() - start) / 1000
    const k = wavenumber(frequencyHz)
    const solver = await prepareFullWave({ mesh, k, backend }, onProgress, signal)
    return (last = { frequencyHz, seconds, quality: { worst, median, longestEdge }, solver })
  }
  const engine: FullWaveEngine = {
    describe: () => ({ ...device, aspectsInFlight: 1 }),
    size: (frequencyHz) => (estimate ??= estimateSystem(target))(wavelength(frequencyHz)),
    async solve(frequencyHz, aspects, onProgress = () => {}, signal) {
      const {
        solver,
        quality,
        seconds: mesh,
      } = await factorsOf(frequencyHz, (part) => onProgress(0.9 * part), signal)
      const start = performance.now()
      const { fields, residual, powerError } = await solver.solve(aspects, signal)
      const solve = (performance.now() - start) / 1000
      const { triangles, unknowns, condition, seconds } = solver
      const spent = { mesh, ...seconds, solve }
      const report = { frequencyHz, triangles, quality, unknowns, residual, condition, powerError, seconds: spent } // prettier-ignore
      return { fields, report }
    },
    async field({ aspect, band }, signal) {
      const start = performance.now()
      const field = new Float64Array(8 * band.n)
      for (let n = 0; n < band.n; n++)
        field.set((await engine.solve(frequency(band, n), [aspect], undefined, signal)).fields, 8 * n)
      const total = (performance.now() - start) / 1000
      return { field, statistics: noStatistics(), partSeconds: [], times: { trace: 0, field: total, reduction: 0, total } } // prettier-ignore
    },
    async close() {
      last?.solver.destroy()
      await backend.close()
    },
  }
  return engine
}

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
