import { unzipSync } from 'fflate'
import { InputError, type Mesh } from '../scene/index.js'
import { groupsOf } from './element-mesh.js'
import { GrowingFloats, GrowingInts } from './text-scanner.js'
import { lineOf, tags } from './xml.js'

/** Metres in the units of a model. */
const UNITS = new Map(
  Object.entries({ micron: 1e-6, millimeter: 1e-3, centimeter: 1e-2, inch: 0.0254, foot: 0.3048, meter: 1 }),
)
/** What messages about its XML name. */
const WHAT = "the 3MF file's XML"
/** Most bytes of the models of a file: a string holds no more. */
const MOST_BYTES = 2 ** 29 - 2 ** 10
/** Most objects placed, and most facets of all: components of components multiply. */
const MOST_PLACED = 100_000
const MOST_FACETS = 2 ** 26
/** Most components inside each other. */
const DEEPEST = 100

/** A transform, row by row: (x, y, z, 1) times its 4 x 3 matrix. */
type Matrix = number[]
const IDENTITY: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]

interface Part {
  key: string
  matrix: Matrix
}

interface Item {
  name: string
  positions: GrowingFloats
  triangles: GrowingInts
  parts: Part[]
}

/**
 * Reads a 3MF file: the objects of the build, with the transforms of items and components, in metres. The groups are the objects' names.
 * Throws InputError for what is no such file, is damaged, or repeats itself beyond measure.
 */
export function readThreeMf(bytes: Uint8Array): Mesh {
  const models = unzipped(bytes)
  const root = rootOf(models)
  const items = new Map<string, Item>()
  const build: Part[] = []
  let leftOut = 0
  let scale = 1
  for (const [path, text] of models) {
    if (path === root || /\.model$/i.test(path)) {
      const read = readModel(path, text, items, path === root ? build : [])
      if (path === root) scale = read.scale
      leftOut += read.lattices
    }
  }
  if (build.length === 0)
    throw new InputError(
      'the build of the 3MF file has no items: its objects are not placed; place them and export it again',
    )
  for (const item of items.values()) dropUnused(item)

  const positions = new GrowingFloats()
  const triangles = new GrowingInts()
  const groups: number[] = []
  const names = new Map<string, number>()
  let placed = 0
  const place = (part: Part, outer: Matrix, above: readonly string[]): void => {
    const item = items.get(part.key)
    if (!item) throw new InputError(`object ${part.key} of the 3MF file is used and does not exist`)
    if (above.includes(part.key)) throw new InputError(`object ${part.key} of the 3MF file contains itself`)
    if (above.length > DEEPEST)
      throw new InputError(`components of the 3MF file are nested deeper than ${DEEPEST}`)
    if (++placed > MOST_PLACED) throw new InputError(`the 3MF file places more than ${MOST_PLACED} objects`)
    const m = times(part.matrix, outer)
    for (const inner of item.parts) place(inner, m, [...above, part.key])
    if (item.triangles.length === 0) return
    if ((triangles.length + item.triangles.length) / 3 > MOST_FACETS)
      throw new InputError(`the 3MF file places more than ${MOST_FACETS} facets`)
    const first = positions.length / 3
    for (let v = 0; v < item.positions.length; v += 3)
      for (let c = 0; c < 3; c++)
        positions.push(
          scale *
            (item.positions.at(v) * m[c] +
              item.positions.at(v + 1) * m[3 + c] +
              item.positions.at(v + 2) * m[6 + c] +
              m[9 + c]),
        )
    // A mirrored object is turned inside out again.
    const order = determinant(m) < 0 ? [0, 2, 1] : [0, 1, 2]
    const group = names.get(item.name) ?? names.size
    names.set(item.name, group)
    for (let t = 0; t < item.triangles.length; t += 3) {
      for (const k of order) triangles.push(first + item.triangles.at(t + k))
      groups.push(group)
    }
  }
  for (const part of build) place(part, IDENTITY, [])
  if (triangles.length === 0) throw new InputError('the 3MF file has no triangles in its build')
  return {
    positions: positions.take(),
    triangles: Uint32Array.from(triangles.take()),
    ...groupsOf(groups, [...names.keys()]),
    ...(leftOut > 0 && { leftOut: `${leftOut} beam lattices` }),
  }
}

/** Vertices without triangles would be placed without limit. */
function dropUnused(item: Item): void {
  const { positions, triangles } = item
  const used = new Uint8Array(positions.length / 3)
  for (let i = 0; i < triangles.length; i++) used[triangles.at(i)] = 1
  if (!used.includes(0)) return
  item.positions = new GrowingFloats()
  const places = new Uint32Array(used.length)
  for (let v = 0; v < used.length; v++) {
    places[v] = item.positions.length / 3
    if (used[v]) for (let c = 0; c < 3; c++) item.positions.push(positions.at(3 * v + c))
  }
  for (let i = 0; i < triangles.length; i++) triangles.set(i, places[triangles.at(i)])
}

/** Texts of the models and relations in the archive, by path. */
function unzipped(bytes: Uint8Array): Map<string, string> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) throw new InputError('not a 3MF file: it is not a zip archive')
  let total = 0
  try {
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.model$|^_rels\/\.rels$/i.test(name)) return false
        total += originalSize
        // Deflated data has at least a thousandth of its size.
        if (total > MOST_BYTES || originalSize > 1032 * bytes.length)
          throw new InputError(`the models of the 3MF file have ${total} bytes; that is too large, or a lie`)
        return true
      },
    })
    return new Map(
      Object.entries(files).map(([name, data]) => [name.toLowerCase(), new TextDecoder().decode(data)]),
    )
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`the 3MF file is not a readable zip archive: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Path of the model that the relations name as the first. */
function rootOf(models: ReadonlyMap<string, string>): string {
  let root = '3d/3dmodel.model'
  for (const { name, attributes } of tags(models.get('_rels/.rels') ?? '', WHAT))
    if (name === 'Relationship' && attributes().get('Type')?.endsWith('/3dmodel'))
      root = (attributes().get('Target') ?? '').replace(/^\//, '').toLowerCase()
  if (!models.has(root)) throw new InputError(`the 3MF file has no model "${root}"`)
  return root
}

function readModel(
  path: string,
  text: string,
  items: Map<string, Item>,
  build: Part[],
): { scale: number; lattices: number } {
  let item: Item | undefined
  let scale = NaN
  let lattices = 0
  for (const { name, at, isEnd, attributes: read } of tags(text, WHAT)) {
    if (isEnd) {
      if (name === 'object') item = undefined
      continue
    }
    const fail = (message: string): never => {
      throw new InputError(`line ${lineOf(text, at)} of ${path}: ${message}`)
    }
    if (!/^(model|object|vertex|triangle|component|item|beamlattice)$/.test(name)) continue
    const attributes = read()
    const number = (key: string): number => {
      const value = Number(attributes.get(key) || NaN)
      return Number.isFinite(value) ? value : fail(`<${name}> has no finite number ${key}`)
    }
    const part = (): Part => {
      const matrix = attributes.has('transform')
        ? attributes.get('transform')!.trim().split(/\s+/).map(Number)
        : IDENTITY
      if (matrix.length !== 12 || !matrix.every(Number.isFinite))
        fail(`<${name}> has a transform that is not twelve finite numbers`)
      const other = attributes.get('path')?.replace(/^\//, '').toLowerCase() ?? path
      return { key: `${other}#${attributes.get('objectid') ?? ''}`, matrix }
    }
    if (name === 'model') {
      const unit = attributes.get('unit') ?? 'millimeter'
      scale = UNITS.get(unit) ?? fail(`the unit "${unit}" is not one of 3MF`)
    } else if (name === 'object') {
      const id = attributes.get('id') ?? ''
      if (items.has(`${path}#${id}`)) fail(`object ${id} occurs twice`)
      item = {
        name: attributes.get('name') || attributes.get('partnumber') || `object ${id}`,
        positions: new GrowingFloats(),
        triangles: new GrowingInts(),
        parts: [],
      }
      items.set(`${path}#${id}`, item)
    } else if (name === 'vertex') for (const key of ['x', 'y', 'z']) item?.positions.push(number(key))
    else if (name === 'triangle' && item)
      for (const key of ['v1', 'v2', 'v3']) {
        const vertex = number(key)
        const vertices = item.positions.length / 3
        if (!Number.isInteger(vertex) || vertex < 0 || vertex >= vertices)
          fail(`a triangle uses vertex ${vertex}, but the object has ${vertices} (numbered from 0)`)
        item.triangles.push(vertex)
      }
    else if (name === 'component') item?.parts.push(part())
    else if (name === 'item') build.push(part())
    else if (name === 'beamlattice') lattices++
  }
  if (Number.isNaN(scale)) throw new InputError(`${path} of the 3MF file has no <model>`)
  if (!/<\/(\w+:)?model\s*>\s*(<!--[^]*-->\s*)?$/.test(text.slice(-1000)))
    throw new InputError(`${path} of the 3MF file does not end with </model>: it is cut off`)
  return { scale, lattices }
}

/** First a, then b. */
function times(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 12 }, (_, i) => {
    const [row, c] = [3 * Math.floor(i / 3), i % 3]
    return a[row] * b[c] + a[row + 1] * b[3 + c] + a[row + 2] * b[6 + c] + (row === 9 ? b[9 + c] : 0)
  })
}

const determinant = (m: Matrix): number =>
  m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6])
