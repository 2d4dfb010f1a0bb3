import { greyPng } from '../../formats/grey-png.js'
import { type MatValue, writeMat5 } from '../../formats/mat5.js'
import { channelImage, chipName, type ChipRecord, type DatasetFile } from './chip-record.js'

/**
 * One image as the SAMPLE dataset has them (B. Lewis et al., "A SAR dataset for ATR development: the Synthetic and Measured Paired
 * Labeled Experiment", Proc. SPIE 10987, 2019): a MATLAB file under mat_files/synth/CLASS, and pictures under png_images.
 *
 * The MATLAB file holds `complex_img` (single, [range, cross-range], the first channel; the others as `complex_img_CH`), azimuth,
 * elevation [degrees], bandwidth, center_freq [Hz], range_resolution, xrange_resolution, range_pixel_spacing,
 * xrange_pixel_spacing [m], taylor_weights (over frequency; xrange_taylor_weights over angle) and target_name.
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
  const azimuth = azimuthDeg.toFixed(2).padStart(6, '0')
  const name = `${label}_synth_elevDeg_${elevation}_azCenter_${azimuth}_chip_${chipName(record.chip)}`
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
