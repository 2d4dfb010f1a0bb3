import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readNpz, writeNpz, readMesh } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { type GltfParts, glb, gltfSeed } from '../reliability/fuzz/gltf-seed.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()

async function refused(name: string, data: string | Uint8Array, says: RegExp): Promise<void> {
  const path = join(folder, name)
  writeFileSync(path, data)
  const start = process.cpuUsage()
  const reading = readMesh(path)
  await expect(reading).rejects.toThrow(InputError)
  await expect(reading).rejects.toThrow(says)
  expect(process.cpuUsage(start).user).toBeLessThan(2e6)
}

type Loose = Record<string, Record<string, unknown>[]>
const changed = (change: (json: Loose, parts: GltfParts) => unknown): Uint8Array => {
  const parts = gltfSeed()
  change(parts.json as unknown as Loose, parts)
  return glb(JSON.stringify(parts.json), parts.binary)
}

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
    writeFileSync(path, changed(() => {})) // prettier-ignore
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
  ])('%s', (_, change, says) => refused('a.glb', changed(change), says)) // prettier-ignore

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

  test('a buffer that is missing beside it', () =>
    refused('k.gltf', inText('nowhere.bin'), /k\.gltf: .*nowhere\.bin: no such file; give the buffer that the glTF file names, beside it/)) // prettier-ignore
})

test('text in UTF-16', async () => {
  const text = Buffer.from(`\ufeff${'v 0 0 0\n'.repeat(20)}`, 'utf16le')
  for (const ending of ['obj', 'stl', 'ply', 'gltf'])
    for (const bytes of [text, Buffer.from(text).swap16()])
      await refused(`wide.${ending}`, bytes, /: the text is in UTF-16; save it as UTF-8/)
})

test('devices, pipes and folders are no mesh files', async () => {
  symlinkSync('/dev/zero', join(folder, 'zero.stl'))
  execFileSync('mkfifo', [join(folder, 'pipe.stl')])
  mkdirSync(join(folder, 'folder.stl'))
  for (const name of ['zero', 'pipe', 'folder'])
    await expect(readMesh(join(folder, `${name}.stl`))).rejects.toThrow(/give a mesh file/)
})

test('PLY: rows of nothing, and types that JavaScript knows', async () => {
  const header = (middle: string): string => `ply\nformat ascii 1.0\n${middle}element face 1\nproperty list uchar int vertex_indices\nend_header\n` // prettier-ignore
  const vertices = 'element vertex 3\nproperty float x\nproperty float y\nproperty float z\n'
  const path = join(folder, 'rows.ply')
  writeFileSync(path, `${header(`element nothing 999999999999\n${vertices}`)}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n`)
  expect((await readMesh(path)).triangles).toHaveLength(3)
  for (const type of ['constructor', '__proto__', 'toString'])
    await refused(
      'type.ply',
      header(`${vertices}property ${type} w\n`),
      /line 7 of the PLY header is not understood/,
    )
})

describe('npz', () => {
  const good = writeNpz({ a: { data: Float64Array.of(1, 2), shape: [2], dtype: '<f8' } })

  test('sizes far beyond the file', () => {
    const lie = Uint8Array.from(good)
    const view = new DataView(lie.buffer)
    // The central directory is what counts; its record has the size at 24.
    const record = lie.findIndex((_, i) => i + 4 <= lie.length && view.getUint32(i, true) === 0x02014b50)
    view.setUint16(record + 10, 8, true)
    view.setUint32(record + 24, 0xf0000000, true)
    expect(() => readNpz(lie)).toThrow(InputError)
    expect(() => readNpz(lie)).toThrow(/declares more bytes than it can hold/)
  })

  test('headers that lie, and names that want to be elsewhere', () => {
    const npy = (header: string): Uint8Array => {
      const text = new TextEncoder().encode(header)
      const bytes = new Uint8Array(10 + text.length)
      bytes.set([0x93, 78, 85, 77, 80, 89, 1, 0, text.length & 255, text.length >> 8])
      bytes.set(text, 10)
      return bytes
    }
    for (const descr of ['constructor', '__proto__', 'toString'])
      expect(() => readNpz(zipSync({ 'a.npy': npy(`{'descr': '${descr}', 'fortran_order': False, 'shape': (3,)}`) }))).toThrow(InputError) // prettier-ignore
    const names = ['../../x.npy', '/etc/x.npy', '__proto__.npy']
    const arrays = readNpz(zipSync(Object.fromEntries(names.map((n) => [n, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}")])))) // prettier-ignore
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    expect(Object.keys(arrays)).toContain('../../x')
  })
})
