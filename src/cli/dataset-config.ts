import { readRegularFile } from '../../formats/index.js'
import { type DatasetConfig, parseDatasetConfig } from '../../pipeline/dataset/index.js'
import { InputError } from '../../scene/index.js'
import { parseFrequency } from './quantity.js'

/** Reads a configuration file. @throws InputError naming the file and the place in it */
export async function readDatasetConfig(path: string): Promise<DatasetConfig> {
  return parseDatasetConfig((await readRegularFile(path, 'a dataset configuration (JSON)')).toString(), path)
}

/** The configuration's frequencies in Hz. */
export async function configFrequencies({
  radar,
}: DatasetConfig): Promise<{ centreHz?: number; band?: [number, number] }> {
  const hz = (value: string | number, what: string): Promise<number> => parseFrequency(String(value), what)
  if (!radar.band) return { centreHz: await hz(radar.centreHz!, 'radar.centreHz') }
  return { band: [await hz(radar.band[0], 'radar.band[0]'), await hz(radar.band[1], 'radar.band[1]')] }
}

/** `i/n` as [i, n]. */
export function parseShard(text: string): [number, number] {
  const match = /^(\d+)\/(\d+)$/.exec(text.trim())
  const [i, n] = match ? [Number(match[1]), Number(match[2])] : [0, 0]
  if (i < 1 || i > n) throw new InputError(`--shard "${text}": write i/n, like 2/8, with i from 1 to n`)
  return [i, n]
}
