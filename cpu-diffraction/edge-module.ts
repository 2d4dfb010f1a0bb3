import { InputError } from '../scene/index.js'
import { edgeWasm } from './edge-wasm.gen.js'

/** What the module exports (cpu-diffraction/wasm). Addresses are in bytes. */
interface EdgeFunctions {
  /** To be called first; gives the first address that is free. */
  start(): number
  clear(at: number, bytes: number): void
  setNodes(count: number, wavenumbers: number): void
  addUntruncated(face: number, length: number, x: number, sum: number): void
  endPart(
    face: number,
    terms: number,
    second: boolean,
    length: number,
    perK: number,
    x: number,
    out: number,
  ): void
  setGrid(at: number, rows: number, nodes: number, twiddles: number): void
  setKernel(coefficients: number, values: number, width: number, lanes: number, degree: number): void
  addAt(position: number, cos: number, sin: number, amplitudes: number): void
  transform(frequencies: number, middle: number, factors: number, out: number): void
  functions(at: number): void
}

const PAGE = 65536

/** Compiled once a thread; V8 shares the code of the same bytes between the threads of a process. */
let compiled: WebAssembly.Module | undefined

/** The WebAssembly module of edge diffraction, with a memory of its own (docs/edge-diffraction.md, "WebAssembly"). */
export class EdgeModule {
  readonly run: EdgeFunctions
  private readonly memory: WebAssembly.Memory
  private all: Float64Array
  private free: number

  constructor() {
    try {
      compiled ??= new WebAssembly.Module(Buffer.from(edgeWasm, 'base64'))
      this.memory = new WebAssembly.Memory({ initial: 1 })
      const instance = new WebAssembly.Instance(compiled, { env: { memory: this.memory } })
      this.run = instance.exports as unknown as EdgeFunctions
    } catch (error) {
      throw new InputError(
        `edge diffraction cannot set up its WebAssembly module (${(error as Error).message}); free memory or use fewer threads`,
      )
    }
    this.all = new Float64Array(this.memory.buffer)
    this.free = 16 * Math.ceil(this.run.start() / 16)
  }

  /** Room for `count` doubles, zeros: its address, a multiple of 16. Views made before may be of no use after it. */
  reserve(count: number): number {
    const address = this.free
    this.free += 16 * Math.ceil(count / 2)
    const more = Math.ceil((this.free - this.all.byteLength) / PAGE)
    if (more > 0) this.grow(more)
    return address
  }

  /** The address of a copy of the values. */
  put(values: ArrayLike<number>): number {
    const address = this.reserve(values.length)
    this.all.set(values, address / 8)
    return address
  }

  /** Writes values at an address. */
  write(values: ArrayLike<number>, address: number): void {
    this.all.set(values, address / 8)
  }

  /** `count` doubles at an address, to read or write until the next `reserve`. */
  view(address: number, count: number): Float64Array {
    return this.all.subarray(address / 8, address / 8 + count)
  }

  private grow(pages: number): void {
    try {
      this.memory.grow(pages)
    } catch {
      const megabytes = Math.ceil(this.free / 1e6)
      throw new InputError(
        `edge diffraction cannot get ${megabytes} MB for the sums of a thread; use fewer frequencies or fewer threads`,
      )
    }
    this.all = new Float64Array(this.memory.buffer)
  }
}
