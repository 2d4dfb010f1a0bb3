import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document, WebIO } from '@gltf-transform/core'
import { describe, expect, test } from 'vitest'
import { writeFileAtomic, readMesh, writeBinaryStl } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { asciiStl, box, corners, facetsOf, objText, PLY_ASCII, plyFile } from './shapes.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const at = (name: string): string => join(folder, name)

describe('readMesh', () => {
  test('reads every kind by its extension', async () => {
    const mesh = box()
    writeFileSync(at('a.STL'), writeBinaryStl(mesh))
    writeFileSync(at('b.stl'), asciiStl(mesh))
    writeFileSync(at('c.obj'), objText(mesh, facetsOf(mesh)))
    writeFileSync(at('d.ply'), plyFile(mesh, facetsOf(mesh), PLY_ASCII))
    for (const name of ['a.STL', 'b.stl', 'c.obj', 'd.ply'])
      expect(corners(await readMesh(at(name))), name).toEqual(corners(mesh))
  })

  test('reads one of whose facets one has an area', async () => {
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
    await expect(readMesh(at('e.gltf'))).rejects.toThrow(`${at('the data.bin')}: no such file`)
    writeFileSync(at('the data.bin'), Object.values(resources)[0])
    expect(Array.from((await readMesh(at('e.gltf'))).triangles)).toEqual([0, 1, 2])
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
