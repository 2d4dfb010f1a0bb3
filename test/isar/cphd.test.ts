import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CphdFile, type PvpName, pvpFormat } from '../../formats/index.js'
import { parseXml } from '../../formats/xml.js'
import { planBackprojection, type PulseHistory } from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { C0 } from '../../scene/index.js'
import { cphdOf } from '../../src/imaging/cphd.js'
import { selectionAt } from '../../src/imaging/form.js'
import { readMeasurement } from '../../src/imaging/read-history.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'

const folder = mkdtempSync(join(tmpdir(), 'isar-cphd-'))
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
    expect(g.numberOf('GrazeAngle')).toBeCloseTo(45, 9)
    expect(g.numberOf('SlantRange')).toBeCloseTo(10_159, 6)
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
