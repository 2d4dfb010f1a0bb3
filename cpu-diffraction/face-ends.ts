import type { EdgeModule } from './edge-module.js'
import { endWeights, WEIGHTS } from './end-part.js'
import type { EdgeFace } from './face.js'
import { TERM_SIZE } from './smooth-remainder.js'
import { lengthRange } from './wedge.js'

/** Faces whose numbers are kept in the module's memory: those of an edge, and some to spare. */
const MOST_RECORDS = 4
/** Doubles of a record before its exponentials: places as in cpu-diffraction/wasm/amplitudes.ts. */
const HEAD = 31
const WEIGHTS_AT = 19

/** What the module's memory holds of a face. */
interface FaceRecord {
  face: EdgeFace
  /** `EdgeFace.aimed` of what is held. */
  aimed: number
  address: number
  /** Length range of the exponentials held, -1 for none, and how many there are. */
  range: number
  terms: number
}

/** Doubles of a record of so many exponentials. */
const recordSize = (terms: number): number => HEAD + TERM_SIZE * terms

const weights = new Float64Array(WEIGHTS)

/**
 * Amplitudes [m] of the two parts of segments at the wavenumbers of a few nodes, evaluated by the WebAssembly module: four complex
 * channels a node, as pairs. A face's numbers are copied to the module when it has been aimed again, and its exponentials when
 * strips change their length class.
 */
export class FaceEnds {
  /** Address of what `end` and `limit` write, 8 numbers a node, and the numbers. */
  readonly far: number
  readonly farValues: Float64Array
  private readonly records: FaceRecord[] = []
  private oldest = 0

  /**
   * @param k       wavenumbers [rad/m]
   * @param highest  of the band
   * @param terms    exponentials of a face at most (`mostTerms`)
   */
  constructor(
    private readonly module: EdgeModule,
    k: Float64Array,
    private readonly highest: number,
    private readonly terms: number,
  ) {
    const count = k.length
    const even = evenCount(count)
    const nodes = Float64Array.from({ length: even }, (_, p) => k[Math.min(p, count - 1)])
    module.run.setNodes(count, module.put(nodes))
    this.far = module.reserve(8 * even)
    this.farValues = module.view(this.far, 8 * count)
  }

  /**
   * Adds the untruncated part of a segment, A s1.
   *
   * @param amplitudes  address of the numbers A_ch
   * @param length      of the segment [m]
   * @param x           half the length times its phase slope [m]
   * @param sum         address of 8 numbers a node
   */
  addUntruncated(amplitudes: number, length: number, x: number, sum: number): void {
    this.module.run.addUntruncated(amplitudes, length, x, sum)
  }

  /** Adds what the end of a piece has of the integral of the numbers A_ch at an address: A_ch `factor`/(jk), factor = +-1/slide. */
  addUntruncatedEnd(amplitudes: number, factor: number, sum: number): void {
    this.module.run.addUntruncatedEnd(amplitudes, factor, sum)
  }

  /** Address of a face's untruncated amplitudes A_ch. */
  untruncated(face: EdgeFace): number {
    return this.recordOf(face).address
  }

  /**
   * Writes the end part of a face's segment, -A_cor s2, without the phase of its own delay psi - l cone.
   *
   * @param perK  L per wavenumber [m]
   * @param x2    half the length times the phase slope of the end [m]
   */
  end(face: EdgeFace, length: number, perK: number, x2: number): void {
    const { strip } = face
    const record = this.recordOf(face)
    if (!strip.closed) this.hold(record, lengthRange(this.highest * perK))
    this.module.run.endPart(record.address, record.terms, strip.pole.present, length, perK, x2, this.far)
  }

  /**
   * Writes what one end of a piece has of the integral of the end part along it (`endLimit` in wasm/amplitudes.ts).
   *
   * @param range  length range of the piece
   */
  limit(face: EdgeFace, range: number, perK: number, phase: number, slope: number, reach: number): void {
    const { strip } = face
    const record = this.recordOf(face)
    if (!strip.closed) this.hold(record, range)
    this.module.run.endLimit(
      record.address,
      record.terms,
      strip.pole.present,
      perK,
      phase,
      slope,
      reach,
      this.far,
    )
  }

  /** The record of a face as it is aimed now. */
  private recordOf(face: EdgeFace): FaceRecord {
    const { records } = this
    let record: FaceRecord | undefined
    for (let i = 0; i < records.length; i++) if (records[i].face === face) record = records[i]
    record ??= this.newRecord(face)
    if (record.aimed !== face.aimed) this.aim(record)
    return record
  }

  private newRecord(face: EdgeFace): FaceRecord {
    const { records, module } = this
    if (records.length < MOST_RECORDS) {
      const address = module.reserve(recordSize(this.terms))
      const record = { face, aimed: -1, address, range: -1, terms: 0 }
      records.push(record)
      return record
    }
    const record = records[this.oldest]
    this.oldest = (this.oldest + 1) % MOST_RECORDS
    record.face = face
    record.aimed = -1
    return record
  }

  /** Copies what depends on direction only. */
  private aim(record: FaceRecord): void {
    const { module } = this
    const { face, address } = record
    const { strip } = face
    record.aimed = face.aimed
    record.range = -1
    record.terms = 0
    module.write(face.untruncated, address)
    module.write(face.coefS, address + 32)
    module.write(face.coefT, address + 64)
    module.write(face.coefR, address + 96)
    const head = module.view(address + 128, 3)
    head[0] = strip.c
    head[1] = strip.a
    head[2] = strip.pole.a
    endWeights(strip, weights)
    module.write(weights, address + 8 * WEIGHTS_AT)
  }

  /** Copies the exponentials of a length range behind a face's numbers. */
  private hold(record: FaceRecord, range: number): void {
    if (record.range === range) return
    const { count, data } = record.face.strip.rangeSum(range)
    record.range = range
    record.terms = count
    this.module.view(record.address + 8 * HEAD, TERM_SIZE * count).set(data)
  }
}

/** Nodes are taken two at a time. */
const evenCount = (nodes: number): number => nodes + (nodes % 2)

/** Doubles that a `FaceEnds` of so many nodes and exponentials takes of its module's memory. */
export const facesRoom = (nodes: number, terms: number): number =>
  9 * evenCount(nodes) + MOST_RECORDS * (recordSize(terms) + 1)
