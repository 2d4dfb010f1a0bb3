import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localFrame, pointToEcf, readSicd, toGeodetic, sarGeometry } from '../../formats/index.js'
import { toEcf } from '../../formats/geodesy.js'
import { planBackprojection } from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import type { Vec3 } from '../../scene/index.js'
import type { FormedImage, HistoryPart } from '../../src/imaging/form.js'
import { imageCorners, kmlOf, readSicdImage, sicdOf, trackWarning } from '../../src/imaging/sicd.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const file = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
const place = { latDeg: 39.8, lonDeg: -84.1, heightM: 240 }
const collection = { name: 'pass', place, calibrated: true, window: 'taylor', algorithm: 'backprojection', isFocused: false, version: '0' } as const // prettier-ignore
const pass = circularPass({ pulses: 60, spanDeg: 2, startDeg: 200, elevationDeg: 40, rangeM: 10_159 })
const history = { ...pointPulses(pass, linspace(9.3e9, 9.9e9, 48), carPark()), channel: 'hh' }

function imageOn(plane: 'ground' | 'slant'): FormedImage {
  const plan = planBackprojection(history, { plane, window: 'taylor', acrossM: [-15, 14], alongM: [-11, 12], pixelM: 0.2 }) // prettier-ignore
  return { ...plan, channel: 'hh', image: backprojectAll(history, plan) }
}

describe.each(['ground', 'slant'] as const)('an image on the %s plane written as SICD', (name) => {
  const formed = imageOn(name)
  const bytes = sicdOf(formed, history, collection)
  const [rows, cols] = [formed.alongM.length, formed.acrossM.length]

  it('is the same when opened again, with phases, to single precision', async () => {
    const read = await readSicdImage(file(`${name}.nitf`, bytes))
    expect([read.rows, read.cols, read.channel, read.calibrated, read.plane]).toEqual([rows, cols, 'hh', true, name]) // prettier-ignore
    const peak = formed.image.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    // Phases are referred to the centre point of the array, which is a pixel of the image.
    const centre = 2 * ((rows >> 1) * cols + (cols >> 1))
    let worst = 0
    for (let i = 0; i < rows; i++)
      for (let l = 0; l < cols; l++) {
        const from =
          2 * ((name === 'slant' ? i : rows - 1 - i) * cols + (name === 'slant' ? cols - 1 - l : l))
        for (const k of [0, 1]) worst = Math.max(worst, Math.abs(read.image[2 * (i * cols + l) + k] - formed.image[from + k])) // prettier-ignore
      }
    expect(Math.hypot(formed.image[centre], formed.image[centre + 1])).toBeGreaterThan(0)
    expect(worst / peak).toBeLessThan(2e-7)
  })

  it('is at baseband: its spectrum lies about the middle, as the standard wants', async () => {
    const { pixels } = await readSicd(file(`${name}-base.nitf`, bytes))
    // Mean phase step from row to row and from column to column, by power: the middle of the spectrum.
    for (const stride of [cols, 1]) {
      let [re, im] = [0, 0]
      for (let i = 0; i < rows * cols - stride; i++) {
        const [a, b] = [2 * i, 2 * (i + stride)]
        re += pixels[a] * pixels[b] + pixels[a + 1] * pixels[b + 1]
        im += pixels[a] * pixels[b + 1] - pixels[a + 1] * pixels[b]
      }
      expect(Math.abs(Math.atan2(im, re))).toBeLessThan(0.35)
    }
  })

  it('has the fields of NITF 2.1 and the elements of SICD in their order', async () => {
    const text = new TextDecoder('latin1').decode(bytes)
    // MIL-STD-2500C, table A-1: name, length and value of the fields up to the image's.
    let at = 0
    const take = (length: number): string => text.slice(at, (at += length))
    expect([take(4), take(5), take(2), take(4)]).toEqual(['NITF', '02.10', '03', 'BF01'])
    take(10 + 14 + 80)
    expect(take(1)).toBe('U')
    take(166 + 5 + 5 + 1 + 3 + 24 + 18)
    expect(Number(take(12))).toBe(bytes.length)
    const headerLength = Number(take(6))
    expect(take(3)).toBe('001')
    const [imageHeader, imageBytes] = [Number(take(6)), Number(take(10))]
    expect(imageBytes).toBe(8 * rows * cols)
    expect([take(3), take(3), take(3), take(3)]).toEqual(['000', '000', '000', '001'])
    const [desHeader, desBytes] = [Number(take(4)), Number(take(9))]
    expect([take(3), take(5), take(5)]).toEqual(['000', '00000', '00000'])
    expect(at).toBe(headerLength)
    expect(headerLength + imageHeader + imageBytes + desHeader + desBytes).toBe(bytes.length)
    expect([take(2), take(10)]).toEqual(['IM', 'SICD000   '])
    take(14 + 17 + 80 + 167 + 1 + 42)
    expect([Number(take(8)), Number(take(8)), take(3), take(8), take(8), take(2), take(1), take(1)]).toEqual([rows, cols, 'R  ', 'NODISPLY', 'SAR     ', '32', 'R', 'G']) // prettier-ignore
    expect(take(60)).toMatch(/^(\d{6}[NS]\d{7}[EW]){4}$/)
    expect([take(1), take(2), take(1)]).toEqual(['0', 'NC', '2'])
    expect([take(13), take(13)]).toEqual(['  I     N   0', '  Q     N   0'])
    expect([take(1), take(1), take(8), Number(take(4)), Number(take(4)), take(2)]).toEqual(['0', 'P', '00010001', cols, rows, '32']) // prettier-ignore
    at = headerLength + imageHeader + imageBytes
    expect([take(2), take(25)]).toEqual(['DE', 'XML_DATA_CONTENT         '])
    take(2 + 167)
    expect(take(4)).toBe('0773')
    // NGA.STND.0024, volume 2: the user-defined subheader of the XML.
    expect([take(5), take(8), take(20)]).toEqual(['99999', 'XML     ', '2000-01-01T00:00:00Z'])
    take(40 + 60)
    expect([take(10), take(20), take(120).trim()]).toEqual(['1.3       ', '2021-11-30T00:00:00Z', 'urn:SICD:1.3.0']) // prettier-ignore
    const polygon = Array.from({ length: 5 }, () => [Number(take(12)), Number(take(13))])
    expect(polygon[4]).toEqual(polygon[0])
    imageCorners(formed, history, place).forEach((c, i) => expect(polygon[i]).toEqual([expect.closeTo(c.latDeg, 7), expect.closeTo(c.lonDeg, 7)])) // prettier-ignore
    const { xml } = await readSicd(file(`${name}-order.nitf`, bytes))
    const order = (path: string): string[] => xml.get(path).children.map((c) => c.name)
    // The sequences of its schema (SICD_schema_V1.3.0_2021_11_30.xsd).
    expect(xml.children.map((c) => c.name)).toEqual(['CollectionInfo', 'ImageCreation', 'ImageData', 'GeoData', 'Grid', 'Timeline', 'Position', 'RadarCollection', 'ImageFormation', 'SCPCOA', 'Radiometric']) // prettier-ignore
    expect(order('ImageData')).toEqual(['PixelType', 'NumRows', 'NumCols', 'FirstRow', 'FirstCol', 'FullImage', 'SCPPixel']) // prettier-ignore
    expect(order('Grid/Row')).toEqual(['UVectECF', 'SS', 'ImpRespWid', 'Sgn', 'ImpRespBW', 'KCtr', 'DeltaK1', 'DeltaK2', 'WgtType']) // prettier-ignore
    expect(order('SCPCOA')).toEqual(['SCPTime', 'ARPPos', 'ARPVel', 'ARPAcc', 'SideOfTrack', 'SlantRange', 'GroundRange', 'DopplerConeAng', 'GrazeAng', 'IncidenceAng', 'TwistAng', 'SlopeAng', 'AzimAng', 'LayoverAng']) // prettier-ignore
    // Rows and columns make, seen from above, a right-handed array; the track is its polynomial.
    const [u, v, scp] = ['Grid/Row/UVectECF', 'Grid/Col/UVectECF', 'GeoData/SCP/ECF'].map((p) =>
      xml.vectorOf(p),
    )
    const up = u[0] * (v[1] * scp[2] - v[2] * scp[1]) + u[1] * (v[2] * scp[0] - v[0] * scp[2]) + u[2] * (v[0] * scp[1] - v[1] * scp[0]) // prettier-ignore
    expect(up / Math.hypot(...scp)).toBeGreaterThan(0.5)
    const time = xml.numberOf('SCPCOA/SCPTime')
    const arp = ['X', 'Y', 'Z'].map((a) => xml.get(`Position/ARPPoly/${a}`).all('Coef').reduce((sum, c, k) => sum + Number(c.text) * time ** k, 0)) // prettier-ignore
    xml.vectorOf('SCPCOA/ARPPos').forEach((x, i) => expect(arp[i]).toBeCloseTo(x, 3))
    expect(xml.numberOf('SCPCOA/GrazeAng')).toBeCloseTo(40, 1)
  })

  it('cut off or lying is refused in one line', async () => {
    const refused = async (made: Uint8Array): Promise<string> =>
      readSicdImage(file('bad.nitf', made)).then(
        () => 'read',
        (error: Error) => error.message,
      )
    for (const end of [0, 5, 200, 400, 900, 5000, bytes.length - 700, bytes.length - 1])
      expect(await refused(bytes.subarray(0, end))).toMatch(/^[^\n]*bad\.nitf: [^\n]+$/)
    const text = new TextDecoder('latin1').decode(bytes)
    const lie = (from: RegExp, to: string): Uint8Array => {
      const found = from.exec(text)![0]
      expect(to.length).toBe(found.length)
      return Uint8Array.from(text.replace(found, to), (c) => c.charCodeAt(0))
    }
    const cases: [Uint8Array, RegExp][] = [
      [lie(/<NumRows>\d\d\d/, '<NumRows>999'), /segments have \d+ rows, and its XML says 999|does not fit/],
      [lie(/<NumCols>\d\d\d/, '<NumCols>-12'), /-12 is not a whole number/],
      [lie(/RE32F_IM32F/, 'RE16I_IM16I'), /is not laid out as SICD's RE16I_IM16I/],
      [lie(/XML_DATA_CONTENT/, 'XXL_DATA_CONTENT'), /no SICD in its data extensions/],
      [lie(/NC2 {2}I/, 'C82  I'), /compressed \(C8\)/],
      [lie(/<Sgn>-1/, '<Sgn>-7'), /Sgn "-7" is neither/],
    ]
    for (const [made, message] of cases) expect(await refused(made)).toMatch(message)
  })

  it('its corners are those of its pixels on Earth, in its file and in KML', async () => {
    const { corners } = await readSicdImage(file(`${name}-corners.nitf`, bytes))
    const own = imageCorners(formed, history, place)
    own.forEach((c, i) => expect(c.latDeg).toBeCloseTo(corners[i].latDeg, 12))
    if (name === 'ground') {
      // From the north-west clockwise.
      const at = toGeodetic(pointToEcf(localFrame(place), [formed.acrossM[0], formed.alongM[rows - 1], 0]))
      expect([own[0].latDeg, own[0].lonDeg]).toEqual([expect.closeTo(at.latDeg, 11), expect.closeTo(at.lonDeg, 11)]) // prettier-ignore
    }
    const kml = kmlOf('a <name>', own, [{ name: 'peak', place }])
    expect(kml).toContain('<name>a &lt;name&gt;</name>')
    expect(kml).toContain('<Point><coordinates>-84.100000000,39.800000000,240.000</coordinates></Point>')
    expect(kml.match(/<LinearRing><coordinates>(.*?)<\/coordinates>/)![1].split(' ')).toHaveLength(5)
  })
})

describe('the track of an aperture of tens of degrees', () => {
  const wide = (spanDeg: number, rangeM: number): ReturnType<typeof circularPass> => circularPass({ pulses: 117, spanDeg, startDeg: 200, elevationDeg: 40, rangeM }) // prettier-ignore
  const historyOf = (given: ReturnType<typeof circularPass>): HistoryPart => ({ ...given, freqHz: linspace(9.3e9, 9.9e9, 4), f: new Float64Array(8 * 117), channel: 'hh' }) // prettier-ignore

  it.each([
    ['60 degrees', 60, 10_159],
    ['a circle', 360, 10_159],
    ['120 degrees of the far field', 120, Infinity],
  ])('is the polynomial of its SICD file to a millimetre, with its velocity (%s)', async (_, span, range) => {
    const given = historyOf(wide(span, range))
    const plan = planBackprojection(given, { plane: 'ground', window: 'none', acrossM: [-2, 2], alongM: [-2, 2], pixelM: 1 }) // prettier-ignore
    const formed = { ...plan, channel: 'hh', image: new Float64Array(2 * plan.alongM.length * plan.acrossM.length), notes: [] } // prettier-ignore
    const { xml } = await readSicd(file('wide.nitf', sicdOf(formed, given, collection)))
    const coefs = ['X', 'Y', 'Z'].map((a) => xml.get(`Position/ARPPoly/${a}`).all('Coef').map((c) => Number(c.text))) // prettier-ignore
    const at = (t: number): number[] => coefs.map((c) => c.reduceRight((sum, x) => sum * t + x, 0))
    const frame = localFrame(place)
    // The far field stands at 10,000 km.
    const scale = given.farField ? 1e7 : 1
    for (let n = 0; n < 117; n++) {
      const own = pointToEcf(frame, [0, 1, 2].map((i) => scale * given.antenna[3 * n + i]) as Vec3) // prettier-ignore
      expect(Math.hypot(...at(1e-3 * n).map((x, i) => x - own[i]))).toBeLessThan(1e-3)
    }
    const time = xml.numberOf('SCPCOA/SCPTime')
    const [before, after] = [at(time - 1e-4), at(time + 1e-4)]
    const velocity = xml.vectorOf('SCPCOA/ARPVel')
    const speed = Math.hypot(...velocity)
    velocity.forEach((v, i) => expect(Math.abs(v - (after[i] - before[i]) / 2e-4) / speed).toBeLessThan(1e-5))
    expect(trackWarning(given)).toEqual([])
  })

  it('that no polynomial follows is warned of with its distance in metres', () => {
    const given = historyOf(wide(30, 10_159))
    // Every other pulse is 20 cm higher.
    const shaken = { ...given, antenna: given.antenna.map((x, i) => x + (i % 6 === 2 ? 0.2 : 0)) }
    expect(trackWarning(shaken)).toEqual([expect.stringMatching(/^hh: the track in the SICD file, a polynomial of degree \d+, is up to 0\.1\d? m off the antenna; the image is not affected$/)]) // prettier-ignore
  })
})

it.each([
  ['left of a climbing track', 1, 'L', 180, 9.82643, 160.89339],
  ['right of it', -1, 'R', 0, -9.82643, 19.10661],
] as const)(
  'angles of a point %s are those of the standard',
  (_, side, track, azimuthDeg, twistDeg, layoverDeg) => {
    // On the equator at longitude 0 (x up, y east, z north), graze 30 degrees, seen from the south or north; velocity east and 0.2 upwards.
    // By hand from NGA.STND.0024: uSPN = look v x LOS = (0.85332, -0.17066, +-0.49266), twist = -asin(uGPY . uSPN) of uGPY = up x uGPX, uGPX on
    // the ground towards the antenna; layover along up - uSPN / (up . uSPN).
    const point = toEcf({ latDeg: 0, lonDeg: 0, heightM: 0 })
    const antenna: [number, number, number] = [point[0] + 5e3, 0, -side * 1e4 * Math.cos(Math.PI / 6)]
    const g = sarGeometry(antenna, [20, 100, 0], point)
    expect([g.side, g.azimuthDeg]).toEqual([track, expect.closeTo(azimuthDeg, 9)])
    const angles = [g.grazeDeg, g.twistDeg, g.slopeDeg, g.layoverDeg]
    for (const [i, deg] of [30, twistDeg, 31.42535, layoverDeg].entries())
      expect(angles[i]).toBeCloseTo(deg, 4)
  },
)

it('places on Earth and their coordinates are each other’s inverse, and those of WGS 84', () => {
  // NGA.STND.0036: the semi-axes.
  expect(toEcf({ latDeg: 0, lonDeg: 90, heightM: 0 })[1]).toBe(6_378_137)
  expect(toEcf({ latDeg: 90, lonDeg: 0, heightM: 0 })[2]).toBeCloseTo(6_356_752.314245, 5)
  for (const place of [
    { latDeg: 51.3, lonDeg: -179.2, heightM: 8000 },
    { latDeg: -89.99, lonDeg: 12, heightM: -400 },
    { latDeg: 5, lonDeg: 0, heightM: 7e5 },
  ]) {
    // prettier-ignore
    const back = toGeodetic(toEcf(place))
    expect(back.latDeg).toBeCloseTo(place.latDeg, 11)
    expect(back.lonDeg).toBeCloseTo(place.lonDeg, 11)
    expect(back.heightM).toBeCloseTo(place.heightM, 6)
  }
})
