import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { materialsJsonSchema } from '../../formats/materials-schema.js'
import { centreModelJsonSchema } from '../../formats/centre-model-file.js'
import { optionsTable } from '../../src/cli/shell/describe.js'
import { datasetJsonSchema, spectrogramDatasetSchema } from '../../dataset/variant.js'
import { readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import type { Report } from '../../src/validate/errors.js'
import { markdownReport } from '../../src/validate/report.js'
import { figuresReadme, groupOf } from '../figures/table.js'
import { PAPER as PAPER_000 } from '../paper-000.js'
import { PAPER as PAPER_001 } from '../paper-001.js'
import { PAPER as PAPER_002 } from '../paper-002.js'
import { PAPER as PAPER_003 } from '../paper-003.js'
import { PAPER as PAPER_004 } from '../paper-004.js'
import { keptData, paperPage } from '../papers/kit.js'
import { docsReadme } from './table.js'

export const PAPERS = [PAPER_000, PAPER_001, PAPER_002, PAPER_003, PAPER_004]

/** Texts that follow from the code at once, by their paths from the repository's root. */
export async function derivedTexts(): Promise<Record<string, string>> {
  const report = JSON.parse(readFileSync('docs/validation.json', 'utf8')) as Report
  const cases = report.cases.map((c) => ({ ...c, figures: c.figures.filter(({ name }) => isShown(name)) }))
  const pages = markdownReport({ ...report, cases }, readDefinitions(packageFolders().validation))
  const schemas = {
    'samples/atr/dataset.schema.json': datasetJsonSchema(),
    'samples/atr/spectrograms.schema.json': spectrogramDatasetSchema(),
    'samples/materials.schema.json': materialsJsonSchema(),
    'samples/centre-model.schema.json': centreModelJsonSchema(),
  }
  const texts = {
    'docs/options.md': optionsTable(),
    'docs/figures/README.md': figuresReadme(),
    'docs/tables/README.md': docsReadme(),
    ...Object.fromEntries(
      PAPERS.map((paper) => [`docs/papers/${paper.number}.md`, paperPage(paper, keptData(paper.number))]),
    ),
    ...Object.fromEntries(Object.entries(pages).map(([path, text]) => [`docs/${path}`, text])),
    ...Object.fromEntries(
      Object.entries(schemas).map(([path, schema]) => [path, JSON.stringify(schema, null, 2)]),
    ),
  }
  const written = Object.entries(texts).map(async ([path, text]) => [path, await formatted(path, text)])
  return Object.fromEntries(await Promise.all(written)) as Record<string, string>
}

const isShown = (figure: string): boolean => groupOf(`validation/${figure}.png`) !== null

/** A text as `npm run format` leaves it. */
async function formatted(path: string, text: string): Promise<string> {
  if (/^docs\/(figures|tables|papers)\//.test(path)) return text
  return format(text, { ...(await resolveConfig(path)), filepath: path })
}
