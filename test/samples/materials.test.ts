import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FilesHash } from '../../formats/index.js'
import { readMaterials } from '../../formats/materials-file.js'
import { materialsJsonSchema } from '../../formats/materials-schema.js'
import { slab } from '../../scene/materials/index.js'

it('samples/materials.schema.json is what materials files are checked by (isar materials schema)', () => {
  const schema: unknown = JSON.parse(readFileSync('samples/materials.schema.json', 'utf8'))
  expect(schema).toEqual(JSON.parse(JSON.stringify(materialsJsonSchema())))
})

it('every material of samples/materials.json is passive over its band', async () => {
  const { materials } = await readMaterials('samples/materials.json', new FilesHash())
  expect(materials.size).toBeGreaterThan(4)
  const out = new Float64Array(8)
  for (const material of materials.values())
    for (let f = 8e9; f <= 12e9; f += 0.5e9)
      for (let c = 0; c <= 1; c += 0.05)
        for (const back of [false, true]) {
          slab(material, f, c, out, back)
          for (const p of [0, 2])
            expect(Math.hypot(out[p], out[p + 1], out[4 + p], out[5 + p])).toBeLessThanOrEqual(1 + 1e-14)
        }
})
