import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { NpyArray } from '../formats/index.js'
import { InputError } from '../scene/index.js'
import { AXES, type Comparable, type PointAxis } from './compare-results.js'
import { readArrays } from './view/arrays-file.js'
import { axis, imageData, matrices } from './view/image-result.js'
import { openFile } from './view/open-result.js'

const axisOf = (name: string, values: ArrayLike<number>): PointAxis => ({ name, ...AXES[name], values })

/**
 * What of a result folder or file can be compared: an image, and amplitudes over directions or receivers.
 * @throws InputError for anything else
 */
export async function openComparable(path: string, name: string): Promise<Comparable[]> {
  const { file, folder, meta, arrays } = await openFile(path)
  const has = (head: string): boolean => Object.keys(arrays).some((key) => key.startsWith(head))
  if (has('spectrogram_'))
    throw new InputError(
      `${path} is of a moving target; compare tables of rcs, results of propagate, and images`,
    )
  if (has('position_m')) return [receivers(arrays, name)]
  if (!has('image_')) return [directions(arrays, name)]
  const { rangeM, crossRangeM, ground, unit = 'dBsm', layers } = imageData(arrays, meta)
  const columns = crossRangeM.length
  const points = rangeM.length * columns
  const [along, across] = ground ? ['y_m', 'x_m'] : ['range_m', 'cross_range_m']
  const history = join(dirname(file), 'phase-history.npz')
  return [
    {
      name,
      kind: 'pixels',
      unit,
      scale: 1,
      freqHz: null,
      axes: [
        axisOf(
          along,
          Float64Array.from({ length: points }, (_, i) => rangeM[Math.floor(i / columns)]),
        ),
        axisOf(
          across,
          Float64Array.from({ length: points }, (_, i) => crossRangeM[i % columns]),
        ),
      ],
      points,
      layers,
    },
    ...(folder && existsSync(history) ? [directions(await readArrays(history), name)] : []),
  ]
}

function directions(arrays: Record<string, NpyArray>, name: string): Comparable {
  const names = ['theta_deg', 'phi_deg', ...('rx_theta_deg' in arrays ? ['rx_theta_deg', 'rx_phi_deg'] : [])]
  const freqHz = axis(arrays, 'freq_hz', name)
  const axes = names.map((n) => axisOf(n, axis(arrays, n, name)))
  const points = axes[0].values.length
  const layers = matrices(arrays, 'f_', [freqHz.length, points])
  return { name, kind: 'directions', unit: 'dBsm', scale: 4 * Math.PI, freqHz, axes, points, layers }
}

function receivers(arrays: Record<string, NpyArray>, name: string): Comparable {
  const freqHz = axis(arrays, 'freq_hz', name)
  const position = axis(arrays, 'position_m', name)
  const points = position.length / 3
  const axes = ['x_m', 'y_m', 'z_m'].map((n, c) =>
    axisOf(
      n,
      Float64Array.from({ length: points }, (_, i) => position[3 * i + c]),
    ),
  )
  const layers = matrices(arrays, 'h_', [freqHz.length, points])
  return { name, kind: 'receivers', unit: 'dB', scale: 1, freqHz, axes, points, layers }
}

/** Names of results that tell them apart: of files and folders, with as much of the paths as it takes. */
export function namesOf(paths: readonly string[]): string[] {
  const full = paths.map((path) => resolve(path).split(/[\\/]/))
  for (let parts = 1; ; parts++) {
    const names = full.map((words) => words.slice(-parts).join('/'))
    if (new Set(names).size === paths.length || parts >= Math.max(...full.map((words) => words.length)))
      return names
  }
}

/** Whether a path is a result rather than a mesh. */
export const isResult = (path: string): boolean =>
  /\.(csv|npz|h5|hdf5|mat)$/i.test(basename(path)) || (existsSync(path) && statSync(path).isDirectory())
