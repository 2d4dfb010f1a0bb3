import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A user's folder, with `isar` installed (a link to this one) and the samples. */
export function userFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isar-user-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve('.'), join(folder, 'node_modules/isar'))
  symlinkSync(resolve('samples'), join(folder, 'samples'))
  return folder
}

/** After so long a script is taken to hang. */
const SECONDS = 500

/** Runs an ES module in the folder, which has to end by itself. */
export function runScript(
  folder: string,
  name: string,
  code: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      // Without a driver named in the environment a script sees the machine as a user's does.
      env: { ...process.env, VK_ICD_FILENAMES: undefined, LD_LIBRARY_PATH: undefined, ...env },
      timeout: 1000 * SECONDS,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('error', fail)
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
}
