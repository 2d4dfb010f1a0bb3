import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { swiftshaderEnv, unpackSwiftshader } from '../helpers/swiftshader.js'

export interface Ended {
  /** Exit code; null where a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
  seconds: number
}

export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
}

export interface CliOptions {
  env?: Record<string, string>
  /** Options of Node itself. */
  node?: string[]
  onStderr?: (text: string) => void
}

/** Starts the built command line. */
export function start(args: string[], { env, node = [], onStderr }: CliOptions = {}): Running {
  const from = performance.now()
  const child = spawn(process.execPath, [...node, resolve('dist/src/cli/main.js'), ...args], {
    env: { ...process.env, VK_ICD_FILENAMES: undefined, LD_LIBRARY_PATH: undefined, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    onStderr?.(stderr)
  })
  const ended = new Promise<Ended>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code, signal) =>
      done({ code, signal, stderr, seconds: (performance.now() - from) / 1000 }),
    )
  })
  return { child, ended }
}

export const run = (args: string[], options?: CliOptions): Promise<Ended> => start(args, options).ended

/** Node's option that loads one of the faults before everything else. */
export const withFault = (name: 'thread' | 'gpu' | 'clock' | 'rows'): string[] => [
  '--import',
  pathToFileURL(resolve(`test/reliability/faults/${name}.mjs`)).href,
]

/** Environment with the software GPU, or null where this machine has none. */
export function softwareGpu(): Record<string, string> | null {
  const folder = unpackSwiftshader()
  return folder ? swiftshaderEnv(folder) : null
}

/** Names in a folder, those of its folders' files included. */
export const namesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).sort()

/** The messages of a failed command: lines that are neither warnings nor progress. */
export const errorLines = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line.startsWith('isar: '))

export const sameBytes = (a: string, b: string): boolean => readFileSync(a).equals(readFileSync(b))
