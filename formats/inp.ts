import { InputError, type Mesh } from '../scene/index.js'
import { ElementMesh, realOf, type Shape, TextLines } from './element-mesh.js'

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
