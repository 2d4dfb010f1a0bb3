import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  directionToEcf,
  type Geodetic,
  isNitf,
  localFrame,
  type LocalFrame,
  pointToEcf,
  readSicd,
  sarGeometry,
  toGeodetic,
  vector,
  withNpz,
  writeSicd,
  xml,
  xmlPlace,
  xmlVector,
} from '../../formats/index.js'
import { type ImagePlane, type WindowName, windowSamples } from '../../isar/index.js'
import { dynamicRange, imageDbsm } from '../../isar/levels.js'
import { type ResultLocation, writeArrays, writeJson, writeResult } from '../../run/results.js'
import { VERSION } from '../../run/version.js'
import { C0, cross, dot, InputError, type Vec3 } from '../../scene/index.js'
import { writeFigure } from '../write-figure.js'
import { START, trackOf } from './cphd.js'
import type { FormedImage, HistoryPart } from './form.js'
const NAMESPACE = 'urn:SICD:1.3.0'

/** What of a collection its images say. */
interface Collection {
  name: string
  place: Geodetic
  calibrated: boolean
  window: WindowName
  algorithm: 'backprojection' | 'polar-format'
  isFocused: boolean
  version: string
}

/** Point of an image [m]. */
const pointOf = ({ origin, across, along }: ImagePlane, u: number, v: number): Vec3 => origin.map((o, i) => o + u * across[i] + v * along[i]) as Vec3 // prettier-ignore
const step = (axis: Float64Array): number => (axis[axis.length - 1] - axis[0]) / (axis.length - 1)

/**
 * A direction of the image's array: rows go down the picture and columns to the right, seen from above. So images on the ground plane go
 * from north to south, and those on the slant plane away from the radar, with columns against our cross-range.
 */
interface ArrayAxis {
  unit: Vec3
  count: number
  /** Pixel of an axis of the image at a position of the array. */
  pixel: (i: number) => number
  stepM: number
  /** Wavenumbers of the samples [cycles/m]: middle, and ends. */
  middle: number
  low: number
  high: number
}

/** Middle pixel of an image: that of the scene's centre point. */
const centreOf = (image: FormedImage): [row: number, col: number] => [image.alongM.length >> 1, image.acrossM.length >> 1] // prettier-ignore

function arrayAxes(
  image: FormedImage,
  history: HistoryPart,
): { rows: ArrayAxis; cols: ArrayAxis; centre: Vec3 } {
  const { plane, alongM, acrossM } = image
  const [row, col] = centreOf(image)
  const centre = pointOf(plane, acrossM[col], alongM[row])
  const below = cross(plane.along, plane.across)[2] < 0
  const ground = plane.name === 'ground'
  const make = (unit: Vec3, axis: Float64Array, flips: boolean): ArrayAxis => {
    const way = (flips ? unit.map((x) => -x) : unit) as Vec3
    const { antenna, farField, pulses, freqHz } = history
    const ends = [2 * freqHz[0], 2 * freqHz[freqHz.length - 1]].map((f) => f / C0)
    let [low, high] = [Infinity, -Infinity]
    for (let n = 0; n < pulses; n++) {
      const a = [0, 1, 2].map((i) => antenna[3 * n + i] - (farField ? 0 : centre[i])) as Vec3
      const part = -dot(a, way) / Math.hypot(...a)
      for (const k of ends) [low, high] = [Math.min(low, k * part), Math.max(high, k * part)]
    }
    const count = axis.length
    return { unit: way, count, pixel: flips ? (i) => count - 1 - i : (i) => i, stepM: step(axis), middle: (low + high) / 2, low, high } // prettier-ignore
  }
  return {
    rows: make(plane.along, alongM, below && ground),
    cols: make(plane.across, acrossM, below && !ground),
    centre,
  }
}

/** An image as a SICD file: pixels in 32-bit floats at baseband about the scene's centre point, |pixel|^2 RCS where calibrated. */
export function sicdOf(image: FormedImage, history: HistoryPart, collection: Collection): Uint8Array {
  const frame = localFrame(collection.place)
  const axes = arrayAxes(image, history)
  const { rows, cols } = axes
  const [row, col] = centreOf(image)
  const scp = [rows.pixel(row), cols.pixel(col)]
  const pixels = new Float32Array(2 * rows.count * cols.count)
  for (let i = 0; i < rows.count; i++)
    for (let l = 0; l < cols.count; l++) {
      const from = 2 * (rows.pixel(i) * cols.count + cols.pixel(l))
      const [cos, sin] = carrier(rows.middle * (i - scp[0]) * rows.stepM + cols.middle * (l - scp[1]) * cols.stepM, -1) // prettier-ignore
      const to = 2 * (i * cols.count + l)
      pixels[to] = image.image[from] * cos - image.image[from + 1] * sin
      pixels[to + 1] = image.image[from] * sin + image.image[from + 1] * cos
    }
  const corners = cornersOf(axes, frame, scp)
  return writeSicd(sicdXml(image, history, collection, { ...axes, frame, scp, corners }), { rows: rows.count, cols: cols.count, pixels }, { title: `${collection.name} ${image.channel}`, date: START.replace(/\D/g, ''), corners, namespace: NAMESPACE }) // prettier-ignore
}

/** cos and sin of so many cycles, forwards or backwards. */
function carrier(cycles: number, way: 1 | -1): [number, number] {
  const phase = 2 * Math.PI * (cycles - Math.round(cycles))
  return [Math.cos(phase), way * Math.sin(phase)]
}

/** First row and column, first and last, last and last, last and first. */
function cornersOf(
  { rows, cols, centre }: { rows: ArrayAxis; cols: ArrayAxis; centre: Vec3 },
  frame: LocalFrame,
  scp: readonly number[],
): Geodetic[] {
  return [
    [0, 0],
    [0, cols.count - 1],
    [rows.count - 1, cols.count - 1],
    [rows.count - 1, 0],
  ].map(([i, l]) => toGeodetic(pointToEcf(frame, centre.map((c, k) => c + (i - scp[0]) * rows.stepM * rows.unit[k] + (l - scp[1]) * cols.stepM * cols.unit[k])))) // prettier-ignore
}

/** Corners of an image on Earth, clockwise from its upper left as its array is seen from above. */
export function imageCorners(image: FormedImage, history: HistoryPart, place: Geodetic): Geodetic[] {
  const axes = arrayAxes(image, history)
  const [row, col] = centreOf(image)
  return cornersOf(axes, localFrame(place), [axes.rows.pixel(row), axes.cols.pixel(col)])
}

/** Most terms of a track's polynomials, and how near the antenna they are to come [m]. */
const MOST_TERMS = 25
const TRACK_M = 1e-3

/** Value and derivatives of a polynomial, from the constant on. */
const valueAt = (coefs: readonly number[], t: number): number => coefs.reduceRight((sum, c) => sum * t + c, 0)
const derivative = (coefs: readonly number[]): number[] => coefs.slice(1).map((c, i) => (i + 1) * c)

/**
 * An antenna's positions [x y z of each, m] over times as polynomials of the time, of the lowest degree that comes within TRACK_M of all, or the best. Least
 * squares by polynomials that are orthogonal over the pulses (G. E. Forsythe, J. SIAM 5, 1957), of a degree up to 2 sqrt(pulses): beyond it they swing between.
 */
function trackPolynomials(timeS: Float64Array, position: Float64Array): { xyz: number[][]; apartM: number } {
  const count = timeS.length
  const last = Math.max(timeS[count - 1], 1e-12)
  const s = timeS.map((t) => t / last)
  // From the first position, of which digits are many.
  const rest = position.map((x, i) => x - position[i % 3])
  const fitted: number[][] = [[], [], []]
  let best = { xyz: [0, 1, 2].map((c) => [position[c]]), apartM: Infinity }
  let [before, own] = [new Float64Array(count), new Float64Array(count).fill(1)]
  let [beforeCoefs, coefs] = [[0], [1]]
  let beforePower = 1
  for (let k = 0; k < Math.min(MOST_TERMS, count, 1 + 2 * Math.sqrt(count)); k++) {
    const power = own.reduce((sum, p) => sum + p * p, 0)
    for (let c = 0; c < 3; c++) {
      const part = own.reduce((sum, p, n) => sum + p * rest[3 * n + c], 0) / power
      own.forEach((p, n) => (rest[3 * n + c] -= part * p))
      fitted[c] = coefs.map((x, i) => (fitted[c][i] ?? 0) + part * x)
    }
    const xyz = fitted.map((f, c) => f.map((x, i) => (i === 0 ? x + position[c] : x / last ** i)))
    let apartM = 0
    timeS.forEach((t, n) => {
      apartM = Math.max(apartM, Math.hypot(...xyz.map((x, c) => valueAt(x, t) - position[3 * n + c])))
    })
    if (apartM < best.apartM) best = { xyz, apartM }
    if (best.apartM <= TRACK_M) break
    const middle = own.reduce((sum, p, n) => sum + p * p * s[n], 0) / power
    const step = k === 0 ? 0 : power / beforePower
    const [was, wasCoefs] = [before, beforeCoefs]
    ;[before, beforeCoefs, beforePower] = [own, coefs, power]
    own = before.map((p, n) => (s[n] - middle) * p - step * was[n])
    coefs = [0, ...beforeCoefs].map((x, i) => x - middle * (beforeCoefs[i] ?? 0) - step * (wasCoefs[i] ?? 0))
  }
  return best
}

/** A line where the polynomial of time that SICD has for the track is off the antenna. */
export function trackWarning(history: HistoryPart): string[] {
  // Wherever on Earth it lies.
  const { position, timeS } = trackOf(history, localFrame({ latDeg: 0, lonDeg: 0, heightM: 0 }))
  const { xyz, apartM } = trackPolynomials(timeS, position)
  return apartM <= TRACK_M
    ? []
    : [`${history.channel}: the track in the SICD file, a polynomial of degree ${xyz[0].length - 1}, is up to ${Number(apartM.toPrecision(2))} m off the antenna; the image is not affected`] // prettier-ignore
}

/** Half-power width of a window's response over that of no window's first zero, 1 / bandwidth. */
function broadening(name: WindowName): number {
  const w = windowSamples(name, 256)
  const total = w.reduce((a, b) => a + b, 0)
  const level = (x: number): number => {
    let [re, im] = [0, 0]
    w.forEach((v, n) => {
      const phase = (2 * Math.PI * x * (n - 127.5)) / 256
      re += v * Math.cos(phase)
      im += v * Math.sin(phase)
    })
    return Math.hypot(re, im) / total
  }
  let [near, far] = [0, 1]
  for (let i = 0; i < 40; i++) {
    const middle = (near + far) / 2
    if (level(middle) > Math.SQRT1_2) near = middle
    else far = middle
  }
  return 2 * near
}

interface Layout {
  rows: ArrayAxis
  cols: ArrayAxis
  centre: Vec3
  frame: LocalFrame
  scp: readonly number[]
  corners: readonly Geodetic[]
}

function sicdXml(image: FormedImage, history: HistoryPart, collection: Collection, layout: Layout): string {
  const { rows, cols, centre, frame, scp, corners } = layout
  const { freqHz, pulses, channel } = history
  const { position, timeS } = trackOf(history, frame)
  const [low, high] = [freqHz[0], freqHz[freqHz.length - 1]]
  const middle = pulses >> 1
  const { xyz } = trackPolynomials(timeS, position)
  const at = (track: number[][]): Vec3 => track.map((coefs) => valueAt(coefs, timeS[middle])) as Vec3
  const moving = xyz.map(derivative)
  const [antenna, velocity] = [at(xyz), at(moving)]
  const point = pointToEcf(frame, centre)
  const g = sarGeometry(antenna, velocity, point)
  const duration = timeS[pulses - 1]
  const polarised = /^[vh]{2}$/.test(channel)
  const both = polarised ? `${channel[0].toUpperCase()}:${channel[1].toUpperCase()}` : 'UNKNOWN'
  const corner = ['1:FRFC', '2:FRLC', '3:LRLC', '4:LRFC']
  const poly1 = (name: string, coefs: readonly number[]): string =>
    xml(name, coefs.map((c, i) => xml('Coef', c, { exponent1: i })), { order1: coefs.length - 1 }) // prettier-ignore
  const poly2 = (name: string, value: number): string =>
    xml(name, [xml('Coef', value, { exponent1: 0, exponent2: 0 })], { order1: 0, order2: 0 })
  const wide = broadening(collection.window)
  const direction = (name: 'Row' | 'Col', axis: ArrayAxis): string => {
    const band = Math.min(axis.high - axis.low, 1 / axis.stepM)
    const reach = Math.min((axis.high - axis.low) / 2, 0.5 / axis.stepM)
    return xml(name, [
      xmlVector('UVectECF', directionToEcf(frame, axis.unit)),
      xml('SS', axis.stepM),
      xml('ImpRespWid', wide / band),
      xml('Sgn', -1),
      xml('ImpRespBW', band),
      xml('KCtr', axis.middle),
      xml('DeltaK1', -reach),
      xml('DeltaK2', reach),
      xml('WgtType', [xml('WindowName', collection.window === 'none' ? 'UNIFORM' : collection.window.toUpperCase())]), // prettier-ignore
    ])
  }
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    xml(
      'SICD',
      [
        xml('CollectionInfo', [
          xml('CollectorName', 'isar'),
          xml('CoreName', collection.name),
          xml('CollectType', 'MONOSTATIC'),
          xml('RadarMode', [xml('ModeType', 'SPOTLIGHT')]),
          xml('Classification', 'UNCLASSIFIED'),
        ]),
        xml('ImageCreation', [xml('Application', `isar ${collection.version}`), xml('DateTime', START)]),
        xml('ImageData', [
          xml('PixelType', 'RE32F_IM32F'),
          xml('NumRows', rows.count),
          xml('NumCols', cols.count),
          xml('FirstRow', 0),
          xml('FirstCol', 0),
          xml('FullImage', [xml('NumRows', rows.count), xml('NumCols', cols.count)]),
          xml('SCPPixel', [xml('Row', scp[0]), xml('Col', scp[1])]),
        ]),
        xml('GeoData', [
          xml('EarthModel', 'WGS_84'),
          xmlPlace('SCP', point),
          xml('ImageCorners', corners.map(({ latDeg, lonDeg }, i) => xml('ICP', [xml('Lat', latDeg), xml('Lon', lonDeg)], { index: corner[i] }))), // prettier-ignore
        ]),
        xml('Grid', [
          xml('ImagePlane', image.plane.name.toUpperCase()),
          xml('Type', 'PLANE'),
          poly2('TimeCOAPoly', timeS[middle]),
          direction('Row', rows),
          direction('Col', cols),
        ]),
        xml('Timeline', [xml('CollectStart', START), xml('CollectDuration', duration)]),
        xml('Position', [
          xml(
            'ARPPoly',
            ['X', 'Y', 'Z'].map((axis, i) => poly1(axis, xyz[i])),
          ),
        ]),
        xml('RadarCollection', [
          xml('TxFrequency', [xml('Min', low), xml('Max', high)]),
          xml('TxPolarization', polarised ? channel[0].toUpperCase() : 'UNKNOWN'),
          xml('RcvChannels', [xml('ChanParameters', [xml('TxRcvPolarization', both)], { index: 1 })], { size: 1 }), // prettier-ignore
        ]),
        xml('ImageFormation', [
          xml('RcvChanProc', [xml('NumChanProc', 1), xml('ChanIndex', 1)]),
          xml('TxRcvPolarizationProc', both),
          xml('TStartProc', 0),
          xml('TEndProc', duration),
          xml('TxFrequencyProc', [xml('MinProc', low), xml('MaxProc', high)]),
          // PFA would need a block of its own, which images on any plane do not have.
          xml('ImageFormAlgo', 'OTHER'),
          xml('STBeamComp', 'NO'),
          xml('ImageBeamComp', 'NO'),
          xml('AzAutofocus', collection.isFocused ? 'GLOBAL' : 'NO'),
          xml('RgAutofocus', 'NO'),
          xml('Processing', [xml('Type', collection.algorithm), xml('Applied', 'true')]),
        ]),
        xml('SCPCOA', [
          xml('SCPTime', timeS[middle]),
          xmlVector('ARPPos', antenna),
          xmlVector('ARPVel', velocity),
          xmlVector('ARPAcc', at(moving.map(derivative))),
          xml('SideOfTrack', g.side),
          xml('SlantRange', g.slantRangeM),
          xml('GroundRange', g.groundRangeM),
          xml('DopplerConeAng', g.coneDeg),
          xml('GrazeAng', g.grazeDeg),
          xml('IncidenceAng', 90 - g.grazeDeg),
          xml('TwistAng', g.twistDeg),
          xml('SlopeAng', g.slopeDeg),
          xml('AzimAng', g.azimuthDeg),
          xml('LayoverAng', g.layoverDeg),
        ]),
        collection.calibrated && xml('Radiometric', [poly2('RCSSFPoly', 1)]),
      ],
      { xmlns: NAMESPACE },
    )
  )
}

/** An image read from a SICD file, on its own array. */
interface SicdImage {
  name: string
  channel: string
  rows: number
  cols: number
  /** [row][column], interleaved re, im, with the phase of its place: |pixel|^2 is RCS [m^2] where calibrated. */
  image: Float64Array
  /** Of rows and columns from the scene's centre point [m]. */
  rowM: Float64Array
  colM: Float64Array
  calibrated: boolean
  /** In the order of the file: first row and column, clockwise. */
  corners: Geodetic[]
  /** Wavelength's and geometry's figures for a title. */
  plane: string
  grazeDeg: number
  azimuthDeg: number
  resolutionM: [number, number]
}

/** Reads a SICD file's image. @throws InputError, the path first */
export async function readSicdImage(path: string): Promise<SicdImage> {
  try {
    const { rows, cols, pixels, xml: root } = await readSicd(path)
    const number = (key: string): number => root.numberOf(key)
    const [scpRow, scpCol] = [number('ImageData/SCPPixel/Row') - number('ImageData/FirstRow'), number('ImageData/SCPPixel/Col') - number('ImageData/FirstCol')] // prettier-ignore
    const axis = (
      name: 'Row' | 'Col',
      count: number,
      scp: number,
    ): { metres: Float64Array; middle: number; wide: number } => {
      const size = number(`Grid/${name}/SS`)
      const sign = root.textOf(`Grid/${name}/Sgn`).trim()
      if (!(size > 0)) throw new InputError(`its ${name} spacing is ${size} m, not above 0`)
      if (!/^[+-]?1$/.test(sign))
        throw new InputError(`its ${name} Sgn "${sign.slice(0, 10)}" is neither -1 nor 1`)
      return {
        metres: Float64Array.from({ length: count }, (_, i) => (i - scp) * size),
        middle: -Number(sign) * number(`Grid/${name}/KCtr`),
        wide: number(`Grid/${name}/ImpRespWid`),
      }
    }
    const [r, c] = [axis('Row', rows, scpRow), axis('Col', cols, scpCol)]
    const power = root.find('Radiometric/RCSSFPoly') ? constantOf(root.get('Radiometric/RCSSFPoly').text, root.get('Radiometric/RCSSFPoly').children.map((x) => x.text)) : 1 // prettier-ignore
    const scale = Math.sqrt(power)
    if (!(scale > 0 && Number.isFinite(scale))) throw new InputError(`its scale of RCS is ${power}, no power`)
    const image = new Float64Array(pixels.length)
    for (let i = 0; i < rows; i++)
      for (let l = 0; l < cols; l++) {
        const [cos, sin] = carrier(r.middle * r.metres[i] + c.middle * c.metres[l], 1)
        const at = 2 * (i * cols + l)
        if (!(Number.isFinite(pixels[at]) && Number.isFinite(pixels[at + 1])))
          throw new InputError(`its pixel ${i}, ${l} is not a finite number`)
        image[at] = scale * (pixels[at] * cos - pixels[at + 1] * sin)
        image[at + 1] = scale * (pixels[at] * sin + pixels[at + 1] * cos)
      }
    const corners = root.get('GeoData/ImageCorners').all('ICP').map((icp) => ({ latDeg: icp.numberOf('Lat'), lonDeg: icp.numberOf('Lon'), heightM: 0 })) // prettier-ignore
    if (
      corners.length !== 4 ||
      corners.some(({ latDeg, lonDeg }) => Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180)
    )
      // prettier-ignore
      throw new InputError('its image corners are not four places on Earth')
    const channel = root.textOf('ImageFormation/TxRcvPolarizationProc').toLowerCase().replace(':', '')
    return {
      name: root.textOf('CollectionInfo/CoreName'),
      channel: /^[vh]{2}$/.test(channel) ? channel : 'data',
      rows,
      cols,
      image,
      rowM: r.metres,
      colM: c.metres,
      calibrated: root.find('Radiometric/RCSSFPoly') !== undefined,
      corners,
      plane: root.textOf('Grid/ImagePlane').toLowerCase(),
      grazeDeg: number('SCPCOA/GrazeAng'),
      azimuthDeg: number('SCPCOA/AzimAng'),
      resolutionM: [r.wide, c.wide],
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`${path}: ${error.message}`, { cause: error })
  }
}

/** The constant of a polynomial over the image: what varies over it is left out. */
const constantOf = (text: string, coefficients: string[]): number => Number(coefficients[0] ?? text)

/** A KML file of an image's outline, its centre and its strongest places. */
export function kmlOf(
  name: string,
  corners: readonly Geodetic[],
  points: readonly { name: string; place: Geodetic }[],
): string {
  const text = ({ lonDeg, latDeg, heightM }: Geodetic): string => `${lonDeg.toFixed(9)},${latDeg.toFixed(9)},${heightM.toFixed(3)}` // prettier-ignore
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    xml(
      'kml',
      [
        xml('Document', [
          xml('name', name),
          xml('Placemark', [
            xml('name', `${name}: outline`),
            xml('Style', [xml('LineStyle', [xml('color', 'ff00ffff'), xml('width', 2)]), xml('PolyStyle', [xml('fill', 0)])]), // prettier-ignore
            xml('Polygon', [
              xml('outerBoundaryIs', [
                xml('LinearRing', [xml('coordinates', [...corners, corners[0]].map(text).join(' '))]),
              ]),
            ]),
          ]),
          ...points.map((p) =>
            xml('Placemark', [xml('name', p.name), xml('Point', [xml('coordinates', text(p.place))])]),
          ),
        ]),
      ],
      { xmlns: 'http://www.opengis.net/kml/2.2' },
    ) +
    '\n'
  )
}

/** Whether a file is NITF, by its first bytes. */
export async function isSicd(path: string): Promise<boolean> {
  if (!existsSync(path) || !statSync(path).isFile()) return false
  const file = await open(path)
  try {
    const bytes = new Uint8Array(9)
    await file.read(bytes, 0, 9, 0)
    return isNitf(bytes)
  } finally {
    await file.close()
  }
}

interface SicdRequest {
  path: string
  dynamicRangeDb: number | 'auto'
  formats: readonly ArrayFormat[]
  kml: boolean
}

/**
 * Writes the image of a SICD file as arrays and picture, in our orientation: on the slant plane range upwards and cross-range to the right,
 * else the array's rows from its last one up. Axes are from its centre point.
 */
export async function sicdJob(
  { path, dynamicRangeDb, formats, kml }: SicdRequest,
  place: ResultLocation,
  hooks: { say: (line: string) => void; claim: (files: string[]) => void },
): Promise<{ summary: Record<string, unknown>; files: string[] }> {
  const read = await readSicdImage(path)
  const { rows, cols, channel, calibrated, name, corners } = read
  const slant = read.plane === 'slant'
  const image = new Float64Array(read.image.length)
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const to = 2 * ((slant ? i : rows - 1 - i) * cols + (slant ? cols - 1 - l : l))
      image[to] = read.image[2 * (i * cols + l)]
      image[to + 1] = read.image[2 * (i * cols + l) + 1]
    }
  const reversed = (axis: Float64Array): Float64Array => axis.toReversed().map((x) => -x + 0)
  const [alongM, acrossM] = [slant ? read.rowM : reversed(read.rowM), slant ? reversed(read.colM) : read.colM]
  const files = [
    `image-${channel}.png`,
    ...withNpz(formats).map((format) => `image.${ARRAY_ENDINGS[format]}`),
    ...(kml ? ['image.kml'] : []),
    'meta.json',
  ]
  hooks.claim(files)
  const peak = imageDbsm(image).reduce((a, b) => Math.max(a, b))
  const unit = calibrated ? 'dBsm' : 'dB'
  hooks.say(`image     ${name} (SICD, ${read.plane} plane): ${rows} x ${cols} pixels, ${channel}, peak ${peak.toFixed(2)} ${unit}`) // prettier-ignore
  const { imagePicture } = await import('./pictures.js')
  const [range, cross] = read.resolutionM.map((m) => Number(m.toPrecision(2)))
  const axis: [number, number, number] = [0, 0, 0]
  const formed = { channel, plane: { name: slant ? ('slant' as const) : ('ground' as const), origin: axis, across: axis, along: axis }, image, alongM, acrossM, rangeResolutionM: range, crossRangeResolutionM: cross, notes: [] } // prettier-ignore
  const subtitle = `${read.plane} plane  ·  graze ${read.grazeDeg.toFixed(1)}°  ·  resolution ${range} × ${cross} m`
  const text = { title: `${name}, ${channel.toUpperCase()}`, subtitle, unit }
  const seen = { thetaDeg: 90 - read.grazeDeg, phiDeg: 90 - read.azimuthDeg }
  await writeFigure(place, `image-${channel}`, imagePicture(formed, text, peak, dynamicRange([image], dynamicRangeDb), seen), ['png']) // prettier-ignore
  const names = slant ? ['range_m', 'cross_range_m'] : ['y_m', 'x_m']
  const arrays = {
    [`image_${channel}`]: { data: image, shape: [rows, cols], dtype: '<c16' as const },
    [names[0]]: vector(alongM),
    [names[1]]: vector(acrossM),
  }
  await writeArrays(place, 'image', arrays, withNpz(formats), {})
  if (kml) await writeResult(place, 'image.kml', kmlOf(name, corners, []))
  const summary = { channels: { [channel]: { peak: Number(peak.toFixed(4)), rows, cols } } }
  await writeJson(place, 'meta.json', { command: 'image', version: VERSION, mesh: { name }, history: { name, layout: 'sicd', files: [path], calibrated }, options: { plane: slant ? 'slant' : 'ground' }, ...summary }) // prettier-ignore
  return { summary, files }
}
