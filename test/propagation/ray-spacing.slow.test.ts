import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildPropagation, createCpuPropagation, subdivisionFor } from '../../propagation/index.js'
import { PropagationTable, resultWarnings } from '../../propagation/results/table.js'
import {
  checkScene,
  type LoadedScene,
  loadScene,
  openScene,
  withLimits,
} from '../../propagation/scene/load-scene.js'

const reference = new Map(
  readFileSync(new URL('../validation/analytic/g_tunnel_4x4_eps5_1GHz.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number))
    .map(([z, gain]) => [z, gain]),
)

async function solve(loaded: LoadedScene): Promise<PropagationTable> {
  const built = buildPropagation(loaded.scene)
  const result = await createCpuPropagation(built.setup, 0).run({
    subdivision: subdivisionFor(loaded.file.rays),
  })
  return new PropagationTable(loaded, result, built)
}

describe('rays stand close enough for the farthest receivers', () => {
  /** The sample with receivers every 7 m from 800 m to its far end. */
  const z = Array.from({ length: 28 }, (_, i) => 807 + 7 * i).concat(999, 1000)
  const tunnel = async (): Promise<LoadedScene> => {
    const { file } = await loadScene('samples/tunnel.json')
    const receivers = [{ name: 'axis', points: z.map((x): [number, number, number] => [1.9, 1.7, x]) }]
    return openScene({ ...file, receivers, paths: [] }, 'tunnel', '.')
  }
  const errors = (table: PropagationTable): number[] =>
    z.map((x, r) => Math.abs(table.gain(r, 0, 'vv') - reference.get(x)!))

  it('samples/tunnel.json is image theory to 0.1 dB up to its end, without a warning', async () => {
    const table = await solve(await tunnel())
    expect(Math.max(...errors(table))).toBeLessThan(0.1)
    expect(resultWarnings(table)).toEqual([])
  })

  it('with too few rays a warning says so, from where the curve is wrong on, and what to set', async () => {
    const table = await solve(withLimits(await tunnel(), { rays: 400_000 }))
    const [warning, ...others] = resultWarnings(table)
    expect(others).toEqual([])
    const [, count, from] = /^rays stand too far apart for (\d+) of 30 receivers, from (\d+) m on: .*; give --rays 1600000$/.exec(warning)! // prettier-ignore
    expect(Number(count)).toBeGreaterThan(12)
    errors(table).forEach((error, r) => {
      if (error > 0.5) expect(z[r]).toBeGreaterThanOrEqual(Number(from))
    })
    expect(Math.max(...errors(table))).toBeGreaterThan(1)
  })

  it('tells receivers inside buildings from those that no path is found to', async () => {
    const file = checkScene(
      {
        name: 'yard',
        frequency: 1e9,
        geometry: [
          { polygon: [[-50, -50, 0], [80, -50, 0], [80, 80, 0], [-50, 80, 0]], material: 'concrete' },
          { box: { min: [0, 0, 0], max: [20, 30, 15], without: ['-z'] }, material: 'brick' },
        ],
        transmitter: { position: [-20, 10, 5] },
        receivers: [{ name: 'p', points: [[-10, 10, 2], [10, 10, 2], [25, 15, 2], [5, 25, 14]] }],
        rays: 1000,
        maxReflections: 1,
      },
      'yard',
    ) // prettier-ignore
    const table = await solve(await openScene(file, 'yard', '.'))
    expect(Array.from(table.inside)).toEqual([0, 1, 0, 1])
    expect(resultWarnings(table)).toEqual([
      '2 of 4 receivers are inside buildings (-300 dB)',
      'no path found to 1 of 4 receivers (-300 dB)',
    ])
  })
})
