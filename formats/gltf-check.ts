import type { GLTF } from '@gltf-transform/core'
import { InputError } from '../scene/index.js'

const LISTS = ['buffers', 'bufferViews', 'accessors', 'meshes', 'nodes', 'scenes', 'materials'] as const

/** Deepest nesting of nodes: far more than any exporter writes. */
const MOST_LEVELS = 1000
/** Elements of an accessor, and vertices and corners of a scene, that even a small file may have. */
const FEW_ELEMENTS = 2 ** 20
const FEW_CORNERS = 2 ** 23

const isCount = (x: unknown): x is number => Number.isSafeInteger(x) && (x as number) >= 0

const isObject = (x: unknown): boolean => typeof x === 'object' && x !== null && !Array.isArray(x)

/** @throws InputError for anything but a list, where there is one, of what `is` says */
export function checkList(list: unknown, is: (x: unknown) => boolean, what: string, of: string): void {
  if (list !== undefined && !(Array.isArray(list) && list.every(is)))
    throw new InputError(`${what} of the glTF file is not a list of ${of}; export it again`)
}

/**
 * Checks for content that would make reading a glTF file endless or unbounded: lists of the wrong type, lengths that are not
 * counts or exceed the file's size, cycles of nodes, one mesh instanced very often.
 * @param bytes  size of the file without external buffers
 * @throws InputError
 */
export function checkGltf(json: GLTF.IGLTF, bytes: number): void {
  for (const name of LISTS) checkList(json[name], isObject, `"${name}"`, 'objects')
  for (const [i, { primitives }] of (json.meshes ?? []).entries())
    checkList(primitives, isObject, `"primitives" of mesh ${i}`, 'objects')
  for (const [i, { nodes }] of (json.scenes ?? []).entries())
    checkList(
      nodes,
      (n) => isCount(n) && n < (json.nodes?.length ?? 0),
      `"nodes" of scene ${i}`,
      'nodes there',
    )
  let size = bytes
  for (const [i, { byteLength, uri }] of (json.buffers ?? []).entries()) {
    if (!isCount(byteLength))
      throw new InputError(`the length of buffer ${i} of the glTF file is not a number of bytes`)
    if (uri !== undefined && typeof uri !== 'string')
      throw new InputError(`"uri" of buffer ${i} of the glTF file is not a text; export it again`)
    size += byteLength
  }
  checkAccessors(json, size)
  checkNodes(json.nodes ?? [])
  checkCopies(json, size)
}

/** Bytes of a component by its type's number, and components of an element. (glTF 2.0, 3.6.2.2) */
const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 }
const COMPONENTS: Record<string, number> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
}

/** @throws InputError where `count` elements of `element` bytes do not lie within the view, or the view within its buffer */
function checkView(
  { bufferViews = [], buffers = [] }: GLTF.IGLTF,
  position: { bufferView?: number; byteOffset?: number },
  count: number,
  element: number,
  what: string,
): void {
  const { bufferView, byteOffset = 0 } = position
  const view = bufferViews[bufferView!]
  const buffer = view && buffers[view.buffer]
  const { byteLength, byteStride = element, byteOffset: start = 0 } = view ?? {}
  const inView = isCount(byteOffset) && isCount(byteLength) && isCount(byteStride) && isCount(start)
  const end = count === 0 ? 0 : byteOffset + (count - 1) * byteStride + element
  if (!buffer || !inView || !(end <= byteLength!) || start + byteLength! > buffer.byteLength)
    throw new InputError(
      `${what} of the glTF file exceeds its buffer, which does not hold all ${count} elements: the file is damaged`,
    )
}

function checkAccessors(json: GLTF.IGLTF, size: number): void {
  for (const [i, accessor] of (json.accessors ?? []).entries()) {
    const { count, sparse, componentType, type, bufferView } = accessor
    if (!isCount(count) || count > Math.max(FEW_ELEMENTS, size))
      throw new InputError(
        `accessor ${i} of the glTF file claims ${count} elements, which its bytes cannot hold`,
      )
    if (sparse && !(isCount(sparse.count) && sparse.count <= count))
      throw new InputError(`accessor ${i} of the glTF file replaces ${sparse.count} of its ${count} elements`)
    const [bytes, parts] = [COMPONENT_BYTES[componentType], COMPONENTS[type]]
    if (!bytes || !parts)
      throw new InputError(`accessor ${i} of the glTF file has an unknown type (${type}, ${componentType})`)
    if (bufferView !== undefined) checkView(json, accessor, count, bytes * parts, `accessor ${i}`)
    if (!sparse) continue
    const { indices, values } = sparse
    const number = COMPONENT_BYTES[indices?.componentType]
    if (!number || indices.componentType === 5126)
      throw new InputError(
        `accessor ${i} of the glTF file has no valid list of the elements that it replaces`,
      )
    checkView(json, indices, sparse.count, number, `the list of replaced elements of accessor ${i}`)
    checkView(json, values ?? {}, sparse.count, bytes * parts, `the list of replacements of accessor ${i}`)
  }
}

/** Every node has at most one parent, and there are no cycles. */
function checkNodes(nodes: GLTF.INode[]): void {
  const parents = new Int32Array(nodes.length)
  for (const [i, { matrix, children = [] }] of nodes.entries()) {
    checkList(children, () => true, `"children" of node ${i}`, 'nodes')
    checkList(matrix, Number.isFinite, `"matrix" of node ${i}`, 'numbers')
    for (const child of children) {
      if (!isCount(child) || child >= nodes.length)
        throw new InputError(
          `a node of the glTF file has the child ${child}; there are ${nodes.length} nodes`,
        )
      if (++parents[child] > 1) throw new InputError(`node ${child} of the glTF file has two parents`)
    }
  }
  let level = [...nodes.keys()].filter((i) => parents[i] === 0)
  let seen = level.length
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MOST_LEVELS)
      throw new InputError(`the glTF file has more than ${MOST_LEVELS} levels of nodes`)
    level = level.flatMap((i) => nodes[i].children ?? [])
    seen += level.length
  }
  if (seen < nodes.length) throw new InputError('the nodes of the glTF file form a cycle')
}

/** A small file must not become many facets by instancing one mesh, or one list of vertices, very often. */
function checkCopies({ nodes = [], meshes = [], accessors = [] }: GLTF.IGLTF, size: number): void {
  const count = (accessor: number | undefined): number => accessors[accessor ?? -1]?.count ?? 0
  const corners = meshes.map(({ primitives = [] }) =>
    primitives.reduce(
      (n, p) => n + count(p.attributes?.POSITION) + 3 * count(p.indices ?? p.attributes?.POSITION),
      0,
    ),
  )
  const total = nodes.reduce((n, { mesh }) => n + (mesh === undefined ? 0 : (corners[mesh] ?? 0)), 0)
  if (total > Math.max(FEW_CORNERS, size))
    throw new InputError(
      `the glTF file repeats its meshes to about ${total} vertices; export them without instancing, or fewer of them`,
    )
}
