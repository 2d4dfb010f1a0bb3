// What the programs share: arguments, the machine, tables. It loads little: some of them measure the start of a command.
import { existsSync, realpathSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { GpuContext } from '../gpu/index.js'

/** An option's default, which says its kind: a number, a text, a switch, or texts that may be repeated. */
type Default = number | string | boolean | string[]
type Value<D extends Default> = D extends number
  ? number
  : D extends boolean
    ? boolean
    : D extends string
      ? string
      : string[]

/**
 * Options of this program's command line, by their defaults, and the words that are none.
 * @throws Error for an option that is not there, or a number that is none
 */
export function argumentsOf<T extends Record<string, Default>>(
  defaults: T,
  args = process.argv.slice(2),
): { values: { [K in keyof T]: Value<T[K]> }; words: string[] } {
  const options = Object.entries(defaults).map(([name, value]) => {
    const type = typeof value === 'boolean' ? ('boolean' as const) : ('string' as const)
    return [name, { type, multiple: Array.isArray(value) }] as const
  })
  const given = parseArgs({ args, allowPositionals: true, options: Object.fromEntries(options) })
  const values = Object.entries(defaults).map(([name, value]) => {
    const text = given.values[name]
    if (text === undefined || typeof value !== 'number') return [name, text ?? value]
    if (Number.isNaN(Number(text))) throw new Error(`--${name} ${String(text)}: not a number`)
    return [name, Number(text)]
  })
  return { values: Object.fromEntries(values) as { [K in keyof T]: Value<T[K]> }, words: given.positionals }
}

/** Numbers between commas. */
export const numbersOf = (list: string): number[] => list.split(',').map(Number)

/** Whether a module is the program that runs, also by a link to it. */
export const isProgram = (url: string): boolean =>
  existsSync(process.argv[1] ?? '') && realpathSync(process.argv[1]) === fileURLToPath(url)

/** The processor, its threads and Node, as tables name them. */
export const processor = (): string =>
  `${cpus()[0].model.trim()}, ${availableParallelism()} threads, Node ${process.version}`

/** This machine's first GPU. @throws Error without one */
export async function firstGpu(): Promise<GpuContext> {
  const { openNodeGpu } = await import('../run/node-gpu.js')
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU found: install a Vulkan driver, or name one in VK_ICD_FILENAMES')
  return context
}

/** The middle one, of an even number the upper. */
export const median = (x: number[]): number => x.toSorted((a, b) => a - b)[x.length >> 1]

/** Markdown table, its first column to the left. */
export const tableOf = (head: string[], rows: (string | number)[][]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows]
    .map((r) => `| ${r.join(' | ')} |`)
    .join('\n')
