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
