import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const MAIN = resolve('dist/src/cli/main.js')

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the built command line; `onStderr` sees its messages as they come and may signal the process. */
export function isar(
  args: string[],
  options: {
    cwd?: string
    env?: Record<string, string | undefined>
    onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
  } = {},
): Promise<CliResult> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? process.cwd(),
      // Without a driver named in the environment the command line sees the machine as a user would.
      env: { ...process.env, VK_ICD_FILENAMES: undefined, LD_LIBRARY_PATH: undefined, ...options.env },
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
