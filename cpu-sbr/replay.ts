import { finishField, jobAperture, type PathBatch, type RayScene, type SbrJob } from '../rays/index.js'
import { Contributor, type Cell } from './contribution.js'
import { sumContributions } from './field-sum.js'

const QUAD_WORDS = 9
/** Paths summed at a time, to keep the lists of contributions short. */
const CHUNK = 4096

/** Recomputes in double precision what given ray paths radiate: the oracle of the GPU's field kernels. */
export class PathReplay {
  private readonly field: Float64Array
  private readonly contributor: Contributor
  private readonly aperture
  paths = 0

  constructor(
    private readonly scene: RayScene,
    private readonly job: SbrJob,
  ) {
    this.aperture = jobAperture(scene, job)
    const { d, u, v } = this.aperture
    this.contributor = new Contributor(scene, job.aspect, job.options, d, u, v)
    this.field = new Float64Array(8 * job.band.n)
  }

  add(batch: PathBatch): void {
    const facets = new Int32Array(this.job.options.maxBounces)
    const corners = new Int32Array(4)
    for (let at = 0; at < batch.leaves.length; at += batch.leafWords) {
      const count = batch.leaves[at + 1] >>> 8
      for (let m = 0; m < count; m++) facets[m] = batch.leaves[at + 4 + m]
      this.contributor.add(this.cell(batch, batch.leaves, at), facets, count, batch.leaves[at + 2], null)
      this.flush(CHUNK)
    }
    for (let at = 0; at < batch.quads.length; at += QUAD_WORDS) {
      facets[0] = batch.quads[at + 4]
      for (let c = 0; c < 4; c++) corners[c] = batch.quads[at + 5 + c]
      this.contributor.add(this.cell(batch, batch.quads, at), facets, 1, 1, corners)
      this.flush(CHUNK)
    }
  }

  /** The amplitudes F [m] of all paths added, as an engine returns them. */
  finish(): Float64Array {
    this.flush(0)
    const field = this.field.slice()
    finishField(this.scene.origin, this.job, field)
    return field
  }

  private cell(batch: PathBatch, words: Uint32Array, at: number): Cell {
    this.paths++
    const { base, u, v, h, offset } = this.aperture
    const level = words[at + 1] & 0xff
    const scale = 2 ** -level
    const i = batch.cellI * 2 ** level + (words[at] & 0xffff) + 0.5
    const j = batch.cellJ * 2 ** level + (words[at] >>> 16) + 0.5
    const a = (i * scale + offset[0]) * h
    const b = (j * scale + offset[1]) * h
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
