import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Folders and what each imports from, at the most (CONTRIBUTING.md, "Where things live"). */
const ENGINES = ['rays', 'signal', 'parallel', 'scene']
const MAY_IMPORT: Record<string, string[]> = {
  scene: [],
  parallel: ['scene'],
  signal: ['scene'],
  rays: ['parallel', 'scene'],
  formats: ['scene'],
  isar: ['scene'],
  'cpu-diffraction': ENGINES,
  'cpu-sbr': ENGINES,
  raster: ['cpu-diffraction', ...ENGINES],
  gpu: ['shaders', 'raster', 'rays', 'signal', 'scene'],
  'full-wave': ['gpu', 'shaders', ...ENGINES],
  plots: ['isar', 'scene'],
  viewer: [
    'pipeline',
    'full-wave',
    'plots',
    'cpu-sbr',
    'gpu',
    'parallel',
    'rays',
    'formats',
    'scene',
    'isar',
    'cpu-diffraction',
    'src',
  ],
  site: ['viewer', 'plots', 'rays', 'formats', 'scene', 'cpu-diffraction', 'src'],
  pipeline: ['cpu-diffraction', 'raster', 'full-wave', 'rays', 'formats', 'scene'],
  motion: ['rays', 'signal', 'formats', 'scene'],
  propagation: ['pipeline', 'plots', 'gpu', 'rays', 'parallel', 'formats', 'scene'],
  dataset: ['motion', 'pipeline', 'plots', 'cpu-diffraction', 'isar', 'formats', 'rays', 'parallel', 'scene'],
  cluster: ['cpu-diffraction', 'cpu-sbr', 'gpu', 'rays', 'scene'],
}
/** Folders that run in a browser too. */
const BROWSER = new Set(['scene', 'rays', 'signal', 'gpu', 'isar', 'plots', 'viewer', 'site'])
/** What writes figures to files, and what the page has in place of Node’s pool. */
const NODE_FILES = new Set([
  'views/figures/node.ts',
  'views/figures/svg.ts',
  'views/figures/svg.ts',
  'views/viewer/solver/worker-pool.ts',
])

const files = execFileSync('git', ['ls-files', '-c', '-o', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      file.split('/')[0] in MAY_IMPORT &&
      !/^(cpu-diffraction|full-wave)\/wasm\//.test(file) &&
      existsSync(file),
  )
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)].map((m) => m[1])

test('every folder imports only from those below it', () => {
  expect(files.length).toBeGreaterThan(250)
  const upwards = files.flatMap((file) => {
    const [folder] = file.split('/')
    return importsOf(file)
      .filter((to) => to.startsWith('.'))
      .map((to) => normalize(join(dirname(file), to)))
      .filter((to) => to.split('/')[0] !== folder && !MAY_IMPORT[folder].includes(to.split('/')[0]))
      .map((to) => `${file} imports ${to}`)
  })
  expect(upwards).toEqual([])
})

test('folders that run in a browser import nothing of Node', () => {
  const ofNode = files
    .filter((file) => BROWSER.has(file.split('/')[0]) && !NODE_FILES.has(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((to) => /^node:|piscina|parallel\/worker-pool/.test(to))
        .map((to) => `${file} imports ${to}`),
    )
  expect(ofNode).toEqual([])
})

test('product files of more than 300 lines say why at their top', () => {
  const long = files.filter((file) => {
    const text = readFileSync(file, 'utf8')
    return text.split('\n').length > 301 && !text.startsWith('// Over 300 lines: ')
  })
  expect(long).toEqual([])
})

test('every test is in one project, and the word before its suffix is a project’s name', () => {
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const listed = JSON.parse(
    execFileSync(process.execPath, [vitest, 'list', '--filesOnly', '--json'], { encoding: 'utf8' }),
  ) as { file: string; projectName: string }[]
  const tests = (readdirSync('test', { recursive: true }) as string[]).filter((file) =>
    /\.test\.\w+$/.test(file),
  )
  expect(listed.map(({ file }) => relative('test', file)).sort()).toEqual(tests.sort())
  const projects = new Set(listed.map(({ projectName }) => projectName))
  expect([...projects].sort()).toEqual(['browser', 'cli', 'gpu', 'reliability', 'slow', 'threads', 'unit'])
  for (const { file, projectName } of listed) {
    const [, word] = /\.([^.]+)\.test\.ts$/.exec(file) ?? []
    if (word) expect([file, word]).toEqual([file, projectName])
  }
})
