import type { ChipTask } from '../../dataset/chip.js'
import { type DatasetConfig, parseDatasetConfig } from '../../dataset/config.js'
import { type Looks, looksOf } from '../../dataset/imager.js'
import { planDataset, type Pose, type Radar, resolveRadar } from '../../dataset/plan.js'

/** A configuration of images at 10 GHz of 0.3 m of resolution; `change` replaces settings. */
export const chipConfig = (change: object = {}): DatasetConfig =>
  parseDatasetConfig(
    JSON.stringify({
      name: 'a',
      seed: 11,
      targets: [{ label: 'x', mesh: 'a.stl' }],
      aspects: { azimuth: { from: 0, to: 300, step: 20 }, elevation: [15] },
      radar: { centreHz: 1e10, resolutionM: 0.3 },
      image: { size: [64, 64] },
      ...change,
    }),
    'c.json',
  )

/** The task of one of a configuration's poses, of a target of 6 m, with the fields that its radar and aspects have. */
export function chipTask(
  config: DatasetConfig,
  which: number,
  fieldsOf: (radar: Radar, pose: Pose, looks: Looks) => Float64Array,
): ChipTask {
  const band = config.radar.band as [number, number] | undefined
  const radar = resolveRadar(config, band ? { band } : { centreHz: 1e10 }, 6)
  const pose = planDataset(config, radar).poses[which]
  return {
    config,
    radar,
    pose,
    realisations: config.realisations,
    phaseCentre: [0, 0, 0],
    fields: { total: fieldsOf(radar, pose, looksOf(config, radar, pose)) },
  }
}

/** Powers of the pixels of an image, interleaved re, im. */
export const powers = (image: Float32Array): number[] =>
  Array.from({ length: image.length / 2 }, (_, i) => image[2 * i] ** 2 + image[2 * i + 1] ** 2)

export const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length

export const db = (x: number): number => 10 * Math.log10(x)
