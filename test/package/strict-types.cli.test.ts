import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/cli.js'
import { examples } from '../library/examples.js'

/** A project that has the package with the types of what its declarations name, and no others: neither Node's nor Redis’. */
const place = temporaryFolder()
const names = examples.map((_, i) => `program-${i}.mts`)

beforeAll(() => {
  const modules = join(place, 'node_modules')
  mkdirSync(join(modules, 'isar'), { recursive: true })
  cpSync('package.json', join(modules, 'isar/package.json'))
  const wanted = (path: string): boolean => !/\.\w+$/.test(path) || path.endsWith('.d.ts')
  for (const folder of readdirSync('dist').filter(
    (name) => !/^(reproduction|chunks|pages|samples)$|\./.test(name),
  ))
    // prettier-ignore
    cpSync(join('dist', folder), join(modules, 'isar/dist', folder), { recursive: true, filter: wanted })
  symlinkSync(resolve('node_modules/zod'), join(modules, 'zod'))
  names.forEach((name, i) => writeFileSync(join(place, name), examples[i].code))
})
afterAll(() => rmSync(place, { recursive: true }))

/** What the compiler says with every strict flag, all declarations checked. */
function compiled(...files: string[]): string {
  const flags = '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --skipLibCheck false --noEmit --module nodenext --target es2022 --lib es2023,dom' // prettier-ignore
  try {
    const tsc = resolve('node_modules/typescript/bin/tsc')
    return execFileSync(process.execPath, [tsc, ...flags.split(' '), ...files], { cwd: place, encoding: 'utf8' }) // prettier-ignore
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

it('the programs of docs/library.md compile in the strictest project, without types of Node or of Redis', () => {
  expect(compiled(...names)).toBe('')
  const listed = compiled(...names, '--listFiles')
  expect(listed).toContain('isar/dist/src/index.d.ts')
  expect(listed).not.toMatch(/@types\/node|bullmq|ioredis|cluster\/redis/)
})

it('channels that are asked for are known to be there, and no others; what is wrong is found', () => {
  const program = (channel: string, channels: string): string =>
    `import { rcs, renderImage } from 'isar'
     const { f } = await rcs('a.stl', { freqHz: 1e9${channels} })
     const { images } = await renderImage('a.stl', { band: { f0: 1e9, f1: 2e9 }${channels} })
     console.log(f.${channel}.length, images.${channel}.rows)\n`
  writeFileSync(join(place, 'known.mts'), program('hh', ", channels: ['vv', 'hh']"))
  writeFileSync(join(place, 'default.mts'), program('hv', ''))
  writeFileSync(join(place, 'unknown.mts'), program('vh', ", channels: ['vv', 'hh']"))
  writeFileSync(join(place, 'wrong.mts'), "import { rcs } from 'isar'\nawait rcs('a.stl', { freqHz: 'x' })\n")
  const errors = compiled('known.mts', 'default.mts', 'unknown.mts', 'wrong.mts').match(/^\S.*/gm)!
  expect(errors.map((line) => /^(\w+)\.mts.*(TS18048|TS2532|string)/.exec(line)?.[1])).toEqual([
    'unknown',
    'unknown',
    'wrong',
  ])
})
