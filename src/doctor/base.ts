import type { Machine } from './machine.js'

/** Result of checking one thing that runs need. */
export interface Check {
  /** One word: `node`, `threads`, `vulkan`. */
  name: string
  /** `warning`: a run works without it, if slower; `problem`: no run works. */
  verdict: 'ok' | 'warning' | 'problem'
  /** What was found, one line. */
  text: string
  /** How to fix it, one line; absent where nothing is wrong. */
  fix?: string
}

export const ok = (name: string, text: string): Check => ({ name, verdict: 'ok', text })

export const warning = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'warning',
  text,
  fix,
})

const problem = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'problem',
  text,
  fix,
})

/** Oldest Node.js that isar runs on (`engines` of package.json). */
const NODE = [20, 19]
const GIB = 2 ** 30
/** Below these, runs of ordinary size may fail (warning), and any run may fail (problem). */
const MEMORY = { warning: 2 * GIB, problem: 0.5 * GIB }

/** What every run needs, also without a GPU. */
export async function baseChecks(machine: Machine): Promise<Check[]> {
  return [
    checkNode(machine),
    checkCores(machine),
    checkMemory(machine),
    await checkThreads(machine),
    checkCache(machine),
  ]
}

function checkNode({ nodeVersion, platform, arch }: Machine): Check {
  const [major, minor] = nodeVersion.split('.').map(Number)
  const text = `Node.js ${nodeVersion} on ${platform}-${arch}`
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return ok('node', text)
  return problem('node', text, `install Node.js ${NODE.join('.')} or later (https://nodejs.org)`)
}

function checkCores({ cores, read }: Machine): Check {
  const text = `${cores} core${cores === 1 ? '' : 's'}`
  const share = cpuShare(read('/sys/fs/cgroup/cpu.max'))
  if (share !== null && share < cores - 0.5)
    return warning(
      'cores',
      `${text}, of which this container may use ${Number(share.toPrecision(2))}`,
      `give --workers ${Math.max(1, Math.floor(share))}, or start the container with more (docker: --cpus)`,
    )
  if (cores > 1) return ok('cores', text)
  return warning('cores', text, 'more cores make edge diffraction, and all of a run without a GPU, faster')
}

/** Cores that a control group grants, from cpu.max ("QUOTA PERIOD" or "max PERIOD"); null: all. */
function cpuShare(limit: string | null): number | null {
  const [quota, period] = (limit ?? 'max').trim().split(' ').map(Number)
  return quota > 0 && period > 0 ? quota / period : null
}

function checkMemory({ memory }: Machine): Check {
  const text = `${(memory / GIB).toFixed(1)} GiB`
  const fix =
    'give the machine or the container more (docker: --memory); every run prints its estimate before it starts'
  if (memory < MEMORY.problem) return problem('memory', text, fix)
  return memory < MEMORY.warning ? warning('memory', text, fix) : ok('memory', text)
}

async function checkThreads({ threadFault }: Machine): Promise<Check> {
  const fault = await threadFault()
  if (fault === null) return ok('threads', 'worker threads start')
  return problem(
    'threads',
    `worker threads do not start: ${fault}`,
    'raise the limit of threads (ulimit -u; docker: --pids-limit)',
  )
}

function checkCache({ cacheFolder, writeFault }: Machine): Check {
  const fault = writeFault(cacheFolder)
  if (fault === null) return ok('cache', `${cacheFolder} can be written`)
  return warning(
    'cache',
    `${cacheFolder} cannot be written (${fault}): the BVHs of large meshes are built again in every run`,
    'set XDG_CACHE_HOME to a folder that can be written',
  )
}
