import { type Channel, CHANNELS } from '../rays/index.js'
import { type Aspect, InputError, isMonostatic } from '../scene/index.js'
import { writeMat5 } from './mat5.js'
import { dbsm, type RcsTable } from './rcs-table.js'

/** Tables of RCS that other programs read, and the endings of their names. */
const EXCHANGE_ENDINGS = {
  ffe: '.ffe',
  hfss: '.hfss.csv',
  '3gpp': '.3gpp.csv',
  pattern: '.pattern.mat',
} as const
export type ExchangeFormat = keyof typeof EXCHANGE_ENDINGS

/** Format by the ending of a file's name; undefined for another ending. */
export const exchangeFormat = (path: string): ExchangeFormat | undefined =>
  (Object.keys(EXCHANGE_ENDINGS) as ExchangeFormat[]).find((format) =>
    path.toLowerCase().endsWith(EXCHANGE_ENDINGS[format]),
  )

/** Refuses what a format cannot hold, before anything is computed. @throws InputError */
export function checkExchange(
  format: ExchangeFormat,
  aspects: readonly Aspect[],
  channels: readonly Channel[],
): void {
  const name = EXCHANGE_ENDINGS[format]
  if (channels.length < CHANNELS.length)
    throw new InputError(`a ${name} file holds all four channels; leave --pol out, or write .csv`)
  if (format === 'ffe') blocksOf(aspects)
  if (format !== 'pattern' && format !== '3gpp') return
  if (!aspects.every(isMonostatic))
    throw new InputError(`a ${name} file holds backscatter alone; leave the receiver out, or write .ffe`)
  if (format === 'pattern') patternGrid(aspects)
}

/** The file of a table that `checkExchange` accepts. */
export function encodeExchange(format: ExchangeFormat, table: RcsTable): Uint8Array | Generator<string> {
  if (format === 'ffe') return ffe(table)
  if (format === 'hfss') return hfssCsv(table)
  return format === '3gpp' ? threeGppCsv(table) : patternMat(table)
}

/** A number with all of its digits. */
const exact = (x: number): string => x.toExponential(16)
/** A frequency in GHz, rounded to what a double holds. */
const gigahertz = (hz: number): number => Number((hz / 1e9).toPrecision(15))

/** Amplitudes that a wave of one polarisation causes: of the received V and H, re and im each. */
const received = (
  field: Float64Array,
  frequency: number,
  tx: 'v' | 'h',
): [number, number, number, number] => {
  const of = (rx: 'v' | 'h'): [number, number] => {
    const at = 8 * frequency + 2 * CHANNELS.indexOf(`${tx}${rx}`)
    return [field[at], field[at + 1]]
  }
  return [...of('v'), ...of('h')]
}

const square = (re: number, im: number): number => 4 * Math.PI * (re * re + im * im)

/** Of one incident wave: its direction, and the numbers of the aspects, theta of the receiver fastest. */
interface Block {
  incident: Aspect['tx']
  thetas: number
  phis: number
  aspects: number[]
}

function blocksOf(aspects: readonly Aspect[]): Block[] {
  const groups = new Map<string, number[]>()
  aspects.forEach(({ tx }, a) => {
    const key = `${tx.thetaDeg} ${tx.phiDeg}`
    const group = groups.get(key)
    if (group) group.push(a)
    else groups.set(key, [a])
  })
  return [...groups.values()].map((of) => {
    const rx = of.map((a) => aspects[a].rx)
    const [thetas, phis] = [rx.map((d) => d.thetaDeg), rx.map((d) => d.phiDeg)].map((x) => new Set(x).size)
    if (thetas * phis !== of.length)
      throw new InputError('a .ffe file holds directions of all pairs of theta and phi; give ranges of both')
    const sorted = of.toSorted(
      (a, b) =>
        aspects[a].rx.phiDeg - aspects[b].rx.phiDeg || aspects[a].rx.thetaDeg - aspects[b].rx.thetaDeg,
    )
    return { incident: aspects[of[0]].tx, thetas, phis, aspects: sorted }
  })
}

/**
 * A Feko far-field file (.ffe, format 8): a block for each frequency, polarisation of the incident wave (configuration V: theta-hat, H: phi-hat,
 * of 1 V/m) and direction of incidence. E is r E_s exp(j k r) [V], which is F [m] times 1 V/m; RCS [m^2].
 */
function* ffe({ freqHz, aspects, fields }: RcsTable): Generator<string> {
  yield '##File Type: Far Field\n##File Format: 8\n##Source: isar\n** Plane waves of 1 V/m, time factor exp(+j w t); RCS in m^2\n'
  const blocks = blocksOf(aspects)
  for (const [n, f] of freqHz.entries())
    for (const tx of ['v', 'h'] as const)
      for (const [b, { incident, thetas, phis, aspects: of }] of blocks.entries()) {
        const rows = of.map((a) => {
          const [tr, ti, pr, pi] = received(fields.total[a], n, tx)
          const [theta, phi] = [square(tr, ti), square(pr, pi)]
          const { thetaDeg, phiDeg } = aspects[a].rx
          return ` ${[thetaDeg, phiDeg, tr, ti, pr, pi, theta, phi, theta + phi].map(exact).join('  ')}\n`
        })
        yield `
#Configuration Name: ${tx.toUpperCase()}
#Request Name: FarField${b + 1}
#Frequency: ${exact(f)}
#Coordinate System: Spherical
#No. of Theta Samples: ${thetas}
#No. of Phi Samples: ${phis}
#Result Type: RCS
#Incident Wave Direction: (${incident.thetaDeg}, ${incident.phiDeg})
#No. of Header Lines: 1
# "Theta" "Phi" "Re(Etheta)" "Im(Etheta)" "Re(Ephi)" "Im(Ephi)" "RCS(Theta)" "RCS(Phi)" "RCS(Total)"
${rows.join('')}`
      }
}

/**
 * A far-field report of HFSS as CSV: variables first, each with its unit in brackets. EoTheta and EoPhi are the incident wave's components [V/m],
 * IWaveTheta and IWavePhi where it comes from.
 */
function* hfssCsv({ freqHz, aspects, fields }: RcsTable): Generator<string> {
  const columns = ['Freq [GHz]', 'IWavePhi [deg]', 'IWaveTheta [deg]', 'EoPhi [V_per_meter]', 'EoTheta [V_per_meter]', 'Phi [deg]', 'Theta [deg]', 're(rETheta) [V]', 'im(rETheta) [V]', 're(rEPhi) [V]', 'im(rEPhi) [V]', 'dB(RCSTotal) []'] // prettier-ignore
  yield `${columns.map((c) => `"${c}"`).join()}\n`
  for (const [n, f] of freqHz.entries())
    for (const tx of ['v', 'h'] as const)
      for (const [a, { tx: from, rx: to }] of aspects.entries()) {
        const [tr, ti, pr, pi] = received(fields.total[a], n, tx)
        const eo = tx === 'v' ? [0, 1] : [1, 0]
        const row = [gigahertz(f), from.phiDeg, from.thetaDeg, ...eo, to.phiDeg, to.thetaDeg, ...[tr, ti, pr, pi].map(exact)] // prettier-ignore
        yield `${row.join()},${dbsm(Math.hypot(tr, ti), Math.hypot(pr, pi)).toFixed(5)}\n`
      }
}

/** Mean and standard deviation. */
function statistics(values: readonly number[]): [mean: number, deviation: number] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  return [mean, Math.sqrt(values.reduce((a, x) => a + (x - mean) ** 2, 0) / values.length)]
}

/** RCS of the co-polarised channels, their mean [m^2]. */
function coPolar(field: Float64Array, frequency: number): number {
  const [vv, , hh] = squares(field, frequency)
  return (vv + hh) / 2
}

/** RCS of VV, VH, HH, HV [m^2]. */
function squares(field: Float64Array, frequency: number): [number, number, number, number] {
  const [vvr, vvi, vhr, vhi] = received(field, frequency, 'v')
  const [hvr, hvi, hhr, hhi] = received(field, frequency, 'h')
  return [square(vvr, vvi), square(vhr, vhi), square(hhr, hhi), square(hvr, hvi)]
}

/**
 * Backscatter in the factors of 3GPP TR 38.901, 7.9.2 (sigma = sigma_M sigma_D sigma_S), of the co-polarised channels' mean: sigma_M, the mean
 * over the table's directions, and sigma_D of each direction; for the model with sigma_D = 1 the standard deviation of the level, sigma_S, and mean
 * and standard deviation of the cross-polarisation ratio of the directions that have one.
 */
function* threeGppCsv({ freqHz, aspects, fields }: RcsTable): Generator<string> {
  yield 'freq_hz,zenith_deg,azimuth_deg,sigma_m_dbsm,sigma_d_db,sigma_s_std_db,xpr_mean_db,xpr_std_db\n'
  for (const [n, f] of freqHz.entries()) {
    const all = fields.total.map((field) => coPolar(field, n))
    const [mean] = statistics(all)
    const level = (x: number): number => dbsm(Math.sqrt(x / (4 * Math.PI)), 0)
    const [, deviation] = statistics(all.map(level))
    const ratios = fields.total
      .map((field) => squares(field, n))
      .filter((s) => s.every((x) => x > 0))
      .map(([vv, vh, hh, hv]) => 10 * Math.log10((vv + hh) / (vh + hv)))
    const xpr = ratios.length > 0 ? statistics(ratios).map((x) => x.toFixed(5)) : ['', '']
    for (const [a, { tx }] of aspects.entries())
      yield `${[f, tx.thetaDeg, tx.phiDeg, level(mean).toFixed(8), (level(all[a]) - level(mean)).toFixed(8), deviation.toFixed(5), ...xpr].join()}\n` // prettier-ignore
  }
}

interface PatternGrid {
  azimuth: number[]
  elevation: number[]
  /** Number of the aspect at [elevation][azimuth]. */
  aspect: (row: number, column: number) => number
}

/** The aspects as elevations x azimuths, both ascending. @throws InputError for directions that are no such grid */
function patternGrid(aspects: readonly Aspect[]): PatternGrid {
  const places = new Map<string, number>()
  const [azimuths, elevations] = [new Set<number>(), new Set<number>()]
  const put = (elevation: number, azimuth: number, a: number): void => {
    elevations.add(elevation)
    azimuths.add(azimuth)
    const key = `${elevation} ${azimuth}`
    if (!places.has(key)) places.set(key, a)
  }
  aspects.forEach(({ tx: { thetaDeg, phiDeg } }, a) => {
    if (thetaDeg < 0 || thetaDeg > 180)
      throw new InputError(`a .pattern.mat file holds theta from 0 to 180, not ${thetaDeg}; give that range`)
    const azimuth = phiDeg > 180 || phiDeg < -180 ? phiDeg - 360 * Math.round(phiDeg / 360) : phiDeg
    put(90 - thetaDeg, azimuth, a)
    // The same direction, so that a full turn has both of its ends: outside of them the toolbox takes zero.
    if (Math.abs(azimuth) === 180) put(90 - thetaDeg, -azimuth, a)
  })
  const [azimuth, elevation] = [azimuths, elevations].map((x) => [...x].toSorted((a, b) => a - b))
  if (places.size !== azimuth.length * elevation.length)
    throw new InputError('a .pattern.mat file holds all pairs of theta and phi; give ranges of both')
  return { azimuth, elevation, aspect: (q, p) => places.get(`${elevation[q]} ${azimuth[p]}`)! }
}

/**
 * Backscatter as the arrays that MATLAB's toolboxes take (MathWorks, reference of `rcsSignature`, `phased.BackscatterRadarTarget` and
 * `phased.WidebandBackscatterRadarTarget`), each [elevation, azimuth, frequency]: `Pattern` [dBsm] and `RCSPattern` [m^2], the mean of HH and VV,
 * and the scattering matrix with RCS = |S|^2 [m], `ShvPattern` being received H of transmitted V. Elevations are from the xy plane, and V points
 * to larger ones, against theta-hat: cross-polarised elements have the other sign of F.
 */
function patternMat({ freqHz, aspects, fields }: RcsTable): Uint8Array {
  const { azimuth, elevation, aspect } = patternGrid(aspects)
  const shape = [elevation.length, azimuth.length, ...(freqHz.length > 1 ? [freqHz.length] : [])]
  const cells = elevation.length * azimuth.length * freqHz.length
  const ascending = [...freqHz.keys()].toSorted((a, b) => freqHz[a] - freqHz[b])
  const at = (i: number): [number, number] => {
    const [cell, n] = [Math.floor(i / freqHz.length), ascending[i % freqHz.length]]
    return [aspect(Math.floor(cell / azimuth.length), cell % azimuth.length), n]
  }
  const levels = (of: (x: number) => number): { data: Float64Array; shape: number[] } => ({
    data: Float64Array.from({ length: cells }, (_, i) => {
      const [a, n] = at(i)
      return of(coPolar(fields.total[a], n))
    }),
    shape,
  })
  const scattering = (channel: Channel, sign: 1 | -1) => {
    const c = 2 * CHANNELS.indexOf(channel)
    const data = Float64Array.from({ length: 2 * cells }, (_, i) => {
      const [a, n] = at(i >> 1)
      return sign * Math.sqrt(4 * Math.PI) * fields.total[a][8 * n + c + (i & 1)]
    })
    return { data, shape, complex: true }
  }
  const row = (values: number[]) => ({ data: Float64Array.from(values), shape: [1, values.length] })
  return writeMat5({
    Azimuth: row(azimuth),
    Elevation: row(elevation),
    Frequency: row(ascending.map((n) => freqHz[n])),
    Pattern: levels((x) => dbsm(Math.sqrt(x / (4 * Math.PI)), 0)),
    RCSPattern: levels((x) => x),
    ShhPattern: scattering('hh', 1),
    SvvPattern: scattering('vv', 1),
    ShvPattern: scattering('vh', -1),
    SvhPattern: scattering('hv', -1),
  })
}
