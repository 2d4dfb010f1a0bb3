/** A growing list of words and floats in units of 16 bytes, as shaders read them. */
export class WordList {
  private words = new Uint32Array(1024)
  private floats = new Float32Array(this.words.buffer)
  private length = 0

  clear(): void {
    this.length = 0
  }

  word(...values: number[]): void {
    this.room(values.length)
    for (let i = 0; i < values.length; i++) this.words[this.length++] = values[i]
  }

  float(...values: number[]): void {
    this.room(values.length)
    for (let i = 0; i < values.length; i++) this.floats[this.length++] = values[i]
  }

  /** Units begun so far. */
  get count(): number {
    return Math.ceil(this.length / 4)
  }

  /** Copies the list to `target`, from word `at` on. */
  copyTo(target: Uint32Array, at: number): void {
    target.set(this.words.subarray(0, this.length), at)
  }

  private room(more: number): void {
    if (this.length + more <= this.words.length) return
    const words = new Uint32Array(2 * (this.words.length + more))
    words.set(this.words.subarray(0, this.length))
    this.words = words
    this.floats = new Float32Array(words.buffer)
  }
}
