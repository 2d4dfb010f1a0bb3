import { type Cell, Contributor } from '../cpu-sbr/contribution.js'
import { sumContributions } from '../cpu-sbr/field-sum.js'
import { conductorTracers, TileTracer } from '../cpu-sbr/index.js'
import { dot, type Vec3 } from '../scene/index.js'
import {
  finishField,
  fitAperture,
  jobAperture,
  type RayPath,
  type RayScene,
  type SbrJob,
  tubeSide,
  wholeAperture,
} from '../rays/index.js'

/** Key of a leaf: its level and cell of the lattice, the radiating bounces, the facets hit. */
const leafKey = (
  level: number,
  i: number,
  j: number,
  radiating: ArrayLike<number>,
  facets: ArrayLike<number>,
): string => `${level} ${i} ${j} ${Array.from(radiating).join('')} ${Array.from(facets).join(',')}`

/** Leaves of an aspect as the double-precision engine finds them. */
export function cpuLeaves(scene: RayScene, job: SbrJob): Set<string> {
  const aperture = fitAperture(scene, job.aspect.tx, tubeSide(job))
  const { base, u, v, h, offset } = aperture
  const { aspect, options } = job
  const tracers = conductorTracers(scene, aperture, aspect, options)
  const tracer = new TileTracer(scene, aperture, aspect, options, wholeAperture(aperture), tracers)
  const found = new Set<string>()
  const exit = job.options.formulation === 'exit'
  // The tracer passes every leaf to its contributor: record them there.
  tracer.contributor.add = (tube, facets, count, visible, corners) => {
    const scale = tube.side / h
    const o: Vec3 = [tube.ox - base[0], tube.oy - base[1], tube.oz - base[2]]
    const i = Math.round((dot(o, u) / h - offset[0]) / scale - 0.5)
    const j = Math.round((dot(o, v) / h - offset[1]) / scale - 0.5)
    const { onlyBounce } = job.options
    const radiates = (m: number): boolean =>
      (exit ? m === count - 1 : visible[m] === 1) && (!onlyBounce || m === onlyBounce - 1)
    const radiating = Array.from({ length: count }, (_, m) => (radiates(m) ? 1 : 0))
    if (!radiating.some(Boolean)) return false
    const met = [...facets.subarray(0, count), ...(corners ?? [])]
    found.add(leafKey(-Math.log2(scale), i, j, radiating, met))
    return true
  }
  for (let j = aperture.tileJ0; j < aperture.tileJ0 + aperture.tilesJ; j++)
    for (let i = aperture.tileI0; i < aperture.tileI0 + aperture.tilesI; i++) tracer.trace(i, j)
  return found
}

/** The leaf of a GPU path, in the same terms. */
const pathKey = ({ level, i, j, radiating, facets, corners }: RayPath): string =>
  leafKey(level, i, j, radiating, [...facets, ...(corners ?? [])])

/** The leaf without the facets at a quad's corners; other leaves unchanged. */
const withoutCorners = (key: string): string => {
  const facets = key.split(' ')[4].split(',')
  return facets.length === 5 ? `${key.slice(0, key.lastIndexOf(' '))} ${facets[0]}` : key
}

/**
 * Number of leaves of both engines; of those in only one of them; and of quads in both that differ in a corner that hit the
 * neighbouring facet (one corner ray on an edge belongs to up to four quads and does not affect their sums noticeably).
 */
export async function differingLeaves(
  scene: RayScene,
  job: SbrJob,
  paths: (visit: (path: RayPath) => void) => Promise<void>,
): Promise<{ gpu: number; cpu: number; differing: number; corners: number }> {
  const cpu = cpuLeaves(scene, job)
  let gpu = 0
  let common = 0
  const onlyGpu: string[] = []
  await paths((path) => {
    const key = pathKey(path)
    gpu++
    if (cpu.delete(key)) common++
    else onlyGpu.push(key)
  })
  const onlyCpu = new Set([...cpu].map(withoutCorners))
  const corners = onlyGpu.filter((key) => onlyCpu.has(withoutCorners(key))).length
  const total = common + cpu.size
  return { gpu, cpu: total, differing: onlyGpu.length + cpu.size - 2 * corners, corners }
}

/** Paths summed at a time, to keep the lists of contributions short. */
const CHUNK = 4096

/** Recomputes in double precision what given ray paths radiate: the oracle of the GPU's field kernels. */
export class PathReplay {
  private readonly field: Float64Array
  private readonly contributor: Contributor
  private readonly aperture

  constructor(
    private readonly scene: RayScene,
    private readonly job: SbrJob,
  ) {
    this.aperture = jobAperture(scene, job)
    const { d, u, v } = this.aperture
    this.contributor = new Contributor(scene, job.aspect, job.options, d, u, v)
    this.field = new Float64Array(8 * job.band.n)
  }

  add(path: RayPath): void {
    const { facets, radiating, corners } = path
    this.contributor.add(this.cell(path), facets, facets.length, radiating, corners)
    this.flush(CHUNK)
  }

  /** The amplitudes F [m] of all paths added, as an engine returns them. */
  finish(): Float64Array {
    this.flush(0)
    const field = this.field.slice()
    finishField(this.scene.origin, this.job, field)
    return field
  }

  private cell({ level, i, j }: RayPath): Cell {
    const { base, u, v, h, offset } = this.aperture
    const scale = 2 ** -level
    const a = ((i + 0.5) * scale + offset[0]) * h
    const b = ((j + 0.5) * scale + offset[1]) * h
    return {
      ox: base[0] + a * u[0] + b * v[0],
      oy: base[1] + a * u[1] + b * v[1],
      oz: base[2] + a * u[2] + b * v[2],
      side: scale * h,
    }
  }

  private flush(limit: number): void {
    if (this.contributor.count <= limit) return
    sumContributions(this.contributor, this.job.band, this.field)
    this.contributor.clear()
  }
}
