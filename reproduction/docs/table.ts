import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { SOLVER_SETTINGS } from '../../run/settings/declarations.js'
import { models } from '../../samples/models/index.js'
import { needsData, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'

/** A page of docs/tables, or a report, that takes a computation, not only the code. */
export interface Measured {
  /** For the command line: `npm run docs -- NAME`. */
  name: string
  /** What is made, from the repository's root: the page that carries the stamp first. */
  paths: string[]
  /** Commands before those, whose output is no part of the page. A dataset that this version made before is kept, and the page says so. */
  before?: string[]
  /** Commands, run at the repository's root, `isar` being the build's. What they print is the page, unless they write it themselves. */
  commands: string[]
  /** They write the page. */
  writes?: true
  /** Title and text above what the commands print, for programs that print text alone; each command's output is a block of its own. */
  text?: string
  /** They take folders of reference data that are not in the repository, `--data DIR`. */
  takesData?: true
  needs: 'cores' | 'gpu'
  /** Roughly how long it takes on a machine that has what it needs. */
  takes: string
  /** What the page must name to be that of the code: cases, columns, defaults. */
  names?: () => string[]
}

const FOUND = ['found-a', 'found-b', 'found-c']
const ESTIMATES = 'node dist/reproduction/estimates.js'
const DENSITIES = '--cases 4/2,5/2,6/2,8/2,10/2 --directions 16 --repeat 2 --reference 20/3'

const definitions = () => readDefinitions(packageFolders().validation).filter((d) => !needsData(d))
const maxBounces = (): number => SOLVER_SETTINGS.maxBounces.type.parse(undefined)

export const MEASURED: Measured[] = [
  {
    name: 'model-error',
    paths: ['docs/tables/model-error.md', 'run/model-factors.ts'],
    commands: ['node dist/reproduction/model-error.js --write'],
    writes: true,
    takesData: true,
    needs: 'cores',
    takes: 'a quarter of an hour on two cores; build again after it. Needs reproduction/truth/bodies.csv too',
  },
  {
    name: 'sampling-error',
    paths: ['docs/tables/sampling-error.md'],
    commands: ['node dist/reproduction/error-estimate.js'],
    needs: 'cores',
    takes: 'minutes on two cores',
  },
  {
    name: 'second-order',
    paths: ['docs/tables/second-order.md'],
    commands: ['node dist/reproduction/second-order.js'],
    needs: 'cores',
    takes: 'half an hour on two cores',
    names: () => [
      SECOND_ORDER.join(', '),
      ...definitions().flatMap((d) =>
        d.kind === 'cut' && d.group === 'method-of-moments' ? [`| ${d.name} |`] : [],
      ),
    ],
  },
  {
    name: 'curved',
    paths: ['docs/tables/curved.md'],
    commands: ['node dist/reproduction/curved.js'],
    needs: 'cores',
    takes: 'minutes on two cores',
  },
  {
    name: 'validation',
    paths: ['docs/validation.md', 'docs/validation.json', 'docs/validation/', 'docs/figures/validation/'],
    commands: ['isar validate --full --figures png --force --out docs'],
    writes: true,
    needs: 'gpu',
    takes: 'eight minutes on one H200',
    names: () => definitions().map((d) => d.name),
  },
  {
    name: 'parity',
    paths: ['docs/tables/parity.md'],
    commands: ['node dist/reproduction/parity.js'],
    needs: 'gpu',
    takes: 'minutes',
    names: () => [`${maxBounces()} bounces`, ...Object.keys(models).map((name) => `| ${name} |`)],
  },
  {
    name: 'estimates',
    paths: ['docs/tables/estimates.md'],
    commands: [`${ESTIMATES} --seconds 2 --directions 60`, `${ESTIMATES} --quick --second-order`],
    text: `# Estimates of time and what runs took

Cold runs in processes of their own. First: the estimate before the start. Corrected: once the first aspects have shown it to be wrong. Quarter: what was expected when a
quarter of the directions were there. Busy: processor time over threads. A star marks what is off by more than a factor of 1.5. Runs of a few tenths of a second are mostly
the GPU's start, which the driver's caches make shorter from run to run. First with edges of first order, then with the default of second order.`,
    needs: 'gpu',
    takes: 'five minutes',
    names: () => [...Object.keys(models), ...FOUND],
  },
  {
    name: 'ray-density',
    paths: ['docs/tables/ray-density.md'],
    before: ['node dist/samples/generate.js --found dist/found'],
    commands: [
      `node dist/reproduction/ray-density.js ${FOUND.map((name) => `dist/found/${name}.stl`).join(' ')} samples/aircraft-a.stl ${DENSITIES}`,
    ],
    text: `# Error of the rays' field against time

Over rays per wavelength and subdivisions; the first three meshes are stand-ins for such as are found on the web.`,
    needs: 'gpu',
    takes: 'minutes',
    names: () => [...FOUND, 'aircraft-a'],
  },
  {
    name: 'performance',
    paths: ['docs/tables/performance.md'],
    commands: ['node dist/reproduction/performance.js'],
    writes: true,
    needs: 'gpu',
    takes: 'six minutes on one H200',
  },
  {
    name: 'recognition',
    paths: ['docs/tables/recognition.md'],
    before: [
      'node dist/samples/generate.js --vehicles vehicles',
      'isar dataset samples/atr/vehicles.json --force',
      'isar dataset samples/atr/vehicles-test.json --force',
    ],
    commands: ['python3 samples/atr/train.py vehicles-dataset vehicles-test-dataset'],
    needs: 'gpu',
    takes:
      'hours without a GPU; Python with what samples/atr/train.py imports. Datasets that this version made before, elsewhere too, are taken',
  },
  {
    name: 'reliability',
    paths: ['docs/tables/reliability.md'],
    commands: ['node test/reliability/report.mjs'],
    writes: true,
    needs: 'cores',
    takes: 'an hour on two cores',
  },
  {
    name: 'figures',
    paths: ['docs/figures/'],
    commands: ['node dist/reproduction/figures.js --gpu'],
    writes: true,
    needs: 'gpu',
    takes: 'half an hour on two cores for those without a GPU: node dist/reproduction/figures.js',
  },
]

const code = (parts: string[]): string => parts.map((part) => `\`${part}\``).join('<br>')

/** docs/tables/README.md. */
export function docsReadme(): string {
  const rows = MEASURED.map(
    ({ name, paths, before = [], commands, needs, takes }) =>
      `| \`${name}\` | ${code(paths)} | ${code([...before, ...commands])} | ${needs === 'gpu' ? 'a GPU' : ''} | ${takes} |`,
  )
  return `# Tables

\`npm run docs\` writes every text that follows from the code at once: settings, schemas, lists, the pages of the validation from its data, and the numbers that documents
quote with a marker of their source (reproduction/docs/quoted.ts). \`npm run docs -- NAME…\` also makes
what is measured, by the commands below, and stamps it with version, commit and machine; \`npm run docs -- --all\` makes all of it; \`--data DIR\` gives the model error its further references. Pages other than \`reliability\` and \`figures\` need the build, docs, samples and test/validation, and no development dependency. test/docs/generated.test.ts fails where a text
is not that of the code, or a table has no stamp of this version. The pages of the papers follow from docs/papers/data; \`node dist/reproduction/paper-003.js PART…\` measures a part of one again and keeps it there.

| name | makes | by | needs | takes |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

/** How a measured page was made. */
interface Stamp {
  /** Of the table of measured pages (`MEASURED`). */
  name: string
  /** `0.2.0 (1a2b3c4)`. */
  version: string
  /** `2026-11-26`. */
  date: string
  /** Processor, threads, Node's version, GPU. */
  machine: string
}

const PATTERN = /^Made by `npm run docs -- ([\w-]+)` with isar (\S+ \(\S+\)), (\d{4}-\d\d-\d\d): (.+)\.$/m

/** The page with its stamp below its title, in place of an earlier one. */
export function stamped(page: string, { name, version, date, machine }: Stamp): string {
  const line = `Made by \`npm run docs -- ${name}\` with isar ${version}, ${date}: ${machine}.`
  const [title, ...rest] = page.replace(new RegExp(`${PATTERN.source}\n\n?`, 'm'), '').split('\n')
  if (!title.startsWith('# ')) throw new Error(`${name}: a page begins with its title, not "${title}"`)
  return [title, '', line, ...(rest[0] === '' ? [] : ['']), ...rest].join('\n')
}

/** The stamp of a page; null without one. */
export function stampOf(page: string): Stamp | null {
  const match = PATTERN.exec(page)
  return match && { name: match[1], version: match[2], date: match[3], machine: match[4] }
}
