import { readFileSync } from 'node:fs'

/** A program of docs/library.md, and what the page says that it prints. */
export interface Example {
  heading: string
  code: string
  output: string
}

export const libraryPage = readFileSync('docs/library.md', 'utf8')

export const examples: Example[] = [
  ...libraryPage.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g),
].map(({ index, 1: code, 2: output }) => ({
  heading: [...libraryPage.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)![1],
  code,
  output,
}))
