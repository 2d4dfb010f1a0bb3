import { sinc } from '../rays/index.js'
import type { EdgeModule } from './edge-module.js'
import { endWeights, endWithoutPhase, WEIGHTS } from './end-part.js'
import type { EdgeFace } from './face.js'
import { TERM_SIZE } from './smooth-remainder.js'
import { lengthClass } from './wedge.js'

/** Faces whose numbers are kept in the module's memory: those of an edge, and some to spare. */
const MOST_RECORDS = 4
/** Doubles of a record before its exponentials: places as in cpu-diffraction/wasm/amplitudes.ts. */
const HEAD = 31
const WEIGHTS_AT = 19
/**
 * Terms that a record has room for: a band needs max(47, 9.6 sqrt(r) + 1) of them, r its highest frequency over the lowest. Ends of
 * longer sums, beyond r = 160, are made from the moments themselves.
 */
const TERMS = 122

/** What the module's memory holds of a face. */
interface FaceRecord {
  face: EdgeFace
  /** `EdgeFace.aimed` of what is held. */
  aimed: number
  address: number
  /** False where the end has no factors (`endWeights`). */
  apart: boolean
  /** Length class of the exponentials held, -1 for none, and how many there are: none are held of more than TERMS. */
  class: number
  terms: number
}

/** Doubles of a record. */
const RECORD = HEAD + TERM_SIZE * TERMS

const weights = new Float64Array(WEIGHTS)
const moments = new Float64Array(6)

/**
 * Amplitudes [m] of the two parts of segments at the wavenumbers of a few nodes, evaluated by the WebAssembly module: four complex
 * channels a node, as pairs. A face's numbers are copied to the module when it has been aimed anew, and its exponentials when
 * strips change their length class.
 */
export class FaceEnds {
  /** Address of the sum of `addUntruncated`, 8 numbers a node, and the numbers. */
  readonly near: number
  readonly nearValues: Float64Array
  /** As these, of what `end` writes. */
  readonly far: number
  readonly farValues: Float64Array
  private readonly records: FaceRecord[] = []
  private oldest = 0

  /**
   * @param k       wavenumbers [rad/m]
   * @param lowest  of the band
   */
  constructor(
    private readonly module: EdgeModule,
    private readonly k: Float64Array,
    private readonly lowest: number,
  ) {
    const count = k.length
    const even = evenCount(count)
    const nodes = Float64Array.from({ length: even }, (_, p) => k[Math.min(p, count - 1)])
    module.run.setNodes(count, module.put(nodes))
    this.near = module.reserve(8 * even)
    this.far = module.reserve(8 * even)
    this.nearValues = module.view(this.near, 8 * count)
    this.farValues = module.view(this.far, 8 * count)
  }

  /** Sets the sum of untruncated parts to zero. */
  clear(): void {
    this.module.run.clear(this.near, 64 * evenCount(this.k.length))
  }

  /**
   * Adds a face's untruncated part, A s1, to the sum.
   *
   * @param length  of the segment [m]
   * @param x       half the length times its phase slope [m]
   */
  addUntruncated(face: EdgeFace, length: number, x: number): void {
    this.module.run.addUntruncated(this.recordOf(face).address, length, x, this.near)
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
    if (record.apart && !strip.closed) this.hold(record, lengthClass(this.lowest * perK))
    if (!record.apart || record.terms > TERMS) {
      this.endOfMoments(face, length, perK, x2)
      return
    }
    this.module.run.endPart(record.address, record.terms, strip.pole.present, length, perK, x2, this.far)
  }

  /** As `end` where two of its arguments nearly meet and the like: rare, and from the moments themselves. */
  private endOfMoments(face: EdgeFace, length: number, perK: number, x2: number): void {
    const { k, lowest, farValues: out } = this
    const { coefS, coefT, coefR } = face
    for (let p = 0, o = 0; p < k.length; p++) {
      endWithoutPhase(face.strip, k[p] * perK, lowest * perK, moments)
      const s2 = -length * sinc(k[p] * x2)
      for (let ch = 0; ch < 4; ch++, o += 2) {
        out[o] = s2 * (coefS[ch] * moments[1] + coefT[ch] * moments[2] + coefR[ch] * moments[4])
        out[o + 1] = s2 * (coefT[ch] * moments[3] - coefS[ch] * moments[0] + coefR[ch] * moments[5])
      }
    }
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
      const address = module.reserve(RECORD)
      const record = { face, aimed: -1, address, apart: false, class: -1, terms: 0 }
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
    record.class = -1
    record.terms = 0
    module.write(face.untruncated, address)
    module.write(face.coefS, address + 32)
    module.write(face.coefT, address + 64)
    module.write(face.coefR, address + 96)
    const head = module.view(address + 128, 3)
    head[0] = strip.c
    head[1] = strip.a
    head[2] = strip.pole.a
    record.apart = endWeights(strip, weights)
    if (record.apart) module.write(weights, address + 8 * WEIGHTS_AT)
  }

  /** Copies the exponentials of a length class behind a face's numbers. */
  private hold(record: FaceRecord, lengthClass: number): void {
    if (record.class === lengthClass) return
    const { count, data } = record.face.strip.sum(lengthClass)
    record.class = lengthClass
    record.terms = count
    if (count <= TERMS) this.module.write(data, record.address + 8 * HEAD)
  }
}

/** Nodes are taken two at a time. */
const evenCount = (nodes: number): number => nodes + (nodes % 2)

/** Doubles that a `FaceEnds` of so many nodes takes of its module's memory. */
export const facesRoom = (nodes: number): number => 17 * evenCount(nodes) + MOST_RECORDS * (RECORD + 1)
