import { InputError, type Mesh } from '../scene/index.js'
import { ElementMesh, realOf, type Shape, TextLines } from './element-mesh.js'

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
