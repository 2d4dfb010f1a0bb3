import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { fileHashes, writeConfig } from './dataset-config.js'

describe('isar dataset with materials', () => {
  const folder = temporaryFolder()
  const library = join(folder, 'materials.json')
  writeFileSync(
    library,
    JSON.stringify({
      media: { plastic: { frequency_hz: [1e9, 3e9], eps_real: [3, 3], eps_imag: [-0.5, -0.6] } },
      materials: { paint: { coating: [{ medium: 'plastic', thickness_m: 0.02 }] } },
    }),
  )
  const target = { label: 'cube', mesh: resolve('samples/cube.stl') }
  const write = (painted: object, more: object = {}): string =>
    writeConfig(folder, {
      targets: [target, { ...target, label: 'painted', name: 'painted', ...painted }],
      aspects: { azimuth: [0, 30], elevation: [10] },
      // Edges of materials take most of the time, and are those of rcs.
      solver: { 'rays-per-wavelength': 4, 'max-bounces': 2, diffraction: 'none', device: 'cpu' },
      ...more,
    })
  const painted = { materials: 'materials.json', material: ['paint'] }
  const copies = { count: 2, thickness: 0.1, permittivity: 0.05 }
  const out = join(folder, 'out')

  beforeAll(async () => {
    const run = await isar(['dataset', write(painted, { copies }), '--out', out, '--image-workers', '0'])
    expect(run.code).toBe(0)
  })

  interface About {
    targets: { materials?: string[]; material_copies?: { name: string; thickness: number[] }[][] }[]
  }
  const about = (): About => readJson<About>(join(out, 'dataset.json'))

  it('images differ from those of metal, and copies by their materials alone, which are recorded', () => {
    const [bare, made] = about().targets
    expect(bare.materials).toBeUndefined()
    expect(made.materials).toEqual(['paint'])
    expect(made.material_copies!.map((c) => c.map(({ name }) => name))).toEqual([['paint'], ['paint']])
    expect(made.material_copies![0]).not.toEqual(made.material_copies![1])
    const shards = [0, 1].map((i) => readNpz(readFileSync(join(out, `npz/shard-0000${i}.npz`))))
    const norm = (shard: number, a: number, b?: number): number => {
      const { image } = shards[shard]
      const size = image.data.length / image.shape[0]
      let sum = 0
      for (let i = 0; i < size; i++)
        sum += (image.data[a * size + i] - (b === undefined ? 0 : image.data[b * size + i])) ** 2
      return Math.sqrt(sum)
    }
    // Two azimuths of each copy: of metal both copies are alike.
    expect([...shards[0].copy.data]).toEqual([0, 0, 1, 1])
    expect(norm(0, 0, 2)).toBe(0)
    expect(norm(1, 0, 2)).toBeGreaterThan(0.01 * norm(1, 0))
    expect(norm(1, 0)).toBeLessThan(0.95 * norm(0, 0))
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toMatch(/\| materials \| paint \|/)
  })

  it('has the same bytes with other workers, and verifies the factors', async () => {
    const again = join(folder, 'again')
    const run = await isar(['dataset', write(painted, { copies }), '--out', again, '--workers', '2', '--image-workers', '2']) // prettier-ignore
    expect(run.code).toBe(0)
    expect(fileHashes(again)).toEqual(fileHashes(out))
    expect((await isar`dataset verify ${again}`).code).toBe(0)
    const path = join(again, 'dataset.json')
    const text = readFileSync(path, 'utf8')
    const changed = about()
    changed.targets[1].material_copies![1][0].thickness[0] += 1e-12
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(text) as object), targets: changed.targets }))
    const found = await isar`dataset verify ${again}`
    expect(found.stderr).toMatch(/materials of copy 1 of painted are not those of the seed/)
    expect(found.code).toBe(1)
  })

  it('is another dataset with other materials', async () => {
    const before = readFileSync(library, 'utf8')
    writeFileSync(library, before.replace('0.02', '0.021'))
    const run = await isar(['dataset', write(painted, { copies }), '--out', out])
    writeFileSync(library, before)
    expect(run.stderr).toMatch(/holds a dataset of another configuration, mesh, solver or device/)
    expect(run.code).toBe(2)
  })
})
