import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadBvh } from '../../formats/bvh-cache.js'
import { buildBvh, type Bvh } from '../../rays/index.js'
import { packMesh, serverName, serverOptions, unpackMesh } from '../../run/cluster/redis.js'
import { compute } from '../../run/cluster/worker.js'
import { prepareTarget } from '../../scene/index.js'
import { BUILT_IN, type Material } from '../../scene/materials/index.js'
import { besides, isolated } from '../../src/cli/worker.js'
import { temporaryFolder } from '../cli/cli.js'
import { coating, layer, sheet } from '../helpers/materials.js'
import { cube, sphere } from '../scene/shapes.js'

afterEach(() => vi.unstubAllEnvs())

it('a password with any characters is taken apart here, and quoted nowhere', () => {
  expect(serverOptions('redis://:p@ss:w%40rd@host:7000/2')).toEqual({
    host: 'host',
    port: 7000,
    password: 'p@ss:w@rd',
    db: 2,
  })
  expect(serverName('redis://:p@ss@host')).toBe('redis://host:6379')
  expect(serverOptions('rediss://me:100%@[::1]')).toEqual({
    host: '::1',
    port: 6379,
    username: 'me',
    password: '100%',
    tls: {},
  })
  // What follows a slash is no part of the password: it would be taken for a host.
  for (const url of ['redis://:qz/wk@host', 'redis://:qz@wk/vj@host', 'redis://:qz@wk?vj@host'])
    expect(() => serverOptions(url)).toThrow(/^(?!.*(qz|wk|vj)).*ISAR_REDIS_PASSWORD/)
})

it('a password comes from the environment or a file where the address has none', () => {
  const file = join(temporaryFolder(), 'secret')
  writeFileSync(file, 'from a file\n')
  vi.stubEnv('ISAR_REDIS_PASSWORD_FILE', file)
  expect(serverOptions('redis://host').password).toBe('from a file')
  vi.stubEnv('ISAR_REDIS_PASSWORD', 'from the environment')
  expect(serverOptions('redis://host').password).toBe('from the environment')
  expect(serverOptions('redis://:own@host').password).toBe('own')
  vi.unstubAllEnvs()
  vi.stubEnv('ISAR_REDIS_PASSWORD_FILE', `${file}-gone`)
  expect(() => serverOptions('redis://host')).toThrow(/^ISAR_REDIS_PASSWORD_FILE: cannot read/)
})

it('a job of more edge segments than an honest one has is refused before any is computed', async () => {
  const unit = {
    what: 'edges',
    unit: 'u',
    tx: [90, 0],
    rx: [90, 0],
    band: { f0: 1e9, df: 0, n: 1 },
    options: { diffraction: 'tw-ildc' },
    share: [0, 1],
  }
  const edges = { segments: () => 2e9, prepare: vi.fn() }
  await expect(compute(unit as never, { edges } as never, 'w')).rejects.toThrow(
    'a job of 2000000000 edge segments is refused',
  )
  expect(edges.prepare).not.toHaveBeenCalled()
})

it('the compose file offers the server to its own host alone', () => {
  const text = readFileSync('docs/docker-compose.yml', 'utf8')
  expect(text).toMatch(/ports: \['127\.0\.0\.1:6379:6379'\]/)
  expect(text).not.toMatch(/redis:\/\/:/)
})

describe('isolated workers', () => {
  const run = ([command, ...args]: string[]): string =>
    execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

  /** Containers may forbid namespaces; docs/cluster.md says what to do there. */
  function mayUnshare(): boolean {
    try {
      run(isolated(['/dev/zero'], ['true']))
      return true
    } catch {
      process.stderr.write('mount namespaces are forbidden here: the test of isolated workers is skipped\n')
      return false
    }
  }

  it('hides the device files of all other GPUs', () => {
    expect(besides(1, [0, 1, 3])).toEqual(['/dev/nvidia0', '/dev/nvidia3'])
    expect(isolated(besides(0, [0]), ['node', 'x'])).toEqual(['node', 'x'])
  })

  it.skipIf(!mayUnshare())('covers them for one process and its children alone', () => {
    const folder = temporaryFolder()
    const [seen, hidden] = ['seen', 'hidden'].map((name) => join(folder, name))
    writeFileSync(seen, 'seen')
    writeFileSync(hidden, 'hidden')
    expect(run(isolated([hidden], ['cat', seen, hidden]))).toBe('seen')
    expect(run(['cat', seen, hidden])).toBe('seenhidden')
  })
})

describe('meshes on the wire', () => {
  const bare = cube()
  const grouped = (groupMaterials: Material[]) => ({
    ...bare,
    facetGroup: Uint32Array.from({ length: 12 }, (_, t) => t % groupMaterials.length),
    groupMaterials,
  })

  it('a mesh keeps its materials, of every kind, to the last bit', () => {
    const others: Material[] = BUILT_IN.map(({ medium }) => ({
      name: medium.name,
      kind: 'opaque',
      stack: [{ medium, thickness: 1 / 3 }],
      backing: medium,
      facet: 'metal',
      sides: 'both',
    }))
    const table = { frequencies: [1e9], angles: [0], values: [0.1, 0.2, 0.3, 0, 0, 0, 0, 1e-300] }
    const all: Material[] = [
      coating({ impedance: [377, 1 / 7] }, layer([0.1 + 0.2, -1e-17], 1e-3)),
      { name: 'conductor', kind: 'conductor' },
      sheet(layer([2, 0], 0.1)),
      { name: 'measured', kind: 'sheet', table, thickness: 0.01 },
      ...others.slice(0, 8),
    ]
    const mesh = grouped(all)
    const got = prepareTarget(unpackMesh(packMesh(mesh)), { smoothAngleDeg: 20 })
    const want = prepareTarget(mesh, { smoothAngleDeg: 20 })
    expect(got.facetMaterial).toEqual(want.facetMaterial)
    expect(got.materials).toEqual(want.materials)
  })

  it('where all conducts, its bytes are those of a mesh without groups', () => {
    const conductor: Material = { name: 'conductor', kind: 'conductor' }
    expect(packMesh(grouped([conductor, conductor]))).toEqual(packMesh(bare))
    expect(unpackMesh(packMesh(bare))).toEqual(bare)
  })

  it('bytes cut short and materials that are none are refused', () => {
    const packed = packMesh(grouped([sheet(layer([2, 0], 0.1))]))
    const plain = packMesh(bare).length
    expect(() => unpackMesh(packed.subarray(0, plain + 5))).toThrow(/has \d+ bytes of/)
    expect(() => unpackMesh(packed.subarray(0, -3))).toThrow()
    const odd = Buffer.from(packed)
    odd[plain] = 9
    expect(() => unpackMesh(odd)).toThrow(/a material that is not there/)
    const text = packed.subarray(plain + 12).toString().replace('"kind":"sheet"', '"kind":"laser"') // prettier-ignore
    expect(() => unpackMesh(Buffer.concat([packed.subarray(0, plain + 12), Buffer.from(text)]))).toThrow()
  })

  /** Compared as bytes: element by element takes seconds. */
  const bytes = ({ nodes, order, depth }: Bvh): Buffer =>
    Buffer.concat(
      [nodes, order, Uint32Array.of(depth)].map((x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength)),
    )

  it('BVHs of large meshes are cached by content; damaged files, and those of another mesh, are built again', () => {
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
    const other = readdirSync(folder).find((name) => name !== names[0])!
    const ofMoved = readFileSync(join(folder, other))
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
})
