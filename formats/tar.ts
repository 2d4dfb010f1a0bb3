/** A file of a tar archive. */
export interface TarEntry {
  name: string
  data: Uint8Array
}

const BLOCK = 512

/**
 * A tar archive (POSIX ustar) of files in this order. Time, owner and mode are fixed: the same files give the same bytes.
 * Throws RangeError for names longer than 100 bytes and files of 8 GiB or more.
 */
export function writeTar(entries: TarEntry[]): Uint8Array {
  const room = (n: number): number => BLOCK * Math.ceil(n / BLOCK)
  const size = entries.reduce((n, e) => n + BLOCK + room(e.data.length), 2 * BLOCK)
  const tar = new Uint8Array(size)
  let at = 0
  for (const { name, data } of entries) {
    tar.set(header(name, data.length), at)
    tar.set(data, at + BLOCK)
    at += BLOCK + room(data.length)
  }
  return tar
}

function header(name: string, size: number): Uint8Array {
  const bytes = new Uint8Array(BLOCK)
  const put = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  if (new TextEncoder().encode(name).length > 100)
    throw new RangeError(`"${name}" is too long a name for tar`)
  if (size >= 8 ** 11) throw new RangeError(`"${name}": ${size} bytes are too many for tar`)
  put(0, name)
  put(100, `${octal(0o644, 7)}\0`)
  put(108, `${octal(0, 7)}\0`)
  put(116, `${octal(0, 7)}\0`)
  put(124, `${octal(size, 11)}\0`)
  put(136, `${octal(0, 11)}\0`)
  put(148, ' '.repeat(8))
  put(156, '0')
  put(257, 'ustar\u000000')
  // The checksum of the header with spaces in the checksum field.
  put(
    148,
    `${octal(
      bytes.reduce((s, b) => s + b, 0),
      6,
    )}\0 `,
  )
  return bytes
}
