import { existsSync, readFileSync } from 'node:fs'
import { type NpyArray, readNpz } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { levelsOf, type MotionData, NOTHING } from '../../plots/index.js'
import { axis } from './image-result.js'
import type { RunMeta } from './run-meta.js'

/** A moving target with its poses over time, as `movingTargetNpz` describes them. */
export interface MovingTarget {
  positions: Float64Array
  triangles: Uint32Array
  facetPart: Uint8Array
  /** Of each column of the spectrogram, [column][3][4]. */
  pose: Float64Array
}

const FILE = 'products.npz'

/** Spectrograms and range-Doppler maps of products.npz, as levels. @throws InputError where arrays are missing or do not match */
export function motionData(arrays: Record<string, NpyArray>, meta: RunMeta | null): MotionData {
  const timeS = axis(arrays, 'spectrogram_time_s', FILE)
  const dopplerHz = axis(arrays, 'spectrogram_doppler_hz', FILE)
  const maps =
    'range_m' in arrays
      ? {
          timeS: axis(arrays, 'interval_time_s', FILE),
          rangeM: axis(arrays, 'range_m', FILE),
          dopplerHz: axis(arrays, 'doppler_hz', FILE),
        }
      : undefined
  const singles = (name: string, count: number): Float32Array => {
    const data = arrays[name]?.data
    if (data instanceof Float32Array && data.length === count) return data
    throw new InputError(`${FILE}: "${name}" is missing or does not match its axes; run isar doppler again`)
  }
  const channels = Object.keys(arrays).flatMap((key) => /^spectrogram_([vh]{2})$/.exec(key)?.[1] ?? [])
  const rates = (meta?.motion?.parts ?? []).map(({ rate }) => Math.abs(rate)).filter((rate) => rate > 0)
  if (channels.length === 0) throw new InputError(`${FILE}: no spectrogram in it; run isar doppler again`)
  return {
    timeS,
    dopplerHz,
    ...(maps && { maps }),
    ...(rates.length > 0 && { turnS: 1 / Math.min(...rates) }),
    layers: channels.map((name) => {
      const power = singles(`spectrogram_${name}`, timeS.length * dopplerHz.length)
      const size = maps ? 2 * maps.timeS.length * maps.rangeM.length * maps.dopplerHz.length : 0
      return {
        name,
        title: name.toUpperCase(),
        spectrogram: power.map((p) => Math.max(NOTHING, 10 * Math.log10(p))),
        ...(maps && { maps: levelsOf(singles(`range_doppler_${name}`, size)) }),
      }
    }),
  }
}

/** The target of a result of `isar doppler`, where that contains one. @throws InputError for a damaged file */
export function findMoving(
  file: string,
  meta: RunMeta | null,
  { timeS }: MotionData,
): { moving?: MovingTarget; note?: string } {
  if (!existsSync(file) || !meta?.motion)
    return { note: 'The result contains no target: isar doppler keeps it unless --no-mesh is given.' }
  const { positions_m, triangles, facet_part, pose } = readNpz(readFileSync(file))
  const corners = triangles?.data
  const facets = (corners?.length ?? 0) / 3
  const parts = meta.motion.parts.length
  if (
    !(positions_m?.data instanceof Float64Array && corners instanceof Int32Array) ||
    !(facet_part?.data instanceof Uint8Array && pose?.data instanceof Float64Array) ||
    corners.some((v) => v < 0 || 3 * v >= positions_m.data.length) ||
    facet_part.data.length !== facets ||
    facet_part.data.some((p) => p > parts) ||
    pose.data.length !== 12 * timeS.length
  )
    throw new InputError(`${file} does not belong to its products.npz and meta.json; run isar doppler again`)
  return {
    moving: {
      positions: positions_m.data,
      triangles: Uint32Array.from(corners),
      facetPart: facet_part.data,
      pose: pose.data,
    },
  }
}
