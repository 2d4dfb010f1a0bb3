// Redraws the pictures of the documents in docs/figures (reproduction/figures/table.ts lists the command of each).
//   node dist/reproduction/figures.js [--gpu] [--keep] [GROUP...]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { indexedPng } from '../src/validate/report.js'
import { FIGURES, type FigureGroup, figuresReadme } from './figures/table.js'
import { argumentsOf } from './kit.js'

const { values, words } = argumentsOf({ gpu: false, keep: false })
const root = process.cwd()
const figures = resolve('docs/figures')
if (!existsSync(figures)) throw new Error('docs/figures not found: run this from the repository’s root')
const unknown = words.find((name) => !FIGURES.some((g) => g.name === name))
if (unknown !== undefined)
  throw new Error(`no group "${unknown}": choose among ${FIGURES.map((g) => g.name).join(', ')}`)

/** Lines of a document's sh blocks that run isar, except isar view, which is interactive. */
function documentCommands(document: string): string[] {
  const blocks = [...readFileSync(document, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((m) => m[1])
  return blocks
    .join('')
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, '').replace(/^npx /, ''))
    .filter((line) => line.startsWith('isar ') && !line.startsWith('isar view'))
}

/** Runs the commands of a group in a temporary folder, copies their pictures, and returns their number. */
function draw(group: FigureGroup): number {
  const folder = mkdtempSync(join(tmpdir(), 'isar-figures-'))
  for (const name of ['samples', 'test', 'dist']) symlinkSync(join(root, name), join(folder, name))
  const { commands, after = [] } = group
  const lines = [...(Array.isArray(commands) ? commands : documentCommands(commands.document)), ...after]
  for (const line of lines) {
    const [command, ...args] = line.split(/ +/)
    console.log(`$ ${line}`)
    const words = command === 'isar' ? [join(root, 'dist/src/cli/main.js'), ...args] : args
    const { status } = spawnSync(process.execPath, words, { cwd: folder, stdio: 'inherit' })
    if (status !== 0) throw new Error(`${line}: ended with ${status}; its files are in ${folder}`)
  }
  const pictures = Object.entries(group.pictures)
  for (const [picture, file] of pictures) {
    mkdirSync(dirname(join(figures, picture)), { recursive: true })
    writeFileSync(join(figures, picture), indexedPng(readFileSync(join(folder, file))))
  }
  if (values.keep) console.log(`kept      ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
  return pictures.length
}

for (const group of FIGURES) {
  if (words.length > 0 && !words.includes(group.name)) continue
  if (group.gpu && !values.gpu) {
    console.log(`skipped   ${group.name}: needs a GPU (--gpu)`)
    continue
  }
  const count = draw(group)
  console.log(`drew      ${group.name}: ${count} picture${count === 1 ? '' : 's'}`)
}
writeFileSync(join(figures, 'README.md'), figuresReadme())
process.exit(0)
