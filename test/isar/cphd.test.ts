import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CphdFile, type PvpName, pvpFormat } from '../../formats/index.js'
import { parseXml } from '../../formats/xml.js'
import { planBackprojection, type PulseHistory } from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { C0 } from '../../scene/index.js'
import { cphdOf } from '../../src/imaging/cphd.js'
import { gapsOf, joinedParts, selected, selectionAt } from '../../src/imaging/form.js'
import { readMeasurement } from '../../src/imaging/read-history.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const file = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
const collection = {
  name: 'pass',
  place: { latDeg: 39.8, lonDeg: -84.1, heightM: 240 },
  calibrated: true,
  reachM: 20,
  version: '0',
}
const freqHz = linspace(9.3e9, 9.9e9, 48)
const pass = circularPass({ pulses: 60, spanDeg: 2, startDeg: 10, elevationDeg: 45, rangeM: 10_159 })
/** Reference ranges of its own for each pulse, as the Gotcha set has. */
const jittering = { ...pass, referenceM: pass.referenceM.map((r, n) => r + 0.3 * Math.sin(3 * n)) }
const history = { ...pointPulses(jittering, freqHz, carPark()), channel: 'hh' }
const far = { ...pointPulses(circularPass({ pulses: 40, spanDeg: 3, elevationDeg: 30, rangeM: Infinity }), freqHz, carPark()), channel: 'vv' } // prettier-ignore

const imageOf = (h: PulseHistory): Float64Array =>
  backprojectAll(h, planBackprojection(h, { plane: 'ground', window: 'taylor', acrossM: [-14, 14], alongM: [-11, 11], pixelM: 0.4 })) // prettier-ignore
const apart = (a: Float64Array, b: Float64Array): number => {
  const peak = a.reduce((m, x) => Math.max(m, Math.abs(x)), 0)
  return a.reduce((m, x, i) => Math.max(m, Math.abs(x - b[i])), 0) / peak
}

describe('a collection written as CPHD', () => {
  it.each([
    ['near field, jittering reference ranges', history],
    ['far field', far],
  ])('and imaged from it equals the direct way to 1e-6 (%s)', async (_, given) => {
    const path = file('pass.cphd', cphdOf([given], collection))
    const { channels, layout, calibrated, place } = await readMeasurement([path])
    expect([layout, calibrated, channels[0].channel, channels[0].pulses]).toEqual(['cphd', true, given.channel, given.pulses]) // prettier-ignore
    expect(place!.latDeg).toBeCloseTo(39.8, 10)
    expect(place!.heightM).toBeCloseTo(240, 6)
    expect(apart(imageOf(given), imageOf(channels[0]))).toBeLessThan(1e-6)
  })

  it('has the header, the order of elements and the PVPs of the standard', async () => {
    const bytes = cphdOf([history, { ...history, channel: 'hv' }], collection)
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
    const header = text.slice(0, text.indexOf('\f\n')).split('\n')
    expect(header[0]).toBe('CPHD/1.0.1')
    // NGA.STND.0068, table of the file header: KEY := VALUE in this order.
    const keys = ['XML_BLOCK_SIZE', 'XML_BLOCK_BYTE_OFFSET', 'PVP_BLOCK_SIZE', 'PVP_BLOCK_BYTE_OFFSET', 'SIGNAL_BLOCK_SIZE', 'SIGNAL_BLOCK_BYTE_OFFSET', 'CLASSIFICATION', 'RELEASE_INFO'] // prettier-ignore
    expect(header.slice(1, -1).map((line) => line.split(' := ')[0])).toEqual(keys)
    const value = (key: string): number => Number(header.find((l) => l.startsWith(`${key} :=`))!.split(' := ')[1]) // prettier-ignore
    const [at, size] = [value('XML_BLOCK_BYTE_OFFSET'), value('XML_BLOCK_SIZE')]
    expect([...bytes.subarray(at + size, at + size + 2)]).toEqual([0x0c, 0x0a])
    expect(value('PVP_BLOCK_BYTE_OFFSET') % 8).toBe(0)
    expect(value('SIGNAL_BLOCK_BYTE_OFFSET') + value('SIGNAL_BLOCK_SIZE')).toBe(bytes.length)
    expect(value('SIGNAL_BLOCK_SIZE')).toBe(2 * 8 * 60 * 48)
    const root = parseXml(new TextDecoder().decode(bytes.subarray(at, at + size)), 'XML')
    const order = (path: string): string[] => root.get(path).children.map((c) => c.name)
    // The sequences of its schema (CPHD_schema_V1.0.1_2018_05_21.xsd).
    expect(root.children.map((c) => c.name)).toEqual(['CollectionID', 'Global', 'SceneCoordinates', 'Data', 'Channel', 'PVP', 'Dwell', 'ReferenceGeometry', 'ProductInfo']) // prettier-ignore
    expect(order('Global')).toEqual(['DomainType', 'SGN', 'Timeline', 'FxBand', 'TOASwath'])
    expect(order('SceneCoordinates')).toEqual(['EarthModel', 'IARP', 'ReferenceSurface', 'ImageArea', 'ImageAreaCornerPoints']) // prettier-ignore
    expect(order('Data')).toEqual(['SignalArrayFormat', 'NumBytesPVP', 'NumCPHDChannels', 'Channel', 'Channel', 'NumSupportArrays']) // prettier-ignore
    expect(order('Channel/Parameters')).toEqual(['Identifier', 'RefVectorIndex', 'FXFixed', 'TOAFixed', 'SRPFixed', 'SignalNormal', 'Polarization', 'FxC', 'FxBW', 'TOASaved', 'DwellTimes', 'TgtRefLevel']) // prettier-ignore
    expect(order('ReferenceGeometry/Monostatic')).toEqual(['ARPPos', 'ARPVel', 'SideOfTrack', 'SlantRange', 'GroundRange', 'DopplerConeAngle', 'GrazeAngle', 'IncidenceAngle', 'AzimuthAngle', 'TwistAngle', 'SlopeAngle', 'LayoverAngle']) // prettier-ignore
    expect(order('PVP')).toEqual(['TxTime', 'TxPos', 'TxVel', 'RcvTime', 'RcvPos', 'RcvVel', 'SRPPos', 'aFDOP', 'aFRR1', 'aFRR2', 'FX1', 'FX2', 'TOA1', 'TOA2', 'TDTropoSRP', 'SC0', 'SCSS', 'SIGNAL']) // prettier-ignore
    const words = root.get('PVP').children.reduce((sum, pvp) => {
      expect(pvp.countOf('Offset')).toBe(sum)
      expect(pvp.textOf('Format')).toBe(pvpFormat(pvp.name as PvpName))
      return sum + pvp.countOf('Size')
    }, 0)
    expect(root.countOf('Data/NumBytesPVP')).toBe(8 * words)
    expect(words).toBe(28)
    const g = root.get('ReferenceGeometry/Monostatic')
    // Of the reference vector's point, which stands at its reference range.
    expect(g.numberOf('GrazeAngle')).toBeCloseTo(45, 4)
    expect(g.numberOf('SlantRange')).toBeCloseTo(jittering.referenceM[30], 6)
    // The pass is over azimuths of 10 to 12 degrees from x (east): 79 degrees from north, broadside, climbing in azimuth to the left.
    expect(g.numberOf('AzimuthAngle')).toBeCloseTo(79, 0)
    expect(g.numberOf('DopplerConeAngle')).toBeCloseTo(90, 6)
    expect(g.textOf('SideOfTrack')).toBe('L')
    const opened = await CphdFile.open(file('two.cphd', bytes))
    const pvp = await opened.pvp(opened.channels[1], ['SC0', 'SCSS', 'RcvTime', 'TxTime', 'TxPos', 'SRPPos', 'SIGNAL']) // prettier-ignore
    expect([pvp.SC0![59], pvp.SIGNAL![59]]).toEqual([freqHz[0], 1])
    expect(pvp.SCSS![0]).toBeCloseTo(freqHz[1] - freqHz[0], 3)
    expect(((pvp.RcvTime![7] - pvp.TxTime![7]) * C0) / 2).toBeCloseTo(jittering.referenceM[7], 4)
    expect(Math.hypot(...[0, 1, 2].map((i) => pvp.TxPos![21 + i] - pvp.SRPPos![21 + i]))).toBeCloseTo(jittering.referenceM[7], 6) // prettier-ignore
    await opened.close()
  })

  it('of which a resolution takes a part is read as that part', async () => {
    const path = file('part.cphd', cphdOf([history], collection))
    const select = (h: Omit<PulseHistory, 'f'> & { channel: string }) => selectionAt(h, [0.5, 0.7])
    const { channels, isSelected } = await readMeasurement([path], { select })
    const { frequencies, pulses } = select(history)
    expect([isSelected, channels[0].freqHz.length, channels[0].pulses]).toEqual([true, frequencies.length, pulses.length]) // prettier-ignore
    expect(frequencies.length).toBeLessThan(48)
  })
})

const textOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))

/** A CPHD file with parts of its text replaced by as many bytes. */
function changed(bytes: Uint8Array, ...changes: [from: RegExp, to: string][]): Uint8Array {
  let text = textOf(bytes)
  for (const [from, to] of changes) {
    const found = from.exec(text)![0]
    if (to.length > found.length) throw new Error(`${to} is longer than ${found}`)
    text = text.replace(from, to.padEnd(found.length))
  }
  return bytesOf(text)
}

/** The file over time of arrival: its name is shorter by as much as its domain's is longer. */
const overTime = (made: Uint8Array): Uint8Array =>
  bytesOf(textOf(made).replace('<CoreName>pass<', '<CoreName>pas<').replace('<DomainType>FX<', '<DomainType>TOA<')) // prettier-ignore

const valueOf = (bytes: Uint8Array, key: string): number =>
  Number(new RegExp(`${key} := (\\d+)`).exec(textOf(bytes.subarray(0, 1024)))![1])
const [PVP, SIGNAL] = ['PVP_BLOCK_BYTE_OFFSET', 'SIGNAL_BLOCK_BYTE_OFFSET']

/** Writes words of the PVP, 28 a vector, and samples of a file in place. */
function writer(bytes: Uint8Array, samples: number) {
  const view = new DataView(bytes.buffer)
  const [pvpAt, signalAt] = [valueOf(bytes, PVP), valueOf(bytes, SIGNAL)]
  return {
    pvp: (vector: number, word: number, x: number) => view.setFloat64(pvpAt + 8 * (28 * vector + word), x),
    sample: (vector: number, s: number, re: number, im: number) => {
      const at = signalAt + 8 * (samples * vector + s)
      view.setFloat32(at, re)
      view.setFloat32(at + 4, im)
    },
  }
}
/** Words of the first sample's frequency or time, and of the step. */
const [SC0, SCSS] = [25, 26]

describe('a CPHD file', () => {
  const bytes = cphdOf([history], collection)
  const header = textOf(bytes.subarray(0, 1024))
  const [pvpAt, signalAt] = [valueOf(bytes, PVP), valueOf(bytes, SIGNAL)]
  const refused = (made: Uint8Array): Promise<string> =>
    readMeasurement([file('bad.cphd', made)]).then(
      () => 'read',
      (error: Error) => error.message,
    )

  it('of conjugate phases (SGN +1) is the same history', async () => {
    const conjugate = changed(bytes, [/<SGN>-1/, '<SGN>+1'])
    const view = new DataView(conjugate.buffer)
    for (let at = signalAt + 4; at < bytes.length; at += 8) view.setFloat32(at, -view.getFloat32(at))
    const [a, b] = await Promise.all([bytes, conjugate].map(async (x, i) => (await readMeasurement([file(`s${i}.cphd`, x)])).channels[0].f)) // prettier-ignore
    expect(a).toEqual(b)
  })

  it('of 16-bit samples is read, and vectors without signal are left out', async () => {
    const words = new DataView(Uint8Array.from(bytes).buffer)
    const count = (bytes.length - signalAt) / 4
    for (let i = 0; i < count; i++) words.setInt16(signalAt + 2 * i, Math.round(200 * new DataView(bytes.buffer).getFloat32(signalAt + 4 * i))) // prettier-ignore
    // Vector 7 has no signal.
    words.setBigInt64(pvpAt + 8 * (28 * 7 + 27), 0n)
    const made = changed(new Uint8Array(words.buffer), [/<SignalArrayFormat>CF8/, '<SignalArrayFormat>CI4']) // prettier-ignore
    const { channels } = await readMeasurement([file('ci4.cphd', made)])
    expect(channels[0].pulses).toBe(59)
    const last = 2 * (5 * 59 + 58)
    expect(Math.abs(channels[0].f[last] - 200 * history.f[2 * (5 * 60 + 59)])).toBeLessThan(0.51)
  })

  it('whose vectors have frequencies of their own is resampled to those that all have', async () => {
    const points = [{ at: [2, -3, 0] as [number, number, number], re: 1 }]
    const made = Uint8Array.from(cphdOf([{ ...pointPulses(pass, linspace(9.3e9, 9.9e9, 400), points), channel: 'hh' }], collection)) // prettier-ignore
    const write = writer(made, 400)
    const step = 6e8 / 399
    for (let n = 0; n < 60; n++) {
      const first = 9.3e9 + step * (n % 7) * 0.31
      write.pvp(n, SC0, first)
      const own = pointPulses(pass, linspace(first, first + 6e8, 400), points)
      for (let m = 0; m < 400; m++) write.sample(n, m, own.f[2 * (60 * m + n)], own.f[2 * (60 * m + n) + 1])
    }
    const [got] = (await readMeasurement([file('own.cphd', made)])).channels
    expect(got.freqHz.length).toBe(398)
    const exact = pointPulses(pass, got.freqHz, points)
    // Away from the ends of the band, where the kernel is whole.
    const inside = got.f.subarray(120 * 20, 120 * 378)
    expect(Math.max(...inside.map((x, i) => Math.abs(x - exact.f[120 * 20 + i])))).toBeLessThan(2e-3)
  })

  it('with the steering of its antennas (CPHD 1.1) is read', async () => {
    const pvp = (name: string, offset: number, size: number, format: string): string => `<${name}><Offset>${offset}</Offset><Size>${size}</Size><Format>${format}</Format></${name}>` // prettier-ignore
    const axes = ['TxACX', 'TxACY'].map((name, i) => pvp(name, 28 + 3 * i, 3, 'X=F8;Y=F8;Z=F8;')).join('')
    const antenna = `<TxAntenna>${axes}${pvp('TxEB', 34, 2, 'DCX=F8;DCY=F8;')}</TxAntenna>`
    const text = textOf(bytes)
    const xml = text.slice(1024, text.indexOf('\f\n', 1024)).replace('</PVP>', `${antenna}</PVP>`).replace('>224<', '>288<') // prettier-ignore
    const vectors = Array.from({ length: 60 }, (_, n) => [bytes.subarray(pvpAt + 224 * n, pvpAt + 224 * (n + 1)), new Uint8Array(64)]) // prettier-ignore
    const start = 1024 + xml.length + 2
    const keys = { XML_BLOCK_SIZE: xml.length, PVP_BLOCK_BYTE_OFFSET: start, PVP_BLOCK_SIZE: 288 * 60, SIGNAL_BLOCK_BYTE_OFFSET: start + 288 * 60 } // prettier-ignore
    const head = Object.entries(keys).reduce((h, [key, v]) => h.replace(new RegExp(`${key} := \\d+`), `${key} := ${v}`), header.slice(0, header.indexOf('\f\n'))) // prettier-ignore
    const made = Buffer.concat([Buffer.from(`${head}\f\n`.replace('1.0.1', '1.1.0').padEnd(1024, '\0')), Buffer.from(`${xml}\f\n`), ...vectors.flat(), bytes.subarray(signalAt)]) // prettier-ignore
    const [got] = (await readMeasurement([file('steered.cphd', made)])).channels
    const [plain] = (await readMeasurement([file('plain.cphd', bytes)])).channels
    expect([got.f, got.antenna]).toEqual([plain.f, plain.antenna])
  })

  it('over time of arrival is transformed to frequency', async () => {
    const points = [{ at: [2, -3, 0] as [number, number, number], re: 1 }]
    const nf = 64
    const band = linspace(9.3e9, 9.9e9, nf)
    const given = { ...pointPulses(pass, band, points), channel: 'hh' }
    // The sum over frequency at times of arrival: exp(-SGN j 2 pi (f - fxC) t), a period of 1 / step, a main lobe as high as a sample.
    const step = band[1] - band[0]
    const [start, spacing] = [-0.5 / step, 1 / (nf * step)]
    const [middle, width] = [(band[0] + band[nf - 1]) / 2, band[nf - 1] - band[0]]
    const toa = overTime(cphdOf([given], collection))
    const write = writer(toa, nf)
    for (let n = 0; n < 60; n++) {
      write.pvp(n, SC0, start)
      write.pvp(n, SCSS, spacing)
      for (let s = 0; s < nf; s++) {
        let [re, im] = [0, 0]
        for (let m = 0; m < nf; m++) {
          const phase = 2 * Math.PI * (band[m] - middle) * (start + s * spacing)
          const [a, b] = [given.f[2 * (60 * m + n)], given.f[2 * (60 * m + n) + 1]]
          re += (step / width) * (a * Math.cos(phase) - b * Math.sin(phase))
          im += (step / width) * (a * Math.sin(phase) + b * Math.cos(phase))
        }
        write.sample(n, s, re, im)
      }
    }
    const [got] = (await readMeasurement([file('toa.cphd', toa)])).channels
    expect(got.freqHz.length).toBe(nf)
    expect(Math.max(...got.f.map((x, i) => Math.abs(x - given.f[i])))).toBeLessThan(1e-5)
  })

  it('over time of arrival has the phase SGN fxC t at the main lobe of a point at t', async () => {
    // The definition of SGN in NGA.STND.0068, with one point beyond the reference by 1 m: a sinc of the band's width.
    const band = linspace(9.3e9, 9.9e9, 64)
    const seen = circularPass({ pulses: 2, spanDeg: 0.001, startDeg: 0, elevationDeg: 0, rangeM: Infinity })
    const given = { ...pointPulses(seen, band, [{ at: [-1, 0, 0], re: 1 }]), channel: 'hh' }
    const toa = overTime(cphdOf([given], collection))
    const write = writer(toa, 64)
    const [delay, spacing] = [2 / C0, 1 / (64 * (6e8 / 63))]
    for (let n = 0; n < 2; n++) {
      write.pvp(n, SC0, -32 * spacing)
      write.pvp(n, SCSS, spacing)
      for (let s = 0; s < 64; s++) {
        const x = Math.PI * 6e8 * ((s - 32) * spacing - delay)
        const [size, phase] = [Math.sin(x) / x, -2 * Math.PI * 9.6e9 * delay]
        write.sample(n, s, size * Math.cos(phase), size * Math.sin(phase))
      }
    }
    const [got] = (await readMeasurement([file('sgn.cphd', toa)])).channels
    // In the middle of the band, where the cut ends of the sinc have little effect.
    for (let m = 24; m < 40; m++)
      for (const k of [0, 1]) expect(Math.abs(got.f[4 * m + k] - given.f[4 * m + k])).toBeLessThan(0.03)
  })

  it('that is cut off anywhere is refused in one line', async () => {
    const ends = [0, 3, 8, 30, 400, 1100, 5000, pvpAt, pvpAt + 9, signalAt, signalAt + 5, bytes.length - 1]
    for (const end of ends) {
      const message = await refused(bytes.subarray(0, end))
      expect(message).toMatch(/^[^\n]*bad\.cphd: [^\n]*$/)
    }
  })

  it.each<[Uint8Array, RegExp]>([
    [changed(bytes, [/^CPHD\/1\.0\.1/, 'CPHD/0.3.0']), /CPHD 0\.3\.0; 1\.0 and 1\.1 are read/],
    [changed(bytes, [/PVP_BLOCK_SIZE := \d+/, 'PVP_BLOCK_SIZE := 00999']), /PVPArrayByteOffset 0 and 60 vectors of 48 samples do not fit the 999 bytes/],
    [changed(bytes, [/SIGNAL_BLOCK_SIZE := \d+/, 'SIGNAL_BLOCK_SIZE := x']), /SIGNAL_BLOCK_SIZE := "x/],
    [changed(bytes, [/XML_BLOCK_BYTE_OFFSET := 1024/, 'XML_BLOCK_BYTE_OFFSET := 1025']), /section terminator/],
    [changed(bytes, [/RELEASE_INFO/, 'RELEASE_INFX']), /no RELEASE_INFO/],
    [changed(bytes, [/<NumVectors>60/, '<NumVectors>61']), /do not fit/],
    [changed(bytes, [/<NumSamples>48/, '<NumSamples>-8']), /NumSamples> -8 is not a whole number/],
    [changed(bytes, [/<NumCPHDChannels>1/, '<NumCPHDChannels>2']), /1 channels, and says 2/],
    [changed(bytes, [/<SignalArrayFormat>CF8/, '<SignalArrayFormat>CF9']), /"CF9" is none of/],
    [changed(bytes, [/<NumBytesPVP>224/, '<NumBytesPVP>8e9'], [/<TDTropoSRP>.*<\/TDTropoSRP>/, '<AddedPVP><Name>a</Name><Offset>40</Offset><Size>7e8</Size></AddedPVP>']), /PVPs have 8000000000 bytes a vector, not words of 8 in a block of 13440/],
    [changed(bytes, [/<TxPos><Offset>1/, '<TxPos><Offset>0']), /PVPs TxTime and TxPos overlap/],
    [changed(bytes, [/<SIGNAL><Offset>27/, '<SIGNAL><Offset>28']), /SIGNAL stands at words 28 to 28, beyond the 28/],
    [changed(bytes, [/<SC0><Offset>25<\/Offset><Size>1/, '<SC0><Offset>25</Offset><Size>2']), /SC0 has 2 words/],
    [changed(bytes, [/<CollectType>MONOSTATIC</, '<CollectType>BISTATIC  <']), /bistatic/],
    [changed(bytes, [/<\/CPHD>/, '       ']), /it is cut off/],
    [Uint8Array.from(bytes, (b, i) => (i >= pvpAt + 8 && i < pvpAt + 16 ? 0xff : b)), /PVP TxPos of vector 0 is not finite/],
    [Uint8Array.from(bytes, (b, i) => (i >= signalAt && i < signalAt + 4 ? 0xff : b)), /sample 0 is NaN/],
    [bytesOf('CRSD/1.0\n'), /CRSD, received signals/],
  ])('that lies is refused in one line that says where: %#', async (made, message) => {
    const said = await refused(made)
    expect(said).toMatch(message)
    expect(said).not.toMatch(/\n/)
  }) // prettier-ignore
})

describe('a gap between pulses', () => {
  const form = { algorithm: 'backprojection', plane: 'ground', window: 'none' } as const
  const without = (from: number, to: number) =>
    selected(history, [...freqHz.keys()], Array.from({ length: 60 }, (_, n) => n).filter((n) => n < from || n >= to)) // prettier-ignore

  it('is told with its side lobes', () => {
    expect(gapsOf(history, form)).toEqual([])
    const cut = without(20, 26)
    const [line, ...others] = gapsOf(cut, form)
    expect(others).toEqual([])
    // 6 of 54 pulses: -19 dB.
    expect(line).toMatch(/^hh: a gap of 0\.237° after azimuth 10\.64° \(6 pulses missing of an aperture of 2\.00°\): side lobes of -19 dB within \d\.\d m/) // prettier-ignore
  })

  it('of several files is told too', () => {
    const parts = [without(0, 31), without(25, 60)]
    expect(gapsOf(joinedParts(parts, ['b', 'a']), form)[0]).toMatch(/6 pulses missing/)
  })
})
