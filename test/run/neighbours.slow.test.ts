import { describe, expect, it } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import {
  buildEdgeScene,
  createEdgeEngine,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { models } from '../../samples/models/index.js'
import { type Engines, memoryRows, rowField, runSweep, type SweepJob } from '../../run/sweep/index.js'
import { direction, distinctFrequencies, uniformBands, type Mesh } from '../../scene/index.js'
import { FAST, fastJob } from '../../run/sweep-job.js'
import { Hooks } from '../../run/job.js'
import { computeRcs } from '../../run/rcs.js'
import { channelMatrix } from '../../formats/rcs-table.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings, type SolverSettings } from '../../run/settings/settings.js'
import { ogive, dihedral, grid, regularPrism } from '../cpu-diffraction/meshes.js'
import { testScene, peakDifference } from '../helpers/sbr.js'
import { moved } from '../scene/shapes.js'

/** Differences in parts of the peak of the field, or of a mechanism's part of it. */
const LIMIT = 1e-4

const MESHES: Record<string, Mesh> = {
  dihedral: dihedral(),
  sheet: grid(1, 1),
  cylinder: regularPrism(24, 1, 0.3),
  ogive: ogive(24, 48),
  missile: models.missile.make(),
  raised: moved(regularPrism(6, 0.5, 0.3), [0, 0, 0.7]),
}

/** Mesh, frequency that is asked for in each list [GHz], and options. */
type Row = [what: string, mesh: keyof typeof MESHES, ghz: number, options: SolverSettings]

/** Where the dihedral has none, or little. */
const MESH_OF: Partial<Record<SecondOrder, keyof typeof MESHES>> = {
  'edge-wave': 'sheet',
  corner: 'sheet',
  travelling: 'ogive',
  creeping: 'cylinder',
}
const second = (name: SecondOrder): SolverSettings => ({ secondOrder: [name] })
/** One row for each mechanism of edges, and for methods and options that they and rays go through. */
const ROWS: Row[] = [
  ['rays', 'dihedral', 1.5, { diffraction: 'none' }],
  ['rays of a curved body', 'missile', 1, { diffraction: 'none' }],
  ['rays, exit', 'dihedral', 1.5, { formulation: 'exit', diffraction: 'none' }],
  ['first order', 'dihedral', 0.6, { secondOrder: [] }],
  ['first order of curved bodies', 'missile', 1.5, { secondOrder: [] }],
  ['first order, eec', 'dihedral', 0.6, { diffraction: 'eec' }],
  ['first order, tw-ildc-j', 'cylinder', 0.6, { diffraction: 'tw-ildc-j' }],
  ...SECOND_ORDER.map((name): Row => {
    const mesh = MESH_OF[name] ?? 'dihedral'
    return [name, mesh, 0.6, second(name)]
  }),
  ['wall and double with reflected', 'dihedral', 0.6, { secondOrder: ['reflected', 'wall', 'double'] }],
  ['all mechanisms', 'missile', 1, {}],
  ['--ground', 'raised', 0.6, { ground: 'pec' }],
  ['--material', 'dihedral', 0.6, { material: ['magnetic-absorber'] }],
  ['rays, --material', 'missile', 1, { material: ['magnetic-absorber'], diffraction: 'none' }],
  ['--curved', 'missile', 1, { curvedDeg: 20, diffraction: 'none' }],
  ['--curved, edges', 'cylinder', 0.6, { curvedDeg: 20 }],
  ['--curved, --method gpueco', 'cylinder', 0.6, { curvedDeg: 20, method: 'gpueco' }],
  ['--method gpueco', 'dihedral', 0.6, { method: 'gpueco' }],
]

/** Lists with a frequency in them, and others. */
const LISTS: [string, (f: number) => number[]][] = [
  ['beside a higher one', (f) => [f, 2.4 * f]],
  ['above a lower one, which comes last', (f) => [f, f / 2.6]],
  ['last of 7', (f) => Array.from({ length: 7 }, (_, i) => f * (1 + 0.03 * (i - 6)))],
  ['first of 7', (f) => Array.from({ length: 7 }, (_, i) => f * (1 + 0.03 * i))],
  ['in the middle of 64', (f) => Array.from({ length: 64 }, (_, i) => f * (1 + 0.01 * (i - 31)))],
  ['in a list of unequal steps', (f) => [2.1 * f, f, 1.3 * f]],
]

const THETA = [58, 71]
const PHI = [17]

/** Fields by channel and mechanism, [frequency][direction], of the grid of these angles. */
async function fields(
  mesh: Mesh,
  freqHz: number[],
  theta: number[],
  phi: number[],
  options: SolverSettings,
  rx?: { theta: number[]; phi: number[] },
): Promise<Map<string, Float64Array>> {
  const mechanisms = options.method !== 'gpueco'
  const settings = { ...resolveSettings({ device: 'cpu', mechanisms, ...options }), workers: 0 }
  const source = { positions: mesh.positions, indices: mesh.triangles }
  const hooks = new Hooks({})
  const request = { freqHz, tx: { theta, phi }, rx }
  const { table, closed } = await computeRcs(source, request, settings, { store: memoryStore, hooks })
  await closed
  const out = new Map<string, Float64Array>()
  for (const [mechanism, rows] of Object.entries(table.fields))
    for (const channel of table.channels)
      out.set(`${channel} ${mechanism}`, channelMatrix(rows, freqHz.length, channel))
  return out
}

describe('a datum does not depend on its neighbours', () => {
  it.each(ROWS)('%s', async (_, mesh, ghz, options) => {
    const f = ghz * 1e9
    const alone = await fields(MESHES[mesh], [f], THETA, PHI, options)
    expect(alone.size).toBeGreaterThan(3)
    // Each row has what it is about.
    for (const name of options.secondOrder ?? [])
      expect(Math.max(...alone.get(`vv ${name}`)!.map(Math.abs)), name).toBeGreaterThan(1e-6)
    // One of the aspects, by itself, in lists of frequencies and for one channel.
    const of = (part: string): Float64Array => alone.get(part)!.subarray(2, 4)
    for (const [list, frequencies] of LISTS) {
      const freqHz = frequencies(f)
      const at = freqHz.findIndex((x) => Math.abs(x - f) < 1e-9 * f)
      const others = await fields(MESHES[mesh], freqHz, [THETA[1]], PHI, options)
      expect(others.size).toBe(alone.size)
      for (const [part, field] of others)
        expect(peakDifference(of(part), field.subarray(2 * at, 2 * at + 2)), `${list}, ${part}`).toBeLessThan(
          LIMIT,
        )
    }
    const one = await fields(MESHES[mesh], [f], [THETA[1]], PHI, { ...options, channels: ['hv'] })
    for (const [part, field] of one)
      expect(peakDifference(field, of(part)), `one aspect, ${part}`).toBeLessThan(LIMIT)
  })

  it.each([{}, { curvedDeg: 20 }])(
    'bistatic fields with edges, the mean of both ways: %o',
    async (options) => {
      const rx = { theta: [40], phi: [110] }
      const f = 0.6e9
      const alone = await fields(MESHES.cylinder, [f], [58], [17], options, rx)
      const beside = await fields(MESHES.cylinder, [f, 8.1 * f], [58], [17], options, rx)
      for (const [part, field] of alone)
        expect(peakDifference(field, beside.get(part)!.subarray(0, 2)), part).toBeLessThan(LIMIT)
    },
  )

  // Aspects have the amplitudes of their group's reference aspect (docs/limits.md): one group.
  it.each(['rays', 'edges'])('--fast: %s of the same reference aspect', async (side) => {
    const { scene, target } = testScene(MESHES.missile, 20)
    const { sbr, schedule } = resolveSettings({ ...FAST, frequencyTolerance: 1e-5 })
    const facets = createCpuEngine(scene, target.area, 0)
    const engine = createEdgeEngine(buildEdgeScene(target, 160, scene.origin), scene, { workers: 0 })
    const edges = side === 'edges' ? { engine, options: { diffraction: 'tw-ildc' as const } } : undefined
    const engines: Engines = { facets, options: sbr, edges, mechanisms: false, schedule }
    const aspects = [0, 1, 2].map((i) => direction(THETA[1], PHI[0] + 0.2 * i))
    const solved = async (freqHz: number[]): Promise<Float64Array[]> => {
      const bands = uniformBands(freqHz)
      const job: SweepJob = { aspects: aspects.map((d) => ({ tx: d, rx: d })), bands, phaseCentre: [0, 0, 0] }
      const store = memoryRows()
      await runSweep(engines, fastJob(1, job, scene), store, () => {})
      return aspects.map((_, i) => rowField(job, store.rows.get(i)!))
    }
    const f = 3e9
    const alone = await solved([f])
    for (const field of alone) expect(Math.hypot(...field)).toBeGreaterThan(1e-3)
    for (const [list, of] of LISTS) {
      const freqHz = of(f)
      const at = distinctFrequencies(freqHz).findIndex((x) => Math.abs(x - f) < 1e-9 * f)
      const others = await solved(freqHz)
      alone.forEach((field, i) =>
        expect(peakDifference(field, others[i].subarray(8 * at, 8 * at + 8)), list).toBeLessThan(LIMIT),
      )
    }
  })
})
