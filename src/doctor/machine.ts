import { execFile } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { cacheFolder } from '../../formats/bvh-cache.js'
import type { GpuReport } from '../../run/node-gpu.js'
import { mayHaveGpu } from '../../run/find-gpu.js'

/** Result of trying the GPU in a process of its own, since drivers can crash it. */
export interface GpuProbe {
  /** Null: no adapter. */
  gpu: GpuReport | null
  /** Why the trial itself failed: the library did not load, the process was ended by a signal, or took too long. */
  failure?: string
}

/** What the checks examine; tests supply machines of their own. */
export interface Machine {
  platform: NodeJS.Platform
  arch: string
  /** Without a v. */
  nodeVersion: string
  env: Record<string, string | undefined>
  cores: number
  /** Memory that this process may use [bytes]. */
  memory: number
  cacheFolder: string
  /** Whether there may be a GPU: a device file, or a driver named in the environment. */
  mayHaveGpu: boolean
  exists: (path: string) => boolean
  /** Whether a file can be read and written. */
  access: (path: string) => boolean
  /** Names in a folder; none where it cannot be read. */
  list: (folder: string) => string[]
  /** Text of a file; null where it cannot be read. */
  read: (path: string) => string | null
  /** Names of shared libraries that the system's loader knows; null where it cannot be asked. */
  libraries: () => Promise<Set<string> | null>
  /** Why a file cannot be written in a folder, which is made where it is not there; null where it can. */
  writeFault: (folder: string) => string | null
  /** Why a worker thread does not start; null where it does. */
  threadFault: () => Promise<string | null>
  probeGpu: () => Promise<GpuProbe>
}

/** Time limit of a trial of the GPU [ms]: some drivers compile for many seconds at first use. */
const PROBE_TIME = 60_000

const run = promisify(execFile)

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  // 0 or a huge number means no limit.
  const limit = process.constrainedMemory()
  const total = totalmem()
  return {
    platform: process.platform,
    arch: process.arch,
    nodeVersion: process.versions.node,
    env: process.env,
    cores: availableParallelism(),
    memory: limit > 0 && limit < total ? limit : total,
    cacheFolder: cacheFolder(),
    mayHaveGpu: mayHaveGpu(),
    exists: existsSync,
    access: (path) => !faultOf(() => accessSync(path, constants.R_OK | constants.W_OK)),
    list: (folder) => {
      let names: string[] = []
      faultOf(() => (names = readdirSync(folder)))
      return names
    },
    read: (path) => {
      let text: string | null = null
      faultOf(() => (text = readFileSync(path, 'utf8')))
      return text
    },
    libraries,
    writeFault: (folder) =>
      faultOf(() => {
        mkdirSync(folder, { recursive: true })
        const file = join(folder, `.isar-doctor-${process.pid}`)
        writeFileSync(file, '')
        rmSync(file)
      }),
    threadFault,
    probeGpu,
  }
}

function faultOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code ?? message
  }
}

async function libraries(): Promise<Set<string> | null> {
  for (const command of ['/sbin/ldconfig', '/usr/sbin/ldconfig', 'ldconfig'])
    try {
      const { stdout } = await run(command, ['-p'])
      return new Set(stdout.split('\n').map((line) => line.trim().split(' ')[0]))
    } catch {
      // Another folder may have it.
    }
  return null
}

function threadFault(): Promise<string | null> {
  return new Promise((done) => {
    try {
      const thread = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
      thread.once('message', () => done(null))
      thread.once('error', ({ message }) => done(message))
      thread.once('exit', (code) => done(`it ended with code ${code}`))
    } catch (error) {
      done((error as Error).message)
    }
  })
}

async function probeGpu(): Promise<GpuProbe> {
  try {
    const probe = fileURLToPath(new URL('./probe.js', import.meta.url))
    const { stdout } = await run(process.execPath, [probe], { timeout: PROBE_TIME })
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as GpuProbe
  } catch (error) {
    const { signal, killed, stderr, message } = error as Error & {
      signal?: string
      killed?: boolean
      stderr?: string
    }
    const last = stderr?.trim().split('\n').at(-1) ?? message
    const why = killed
      ? `no answer within ${PROBE_TIME / 1000} s`
      : signal
        ? `the process was ended by ${signal}`
        : last
    return { gpu: null, failure: why }
  }
}
