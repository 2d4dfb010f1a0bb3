import { type Aspect, type Direction, direction, dot, type Vec3 } from '../scene/index.js'
import type { Factors, MomentBackend } from './backend.js'
import type { CurrentMesh } from './current-mesh.js'
import { symmetricFunctions } from './functions.js'
import { sphereRule } from './sphere-rule.js'

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
