import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TimingReport } from '../../run/sweep/index.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { writeConfig } from './dataset-config.js'

type Angle = TimingReport['per_angle'][0] & { target: string; state_deg: number; copy: number }

interface Timing extends TimingReport {
  dataset: { images: number; aspects: number }
  per_angle: Angle[]
}

/** Makes two images of each of two targets, a shard each, and reads what it took. */
async function timingOf(name: string, ...more: string[]): Promise<Timing> {
  const folder = temporaryFolder()
  const config = writeConfig(folder, {
    aspects: { azimuth: [0, 40], elevation: [10] },
    shardChips: 2,
    copies: { count: 2, scale: 0.02 },
  })
  const out = join(folder, 'out')
  const run = await isar`dataset ${config} --out ${out} --quiet ${more}`
  expect([run.code, run.stderr]).toEqual([0, ''])
  return readJson<Timing>(join(out, name))
}

const sum = (x: number[]): number => x.reduce((a, b) => a + b, 0)

it('timing.json lists every aspect with its target, and their seconds are those of the sides', async () => {
  const { per_angle: angles, dataset, gpu_busy, cpu_busy, schedule } = await timingOf('timing.json')
  expect(angles).toHaveLength(dataset.aspects)
  expect(dataset.aspects % dataset.images).toBe(0)
  expect(sum(angles.map((a) => a.sbr_seconds))).toBeCloseTo(gpu_busy, 9)
  expect(sum(angles.map((a) => a.diffraction_seconds))).toBeCloseTo(cpu_busy, 9)
  expect(gpu_busy * cpu_busy).toBeGreaterThan(0)
  const keys = new Set(angles.map((a) => `${a.target} ${a.copy} ${a.state_deg} ${a.schedule}`))
  expect([...keys].sort()).toEqual(
    ['cube 0', 'cube 1', 'dihedral 0', 'dihedral 1'].map((target) => `${target} 0 ${schedule}`),
  )
  const perImage = dataset.aspects / dataset.images
  angles.slice(0, perImage).forEach((a, i) => {
    expect(a.theta_deg).toBe(80)
    expect(a.sub_grid_seconds.length).toBeGreaterThan(0)
    if (i > 0) expect(a.phi_deg).toBeGreaterThan(angles[i - 1].phi_deg)
  })
  expect(angles[0].phi_deg + angles[perImage - 1].phi_deg).toBeCloseTo(0, 9)
})

it('with --shard, timing.json lists the aspects of the share', async () => {
  const { per_angle: angles, dataset } = await timingOf('timing-1-of-4.json', '--shard', '1/4')
  expect(dataset.images).toBe(2)
  expect(angles).toHaveLength(dataset.aspects)
  expect(new Set(angles.map((a) => `${a.target} ${a.copy}`)).size).toBe(1)
  for (const a of angles) expect(a.sbr_seconds).toBeGreaterThan(0)
})
