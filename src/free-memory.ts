import { readFileSync } from 'node:fs'
import { freemem, platform, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { InputError } from '../scene/index.js'

type Read = (path: string) => string | null

/** Files of a control group, version 2 and version 1: its limit, what it uses, and under which names it counts cached files. */
const GROUPS = [
  {
    controller: '',
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    used: 'memory.current',
    cached: ['inactive_file', 'active_file'],
  },
  {
    controller: 'memory',
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    cached: ['total_inactive_file', 'total_active_file'],
  },
]

/**
 * Memory that can still be taken [bytes]: the machine's, or what the control groups of this process (containers, batch systems)
 * leave where that is less. Cached files count as free, since the system gives them up. Where the system does not say how much
 * of its memory it could give up (it does on Linux), all of the machine's.
 */
export function freeMemory(read: Read = readText, machine = machineMemory()): number {
  const membership = read('/proc/self/cgroup') ?? ''
  let free = machine
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const group = GROUPS.find(({ controller }) => controllers?.split(',').includes(controller))
    if (!group) continue
    // A container sees its own group as the root, whatever its path says.
    for (let at = path; ; at = dirname(at)) {
      free = Math.min(free, leftIn(group, at === '/' ? group.root : group.root + at, read))
      if (at === dirname(at)) break
    }
  }
  return free
}

/** Infinity where the group has no limit or is not there. */
function leftIn({ limit, used, cached }: (typeof GROUPS)[number], folder: string, read: Read): number {
  const number = (text: string | null | undefined): number => Number.parseInt(text ?? '', 10)
  const most = number(read(`${folder}/${limit}`))
  if (Number.isNaN(most)) return Infinity
  const statistics = read(`${folder}/memory.stat`) ?? ''
  const files = cached.map((name) => number(new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics)?.[1]) || 0)
  const taken = (number(read(`${folder}/${used}`)) || 0) - files.reduce((a, b) => a + b)
  return Math.max(0, most - Math.max(0, taken))
}

const machineMemory = (): number => (platform() === 'linux' ? freemem() : totalmem())

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** A run needs more memory than there is. */
export class MemoryError extends InputError {}

/** @throws MemoryError where a run needs more memory than is free; @param advice  what to lower */
export function checkMemory(bytes: number, advice: string, free = freeMemory()): void {
  if (bytes <= free) return
  const gib = (n: number): string =>
    n < 2 ** 37 ? (n / 2 ** 30).toPrecision(3) : String(Math.round(n / 2 ** 30))
  throw new MemoryError(
    `the run needs about ${gib(bytes)} GiB of memory and ${gib(free)} GiB are free; ${advice}`,
  )
}
