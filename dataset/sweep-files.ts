import { cvdomesFile, type DatasetFile } from './formats/index.js'
import { ARRAY_ENDINGS, encodeArrays, fieldAttributes, vector } from '../formats/index.js'
import type { DatasetConfig } from './config.js'
import type { DatasetPlan, Shard } from './plan.js'
import { stateAngle } from './shard-data.js'
import { poseFields, type Traced } from './trace.js'

/** The files of a whole sweep. */
export async function sweepFiles(
  config: DatasetConfig,
  plan: DatasetPlan,
  { split, poses: [pose] }: Shard,
  traced: Traced,
): Promise<DatasetFile[]> {
  const { job } = traced
  const band = job.bands[0]
  const { fields } = poseFields(traced, job.aspects.map((_, a) => a), config.channels) // prettier-ignore
  const freqHz = Float64Array.from({ length: band.n }, (_, i) => band.f0 + i * band.df)
  const azimuthDeg = Float64Array.from(job.aspects, (a) => a.tx.phiDeg)
  const size = 2 * band.n * azimuthDeg.length
  const f = Object.fromEntries(
    config.channels.map((channel, c) => [channel, fields.total.subarray(c * size, (c + 1) * size)]),
  )
  const label = plan.classes[plan.classOf[pose.target]]
  const state = config.targets[pose.target].articulation ? `_state${stateAngle(config, pose).toFixed(1)}` : ''
  const copied = config.copies.count > 1 ? `_copy${pose.copy}` : ''
  const stem = `${plan.names[pose.target]}${state}${copied}_el${pose.elevationDeg.toFixed(4)}`
  const at = (format: string): string => [format, split, label, stem].filter(Boolean).join('/')
  const arrays = {
    ...Object.fromEntries(
      Object.entries(f).map(([channel, data]) => [
        `f_${channel}`,
        { data, shape: [band.n, azimuthDeg.length], dtype: '<c16' as const },
      ]),
    ),
    freq_hz: vector(freqHz),
    azimuth_deg: vector(azimuthDeg),
    elevation_deg: vector(Float64Array.of(pose.elevationDeg)),
  }
  const files: DatasetFile[] = []
  for (const format of config.formats) {
    if (format === 'cvdomes')
      files.push({
        path: `${at('cvdomes')}.mat`,
        data: cvdomesFile({ freqHz, azimuthDeg, elevationDeg: pose.elevationDeg, f }),
      })
    if (format === 'npz' || format === 'hdf5' || format === 'mat')
      files.push({
        path: `${at(format)}.${ARRAY_ENDINGS[format]}`,
        data: await encodeArrays(format, arrays, fieldAttributes(job.phaseCentre)),
      })
  }
  return files
}
