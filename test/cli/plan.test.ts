import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { write } from './fixtures.js'

const sample = (name: string): string => resolve('samples', name)
const folder = temporaryFolder()
const cpu = ['--device', 'cpu', '--workers', '1']

const set = write(folder, 'set.json', {
  name: 'set',
  targets: [{ mesh: sample('cube.stl'), label: 'cube' }],
  aspects: { azimuth: { from: 0, to: 30, step: 15 }, elevation: [10] },
  radar: { centreHz: '2 GHz', resolutionM: 0.3 },
  image: { size: [16, 16] },
})
const made = (): string[][] => ['.', folder].map((place) => readdirSync(place))

it.each<[string, string[], Record<string, unknown>]>([
  ['rcs', [sample('cube.stl'), '--freq', '1e9,2e9', '--phi', '0:45:1', ...cpu], { command: 'rcs', aspects: 46, frequencies: 2 }], // prettier-ignore
  ['rcs', [sample('cube.stl'), '--freq', '1e8', '--method', 'mom', ...cpu], { aspects: 1, unknowns: [expect.any(Number), expect.any(Number)] }], // prettier-ignore
  ['render', [sample('cube.stl'), '--band', '2e9:2.5e9', ...cpu], { command: 'render', rays_per_aspect: expect.any(Number) }], // prettier-ignore
  ['doppler', [sample('drone-motion.json'), ...cpu], { command: 'doppler', pulses: 10000, frequencies: 1 }],
  ['propagate', [sample('two-ray.json'), '--device', 'cpu'], { command: 'propagate', frequencies: 1, rays: expect.any(Number) }], // prettier-ignore
  ['dataset', [set, ...cpu], { command: 'dataset', images: 3, disk_bytes: expect.any(Number) }],
])('isar %s --plan states what the run would take, and writes nothing', async (command, args, expected) => {
  const before = made()
  const run = await isar([command, ...args, '--plan', '--json'])
  expect([run.code, run.stderr.match(/^isar:.*/m)]).toEqual([0, null])
  const plan = JSON.parse(run.stdout) as { seconds: number; memory_bytes: number }
  expect(plan).toMatchObject({ plan: true, ...expected })
  expect(plan.seconds).toBeGreaterThan(0)
  expect(plan.memory_bytes).toBeGreaterThan(1e6)
  expect(run.stderr).toMatch(/^estimate {2}about/m)
  expect(made()).toEqual(before)
})

it('plans of rcs name the lobes and the steps that show them; rcs warns of coarse steps', async () => {
  const args = ['rcs', sample('plate.stl'), '--freq', '3e9', '--theta', '-20:20:4', ...cpu]
  const plan = await isar`${args} --plan --json`
  // A plate of 1 m at 0.1 m: 2.9°.
  const { lobes } = JSON.parse(plan.stdout) as { lobes: Record<string, unknown>[] }
  expect(lobes).toEqual([
    {
      axis: 'theta',
      width: expect.closeTo(2.863, 2) as number,
      unit: 'deg',
      resolving_step: expect.closeTo(2.863 / 3, 2) as number,
      step: expect.closeTo(4, 9) as number,
      hides_lobes: true,
    },
  ])
  expect(plan.stderr).toContain('lobes     2.9° in θ (a step of 0.95° shows them, here 4°)')
  const out = join(folder, 'coarse.csv')
  const run = await isar`${args} --out ${out}`
  expect(run.stderr).toContain(
    'warning: a step of 4° in θ hides lobes, which are 2.9° wide: 0.95° shows them',
  )
  expect(existsSync(out)).toBe(true)
  // A plan does not mind results that exist.
  expect((await isar`${args} --plan --out ${out}`).code).toBe(0)
})

it('isar image --plan and validate --plan state time, and refuse nothing that exists', async () => {
  const sweep = ['--band', '2e9:2.5e9:8', '--angles', '8', '--quiet', '--pol', 'vv', ...cpu]
  const rendered = join(folder, 'r')
  expect((await isar`render ${sample('cube.stl')} ${sweep} --out ${rendered}`).code).toBe(0)
  const before = made()
  const image = await isar`image ${rendered} --plan --json --device cpu`
  expect(JSON.parse(image.stdout)).toMatchObject({ command: 'image', plan: true, pulses: 8, frequencies: 8 })
  const validate = await isar`validate --quick --plan --json`
  const { cases, seconds } = JSON.parse(validate.stdout) as { cases: unknown[]; seconds: number }
  expect([cases.length > 20, seconds > 1]).toEqual([true, true])
  expect(made()).toEqual(before)
})
