import { encode } from 'fast-png'
import { type MatValue, writeMat5 } from '../formats/mat5.js'
import { writeNpy } from '../formats/npz.js'

/** Frequency-aspect data of a sweep in azimuth at one elevation. */
interface SweepHistory {
  freqHz: Float64Array
  azimuthDeg: Float64Array
  elevationDeg: number
  /** Amplitudes F [m] by channel, [frequency][azimuth], interleaved re, im. */
  f: Record<string, Float64Array>
}

/**
 * A sweep as the Civilian Vehicle Data Domes have it (K. E. Dungan, C. Austin, J. Nehrbass and L. C. Potter, "Civilian vehicle radar data
 * domes", Proc. SPIE 7699, 2010): a struct `data` of azim, elev [degrees], FGHz [GHz] and the channels, [frequency, azimuth]. The domes'
 * files have 512 frequencies from 6.9226 to 12.2775 GHz (9.6 GHz and 5.355 GHz about it, 10.479 MHz apart), 5,760 azimuths 0.0625 degrees apart, one
 * elevation each (30 to 60 degrees), and hh, hv, vv; cross-polarised channels are equal by reciprocity, and `hv` is both.
 *
 * Amplitudes are the complex conjugates of F: the phase of a point p is exp(-4 pi j f p.r / c), r towards the radar, as the imaging code that
 * goes with the domes takes it (L. A. Gorham and L. J. Moore, "SAR image formation toolbox for MATLAB", Proc. SPIE 7699, 2010, bpBasicFarField). With F
 * itself its images are rotated by 180 degrees about the origin.
 */
export function cvdomesFile({ freqHz, azimuthDeg, elevationDeg, f }: SweepHistory): Uint8Array {
  const shape: [number, number] = [freqHz.length, azimuthDeg.length]
  return writeMat5({
    data: {
      fields: {
        azim: { data: azimuthDeg, shape: [1, azimuthDeg.length] },
        elev: elevationDeg,
        FGHz: { data: freqHz.map((hz) => hz / 1e9), shape: [freqHz.length, 1] },
        ...Object.fromEntries(
          Object.entries(f).map(([channel, data]) => [
            channel,
            { data: conjugate(data), shape, complex: true },
          ]),
        ),
      },
    },
  })
}

/** Of interleaved re, im. */
const conjugate = (data: Float64Array): Float64Array => data.map((x, i) => (i % 2 === 1 && x !== 0 ? -x : x))

/** Lowest level of a decibel picture relative to its brightest pixel [dB]. */
const RANGE_DB = 40

/**
 * A complex image (interleaved re, im, [range][cross-range]) as an 8-bit grey PNG, the largest range in the first row.
 * `decibel`: 40 dB down from the brightest pixel; `qpm`: square root of the magnitude (quarter power), scaled likewise.
 */
export function greyPng(
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  scale: 'decibel' | 'qpm',
): Uint8Array {
  return encode({ width: cols, height: rows, data: greyLevels(image, rows, cols, scale), channels: 1 })
}

/**
 * Magnitudes of a complex image as an 8-bit grey PNG, rows as in the arrays, the smallest range first: round(|pixel| / `perLevel`), at most 255.
 */
export const magnitudePng = (
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  perLevel: number,
): Uint8Array =>
  encode({ width: cols, height: rows, data: magnitudeLevels(image, rows * cols, perLevel), channels: 1 })

const magnitudeLevels = (
  image: Float32Array | Float64Array,
  pixels: number,
  perLevel: number,
): Uint8ClampedArray<ArrayBuffer> =>
  Uint8ClampedArray.from({ length: pixels }, (_, i) =>
    Math.round(Math.hypot(image[2 * i], image[2 * i + 1]) / perLevel),
  )

/** The grey levels of `greyPng`. */
export function greyLevels(
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  scale: 'decibel' | 'qpm',
): Uint8Array {
  const data = new Uint8Array(rows * cols)
  let peak = 0
  for (let i = 0; i < 2 * rows * cols; i += 2) peak = Math.max(peak, Math.hypot(image[i], image[i + 1]))
  if (peak === 0) return data
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const at = 2 * (i * cols + l)
      const part = Math.hypot(image[at], image[at + 1]) / peak
      const level = scale === 'qpm' ? Math.sqrt(part) : 1 + (20 * Math.log10(part || 1e-30)) / RANGE_DB
      data[(rows - 1 - i) * cols + l] = Math.round(255 * Math.max(0, Math.min(1, level)))
    }
  return data
}

/** One image with the metadata of the dataset formats. Angles in degrees, frequencies in Hz, lengths in metres. */
export interface ChipRecord {
  /** Number in the dataset. */
  chip: number
  label: string
  labelIndex: number
  target: string
  split: string
  azimuthDeg: number
  elevationDeg: number
  /** [channel][range][cross-range], interleaved re, im; |pixel|^2 in m^2. */
  image: Float32Array
  channels: string[]
  rows: number
  cols: number
  geometry: ChipGeometry
  /** Further parameters, for formats that hold them. */
  parameters: Record<string, string | number>
  /** Further arrays of this image alone. */
  extra: Record<string, { data: Float32Array | Uint8Array; shape: number[]; dtype: '<c8' | '<f4' | '|u1' }>
}

/** What all images of a dataset share. */
export interface ChipGeometry {
  centreHz: number
  bandwidthHz: number
  rangeResolutionM: number
  crossRangeResolutionM: number
  spacingM: [number, number]
  /** Weights over frequency and over angle. */
  rangeWeights: Float64Array
  crossRangeWeights: Float64Array
}

/** One channel of the image. */
export function channelImage({ image, rows, cols }: ChipRecord, channel: number): Float32Array {
  const size = 2 * rows * cols
  return image.subarray(channel * size, (channel + 1) * size)
}

export interface DatasetFile {
  /** Relative to the dataset's folder, with slashes. */
  path: string
  data: Uint8Array
}

/** Number of an image as file names have it. */
export const chipName = (chip: number): string => String(chip).padStart(6, '0')

/**
 * One image as the SAMPLE dataset has them (B. Lewis et al., "A SAR dataset for ATR development: the Synthetic and Measured Paired
 * Labeled Experiment", Proc. SPIE 10987, 2019): a MATLAB file under mat_files/synth/CLASS, and pictures under png_images.
 *
 * The MATLAB file holds `complex_img` (single, [range, cross-range], the first channel; the others as `complex_img_CH`), azimuth,
 * elevation [degrees], bandwidth, center_freq [Hz], range_resolution, xrange_resolution, range_pixel_spacing,
 * xrange_pixel_spacing [m], taylor_weights (over frequency; xrange_taylor_weights over angle) and target_name. Names are those of the dataset,
 * which programs take elevation and class from: `CLASS_synth_A_elevDeg_017_azCenter_010_22_serial_TARGET`, and the number of the image.
 */
export function sampleFiles(record: ChipRecord): DatasetFile[] {
  const { label, rows, cols, geometry, channels, azimuthDeg, elevationDeg } = record
  const image = (c: number): MatValue => ({
    data: channelImage(record, c),
    shape: [rows, cols],
    complex: true,
  })
  const column = (data: Float64Array): MatValue => ({ data, shape: [data.length, 1] })
  const mat = writeMat5({
    complex_img: image(0),
    ...Object.fromEntries(channels.slice(1).map((name, i) => [`complex_img_${name}`, image(i + 1)])),
    channel: channels[0],
    azimuth: azimuthDeg,
    elevation: elevationDeg,
    bandwidth: geometry.bandwidthHz,
    center_freq: geometry.centreHz,
    range_resolution: geometry.rangeResolutionM,
    xrange_resolution: geometry.crossRangeResolutionM,
    range_pixel_spacing: geometry.spacingM[0],
    xrange_pixel_spacing: geometry.spacingM[1],
    taylor_weights: column(geometry.rangeWeights),
    xrange_taylor_weights: column(geometry.crossRangeWeights),
    target_name: label,
    target_serial: record.target,
    chip: record.chip,
  })
  const elevation = String(Math.round(elevationDeg)).padStart(3, '0')
  const azimuth = (((azimuthDeg % 360) + 360) % 360).toFixed(2).padStart(6, '0').replace('.', '_')
  const serial = record.target.replaceAll(/\W/g, '_')
  const name = `${label}_synth_A_elevDeg_${elevation}_azCenter_${azimuth}_serial_${serial}_${chipName(record.chip)}`
  const root = record.split ? `sample/${record.split}` : 'sample'
  const picture = (scale: 'decibel' | 'qpm'): DatasetFile => ({
    path: `${root}/png_images/${scale}/synth/${label}/${name}.png`,
    data: greyPng(channelImage(record, 0), rows, cols, scale),
  })
  return [
    { path: `${root}/mat_files/synth/${label}/${name}.mat`, data: mat },
    picture('qpm'),
    picture('decibel'),
  ]
}

/** The encoder of jpeg-js. */
type Jpeg = (
  image: { data: Uint8Array; width: number; height: number },
  quality: number,
) => { data: Uint8Array }
/** Quality of JPEG pictures, of 100. */
const JPEG_QUALITY = 95

/**
 * One image like the target chips of the MSTAR public set (Sandia National Laboratory, Moving and Stationary Target Acquisition and Recognition,
 * 1995 to 1997), first channel: `raw/SPLIT/CLASS/HB000012.000`, a Phoenix header and big-endian single magnitudes [m], then phases [rad], rows of
 * nearest range first; `jpeg`, its magnitudes in 8 bits; `mat`, `magnitude` and `phase`. Azimuths are those of MSTAR, clockwise.
 */
export function mstarFiles(record: ChipRecord, jpeg: Jpeg): DatasetFile[] {
  const { rows, cols, label, geometry, parameters } = record
  const image = channelImage(record, 0)
  const [magnitude, phase] = [Math.hypot, (re: number, im: number) => Math.atan2(im, re)].map((of) =>
    Float32Array.from({ length: rows * cols }, (_, i) => of(image[2 * i], image[2 * i + 1])),
  )
  const file = (folder: string, ending: string, data: Uint8Array): DatasetFile => ({
    path: `mstar/${folder}/${record.split ? `${record.split}/` : ''}${label}/HB${chipName(record.chip)}.${ending}`,
    data,
  })
  const grey = magnitudeLevels(image, rows * cols, parameters.magnitude_factor_m as number)
  const colours = Uint8Array.from({ length: 4 * rows * cols }, (_, i) => (i % 4 === 3 ? 255 : grey[i >> 2]))
  const fields = {
    NumberOfColumns: cols,
    NumberOfRows: rows,
    TargetType: label,
    TargetSerNum: record.target,
    TargetAz: (parameters.target_azimuth_deg as number).toFixed(6),
    TargetRoll: '0.000000',
    TargetPitch: '0.000000',
    TargetYaw: '0.000000',
    DesiredDepression: Math.round(record.elevationDeg),
    MeasuredDepression: record.elevationDeg.toFixed(6),
    Polarization: record.channels[0].toUpperCase(),
    CenterFrequency: `${geometry.centreHz / 1e9} GHz`,
    Bandwidth: `${geometry.bandwidthHz / 1e9} GHz`,
    RangeResolution: geometry.rangeResolutionM,
    CrossRangeResolution: geometry.crossRangeResolutionM,
    RangePixelSpacing: geometry.spacingM[0],
    CrossRangePixelSpacing: geometry.spacingM[1],
  }
  const plane = (data: Float32Array): MatValue => ({ data, shape: [rows, cols] })
  return [
    file('raw', '000', phoenix(fields, [magnitude, phase])),
    file('jpeg', 'jpg', jpeg({ data: colours, width: cols, height: rows }, JPEG_QUALITY).data),
    file(
      'mat',
      'mat',
      writeMat5({
        magnitude: plane(magnitude),
        phase: plane(phase),
        target_name: label,
        target_serial: record.target,
        azimuth: parameters.target_azimuth_deg as number,
        depression: record.elevationDeg,
      }),
    ),
  ]
}

/** A file with a Phoenix header, which counts its own bytes, of planes of big-endian singles. */
function phoenix(fields: Record<string, string | number>, planes: Float32Array[]): Uint8Array {
  const size = 4 * planes.reduce((n, p) => n + p.length, 0)
  const text = (length: number): string =>
    [
      '\n[PhoenixHeaderVer01.04]',
      `PhoenixHeaderLength= ${String(length).padStart(5, '0')}`,
      `PhoenixSigSize= ${String(length + size).padStart(10, '0')}`,
      'PhoenixSigNum= 0001',
      'PhoenixHeaderCallingSequence= isar',
      'native_header_length= 0',
      ...Object.entries(fields).map(([key, value]) => `${key}= ${value}`),
      '[EndofPhoenixHeader]\n',
    ].join('\n')
  // Numbers of a fixed width: their value does not change the length.
  const head = new TextEncoder().encode(text(new TextEncoder().encode(text(0)).length))
  const bytes = new Uint8Array(head.length + size)
  bytes.set(head)
  const view = new DataView(bytes.buffer, head.length)
  let at = 0
  for (const plane of planes) for (const x of plane) view.setFloat32(4 * at++, x)
  return bytes
}

/** A file of a tar archive. */
interface TarEntry {
  name: string
  data: Uint8Array
}

const BLOCK = 512

/**
 * A tar archive (POSIX ustar) of files in this order. Time, owner and mode are fixed: the same files give the same bytes.
 * Throws RangeError for names longer than 100 bytes and files of 8 GiB or more.
 */
export function writeTar(entries: TarEntry[]): Uint8Array {
  const room = (n: number): number => BLOCK * Math.ceil(n / BLOCK)
  const size = entries.reduce((n, e) => n + BLOCK + room(e.data.length), 2 * BLOCK)
  const tar = new Uint8Array(size)
  let at = 0
  for (const { name, data } of entries) {
    tar.set(header(name, data.length), at)
    tar.set(data, at + BLOCK)
    at += BLOCK + room(data.length)
  }
  return tar
}

function header(name: string, size: number): Uint8Array {
  const bytes = new Uint8Array(BLOCK)
  const put = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  if (new TextEncoder().encode(name).length > 100)
    throw new RangeError(`"${name}" is too long a name for tar`)
  if (size >= 8 ** 11) throw new RangeError(`"${name}": ${size} bytes are too many for tar`)
  put(0, name)
  put(100, `${octal(0o644, 7)}\0`)
  put(108, `${octal(0, 7)}\0`)
  put(116, `${octal(0, 7)}\0`)
  put(124, `${octal(size, 11)}\0`)
  put(136, `${octal(0, 11)}\0`)
  put(148, ' '.repeat(8))
  put(156, '0')
  put(257, 'ustar\u000000')
  // The checksum of the header with spaces in the checksum field.
  put(
    148,
    `${octal(
      bytes.reduce((s, b) => s + b, 0),
      6,
    )}\0 `,
  )
  return bytes
}

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

// Formats of datasets alone, so that other commands do not load them.
