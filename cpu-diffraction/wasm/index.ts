// The WebAssembly module of edge diffraction (docs/edge-diffraction.md, "WebAssembly"), in AssemblyScript. Addresses are bytes in the
// imported memory, from `start` on laid out by cpu-diffraction/currents/edge-module.ts, which also says what the functions take.
import { cosine, exp, fresnelW, imaginary, makeTable, sin } from './functions'

export { addRotated, addUntruncated, addUntruncatedEnd, endLimit, endPart, setNodes } from './amplitudes'
export { addAt, setGrid, setKernel, transform } from './delay-sum'
export { azimuthOf, farOf, isReached, placeReach, rayCount } from './fan-reach'
export { footprint, setWaveTable } from './footprint'
export { aimFans, placeFans, traceFans, watchBundles } from './ray-fan'
export { placeReflected } from './reflected'
export { placeRopes, placeScene } from '../../rays/wasm/caster'

/** Makes the tables and gives the first address that is free. */
export function start(): usize {
  makeTable()
  return __heap_base
}

/** Sets memory to zero. */
export function clear(at: usize, bytes: usize): void {
  memory.fill(at, 0, bytes)
}

/** exp, sin, cos, Re W and Im W of the two numbers at `at` to the ten after them: for tests. */
export function functions(at: usize): void {
  const x = v128.load(at)
  v128.store(at, exp(x), 16)
  v128.store(at, sin(x), 32)
  v128.store(at, cosine, 48)
  v128.store(at, fresnelW(x), 64)
  v128.store(at, imaginary, 80)
}
