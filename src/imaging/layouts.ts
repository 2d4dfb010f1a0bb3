import { isMatArray, type MatArray, type MatTree } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { directionsOf, type HistoryPart } from './history-part.js'

/** Layouts of files that are known without a description. */
export const LAYOUTS = ['isar', 'cvdomes', 'gotcha'] as const
export type Layout = (typeof LAYOUTS)[number]

/** What to do with the autofocus that a Gotcha file brings: signs of its range and phase corrections. */
export const STORED_FOCUS = ['add', 'subtract', 'off'] as const
export type StoredFocus = (typeof STORED_FOCUS)[number]

type Tree = Map<string, MatTree>

/** The layout of a file's arrays, by their names; undefined for an unknown one. */
export function layoutOf(tree: Tree): Layout | undefined {
  const data = tree.get('data')
  if (data instanceof Map && data.has('fp')) return 'gotcha'
  if (data instanceof Map && data.has('FGHz') && data.has('azim')) return 'cvdomes'
  return tree.has('freq_hz') && channelsOf(tree, 'f_').length > 0 ? 'isar' : undefined
}

const channelsOf = (tree: Tree, before: string): string[] =>
  ['vv', 'hh', 'vh', 'hv'].filter((channel) => tree.has(before + channel))

function arrayOf(tree: Tree, name: string): MatArray {
  const found = tree.get(name)
  if (!isMatArray(found)) throw new InputError(`there is no array "${name}"`)
  return found
}

/** Complex samples [rows x columns]; also as a last axis of re and im. */
function samplesOf(tree: Tree, name: string, rows: number): { data: Float64Array; columns: number } {
  const { data, shape, complex } = arrayOf(tree, name)
  if (!complex && shape.at(-1) !== 2) throw new InputError(`"${name}" is not complex`)
  const columns = data.length / 2 / rows
  if (!Number.isInteger(columns) || shape[0] !== rows)
    throw new InputError(`"${name}" is ${shape.join(' x ')}, for ${rows} frequencies`)
  return { data, columns }
}

/** A file of isar itself: `phase-history.npz` of render, npz or HDF5 of rcs, or the same arrays in a .mat file. */
function isarParts(tree: Tree): HistoryPart[] {
  if (tree.has('rx_theta_deg'))
    throw new InputError('it is bistatic; images are made of monostatic histories')
  if (tree.has('time_s') && !tree.has('phi_deg'))
    throw new InputError(
      'these are pulses of isar doppler, whose target moves; take the phase history of isar render --motion',
    )
  const freqHz = arrayOf(tree, 'freq_hz').data
  const phiDeg = arrayOf(tree, 'phi_deg').data
  const theta = arrayOf(tree, 'theta_deg').data
  const thetaDeg = theta.length === 1 ? phiDeg.map(() => theta[0]) : theta
  const antenna = directionsOf(thetaDeg, phiDeg)
  return channelsOf(tree, 'f_').map((channel) => {
    const { data: f, columns: pulses } = samplesOf(tree, `f_${channel}`, freqHz.length)
    return { channel, freqHz, pulses, antenna, referenceM: new Float64Array(pulses), farField: true, f }
  })
}

/** Of the Civilian Vehicle Data Domes: far field, conjugate phases (dataset/formats/cvdomes.ts). */
function cvdomesParts(tree: Tree): HistoryPart[] {
  const data = tree.get('data') as Tree
  const freqHz = arrayOf(data, 'FGHz').data.map((ghz) => 1e9 * ghz)
  const azimuth = arrayOf(data, 'azim').data
  const elevation = arrayOf(data, 'elev').data
  const thetaDeg = azimuth.map((_, n) => 90 - elevation[elevation.length === 1 ? 0 : n])
  const antenna = directionsOf(thetaDeg, azimuth)
  return channelsOf(data, '').map((channel) => {
    const { data: given, columns: pulses } = samplesOf(data, channel, freqHz.length)
    const f = given.map((x, i) => (i % 2 ? -x : x))
    return { channel, freqHz, pulses, antenna, referenceM: new Float64Array(pulses), farField: true, f }
  })
}

/**
 * Of the AFRL Gotcha volumetric data set (C. H. Casteel et al., Proc. SPIE 6568, 2007): one channel and degree of a circular pass. fp has the
 * phase exp(-j 4 pi f (R - r0) / c) (L. A. Gorham, L. J. Moore, Proc. SPIE 7699, 2010, bpBasic).
 * `add`, as AFRL's script for the set does (formImage3DSAR.m, L. A. Gorham, 8 April 2010): r0 + af.r_correct [m], fp exp(+j af.ph_correct) [rad].
 */
function gotchaParts(tree: Tree, file: string, stored: StoredFocus): HistoryPart[] {
  const data = tree.get('data') as Tree
  const freqHz = arrayOf(data, 'freq').data
  const { data: fp, columns: pulses } = samplesOf(data, 'fp', freqHz.length)
  const axes = ['x', 'y', 'z'].map((axis) => arrayOf(data, axis).data)
  const r0 = arrayOf(data, 'r0').data
  for (const values of [...axes, r0])
    if (values.length !== pulses)
      throw new InputError(`x, y, z or r0 have ${values.length} numbers for ${pulses} pulses`)
  const antenna = Float64Array.from({ length: 3 * pulses }, (_, i) => axes[i % 3][Math.floor(i / 3)])
  const af = data.get('af')
  const sign = { add: 1, subtract: -1, off: 0 }[stored]
  const correction = (name: string): Float64Array => {
    const found = af instanceof Map ? af.get(name) : undefined
    if (!isMatArray(found) || found.data.length !== pulses) return new Float64Array(pulses)
    return found.data.map((x) => sign * x)
  }
  const [range, phase] = [correction('r_correct'), correction('ph_correct')]
  const referenceM = r0.map((r, n) => r + range[n])
  const f = new Float64Array(fp.length)
  for (let i = 0; i < fp.length; i += 2) {
    const n = (i / 2) % pulses
    const [cos, sin] = [Math.cos(phase[n]), Math.sin(phase[n])]
    f[i] = fp[i] * cos - fp[i + 1] * sin
    f[i + 1] = fp[i] * sin + fp[i + 1] * cos
  }
  const channel = /(?:^|[_.-])(hh|hv|vh|vv)(?=[_.-]|$)/i.exec(file)?.[1].toLowerCase() ?? 'data'
  return [{ channel, freqHz, pulses, antenna, referenceM, farField: false, f }]
}

/** The pulses of a file of a known layout, by channel. @throws InputError for arrays that are missing or do not fit */
export function layoutParts(tree: Tree, layout: Layout, file: string, stored: StoredFocus): HistoryPart[] {
  if (layout === 'isar') return isarParts(tree)
  return layout === 'cvdomes' ? cvdomesParts(tree) : gotchaParts(tree, file, stored)
}
