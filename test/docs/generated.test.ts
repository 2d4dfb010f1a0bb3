import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/index.js'
import { FilesHash } from '../../formats/index.js'
import { openMaterials } from '../../formats/materials-file.js'
import { MEASURED, stamped, stampOf } from '../../reproduction/docs/table.js'
import { derivedTexts } from '../../reproduction/docs/texts.js'
import { VERSION } from '../../run/version.js'
import { materialNamed, slab } from '../../scene/materials/index.js'
import { needsData, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import type { Report } from '../../src/validate/errors.js'

const pages = MEASURED.filter(({ name, paths }) => paths[0].endsWith('.md') && name !== 'validation')

describe('texts that follow from the code', async () => {
  const texts = Object.entries(await derivedTexts())
  it.each(texts)('%s is that of the code (npm run docs)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

describe('measured pages', () => {
  it('are all that docs/tables has', () => {
    const made = [...pages.map(({ paths }) => paths[0]), 'docs/tables/README.md']
    expect(readdirSync('docs/tables').map((file) => `docs/tables/${file}`).sort()).toEqual(made.sort()) // prettier-ignore
    for (const { paths } of MEASURED) for (const path of paths) expect(existsSync(path), path).toBe(true)
  })

  it.each(pages)('$name says which version, commit and machine made it, and is that of the code', (page) => {
    const text = readFileSync(page.paths[0], 'utf8')
    const stamp = stampOf(text)
    expect(stamp).toMatchObject({ name: page.name, version: expect.stringMatching(`^${VERSION} `) as string })
    // A build of changed files has no commit that anyone else can look up.
    expect(stamp!.version).not.toContain('dirty')
    expect((page.names?.() ?? []).filter((name) => !text.includes(name))).toEqual([])
  })

  it('keep one stamp, the last', () => {
    const stamp = { name: 'x', version: '1.0.0 (abc)', date: '2026-01-01', machine: 'a, 2 threads' }
    const once = stamped('# Title\n\nText.\n', stamp)
    expect(once).toBe(
      '# Title\n\nMade by `npm run docs -- x` with isar 1.0.0 (abc), 2026-01-01: a, 2 threads.\n\nText.\n',
    )
    const later = { ...stamp, date: '2026-02-01' }
    expect(stamped(once, later)).toBe(stamped('# Title\n\nText.\n', later))
    expect(stampOf(once)).toEqual(stamp)
  })
})

describe('the report of the validation', () => {
  const { cases } = JSON.parse(readFileSync('docs/validation.json', 'utf8')) as Report
  const definitions = readDefinitions(packageFolders().validation).filter((d) => !needsData(d))

  it('has every case of the package, and no other', () => {
    expect(cases.map((c) => c.name)).toEqual(definitions.map((d) => d.name))
  })

  it('has each as it is defined, by this version', () => {
    for (const c of cases) {
      const { title, basis, level, source, limitsAre } = definitions.find((d) => d.name === c.name)!
      expect(c).toMatchObject({ title, basis, level, source })
      const whose = { guard: ['unchanged', 'changed'], requirement: ['met', 'missed'], none: ['stated'] }
      expect(whose[limitsAre ?? 'none']).toContain(c.verdict)
      expect(c.version.split(' ')[0]).toBe(VERSION)
    }
  })
})

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

/** A step of the field of a tube, and the equations that it implements. */
interface Step {
  number: number
  name: string
  equations: number[]
}

const numbersOf = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number))

/** Steps of docs/theory.md: headings "### 1. Launch", with the numbers at the ends of equations below. */
function documented(): Step[] {
  const theory = readFileSync('docs/theory.md', 'utf8')
  const section = /\n## The field of a tube\n([^]*?)\n## /.exec(theory)![1]
  return [...section.matchAll(/### (\d)\. (.+)\n([^]*?)(?=\n###|$)/g)].map(([, number, name, text]) => ({
    number: Number(number),
    name: name.toLowerCase(),
    equations: numbersOf(text, /^ {4}.*\((\d+)\)$/gm),
  }))
}

/** Steps of a source: comments "Step 1, launch, equation (2): ..." in their order, those of one step together. */
function implemented(path: string): Step[] {
  const text = readFileSync(path, 'utf8').replace(/\n *(\*(?!\/)|\/\/) */g, ' ')
  const steps = new Map<number, Step>()
  for (const [, number, name, rest] of text.matchAll(
    /Step (\d), ([a-z ]+?)(?: under [^,]+)?, (equation .*)/g,
  )) {
    const step = steps.get(Number(number)) ?? { number: Number(number), name, equations: [] }
    step.equations.push(...numbersOf(rest, /equation \((\d+)\)/g))
    step.equations = [...new Set(step.equations)]
    steps.set(step.number, step)
  }
  return [...steps.values()]
}

it('the theory, the CPU and the GPU have the same steps of the field of a tube, by number, name and equation', () => {
  const steps = documented()
  expect(steps.map(({ name }) => name)).toEqual([
    'launch',
    'incident field',
    'hit',
    'footprint',
    'current',
    'radiated amplitude',
    'contribution',
    'reflection',
  ])
  for (const path of ['cpu-sbr/contribution.ts', 'shaders/contributions.wgsl'])
    expect(implemented(path)).toEqual(steps)
})
