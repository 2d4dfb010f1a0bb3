import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { isar, temporaryFolder } from '../cli/cli.js'
import { fileHashes, writeConfig } from '../cli/dataset-config.js'
import { words } from '../helpers/words.js'
import { library } from './library.js'

const folder = temporaryFolder()

describe('calls of the library that are jobs of commands', () => {
  it('dataset makes the bytes of isar dataset, resumes them, and refuses a folder that is taken', async () => {
    const config = writeConfig(folder, {
      aspects: { azimuth: { from: 0, to: 70, step: 35 }, elevation: [10] },
    })
    const [own, cli] = [join(folder, 'own'), join(folder, 'cli')]
    const progress: string[] = []
    const made = await library.dataset(config, {
      out: own,
      imageWorkers: 0,
      onProgress: ({ phase, what }) => progress.push(`${phase} ${what}`),
    })
    expect(made).toMatchObject({ images: 6, computed: 6, finished: true, warnings: [] })
    expect(progress).toContain('solve images')
    expect((await isar`dataset ${config} --image-workers 0 --out ${cli}`).code).toBe(0)
    expect(fileHashes(own)).toEqual(fileHashes(cli))
    await expect(library.dataset(config, { out: own })).rejects.toThrow(/give --force to make it again/)
    await expect(library.dataset(config, { out: own, resume: true })).rejects.toThrow(/already complete/)
    const part = await library.dataset(config, { out: join(folder, 'part'), shard: [1, 2], imageWorkers: 0 })
    expect([part.finished, part.complete]).toEqual([false, 1])
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(library.dataset(config, { out: join(folder, 'none'), signal: stop })).rejects.toThrow(
      'enough',
    )
  })

  it('image has the arrays of isar image, and compare the errors of isar compare', async () => {
    const [run, formed] = [join(folder, 'run'), join(folder, 'formed')]
    const sweep = words`samples/cube.stl --band 1e9:1.4e9:6 --angles 6 --pol vv --device cpu`
    expect((await isar`render ${sweep} --out ${run}`).code).toBe(0)
    expect((await isar`image ${run} --device cpu --out ${formed}`).code).toBe(0)
    const { images, channels } = await library.image(run, { device: 'cpu' })
    expect(Object.keys(channels)).toEqual(['vv'])
    const written = readNpz(readFileSync(join(formed, 'image.npz')))
    expect(images.image_vv.data).toEqual(written.image_vv.data)
    await expect(library.image(run, { algorithm: 'fourier' as never })).rejects.toThrow(
      /algorithm: "fourier" is unknown/,
    )
    const [same] = await library.compare([run, run])
    expect(same.differences.every(({ rms_db }) => rms_db === 0)).toBe(true)
    await expect(library.compare([run])).rejects.toThrow(/another to compare with/)
  })

  it('validate computes the case that is named, and refuses a name that is none', async () => {
    const { cases } = await library.validate(['plate-2x1lam-phi90'], { device: 'cpu' })
    expect(cases.map(({ name, verdict }) => [name, verdict])).toEqual([['plate-2x1lam-phi90', 'unchanged']])
    await expect(library.validate(['nothing'])).rejects.toThrow(/no validation case/)
  })
})
