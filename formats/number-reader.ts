/** A type of numbers in a file: two's complement integers or IEEE 754 floats. */
export interface NumberType {
  kind: 'float' | 'integer'
  /** Bytes of a number. */
  size: number
  littleEndian: boolean
  /** Of integers; so where absent. */
  signed?: boolean
}

/** Reads a number at an offset, as a double; undefined for a type that there is not. */
export function numberReader(
  { kind, size, littleEndian: le, signed = true }: NumberType,
  view: DataView,
): ((at: number) => number) | undefined {
  if (kind === 'float' && size === 8) return (at) => view.getFloat64(at, le)
  if (kind === 'float' && size === 4) return (at) => view.getFloat32(at, le)
  if (kind === 'float') return undefined
  if (size === 1) return signed ? (at) => view.getInt8(at) : (at) => view.getUint8(at)
  if (size === 2) return signed ? (at) => view.getInt16(at, le) : (at) => view.getUint16(at, le)
  if (size === 4) return signed ? (at) => view.getInt32(at, le) : (at) => view.getUint32(at, le)
  if (size === 8)
    return signed ? (at) => Number(view.getBigInt64(at, le)) : (at) => Number(view.getBigUint64(at, le))
  return undefined
}
