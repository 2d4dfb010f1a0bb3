import { InputError } from '../scene/index.js'
import type { FilesHash } from './files-hash.js'
import { readRegularFile } from './regular-file.js'
import { refuseUtf16 } from './text-scanner.js'

/**
 * Columns of a CSV file by the names in its first line. @throws InputError for a file that cannot be read, has no column, or
 * holds text where a number is due
 * @param files     takes the file
 * @param optional  names of columns that follow where the file has any of them: then it must have all
 */
export async function readTable(
  path: string,
  names: string[],
  files: FilesHash,
  optional: string[] = [],
): Promise<{ columns: Float64Array[]; rows: number }> {
  const bytes = await readRegularFile(path, 'a CSV file')
  files.add(bytes)
  refuseUtf16(bytes, path)
  const lines = new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .filter((l) => l.trim() !== '' && !l.startsWith('#'))
  const head = (lines.shift() ?? '').split(',').map((c) => c.trim())
  const wanted = optional.some((name) => head.includes(name)) ? [...names, ...optional] : names
  const places = wanted.map((name) => {
    const at = head.indexOf(name)
    if (at < 0)
      throw new InputError(`${path} has no column ${name}; its first line must name ${wanted.join(',')}`)
    return at
  })
  if (lines.length === 0) throw new InputError(`${path} has no rows below its first line; give at least one`)
  const columns = places.map(() => new Float64Array(lines.length))
  lines.forEach((line, row) => {
    const cells = line.split(',')
    places.forEach((at, c) => {
      const value = cells[at] === undefined || cells[at].trim() === '' ? NaN : Number(cells[at])
      if (!Number.isFinite(value))
        throw new InputError(`${path}, row ${row + 1}: ${wanted[c]} is "${cells[at] ?? ''}"; a number is due`)
      columns[c][row] = value
    })
  })
  return { columns, rows: lines.length }
}
