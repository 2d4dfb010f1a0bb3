import { below, type Next, pick, several } from './chance.js'

/** What counts, offsets and lengths of 16 and 32 bits go wrong at. */
const WORDS = [0, 1, 2, 0x7f, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]
const FLOATS = [NaN, Infinity, -Infinity, 3.4e38, -3.4e38, 1e-45, -0, 1e20, 0]

/** One to four changes of a binary file that know nothing of its structure. */
export function mutateBytes(bytes: Uint8Array, next: Next): Uint8Array {
  return several<Uint8Array>(next, 4, Uint8Array.from(bytes), [
    (b) => edit(b, (view, at) => view.setUint8(at, below(next, 256)), 1, next),
    (b) => edit(b, (view, at) => view.setUint16(at, pick(next, WORDS), true), 2, next),
    (b) => edit(b, (view, at) => view.setUint32(at, pick(next, WORDS), next() < 0.8), 4, next),
    (b) => edit(b, (view, at) => view.setFloat32(at, pick(next, FLOATS), next() < 0.8), 4, next),
    (b) => b.slice(0, below(next, b.length + 1)),
    (b) => joined(b, randomBytes(below(next, 200), next)),
    (b) => copyBlock(b, next),
    (b) => edit(b, (view, at) => new Uint8Array(view.buffer, at).fill(pick(next, [0, 255]), 0, 64), 1, next),
  ])
}

/** Changes one place, often one at a multiple of 2 bytes, of the file itself. */
function edit(
  bytes: Uint8Array,
  change: (view: DataView, at: number) => void,
  size: number,
  next: Next,
): Uint8Array {
  if (bytes.length < size) return bytes
  const copy = Uint8Array.from(bytes)
  const at = below(next, copy.length - size + 1)
  change(new DataView(copy.buffer), next() < 0.7 ? at & ~1 : at)
  return copy
}

function copyBlock(bytes: Uint8Array, next: Next): Uint8Array {
  const from = below(next, bytes.length + 1)
  const block = bytes.subarray(from, from + below(next, 500))
  const at = below(next, bytes.length + 1)
  return joined(bytes.subarray(0, at), block, bytes.subarray(next() < 0.5 ? at : at + block.length))
}

const randomBytes = (n: number, next: Next): Uint8Array =>
  Uint8Array.from({ length: n }, () => below(next, 256))

export function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
