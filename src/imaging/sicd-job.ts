import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeFormats,
  isNitf,
  vector,
  withNpz,
} from '../../formats/index.js'
import { dynamicRange, imageDbsm } from '../../isar/levels.js'
import { type ResultLocation, writeJson, writeResult } from '../../run/results.js'
import { VERSION } from '../../run/version.js'
import { writeFigure } from '../write-figure.js'
import { kmlOf, readSicdImage } from './sicd.js'

/** Whether a file is NITF, by its first bytes. */
export async function isSicd(path: string): Promise<boolean> {
  if (!existsSync(path) || !statSync(path).isFile()) return false
  const file = await open(path)
  try {
    const bytes = new Uint8Array(9)
    await file.read(bytes, 0, 9, 0)
    return isNitf(bytes)
  } finally {
    await file.close()
  }
}

interface SicdRequest {
  path: string
  dynamicRangeDb: number | 'auto'
  formats: readonly ArrayFormat[]
  kml: boolean
}

/**
 * Writes the image of a SICD file as arrays and picture, in our orientation: on the slant plane range upwards and cross-range to the right,
 * else the array's rows from its last one up. Axes are from its centre point.
 */
export async function sicdJob(
  { path, dynamicRangeDb, formats, kml }: SicdRequest,
  place: ResultLocation,
  hooks: { say: (line: string) => void; claim: (files: string[]) => void },
): Promise<{ summary: Record<string, unknown>; files: string[] }> {
  const read = await readSicdImage(path)
  const { rows, cols, channel, calibrated, name, corners } = read
  const slant = read.plane === 'slant'
  const image = new Float64Array(read.image.length)
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const to = 2 * ((slant ? i : rows - 1 - i) * cols + (slant ? cols - 1 - l : l))
      image[to] = read.image[2 * (i * cols + l)]
      image[to + 1] = read.image[2 * (i * cols + l) + 1]
    }
  const reversed = (axis: Float64Array): Float64Array => axis.toReversed().map((x) => -x + 0)
  const [alongM, acrossM] = [slant ? read.rowM : reversed(read.rowM), slant ? reversed(read.colM) : read.colM]
  const files = [
    `image-${channel}.png`,
    ...withNpz(formats).map((format) => `image.${ARRAY_ENDINGS[format]}`),
    ...(kml ? ['image.kml'] : []),
    'meta.json',
  ]
  hooks.claim(files)
  const peak = imageDbsm(image).reduce((a, b) => Math.max(a, b))
  const unit = calibrated ? 'dBsm' : 'dB'
  hooks.say(`image     ${name} (SICD, ${read.plane} plane): ${rows} x ${cols} pixels, ${channel}, peak ${peak.toFixed(2)} ${unit}`) // prettier-ignore
  const { imagePicture } = await import('./pictures.js')
  const [range, cross] = read.resolutionM.map((m) => Number(m.toPrecision(2)))
  const axis: [number, number, number] = [0, 0, 0]
  const formed = { channel, plane: { name: slant ? ('slant' as const) : ('ground' as const), origin: axis, across: axis, along: axis }, image, alongM, acrossM, rangeResolutionM: range, crossRangeResolutionM: cross, notes: [] } // prettier-ignore
  const subtitle = `${read.plane} plane  ·  graze ${read.grazeDeg.toFixed(1)}°  ·  resolution ${range} × ${cross} m`
  const text = { title: `${name}, ${channel.toUpperCase()}`, subtitle, unit }
  const seen = { thetaDeg: 90 - read.grazeDeg, phiDeg: 90 - read.azimuthDeg }
  await writeFigure(place, `image-${channel}`, imagePicture(formed, text, peak, dynamicRange([image], dynamicRangeDb), seen), ['png']) // prettier-ignore
  const names = slant ? ['range_m', 'cross_range_m'] : ['y_m', 'x_m']
  const arrays = {
    [`image_${channel}`]: { data: image, shape: [rows, cols], dtype: '<c16' as const },
    [names[0]]: vector(alongM),
    [names[1]]: vector(acrossM),
  }
  for await (const [file, data] of encodeFormats('image', arrays, withNpz(formats), {})) await writeResult(place, file, data) // prettier-ignore
  if (kml) await writeResult(place, 'image.kml', kmlOf(name, corners, []))
  const summary = { channels: { [channel]: { peak: Number(peak.toFixed(4)), rows, cols } } }
  await writeJson(place, 'meta.json', { command: 'image', version: VERSION, mesh: { name }, history: { name, layout: 'sicd', files: [path], calibrated }, options: { plane: slant ? 'slant' : 'ground' }, ...summary }) // prettier-ignore
  return { summary, files }
}
