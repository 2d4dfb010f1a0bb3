import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Rooms from top to bottom, as the table "Where things live" has them. */
const table = readFileSync('CONTRIBUTING.md', 'utf8').split('## Where things live')[1].split('\n## ')[0]
const ROOMS = [...table.matchAll(/^\| `([\w-]+)\/`/gm)].map((m) => m[1])
/** What runs in a browser too. */
const BROWSER = /^(math|scene|rays|isar|gpu|views\/(figures|viewer|site))\//
/** What writes figures to files, and what the page has in place of Node’s pool. */
const NODE_FILES =
  /^views\/(figures\/(node|svg|contact-sheet|propagation-plots)|viewer\/solver\/worker-pool)\.ts$/

const files = execFileSync('git', ['ls-files', '-c', '-o', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => ROOMS.includes(file.split('/')[0]) && !/\/wasm\//.test(file) && existsSync(file))
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)].map((m) => m[1])

test('every room imports only from those below it in the table', () => {
  expect(ROOMS.length).toBeGreaterThan(12)
  expect(files.length).toBeGreaterThan(250)
  const upwards = files.flatMap((file) => {
    const room = ROOMS.indexOf(file.split('/')[0])
    return importsOf(file)
      .filter((to) => to.startsWith('.'))
      .map((to) => normalize(join(dirname(file), to)))
      .filter((to) => to.includes('/') && ROOMS.indexOf(to.split('/')[0]) < room)
      .filter((to) => !/^(shaders|samples)\//.test(to))
      .map((to) => `${file} imports ${to}`)
  })
  expect(upwards).toEqual([])
})

test('every folder of the product is a room or told of below the table', () => {
  const tracked = execFileSync('git', ['ls-files', '*/*'], { encoding: 'utf8' }).split('\n')
  const folders = new Set(tracked.map((file) => file.split('/')[0]).filter((name) => /^\w/.test(name)))
  expect([...folders].filter((name) => !table.includes(`\`${name}/`))).toEqual([])
})

test('what runs in a browser imports nothing of Node', () => {
  const ofNode = files
    .filter((file) => BROWSER.test(file) && !NODE_FILES.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((to) => /^node:|piscina|parallel\/worker-pool/.test(to))
        .map((to) => `${file} imports ${to}`),
    )
  expect(ofNode).toEqual([])
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
