import { open, type FileHandle } from 'node:fs/promises'
import { endianness } from 'node:os'
import { InputError } from '../scene/index.js'
import { bytesAt } from './bytes-at.js'
import { parseXml, type XmlElement } from './xml.js'

/**
 * Per-vector parameters of CPHD (NGA.STND.0068, table of PVPs): 8-byte words and format of each, and whether every file has it. What a
 * file has stands at `Offset` words of each vector's set.
 */
export const PVP = {
  TxTime: { words: 1, required: true },
  TxPos: { words: 3, required: true },
  TxVel: { words: 3, required: true },
  RcvTime: { words: 1, required: true },
  RcvPos: { words: 3, required: true },
  RcvVel: { words: 3, required: true },
  SRPPos: { words: 3, required: true },
  AmpSF: { words: 1, required: false },
  aFDOP: { words: 1, required: true },
  aFRR1: { words: 1, required: true },
  aFRR2: { words: 1, required: true },
  FX1: { words: 1, required: true },
  FX2: { words: 1, required: true },
  FXN1: { words: 1, required: false },
  FXN2: { words: 1, required: false },
  TOA1: { words: 1, required: true },
  TOA2: { words: 1, required: true },
  TOAE1: { words: 1, required: false },
  TOAE2: { words: 1, required: false },
  TDTropoSRP: { words: 1, required: true },
  TDIonoSRP: { words: 1, required: false },
  SC0: { words: 1, required: true },
  SCSS: { words: 1, required: true },
  SIGNAL: { words: 1, required: false },
} as const
export type PvpName = keyof typeof PVP
export const pvpFormat = (name: PvpName): string =>
  name === 'SIGNAL' ? 'I8' : PVP[name].words === 3 ? 'X=F8;Y=F8;Z=F8;' : 'F8'

/** Bytes of a complex sample. */
const SAMPLE = { CI2: 2, CI4: 4, CF8: 8 } as const
type SampleFormat = keyof typeof SAMPLE

/** Header, XML, and PVPs beyond these sizes are lies or of no use here [bytes]. */
const MOST_HEADER = 2 ** 16
const MOST_XML = 2 ** 26
const MOST_PVP = 2 ** 31
/** Bytes of the signal block read at a time. */
const PIECE = 2 ** 24

/** Keys of the header that every file has. */
const REQUIRED_KEYS = ['XML_BLOCK_SIZE', 'XML_BLOCK_BYTE_OFFSET', 'PVP_BLOCK_SIZE', 'PVP_BLOCK_BYTE_OFFSET', 'SIGNAL_BLOCK_SIZE', 'SIGNAL_BLOCK_BYTE_OFFSET', 'CLASSIFICATION', 'RELEASE_INFO'] // prettier-ignore

/** One channel's arrays in the file. */
export interface CphdChannel {
  identifier: string
  vectors: number
  samples: number
  /** Transmit and receive polarisation, `V`, `H`, … */
  polarisation: [string, string]
  /** Power of a sample of 0 dBsm, where the file says it. */
  reference?: number
  pvpOffset: number
  signalOffset: number
}

/** Compensated phase history data (CPHD 1.0, 1.1): header, XML and places of the arrays, all checked against the file's size. */
export class CphdFile {
  readonly version: string
  readonly header: ReadonlyMap<string, string>

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    { version, header }: { version: string; header: ReadonlyMap<string, string> },
    readonly xml: XmlElement,
    readonly channels: CphdChannel[],
    private readonly sampleFormat: SampleFormat,
  ) {
    this.version = version
    this.header = header
  }

  /** Opens a file; close it. @throws InputError, one line, for what is not a whole CPHD file that says what it holds */
  static async open(path: string): Promise<CphdFile> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const { version, header } = readHeader(await bytesAt(file, 0, Math.min(size, MOST_HEADER)))
      const blocks = checkBlocks(header, size)
      const block = await bytesAt(file, blocks.XML.offset, blocks.XML.size + 2)
      if (block[block.length - 2] !== 0x0c || block[block.length - 1] !== 0x0a)
        throw new InputError('its XML block does not end with the section terminator; it is damaged')
      const xml = parseXml(new TextDecoder().decode(block.subarray(0, -2)), 'the XML of the CPHD file')
      if (xml.name !== 'CPHD') throw new InputError(`its XML is <${xml.name}>, not <CPHD>`)
      checkPvps(xml, blocks.PVP.size)
      const format = xml.textOf('Data/SignalArrayFormat')
      if (!(format in SAMPLE))
        throw new InputError(`its signal format "${format.slice(0, 20)}" is none of CI2, CI4, CF8`)
      if (xml.find('Data/SignalCompressionID'))
        throw new InputError('its signal block is compressed, which is not read; give one that is not')
      const channels = channelsOf(xml, blocks, SAMPLE[format as SampleFormat])
      return new CphdFile(path, file, { version, header }, xml, channels, format as SampleFormat)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /** The values of a parameter, `words` numbers for each vector; undefined where the file has none. */
  async pvp(
    channel: CphdChannel,
    names: readonly PvpName[],
  ): Promise<Partial<Record<PvpName, Float64Array>>> {
    const bytes = this.xml.countOf('Data/NumBytesPVP')
    const found = names.filter((name) => this.xml.find(`PVP/${name}`))
    const out = Object.fromEntries(found.map((name) => [name, new Float64Array(PVP[name].words * channel.vectors)])) // prettier-ignore
    const each = Math.max(1, Math.floor(PIECE / bytes))
    for (let first = 0; first < channel.vectors; first += each) {
      const count = Math.min(each, channel.vectors - first)
      const data = await bytesAt(this.file, channel.pvpOffset + first * bytes, count * bytes)
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
      for (const name of found) {
        const { words } = PVP[name]
        const at = 8 * this.xml.countOf(`PVP/${name}/Offset`)
        for (let n = 0; n < count; n++)
          for (let w = 0; w < words; w++) {
            const from = n * bytes + at + 8 * w
            out[name][(first + n) * words + w] =
              name === 'SIGNAL' ? Number(view.getBigInt64(from)) : view.getFloat64(from)
          }
      }
    }
    return out
  }

  /** Samples of vectors `first` … , some at a time: (number of the vector, its samples interleaved re, im). */
  async signal(
    channel: CphdChannel,
    take: (vector: number, samples: Float32Array | Int16Array | Int8Array) => void,
  ): Promise<void> {
    const { vectors, samples, signalOffset } = channel
    const bytes = SAMPLE[this.sampleFormat] * samples
    const each = Math.max(1, Math.floor(PIECE / bytes))
    for (let first = 0; first < vectors; first += each) {
      const count = Math.min(each, vectors - first)
      const data = await bytesAt(this.file, signalOffset + first * bytes, count * bytes)
      const words = wordsOf(data, this.sampleFormat)
      for (let n = 0; n < count; n++) take(first + n, words.subarray(2 * samples * n, 2 * samples * (n + 1)))
    }
  }
}

/** Big-endian samples as numbers of this machine; the bytes are changed in place. */
function wordsOf(data: Buffer, format: SampleFormat): Float32Array | Int16Array | Int8Array {
  const swap = endianness() === 'LE'
  if (format === 'CF8') {
    if (swap) data.swap32()
    return new Float32Array(data.buffer)
  }
  if (format === 'CI2') return new Int8Array(data.buffer)
  if (swap) data.swap16()
  return new Int16Array(data.buffer)
}

/** Whether a file's first bytes are those of a CPHD or CRSD file. */
export const isPhaseHistory = (bytes: Uint8Array): 'CPHD' | 'CRSD' | undefined => {
  const name = String.fromCharCode(...bytes.subarray(0, 4))
  if (name === 'CPHD') return 'CPHD'
  return name === 'CRSD' ? 'CRSD' : undefined
}

function readHeader(bytes: Buffer): { version: string; header: Map<string, string> } {
  const end = bytes.indexOf('\f\n')
  const text = bytes.subarray(0, Math.max(0, end)).toString('latin1')
  const [first, ...lines] = text.split('\n')
  const version = /^CPHD\/(\S{1,20})$/.exec(first)?.[1]
  if (end < 0 || version === undefined)
    throw new InputError(
      'its header does not begin with CPHD/VERSION and end with the section terminator; it is damaged',
    )
  if (!/^1\.[01]\./.test(`${version}.`))
    throw new InputError(`it is of CPHD ${version}; 1.0 and 1.1 are read`)
  const header = new Map<string, string>()
  for (const line of lines.filter((l) => l !== '')) {
    const [, key, value] = /^(\w+) := (.*)$/.exec(line) ?? []
    if (key === undefined || header.has(key))
      throw new InputError(`its header has the line "${line.slice(0, 40)}", not KEY := VALUE once`)
    header.set(key, value)
  }
  for (const key of REQUIRED_KEYS) if (!header.has(key)) throw new InputError(`its header has no ${key}`)
  return { version, header }
}

interface Block {
  offset: number
  size: number
}

/** Blocks in their order, none beyond the file. */
function checkBlocks(header: Map<string, string>, fileSize: number): Record<'XML' | 'PVP' | 'SIGNAL', Block> {
  const number = (key: string): number => {
    const text = header.get(key)!
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN
    if (!Number.isSafeInteger(value))
      throw new InputError(`its header has ${key} := "${text.slice(0, 20)}", not a whole number`)
    return value
  }
  const block = (name: string): Block => ({
    offset: number(`${name}_BLOCK_BYTE_OFFSET`),
    size: number(`${name}_BLOCK_SIZE`),
  })
  const has = header.has('SUPPORT_BLOCK_SIZE') && header.has('SUPPORT_BLOCK_BYTE_OFFSET')
  const order = ['XML', ...(has ? ['SUPPORT'] : []), 'PVP', 'SIGNAL'].map((name) => ({
    name,
    ...block(name),
  }))
  let before = 0
  for (const { name, offset, size } of order) {
    if (offset < before)
      throw new InputError(`its ${name} block begins inside the block before it; its header is wrong`)
    before = offset + size
    if (before > fileSize)
      throw new InputError(
        `its ${name} block ends at byte ${before} of ${fileSize}: it is cut off, or its header is wrong`,
      )
  }
  const { XML, PVP: pvp, SIGNAL } = Object.fromEntries(order.map((b) => [b.name, b]))
  if (XML.size > MOST_XML || pvp.size > MOST_PVP)
    throw new InputError(`its XML has ${XML.size} bytes and its PVPs ${pvp.size}: too large`)
  return { XML, PVP: pvp, SIGNAL }
}

/** Sizes, formats and places of parameters as the standard has them, none over another. */
function checkPvps(xml: XmlElement, blockBytes: number): void {
  const bytes = xml.countOf('Data/NumBytesPVP')
  if (bytes === 0 || bytes % 8 !== 0 || bytes > blockBytes)
    throw new InputError(`its PVPs have ${bytes} bytes a vector, not words of 8 in a block of ${blockBytes}`)
  const used = new Map<number, string>()
  // Steering of the antennas (CPHD 1.1) stands in elements of its own.
  const elements = xml.get('PVP').children.flatMap((e) => (/^(Tx|Rcv)Antenna$/.test(e.name) ? e.children : [e])) // prettier-ignore
  for (const element of elements) {
    const added = element.name === 'AddedPVP'
    const name = added ? element.textOf('Name') : element.name
    const [offset, size] = [element.countOf('Offset'), element.countOf('Size')]
    if (element.name in PVP) {
      const known = element.name as PvpName
      if (size !== PVP[known].words || element.textOf('Format') !== pvpFormat(known))
        throw new InputError(
          `its PVP ${name} has ${size} words of "${element.textOf('Format').slice(0, 24)}", not ${PVP[known].words} of "${pvpFormat(known)}"`,
        )
    }
    if (!(size >= 1 && 8 * (offset + size) <= bytes))
      throw new InputError(
        `its PVP ${name} stands at words ${offset} to ${offset + size - 1}, beyond the ${bytes / 8} of a vector`,
      )
    for (let word = offset; word < offset + size; word++) {
      if (used.has(word))
        throw new InputError(`its PVPs ${used.get(word)} and ${name} overlap; its XML is wrong`)
      used.set(word, name)
    }
  }
  for (const name of Object.keys(PVP) as PvpName[])
    if (PVP[name].required && !xml.find(`PVP/${name}`)) throw new InputError(`its XML has no PVP ${name}`)
}

function channelsOf(
  xml: XmlElement,
  blocks: { PVP: Block; SIGNAL: Block },
  sampleBytes: number,
): CphdChannel[] {
  const pvpBytes = xml.countOf('Data/NumBytesPVP')
  const elements = xml.get('Data').all('Channel')
  if (elements.length === 0 || elements.length !== xml.countOf('Data/NumCPHDChannels'))
    throw new InputError(
      `its XML has ${elements.length} channels, and says ${xml.textOf('Data/NumCPHDChannels').slice(0, 10)}`,
    )
  const parameters = xml.get('Channel').all('Parameters')
  const names = new Set<string>()
  return elements.map((element) => {
    const identifier = element.textOf('Identifier')
    if (names.has(identifier)) throw new InputError(`its channel "${identifier.slice(0, 40)}" occurs twice`)
    names.add(identifier)
    const own = parameters.find((p) => p.textOf('Identifier') === identifier)
    if (!own) throw new InputError(`its XML has no parameters of channel "${identifier.slice(0, 40)}"`)
    const [vectors, samples] = [element.countOf('NumVectors'), element.countOf('NumSamples')]
    const place = (key: string, block: Block, size: number): number => {
      const offset = element.countOf(key)
      if (!(size > 0 && offset + size <= block.size))
        throw new InputError(
          `channel "${identifier.slice(0, 40)}": ${key} ${offset} and ${vectors} vectors of ${samples} samples do not fit the ${block.size} bytes of their block`,
        )
      return block.offset + offset
    }
    return {
      identifier,
      vectors,
      samples,
      polarisation: [own.textOf('Polarization/TxPol'), own.textOf('Polarization/RcvPol')],
      ...(own.find('TgtRefLevel/PTRef') && { reference: own.numberOf('TgtRefLevel/PTRef') }),
      pvpOffset: place('PVPArrayByteOffset', blocks.PVP, vectors * pvpBytes),
      signalOffset: place('SignalArrayByteOffset', blocks.SIGNAL, vectors * samples * sampleBytes),
    }
  })
}

/** A channel to be written: PVPs of the names of `PVP`, and complex samples [vector][sample], interleaved. */
interface CphdArrays {
  pvp: Partial<Record<PvpName, Float64Array>>
  vectors: number
  samples: number
  signal: Float32Array
}

/** Words of the PVPs of a file that has these, and where each stands. */
export function pvpLayout(names: readonly PvpName[]): {
  words: number
  offsets: Partial<Record<PvpName, number>>
} {
  const offsets: Partial<Record<PvpName, number>> = {}
  let words = 0
  for (const name of (Object.keys(PVP) as PvpName[]).filter((n) => names.includes(n))) {
    offsets[name] = words
    words += PVP[name].words
  }
  return { words, offsets }
}

/** A CPHD 1.0.1 file of CF8 samples, from its XML (as text) and arrays, in the order of the XML's channels. */
export function writeCphd(
  xml: string,
  channels: readonly CphdArrays[],
  classification = 'UNCLASSIFIED',
): Uint8Array {
  const { words, offsets } = pvpLayout(Object.keys(channels[0].pvp) as PvpName[])
  const text = new TextEncoder().encode(xml)
  const pvpSize = channels.reduce((sum, { vectors }) => sum + 8 * words * vectors, 0)
  const signalSize = channels.reduce((sum, { signal }) => sum + 4 * signal.length, 0)
  const aligned = (at: number): number => 64 * Math.ceil(at / 64)
  const xmlAt = 1024
  const pvpAt = aligned(xmlAt + text.length + 2)
  const signalAt = aligned(pvpAt + pvpSize)
  const header = ['CPHD/1.0.1', `XML_BLOCK_SIZE := ${text.length}`, `XML_BLOCK_BYTE_OFFSET := ${xmlAt}`, `PVP_BLOCK_SIZE := ${pvpSize}`, `PVP_BLOCK_BYTE_OFFSET := ${pvpAt}`, `SIGNAL_BLOCK_SIZE := ${signalSize}`, `SIGNAL_BLOCK_BYTE_OFFSET := ${signalAt}`, `CLASSIFICATION := ${classification}`, 'RELEASE_INFO := UNRESTRICTED'] // prettier-ignore
  const out = new Uint8Array(signalAt + signalSize)
  out.set(new TextEncoder().encode(`${header.join('\n')}\n\f\n`))
  out.set(text, xmlAt)
  out.set([0x0c, 0x0a], xmlAt + text.length)
  const view = new DataView(out.buffer)
  let [pvp, signal] = [pvpAt, signalAt]
  for (const channel of channels) {
    for (const [name, values] of Object.entries(channel.pvp) as [PvpName, Float64Array][]) {
      const each = PVP[name].words
      for (let i = 0; i < values.length; i++) {
        const at = pvp + 8 * (words * Math.floor(i / each) + offsets[name]! + (i % each))
        if (name === 'SIGNAL') view.setBigInt64(at, BigInt(values[i]))
        else view.setFloat64(at, values[i])
      }
    }
    for (let i = 0; i < channel.signal.length; i++) view.setFloat32(signal + 4 * i, channel.signal[i])
    pvp += 8 * words * channel.vectors
    signal += 4 * channel.signal.length
  }
  return out
}
