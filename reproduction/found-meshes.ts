// Meshes as found on the web: what a direction costs with rays alone, with edges alone and with both.
//   npm run build && node dist/reproduction/found-meshes.js [--meshes found-a,found-b,found-c,FILE@20] [--freq 10e9] [--directions 120]
//     [--core-directions 12] [--second-order 0] [--device auto] [--threads N] [--edges-only]
// Meshes are the stand-ins of samples/models/found.ts and the models of samples/ by name, or files, FILE@20 scaled to a largest side of
// 20 m; at 10 GHz, models at the frequency they are meant for, unless --freq says otherwise. Settings are the
// defaults but for second order, which is off, and measured on so many directions as --second-order says beside the same ones without.
// Every figure is per direction, warm. "One core": processor time of the edges on the calling
// thread, mean over directions of the better of two rounds, the first direction left out. --edges-only needs no rays and no GPU.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEdgeScene, createEdgeEngine, SECOND_ORDER } from '../cpu-diffraction/index.js'
import { foundMeshes } from '../samples/models/found.js'
import { type Band, facetCount } from '../scene/index.js'
import { enginesOf, measureRun, textTable, thousands, type Variant } from '../src/compare.js'
import { resolveSettings, type SolverSettings } from '../run/settings/settings.js'
import { openEngines } from '../run/solver.js'
import { allAround, type MeshCase, meshCase } from './mesh-cases.js'

const { values } = parseArgs({
  options: {
    meshes: { type: 'string', default: Object.keys(foundMeshes).join(',') },
    freq: { type: 'string' },
    directions: { type: 'string', default: '120' },
    'core-directions': { type: 'string', default: '12' },
    'second-order': { type: 'string', default: '0' },
    device: { type: 'string', default: 'auto' },
    threads: { type: 'string' },
    'edges-only': { type: 'boolean', default: false },
  },
})
type Mechanisms = NonNullable<SolverSettings['secondOrder']>
const settings = (secondOrder: Mechanisms) =>
  resolveSettings({
    device: values.device as SolverSettings['device'],
    workers: values.threads === undefined ? undefined : Number(values.threads),
    secondOrder,
  })
const FIRST_ORDER = settings([])
const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-'))
const ms = (seconds: number): string => (1e3 * seconds).toFixed(1)
const ratio = (x: number): string => x.toFixed(2)
const oneFrequency = (f0: number): Band => ({ f0, df: 0, n: 1 })
const mean = (list: number[]): number => list.reduce((a, b) => a + b, 0) / list.length

/** The edges of a few directions on the calling thread: a row of the table. */
async function coreRow({ mesh, freqHz }: MeshCase): Promise<string[]> {
  const { target, scene, name } = mesh
  const edgeScene = buildEdgeScene(target, FIRST_ORDER.maxWedgeAngleDeg, scene.origin)
  const engine = createEdgeEngine(edgeScene, scene, { workers: 0 })
  const { aspects, bands } = allAround(Math.max(2, Number(values['core-directions'])), oneFrequency(freqHz))
  const best: number[] = aspects.map(() => Infinity)
  const counts = { tried: 0, lit: 0 }
  for (let round = 0; round < 2; round++)
    for (const [i, aspect] of aspects.entries()) {
      const before = process.cpuUsage()
      const result = await engine.field({ aspect, band: bands[0], options: { diffraction: 'tw-ildc' } })
      const { user, system } = process.cpuUsage(before)
      best[i] = Math.min(best[i], (user + system) / 1e6)
      counts.tried += result.consideredSegments / (2 * aspects.length)
      counts.lit += result.visibleSegments / (2 * aspects.length)
    }
  await engine.close()
  return [
    name,
    ...[facetCount(target), edgeScene.count].map(thousands),
    ms(mean(best.slice(1))),
    ...[counts.tried, counts.lit].map(thousands),
  ]
}

/** Seconds of a sweep per direction, warm: both sides, each alone. */
async function sides({ mesh, freqHz }: MeshCase, secondOrder: Mechanisms, count: number) {
  const engines = await openEngines(mesh, settings(secondOrder))
  const job = allAround(count, oneFrequency(freqHz))
  const measure = async (variant: Variant): Promise<number> => {
    const { timing } = await measureRun(variant, enginesOf(variant, engines), job, folder, () => {})
    return timing.total / count
  }
  await measure('overlapped')
  const both = await measure('overlapped')
  const edges = engines.edges ? await measure('edges-alone') : 0
  const rays = await measure('sbr-alone')
  const { text } = engines.facets.describe()
  const device = `${text}, ${engines.edges?.engine.describe().threads ?? 0} threads for edges`
  await engines.close()
  return { both, edges, rays, device }
}

const rows: Record<'cores' | 'sides' | 'second', string[][]> = { cores: [], sides: [], second: [] }
const directions = values['edges-only'] ? 0 : Number(values.directions)
const few = Number(values['second-order'])
let described = ''
try {
  for (const name of values.meshes.split(',')) {
    const freqHz = values.freq === undefined ? undefined : Number(values.freq)
    const one = await meshCase(name, FIRST_ORDER.smoothAngleDeg, freqHz)
    if (directions > 0) {
      const { both, edges, rays, device } = await sides(one, [], directions)
      described = device
      const times = [rays, edges, both].map(ms)
      rows.sides.push([name, ...times, ratio(both / Math.max(rays, edges)), ratio(both / rays)])
    }
    if (few > 0) {
      const [off, on] = [await sides(one, [], few), await sides(one, [...SECOND_ORDER], few)]
      rows.second.push([name, ms(off.both), ms(on.both), ratio(on.both / off.both)])
    }
    rows.cores.push(await coreRow(one))
    process.stderr.write(`${name} done\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const print = (title: string, head: string[], table: string[][]): void => {
  if (table.length > 0) console.log(`${title}\n${textTable(head, table)}`)
}
print(
  `Edges alone on one core, ${values['core-directions']} directions, ms per direction`,
  ['mesh', 'facets', 'diffracting edges', 'one core', 'segments tried', 'lit'],
  rows.cores,
)
print(
  `${directions} directions, ms per direction, second order off; ${described}`,
  ['mesh', 'rays', 'edges', 'both', 'over the busier', 'over rays'],
  rows.sides,
)
print(`${few} directions, second order, ms per direction`, ['mesh', 'off', 'on', 'on over off'], rows.second)
process.exit(0)
