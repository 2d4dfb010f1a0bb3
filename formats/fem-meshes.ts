import { InputError, type Mesh } from '../scene/index.js'
import { CORNERS, ElementMesh, realOf, type Shape, TextLines } from './element-mesh.js'

/** What makes or moves nodes and elements by rules: not read. */
const GENERATED = /^(INCLUDE|NGEN|NFILL|NCOPY|NMAP|ELGEN|ELCOPY|SYSTEM)$/

/** Surfaces of shells, membranes, rigid bodies and the plane; the digits after are their nodes. */
const SURFACE = /^(?:S|STRI|DS|M3D|R3D|SFM3D|CPS|CPE|CPEG|DC2D|AC2D)(3|4|6|8|9)(?![0-9])|^STRI6/
const SOLID = /^(?:C|DC|AC|F|SC|CSS)(?:3D)?(4|5|6|8|10|13|15|20|27)(?![0-9])/

const SOLIDS: Record<string, Shape> = {
  4: 'tetrahedron',
  10: 'tetrahedron',
  5: 'pyramid',
  13: 'pyramid',
  6: 'wedge',
  15: 'wedge',
  8: 'hexahedron',
  20: 'hexahedron',
  27: 'hexahedron',
}

interface ElementType {
  shape: Shape
  nodes: number
}

/** Undefined for what is neither surface nor solid. */
function typeOf(name: string): ElementType | undefined {
  const surface = SURFACE.exec(name)
  if (surface) {
    const nodes = Number(surface[1] ?? 6)
    return { shape: nodes % 3 === 0 && nodes < 9 ? 'triangle' : 'quadrilateral', nodes }
  }
  const solid = SOLID.exec(name)
  return solid ? { shape: SOLIDS[solid[1]], nodes: Number(solid[1]) } : undefined
}

/**
 * Reads an input file of Abaqus or CalculiX: *NODE, *ELEMENT and *ELSET, as `ElementMesh` has them. The groups are the element sets; of
 * several that have an element, the smallest. Throws InputError, the line first, for parts that are assembled, for nodes made by rules
 * (*NGEN and the like), and for what is damaged.
 */
export function readInp(bytes: Uint8Array): Mesh {
  const lines = new TextLines(bytes)
  const mesh = new ElementMesh()
  const sets = new Map<string, number[]>()
  const spellings = new Map<string, string>()
  /** Of all sets; ranges and sets of sets must not take more memory than the file. */
  let members = 0
  let card = ''
  let options = new Map<string, string>()
  let type: ElementType | undefined
  let set: number[] | undefined
  let parts = 0
  let isAssembly = false
  /** Numbers of the element being read: it may go over several lines. */
  let open: number[] = []
  const fail = (message: string): never => {
    throw new InputError(`line ${lines.number}: ${message}`)
  }
  const ended = (): void => {
    if (open.length > 0)
      fail(`element ${open[0]} before this line has ${open.length - 1} of its ${type!.nodes} nodes`)
  }
  /** Names are the same in capitals; the first spelling is kept. */
  const setNamed = (name: string): number[] => {
    const spelt = spellings.get(name.toUpperCase()) ?? name
    spellings.set(name.toUpperCase(), spelt)
    const found = sets.get(spelt) ?? []
    sets.set(spelt, found)
    return found
  }
  const join = (set: number[], id: number): void => {
    if (++members > 8 * bytes.length) fail('the element sets have more members than such a file has elements')
    set.push(id)
  }
  const integer = (text: string): number => {
    const value = /^[+-]?\d+\.?$/.test(text) ? Number(text) : NaN
    return Number.isSafeInteger(value) ? value : fail(`"${text}" is not a whole number`)
  }

  while (lines.next()) {
    const text = lines.text.trim()
    if (text === '' || text.startsWith('**')) continue
    if (text.startsWith('*')) {
      ended()
      const [head, ...words] = text.slice(1).split(',')
      card = head.replace(/\s+/g, '').toUpperCase()
      options = new Map(words.map((word) => [word.split('=')[0].trim().toUpperCase(), word.split('=').slice(1).join('=').trim().replace(/^"(.*)"$/, '$1')])) // prettier-ignore
      if (GENERATED.test(card)) fail(`*${card} is not read; write nodes and elements one by one in one file`)
      if (card === 'PART' && ++parts > 1)
        fail('a second *PART: assemblies are not read; write the file without parts and assemblies')
      const input = options.get('INPUT')
      if (input && /^(NODE|ELEMENT|ELSET)$/.test(card))
        fail(`*${card} names the file "${input}"; write all in one file`)
      if (card === 'NODE' && /^[CS]/i.test(options.get('SYSTEM') ?? ''))
        fail('*NODE in cylindrical or spherical coordinates; write Cartesian ones')
      set = undefined
      if (/^(END)?ASSEMBLY$/.test(card)) isAssembly = card === 'ASSEMBLY'
      // Nodes of an assembly are reference points with numbers of their own.
      if (isAssembly && card === 'NODE') card = ''
      if (card === 'ELEMENT') {
        type = typeOf(options.get('TYPE')?.toUpperCase() ?? '')
        if (options.get('ELSET')) set = setNamed(options.get('ELSET')!)
      } else if (card === 'ELSET') set = setNamed(options.get('ELSET') ?? fail('*ELSET without a name'))
      continue
    }
    const fields = text.split(',').map((field) => field.trim())
    if (fields.at(-1) === '') fields.pop()
    if (card === 'NODE') {
      const id = integer(fields[0])
      const [x, y, z] = [1, 2, 3].map((i) => (fields[i] ? realOf(fields[i]) : 0))
      lines.during(() => mesh.node(id, x, y, z))
    } else if (card === 'INSTANCE')
      fail('*INSTANCE moves its part, which is not read; write the file without parts and assemblies')
    else if (card === 'ELEMENT') {
      if (!type) {
        mesh.leaveOut(`elements of type ${options.get('TYPE')?.toUpperCase() || 'unknown'}`)
        continue
      }
      for (const field of fields) open.push(integer(field))
      if (open.length <= type.nodes) continue
      const [id, ...nodes] = open
      if (nodes.length > type.nodes)
        fail(`element ${id} has ${nodes.length} nodes where its type has ${type.nodes}`)
      open = []
      lines.during(() => mesh.element(id, type!.shape, nodes))
      set?.push(id)
    } else if (card === 'ELSET' && set) {
      if (options.has('GENERATE')) {
        const [from, to, step = 1] = fields.map(integer)
        if (!(step >= 1) || !((to - from) / step < bytes.length))
          fail('*ELSET, GENERATE: not first, last and step of numbers of elements')
        for (let id = from; id <= to; id += step) join(set, id)
      } else
        for (const field of fields) {
          const named = /^\d+$/.test(field) ? undefined : sets.get(spellings.get(field.toUpperCase()) ?? '')
          if (named === undefined) join(set, integer(field))
          else if (named !== set) for (const id of named) join(set, id)
        }
    }
  }
  ended()
  mesh.assign(sets)
  return mesh.take('INP file')
}

/** Places of the corners among the nodes of parabolic elements, whose corners and middles take turns. */
const TRIANGLE_6 = [0, 2, 4]
const QUADRILATERAL_8 = [0, 2, 4, 6]

interface Kind {
  shape: Shape
  /** Places of the corners; absent where the corners come first. */
  corners?: number[]
}

const kinds = (descriptors: number[], shape: Shape, corners?: number[]): [number, Kind][] =>
  descriptors.map((descriptor) => [descriptor, { shape, ...(corners && { corners }) }])

/** By descriptor (dataset 2412): plane stress, plane strain, plates, membranes, thin shells; solids. Axisymmetric ones (81 to 85) are no surfaces. */
const KINDS = new Map<number, Kind>([
  ...kinds([41, 51, 61, 74, 91], 'triangle'),
  ...kinds([42, 52, 62, 72, 92], 'triangle', TRIANGLE_6),
  ...kinds([44, 54, 64, 71, 94], 'quadrilateral'),
  ...kinds([45, 55, 65, 75, 95], 'quadrilateral', QUADRILATERAL_8),
  ...kinds([111], 'tetrahedron'),
  ...kinds([118], 'tetrahedron', [0, 2, 4, 9]),
  ...kinds([112], 'wedge'),
  ...kinds([113], 'wedge', [0, 2, 4, 9, 11, 13]),
  ...kinds([115], 'hexahedron'),
  ...kinds([116], 'hexahedron', [0, 2, 4, 6, 12, 14, 16, 18]),
])

const cornersFirst = (nodes: number[], corners: number[]): number[] => [
  ...corners.map((i) => nodes[i] ?? NaN),
  ...nodes.filter((_, i) => !corners.includes(i)),
]

/** Type of an entity in a group that is an element. */
const ELEMENT = 8

/**
 * Reads a universal file (.unv): nodes of datasets 2411 and 781, elements of 2412, as `ElementMesh` has them, units of 164: coordinates
 * are in metres where the file has it. The groups are those of elements of datasets 2467 and 2477; of several that have an element, the smallest. Throws
 * InputError, the line first, for what is damaged.
 */
export function readUnv(bytes: Uint8Array): Mesh {
  const lines = new TextLines(bytes)
  const mesh = new ElementMesh()
  const sets = new Map<string, number[]>()
  /** File units in a metre. */
  let scale = 1
  const fail = (message: string): never => {
    throw new InputError(`line ${lines.number}: ${message}`)
  }
  const isMark = (): boolean => lines.text.trim() === '-1'
  const line = (): string =>
    lines.next() ? lines.text.trim() : fail('the universal file ends inside a dataset: it is cut off')
  const words = (): string[] => {
    const text = line()
    return text === '' ? [] : text.split(/\s+/)
  }
  const integers = (): number[] =>
    words().map((text) => (/^[+-]?\d+$/.test(text) ? Number(text) : fail(`"${text}" is not a whole number`)))
  /** Records of a dataset until its end. */
  const records = (record: (first: number[]) => void): void => {
    for (let first = integers(); first[0] !== -1 || first.length > 1; first = integers())
      // Gmsh writes an empty line for the members of an empty group.
      if (first.length > 0) record(first)
  }

  while (lines.next()) {
    if (lines.text.trim() === '') continue
    if (!isMark())
      fail(
        `"${lines.text.trim().slice(0, 40)}" is not the begin of a dataset, -1: not a universal file, or damaged`,
      )
    if (!lines.next()) break
    const dataset = lines.text.trim()
    if (dataset === '164') {
      line()
      const length = realOf(words()[0] ?? '')
      if (!(length > 0)) fail('the unit of length of dataset 164 is not a positive number')
      scale = length
    }
    if (dataset === '2411' || dataset === '781')
      records(([id]) => {
        const [x, y, z] = words().map(realOf)
        lines.during(() => mesh.node(id, x, y, z))
      })
    else if (dataset === '2412')
      records(([id, descriptor, , , , count]) => {
        if (!(count >= 0)) fail('an element without its number of nodes')
        const kind = KINDS.get(descriptor)
        // Beams have a record of their orientation.
        const isBeam = descriptor > 10 && descriptor < 40
        if (isBeam) line()
        const nodes: number[] = []
        while (nodes.length < count) {
          const some = integers()
          if (some.length === 0 || isMark()) fail(`element ${id} has ${nodes.length} of its ${count} nodes`)
          nodes.push(...some)
        }
        if (nodes.length > count) fail(`element ${id} declares ${count} nodes and has ${nodes.length}`)
        if (!kind) return mesh.leaveOut(isBeam ? 'beams' : `elements of type ${descriptor}`)
        const corners = kind.corners ? cornersFirst(nodes, kind.corners) : nodes
        lines.during(() => mesh.element(id, kind.shape, corners))
      })
    else if (dataset === '2467' || dataset === '2477')
      records((head) => {
        const name = line() || String(head[0])
        const members = sets.get(name) ?? []
        sets.set(name, members)
        for (let left = head[7]; left > 0;) {
          const some = integers()
          if (some.length === 0 || some.length % 4 !== 0)
            fail(`group "${name}" lacks ${left} of its ${head[7]} members`)
          for (let i = 0; i < some.length; i += 4, left--) if (some[i] === ELEMENT) members.push(some[i + 1])
        }
      })
    // The rest of a dataset that is not read.
    else while (!isMark()) line()
  }
  mesh.assign(sets)
  const read = mesh.take('universal file')
  return scale === 1 ? read : { ...read, positions: read.positions.map((x) => x / scale) }
}

/** Elements that are read, by their entries. */
const SHAPES: Record<string, Shape> = {
  CTRIA3: 'triangle',
  CTRIA6: 'triangle',
  CTRIAR: 'triangle',
  CQUAD4: 'quadrilateral',
  CQUAD8: 'quadrilateral',
  CQUADR: 'quadrilateral',
  CSHEAR: 'quadrilateral',
  CTETRA: 'tetrahedron',
  CPYRAM: 'pyramid',
  CPYRA: 'pyramid',
  CPENTA: 'wedge',
  CHEXA: 'hexahedron',
}

/** Nodes of the elements of second order. */
const MOST_NODES: Record<Shape, number> = {
  triangle: 6,
  quadrilateral: 8,
  tetrahedron: 10,
  pyramid: 13,
  wedge: 15,
  hexahedron: 20,
}

/** Most fields of an entry that are kept: those read are at its begin. */
const MOST_FIELDS = 32

/**
 * Reads Nastran bulk data, in free, small or large fields: GRID, and elements as `ElementMesh` has them. The groups are the numbers of
 * properties. Throws InputError, the line first, for a GRID in a coordinate system of its own, and for what is damaged.
 */
export function readNastran(bytes: Uint8Array): Mesh {
  const lines = new TextLines(bytes)
  const mesh = new ElementMesh()
  /** The entry being read, its continuations included, and where it begins. */
  let fields: string[] = []
  let line = 0
  const entry = (): void => {
    if (fields.length === 0) return
    const [name] = fields
    const integer = (i: number, otherwise = NaN): number => {
      const text = fields[i] ?? ''
      const value = text === '' ? otherwise : /^[+-]?\d+$/.test(text) ? Number(text) : NaN
      if (!Number.isSafeInteger(value))
        throw new InputError(`field ${i + 1} of ${name}, "${text}", is not a whole number`)
      return value
    }
    const real = (i: number): number => {
      const text = fields[i] ?? ''
      const value = text === '' ? 0 : realOf(text)
      if (!Number.isFinite(value))
        throw new InputError(`field ${i + 1} of ${name}, "${text}", is not a finite number`)
      return value
    }
    if (name === 'GRDSET') {
      // It concerns GRIDs before it, too.
      const all = integer(2, 0)
      if (all !== 0)
        throw new InputError(
          `GRDSET puts GRIDs in coordinate system ${all}, which is not read; write all in the basic system`,
        )
    } else if (name === 'GRID') {
      const id = integer(1)
      const own = integer(2, 0)
      if (own !== 0)
        throw new InputError(
          `GRID ${id} is in coordinate system ${own}, which is not read; write all in the basic system`,
        )
      mesh.node(id, real(3), real(4), real(5))
    } else if (Object.hasOwn(SHAPES, name)) {
      const id = integer(1)
      const shape = SHAPES[name]
      const nodes = Array.from({ length: CORNERS[shape] }, (_, i) => integer(3 + i))
      // Fields after the corners of these are nodes; those of the others angles and offsets.
      if (/^C(TRIA6|QUAD8|TETRA|PYRAM?|PENTA|HEXA)$/.test(name))
        nodes.push(
          ...fields
            .slice(3 + CORNERS[shape], 3 + MOST_NODES[shape])
            .flatMap((text) => (/^\d+$/.test(text) ? Number(text) : [])),
        )
      mesh.element(id, shape, nodes, String(integer(2, id)))
    } else if (/^(CBAR|CBEAM|CBEND|CROD|CONROD|CTUBE|PLOTEL)$/.test(name)) mesh.leaveOut('beams')
    else if (
      /^(CTRIAX|CQUAD$|CQUADX|RBE|RTRPLT|RSPLINE|CELAS|CBUSH|CMASS|CONM|CDAMP|CGAP|CWELD|CFAST)/.test(name)
    )
      mesh.leaveOut(name)
    fields = []
  }
  const end = (): void => lines.during(entry, line)
  while (lines.next()) {
    const text = lines.text.replace(/\$.*/, '').trimEnd()
    if (text === '') continue
    if (/^\s*ENDDATA/i.test(text)) break
    if (/^\s*INCLUDE\b/i.test(text))
      throw new InputError(
        `line ${lines.number}: INCLUDE: files that others name are not read; write one file`,
      )
    const [head, ...data] = split(text)
    if (head === '' || /^[+*]/.test(head)) {
      // Lines of the case control end here, too: no entry is open.
      if (fields.length > 0 && fields.length < MOST_FIELDS) fields.push(...data)
      continue
    }
    if (head.startsWith('='))
      throw new InputError(
        `line ${lines.number}: replication (=) is not read; write nodes and elements one by one`,
      )
    end()
    fields = [head, ...data]
    line = lines.number
  }
  end()
  return mesh.take('Nastran file')
}

/** The name of a line's entry, in capitals without "*", or its mark of a continuation, and its data: eight fields, or four large ones. */
function split(text: string): string[] {
  if (text.includes(',')) {
    const fields = text.split(',').map((field) => field.trim())
    const head = fields[0].toUpperCase()
    const count = head.endsWith('*') || head.startsWith('*') ? 4 : 8
    return [nameOf(head), ...Array.from({ length: count }, (_, i) => fields[i + 1] ?? '')]
  }
  const columns = text.includes('\t') ? untabbed(text) : text
  const head = columns.slice(0, 8).trim().toUpperCase()
  const width = head.endsWith('*') || head.startsWith('*') ? 16 : 8
  return [
    nameOf(head),
    ...Array.from({ length: 64 / width }, (_, i) => columns.slice(8 + i * width, 8 + (i + 1) * width).trim()),
  ]
}

const nameOf = (head: string): string => (/^[+*]/.test(head) ? head : head.replace(/\*$/, '').trim())

/** Tabs lead to the next field of eight columns; nine of them are read. */
const untabbed = (text: string): string =>
  text.split('\t', 10).reduce((line, part) => line.padEnd(8 * Math.ceil((line.length + 1) / 8)) + part)
