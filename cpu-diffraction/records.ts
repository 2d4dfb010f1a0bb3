import {
  type Band,
  C0,
  chebyshevNodes,
  EDGE_HEAD,
  EDGE_RECORD_HEAD,
  frequency,
  lagrange,
  NO_FACE,
  wavenumber,
} from '../scene/index.js'
import { EdgeModule } from './edge-module.js'
import { endWeights, WEIGHTS } from './end-part.js'
import type { EdgeFace } from './face.js'
import { FaceEnds, facesRoom } from './face-ends.js'
import type { SegmentSink } from './field.js'
import { addJoint, JOINT, nodeCount } from './interpolate.js'
import { TERM_SIZE } from './rest.js'
import { lengthClass } from './wedge.js'
import { WordList } from './word-list.js'

/**
 * Where two arguments of a strip's Fresnel functions are as close as this, relative to their sum, their factors are so large
 * that single precision would lose more than two to three digits: such ends come as tables made in double precision.
 */
const APART = 0.003

/**
 * Writes segments down for the GPU (scene/edge-records.ts) instead of summing them: delays as fixed-point turns, directions
 * and factors made in double precision and rounded to single; what is left to do is smooth and fits single precision
 * (docs/edge-diffraction.md, "On the GPU"). `reset` begins, `closeBlock` ends every block of segments, `pack` ends all.
 */
export class EdgeRecords implements SegmentSink {
  private readonly k: Float64Array
  private readonly lowest: number
  private readonly highest: number
  private readonly spectrum: Float64Array
  private readonly ends: FaceEnds
  private readonly weight = new Float64Array(WEIGHTS)
  private readonly joint: Float64Array
  private readonly blocks = new WordList()
  private readonly near = new WordList()
  private readonly slots = new WordList()
  private readonly faces = new WordList()
  private readonly terms = new WordList()
  private readonly tables = new WordList()
  /** Per face of the edge at hand: its entries by length class, -1 for none. */
  private readonly entries = new Map<EdgeFace, number[]>()
  private nearBefore = 0
  private slotsBefore = 0
  private psi = 0
  private length = 0
  private slope = 0
  private isJoint = false
  private readonly amplitude = new Float64Array(4)

  constructor(private readonly band: Band) {
    const ends = [wavenumber(band.f0), wavenumber(frequency(band, band.n - 1))]
    const all = Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i)))
    const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
    // Few frequencies are their own nodes.
    this.k = band.n > nodes ? chebyshevNodes(ends[0], ends[1], nodes) : all
    this.lowest = Math.min(...ends)
    this.highest = Math.max(...ends)
    const count = this.k.length
    this.spectrum = new Float64Array(count * (1 + band.n))
    this.spectrum.set(this.k)
    all.forEach((k, n) =>
      lagrange(this.k, k).forEach((value, p) => (this.spectrum[count + p * band.n + n] = value)),
    )
    this.ends = new FaceEnds(new EdgeModule(facesRoom(count)), this.k, this.lowest)
    this.joint = new Float64Array(8 * count)
  }

  reset(): void {
    for (const units of [this.blocks, this.near, this.slots, this.faces, this.terms, this.tables])
      units.clear()
    this.nearBefore = this.slotsBefore = 0
  }

  openEdge(): void {
    this.entries.clear()
  }

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
    this.amplitude.fill(0)
    this.isJoint = false
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { strip, untruncated } = face
    const { length, k, amplitude } = this
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * length
    const d = 0.5 * slope * face.cone * length
    const truncated = strip.truncation !== 'eec'
    if (truncated && strip.c * Math.sqrt(2 * this.highest * perK) < JOINT) {
      if (!this.isJoint) this.joint.fill(0)
      this.isJoint = true
      addJoint(face, k, this.lowest, length, perK, x, d, this.joint)
      return
    }
    // The slopes of the two faces differ in sign at most.
    this.slope = x
    for (let ch = 0; ch < 4; ch++) amplitude[ch] += length * untruncated[ch]
    if (!truncated) return
    const tau = this.psi - l * face.cone
    const entry = this.entry(face, this.lowest * perK)
    if (entry >= 0) {
      this.openSlot(tau, entry, 0)
      this.slots.float(x - d, -length, perK, 0)
      return
    }
    this.ends.end(face, length, perK, x - d)
    this.addTable(tau, this.ends.farValues)
  }

  closeSegment(): void {
    const { amplitude, near } = this
    if (this.isJoint) this.addTable(this.psi, this.joint)
    if (amplitude.every((a) => a === 0)) return
    this.turns(near, this.psi)
    near.float(this.slope, 0)
    near.float(amplitude[0], amplitude[1], amplitude[2], amplitude[3])
  }

  /** Ends a block: its segments are summed on their own. */
  closeBlock(): void {
    const near = this.near.count / 2
    const slots = this.slots.count / 2
    this.blocks.word(this.nearBefore, near - this.nearBefore, this.slotsBefore, slots - this.slotsBefore)
    this.nearBefore = near
    this.slotsBefore = slots
    this.entries.clear()
  }

  /** The records since `reset` as one buffer. @param grid  of the sums [m], a power of two */
  pack(grid: number): Float64Array {
    const { band, k } = this
    const spectrum = new WordList()
    for (const value of this.spectrum) spectrum.float(value)
    const sections = [spectrum, this.blocks, this.near, this.slots, this.faces, this.terms, this.tables]
    const at: number[] = []
    let size = EDGE_RECORD_HEAD / 4
    for (const section of sections) {
      at.push(size)
      size += section.count
    }
    const out = new Float64Array(2 * size)
    const words = new Uint32Array(out.buffer)
    const floats = new Float32Array(out.buffer)
    words[EDGE_HEAD.frequencies] = band.n
    words[EDGE_HEAD.nodes] = k.length
    words[EDGE_HEAD.fixedExponent] = -Math.log2(grid)
    words[EDGE_HEAD.blocks] = this.blocks.count
    words[EDGE_HEAD.slots] = this.slots.count / 2
    words.set(at, EDGE_HEAD.spectrumAt)
    floats[EDGE_HEAD.k0] = wavenumber(band.f0)
    floats[EDGE_HEAD.dk] = wavenumber(band.df)
    sections.forEach((section, i) => section.copyTo(words, 4 * at[i]))
    return out
  }

  /** Number of a face's entry for strips whose L is `lowest` at the lowest frequency, or -1 where it needs double precision. */
  private entry(face: EdgeFace, lowest: number): number {
    const i = face.strip.closed ? 0 : lengthClass(lowest)
    let known = this.entries.get(face)
    if (known === undefined) this.entries.set(face, (known = []))
    return (known[i] ??= this.addEntry(face, lowest))
  }

  private addEntry(face: EdgeFace, lowest: number): number {
    const { weight, faces, terms } = this
    const { a, c, pole, closed } = face.strip
    const apart = (x: number): boolean => Math.abs(c - x) > APART * (c + x)
    const second = !closed && pole.present
    if (!(apart(a) && (closed || apart(1)) && (!second || apart(pole.a)))) return -1
    endWeights(face.strip, weight)
    const sum = closed ? null : face.strip.sum(lengthClass(lowest))
    // R = -j mu S - V is made here: for edges seen nearly end-on its two parts cancel to 1/c^2 of themselves.
    const mu = 1 - 2 * c * c
    const number = faces.count / 8
    faces.float(c, a, pole.a)
    faces.word(terms.count / 2, sum?.count ?? 0, second ? 1 : 0, 0, 0)
    for (let i = 0; i < 8; i++) faces.float(weight[i])
    for (let i = 0; i < 4; i++) faces.float(mu * weight[i] - weight[8 + i])
    for (const coefficients of [face.coefS, face.coefT, face.coefR])
      for (const value of coefficients) faces.float(value)
    for (let i = 0, t = 0; i < (sum?.count ?? 0); i++, t += TERM_SIZE) {
      const [y, sr, si, tr, ti, vr, vi] = sum!.data.subarray(t, t + TERM_SIZE)
      terms.float(y, sr, si, tr, ti, mu * si - vr, -mu * sr - vi, 0)
    }
    return number
  }

  private addTable(tau: number, values: Float64Array): void {
    this.openSlot(tau, NO_FACE, this.tables.count)
    this.slots.float(0, 0, 0, 0)
    for (let p = 0; p < values.length; p += 8)
      for (let part = 0; part < 2; part++)
        for (let ch = 0; ch < 4; ch++) this.tables.float(values[p + 2 * ch + part])
  }

  private openSlot(tau: number, face: number, table: number): void {
    this.turns(this.slots, tau)
    this.slots.word(face, table)
  }

  /** Phase of the delay tau [m] at f0 and its step, in units of 2^-32 turn. */
  private turns(units: WordList, tau: number): void {
    units.word(fixedTurns((this.band.f0 / C0) * tau), fixedTurns((this.band.df / C0) * tau))
  }
}

const fixedTurns = (turns: number): number => Math.round((turns - Math.floor(turns)) * 2 ** 32) >>> 0
