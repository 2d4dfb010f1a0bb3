import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document, WebIO } from '@gltf-transform/core'
import { describe, expect, test } from 'vitest'
import { writeFileAtomic, readMesh, writeBinaryStl } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { asciiStl, box, corners } from './shapes.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const at = (name: string): string => join(folder, name)

const refused = async (path: string, ...parts: string[]): Promise<void> => {
  const promise = readMesh(path)
  await expect(promise).rejects.toThrow(InputError)
  for (const part of [path, ...parts]) await expect(promise).rejects.toThrow(part)
}

describe('readMesh', () => {
  test('reads every kind by its extension', async () => {
    const mesh = box()
    writeFileSync(at('a.STL'), writeBinaryStl(mesh))
    writeFileSync(at('b.stl'), asciiStl(mesh))
    const vertices = Array.from({ length: 8 }, (_, v) =>
      Array.from(mesh.positions.subarray(3 * v, 3 * v + 3)),
    )
    const facets = Array.from({ length: 12 }, (_, t) => Array.from(mesh.triangles.subarray(3 * t, 3 * t + 3)))
    const faces = facets.map((f) => `f ${f.map((v) => v + 1).join(' ')}`)
    writeFileSync(at('c.obj'), [...vertices.map((v) => `v ${v.join(' ')}`), ...faces].join('\n'))
    const header =
      'ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header'
    writeFileSync(
      at('d.ply'),
      [header, ...vertices.map((v) => v.join(' ')), ...facets.map((f) => `3 ${f.join(' ')}`)].join('\n'),
    )
    for (const name of ['a.STL', 'b.stl', 'c.obj', 'd.ply'])
      expect(corners(await readMesh(at(name))), name).toEqual(corners(mesh))
  })

  test('names a file whose facets have no area, or none beside a vertex far off', async () => {
    writeFileSync(at('lines.obj'), 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n')
    await refused(at('lines.obj'), 'all 2 facets are degenerate')
    writeFileSync(at('far.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e30\nf 1 2 3\nf 1 2 4\n')
    await refused(at('far.obj'), 'remove vertices far off')
    writeFileSync(at('one.obj'), 'v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n')
    expect((await readMesh(at('one.obj'))).triangles).toHaveLength(6)
  })

  test('reads .gltf with its buffer in a file of an escaped name', async () => {
    const document = new Document()
    const buffer = document.createBuffer().setURI('the%20data.bin')
    const points = document
      .createAccessor()
      .setType('VEC3')
      .setArray(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0))
      .setBuffer(buffer)
    const mesh = document
      .createMesh()
      .addPrimitive(document.createPrimitive().setAttribute('POSITION', points))
    document.createScene().addChild(document.createNode('n').setMesh(mesh))
    const { json, resources } = await new WebIO().writeJSON(document, {})
    writeFileSync(at('e.gltf'), JSON.stringify(json))
    await refused(at('e.gltf'), at('the data.bin'), 'no such file')
    writeFileSync(at('the data.bin'), Object.values(resources)[0])
    expect(Array.from((await readMesh(at('e.gltf'))).triangles)).toEqual([0, 1, 2])
  })

  test('refuses with the path and the reason', async () => {
    await refused(at('gone.stl'), 'no such file')
    await refused(at('mesh.dxf'), '.stl, .obj, .ply, .glb, .gltf')
    await refused(at('mesh'), 'not a known mesh file')
    mkdirSync(at('folder.stl'))
    await refused(at('folder.stl'), 'a folder; give a mesh file')
    writeFileSync(at('empty.obj'), '')
    await refused(at('empty.obj'), 'the file is empty')
    writeFileSync(at('cut.stl'), writeBinaryStl(box()).subarray(0, 400))
    await refused(at('cut.stl'), 'declares 12 facets but has 6')
    for (const extension of ['stl', 'obj', 'ply', 'glb', 'gltf']) {
      writeFileSync(at(`junk.${extension}`), 'neither fish nor flesh\n'.repeat(20))
      await refused(at(`junk.${extension}`))
    }
  })
})

describe('writeFileAtomic', () => {
  test('writes, overwrites, and leaves nothing else behind', async () => {
    mkdirSync(at('out'))
    await writeFileAtomic(at('out/x.txt'), 'one')
    await writeFileAtomic(at('out/x.txt'), Uint8Array.of(0, 255))
    expect(Array.from(readFileSync(at('out/x.txt')))).toEqual([0, 255])
    expect(readdirSync(at('out'))).toEqual(['x.txt'])
  })

  test('many writers of one name: the file is always one of theirs, whole', async () => {
    mkdirSync(at('race'))
    const texts = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000))
    await Promise.all(texts.map((text) => writeFileAtomic(at('race/y'), text)))
    expect(texts).toContain(readFileSync(at('race/y'), 'utf8'))
    expect(readdirSync(at('race'))).toEqual(['y'])
  })

  test('refuses in one line, and cleans up', async () => {
    const fails = async (path: string, reason: string): Promise<void> => {
      const promise = writeFileAtomic(path, 'x')
      await expect(promise).rejects.toThrow(InputError)
      await expect(promise).rejects.toThrow(`cannot write ${path}: ${reason}; choose another --out`)
    }
    await fails(at('nowhere/z'), 'its folder does not exist')
    writeFileSync(at('file'), '')
    await fails(at('file/z'), 'its folder is a file')
    mkdirSync(at('taken/z'), { recursive: true })
    await fails(at('taken/z'), 'it is a folder')
    expect(readdirSync(at('taken'))).toEqual(['z'])
  })
})
