import { InputError, type Mesh } from '../scene/index.js'
import { ElementMesh, type Shape } from './element-mesh.js'
import { numberReader, refuseUtf16, TextScanner } from './text-scanner.js'

/** Shapes of Gmsh's element types, and the nodes of each type: corners come first. */
const SHAPES: readonly (readonly [Shape | 'beams' | 'points', Record<number, number>])[] = [
  ['triangle', { 2: 3, 9: 6, 20: 9, 21: 10, 22: 12, 23: 15, 24: 15, 25: 21 }],
  ['quadrilateral', { 3: 4, 10: 9, 16: 8, 36: 16, 37: 25, 38: 36 }],
  ['tetrahedron', { 4: 4, 11: 10, 29: 20, 30: 35, 31: 56 }],
  ['hexahedron', { 5: 8, 12: 27, 17: 20, 92: 64, 93: 125 }],
  ['wedge', { 6: 6, 13: 18, 18: 15 }],
  ['pyramid', { 7: 5, 14: 14, 19: 13 }],
  ['beams', { 1: 2, 8: 3, 26: 4, 27: 5, 28: 6 }],
  ['points', { 15: 1 }],
]
const TYPES = new Map(
  SHAPES.flatMap(([shape, types]) =>
    Object.entries(types).map(([type, nodes]) => [Number(type), { shape, nodes }] as const),
  ),
)

const CUT_OFF = 'the Gmsh file is cut off'

/** Numbers and lines of a file one by one, whether text or binary. */
class Source {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #text: TextScanner | undefined
  int: () => number
  real: () => number
  /** A count or a number of a node (`size_t`). */
  size: () => number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.int =
      this.real =
      this.size =
        () => {
          if (!this.#text!.next()) throw new InputError(CUT_OFF)
          return this.#text!.number()
        }
  }

  /** Numbers are binary from here on. */
  binary(littleEndian: boolean): void {
    const reader = (kind: 'integer' | 'float', size: number): (() => number) => {
      const read = numberReader({ kind, size, littleEndian }, this.#view)!
      return () => {
        if (this.at + size > this.#bytes.length) throw new InputError(CUT_OFF)
        this.at += size
        return read(this.at - size)
      }
    }
    this.int = reader('integer', 4)
    this.real = reader('float', 8)
    this.size = reader('integer', 8)
    this.#text = undefined
  }

  /** Numbers are text from here on. */
  words(): void {
    this.#text = new TextScanner(this.#bytes, this.at)
  }

  /** The rest of the line, trimmed; undefined at the end of the file. */
  line(): string | undefined {
    if (this.at >= this.#bytes.length) return undefined
    const end = this.#bytes.indexOf(10, this.at)
    const to = end < 0 ? this.#bytes.length : end
    const text = new TextDecoder().decode(this.#bytes.subarray(this.at, Math.min(to, this.at + 1000)))
    this.at = to + 1
    return text.trim()
  }

  /** Runs a step; what it refuses in a text gets the line's number. */
  locate(step: (line: string) => void, line: string): void {
    try {
      step(line)
    } catch (error) {
      if (error instanceof InputError && this.#text && !error.message.startsWith('line '))
        this.#text.fail(error.message)
      throw error
    }
  }

  /** A count, of things that take `least` bytes each at the least. @throws InputError where the file is too short for it */
  count(number: number, least: number, what: string): number {
    if (!Number.isSafeInteger(number) || number < 0 || number * least > this.#bytes.length)
      throw new InputError(`the Gmsh file declares ${number} ${what}, but has ${this.#bytes.length} bytes`)
    return number
  }

  /** Moves behind a section's end. @throws InputError where it has none */
  leave(section: string): void {
    const mark = new TextEncoder().encode(`$End${section.slice(1)}`)
    if (this.#text) {
      const ended = this.#text.next() && this.#text.is(`$end${section.slice(1).toLowerCase()}`)
      if (!ended) this.#text.fail(`${section.slice(0, 40)} does not end where its counts say`)
      this.at = this.#text.offset
    }
    for (let at = this.at; ; at++) {
      at = this.#bytes.indexOf(mark[0], at)
      if (at < 0) throw new InputError(`${section.slice(0, 40)} of the Gmsh file has no end: it is cut off`)
      if (!mark.every((byte, i) => this.#bytes[at + i] === byte)) continue
      this.at = at
      this.line()
      this.#text = undefined
      return
    }
  }
}

/**
 * Reads a Gmsh file, MSH 2 or 4.1, text or binary: see `ElementMesh`. The groups are the physical groups, by name or number; of an entity
 * with several the first counts. Throws InputError for other versions and what is damaged.
 */
export function readGmsh(bytes: Uint8Array): Mesh {
  refuseUtf16(bytes)
  const source = new Source(bytes)
  if (source.line() !== '$MeshFormat')
    throw new InputError(
      'not a Gmsh file: its first line is not "$MeshFormat" (MSH 1 and Fluent meshes are not read)',
    )
  const [version, kind, size] = (source.line() ?? '').split(/\s+/).map(Number)
  const is4 = version === 4.1
  if (!is4 && !(version >= 2 && version < 3))
    throw new InputError(`MSH version ${version} is not read; save as 4.1 or 2.2`)
  if (size !== 8) throw new InputError(`numbers of ${size} bytes are not read; save with data size 8`)
  const isBinary = kind === 1
  if (isBinary) {
    const one = bytes[source.at] === 1
    source.binary(one)
    if (source.int() !== 1)
      throw new InputError('the number 1 of the Gmsh file tells no byte order: it is damaged')
  }
  source.leave('$MeshFormat')

  const mesh = new ElementMesh()
  const names = new Map<string, string>()
  /** First physical group of each entity (MSH 4). */
  const physical = new Map<string, number>()
  const group = (dimension: number, number: number): string =>
    number === 0 ? 'default' : (names.get(`${dimension}/${number}`) ?? String(number))
  const section = (line: string): void => {
    if (!/^\$\w+$/.test(line)) {
      if (line === '') return
      throw new InputError(
        `"${line.slice(0, 40)}" of the Gmsh file is not the head of a section: it is damaged`,
      )
    }
    const isRead = /^\$(Nodes|Elements)$/.test(line) || (is4 && line === '$Entities')
    if (line === '$PhysicalNames')
      for (let left = Number(source.line()); left > 0; left--) {
        const [, dimension, number, name] = /^(\d)\s+(\d+)\s+"(.*)"$/.exec(source.line() ?? '') ?? []
        if (name === undefined)
          throw new InputError(
            '$PhysicalNames of the Gmsh file has a line without dimension, number and name',
          )
        names.set(`${dimension}/${number}`, name)
      }
    // Counts of MSH 2 are text in binary files, too.
    if (isRead && !isBinary) source.words()
    const declared = !isRead || is4 ? 0 : isBinary ? Number(source.line()) : source.int()
    if (line === '$Entities' && is4) readEntities(source, physical)
    else if (line === '$Nodes' && is4) readNodes4(source, mesh, isBinary)
    else if (line === '$Elements' && is4)
      readElements4(source, mesh, (dimension, entity) =>
        group(dimension, physical.get(`${dimension}/${entity}`) ?? 0),
      )
    else if (line === '$Nodes')
      for (let left = source.count(declared, 8, 'nodes'); left > 0; left--)
        mesh.node(source.int(), source.real(), source.real(), source.real())
    else if (line === '$Elements') readElements2(source, mesh, declared, isBinary, group)
    source.leave(line)
  }
  for (let line = source.line(); line !== undefined; line = source.line()) source.locate(section, line)
  return mesh.take('Gmsh file')
}

function add(
  mesh: ElementMesh,
  id: number,
  type: number,
  nodes: number[],
  group: (dimension: number) => string,
): void {
  const { shape } = TYPES.get(type)!
  if (shape === 'beams' || shape === 'points') return mesh.leaveOut(shape)
  mesh.element(id, shape, nodes, group(shape === 'triangle' || shape === 'quadrilateral' ? 2 : 3))
}

function nodesOf(type: number): number {
  const nodes = TYPES.get(type)?.nodes
  if (nodes === undefined)
    throw new InputError(`elements of Gmsh's type ${type} are not read; save the mesh without them`)
  return nodes
}

/** MSH 2: text has an element a line, binary files blocks of one type. */
function readElements2(
  source: Source,
  mesh: ElementMesh,
  declared: number,
  isBinary: boolean,
  group: (dimension: number, number: number) => string,
): void {
  for (let left = source.count(declared, 6, 'elements'); left > 0;) {
    const first = source.int()
    const type = isBinary ? first : source.int()
    const follow = isBinary ? source.count(source.int(), 4, 'elements') : 1
    const tags = source.count(source.int(), 1, 'tags')
    if (follow === 0) throw new InputError('a block of the Gmsh file has no elements: it is damaged')
    for (let i = 0; i < follow; i++, left--) {
      const id = isBinary ? source.int() : first
      const labels = Array.from({ length: tags }, () => source.int())
      const nodes = Array.from({ length: nodesOf(type) }, () => source.int())
      add(mesh, id, type, nodes, (dimension) => group(dimension, labels[0] ?? 0))
    }
  }
}

function readEntities(source: Source, physical: Map<string, number>): void {
  const counts = [source.size(), source.size(), source.size(), source.size()]
  counts.forEach((count, dimension) => {
    for (let left = source.count(count, 8, 'entities'); left > 0; left--) {
      const tag = source.int()
      for (let i = dimension === 0 ? 3 : 6; i > 0; i--) source.real()
      for (let i = 0, n = source.count(source.size(), 2, 'groups of an entity'); i < n; i++) {
        const number = source.int()
        // Reversed orientation is told by the sign.
        if (i === 0) physical.set(`${dimension}/${tag}`, Math.abs(number))
      }
      if (dimension > 0)
        for (let n = source.count(source.size(), 2, 'borders of an entity'); n > 0; n--) source.int()
    }
  })
}

function readNodes4(source: Source, mesh: ElementMesh, isBinary: boolean): void {
  const blocks = source.count(source.size(), 8, 'blocks of nodes')
  for (let i = 0; i < 3; i++) source.size()
  for (let block = 0; block < blocks; block++) {
    const dimension = source.int()
    source.int()
    const extra = source.int() === 0 ? 0 : dimension
    const count = source.count(source.size(), isBinary ? 32 : 8, 'nodes')
    const ids = Array.from({ length: count }, () => source.size())
    for (const id of ids) {
      mesh.node(id, source.real(), source.real(), source.real())
      for (let i = 0; i < extra; i++) source.real()
    }
  }
}

function readElements4(
  source: Source,
  mesh: ElementMesh,
  group: (dimension: number, entity: number) => string,
): void {
  const blocks = source.count(source.size(), 8, 'blocks of elements')
  for (let i = 0; i < 3; i++) source.size()
  for (let block = 0; block < blocks; block++) {
    source.int()
    const entity = source.int()
    const type = source.int()
    const count = source.count(source.size(), 2, 'elements')
    for (let i = 0; i < count; i++) {
      const id = source.size()
      const nodes = Array.from({ length: nodesOf(type) }, () => source.size())
      add(mesh, id, type, nodes, (dimension) => group(dimension, entity))
    }
  }
}
