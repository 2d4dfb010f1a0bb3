import { execFileSync, spawnSync } from 'node:child_process'
import { leftOut } from './left-out.js'

/** Answers of `pythonWith`: a start of Python with its modules takes a second. */
const known = new Map<string, string | null>()

/**
 * A Python that has these modules: $ISAR_PYTHON, Debian's, or the one of the path. Null, said on a line of its own, where there
 * is none.
 */
export function pythonWith(...modules: string[]): string | null {
  const key = modules.join()
  if (!known.has(key)) known.set(key, findPython(modules))
  return known.get(key)!
}

function findPython(modules: string[]): string | null {
  const candidates = [process.env.ISAR_PYTHON, '/usr/bin/python3', 'python3'].filter((x) => x !== undefined)
  const found = candidates.find(
    (command) => spawnSync(command, ['-c', `import ${modules.join(', ')}`]).status === 0,
  )
  if (!found)
    leftOut(
      `no python3 with ${modules.join(' and ')} here (apt-get install python3-numpy python3-scipy python3-h5py python3-venv python3-setuptools python3-wheel python3-torch)`,
    )
  return found ?? null
}

/** Runs a script and reads the JSON that it prints. */
export function runPython<T>(command: string, script: string, args: string[]): T {
  const text = execFileSync(command, ['-c', script, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  return JSON.parse(text) as T
}
