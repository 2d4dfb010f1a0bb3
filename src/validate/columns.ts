import { existsSync, readFileSync } from 'node:fs'
import { InputError } from '../../scene/index.js'

/** A table of numbers by column name. */
export interface Columns {
  path: string
  rows: number
  /** @throws InputError naming the file where it has no such column */
  column: (name: string) => Float64Array
  /** A column as text. */
  texts: (name: string) => string[]
}

/** Reads a CSV file with one head line; lines that begin with # are comments. @throws InputError */
export function readColumns(path: string): Columns {
  if (!existsSync(path)) throw new InputError(`${path} is missing; is the reference data complete?`)
  const [head, ...lines] = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.split(','))
  const at = (name: string): number => {
    const index = head.indexOf(name)
    if (index < 0) throw new InputError(`${path}: no column ${name}; it has ${head.join(', ')}`)
    return index
  }
  return {
    path,
    rows: lines.length,
    column: (name) => {
      const index = at(name)
      return Float64Array.from(lines, (cells, i) => {
        const value = Number(cells[index])
        if (cells[index] === undefined || !Number.isFinite(value))
          throw new InputError(`${path}: row ${i + 1} of column ${name} is not a number`)
        return value
      })
    },
    texts: (name) => lines.map((cells) => cells[at(name)]),
  }
}
