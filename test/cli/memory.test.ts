import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { checkMemory, freeMemory } from '../../run/estimate.js'
import { isar, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

const plate = resolve('samples/plate.stl')
const folder = temporaryFolder()

/** Files as a system has them. */
const files =
  (texts: Record<string, string>) =>
  (path: string): string | null =>
    texts[path] ?? null

it('counts what control groups leave, cached files as free, the tightest of a group and those above it', () => {
  expect(freeMemory(files({}), 1000)).toBe(1000)
  const texts = {
    '/proc/self/cgroup': '0::/batch/job\n',
    '/sys/fs/cgroup/batch/job/memory.max': 'max\n',
    '/sys/fs/cgroup/batch/memory.max': '600\n',
    '/sys/fs/cgroup/batch/memory.current': '500\n',
    '/sys/fs/cgroup/batch/memory.stat': 'anon 190\ninactive_file 200\nactive_file 110\n',
  }
  expect(freeMemory(files(texts), 1000)).toBe(600 - (500 - 310))
  expect(freeMemory(files({ ...texts, '/sys/fs/cgroup/memory.max': '300' }), 1000)).toBe(300)
  expect(freeMemory(files(texts), 100)).toBe(100)
  const old = {
    '/proc/self/cgroup': '5:cpu,cpuacct:/x\n4:memory:/docker/abc\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '800\n',
    '/sys/fs/cgroup/memory/memory.usage_in_bytes': '700\n',
    '/sys/fs/cgroup/memory/memory.stat': 'total_inactive_file 150\ntotal_active_file 50\n',
  }
  expect(freeMemory(files(old), 1000)).toBe(300)
})

it('says what a run would take, what is there and what to lower', () => {
  checkMemory(100, 'take less', 100)
  expect(() => checkMemory(3 * 2 ** 30, 'take less', 2 ** 30)).toThrow(
    'the run needs about 3.00 GiB of memory and 1.00 GiB are free; take less',
  )
})

it('the estimate covers the fields of many frequencies, within a factor of four', async () => {
  const report =
    "process.on('exit',()=>process.stderr.write(`peak ${process.resourceUsage().maxRSS} KiB\\n`))"
  const { code, stderr } = await isar(
    words`rcs ${plate} --band 0.2e9:0.3e9:100000 --second-order none --device cpu --out ${join(folder, 'many.csv')}`,
    { env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(report)}` } },
  )
  expect(code).toBe(0)
  const [, size, unit] = /estimate .*, ([\d.]+) (MiB|GiB) of memory/.exec(stderr)!
  const said = Number(size) * (unit === 'GiB' ? 1024 : 1)
  const peak = Number(/peak (\d+) KiB/.exec(stderr)![1]) / 1024
  expect(said).toBeGreaterThan(0.8 * peak)
  expect(said).toBeLessThan(4 * peak)
})
