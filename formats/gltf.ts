import {
  type Accessor,
  type GLTF,
  Logger,
  type Node,
  Primitive,
  type Root,
  WebIO,
} from '@gltf-transform/core'
import { checkMesh, InputError, type Mesh, SINGLE_ROUNDING } from '../scene/index.js'
import { GrowingFloats, GrowingInts, refuseUtf16 } from './text-scanner.js'

const LISTS = ['buffers', 'bufferViews', 'accessors', 'meshes', 'nodes', 'scenes', 'materials'] as const

/** Deepest nesting of nodes: far more than any exporter writes. */
const MOST_LEVELS = 1000
/** Elements of an accessor, and vertices and corners of a scene, that even a small file may have. */
const FEW_ELEMENTS = 2 ** 20
const FEW_CORNERS = 2 ** 23

const isCount = (x: unknown): x is number => Number.isSafeInteger(x) && (x as number) >= 0

const isObject = (x: unknown): boolean => typeof x === 'object' && x !== null && !Array.isArray(x)

/** @throws InputError for anything but a list, where there is one, of what `is` says */
function checkList(list: unknown, is: (x: unknown) => boolean, what: string, of: string): void {
  if (list !== undefined && !(Array.isArray(list) && list.every(is)))
    throw new InputError(`${what} of the glTF file is not a list of ${of}; export it again`)
}

/**
 * Checks for content that would make reading a glTF file endless or unbounded: lists of the wrong type, lengths that are not
 * counts or exceed the file's size, cycles of nodes, one mesh instanced very often.
 * @param bytes  size of the file without external buffers
 * @throws InputError
 */
function checkGltf(json: GLTF.IGLTF, bytes: number): void {
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

const MAGIC = 0x46546c67
const JSON_CHUNK = 0x4e4f534a
const BIN_CHUNK = 0x004e4942
/** Name under which the binary chunk of a .glb is passed to the library. */
const OWN_BUFFER = 'own-buffer'

/** Required extensions that do not change triangles, or that only allow integer positions. */
const HARMLESS =
  /^(KHR_mesh_quantization|KHR_materials_\w+|KHR_texture_\w+|EXT_texture_\w+|KHR_lights_\w+|KHR_techniques?_webgl)$/

/**
 * Reads a glTF 2.0 file, .glb or .gltf, distinguished by content. `readUri` returns the bytes of a buffer in a file
 * of its own, by the relative address in the file. Every mesh of the default scene (of the first, or of all nodes, where
 * there is none) is transformed to world coordinates by its node; triangles, strips and fans are read, points and lines
 * skipped; skins, morphs and images are ignored.
 * glTF has y up, isar has z up: (x, y, z) = (x, -z, y) of the file. Lengths are metres in both.
 * A facet's group is "node/material", of those that have a name; the mesh's name stands for a node's.
 * Throws InputError for a damaged file, a missing buffer, a required extension that is not supported
 * (compressed geometry), a position that is not finite, or a file without triangles.
 */
export async function readGltf(
  bytes: Uint8Array,
  readUri: (uri: string) => Promise<Uint8Array>,
): Promise<Mesh> {
  try {
    return await readScene(bytes, readUri)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`the glTF file is damaged (${(error as Error).message}); export it again`, {
      cause: error,
    })
  }
}

async function readScene(bytes: Uint8Array, readUri: (uri: string) => Promise<Uint8Array>): Promise<Mesh> {
  const { json, binary } = splitFile(bytes)
  checkGltf(json, bytes.length)
  checkList(json.extensionsRequired, (name) => typeof name === 'string', '"extensionsRequired"', 'names')
  const needed = (json.extensionsRequired ?? []).filter((name) => !HARMLESS.test(name))
  if (needed.length)
    throw new InputError(
      `the glTF file needs ${needed.join(', ')}, which is not supported; export it without ${needed.some((name) => /compression/.test(name)) ? 'compression' : needed.length > 1 ? 'them' : 'it'}`,
    )
  const resources: Record<string, Uint8Array<ArrayBuffer>> = {}
  const buffers = (json.buffers ?? []).map((buffer, i) =>
    i === 0 && binary && buffer.uri === undefined ? { ...buffer, uri: OWN_BUFFER } : buffer,
  )
  if (binary) resources[OWN_BUFFER] = binary
  for (const { uri, byteLength } of buffers) {
    if (uri === undefined) throw new InputError('the glTF file has a buffer with neither data nor a URI')
    if (uri.startsWith('data:')) continue
    if (uri !== OWN_BUFFER) resources[uri] = new Uint8Array(await readUri(uri))
    if (resources[uri].length < byteLength)
      throw new InputError(
        `a glTF buffer has ${resources[uri].length} of its ${byteLength} bytes: it is cut off`,
      )
  }
  // Only geometry: images are often most of a file, and may be missing.
  const geometry: GLTF.IGLTF = {
    asset: json.asset,
    buffers,
    bufferViews: json.bufferViews,
    accessors: [...(json.accessors ?? []), ...sparseIndices(json)],
    meshes: json.meshes,
    nodes: json.nodes?.map(({ skin: _skin, camera: _camera, extensions: _extensions, ...node }) => node),
    scenes: json.scenes,
    scene: json.scene,
    materials: json.materials?.map(({ name }) => ({ name })),
  }
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT))
  const root = (await io.readJSON({ json: geometry, resources })).getRoot()
  const all = root.listAccessors()
  checkSparse(json, all)
  all.slice(0, json.accessors?.length).forEach((accessor, i) => {
    const count = json.accessors?.[i].count ?? 0
    if (accessor.getArray() && accessor.getCount() < count)
      throw new InputError(
        `accessor ${i} of the glTF file has ${accessor.getCount()} of its ${count} elements`,
      )
  })
  return collect(root)
}

/** The lists of replaced elements as separate accessors, so that the library reads them. */
const sparseIndices = ({ accessors = [] }: GLTF.IGLTF): GLTF.IAccessor[] =>
  accessors.flatMap(({ sparse }) =>
    sparse && sparse.count > 0 ? [{ ...sparse.indices, count: sparse.count, type: 'SCALAR' as const }] : [],
  )

/** @throws InputError where a replaced element is out of range: the library would write it beyond the others */
function checkSparse({ accessors = [] }: GLTF.IGLTF, all: Accessor[]): void {
  let next = accessors.length
  for (const [i, { sparse, count }] of accessors.entries()) {
    if (!sparse || sparse.count === 0) continue
    const stray = all[next++].getArray()?.find((element: number) => element >= count)
    if (stray !== undefined)
      throw new InputError(`accessor ${i} of the glTF file replaces element ${stray} of ${count}`)
  }
}

/** The JSON of a file and, of a .glb, its binary chunk. */
function splitFile(bytes: Uint8Array): { json: GLTF.IGLTF; binary?: Uint8Array<ArrayBuffer> } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC) return { json: parseJson(bytes) }
  if (view.getUint32(4, true) !== 2)
    throw new InputError(`glTF version ${view.getUint32(4, true)} is not supported; give 2.0`)
  if (view.getUint32(8, true) > bytes.length)
    throw new InputError(
      `the .glb file has ${bytes.length} of its ${view.getUint32(8, true)} bytes: it is cut off`,
    )
  let json: GLTF.IGLTF | undefined
  let binary: Uint8Array<ArrayBuffer> | undefined
  for (let at = 12; at + 8 <= bytes.length; at += 8 + view.getUint32(at, true)) {
    const chunk = bytes.subarray(at + 8, at + 8 + view.getUint32(at, true))
    const type = view.getUint32(at + 4, true)
    if (type === JSON_CHUNK && !json) json = parseJson(chunk)
    if (type === BIN_CHUNK && !binary) binary = new Uint8Array(chunk)
  }
  if (!json) throw new InputError('the .glb file has no JSON chunk')
  return { json, binary }
}

function parseJson(bytes: Uint8Array): GLTF.IGLTF {
  refuseUtf16(bytes)
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new InputError('not a glTF file: neither the .glb signature nor JSON', { cause: error })
  }
  const version = (json as GLTF.IGLTF | null)?.asset?.version
  if (version !== '2.0')
    throw new InputError(`not a glTF 2.0 file: its asset version is ${version ?? 'missing'}`)
  return json as GLTF.IGLTF
}

/** All triangles of the scene as one mesh, in isar's axes. */
function collect(root: Root): Mesh {
  const positions = new GrowingFloats()
  const triangles = new GrowingInts()
  const group = new GrowingInts()
  const numbers = new Map<string, number>()
  /** Largest coordinate before the nodes' transforms. */
  let largest = 0
  const scene = root.getDefaultScene() ?? root.listScenes()[0]
  const nodes: Node[] = []
  if (scene) scene.traverse((node) => nodes.push(node))
  else nodes.push(...root.listNodes())

  for (const node of nodes) {
    const mesh = node.getMesh()
    if (!mesh) continue
    const m = node.getWorldMatrix()
    const mirrored =
      m[0] * (m[5] * m[10] - m[6] * m[9]) +
        m[4] * (m[9] * m[2] - m[1] * m[10]) +
        m[8] * (m[1] * m[6] - m[5] * m[2]) <
      0
    // Primitives of one mesh often share their vertices.
    const firstVertex = new Map<Accessor, number>()
    for (const primitive of mesh.listPrimitives()) {
      const points = primitive.getAttribute('POSITION')
      const corners = cornersOf(primitive)
      if (!points || corners.length === 0) continue
      if (!firstVertex.has(points)) {
        firstVertex.set(points, positions.length / 3)
        for (let v = 0; v < points.getCount(); v++) {
          const [x, y, z] = points.getElement(v, [0, 0, 0])
          // The file's coordinates are in single precision; the transformed ones are not.
          for (let c = 0; c < 3; c++)
            largest = Math.max(largest, Math.abs(m[c] * x) + Math.abs(m[4 + c] * y) + Math.abs(m[8 + c] * z))
          positions.push(m[0] * x + m[4] * y + m[8] * z + m[12])
          positions.push(-(m[2] * x + m[6] * y + m[10] * z + m[14]))
          positions.push(m[1] * x + m[5] * y + m[9] * z + m[13])
        }
      }
      const names = [node.getName() || mesh.getName(), primitive.getMaterial()?.getName()]
      const name = names.filter(Boolean).join('/') || 'default'
      if (!numbers.has(name)) numbers.set(name, numbers.size)
      const first = firstVertex.get(points)!
      for (let i = 0; i < corners.length; i += 3) {
        for (const k of mirrored ? [0, 2, 1] : [0, 1, 2]) {
          if (corners[i + k] >= points.getCount())
            throw new InputError(
              `"${name}" uses vertex ${corners[i + k]} of ${points.getCount()} (numbered from 0)`,
            )
          triangles.push(first + corners[i + k])
        }
        group.push(numbers.get(name)!)
      }
    }
  }
  if (triangles.length === 0) throw new InputError('the glTF file has no triangles in its scene')
  const whole: Mesh = {
    positions: positions.take(),
    triangles: Uint32Array.from(triangles.take()),
    facetGroup: Uint32Array.from(group.take()),
    groupNames: [...numbers.keys()],
    rounding: SINGLE_ROUNDING * largest,
  }
  checkMesh(whole)
  return whole
}

/** Vertex numbers of a primitive's triangles, three for each; none for points and lines. (glTF 2.0, 3.7.2.1) */
function cornersOf(primitive: Primitive): number[] {
  const indices = primitive.getIndices()
  const count = indices?.getCount() ?? primitive.getAttribute('POSITION')?.getCount() ?? 0
  const vertex = (i: number): number => (indices ? indices.getScalar(i) : i)
  const corners: number[] = []
  const mode = primitive.getMode()
  if (mode === Primitive.Mode.TRIANGLES)
    for (let i = 0; i + 2 < count; i += 3) corners.push(vertex(i), vertex(i + 1), vertex(i + 2))
  else if (mode === Primitive.Mode.TRIANGLE_STRIP)
    for (let i = 0; i + 2 < count; i++)
      corners.push(vertex(i), vertex(i + 1 + (i % 2)), vertex(i + 2 - (i % 2)))
  else if (mode === Primitive.Mode.TRIANGLE_FAN)
    for (let i = 0; i + 2 < count; i++) corners.push(vertex(i + 1), vertex(i + 2), vertex(0))
  return corners
}
