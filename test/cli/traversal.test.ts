import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildBvh, type Bvh } from '../../rays/index.js'
import { loadBvh } from '../../formats/bvh-cache.js'
import { sphere } from '../scene/shapes.js'
import { isar, temporaryFolder, readJson } from './cli.js'

test('--traversal is honoured on the cpu, recorded, and changes no byte', async () => {
  const folder = temporaryFolder()
  const table = async (traversal: string): Promise<string> => {
    const out = join(folder, `${traversal}.csv`)
    const run =
      await isar`rcs ${resolve('samples/ship-1m.stl')} --freq 3GHz --theta 70 --phi 0:20:20 --device cpu --traversal ${traversal} --out ${out}`
    expect(run.stderr).toMatch(/bvh +built in/)
    expect(run.code).toBe(0)
    const meta = readJson<{
      options: { traversal: string }
    }>(join(folder, `${traversal}.meta.json`))
    expect(meta.options.traversal).toBe(traversal)
    return readFileSync(out, 'utf8')
  }
  const listed = await table('lists')
  expect(await table('ropes')).toBe(listed)
  expect(await table('stack')).toBe(listed)
})

/** Compared as bytes: element by element takes seconds. */
const bytes = ({ nodes, order, depth }: Bvh): Buffer =>
  Buffer.concat(
    [nodes, order, Uint32Array.of(depth)].map((x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength)),
  )

test('BVHs of large meshes are cached by content; damaged files, and those of another mesh, are built again', () => {
  const folder = join(temporaryFolder(), 'cache')
  const mesh = sphere(40, 40)
  const plain = buildBvh(mesh)
  expect(loadBvh(mesh, null, 1000).file).toBe(null)
  expect(loadBvh(mesh, folder, 1000).file).toBe(null)
  const names = readdirSync(folder)
  expect(names).toHaveLength(1)
  const file = join(folder, names[0])
  const found = loadBvh(mesh, folder, 1000)
  expect(found.file).toBe(file)
  expect(bytes(found.bvh).equals(bytes(plain))).toBe(true)
  // Small meshes are not.
  expect(loadBvh(mesh, folder).file).toBe(null)
  // Another mesh has another file.
  const moved = { ...mesh, positions: mesh.positions.map((x) => x + 1e-9) }
  expect(loadBvh(moved, folder, 1000).file).toBe(null)
  expect(readdirSync(folder)).toHaveLength(2)
  const kept = readFileSync(file)
  const ofMoved = readFileSync(
    join(
      folder,
      readdirSync(folder).find((name) => name !== names[0])!,
    ),
  )
  const spoilt = Buffer.from(kept)
  spoilt[1000] ^= 1
  for (const bad of [spoilt, kept.subarray(0, 1000), Buffer.alloc(0), ofMoved]) {
    writeFileSync(file, bad)
    const again = loadBvh(mesh, folder, 1000)
    expect(again.file).toBe(null)
    expect(bytes(again.bvh).equals(bytes(plain))).toBe(true)
    expect(readFileSync(file).equals(kept)).toBe(true)
  }
  // A place that cannot be written to.
  const blocked = join(temporaryFolder(), 'file')
  writeFileSync(blocked, '')
  expect(bytes(loadBvh(mesh, blocked, 1000).bvh).equals(bytes(plain))).toBe(true)
})
