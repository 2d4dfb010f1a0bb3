import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

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
