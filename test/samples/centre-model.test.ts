import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { centreModelJsonSchema } from '../../formats/centre-model-file.js'

it('samples/centre-model.schema.json is what models of scattering centres are checked by', () => {
  const schema: unknown = JSON.parse(readFileSync('samples/centre-model.schema.json', 'utf8'))
  expect(schema).toEqual(JSON.parse(JSON.stringify(centreModelJsonSchema())))
})
