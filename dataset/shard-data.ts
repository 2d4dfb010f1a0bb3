import {
  channelImage,
  type ChipGeometry,
  chipName,
  type ChipRecord,
  type DatasetFile,
  greyPng,
  magnitudePng,
  mstarFiles,
  sampleFiles,
  webDatasetShard,
} from './chip-formats.js'
import { ARRAY_ENDINGS, encodeArrays, FIELD_CONVENTIONS, type NpyArray, vector } from '../formats/index.js'
import { windowSamples } from '../isar/index.js'
import { CENTRE_COLUMNS, type ChipResult, LAYERS } from './chip.js'
import { pixelAxes } from './imager.js'
import type { DatasetConfig } from './config.js'
import type { DatasetPlan, Pose, Radar } from './plan.js'

/** A pose with its images and labels, and the counts of its aspects. */
export interface MadeLook {
  pose: Pose
  result: ChipResult
  /** Sums over the pose's aspects. */
  counts: { tubes: number; contributions: number; segments: number }
}

/** Band, resolution and weights as files record them. */
export function chipGeometry({ image }: DatasetConfig, radar: Radar): ChipGeometry {
  const { freqHz } = radar
  const last = freqHz[freqHz.length - 1]
  return {
    centreHz: (freqHz[0] + last) / 2,
    bandwidthHz: last - freqHz[0],
    rangeResolutionM: radar.rangeResolutionM,
    crossRangeResolutionM: radar.crossRangeResolutionM,
    spacingM: radar.spacingM,
    rangeWeights: windowSamples(image.window, freqHz.length),
    crossRangeWeights: windowSamples(image.window, radar.angles),
  }
}

/** Angle of the rotating part [degrees]; 0 where there is none. */
export const stateAngle = (config: DatasetConfig, { target, state }: Pose): number =>
  config.targets[target].articulation?.anglesDeg[state] ?? 0

/** Azimuth of the radar from the target's nose, clockwise from above, 0 to 360 [degrees]. */
export const targetAzimuthDeg = ({ azimuthDeg }: Pose): number => ((-azimuthDeg % 360) + 360) % 360

/** Highest grey level of 8-bit magnitudes: that of the brightest pixel. */
const TOP_LEVEL = 255

/** Whether a dataset has 8-bit magnitudes. */
export const hasLevels = ({ formats }: DatasetConfig): boolean =>
  formats.includes('magnitude') || formats.includes('mstar')

/** Magnitude of a grey level of an 8-bit image [m], from its brightest pixel. */
export const magnitudePerLevel = (peakDbsm: number): number => 10 ** (peakDbsm / 20) / TOP_LEVEL

/** RCS of the brightest pixel of an image, first channel [dBsm]; -300 for none. */
export function peakDbsm(image: Float32Array, rows: number, cols: number): number {
  let peak = 0
  for (let i = 0; i < 2 * rows * cols; i += 2) peak = Math.max(peak, image[i] ** 2 + image[i + 1] ** 2)
  return peak > 0 ? Math.max(-300, 10 * Math.log10(peak)) : -300
}

/**
 * The arrays of a shard's N images, as npz, HDF5 and MATLAB files hold them (docs/file-formats.md).
 */
export function shardArrays(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  made: MadeLook[],
): Record<string, NpyArray> {
  const { realisations } = plan
  const n = made.length * realisations
  const [rows, cols] = radar.size
  const channels = config.channels.length
  const perChip = 2 * channels * rows * cols
  const image = new Float32Array(n * perChip)
  made.forEach(({ result }, i) => image.set(result.images, i * realisations * perChip))
  /** One number per image. */
  const each = (dtype: '<i4' | '<f8' | '<f4', of: (m: MadeLook, k: number) => number): NpyArray => {
    const values = made.flatMap((m) => Array.from({ length: realisations }, (_, k) => of(m, k)))
    const data = dtype === '<i4' ? Int32Array.from(values) : dtype === '<f8' ? Float64Array.from(values) : Float32Array.from(values) // prettier-ignore
    return { data, shape: [n], dtype }
  }
  /** The same array for every realisation of a pose. */
  const perLook = <T extends Float32Array | Uint8Array>(out: T, of: (m: MadeLook) => T): T => {
    const size = out.length / n
    made.forEach((m, i) => {
      for (let k = 0; k < realisations; k++) out.set(of(m), (i * realisations + k) * size)
    })
    return out
  }
  const { rangeM, crossRangeM } = pixelAxes(radar)
  const { labels } = config
  const offsets = Float64Array.from(
    made.flatMap((m) => Array.from({ length: realisations }, () => m.pose.offsetM).flat()),
  )
  return {
    image: { data: image, shape: [n, channels, rows, cols], dtype: '<c8' },
    label: each('<i4', ({ pose }) => plan.classOf[pose.target]),
    chip: each('<i4', ({ pose }, k) => pose.number * realisations + k),
    target: each('<i4', ({ pose }) => pose.target),
    state_deg: each('<f8', ({ pose }) => stateAngle(config, pose)),
    copy: each('<i4', ({ pose }) => pose.copy),
    realisation: each('<i4', (_, k) => k),
    azimuth_deg: each('<f8', ({ pose }) => pose.azimuthDeg),
    elevation_deg: each('<f8', ({ pose }) => pose.elevationDeg),
    target_azimuth_deg: each('<f8', ({ pose }) => targetAzimuthDeg(pose)),
    depression_deg: each('<f8', ({ pose }) => pose.elevationDeg),
    aperture_deg: each('<f8', ({ pose }) => pose.apertureDeg),
    offset_m: { data: offsets, shape: [n, 2], dtype: '<f8' },
    tubes: each('<f8', ({ counts }) => counts.tubes),
    contributions: each('<f8', ({ counts }) => counts.contributions),
    edge_segments: each('<f8', ({ counts }) => counts.segments),
    range_m: vector(rangeM),
    cross_range_m: vector(crossRangeM),
    freq_hz: vector(Float64Array.from(radar.freqHz)),
    ...(hasLevels(config) && {
      magnitude_factor_m: each('<f8', ({ result }, k) =>
        magnitudePerLevel(peakDbsm(result.images.subarray(k * perChip), rows, cols)),
      ),
    }),
    ...(labels.includes('layers') && {
      layers: {
        data: perLook(new Float32Array(n * LAYERS.length * perChip), (m) => m.result.layers!),
        shape: [n, LAYERS.length, channels, rows, cols],
        dtype: '<c8',
      },
    }),
    ...(labels.includes('mask') && {
      mask: {
        data: perLook(new Uint8Array(n * rows * cols), (m) => m.result.mask!),
        shape: [n, rows, cols],
        dtype: '|u1',
      },
    }),
    ...(labels.includes('lit') && {
      lit: {
        data: perLook(new Uint8Array(n * rows * cols), (m) => m.result.lit!),
        shape: [n, rows, cols],
        dtype: '|u1',
      },
    }),
    ...(labels.includes('clean') && {
      clean: {
        data: perLook(new Float32Array(n * perChip), (m) => m.result.clean!),
        shape: [n, channels, rows, cols],
        dtype: '<c8',
      },
    }),
    ...(labels.includes('free') && {
      free: {
        data: perLook(new Float32Array(n * perChip), (m) => m.result.free!),
        shape: [n, channels, rows, cols],
        dtype: '<c8',
      },
    }),
    ...(labels.includes('centres') && {
      centres: {
        data: perLook(
          new Float32Array(n * config.centres.count * CENTRE_COLUMNS.length),
          (m) => m.result.centres!,
        ),
        shape: [n, config.centres.count, CENTRE_COLUMNS.length],
        dtype: '<f4',
      },
      centre_count: each('<i4', ({ result }) => result.centreCount!),
    }),
    ...(labels.includes('facets') && {
      visible_facets: each('<i4', ({ result }) => result.facets!.visible),
      facets: each('<i4', ({ result }) => result.facets!.facets),
      projected_area_m2: each('<f8', ({ result }) => result.facets!.projectedAreaM2),
      mean_cosine: each('<f8', ({ result }) => result.facets!.meanCosine),
    }),
    ...(labels.includes('convergence') && {
      convergence: each('<f8', ({ result }) => result.convergence!),
    }),
  }
}

/** Arrays of one number per image, written by formats that hold parameters. */
const PARAMETERS = [
  'target_azimuth_deg',
  'depression_deg',
  'magnitude_factor_m',
  'state_deg',
  'copy',
  'realisation',
  'aperture_deg',
  'tubes',
  'contributions',
  'edge_segments',
  'centre_count',
  'visible_facets',
  'facets',
  'projected_area_m2',
  'mean_cosine',
  'convergence',
]

/** The images of a shard one by one. */
export function chipRecords(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  split: string,
  arrays: Record<string, NpyArray>,
): ChipRecord[] {
  const [n, channels, rows, cols] = arrays.image.shape
  const geometry = chipGeometry(config, radar)
  const slice = (name: string, i: number): ChipRecord['extra'][string] => {
    const { data, shape, dtype } = arrays[name]
    const size = data.length / n
    return {
      data: data.subarray(i * size, (i + 1) * size) as Float32Array | Uint8Array,
      shape: shape.slice(1),
      dtype: dtype as '<c8' | '<f4' | '|u1',
    }
  }
  const offset = arrays.offset_m.data
  return Array.from({ length: n }, (_, i) => ({
    chip: arrays.chip.data[i],
    label: plan.classes[arrays.label.data[i]],
    labelIndex: arrays.label.data[i],
    target: plan.names[arrays.target.data[i]],
    split,
    azimuthDeg: arrays.azimuth_deg.data[i],
    elevationDeg: arrays.elevation_deg.data[i],
    image: arrays.image.data.subarray(
      2 * i * channels * rows * cols,
      2 * (i + 1) * channels * rows * cols,
    ) as Float32Array,
    channels: config.channels,
    rows,
    cols,
    geometry,
    parameters: {
      ...Object.fromEntries(PARAMETERS.filter((p) => arrays[p]).map((p) => [p, arrays[p].data[i]])),
      offset_range_m: offset[2 * i],
      offset_cross_range_m: offset[2 * i + 1],
      center_freq_hz: geometry.centreHz,
      bandwidth_hz: geometry.bandwidthHz,
      range_resolution_m: geometry.rangeResolutionM,
      cross_range_resolution_m: geometry.crossRangeResolutionM,
      range_pixel_spacing_m: geometry.spacingM[0],
      cross_range_pixel_spacing_m: geometry.spacingM[1],
    },
    extra: Object.fromEntries(
      ['layers', 'mask', 'lit', 'clean', 'free', 'centres']
        .filter((name) => arrays[name])
        .map((name) => [name, slice(name, i)]),
    ),
  }))
}

/** The files of a shard in every requested format. */
export async function shardFiles(
  config: DatasetConfig,
  name: string,
  arrays: Record<string, NpyArray>,
  records: ChipRecord[],
): Promise<DatasetFile[]> {
  const files: DatasetFile[] = []
  for (const format of config.formats) {
    if (format === 'npz' || format === 'hdf5' || format === 'mat')
      files.push({
        path: `${format}/${name}.${ARRAY_ENDINGS[format]}`,
        data: await encodeArrays(format, arrays, {
          ...FIELD_CONVENTIONS,
          channels: config.channels.join(),
          dataset: config.name,
        }),
      })
    if (format === 'webdataset')
      files.push({ path: `webdataset/${name}.tar`, data: webDatasetShard(records) })
    if (format === 'sample') files.push(...records.flatMap(sampleFiles))
    if (format === 'mstar') {
      // Loaded on demand: few datasets have it.
      const { encode } = await import('jpeg-js')
      files.push(...records.flatMap((record) => mstarFiles(record, encode)))
    }
    if (format === 'png') files.push(...records.map(preview))
    if (format === 'magnitude') files.push(...records.map(magnitude))
  }
  return files
}

const picture = (record: ChipRecord, root: string, data: Uint8Array): DatasetFile => ({
  path: `${root}/${record.split ? `${record.split}/` : ''}${record.label}/${chipName(record.chip)}.png`,
  data,
})

const preview = (record: ChipRecord): DatasetFile =>
  picture(record, 'png', greyPng(channelImage(record, 0), record.rows, record.cols, 'decibel'))

const magnitude = (record: ChipRecord): DatasetFile => {
  const perLevel = record.parameters.magnitude_factor_m as number
  return picture(
    record,
    'magnitude',
    magnitudePng(channelImage(record, 0), record.rows, record.cols, perLevel),
  )
}
