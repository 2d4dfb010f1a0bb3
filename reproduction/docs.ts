// Writes the texts, tables and figures of the documents (docs/tables/README.md).
//   npm run docs [-- --list | --all | NAME...] [--data DIR ...]
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION, versionAndCommit } from '../run/version.js'
import { type Measured, MEASURED, stamped } from './docs/table.js'
import { requoted } from './docs/quoted.js'
import { groupOf } from './figures/table.js'
import { argumentsOf, processor } from './kit.js'

const { values, words } = argumentsOf({ all: false, list: false, data: [] as string[] })
if (!existsSync('docs/tables')) throw new Error('docs/tables not found: run this from the repository’s root')
const unknown = words.find((name) => !MEASURED.some((m) => m.name === name))
if (unknown !== undefined)
  throw new Error(`no "${unknown}": choose among ${MEASURED.map((m) => m.name).join(', ')}`)
const measures = values.all || words.length > 0
if (measures && !versionAndCommit().includes('('))
  throw new Error('this build knows no commit: build in a clone, or with ISAR_COMMIT in the environment')

const MAIN = 'dist/src/cli/main.js'
const MEBIBYTE = 2 ** 20

/** Runs a command and returns what it printed; ends the process where it fails. */
function printed(line: string): string {
  console.log(`$ ${line}`)
  const [command, ...args] = line.split(/ +/)
  const given = command === 'isar' ? [MAIN, ...args] : args
  const { status, stdout } = spawnSync(command === 'python3' ? command : process.execPath, given, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * MEBIBYTE,
  })
  // A missed requirement of the validation is a result.
  if (status === 0 || (status === 1 && given.includes('validate'))) return stdout
  throw new Error(`${line}: ended with ${status}`)
}

function machine(needs: Measured['needs']): string {
  const { gpus } = JSON.parse(printed('isar devices --json')) as { gpus: { name?: string }[] }
  if (needs === 'gpu' && gpus.length === 0)
    console.error('warning: no GPU here; the table will be of the CPU')
  const gpu = needs === 'gpu' ? [gpus[0]?.name ?? 'no GPU'] : []
  return [processor(), ...gpu].join(', ')
}

/** What the description of a dataset says that this command made before, by this version; null where it has to be made. */
function madeBefore(line: string): string | null {
  const folder = `${/^isar dataset \S*\/(\S+)\.json/.exec(line)?.[1]}-dataset`
  if (!existsSync(`${folder}/manifest.json`)) return null
  const about = JSON.parse(readFileSync(`${folder}/dataset.json`, 'utf8')) as Record<string, unknown>
  if (about.isar !== VERSION) return null
  return `${folder} (${String(about.images)} images, isar ${VERSION}, ${String(about.device)})`
}

function make(measured: Measured): void {
  const { name, paths, before = [], writes, text, needs, takesData } = measured
  const data = takesData ? values.data.map((folder) => ` --data ${folder}`).join('') : ''
  const kept = before.flatMap((line) => {
    const made = madeBefore(line)
    if (made === null) printed(line)
    else console.log(`kept      ${made}`)
    return made ?? []
  })
  const outputs = measured.commands.map((command) => printed(command + data))
  const [page] = paths
  if (!page.endsWith('.md')) return
  const made = writes
    ? readFileSync(page, 'utf8')
    : text
      ? `${[text, ...outputs.map(block)].join('\n\n')}\n`
      : outputs.join('')
  // The report of the validation says of each case what computed it.
  if (name === 'validation') {
    keepShownFigures()
    return
  }
  const date = new Date().toISOString().slice(0, 10)
  const stamp = { name, version: versionAndCommit(), date, machine: machine(needs) }
  const note = kept.length > 0 ? `\nMade before, by a build of this version: ${kept.join(', ')}.\n` : ''
  writeFileSync(page, stamped(made + note, stamp))
  console.log(`made      ${page}`)
}

/** Deletes the figures of the validation that no page shows (reproduction/figures/table.ts). */
function keepShownFigures(): void {
  for (const file of readdirSync('docs/figures/validation'))
    if (!groupOf(`validation/${file}`)) rmSync(join('docs/figures/validation', file))
}

/** Printed text as it is, tables of Markdown as such. */
const block = (output: string): string =>
  /^\|/m.test(output) ? output.trim() : `\`\`\`text\n${output.trim()}\n\`\`\``

if (values.list)
  for (const { name, needs, takes } of MEASURED) console.log(`${name.padEnd(16)} ${needs.padEnd(6)} ${takes}`) // prettier-ignore
else {
  for (const measured of MEASURED) if (values.all || words.includes(measured.name)) make(measured)
  const write = (path: string, text: string): void => {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return
    writeFileSync(path, text)
    console.log(`wrote     ${path}`)
  }
  // They are formatted by a development dependency, which machines that only measure need not have.
  const texts = await import('./docs/texts.js').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    const [missing] = error.message.split('\n')
    console.error(
      `not made: texts that follow from the code, and numbers that documents quote (${missing}); run npm ci, then npm run docs`,
    )
    process.exit(measures ? 0 : 1)
  })
  for (const [path, text] of Object.entries(await texts.derivedTexts())) write(path, text)
  const written = readdirSync('docs').filter((file) => file.endsWith('.md'))
  for (const path of ['README.md', ...written.map((file) => `docs/${file}`)])
    write(path, requoted(readFileSync(path, 'utf8')))
}
process.exit(0)
