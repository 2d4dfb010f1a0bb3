import { frequency } from '../scene/index.js'
import type { EdgeScene } from './edge-scene.js'
import { addSegments, BLOCK_SEGMENTS } from './evaluate.js'
import { EdgeFace } from './face.js'
import { edgeGrid, type EdgeJob } from './job.js'
import { EdgeRecords } from './records.js'
import { SEGMENT_SIZE } from './segments.js'
import { WedgeCache } from './wedge.js'

/** Writes blocks down for the GPU (`EdgeRecords`); what depends on band and truncation only is kept from task to task. */
export class BlockRecorder {
  private key = ''
  private records!: EdgeRecords
  private wedges!: WedgeCache
  private faces!: [EdgeFace, EdgeFace]

  constructor(private readonly scene: EdgeScene) {}

  /** Records of blocks first to end - 1 of an aspect's segments. */
  write(job: EdgeJob, segments: Float64Array, first: number, end: number): Float64Array {
    const { scene } = this
    this.setUp(job)
    const { records, wedges, faces } = this
    records.reset()
    const size = SEGMENT_SIZE * BLOCK_SEGMENTS
    for (let b = first; b < end; b++) {
      const to = Math.min(size * (b + 1), segments.length)
      addSegments(scene, wedges, faces, job.aspect, segments, size * b, to, records)
      records.closeBlock()
    }
    return records.pack(edgeGrid(scene, job.band))
  }

  private setUp({ band, options }: EdgeJob): void {
    const key = JSON.stringify([band.f0, band.df, band.n, options.diffraction])
    if (key === this.key) return
    this.key = key
    const ends = [band.f0, frequency(band, band.n - 1)]
    this.records = new EdgeRecords(band)
    this.wedges = new WedgeCache(Math.max(...ends) / Math.min(...ends))
    this.faces = [new EdgeFace(options.diffraction), new EdgeFace(options.diffraction)]
  }
}
