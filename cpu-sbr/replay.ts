import { finishField, jobAperture, type RayPath, type RayScene, type SbrJob } from '../rays/index.js'
import { type Cell, Contributor } from './contribution.js'
import { sumContributions } from './field-sum.js'

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
