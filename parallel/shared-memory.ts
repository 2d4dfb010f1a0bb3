type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array | Int8Array

/** Memory that threads share; a page that is not isolated from other origins has none, and takes memory of its own. */
const Memory = typeof SharedArrayBuffer === 'undefined' ? ArrayBuffer : SharedArrayBuffer

/** An array of zeros that worker threads map instead of copying. */
export function shared<T extends Numbers>(type: new (buffer: SharedArrayBuffer) => T, length: number): T {
  const { BYTES_PER_ELEMENT } = type as unknown as { BYTES_PER_ELEMENT: number }
  return new type(new Memory(BYTES_PER_ELEMENT * length) as SharedArrayBuffer)
}

/** A copy in such memory. */
export function share<T extends Numbers>(array: T): T {
  const copy = shared(array.constructor as new (buffer: SharedArrayBuffer) => T, array.length)
  copy.set(array)
  return copy
}
