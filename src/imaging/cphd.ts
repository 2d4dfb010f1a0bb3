import {
  CphdFile,
  type CphdChannel,
  directionToEcf,
  type Geodetic,
  localFrame,
  type LocalFrame,
  pointToEcf,
  pointToLocal,
  PVP,
  pvpFormat,
  pvpLayout,
  type PvpName,
  sarGeometry,
  toGeodetic,
  writeCphd,
  xml,
  xmlPlace,
  xmlVector,
} from '../../formats/index.js'
import { C0, InputError, type Vec3 } from '../../scene/index.js'
import { chirpTransform } from '../../math/chirp.js'
import type { HistoryPart } from './form.js'

/** Grids of frequency of the vectors may differ by this share of a step; beyond it samples are resampled. */
const SAME = 1e-3
/** Transmitter and receiver farther apart than this angle at the scene are bistatic [rad]. */
const MONOSTATIC = 2e-3
/** Numbers of all samples that are held. */
const MOST_SAMPLES = 2 ** 28
/** Half the width of the kernel that resamples, and its shape (Kaiser). */
const HALF = 16
const KAISER = 9
/** What says that wavefronts are plane, and where the antenna of such a file stands [m]. */
const PLANE = 'WAVEFRONTS'
const FAR_M = 1e7

/** Frequencies and pulses of a history that are wanted, of those that there are. */
export type Selection = (history: HistoryPart) => { frequencies: number[]; pulses: number[] }

/** Histories of a CPHD file, one for each channel, about the scene's reference point: x east, y north, z up. */
interface CphdHistories {
  parts: HistoryPart[]
  place: Geodetic
  calibrated: boolean
}

/**
 * Reads a file: PVPs first, then of the signal block, a piece at a time, the samples that are wanted.
 * @param origin  of the scene's axes; default the file's reference point
 * @throws InputError for bistatic collections and what `CphdFile` throws
 */
export async function readCphd(path: string, select?: Selection, origin?: Geodetic): Promise<CphdHistories> {
  const file = await CphdFile.open(path)
  try {
    const { xml: root, channels } = file
    if (root.textOf('CollectionID/CollectType') !== 'MONOSTATIC')
      throw new InputError('it is bistatic; images are made of monostatic histories')
    const place = origin ?? toGeodetic(root.vectorOf('SceneCoordinates/IARP/ECF'))
    const frame = localFrame(place)
    const parts: HistoryPart[] = []
    for (const channel of channels) parts.push(await readChannel(file, channel, frame, select))
    return { parts, place, calibrated: channels.every(({ reference }) => reference !== undefined) }
  } finally {
    await file.close()
  }
}

async function readChannel(
  file: CphdFile,
  channel: CphdChannel,
  frame: LocalFrame,
  select?: Selection,
): Promise<HistoryPart> {
  const root = file.xml
  const names = ['TxPos', 'RcvPos', 'SRPPos', 'SC0', 'SCSS', 'FX1', 'FX2', 'AmpSF', 'SIGNAL'] as const
  const pvp = (await file.pvp(channel, names)) as Record<(typeof names)[number], Float64Array | undefined>
  const kept = Array.from({ length: channel.vectors }, (_, n) => n).filter((n) => pvp.SIGNAL?.[n] !== 0)
  const finite = (name: PvpName & keyof typeof pvp): Float64Array => {
    const values = pvp[name]!
    const words = PVP[name].words
    const bad = kept.find((n) => !values.subarray(words * n, words * (n + 1)).every(Number.isFinite))
    if (bad !== undefined) throw new InputError(`PVP ${name} of vector ${bad} is not finite`)
    return values
  }
  const [tx, rx, srp, first, step, low, high] = (['TxPos', 'RcvPos', 'SRPPos', 'SC0', 'SCSS', 'FX1', 'FX2'] as const).map(finite) // prettier-ignore
  const at = (values: Float64Array, n: number): Vec3 => [values[3 * n], values[3 * n + 1], values[3 * n + 2]]
  const farField = root.get('CollectionID').all('Parameter').some((p) => p.attributes.get('name') === PLANE && p.text === 'PLANE') // prettier-ignore
  const antenna = new Float64Array(3 * kept.length)
  const referenceM = new Float64Array(kept.length)
  kept.forEach((n, i) => {
    const [t, r, s] = [tx, rx, srp].map((values) => pointToLocal(frame, at(values, n)))
    const arp = t.map((x, k) => (x + r[k]) / 2) as Vec3
    const range = Math.hypot(...arp.map((x, k) => x - s[k]))
    if (!(Math.hypot(...t.map((x, k) => x - r[k])) <= MONOSTATIC * range))
      throw new InputError(
        `vector ${n}: transmitter and receiver stand apart; images are made of monostatic histories`,
      )
    antenna.set(farField ? arp.map((x) => x / Math.hypot(...arp)) : arp, 3 * i)
    referenceM[i] = farField ? 0 : range
  })
  const isToa = root.textOf('Global/DomainType') === 'TOA'
  const sign = root.textOf('Global/SGN').trim()
  if (!/^[+-]1$/.test(sign)) throw new InputError(`its SGN "${sign.slice(0, 10)}" is neither +1 nor -1`)
  const grid = isToa
    ? toaFrequencies(kept, step, low, high, channel.samples)
    : fxFrequencies(kept, first, step, channel.samples)
  const [transmit, receive] = channel.polarisation.map((p) => p.toLowerCase())
  const known = /^[vh]$/.test(transmit) && /^[vh]$/.test(receive)
  const empty: HistoryPart = {
    channel: known ? `${transmit}${receive}` : channel.identifier.replace(/\W+/g, '_').slice(0, 40),
    freqHz: grid.freqHz,
    pulses: kept.length,
    antenna,
    referenceM,
    farField,
    f: new Float64Array(0),
  }
  const all = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
  const { frequencies, pulses } = select?.(empty) ?? { frequencies: all(grid.freqHz.length), pulses: all(kept.length) } // prettier-ignore
  if (frequencies.length * pulses.length > MOST_SAMPLES)
    throw new InputError(`${pulses.length} pulses of ${frequencies.length} frequencies take ${Math.round((16 * frequencies.length * pulses.length) / 2 ** 30)} GiB of memory; give a coarser --resolution`) // prettier-ignore
  const np = pulses.length
  const f = new Float64Array(2 * frequencies.length * np)
  const scale = channel.reference === undefined ? 1 : Math.sqrt(1 / (4 * Math.PI * channel.reference))
  if (!(scale > 0 && Number.isFinite(scale)))
    throw new InputError(`its PTRef ${channel.reference} is no power`)
  const to = new Map(pulses.map((p, i) => [kept[p], i]))
  const resample = isToa
    ? fromToa(grid.freqHz, Number(sign))
    : grid.same
      ? undefined
      : fromOwnGrid(grid.freqHz)
  await file.signal(channel, (n, samples) => {
    const i = to.get(n)
    if (i === undefined) return
    const own = resample?.(samples, { first: first[n], step: step[n], low: low[n], high: high[n] }) ?? samples
    const gain = scale * (pvp.AmpSF?.[n] ?? 1)
    frequencies.forEach((m, k) => {
      f[2 * (k * np + i)] = gain * own[2 * m]
      f[2 * (k * np + i) + 1] = (sign === '+1' ? -gain : gain) * own[2 * m + 1]
    })
  })
  return {
    ...empty,
    freqHz: Float64Array.from(frequencies, (m) => grid.freqHz[m]),
    pulses: np,
    antenna: Float64Array.from(pulses.flatMap((p) => [...antenna.subarray(3 * p, 3 * p + 3)])),
    referenceM: Float64Array.from(pulses, (p) => referenceM[p]),
    f,
  }
}

interface Grid {
  freqHz: Float64Array
  /** Whether all vectors have it. */
  same: boolean
}

/** Frequencies that all vectors have. */
function fxFrequencies(kept: number[], first: Float64Array, step: Float64Array, samples: number): Grid {
  const own = kept.length > 0 ? step[kept[0]] : NaN
  let [low, high] = [-Infinity, Infinity]
  let same = true
  for (const n of kept) {
    if (!(step[n] > 0)) throw new InputError(`PVP SCSS of vector ${n} is ${step[n]} Hz, not above 0`)
    low = Math.max(low, first[n])
    high = Math.min(high, first[n] + (samples - 1) * step[n])
    const apart = [first[n] - first[kept[0]], first[n] - first[kept[0]] + (samples - 1) * (step[n] - own)]
    same &&= apart.every((d) => Math.abs(d) <= SAME * own)
  }
  if (same)
    return { freqHz: Float64Array.from({ length: samples }, (_, m) => first[kept[0]] + m * own), same }
  const count = Math.floor((high - low) / own + 1e-9) + 1
  if (!(count >= 2)) throw new InputError('its vectors share no band; make an image of a part')
  return { freqHz: Float64Array.from({ length: count }, (_, m) => low + m * own), same }
}

/** Frequencies of the band that all vectors have, of samples over time of arrival. */
function toaFrequencies(
  kept: number[],
  step: Float64Array,
  low: Float64Array,
  high: Float64Array,
  samples: number,
): Grid {
  const [from, to] = [kept.reduce((a, n) => Math.max(a, low[n]), -Infinity), kept.reduce((a, n) => Math.min(a, high[n]), Infinity)] // prettier-ignore
  const longest = kept.reduce((a, n) => Math.max(a, step[n] * samples), 0)
  const count = Math.floor((to - from) * longest + 1e-9) + 1
  if (!(kept.every((n) => step[n] > 0) && count >= 2 && count <= samples))
    throw new InputError('its vectors share no band, or one wider than their samples; its PVPs are wrong')
  return { freqHz: Float64Array.from({ length: count }, (_, m) => from + m / longest), same: true }
}

/** Of a vector: its first sample and their step [Hz or s], its band [Hz]. */
interface Vector {
  first: number
  step: number
  low: number
  high: number
}

type Resample = (samples: ArrayLike<number>, vector: Vector) => Float64Array

/**
 * Samples over time of arrival as a sum over frequency. They are at baseband: the main lobe of a point at t has the phase SGN fxC t
 * (NGA.STND.0068, SGN), fxC the middle of the vector's band, so that the sum is over exp(SGN j 2 pi (f - fxC) t). Times the bandwidth,
 * a main lobe of a power is one of samples over frequency: both domains have PTRef.
 */
const fromToa =
  (freqHz: Float64Array, sign: number): Resample =>
  (samples, { first, step, low, high }) => {
    const k = {
      start: sign * 2 * Math.PI * first,
      step: sign * 2 * Math.PI * step,
      count: samples.length / 2,
    }
    const out = new Float64Array(2 * freqHz.length)
    const x = { start: freqHz[0] - (low + high) / 2, step: freqHz[1] - freqHz[0], count: freqHz.length }
    chirpTransform(k, x)(
      Float64Array.from(samples, (v) => v * step * (high - low)),
      out,
    )
    return out
  }

/** Samples at frequencies of their own, interpolated by a windowed sinc: scenes within some 70 % of the unambiguous range. */
const fromOwnGrid =
  (freqHz: Float64Array): Resample =>
  (samples, { first, step }) => {
    const count = samples.length / 2
    const out = new Float64Array(2 * freqHz.length)
    freqHz.forEach((hz, m) => {
      const at = (hz - first) / step
      const from = Math.max(0, Math.ceil(at - HALF))
      const to = Math.min(count - 1, Math.floor(at + HALF))
      for (let s = from; s <= to; s++) {
        const d = at - s
        const weight = (d === 0 ? 1 : Math.sin(Math.PI * d) / (Math.PI * d)) * bessel(KAISER * Math.sqrt(Math.max(0, 1 - (d / HALF) ** 2))) / bessel(KAISER) // prettier-ignore
        out[2 * m] += weight * samples[2 * s]
        out[2 * m + 1] += weight * samples[2 * s + 1]
      }
    })
    return out
  }

/** Modified Bessel function of order zero. */
function bessel(x: number): number {
  let [term, sum] = [1, 1]
  for (let n = 1; term > 1e-16 * sum; n++) sum += term *= (x / 2 / n) ** 2
  return sum
}

/** Seconds from pulse to pulse that are written: histories have no times. */
const PULSE_S = 1e-3

/** Where the antenna of a history stands in Earth's axes, and how fast it moves, at the pulses. */
export function trackOf(
  { antenna, farField, pulses }: Pick<HistoryPart, 'antenna' | 'farField' | 'pulses'>,
  frame: LocalFrame,
): { position: Float64Array; velocity: Float64Array; timeS: Float64Array } {
  const scale = farField ? FAR_M : 1
  const position = new Float64Array(3 * pulses)
  for (let n = 0; n < pulses; n++)
    position.set(pointToEcf(frame, [...antenna.subarray(3 * n, 3 * n + 3)].map((x) => scale * x)), 3 * n) // prettier-ignore
  const velocity = position.map((_, i) => {
    const [before, after] = [i < 3 ? i : i - 3, i + 3 < position.length ? i + 3 : i]
    return after === before ? 0 : (position[after] - position[before]) / (((after - before) / 3) * PULSE_S)
  })
  return { position, velocity, timeS: Float64Array.from({ length: pulses }, (_, n) => n * PULSE_S) }
}

/** What is written beside histories. */
interface Collection {
  name: string
  place: Geodetic
  /** Amplitudes are F in metres. */
  calibrated: boolean
  /** Half the side of the area that is imaged about the scene's reference point [m]. */
  reachM: number
  version: string
}

/**
 * Histories as CPHD 1.0.1: domain FX, SGN -1, reference points at the reference ranges on the lines to the origin. Of the far field the antenna stands at
 * 10,000 km, and a parameter WAVEFRONTS of PLANE says that phases are those of plane wavefronts.
 */
export function cphdOf(histories: readonly HistoryPart[], collection: Collection): Uint8Array {
  const frame = localFrame(collection.place)
  const channels = histories.map((history) => {
    const { freqHz, pulses, f, referenceM, antenna, farField } = history
    const { position, velocity, timeS } = trackOf(history, frame)
    const nf = freqHz.length
    const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
    const signal = new Float32Array(2 * nf * pulses)
    const each = (value: (n: number) => number): Float64Array => Float64Array.from({ length: pulses }, (_, n) => value(n)) // prettier-ignore
    const rangeOf = (n: number): number => Math.hypot(antenna[3 * n], antenna[3 * n + 1], antenna[3 * n + 2])
    for (let n = 0; n < pulses; n++) {
      const beyond = farField ? -referenceM[n] : 0
      for (let m = 0; m < nf; m++) {
        const cycles = (2 * freqHz[m] * beyond) / C0
        const phase = 2 * Math.PI * (cycles - Math.round(cycles))
        const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
        const [from, to] = [2 * (m * pulses + n), 2 * (n * nf + m)]
        signal[to] = f[from] * cos - f[from + 1] * sin
        signal[to + 1] = f[from] * sin + f[from + 1] * cos
      }
    }
    const range = (n: number): number => (farField ? FAR_M : referenceM[n])
    // Phases are referred to a point at the reference range on the line to the origin.
    const srp = new Float64Array(3 * pulses)
    for (let n = 0; n < pulses; n++) {
      const part = farField ? 0 : 1 - referenceM[n] / rangeOf(n)
      srp.set(
        pointToEcf(
          frame,
          [...antenna.subarray(3 * n, 3 * n + 3)].map((x) => part * x),
        ),
        3 * n,
      )
    }
    const outward = (n: number): number => {
      const los = [0, 1, 2].map((i) => position[3 * n + i] - frame.origin[i])
      return los.reduce((sum, x, i) => sum + x * velocity[3 * n + i], 0) / Math.hypot(...los)
    }
    const pvp = {
      TxTime: timeS,
      TxPos: position,
      TxVel: velocity,
      RcvTime: each((n) => timeS[n] + (2 * range(n)) / C0),
      RcvPos: position,
      RcvVel: velocity,
      SRPPos: srp,
      aFDOP: each((n) => (-2 * outward(n)) / C0),
      aFRR1: each(() => 0),
      aFRR2: each(() => 0),
      FX1: each(() => freqHz[0]),
      FX2: each(() => freqHz[nf - 1]),
      TOA1: each(() => -1 / (2 * step)),
      TOA2: each(() => 1 / (2 * step)),
      TDTropoSRP: each(() => 0),
      SC0: each(() => freqHz[0]),
      SCSS: each(() => step),
      SIGNAL: each(() => 1),
    }
    return { history, pvp, vectors: pulses, samples: nf, signal, step }
  })
  return writeCphd(collectionXml(channels, collection, frame), channels)
}

/** Whether all phases are referred to the origin. */
const isFixed = ({ farField, referenceM, antenna }: HistoryPart): boolean =>
  farField || referenceM.every((r, n) => r === Math.hypot(...antenna.subarray(3 * n, 3 * n + 3)))

type Channel = { history: HistoryPart; pvp: Partial<Record<PvpName, Float64Array>>; vectors: number; samples: number; signal: Float32Array; step: number } // prettier-ignore

function collectionXml(
  channels: Channel[],
  { name, place, calibrated, reachM, version }: Collection,
  frame: LocalFrame,
): string {
  const [{ history, pvp, step }] = channels
  const { words, offsets } = pvpLayout(Object.keys(pvp) as PvpName[])
  const bands = channels.map((c) => [c.history.freqHz[0], c.history.freqHz.at(-1)!])
  const middle = history.pulses >> 1
  const duration = PULSE_S * (Math.max(...channels.map((c) => c.vectors)) - 1)
  let [pvpAt, signalAt] = [0, 0]
  const sizes = channels.map(({ history: { channel }, vectors, samples }) => {
    const element = xml('Channel', [
      xml('Identifier', channel),
      xml('NumVectors', vectors),
      xml('NumSamples', samples),
      xml('SignalArrayByteOffset', signalAt),
      xml('PVPArrayByteOffset', pvpAt),
    ])
    signalAt += 8 * vectors * samples
    pvpAt += 8 * words * vectors
    return element
  })
  const area = [
    xml('X1Y1', [xml('X', -reachM), xml('Y', -reachM)]),
    xml('X2Y2', [xml('X', reachM), xml('Y', reachM)]),
  ]
  const corner = (index: number, x: number, y: number): string => {
    const { latDeg, lonDeg } = toGeodetic(pointToEcf(frame, [x, y, 0]))
    return xml('IACP', [xml('Lat', latDeg), xml('Lon', lonDeg)], { index })
  }
  const poly = (value: number): string => xml('Coef', value, { exponent1: 0, exponent2: 0 })
  const parameters = channels.map(({ history: h, vectors, step: own }) => {
    const [transmit, receive] = /^[vh]{2}$/.test(h.channel) ? [...h.channel.toUpperCase()] : ['UNSPECIFIED', 'UNSPECIFIED'] // prettier-ignore
    const [low, high] = [h.freqHz[0], h.freqHz.at(-1)!]
    return xml('Parameters', [
      xml('Identifier', h.channel),
      xml('RefVectorIndex', vectors >> 1),
      xml('FXFixed', 'true'),
      xml('TOAFixed', 'true'),
      xml('SRPFixed', String(isFixed(h))),
      xml('SignalNormal', 'true'),
      xml('Polarization', [xml('TxPol', transmit), xml('RcvPol', receive)]),
      xml('FxC', (low + high) / 2),
      xml('FxBW', high - low),
      xml('TOASaved', 1 / own),
      xml('DwellTimes', [xml('CODId', 'COD'), xml('DwellId', 'DWELL')]),
      calibrated && xml('TgtRefLevel', [xml('PTRef', 1 / (4 * Math.PI))]),
    ])
  })
  const at = (values: Float64Array): Vec3 => [
    values[3 * middle],
    values[3 * middle + 1],
    values[3 * middle + 2],
  ]
  const [arp, velocity] = [at(pvp.TxPos!), at(pvp.TxVel!)]
  const srp = at(pvp.SRPPos!)
  const g = sarGeometry(arp, velocity, srp)
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    xml(
      'CPHD',
      [
        xml('CollectionID', [
          xml('CollectorName', 'isar'),
          xml('CoreName', name),
          xml('CollectType', 'MONOSTATIC'),
          xml('RadarMode', [xml('ModeType', 'SPOTLIGHT')]),
          xml('Classification', 'UNCLASSIFIED'),
          xml('ReleaseInfo', 'UNRESTRICTED'),
          history.farField && xml('Parameter', 'PLANE', { name: PLANE }),
        ]),
        xml('Global', [
          xml('DomainType', 'FX'),
          xml('SGN', '-1'),
          xml('Timeline', [xml('CollectionStart', START), xml('TxTime1', 0), xml('TxTime2', duration)]),
          xml('FxBand', [xml('FxMin', Math.min(...bands.map((b) => b[0]))), xml('FxMax', Math.max(...bands.map((b) => b[1])))]), // prettier-ignore
          xml('TOASwath', [xml('TOAMin', -1 / (2 * step)), xml('TOAMax', 1 / (2 * step))]),
        ]),
        xml('SceneCoordinates', [
          xml('EarthModel', 'WGS_84'),
          xmlPlace('IARP', frame.origin),
          xml('ReferenceSurface', [
            xml('Planar', [xmlVector('uIAX', directionToEcf(frame, [1, 0, 0])), xmlVector('uIAY', directionToEcf(frame, [0, 1, 0]))]), // prettier-ignore
          ]),
          xml('ImageArea', area),
          xml('ImageAreaCornerPoints', [
            corner(1, -reachM, reachM),
            corner(2, reachM, reachM),
            corner(3, reachM, -reachM),
            corner(4, -reachM, -reachM),
          ]),
        ]),
        xml('Data', [
          xml('SignalArrayFormat', 'CF8'),
          xml('NumBytesPVP', 8 * words),
          xml('NumCPHDChannels', channels.length),
          ...sizes,
          xml('NumSupportArrays', 0),
        ]),
        xml('Channel', [
          xml('RefChId', history.channel),
          xml('FXFixedCPHD', String(channels.every((c) => c.history.freqHz[0] === bands[0][0] && c.history.freqHz.at(-1) === bands[0][1]))), // prettier-ignore
          xml('TOAFixedCPHD', String(channels.every((c) => c.step === step))),
          xml('SRPFixedCPHD', String(channels.every((c) => isFixed(c.history)))),
          ...parameters,
        ]),
        xml(
          'PVP',
          (Object.keys(PVP) as PvpName[])
            .filter((key) => key in offsets)
            .map((key) => xml(key, [xml('Offset', offsets[key]!), xml('Size', PVP[key].words), xml('Format', pvpFormat(key))])), // prettier-ignore
        ),
        xml('Dwell', [
          xml('NumCODTimes', 1),
          xml('CODTime', [xml('Identifier', 'COD'), xml('CODTimePoly', [poly(duration / 2)], { order1: 0, order2: 0 })]), // prettier-ignore
          xml('NumDwellTimes', 1),
          xml('DwellTime', [xml('Identifier', 'DWELL'), xml('DwellTimePoly', [poly(duration)], { order1: 0, order2: 0 })]), // prettier-ignore
        ]),
        xml('ReferenceGeometry', [
          xml('SRP', [xmlVector('ECF', srp), xmlVector('IAC', pointToLocal(frame, srp))]),
          xml('ReferenceTime', middle * PULSE_S),
          xml('SRPCODTime', duration / 2),
          xml('SRPDwellTime', duration),
          xml('Monostatic', [
            xmlVector('ARPPos', arp),
            xmlVector('ARPVel', velocity),
            xml('SideOfTrack', g.side),
            xml('SlantRange', g.slantRangeM),
            xml('GroundRange', g.groundRangeM),
            xml('DopplerConeAngle', g.coneDeg),
            xml('GrazeAngle', g.grazeDeg),
            xml('IncidenceAngle', 90 - g.grazeDeg),
            xml('AzimuthAngle', g.azimuthDeg),
            xml('TwistAngle', g.twistDeg),
            xml('SlopeAngle', g.slopeDeg),
            xml('LayoverAngle', g.layoverDeg),
          ]),
        ]),
        xml('ProductInfo', [
          xml('CreationInfo', [xml('Application', `isar ${version}`), xml('DateTime', START)]),
          xml('Parameter', `${place.latDeg} ${place.lonDeg} ${place.heightM}`, { name: 'SCENE ORIGIN' }),
        ]),
      ],
      { xmlns: 'http://api.nsgreg.nga.mil/schema/cphd/1.0.1' },
    )
  )
}

/** Times that a simulation or a history without times has; the same for every run, so that files are the same bytes. */
export const START = '2000-01-01T00:00:00Z'
