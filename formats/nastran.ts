import { InputError, type Mesh } from '../scene/index.js'
import { CORNERS, ElementMesh, realOf, type Shape, TextLines } from './element-mesh.js'

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
