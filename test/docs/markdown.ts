import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'docs-api'])

/** Every Markdown file of the repository, as a path from its root. */
export function markdownFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return markdownFiles(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

/** Pages of docs that `npm run docs` or another command writes, beside those in docs/tables and docs/validation. */
const GENERATED = new Set(['mechanisms.md', 'options.md', 'validation.md'])

/** Documents for users that people write: those right in docs. */
export const handWritten = (): string[] =>
  readdirSync('docs').flatMap((file) =>
    file.endsWith('.md') && !GENERATED.has(file) ? [join('docs', file)] : [],
  )

/** A Markdown file's text apart from its blocks of code, and these. */
export interface Markdown {
  prose: string
  /** Lines of fenced (with a language of the shell, or none) and indented code. */
  code: string[]
}

const SHELL = new Set(['', 'sh', 'bash', 'console'])

/** Splits a file's text. Indented lines count as code after an empty line only: lists go on indented. */
export function splitMarkdown(text: string): Markdown {
  const prose: string[] = []
  const code: string[] = []
  let fence: string | null = null
  let indented = false
  let before = ''
  for (const line of text.split('\n')) {
    const mark = /^ *```(\w*)/.exec(line)
    if (fence === null && mark) fence = mark[1]
    else if (mark) fence = null
    else if (fence !== null) {
      if (SHELL.has(fence)) code.push(line)
    } else {
      indented = /^ {4}/.test(line) && (indented || before.trim() === '')
      if (indented) code.push(line)
      else prose.push(line)
      before = line
    }
  }
  return { prose: prose.join('\n'), code: joinContinued(code) }
}

/** Lines that end in a backslash, with the next one. */
const joinContinued = (lines: string[]): string[] =>
  lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')

export interface Link {
  text: string
  /** As written. */
  target: string
  picture: boolean
}

/** Links and pictures of the prose, without those in `code`. */
export function linksOf(prose: string): Link[] {
  const plain = prose.replace(/`[^`]*`/g, (code) => code.replace(/[[\]()]/g, ' '))
  return [...plain.matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(
    ([, mark, text, target]) => ({
      text,
      target,
      picture: mark === '!',
    }),
  )
}

/** Names that the headings of a file can be linked by, as GitHub makes them. */
export function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const plain = heading.replace(/[*`]|\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const name = plain.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replace(/ /g, '-')
    let unique = name
    for (let k = 1; anchors.has(unique); k++) unique = `${name}-${k}`
    anchors.add(unique)
  }
  return anchors
}

/** Path from the root of what a file names by a relative path. */
export const resolveFrom = (file: string, path: string): string =>
  normalize(join(dirname(file), decodeURI(path)))

export const readMarkdown = (file: string): Markdown => splitMarkdown(readFileSync(file, 'utf8'))
