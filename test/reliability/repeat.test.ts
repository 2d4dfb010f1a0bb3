import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/cli.js'
import { record } from './record.js'
import { run, softwareGpu } from './run-cli.js'
import { words } from '../helpers/words.js'

/** Every combination (npm run docs -- reliability), or a few. */
const ALL = process.env.ISAR_REPEAT_ALL !== undefined
/** "hardware": also on this machine's GPU. */
const HARDWARE = process.env.ISAR_REPEAT_GPU === 'hardware'

const SCHEDULES = ['overlapped', 'serial', 'static', 'dynamic']
const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true }))

let runs = 0
/** SHA-256 of a run's table. */
async function hashOf(args: string[], env = {}): Promise<string> {
  const out = join(folder, `${runs++}.npz`)
  const { code, stderr } = await run([...args, '--out', out, '--quiet'], { env })
  expect([code, stderr]).toEqual([0, ''])
  expect(existsSync(`${out}.partial`)).toBe(false)
  return createHash('sha256').update(readFileSync(out)).digest('hex')
}

async function expectSame(what: string, sweep: string[], variants: string[][], env = {}): Promise<void> {
  const expected = await hashOf([...sweep, ...variants[0]], env)
  const differ: string[] = []
  for (const variant of variants)
    if ((await hashOf([...sweep, ...variant], env)) !== expected) differ.push(variant.join(' '))
  record('repeatability', { runs: what, number: variants.length + 1, 'with other bytes': differ.length })
  expect(differ).toEqual([])
}

const flags = (workers: number, subGrid: number, schedule: string, traversal: string): string[] =>
  words`--workers ${String(workers)} --sub-grid ${String(subGrid)} --schedule ${schedule} --traversal ${traversal}`

/** All combinations, or each value once beside the others' first. */
function variants(workers: number[], subGrids: number[], traversals: string[]): string[][] {
  const all = workers.flatMap((w) =>
    subGrids.flatMap((g) => SCHEDULES.flatMap((s) => traversals.map((t) => flags(w, g, s, t)))),
  )
  if (ALL) return all
  const most = Math.max(workers.length, subGrids.length, SCHEDULES.length, traversals.length)
  const at = <T>(list: T[], i: number): T => list[i % list.length]
  return Array.from({ length: most }, (_, i) =>
    flags(at(workers, i), at(subGrids, i), at(SCHEDULES, i), at(traversals, i)),
  )
}

describe('the same bytes from run to run and whatever the split', () => {
  it('on the cpu: workers, sub-grids, schedules, traversals', async () => {
    const sweep = words`rcs ${resolve('samples/trihedral-square.stl')} --band 0.8e9:1e9:3 --theta 50 --phi 10:50:20`
    await expectSame(
      'cpu: 1, 2, 7 workers x sub-grids of 16, 64, 2048 x 4 schedules x stack, ropes',
      [...sweep, '--device', 'cpu'],
      variants([1, 2, 7], [16, 64, 2048], ['stack', 'ropes']),
    )
  }, 1_200_000)

  const software = softwareGpu()
  const gpuSweep = words`rcs ${resolve('samples/dihedral.stl')} --freq 0.5e9 --theta 70 --phi 20:50:30 --device gpu`
  it.skipIf(!software)(
    'on SwiftShader',
    async () => {
      const all = variants([1, 2, 7], [32, 2048], ['stack', 'ropes', 'lists'])
      await expectSame(
        'SwiftShader: some of 1, 2, 7 workers x sub-grids of 32, 2048 x 4 schedules x stack, ropes, lists',
        gpuSweep,
        ALL ? all.filter((_, i) => i % 11 === 0) : all.slice(0, 2),
        software!,
      )
    },
    1_800_000,
  )

  it.skipIf(!HARDWARE)(
    'on the GPU of this machine',
    async () => {
      const sweep = words`${gpuSweep.slice(0, 1)} ${resolve('samples/aircraft.stl')} --band 9.5e9:10.5e9:8 --theta 80 --phi 0:10:2 --device gpu`
      await expectSame(
        'hardware GPU: 1, 2, 7 workers x sub-grids of 256, 1024, 2048 x 4 schedules x stack, ropes, lists',
        sweep,
        variants([1, 2, 7], [256, 1024, 2048], ['stack', 'ropes', 'lists']),
      )
    },
    1_800_000,
  )
})
