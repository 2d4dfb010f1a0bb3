import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { type SignalAt, signalAt } from '../helpers/signal-at.js'
import { type Word, words } from '../helpers/words.js'

const MAIN = resolve('dist/src/cli/main.js')

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

/** What needs a process of its own. */
interface Options {
  cwd?: string
  env?: Record<string, string | undefined>
  at?: SignalAt
  onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

/**
 * Runs the built command line: isar`rcs ${mesh} --freq 1e9`, or of a list of words. Of words with options in a process, which sends itself a
 * signal `at` a message; `onStderr` sees its messages as they come. Otherwise in this process, where a command takes a third of the time.
 */
export function isar(line: TemplateStringsArray, ...values: Word[]): Promise<CliResult>
export function isar(args: readonly string[], options?: Options): Promise<CliResult>
export function isar(
  given: TemplateStringsArray | readonly string[],
  ...more: unknown[]
): Promise<CliResult> {
  if ('raw' in given) return isar(words(given, ...(more as Word[])))
  const options = more[0] as Options | undefined
  // Without a driver named in the environment the command line sees the machine as a user would.
  if (!options && !process.env.VK_ICD_FILENAMES) return runHere(given)
  return runProcess(given, options ?? {})
}

/** Commands in this process see a machine of one core: threads of their own load and compile their modules each time. */
os.availableParallelism = () => 1
syncBuiltinESMExports()

async function runHere(args: readonly string[]): Promise<CliResult> {
  const program = new URL('../../dist/src/cli/program.js', import.meta.url)
  const { main } = (await import(program.href)) as typeof import('../../src/cli/program.js')
  let [stdout, stderr] = ['', '']
  const code = await main(args, {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

function runProcess(args: readonly string[], options: Options): Promise<CliResult> {
  const { node, env } = options.at ? signalAt(options.at) : { node: [], env: {} }
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...node, MAIN, ...args], {
      cwd: options.cwd ?? process.cwd(),
      env: {
        ...process.env,
        VK_ICD_FILENAMES: undefined,
        LD_LIBRARY_PATH: undefined,
        ...env,
        ...options.env,
      },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
      options.onStderr?.(stderr, (signal) => child.kill(signal))
    })
    child.on('error', fail)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'isar-test-'))

/** Rows of an rcs table by column name. */
export function readCsv(path: string): Record<string, string>[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const names = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((x, i) => [names[i], x])))
}

/** A JSON file. */
export const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T

export interface Table<Meta> {
  rows: Record<string, string>[]
  text: string
  meta: Meta
  stdout: string
  stderr: string
  /** Its path. */
  out: string
}

let tables = 0
const tablesFolder = temporaryFolder()

/** Runs isar rcs to a table of its own, which it reads: rcs`samples/cube.stl --freq 1e9`; it has to end well. */
export async function rcs<Meta = { options: Record<string, unknown> }>(
  line: TemplateStringsArray,
  ...values: Word[]
): Promise<Table<Meta>> {
  const out = join(tablesFolder, `${tables++}.csv`)
  const { code, stdout, stderr } = await isar(['rcs', ...words(line, ...values), '--out', out])
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/^isar:/m)])
  const text = readFileSync(out, 'utf8')
  return {
    rows: readCsv(out),
    text,
    meta: readJson<Meta>(out.replace(/csv$/, 'meta.json')),
    stdout,
    stderr,
    out,
  }
}
