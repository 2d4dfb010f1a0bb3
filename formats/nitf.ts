import { open, type FileHandle } from 'node:fs/promises'
import { InputError } from '../scene/index.js'
import { bytesAt } from './bytes-at.js'
import { parseXml, type XmlElement } from './xml.js'

/**
 * Complex images in NITF 2.1 (MIL-STD-2500C) as SICD lays them out (NGA.STND.0024, volume 2): image segments of two bands, the XML in a data
 * extension segment. Lengths of the fields stand here in their order.
 */
const SECURITY = [1, 2, 11, 2, 20, 2, 8, 4, 1, 8, 43, 1, 40, 1, 8, 15]
/** User-defined subheader of the XML: DESCRC, DESSHFT, DESSHDT, DESSHRP, DESSHSI, DESSHSV, DESSHSD, DESSHTN, DESSHLPG, DESSHLPT, DESSHLI, DESSHLIN, DESSHABS. */
const XML_HEADER = [5, 8, 20, 40, 60, 10, 20, 120, 125, 25, 20, 120, 200]
const MOST_PIXELS = 2 ** 26
const MOST_XML = 2 ** 26

/** Text in a field of a length; numbers with leading zeros. */
const field = (value: string | number, length: number): string =>
  typeof value === 'number' ? String(value).padStart(length, '0') : value.replace(/[^ -~\u00a0-\u00ff]/gu, '?').padEnd(length).slice(0, length) // prettier-ignore
/** Unclassified. */
const security = (): string => SECURITY.map((n, i) => field(i === 0 ? 'U' : '', n)).join('')

export interface ComplexImage {
  rows: number
  cols: number
  /** [row][column], interleaved re, im. */
  pixels: Float32Array
}

interface SicdFile extends ComplexImage {
  xml: XmlElement
}

/** What a SICD file says outside its XML. */
interface SicdHeader {
  title: string
  /** YYYYMMDDhhmmss. */
  date: string
  /** First and last row, from its left: latitude and longitude of the corners, clockwise [degrees]. */
  corners: readonly { latDeg: number; lonDeg: number }[]
  /** Name space of the XML. */
  namespace: string
}

/** A SICD file of 32-bit floats. @throws InputError for an image that one segment cannot hold */
export function writeSicd(
  xml: string,
  image: ComplexImage,
  { title, date, corners, namespace }: SicdHeader,
): Uint8Array {
  const { rows, cols, pixels } = image
  if (rows > 99_999 || 4 * pixels.length > 9_999_999_998)
    throw new InputError(
      `SICD: an image of ${rows} x ${cols} pixels does not fit one segment; give coarser pixels`,
    )
  const text = new TextEncoder().encode(xml)
  const angle = (deg: number, digits: number, signs: string): string => {
    const seconds = Math.round(Math.abs(deg) * 3600)
    return `${field(Math.floor(seconds / 3600), digits)}${field(Math.floor(seconds / 60) % 60, 2)}${field(seconds % 60, 2)}${signs[deg < 0 ? 1 : 0]}` // prettier-ignore
  }
  const places = corners.map(({ latDeg, lonDeg }) => angle(latDeg, 2, 'NS') + angle(lonDeg, 3, 'EW')).join('')
  const degrees = (deg: number, length: number): string => `${deg < 0 ? '-' : '+'}${Math.abs(deg).toFixed(8).padStart(length, '0')}` // prettier-ignore
  const polygon = [...corners, corners[0]].map(({ latDeg, lonDeg }) => degrees(latDeg, 11) + degrees(lonDeg, 12)).join('') // prettier-ignore
  const band = (part: string): string => `${field('', 2)}${field(part, 6)}N${field('', 3)}0`
  const imageHeader = [
    'IM', field('SICD000', 10), date, field('', 17), field(title, 80), security(), '0', field('isar', 42),
    field(rows, 8), field(cols, 8), 'R  ', field('NODISPLY', 8), field('SAR', 8), '32', 'R', 'G', places, '0', 'NC', '2', band('I'), band('Q'),
    '0', 'P', '0001', '0001', field(cols > 8192 ? 0 : cols, 4), field(rows > 8192 ? 0 : rows, 4), '32', '001', '000', field(0, 10), '1.0 ', field(0, 5), field(0, 5),
  ].join('') // prettier-ignore
  const xmlValues = ['99999', 'XML', date.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'), '', 'SICD Volume 1 Design & Implementation Description Document', '1.3', '2021-11-30T00:00:00Z', namespace, polygon] // prettier-ignore
  const xmlHeader = XML_HEADER.map((n, i) => field(xmlValues[i] ?? '', n)).join('')
  const desHeader = ['DE', field('XML_DATA_CONTENT', 25), '01', security(), field(xmlHeader.length, 4), xmlHeader].join('') // prettier-ignore
  const imageBytes = 4 * pixels.length
  const build = (length: number, headerLength: number): string =>
    [
      'NITF02.10', level(rows, cols, length), 'BF01', field('isar', 10), date, field(title, 80), security(), field(0, 5), field(0, 5), '0', '\0\0\0', field('', 24), field('', 18),
      field(length, 12), field(headerLength, 6),
      '001', field(imageHeader.length, 6), field(imageBytes, 10), '000', '000', '000',
      '001', field(desHeader.length, 4), field(text.length, 9), '000', field(0, 5), field(0, 5),
    ].join('') // prettier-ignore
  const headerLength = build(0, 0).length
  const total = headerLength + imageHeader.length + imageBytes + desHeader.length + text.length
  const out = new Uint8Array(total)
  const latin = (s: string): Uint8Array => Uint8Array.from(s, (c) => c.charCodeAt(0))
  out.set(latin(build(total, headerLength)))
  out.set(latin(imageHeader), headerLength)
  const view = new DataView(out.buffer, headerLength + imageHeader.length, imageBytes)
  for (let i = 0; i < pixels.length; i++) view.setFloat32(4 * i, pixels[i])
  out.set(latin(desHeader), headerLength + imageHeader.length + imageBytes)
  out.set(text, total - text.length)
  return out
}

/** Complexity level of a file. */
function level(rows: number, cols: number, bytes: number): string {
  const most = Math.max(rows, cols)
  if (most <= 2048 && bytes < 50 * 2 ** 20) return '03'
  if (most <= 8192 && bytes < 2 ** 30) return '05'
  return most <= 65_536 && bytes < 2 ** 31 ? '06' : '07'
}

/** Fields of a header, one after the other. */
class Fields {
  private at = 0
  constructor(
    private readonly bytes: Uint8Array,
    private readonly what: string,
  ) {}

  text(length: number): string {
    if (this.at + length > this.bytes.length)
      throw new InputError(`its ${this.what} ends early; it is damaged`)
    const found = String.fromCharCode(...this.bytes.subarray(this.at, this.at + length))
    this.at += length
    return found
  }

  number(length: number, name: string): number {
    const text = this.text(length)
    if (!/^\d+$/.test(text))
      throw new InputError(`its ${this.what} has ${name} "${text.slice(0, 12)}", not a number`)
    return Number(text)
  }

  skip(lengths: readonly number[]): void {
    for (const length of lengths) this.text(length)
  }
}

/** Whether a file's first bytes are those of NITF 2.1. */
export const isNitf = (bytes: Uint8Array): boolean =>
  String.fromCharCode(...bytes.subarray(0, 9)) === 'NITF02.10'

/** Reads a SICD file. @throws InputError, one line, for what is not a whole one, or lies */
export async function readSicd(path: string): Promise<SicdFile> {
  const file = await open(path)
  try {
    return await readOpened(file)
  } finally {
    await file.close()
  }
}

interface Segment {
  header: number
  at: number
  size: number
}

async function readOpened(file: FileHandle): Promise<SicdFile> {
  const { size } = await file.stat()
  const first = new Fields(await bytesAt(file, 0, Math.min(size, 2 ** 20)), 'file header')
  if (first.text(9) !== 'NITF02.10') throw new InputError('it is not NITF 2.1')
  first.skip([2, 4, 10, 14, 80, ...SECURITY, 5, 5, 1, 3, 24, 18])
  const [length, headerLength] = [first.number(12, 'FL'), first.number(6, 'HL')]
  if (length !== size)
    throw new InputError(
      `its header gives ${length} bytes, and it has ${size}: it is cut off, or its header is wrong`,
    )
  const lengths = (head: number, data: number, name: string): [number, number][] =>
    Array.from({ length: first.number(3, `NUM${name}`) }, () => [
      first.number(head, `L${name}SH`),
      first.number(data, `L${name}`),
    ])
  const [images, graphics] = [lengths(6, 10, 'I'), lengths(4, 6, 'S')]
  first.skip([3])
  const [texts, extensions] = [lengths(4, 5, 'T'), lengths(4, 9, 'DES')]
  let at = headerLength
  const place = ([head, data]: [number, number]): Segment => {
    const segment = { header: at, at: at + head, size: data }
    at += head + data
    if (at > size) throw new InputError(`its segments end at byte ${at} of ${size}: its header is wrong`)
    return segment
  }
  const parts = images.map(place)
  for (const other of [...graphics, ...texts]) place(other)
  const xml = await sicdXml(file, extensions.map(place))
  const type = xml.textOf('ImageData/PixelType')
  const kind = PIXELS[type]
  if (!kind) throw new InputError(`its pixels are "${type.slice(0, 20)}", which SICD does not have`)
  const [rows, cols] = [xml.countOf('ImageData/NumRows'), xml.countOf('ImageData/NumCols')]
  if (!(rows >= 1 && cols >= 1 && rows * cols <= MOST_PIXELS))
    throw new InputError(`its image has ${rows} x ${cols} pixels; 1 to ${MOST_PIXELS} are read`)
  const table = xml.find('ImageData/AmpTable')?.all('Amplitude').map((a) => Number(a.text)) // prettier-ignore
  const pixels = new Float32Array(2 * rows * cols)
  let row = 0
  for (const part of parts) {
    const head = new Fields(await bytesAt(file, part.header, part.at - part.header), 'image header')
    row += checkSegment(head, { type, kind, cols, rowsLeft: rows - row, size: part.size })
    const data = await bytesAt(file, part.at, part.size)
    const view = new DataView(data.buffer)
    const start = 2 * cols * row - part.size / kind.bytes
    for (let i = 0; i < part.size / kind.bytes; i += 2) {
      const [a, b] = [kind.read(view, kind.bytes * i), kind.read(view, kind.bytes * (i + 1))]
      const amplitude = type === 'AMP8I_PHS8I' ? (table?.[a] ?? a) : 0
      pixels[start + i] = amplitude ? amplitude * Math.cos((2 * Math.PI * b) / 256) : type === 'AMP8I_PHS8I' ? 0 : a // prettier-ignore
      pixels[start + i + 1] = amplitude ? amplitude * Math.sin((2 * Math.PI * b) / 256) : type === 'AMP8I_PHS8I' ? 0 : b // prettier-ignore
    }
  }
  if (row !== rows) throw new InputError(`its image segments have ${row} rows, and its XML says ${rows}`)
  return { rows, cols, pixels, xml }
}

/** Of a type of pixels: bytes of a component, value type in NITF, and how one is read. */
interface Pixels {
  bytes: number
  value: string
  read: (view: DataView, at: number) => number
}
const PIXELS: Record<string, Pixels | undefined> = {
  RE32F_IM32F: { bytes: 4, value: 'R', read: (view, at) => view.getFloat32(at) },
  RE16I_IM16I: { bytes: 2, value: 'SI', read: (view, at) => view.getInt16(at) },
  AMP8I_PHS8I: { bytes: 1, value: 'INT', read: (view, at) => view.getUint8(at) },
}

/** Rows of an image segment. @throws InputError where it is not laid out as SICD's, or does not fit */
function checkSegment(
  head: Fields,
  {
    type,
    kind,
    cols,
    rowsLeft,
    size,
  }: { type: string; kind: Pixels; cols: number; rowsLeft: number; size: number },
): number {
  head.skip([2, 10, 14, 17, 80, ...SECURITY, 1, 42])
  const [rows, columns] = [head.number(8, 'NROWS'), head.number(8, 'NCOLS')]
  const value = head.text(3).trim()
  head.skip([8, 8, 2, 1])
  if (head.text(1) !== ' ') head.skip([60])
  head.skip(Array.from({ length: head.number(1, 'NICOM') }, () => 80))
  const compression = head.text(2)
  if (compression !== 'NC')
    throw new InputError(`its pixels are compressed (${compression}), which SICD does not allow`)
  const bands = head.number(1, 'NBANDS')
  for (let i = 0; i < bands; i++) head.skip([2, 6, 1, 3, 1])
  head.skip([1])
  const mode = head.text(1)
  const blocks = [head.number(4, 'NBPR'), head.number(4, 'NBPC')]
  head.skip([4, 4])
  const bits = head.number(2, 'NBPP')
  if (
    value !== kind.value ||
    bits !== 8 * kind.bytes ||
    bands !== 2 ||
    mode !== 'P' ||
    blocks[0] * blocks[1] !== 1
  )
    throw new InputError(
      `its image segment (${value} of ${bits} bits, ${bands} bands, mode ${mode}, ${blocks.join(' x ')} blocks) is not laid out as SICD's ${type}`,
    )
  if (columns !== cols || rows < 1 || rows > rowsLeft || size !== 2 * kind.bytes * rows * cols)
    throw new InputError(
      `its image segment of ${rows} x ${columns} pixels and ${size} bytes does not fit the ${cols} columns of its XML`,
    )
  return rows
}

/** The XML of the data extension that holds SICD. */
async function sicdXml(file: FileHandle, segments: Segment[]): Promise<XmlElement> {
  for (const { header, at, size } of segments) {
    const name = new Fields(await bytesAt(file, header, at - header), 'data extension')
    name.skip([2])
    if (!/^(XML_DATA_CONTENT|SICD_XML)\s*$/.test(name.text(25))) continue
    if (size > MOST_XML) throw new InputError(`its XML has ${size} bytes: too large`)
    const xml = parseXml(new TextDecoder().decode(await bytesAt(file, at, size)), 'the XML of the SICD file')
    if (xml.name === 'SICD') return xml
  }
  throw new InputError('it has no SICD in its data extensions: it is another kind of NITF file')
}
