import type { SceneFunctions } from '../../rays/index.js'
import { instantiate } from '../../parallel/webassembly.js'
import { edgeWasm } from '../edge-wasm.gen.js'

/** What the module exports (cpu-diffraction/wasm). Addresses are in bytes. */
interface EdgeFunctions extends SceneFunctions {
  /** To be called first; gives the first address that is free. */
  start(): number
  clear(at: number, bytes: number): void
  setNodes(count: number, wavenumbers: number): void
  /** Adds A s1 of four numbers A_ch, for a segment of this length [m] and x half of it times its phase slope [m], to 8 numbers a node. */
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
  /** Adds what the end of a piece has of the integral of four numbers A_ch: A_ch `factor`/(jk), factor = +-1/slide. */
  addUntruncatedEnd(face: number, factor: number, sum: number): void
  addRotated(from: number, factor: number, delay: number, sum: number): void
  endLimit(
    face: number,
    terms: number,
    second: boolean,
    perK: number,
    phase: number,
    slope: number,
    reach: number,
    out: number,
  ): void
  setWaveTable(at: number): void
  footprint(
    numbers: number,
    sinBeta: number,
    path: number,
    late: number,
    seen: number,
    over: number,
    alongP: number,
    alongQ: number,
    sum: number,
  ): void
  placeReach(vertices: number, azimuths: number, room: number): void
  placeReflected(normals: number, shortest: number, longest: number, numbers: number, sum: number): void
  placeFans(
    planes: number,
    conducting: number,
    extent: number,
    size: number,
    azimuths: number,
    fans: number,
  ): void
  aimFans(edge: number): void
  traceFans(from: number, to: number): void
  /** For tests: bundles of rays go to `watch`; the first rays of the last edge. */
  watchBundles(): void
  rayCount(): number
  azimuthOf(ray: number): number
  farOf(ray: number): number
  isReached(ray: number): number
  setGrid(at: number, rows: number, nodes: number, twiddles: number): void
  setKernel(coefficients: number, values: number, width: number, lanes: number, degree: number): void
  addAt(position: number, cos: number, sin: number, amplitudes: number): void
  transform(frequencies: number, middle: number, factors: number, out: number): void
  functions(at: number): void
}

/** What the module calls (cpu-diffraction/wasm/reflected.ts and ray-fan.ts). */
interface ModuleCalls {
  radiate(delay: number): void
  lateAt(middle: number): number
  watch(middle: number, length: number, from: number, to: number, fromSlope: number, toSlope: number): void
}

/** The module's own tables lie below its first free address, and that below this. */
const STATICS = 8192

/** The WebAssembly module of edge diffraction, with a memory of its own (docs/edge-diffraction.md, "WebAssembly"). */
export class EdgeModule {
  readonly run: EdgeFunctions
  /** Set by who takes the calls. */
  readonly calls: ModuleCalls = { radiate: noCall, lateAt: noCall, watch: noCall }
  private readonly all: Float64Array
  private free: number

  /** @param doubles  that `reserve` and `put` will ask for in all, each of their calls rounded up to an even number */
  constructor(doubles: number) {
    const { calls } = this
    const { run, memory } = instantiate<EdgeFunctions>({
      code: edgeWasm,
      what: 'edge diffraction',
      bytes: 8 * doubles + STATICS,
      lower: 'threads or frequencies',
      imports: {
        reflected: {
          radiate: (delay: number) => calls.radiate(delay),
          lateAt: (middle: number) => calls.lateAt(middle),
        },
        'ray-fan': { watch: (...numbers: Parameters<ModuleCalls['watch']>) => calls.watch(...numbers) },
      },
    })
    this.run = run
    this.all = new Float64Array(memory)
    this.free = 16 * Math.ceil(this.run.start() / 16)
  }

  get buffer(): ArrayBuffer {
    return this.all.buffer as ArrayBuffer
  }

  /** Doubles in all. */
  get size(): number {
    return this.all.length
  }

  /** Room for `count` doubles, zeros: its address, a multiple of 16. */
  reserve(count: number): number {
    const address = this.free
    this.free += 16 * Math.ceil(count / 2)
    if (this.free > this.all.byteLength) throw new RangeError('more doubles reserved than announced')
    return address
  }

  /** The address of a copy of the values. */
  put(values: ArrayLike<number>): number {
    const address = this.reserve(values.length)
    this.write(values, address)
    return address
  }

  /** Writes values at an address. */
  write(values: ArrayLike<number>, address: number): void {
    this.all.set(values, address / 8)
  }

  /** `count` doubles at an address. */
  view(address: number, count: number): Float64Array {
    return this.all.subarray(address / 8, address / 8 + count)
  }
}

function noCall(): never {
  throw new Error('nobody takes what the module of edge diffraction calls')
}
