import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMesh, writeBinaryStl } from '../../formats/index.js'
import { InputError, type Mesh } from '../../scene/index.js'
import { scratchFolder } from '../helpers/scratch.js'
import { type GltfParts, glb, gltfSeed } from '../reliability/fuzz/gltf-seed.js'
import { rows } from '../scene/shapes.js'
import { asciiStl, box, objText, PLY_ASCII, plyFile, ring } from './shapes.js'

/** What is wrong with a file, its name's ending, the file, and what the one line says. */
type Refusal = [what: string, ending: string, data: string | Uint8Array, says: string | RegExp]

const folder = scratchFolder()

async function refused(name: string, data: string | Uint8Array, says: string | RegExp): Promise<void> {
  const path = join(folder, name)
  writeFileSync(path, data)
  const start = process.cpuUsage()
  const reading = readMesh(path)
  await expect(reading).rejects.toThrow(InputError)
  await expect(reading).rejects.toThrow(path)
  await expect(reading).rejects.toThrow(says)
  expect(process.cpuUsage(start).user).toBeLessThan(2e6)
}

/** A mesh file as text, some of it replaced. */
const but = (text: string, from: string, to: string): string => {
  expect(text).toContain(from)
  return text.replace(from, to)
}
const binaryStl = writeBinaryStl(box())
const notFinite = writeBinaryStl(box())
new DataView(notFinite.buffer).setFloat32(84 + 50 * 4 + 12 + 8, NaN, true)
const stl = (from: string, to: string): string => but(asciiStl(box()), from, to)

const v = 'v 0 0 0\nv 1 0 0\nv 0 1 0\n'
const polygon = (count: number, radius: (i: number) => number): string =>
  objText({ positions: Float64Array.from(ring(count, radius).flat()) }, [[...Array(count).keys()]])

const LITTLE = { ...PLY_ASCII, format: 'binary_little_endian' }
const plyOf = (polygons: number[][], mesh: Mesh = box()): Uint8Array => plyFile(mesh, polygons, LITTLE)
const plyAscii = (...polygon: number[]): string =>
  new TextDecoder().decode(plyFile(box(), [polygon], PLY_ASCII))
/** A file of one facet in ASCII, some of its text replaced. */
const ply = (from: string, to: string): string => but(plyAscii(0, 1, 2), from, to)
const plyType = (type: string): string =>
  `ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty ${type} w\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n`
const noNumber = box()
noNumber.positions[3 * 5 + 1] = NaN

const wide = Buffer.from(`\ufeff${'v 0 0 0\n'.repeat(20)}`, 'utf16le')

test.each<Refusal>([
  ['cut off', 'stl', binaryStl.subarray(0, 84 + 50 * 7 + 20), 'declares 12 facets but has 7'],
  ['of undeclared facets', 'stl', new Uint8Array(84 + 100), 'declares 0 facets but has 2'],
  ['too short', 'stl', new Uint8Array(20), '20 bytes are not an STL file'],
  ['of no facets', 'stl', new Uint8Array(84), 'no facets'],
  ['of no facets in ASCII', 'stl', 'solid x\nendsolid x\n', 'no facets'],
  ['not finite', 'stl', notFinite, 'facet 5 of 12 has a vertex coordinate NaN'],
  ['with a word for a number', 'stl', stl('vertex 0 2 0', 'vertex 0 two 0'), 'line 5: "two" is not'],
  ['with NaN in ASCII', 'stl', stl('vertex 0 2 0', 'vertex 0 nan 0'), 'line 5: "nan" is not'],
  ['infinite in ASCII', 'stl', stl('vertex 0 2 0', 'vertex 0 1e999 0'), 'line 5'],
  ['in ASCII cut off in a facet', 'stl', asciiStl(box()).slice(0, 700), 'cut off'],
  ['in ASCII cut off between facets', 'stl', stl('endsolid part', ''), 'after 12 whole facets'],
  ['of four vertices', 'stl', stl('    endloop', 'vertex 1 1 1\nendloop'), 'facet 1 does not have three'],
  ['with another word', 'stl', stl('outer', 'inner'), 'line 3: "inner"'],
  ['empty', 'obj', '', 'the file is empty'],
  ['with no number', 'obj', 'v 0 0 0\nv 1 x 0\n', 'line 2: "x" is not a finite number'],
  ['with NaN', 'obj', 'v 0 0 0\nv 1 nan 0\n', 'line 2: "nan"'],
  ['of two coordinates', 'obj', 'v 0 0 0\nv 1 2\n', 'line 2: vertex 2 does not have three coordinates'],
  ['with a number too high', 'obj', `${v}f 1 2 3\nf 1 2 4\nf 1 2 3\n`, 'line 5: vertex 4 is used, but the file has 3 vertices'],
  ['with a number too low', 'obj', `${v}f 1 2 -4\n`, 'line 4: vertex -4 counts back before the first'],
  ['with a number zero', 'obj', `${v}f 1 2 0\n`, 'line 4: "0" is not a vertex'],
  ['with no vertex', 'obj', `${v}f 1 2 a/b\n`, 'line 4: "a/b" is not a vertex'],
  ['with a fraction', 'obj', `${v}f 1 2 1.5\n`, '"1.5" is not a vertex'],
  ['of two corners', 'obj', `${v}f 1 2\n`, 'line 4: a face with 2 vertices'],
  ['of no faces', 'obj', v, 'no faces'],
  ['of very many corners, concave', 'obj', polygon(5000, (i) => 1 + (i % 2)), 'a concave face with 5000 vertices; split it'],
  ['of more corners', 'obj', polygon(20_000, () => 1), 'a face with 20000 vertices; split it into triangles, or faces of at most 16384'],
  ['of facets without area', 'obj', 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n', 'all 2 facets are degenerate'],
  ['of none beside a vertex far off', 'obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e30\nf 1 2 3\nf 1 2 4\n', 'remove vertices far off'],
  ['that is none', 'ply', 'solid x', 'its first line is not "ply"'],
  ['without end of its header', 'ply', 'ply\nformat ascii 1.0\n', 'no "end_header"'],
  ['of another format', 'ply', ply('ascii', 'zip'), 'format "zip" is not one of'],
  ['with a bad line', 'ply', ply('float quality', 'string quality'), 'line 9 of the PLY header'],
  ['with a bad count', 'ply', ply('vertex 8', 'vertex many'), 'line 4 of the PLY header'],
  ['without z', 'ply', ply('float z', 'float w'), 'no element "vertex" with x, y and z'],
  ['without indices', 'ply', ply('vertex_indices', 'strips'), 'no element "face"'],
  ['cut off', 'ply', plyOf(rows('0 1 2, 0 1 3')).subarray(0, -3), 'declares 2 of element "face" but ends in number 1'],
  ['cut off in ASCII', 'ply', plyAscii(0, 1, 2).slice(0, -2), 'ends in number 0'],
  ['with a wild count', 'ply', ply('vertex 8', 'vertex 4000000000'), 'it is cut off'],
  ['with a number too high', 'ply', plyOf(rows('0 1 2, 0 1 8')), 'face 1 uses vertex 8, but the file has 8'],
  ['with a number negative', 'ply', plyAscii(0, 1, -1), 'face 0 uses vertex -1'],
  ['of two corners', 'ply', plyOf([[0, 1]]), 'face 0 has 2 vertices'],
  ['of no faces', 'ply', plyOf([]), 'no faces'],
  ['with NaN in ASCII', 'ply', ply('\n1 1 0 0', '\n1 nan 0 0'), 'line 18: "nan" is not'],
  ['with NaN in binary', 'ply', plyOf([[0, 1, 2]], noNumber), 'coordinate y of vertex 5 is NaN'],
  ...['constructor', '__proto__', 'toString'].map((type): Refusal => [`of type ${type}`, 'ply', plyType(type), /line 7 of the PLY header is not understood/]),
  ...['obj', 'stl', 'ply', 'gltf'].flatMap((ending) =>
    [wide, Buffer.from(wide).swap16()].map((bytes): Refusal => ['in UTF-16', ending, bytes, ': the text is in UTF-16; save it as UTF-8'])),
  ...['stl', 'obj', 'ply', 'glb', 'gltf'].map((ending): Refusal => ['of other words', ending, 'neither fish nor flesh\n'.repeat(20), /(STL|OBJ|PLY|glTF) file/]),
  ['of an unknown ending', 'dxf', 'x', 'give one of .stl, .obj, .ply, .glb, .gltf'],
])('a file %s (.%s)', (_, ending, data, says) => refused(`a.${ending}`, data, says)) // prettier-ignore

type Loose = Record<string, Record<string, unknown>[]>
const changed = (change: (json: Loose, parts: GltfParts) => unknown): Uint8Array => {
  const parts = gltfSeed()
  change(parts.json as unknown as Loose, parts)
  return glb(JSON.stringify(parts.json), parts.binary)
}

const SEED = changed(() => {})

const chain = (j: Loose): void => {
  for (let i = 3; i < 2003; i++) (j.nodes[i] ??= {}).children = [i + 1]
  j.nodes.push({})
}
const copies = (j: Loose): void => {
  j.meshes[0].primitives = Array.from({ length: 5000 }, () => ({ attributes: { POSITION: 0 }, indices: 1 }))
  for (let i = 0; i < 500; i++) j.nodes.push({ mesh: 0 })
  j.scenes[0].nodes = j.nodes.map((_, i) => i).filter((i) => i !== 1 && i !== 2)
}
const sparse = (change: object) => (j: Loose) => Object.assign(j.accessors[4].sparse as object, change)

describe('glTF', () => {
  test('the seed of these is read', async () => {
    const path = join(folder, 'seed.glb')
    writeFileSync(path, SEED)
    expect((await readMesh(path)).triangles.length / 3).toBe(6 + 2 + 2 + 2 + 2 + 6)
  })

  test.each<[string, (json: Loose, parts: GltfParts) => unknown, RegExp]>([
    ['another version', (j) => Object.assign(j.asset, { version: '1.0' }), /asset version is 1\.0/],
    ['a compression', (j) => (j.extensionsRequired = ['KHR_draco_mesh_compression'] as never), /needs KHR_draco_mesh_compression, which is not supported; export it without compression/],
    ['an extension', (j) => (j.extensionsRequired = ['EXT_mesh_gpu_instancing'] as never), /needs EXT_mesh_gpu_instancing, which is not supported; export it without it/],
    ['an object in place of a list', (j) => (j.nodes = {} as never), /"nodes".* not a list of objects/],
    ['primitives that are no list', (j) => (j.meshes[0].primitives = { POSITION: 0 }), /"primitives" of mesh 0 of the glTF file is not a list of objects; export it again/],
    ['a scene of a node that is not there', (j) => (j.scenes[0].nodes = [7]), /"nodes" of scene 0 of the glTF file is not a list of nodes there/],
    ['a matrix with a text', (j) => (j.nodes[0].matrix = [1, 2, 'x']), /"matrix" of node 0 of the glTF file is not a list of numbers/],
    ['an address that is no text', (j) => (j.buffers[0].uri = 3), /"uri" of buffer 0 of the glTF file is not a text/],
    ['a negative length', (j) => (j.buffers[0].byteLength = -1), /length of buffer 0/],
    ['a count far beyond the file', (j) => (j.accessors[0].count = 1e12), /accessor 0 .*claims 1000000000000 elements/],
    ['a count beyond its bytes', (j) => (j.accessors[0].count = 9), /exceeds its buffer/],
    ['an offset beyond its bytes', (j) => (j.accessors[0].byteOffset = 8), /exceeds its buffer/],
    ['a view that is not there', (j) => (j.accessors[0].bufferView = 77), /exceeds its buffer/],
    ['a sparse count far beyond the file', sparse({ count: 1e9 }), /accessor 4 .*replaces 1000000000 of its 8/],
    ['sparse indices beyond their bytes', sparse({ indices: { bufferView: 4, componentType: 5125 } }), /exceeds its buffer/],
    ['sparse values beyond their bytes', sparse({ values: { bufferView: 4 } }), /exceeds its buffer/],
    ['a sparse index beyond the elements', (_, { binary }) => binary.set([9, 0], 154), /replaces element 9 of 8/],
    ['a node below itself', (j) => (j.nodes[2].children = [0]), /form a cycle/],
    ['a node below two others', (j) => (j.nodes[3].children = [1]), /node 1 .*has two parents/],
    ['a child that is not there', (j) => (j.nodes[3].children = [99]), /child 99; there are 4 nodes/],
    ['thousands of levels', chain, /more than 1000 levels of nodes/],
    ['few bytes that become many facets', copies, /repeats its meshes to about \d{8,} vertices/],
    ['no triangles', (j) => j.meshes.forEach(({ primitives }) => (primitives as { mode: number }[]).forEach((p) => (p.mode = 1))), /no triangles/],
    ['no meshes in its scene', (j) => j.nodes.forEach((node) => delete node.mesh), /no triangles/],
    ['a vertex beyond the others', (_, { binary }) => binary.set([8, 0], 96), /"body.metal" uses vertex 8 of 8/],
    ['NaN', (_, { binary }) => binary.set([0, 0, 0xc0, 0x7f], 4 * (3 * 3 + 2)), /of vertex 3 is NaN/],
  ])('%s', (_, change, says) => refused('a.glb', changed(change), says)) // prettier-ignore

  test.each<Refusal>([
    ['cut off', 'glb', SEED.subarray(0, -8), 'it is cut off'],
    ['neither of both', 'gltf', 'solid x', 'neither the .glb signature nor JSON'],
    ['no version', 'gltf', '{}', 'asset version is missing'],
  ])('%s', (_, ending, data, says) => refused(`b.${ending}`, data, says))

  const inText = (uri: string): string => {
    const { json } = gltfSeed()
    ;(json as unknown as Loose).buffers[0].uri = uri
    return JSON.stringify(json)
  }
  test.each(['../out.bin', '/dev/zero', '..%2fout.bin', 'file:///etc/passwd', 'http://127.0.0.1:1/x', 'a/../../out.bin'])(
    'a buffer elsewhere: %s',
    (uri) => refused('j.gltf', inText(uri), /which is not in its folder; move it there/),
  ) // prettier-ignore

  test('a buffer that is a link to elsewhere', async () => {
    writeFileSync(join(folder, 'secret.bin'), Buffer.alloc(52))
    mkdirSync(join(folder, 'inner'))
    symlinkSync('../secret.bin', join(folder, 'inner/link.bin'))
    await refused('inner/link.gltf', inText('link.bin'), /which is not in its folder/)
  })

  test('a buffer that is missing beside it, or short', async () => {
    await refused('k.gltf', inText('nowhere.bin'), /k\.gltf: .*nowhere\.bin: no such file; give the buffer that the glTF file names, beside it/) // prettier-ignore
    writeFileSync(join(folder, 'short.bin'), Buffer.alloc(50))
    await refused('l.gltf', inText('short.bin'), 'buffer has 50 of its')
  })
})

test('devices, pipes, folders and what is not there are no mesh files', async () => {
  symlinkSync('/dev/zero', join(folder, 'zero.stl'))
  execFileSync('mkfifo', [join(folder, 'pipe.stl')])
  mkdirSync(join(folder, 'folder.stl'))
  for (const [name, says] of [
    ['zero', ''],
    ['pipe', ''],
    ['folder', 'a folder; '],
    ['gone', 'no such file; '],
  ])
    // prettier-ignore
    await expect(readMesh(join(folder, `${name}.stl`))).rejects.toThrow(`${says}give a mesh file`)
})

test('PLY: rows of nothing are read', async () => {
  const path = join(folder, 'rows.ply')
  writeFileSync(path, ply('\nelement vertex', '\nelement nothing 999999999999\nelement vertex'))
  expect((await readMesh(path)).triangles).toHaveLength(3)
})
