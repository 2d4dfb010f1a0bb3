import { expect, it } from 'vitest'
import { datasetCard } from '../../dataset/finish.js'
import { parseDatasetConfig } from '../../dataset/config.js'
import { planDataset, resolveRadar } from '../../dataset/plan.js'

const full = {
  name: 'a',
  seed: 4,
  targets: [{ label: 'ship', name: 's1', mesh: 'a.stl' }],
  aspects: { azimuth: { from: 0, to: 360, step: 90 }, elevation: [20] },
  jitter: { azimuthDeg: 0.5 },
  copies: { count: 2, scale: 0.02 },
  radar: { centreHz: 1e10, resolutionM: 0.3 },
  image: { size: [32, 32], window: 'hann' },
  ground: { surface: { model: 'gamma', gammaDb: -12 }, shape: 4, correlationM: 2 },
  nuisance: { snrDb: 30, phase: { quadraticDeg: 20 } },
  labels: ['mask'],
  solver: { maxBounces: 3 },
}

const cardOf = (given: object): string => {
  const config = parseDatasetConfig(JSON.stringify(given), 'c.json')
  const radar = resolveRadar(config, { centreHz: 1e10 }, 6)
  const plan = planDataset(config, radar)
  const identity = { key: '', version: '1', device: 'cpu' as const, solver: { maxBounces: 3, diffraction: 'tw-ildc' }, meshes: [{ name: 's1', sha256: '0'.repeat(64), facets: 12, size_m: [1, 1, 1] }], materials: [] } // prettier-ignore
  const peakDbsm = plan.shards[0].poses.map(() => 0)
  return datasetCard(config, radar, plan, identity, plan.shards.map((s, index) => ({ index, name: s.name, split: s.split, first: 0, count: peakDbsm.length, files: [], peakDbsm, thumbnails: {} }))) // prettier-ignore
}

const keysOf = (value: unknown): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, v]) => [...(Array.isArray(value) ? [] : [key]), ...keysOf(v)])
    : []

it('every key of a configuration is on the card, and what the solver resolved', () => {
  const card = cardOf(full)
  for (const key of keysOf(full)) expect(card, key).toContain(`"${key}"`)
  expect(card).toContain('"diffraction": "tw-ildc"')
})

it('the card names ground, clutter and shadow where images have them, and no nuisances only where there are none', () => {
  const { nuisance: _, jitter: __, copies, ...still } = full
  expect(cardOf(still)).toMatch(/\| ground \| its clutter and the target’s shadow: .*gamma/)
  expect(cardOf(still)).toContain('| nuisances | none but clutter and shadow of the ground |')
  const { ground: ___, ...free } = still
  expect(cardOf(free)).toContain('| ground | none: free space |')
  expect(cardOf(free)).toContain('| nuisances | none |')
  expect(cardOf({ ...free, copies })).toContain('| nuisances | `{"copies":{"count":2,"scale":0.02,')
  expect(cardOf(full)).toMatch(/\| nuisances \| .*copies.*jitter.*snrDb.*quadraticDeg/)
})

it('the card names how the aspects lie and what the parts share nothing of', () => {
  expect(cardOf(full)).toContain('| geometry | turntable, at one elevation; slant plane, polar format |')
  expect(cardOf(full)).toContain('| splits | none |')
  const sar = { ...full, radar: { ...full.radar, geometry: 'sar', squintDeg: 20 }, splits: { by: 'copy', assign: { train: [0], test: [1] } } } // prettier-ignore
  expect(cardOf(sar)).toContain(
    '| geometry | straight level path, 20° ahead of broadside; slant plane, polar format |',
  )
  expect(cardOf(sar)).toContain('| splits | by copy: train, test |')
})

it('values that were texts with units are on the card as they were written', () => {
  const card = cardOf({ ...full, radar: { centreHz: 1e10, resolutionM: '1 ft' } })
  expect(card).toContain('"resolutionM": 0.3048')
  expect(card).toContain('"radar.resolutionM": "1 ft"')
})
