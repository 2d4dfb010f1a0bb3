import { setImmediate } from 'node:timers/promises'
import { parseFrequencies, parseFrequency } from '../../formats/frequency.js'
import { parseJson } from '../../formats/described-json.js'
import { readRegularFile } from '../../formats/index.js'
import {
  type DatasetConfig,
  type DatasetPlan,
  isOfSpectrograms,
  parseDatasetConfig,
  planSteps,
  type Radar,
} from '../../dataset/index.js'
import { InputError } from '../../scene/index.js'

/** Reads a configuration file of images, or the JSON of one of spectrograms. @throws InputError naming the file and the position in it */
export async function readDatasetConfig(
  path: string,
): Promise<{ images: DatasetConfig } | { spectrograms: unknown }> {
  const text = new TextDecoder().decode(await readRegularFile(path, 'a dataset configuration (JSON)'))
  const value = parseJson(text, path)
  return isOfSpectrograms(value) ? { spectrograms: value } : { images: parseDatasetConfig(text, path) }
}

/** The configuration's frequencies in Hz. @throws InputError */
export function configFrequencies({ radar }: DatasetConfig): { centreHz?: number; band?: [number, number] } {
  if (!radar.band) return { centreHz: parseFrequency(String(radar.centreHz), 'radar.centreHz') }
  const [f0, f1] = parseFrequencies(radar.band.map(String), 'radar.band')
  return { band: [f0, f1] }
}

/** `i/n` as [i, n]. */
export function parseShard(text: string): [number, number] {
  const match = /^(\d+)\/(\d+)$/.exec(text.trim())
  const [i, n] = match ? [Number(match[1]), Number(match[2])] : [0, 0]
  if (i < 1 || i > n) throw new InputError(`--shard "${text}": write i/n, like 2/8, with i from 1 to n`)
  return [i, n]
}

/** The plan, made in steps so that a signal can end the process meanwhile. */
export async function planned(config: DatasetConfig, radar: Radar): Promise<DatasetPlan> {
  const steps = planSteps(config, radar)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}
