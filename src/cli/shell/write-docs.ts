import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../../../formats/index.js'
import { materialsJsonSchema } from '../../../formats/materials-schema.js'
import { centreModelJsonSchema } from '../../centre-model-file.js'
import { datasetJsonSchema, spectrogramDatasetSchema } from '../../settings/dataset.js'
import { optionsTable } from './options-table.js'

// Called by `npm run docs`, from dist: writes into the repository.
const write = (path: string, text: string): Promise<void> =>
  writeFileAtomic(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), text)
await write('docs/options.md', optionsTable())
await write('samples/atr/dataset.schema.json', JSON.stringify(datasetJsonSchema(), null, 2))
await write('samples/atr/spectrograms.schema.json', JSON.stringify(spectrogramDatasetSchema(), null, 2))
await write('samples/materials.schema.json', JSON.stringify(materialsJsonSchema(), null, 2))
await write('samples/centre-model.schema.json', JSON.stringify(centreModelJsonSchema(), null, 2))
