import { HASH_START, hashStep } from '../rays/index.js'
import { PARALLELOGRAM, type Records } from './records.js'

/** Amplitudes and half spans of a parallelogram stand together in its record: 32-bit words from FROM up to TO. */
const FROM = 2 * PARALLELOGRAM.amplitudes
const TO = 2 * (PARALLELOGRAM.spans + 2)

/**
 * Parallelograms that differ in their path length alone, as all that one path radiates from tubes of one size: they share
 * amplitudes and shape to the last bit. The groups depend on nothing but the records and their order.
 */
export class ShapeGroups {
  /** First record of each group, in the order of these. */
  first = new Int32Array(256)
  /** Next record of the same group; -1: none. */
  next = new Int32Array(256)
  count = 0
  private last = new Int32Array(256)
  /** Groups by their shapes' hash, open addressing; -1: empty. */
  private table = new Int32Array(1024)

  group({ data, length }: Records): void {
    this.grow(length)
    const { first, next, last, table } = this
    const words = new Uint32Array(data.buffer, data.byteOffset, 2 * data.length)
    const recordWords = 2 * PARALLELOGRAM.size
    const mask = table.length - 1
    table.fill(-1)
    this.count = 0
    for (let i = 0; i < length; i++) {
      const at = recordWords * i
      let hash = HASH_START
      for (let w = at + FROM; w < at + TO; w++) hash = hashStep(hash, words[w])
      next[i] = -1
      let entry = (hash ^ (hash >>> 15)) & mask
      for (; table[entry] >= 0; entry = (entry + 1) & mask)
        if (alike(words, recordWords * first[table[entry]], at)) break
      const group = table[entry]
      if (group < 0) {
        table[entry] = this.count
        first[this.count] = last[this.count] = i
        this.count++
      } else {
        next[last[group]] = i
        last[group] = i
      }
    }
  }

  private grow(length: number): void {
    if (length > this.first.length) {
      this.first = new Int32Array(2 * length)
      this.next = new Int32Array(2 * length)
      this.last = new Int32Array(2 * length)
    }
    if (2 * length > this.table.length) this.table = new Int32Array(2 ** Math.ceil(Math.log2(4 * length)))
  }
}

function alike(words: Uint32Array, a: number, b: number): boolean {
  for (let w = FROM; w < TO; w++) if (words[a + w] !== words[b + w]) return false
  return true
}
