/** Numbers appended one by one to a typed array that doubles when full. */
export class GrowingFloats {
  #data = new Float64Array(1024)
  length = 0

  push(x: number): void {
    if (this.length === this.#data.length) {
      const wider = new Float64Array(2 * this.length)
      wider.set(this.#data)
      this.#data = wider
    }
    this.#data[this.length++] = x
  }

  at(i: number): number {
    return this.#data[i]
  }

  /** A copy of the numbers so far. */
  take(): Float64Array {
    return this.#data.slice(0, this.length)
  }
}

/** The same for whole numbers from -2^31 to 2^31 - 1. */
export class GrowingInts {
  #data = new Int32Array(1024)
  length = 0

  push(x: number): void {
    if (this.length === this.#data.length) {
      const wider = new Int32Array(2 * this.length)
      wider.set(this.#data)
      this.#data = wider
    }
    this.#data[this.length++] = x
  }

  at(i: number): number {
    return this.#data[i]
  }

  set(i: number, x: number): void {
    this.#data[i] = x
  }

  take(): Int32Array {
    return this.#data.slice(0, this.length)
  }
}
