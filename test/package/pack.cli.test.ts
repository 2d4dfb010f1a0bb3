import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { examples } from '../library/examples.js'
import { scratchFolder } from '../helpers/scratch.js'
import { type Word, words } from '../helpers/words.js'

/** Most that the package may weigh [bytes]; docs/library.md states it. */
const BUDGET = { tarball: 16e6, unpacked: 29e6 }

/** What a user's project in TypeScript 5 has. */
const PROJECT = ['typescript@5.9.3', '@types/node@20']

const run = promisify(execFile)
const folder = scratchFolder()
const place = join(folder, 'place')

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}
let packed: Packed
/** Why the packages it needs cannot be had here; empty where they can. */
let unreachable = ''

beforeAll(async () => {
  // Without scripts: the build is there, and other tests run from it at this moment.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder])
  packed = (JSON.parse(stdout) as Packed[])[0]
  mkdirSync(place)
  // A folder above with packages of its own would be taken for the place.
  const flags = ['--prefix', place, '--prefer-offline', '--no-audit', '--no-fund']
  try {
    await run('npm', ['install', ...flags, join(folder, packed.filename), ...PROJECT], { cwd: place })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    if (!/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ECONNRESET/.test(stderr)) throw error
    unreachable = 'the npm registry is out of reach: the packed tarball is not installed'
  }
})

/** Where no GPU driver is named. */
const asUser = { ...process.env, VK_ICD_FILENAMES: undefined, LD_LIBRARY_PATH: undefined }

/** What the compiler says of files in the place, without skipLibCheck: the declarations of the package compile too. */
const compiled = (...files: string[]): string =>
  spawnSync(
    process.execPath,
    [
      join(place, 'node_modules/typescript/bin/tsc'),
      ...'--noEmit --strict --module nodenext --target es2022 --lib es2023 --types node'.split(' '),
      ...files,
    ],
    { cwd: place, encoding: 'utf8' },
  ).stdout

/** Runs the command that npx starts; npx itself takes longer than most commands. */
const isar = (line: TemplateStringsArray, ...values: Word[]): Promise<{ stdout: string; stderr: string }> =>
  run(join(place, 'node_modules/.bin/isar'), words(line, ...values), { cwd: place, env: asUser })

it('keeps to its size, and holds what it has to and nothing else', () => {
  expect(packed.size).toBeLessThan(BUDGET.tarball)
  expect(packed.unpackedSize).toBeLessThan(BUDGET.unpacked)
  const paths = packed.files.map(({ path }) => path)
  for (const path of [
    'LICENSE',
    'README.md',
    'man/isar.1',
    'samples/cube.stl',
    'dist/src/index.d.ts',
    'dist/pages/viewer/index.html',
    'dist/pages/site/index.html',
  ])
    // prettier-ignore
    expect(paths).toContain(path)
  const folders = new Set(paths.filter((p) => p.includes('/')).map((p) => p.split('/')[0]))
  expect([...folders].sort()).toEqual(['dist', 'docs', 'man', 'samples', 'test'])
  expect(paths.filter((p) => p.startsWith('dist/test/') || p.startsWith('dist/reproduction/'))).toEqual([])
  expect(paths.filter((p) => p.startsWith('test/') && !p.startsWith('test/validation/'))).toEqual([])
})

it('every link of its README and every picture of its documents resolves', () => {
  const paths = new Set(packed.files.map(({ path }) => path))
  const missing = [...paths].flatMap((page) => {
    if (page !== 'README.md' && !/^docs\/[^/]*\.md$/.test(page)) return []
    return [...readFileSync(page, 'utf8').matchAll(/(!?)\[[^\]]*\]\(([^)#\s]+)/g)]
      .filter(([, picture, target]) => !target.includes(':') && (picture || page === 'README.md'))
      .map(([, , target]) => posix.join(posix.dirname(page), target))
      .filter((target) => !paths.has(target))
  })
  expect(missing).toEqual([])
})

describe('installed in an empty folder', () => {
  it('the command answers, and its man page is there', async (context) => {
    if (unreachable) context.skip(unreachable)
    const { stdout } = await run('npx', ['--no-install', 'isar', '--help'], { cwd: place, env: asUser })
    expect(stdout).toMatch(/^Usage: isar /)
    expect(readFileSync(join(place, 'node_modules/isar/man/isar.1'), 'utf8')).toMatch(/^\.TH ISAR 1/m)
  })

  it('isar render makes an image of a target of the package', async (context) => {
    if (unreachable) context.skip(unreachable)
    const { stdout } =
      await isar`render node_modules/isar/samples/cube.stl --band 1e9:1.5e9:4 --angles 4 --pol vv --second-order none --device cpu --quiet --json`
    const { out } = JSON.parse(stdout) as { out: string }
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['image-vv.png', 'image.npz', 'meta.json']))
  })

  it('a STEP file is refused in a line that names the package to install', async (context) => {
    if (unreachable) context.skip(unreachable)
    const file = resolve('test/formats/cad/sphere.step')
    await expect(isar`rcs ${file} --freq 1GHz --device cpu`).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^isar: \S+sphere\.step: .*npm install occt-import-js.*\n$/) as string,
    })
  })

  it('isar doctor finds that runs work', async (context) => {
    if (unreachable) context.skip(unreachable)
    const { works } = JSON.parse((await isar`doctor --json`).stdout) as { works: boolean }
    expect(works).toBe(true)
  })

  it('isar propagate and isar completion run', async (context) => {
    if (unreachable) context.skip(unreachable)
    await isar`propagate node_modules/isar/samples/two-ray.json --rays 500 --no-plot --device cpu --out two-ray.csv`
    expect(readdirSync(place)).toContain('two-ray.csv')
    expect((await isar`completion bash`).stdout).toMatch(/complete -F _isar isar/)
  })

  it('the library is imported', async (context) => {
    if (unreachable) context.skip(unreachable)
    const script = `import { rcs } from 'isar'
const plate = { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), indices: Uint32Array.of(0, 1, 2, 0, 2, 3) }
const result = await rcs(plate, { freqHz: 1e9, thetaDeg: 0, diffraction: 'none', device: 'cpu' })
console.log(result.sigmaDbsm.vv[0])
`
    writeFileSync(join(place, 'use.mjs'), script)
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: place })
    // 4 pi A^2 / lambda^2
    expect(Number(stdout)).toBeCloseTo(10 * Math.log10(4 * Math.PI * (1e9 / 299792458) ** 2), 2)
  })

  it('the programs of docs/library.md compile in a strict project of TypeScript 5', (context) => {
    if (unreachable) context.skip(unreachable)
    const names = examples.map((_, i) => `program-${i}.mts`)
    names.forEach((name, i) => writeFileSync(join(place, name), examples[i].code))
    writeFileSync(
      join(place, 'wrong.mts'),
      "import { rcs } from 'isar'\nawait rcs('a.stl', { freqHz: 'x' })\n",
    )
    const errors = compiled(...names, 'wrong.mts').match(/^\S.*/gm)
    expect(errors).toEqual([expect.stringMatching(/^wrong\.mts.*string/)])
  })
})
