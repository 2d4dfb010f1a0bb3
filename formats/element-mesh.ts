import { InputError, type Mesh } from '../scene/index.js'
import { GrowingFloats, GrowingInts, refuseUtf16 } from './text-scanner.js'
import { Polygons } from './obj.js'

/** Most bytes of a line: sets of elements may be in one. */
const LONGEST_LINE = 2 ** 20

/** Most nodes, elements and faces: a map holds no more. */
const MOST = 2 ** 24 - 1

/** Elements by their corners; nodes between corners are not read. */
export type Shape = 'triangle' | 'quadrilateral' | 'tetrahedron' | 'pyramid' | 'wedge' | 'hexahedron'

/** Corners of each shape. */
export const CORNERS: Record<Shape, number> = {
  triangle: 3,
  quadrilateral: 4,
  tetrahedron: 4,
  pyramid: 5,
  wedge: 6,
  hexahedron: 8,
}

/** Faces of solids, seen from outside counter-clockwise, by corners in the order that all these formats share. */
const FACES: Partial<Record<Shape, readonly (readonly number[])[]>> = {
  // prettier-ignore
  tetrahedron: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
  // prettier-ignore
  pyramid: [[0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
  // prettier-ignore
  wedge: [[0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]],
  // prettier-ignore
  hexahedron: [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
}

/** A number as these formats write it, also `1.5D-3` and Nastran's `1.5-3`; NaN for any other text. */
export function realOf(text: string): number {
  const [, mantissa, exponent] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:(?:[ed]|(?=[+-]))([+-]?\d+))?$/i.exec(text) ?? []
  return mantissa === undefined ? NaN : Number(`${mantissa}e${exponent ?? 0}`)
}

/**
 * A mesh made of elements that name their nodes by numbers: surface elements, or, of a file without them, the outer faces of its solids.
 * What a file has besides is counted and named in `Mesh.leftOut`.
 */
export class ElementMesh {
  readonly #coordinates = new GrowingFloats()
  readonly #vertices = new Map<number, number>()
  /** Of each element: offset in `#corners`. */
  readonly #first = new GrowingInts()
  readonly #corners = new GrowingFloats()
  readonly #shapes: Shape[] = []
  readonly #groups = new GrowingInts()
  readonly #elements = new Map<number, number>()
  readonly #names = new Map<string, number>()
  readonly #leftOut = new Map<string, number>()
  #solids = 0

  /** Adds a node. @throws InputError for a number that another place has, or a coordinate that is not finite */
  node(id: number, x: number, y: number, z: number): void {
    checkId(id, 'node')
    if (!Number.isFinite(x + y + z))
      throw new InputError(`node ${id} has a coordinate that is not a finite number`)
    const known = this.#vertices.get(id)
    if (known === undefined) {
      checkSize(this.#vertices, 'nodes')
      this.#vertices.set(id, this.#coordinates.length / 3)
      for (const c of [x, y, z]) this.#coordinates.push(c)
    } else if ([x, y, z].some((c, i) => this.#coordinates.at(3 * known + i) !== c))
      throw new InputError(`node ${id} occurs twice, in different places`)
  }

  /** Adds an element. @param nodes  its corners first; its nodes may come later in the file */
  element(id: number, shape: Shape, nodes: readonly number[], group = 'default'): void {
    checkId(id, 'element')
    if (this.#elements.has(id)) throw new InputError(`element ${id} occurs twice`)
    checkSize(this.#elements, 'elements')
    const corners = CORNERS[shape]
    if (nodes.length < corners)
      throw new InputError(`element ${id} has ${nodes.length} of its ${corners} corners`)
    this.#elements.set(id, this.#shapes.length)
    this.#first.push(this.#corners.length)
    for (let i = 0; i < corners; i++) {
      checkId(nodes[i], `element ${id}: node`)
      this.#corners.push(nodes[i])
    }
    this.#shapes.push(shape)
    if (FACES[shape]) this.#solids++
    if (nodes.length > corners) this.leaveOut('nodes between corners', nodes.length - corners)
    this.#groups.push(this.#group(group))
  }

  /** Counts what is not read, e.g. "beams". */
  leaveOut(what: string, count = 1): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count)
  }

  /** Names groups by sets of elements; of several, an element's is the smallest. */
  assign(sets: ReadonlyMap<string, readonly number[]>): void {
    for (const [name, ids] of [...sets].toSorted(([, a], [, b]) => b.length - a.length))
      for (const id of ids) {
        const element = this.#elements.get(id)
        if (element !== undefined) this.#groups.set(element, this.#group(name))
      }
  }

  /** @param what  the format, for messages @throws InputError for an element whose node is missing, or without surfaces and solids */
  take(what: string): Mesh {
    const count = this.#shapes.length
    if (count === 0)
      throw new InputError(
        `the ${what} has no surface or solid elements${this.#leftOut.size ? `, but ${this.#list()}` : ''}`,
      )
    const ids = [...this.#elements.keys()]
    const polygons = new Polygons()
    const groups: number[] = []
    const add = (face: readonly number[], group: number): void => {
      // Corners that coincide make a triangle of a quadrilateral.
      const corners = face.filter((v, i) => v !== face[(i + 1) % face.length])
      if (new Set(corners).size < 3) return
      for (const v of corners) polygons.corner(v)
      for (let i = polygons.end(); i > 2; i--) groups.push(group)
    }
    const onlySolids = this.#solids === count
    /** Faces of solids met once so far, by their corners in order. */
    const open = new Map<string, { face: readonly number[]; group: number }>()
    for (let e = 0; e < count; e++) {
      const shape = this.#shapes[e]
      const corners: number[] = []
      for (let i = 0; i < CORNERS[shape]; i++) {
        const node = this.#corners.at(this.#first.at(e) + i)
        const vertex = this.#vertices.get(node)
        if (vertex === undefined)
          throw new InputError(`element ${ids[e]} uses node ${node}, which the ${what} does not have`)
        corners.push(vertex)
      }
      const faces = FACES[shape]
      if (!faces) add(corners, this.#groups.at(e))
      else if (onlySolids)
        for (const corner of faces) {
          const face = corner.map((i) => corners[i])
          const key = [...new Set(face)].toSorted((a, b) => a - b).join()
          checkSize(open, 'outer faces of solids')
          if (!open.delete(key)) open.set(key, { face, group: this.#groups.at(e) })
        }
    }
    for (const { face, group } of open.values()) add(face, group)
    if (groups.length === 0)
      throw new InputError(`the ${what} has no surfaces: the corners of all elements coincide`)
    if (!onlySolids && this.#solids) this.leaveOut('solids beside surfaces', this.#solids)
    const positions = this.#coordinates.take()
    return {
      positions,
      triangles: polygons.take(positions),
      ...groupsOf(groups, [...this.#names.keys()]),
      ...(this.#leftOut.size && { leftOut: this.#list() }),
    }
  }

  #group(name: string): number {
    const known = this.#names.get(name) ?? this.#names.size
    this.#names.set(name, known)
    return known
  }

  #list(): string {
    return Array.from(this.#leftOut, ([name, count]) => `${name} (${count})`).join(', ')
  }
}

/** Groups of facets, those alone that have any; none where all is "default". */
export function groupsOf(
  groups: readonly number[],
  names: readonly string[],
): Pick<Mesh, 'facetGroup' | 'groupNames'> {
  const used = [...new Set(groups)].toSorted((a, b) => a - b)
  if (used.length === 1 && names[used[0]] === 'default') return {}
  const numbers = new Map(used.map((group, i) => [group, i]))
  return {
    facetGroup: Uint32Array.from(groups, (group) => numbers.get(group)!),
    groupNames: used.map((i) => names[i]),
  }
}

function checkSize(map: ReadonlyMap<unknown, unknown>, what: string): void {
  if (map.size >= MOST) throw new InputError(`more than ${MOST} ${what}; give a coarser mesh, or its surface`)
}

function checkId(id: number, what: string): void {
  if (!Number.isSafeInteger(id) || id < 1) throw new InputError(`${what} ${id}: numbers are whole and from 1`)
}

/** Lines of a text in memory, one by one, so that files longer than a string can be read. */
export class TextLines {
  text = ''
  number = 0
  #at = 0
  readonly #bytes: Uint8Array
  readonly #decoder = new TextDecoder()

  constructor(bytes: Uint8Array) {
    refuseUtf16(bytes)
    this.#bytes = bytes
  }

  /** Advances to the next line, without its end; false at the end of the text. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false
    const end = this.#bytes.indexOf(10, this.#at)
    const to = end < 0 ? this.#bytes.length : end
    this.number++
    if (to - this.#at > LONGEST_LINE)
      throw new InputError(`line ${this.number} has more than ${LONGEST_LINE} bytes`)
    this.text = this.#decoder.decode(this.#bytes.subarray(this.#at, to)).trimEnd()
    this.#at = to + 1
    return true
  }

  /** Runs a step; what it refuses gets a line's number. */
  during<T>(step: () => T, number = this.number): T {
    try {
      return step()
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`line ${number}: ${error.message}`, { cause: error })
      throw error
    }
  }
}
