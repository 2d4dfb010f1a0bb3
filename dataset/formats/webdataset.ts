import { greyPng } from '../../formats/grey-png.js'
import { writeNpy } from '../../formats/npz.js'
import { type TarEntry, writeTar } from '../../formats/tar.js'
import { channelImage, chipName, type ChipRecord } from './chip-record.js'

/**
 * Images as a WebDataset shard: per image KEY.npy (complex64 [channel, range, cross-range]), KEY.cls (class number), KEY.json
 * (all parameters), KEY.png (first channel in decibels) and KEY.NAME.npy for each further array.
 */
export function webDatasetShard(records: ChipRecord[]): Uint8Array {
  return writeTar(records.flatMap(entries))
}

function entries(record: ChipRecord): TarEntry[] {
  const { chip, image, channels, rows, cols, label, labelIndex, extra } = record
  const key = chipName(chip)
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)
  const about = {
    chip,
    label,
    class: labelIndex,
    target: record.target,
    split: record.split,
    azimuth_deg: record.azimuthDeg,
    elevation_deg: record.elevationDeg,
    channels,
    ...record.parameters,
  }
  return [
    {
      name: `${key}.npy`,
      data: writeNpy('image', { data: image, shape: [channels.length, rows, cols], dtype: '<c8' }),
    },
    { name: `${key}.cls`, data: text(String(labelIndex)) },
    { name: `${key}.json`, data: text(JSON.stringify(about)) },
    { name: `${key}.png`, data: greyPng(channelImage(record, 0), rows, cols, 'decibel') },
    ...Object.entries(extra).map(([name, array]) => ({
      name: `${key}.${name}.npy`,
      data: writeNpy(name, array),
    })),
  ]
}
