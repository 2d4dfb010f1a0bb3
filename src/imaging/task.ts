import { backproject, type BackprojectionJob } from '../../isar/index.js'

/** Rows of an image, to which a job's pulses are added. */
export interface BackprojectionTask {
  job: BackprojectionJob
  row: number
  image: Float64Array
}

export function runBackprojection({ job, row, image }: BackprojectionTask): Float64Array {
  backproject(job, row, image)
  return image
}
