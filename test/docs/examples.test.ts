import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/index.js'
import { FilesHash } from '../../formats/index.js'
import { openMaterials } from '../../formats/materials-file.js'
import { materialNamed, slab } from '../../scene/materials/index.js'

const examplesIn = (file: string): object[] =>
  [...readFileSync(file, 'utf8').matchAll(/```json\n([^]*?)```/g)].map(
    ([, text]) => JSON.parse(text) as object,
  )

it('the parts of configurations in docs/dataset.md are read', () => {
  const base = {
    name: 'a',
    targets: [{ label: 'a', mesh: 'a.stl' }],
    aspects: { azimuth: [0], elevation: [15, 16, 17] },
    radar: { centreHz: 1e10, resolutionM: 0.3 },
  }
  const examples = examplesIn('docs/dataset.md')
  expect(examples.map((one) => Object.keys(one))).toEqual([['ground', 'nuisance', 'splits']])
  const parts = { splits: { by: 'elevation', assign: { train: [15, 17], test: [16] } } }
  const [ground, assigned] = [...examples, parts].map((one) =>
    parseDatasetConfig(JSON.stringify({ ...base, ...one }), 'c'),
  )
  expect(ground.ground!.surface).toMatchObject({ model: 'soil', rmsHeightM: 0.01 })
  expect(assigned.splits!.parts).toEqual({ train: 1, test: 1 })
})

it('the materials file in docs/materials.md is read, and its medium by a function of f is the sea water that is built in', async () => {
  const [example] = examplesIn('docs/materials.md')
  const library = await openMaterials(example, 'm.json', '.', new FilesHash())
  expect([...library.materials.keys()]).toEqual(['absorber', 'radome'])
  for (const f of [1e9, 9.7e9, 30e9]) {
    const [own, built] = ['brine', 'sea-water'].map((name) => {
      const out = new Float64Array(8)
      slab(materialNamed(name, library, 'test'), f, 0.4, out)
      return out
    })
    own.forEach((x, k) => expect(x).toBeCloseTo(built[k], 12))
  }
})
