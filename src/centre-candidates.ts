import { buildEdgeScene, type Truncation } from '../cpu-diffraction/index.js'
import { buildRayScene } from '../rays/index.js'
import { direction, type Target, type Vec3, wavenumber } from '../scene/index.js'
import { DEFAULT_RAYS } from './view/rays.js'
import { DEFAULT_WEDGE_ANGLE_DEG, type RunMeta } from './view/run-meta.js'
import { traceAspect } from './view/trace-aspect.js'

/** Aspects whose paths are traced: of a sector in one angle, and along each of two. */
const TRACED = 7
const TRACED_EACH = 4
/** Energy that the cells of an aspect which become candidates hold together, of that of all, and their largest number. */
const KEPT = 0.99
const MOST = 1000

/** Options of a run that its paths depend on. */
type PathOptions = Pick<NonNullable<RunMeta['options']>, 'sbr' | 'diffraction' | 'maxWedgeAngleDeg'>

/**
 * Where a target's ray paths and edge segments have their phase centres [m], the strongest first: range and cross-ranges by which a path's
 * length changes as the radar moves (`PathList.place`), of some aspects of a sector.
 * @param cellM  size of the cells in which contributions are added up
 */
export function centreCandidates(
  target: Target,
  options: PathOptions,
  { thetaDeg, phiDeg }: { thetaDeg: Float64Array; phiDeg: Float64Array },
  freqHz: number,
  cellM: number,
): Vec3[] {
  const { sbr = DEFAULT_RAYS, diffraction = 'tw-ildc', maxWedgeAngleDeg = DEFAULT_WEDGE_ANGLE_DEG } = options
  const scene = buildRayScene(target)
  const edges = diffraction === 'none' ? null : buildEdgeScene(target, maxWedgeAngleDeg)
  const truncation = (diffraction === 'none' ? 'tw-ildc' : diffraction) as Truncation
  const found = new Map<string, { power: number; at: Vec3 }>()
  const [thetas, phis] = [distinct(thetaDeg), distinct(phiDeg)]
  const most = Math.min(thetas.length, phis.length) > 1 ? TRACED_EACH : TRACED
  for (const theta of spread(thetas, most))
    for (const phi of spread(phis, most)) {
      const traced = traceAspect(scene, edges, [theta, phi], freqHz, sbr, truncation)
      const { r, thetaHat, phiHat } = direction(theta, phi)
      const cells = new Cells(cellM, wavenumber(freqHz))
      const { list } = traced
      for (let n = 0; n < list.path.length; n++) {
        const from = list.hitStart[list.path[n]]
        const to = from + list.bounce[n] - 1
        let height = 0
        for (let c = 0; c < 3; c++)
          height += ((list.hits[3 * from + c] + list.hits[3 * to + c]) / 2) * thetaHat[c]
        cells.add(list.place[2 * n], list.place[2 * n + 1], height, list.amplitude, 8 * n)
      }
      for (let n = 0; n < traced.edges.edge.length; n++) {
        const { place, height, amplitude } = traced.edges
        cells.add(place[2 * n], place[2 * n + 1], height[n], amplitude, 8 * n)
      }
      for (const { power, place } of cells.strongest()) {
        const at = [0, 1, 2].map((c) => -place[0] * r[c] + place[1] * phiHat[c] + place[2] * thetaHat[c]) as Vec3 // prettier-ignore
        const key = at.map((x) => Math.round(x / cellM)).join()
        const there = found.get(key)
        if (!there || power > there.power) found.set(key, { power, at })
      }
    }
  return [...found.values()].sort((a, b) => b.power - a.power).map(({ at }) => at)
}

const distinct = (angles: Float64Array): number[] => [...new Set(angles)].sort((a, b) => a - b)

/** Some angles, `most` at most, from the lowest to the highest. */
function spread(ascending: number[], most: number): number[] {
  const n = Math.min(most, ascending.length)
  const [low, high] = [ascending[0], ascending[ascending.length - 1]]
  return Array.from({ length: n }, (_, i) => (n === 1 ? low : low + ((high - low) * i) / (n - 1)))
}

interface Cell {
  /** Sums of the channels' contributions in phase, and of their magnitudes with the places so weighted. */
  field: Float64Array
  weight: number
  place: Vec3
}

/** Contributions of an aspect in cells of range, cross-range and height. */
class Cells {
  private readonly cells = new Map<string, Cell>()

  constructor(
    private readonly size: number,
    private readonly k: number,
  ) {}

  add(range: number, cross: number, height: number, amplitude: Float32Array, from: number): void {
    const key = `${Math.round(range / this.size)},${Math.round(cross / this.size)},${Math.round(height / this.size)}`
    let cell = this.cells.get(key)
    if (!cell) this.cells.set(key, (cell = { field: new Float64Array(8), weight: 0, place: [0, 0, 0] }))
    const cos = Math.cos(2 * this.k * range)
    const sin = -Math.sin(2 * this.k * range)
    let weight = 0
    for (let c = 0; c < 8; c += 2) {
      const [re, im] = [amplitude[from + c], amplitude[from + c + 1]]
      cell.field[c] += re * cos - im * sin
      cell.field[c + 1] += re * sin + im * cos
      weight += re * re + im * im
    }
    weight = Math.sqrt(weight)
    cell.weight += weight
    cell.place[0] += weight * range
    cell.place[1] += weight * cross
    cell.place[2] += weight * height
  }

  strongest(): { power: number; place: Vec3 }[] {
    const all = [...this.cells.values()]
      .filter(({ weight }) => weight > 0)
      .map(({ field, weight, place }) => ({
        power: field.reduce((s, x) => s + x * x, 0),
        place: place.map((x) => x / weight) as Vec3,
      }))
      .sort((a, b) => b.power - a.power)
    const wanted = KEPT * all.reduce((s, { power }) => s + power, 0)
    let sum = 0
    const kept: typeof all = []
    for (const cell of all) {
      if (sum >= wanted || kept.length === MOST) break
      sum += cell.power
      kept.push(cell)
    }
    return kept
  }
}
