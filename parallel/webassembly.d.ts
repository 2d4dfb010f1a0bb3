/** What is used of WebAssembly here: neither ES2023 nor Node's types declare it. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => object
  class Memory {
    /** In pages of 64 KiB; throws a RangeError where there is no memory. */
    constructor(size: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(
      module: object,
      imports: Record<string, Record<string, Memory | ((...numbers: never[]) => void)>>,
    )
    readonly exports: object
  }
}
