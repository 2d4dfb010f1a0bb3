import type { ArrayRef } from './manifest.js'

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint8Array

/** Arrays that the page may fetch, by path; no other file of the machine is read for it. */
export class ArrayStore {
  private readonly arrays = new Map<string, Uint8Array>()

  /** Stores an array under a path. */
  add(path: string, data: Numbers, shape: number[]): ArrayRef {
    this.arrays.set(path, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    const type =
      data instanceof Float64Array
        ? 'f8'
        : data instanceof Float32Array
          ? 'f4'
          : data instanceof Uint32Array
            ? 'u4'
            : 'u1'
    return { path, type, shape }
  }

  get(path: string): Uint8Array | undefined {
    return this.arrays.get(path)
  }
}
