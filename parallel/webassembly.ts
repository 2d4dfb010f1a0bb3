import { InputError } from '../scene/index.js'

/** What is used of WebAssembly: neither ES2023 nor Node's types declare it. */
declare namespace WebAssembly {
  export const Module: new (bytes: Uint8Array) => object
  export class Memory {
    /** In pages; throws a RangeError where there is no memory. */
    constructor(size: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
  }
  export class Instance {
    constructor(
      module: object,
      imports: Record<string, Record<string, Memory | ((...numbers: never[]) => void)>>,
    )
    readonly exports: object
  }
}

const PAGE = 65536

/** By their code. Compiled once a thread; V8 shares the code of the same bytes between the threads of a process. */
const compiled = new Map<string, object>()

/** A module in base64, what it computes for messages, the bytes of its memory, and what can be lowered where there is no memory. */
export interface WasmModule {
  code: string
  what: string
  bytes: number
  lower: string
  imports?: Record<string, Record<string, (...numbers: never[]) => void>>
}

/**
 * A WebAssembly module's functions and memory. The memory never grows: growing detaches its buffer, and V8 then throws away all optimised
 * code of the thread that touches typed arrays and checks every access of theirs from there on (strips were followed 1.3 times as long).
 * @throws InputError where there is no memory
 */
export function instantiate<Functions>({ code, what, bytes, lower, imports }: WasmModule): {
  run: Functions
  memory: ArrayBuffer
} {
  const pages = Math.ceil(bytes / PAGE)
  try {
    let module = compiled.get(code)
    if (!module) {
      module = new WebAssembly.Module(Uint8Array.from(atob(code), (c) => c.charCodeAt(0)))
      compiled.set(code, module)
    }
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const instance = new WebAssembly.Instance(module, { env: { memory }, ...imports })
    return { run: instance.exports as Functions, memory: memory.buffer }
  } catch (error) {
    throw new InputError(
      `${what}: no WebAssembly module with ${(bytes / 1e6).toFixed(1)} MB of memory (${(error as Error).message}); use fewer ${lower}. V8 reserves 10 GB of addresses for each: under a limit of virtual memory (ulimit -v) set NODE_OPTIONS=--disable-wasm-trap-handler`,
    )
  }
}
