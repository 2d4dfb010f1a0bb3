import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, encode } from 'jpeg-js'
import { describe, expect, it, test } from 'vitest'
import { type ChipRecord, mstarFiles, sampleFiles, writeTar } from '../../dataset/chip-formats.js'
import { type MatArray, readMat5 } from '../../formats/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const [ROWS, COLS] = [24, 32]
const image = Float32Array.from({ length: 2 * ROWS * COLS }, (_, i) => Math.sin(0.37 * i) * (1 + (i % 7)))
const peak = Math.max(
  ...Array.from({ length: ROWS * COLS }, (_, i) => Math.hypot(image[2 * i], image[2 * i + 1])),
)
const record: ChipRecord = {
  chip: 12,
  label: 't72',
  labelIndex: 0,
  target: 't72-copy.1',
  split: 'train',
  azimuthDeg: -349.78,
  elevationDeg: 17,
  image,
  channels: ['hh'],
  rows: ROWS,
  cols: COLS,
  geometry: {
    centreHz: 9.6e9,
    bandwidthHz: 5.91e8,
    rangeResolutionM: 0.3,
    crossRangeResolutionM: 0.3,
    spacingM: [0.2, 0.2],
    rangeWeights: new Float64Array(4).fill(1),
    crossRangeWeights: new Float64Array(4).fill(1),
  },
  parameters: { target_azimuth_deg: 349.78, magnitude_factor_m: peak / 255 },
  extra: {},
}

/** A Phoenix file as programs for MSTAR read it: lines of one "=", then as many big-endian singles as rows and columns twice. */
function readPhoenix(bytes: Uint8Array) {
  const end = '[EndofPhoenixHeader]\n'
  const text = Buffer.from(bytes).toString('latin1')
  const [blank, first, ...lines] = text.slice(0, text.indexOf(end)).trimEnd().split('\n')
  expect([blank, first]).toEqual(['', '[PhoenixHeaderVer01.04]'])
  const header = new Map(
    lines.map((line): [string, string] => {
      const parts = line.split('=')
      expect(parts).toHaveLength(2)
      return [parts[0].trim(), parts[1].trim()]
    }),
  )
  const start = Number(header.get('PhoenixHeaderLength')) + Number(header.get('native_header_length'))
  expect(start).toBe(text.indexOf(end) + end.length)
  expect(Number(header.get('PhoenixSigSize'))).toBe(bytes.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset + start)
  const count = Number(header.get('NumberOfRows')) * Number(header.get('NumberOfColumns'))
  expect(view.byteLength).toBe(8 * count)
  const plane = (p: number) =>
    Float32Array.from({ length: count }, (_, i) => view.getFloat32(4 * (p * count + i)))
  return { header, magnitude: plane(0), phase: plane(1) }
}

const files = mstarFiles(record, encode)
const dataOf = (start: string): Uint8Array =>
  files.find(({ path }) => path.startsWith(`mstar/${start}`))!.data

test('an MSTAR-like chip has folders of split and class, and one file a chip in each kind', () => {
  expect(files.map(({ path }) => path)).toEqual([
    'mstar/raw/train/t72/HB000012.000',
    'mstar/jpeg/train/t72/HB000012.jpg',
    'mstar/mat/train/t72/HB000012.mat',
  ])
})

test('its Phoenix file gives magnitude and phase of the image, class, azimuth and depression', () => {
  const { header, magnitude, phase } = readPhoenix(dataOf('raw'))
  expect(header.get('TargetType')).toBe('t72')
  expect(Number(header.get('TargetAz'))).toBe(349.78)
  expect(header.get('DesiredDepression')).toBe('17')
  magnitude.forEach((m, i) => {
    expect(m * Math.cos(phase[i])).toBeCloseTo(image[2 * i], 5)
    expect(m * Math.sin(phase[i])).toBeCloseTo(image[2 * i + 1], 5)
  })
  const mat = readMat5(dataOf('mat'))
  expect((mat.get('magnitude') as MatArray).shape).toEqual([ROWS, COLS])
  expect(Float32Array.from((mat.get('phase') as MatArray).data)).toEqual(phase)
})

test('its JPEG shows the magnitudes, nearest range first', () => {
  const { width, height, data } = decode(dataOf('jpeg'), { useTArray: true })
  expect([height, width]).toEqual([ROWS, COLS])
  let error = 0
  for (let i = 0; i < ROWS * COLS; i++)
    error += (data[4 * i] - (255 * Math.hypot(image[2 * i], image[2 * i + 1])) / peak) ** 2
  // Of 255 levels; noise like this compresses worst.
  expect(Math.sqrt(error / (ROWS * COLS))).toBeLessThan(6)
})

test('names of SAMPLE-like files are those that its programs take apart', () => {
  const names = sampleFiles(record).map(({ path }) => path)
  const stem = 't72_synth_A_elevDeg_017_azCenter_010_22_serial_t72_copy_1_000012'
  expect(names).toEqual([
    `sample/train/mat_files/synth/t72/${stem}.mat`,
    `sample/train/png_images/qpm/synth/t72/${stem}.png`,
    `sample/train/png_images/decibel/synth/t72/${stem}.png`,
  ])
  expect(stem).toMatch(/^(\w+)_(real|synth)_\w_elevDeg_(\d+)_azCenter_(\d+)_\d+_serial_\w+$/)
})

describe('tar archives', () => {
  const folder = scratchFolder()

  it('are unpacked by tar to the same files', () => {
    const files = [
      { name: '000001.json', data: new TextEncoder().encode('{"a": 1}') },
      { name: '000001.npy', data: Uint8Array.from({ length: 1000 }, (_, i) => i % 251) },
      { name: 'empty', data: new Uint8Array(0) },
    ]
    writeFileSync(join(folder, 'a.tar'), writeTar(files))
    execFileSync('tar', ['xf', 'a.tar'], { cwd: folder })
    for (const { name, data } of files)
      expect(new Uint8Array(readFileSync(join(folder, name)))).toEqual(Uint8Array.from(data))
    expect(
      execFileSync('tar', ['tf', 'a.tar'], { cwd: folder, encoding: 'utf8' }).trim().split('\n'),
    ).toEqual(files.map((f) => f.name))
  })

  it('refuse names that are too long', () => {
    expect(() => writeTar([{ name: 'x'.repeat(101), data: new Uint8Array(1) }])).toThrow(/too long/)
  })
})
