// Meshes as found on the web: what a direction costs with rays alone, with edges alone and with both, and the run's estimate.
//   npm run build && node dist/bench/found-meshes.js [--meshes found-a,found-b,found-c,FILE@20] [--freq 10e9] [--directions 120]
//     [--core-directions 12] [--second-order 0] [--device auto] [--threads N] [--edges-only]
// Meshes are the stand-ins of samples/models/found.ts by name, or files, FILE@20 scaled to a largest side of 20 m. Settings are the
// defaults but for second order, which is off, and measured on so many directions as --second-order says beside the same ones without.
// Every figure is per direction; all but the first run (the estimate's) are warm. "One core": processor time of the edges on the calling
// thread, mean over directions of the better of two rounds, the first direction left out. --edges-only needs no rays and no GPU.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEdgeScene, createEdgeEngine, SECOND_ORDER } from '../cpu-diffraction/index.js'
import { readMesh } from '../formats/index.js'
import type { SweepJob } from '../pipeline/index.js'
import { foundMesh, foundMeshes } from '../samples/models/found.js'
import { boundingBox, direction, facetCount, type Mesh } from '../scene/index.js'
import { enginesOf, measureRun, type Variant } from '../src/compare.js'
import { textTable, thousands } from '../src/compare-report.js'
import { estimateRun } from '../src/estimate.js'
import { type LoadedTarget, prepareRecipe, targetName } from '../src/loaded-target.js'
import { resolveSettings, type SolverSettings } from '../src/settings.js'
import { openEngines } from '../src/solver.js'

const { values } = parseArgs({
  options: {
    meshes: { type: 'string', default: Object.keys(foundMeshes).join(',') },
    freq: { type: 'string', default: '10e9' },
    directions: { type: 'string', default: '120' },
    'core-directions': { type: 'string', default: '12' },
    'second-order': { type: 'string', default: '0' },
    device: { type: 'string', default: 'auto' },
    threads: { type: 'string' },
    'edges-only': { type: 'boolean', default: false },
  },
})
const settings = (secondOrder: SolverSettings['secondOrder']) =>
  resolveSettings({
    device: values.device as SolverSettings['device'],
    workers: values.threads === undefined ? undefined : Number(values.threads),
    secondOrder,
  })
const FIRST_ORDER = settings([])
const band = { f0: Number(values.freq), df: 0, n: 1 }
const folder = mkdtempSync(join(tmpdir(), 'isar-bench-'))
const ms = (seconds: number): string => (1e3 * seconds).toFixed(1)
const mean = (list: number[]): number => list.reduce((a, b) => a + b, 0) / list.length

/** Directions all around, 10 degrees above the horizon, none along an axis. */
function sweep(count: number): SweepJob {
  const aspects = Array.from({ length: count }, (_, i) => {
    const d = direction(80, 7 + (360 * i) / count)
    return { tx: d, rx: d }
  })
  return { aspects, bands: [band], phaseCentre: [0, 0, 0] }
}

async function load(name: string): Promise<LoadedTarget> {
  if (Object.hasOwn(foundMeshes, name)) return prepared(name, foundMesh(foundMeshes[name]))
  const [path, side] = name.split('@')
  const mesh = await readMesh(path)
  const { min, max } = boundingBox(mesh)
  const scale = side === undefined ? 1 : Number(side) / Math.max(...[0, 1, 2].map((a) => max[a] - min[a]))
  return prepared(targetName(path), { ...mesh, positions: mesh.positions.map((x) => scale * x) })
}

const prepared = (name: string, mesh: Mesh): LoadedTarget =>
  prepareRecipe(name, '', { mesh, smoothAngleDeg: FIRST_ORDER.smoothAngleDeg })

/** The edges of a few directions on the calling thread [s], and their segments, per direction. */
async function onOneCore({
  target,
  scene,
}: LoadedTarget): Promise<Record<'edges' | 'seconds' | 'tried' | 'lit', number>> {
  const edgeScene = buildEdgeScene(target, FIRST_ORDER.maxWedgeAngleDeg, scene.origin)
  const engine = createEdgeEngine(edgeScene, scene, { workers: 0 })
  const { aspects } = sweep(Math.max(2, Number(values['core-directions'])))
  const best: number[] = aspects.map(() => Infinity)
  const counts = { tried: 0, lit: 0 }
  for (let round = 0; round < 2; round++)
    for (const [i, aspect] of aspects.entries()) {
      const before = process.cpuUsage()
      const result = await engine.field({ aspect, band, options: { diffraction: 'tw-ildc' } })
      const { user, system } = process.cpuUsage(before)
      best[i] = Math.min(best[i], (user + system) / 1e6)
      counts.tried += result.consideredSegments / (2 * aspects.length)
      counts.lit += result.visibleSegments / (2 * aspects.length)
    }
  await engine.close()
  return { edges: edgeScene.count, seconds: mean(best.slice(1)), ...counts }
}

/** Seconds of a sweep per direction, cold; then warm: both sides, each alone. */
async function sides(loaded: LoadedTarget, secondOrder: typeof FIRST_ORDER.secondOrder, count: number) {
  const engines = await openEngines(loaded, settings(secondOrder))
  const job = sweep(count)
  const run = async (variant: Variant): Promise<number> => {
    const measured = await measureRun(variant, enginesOf(variant, engines), job, folder, () => {})
    return measured.timing.total / count
  }
  const estimate =
    estimateRun(engines.scene, loaded.target.box, job, engines, engines.sbrWorkers).seconds / count
  const cold = await run('overlapped')
  const both = await run('overlapped')
  const edges = engines.edges ? await run('edges-alone') : 0
  const rays = await run('sbr-alone')
  const described = `${engines.facets.describe().text}, ${engines.edges?.engine.describe().threads ?? 0} threads for edges`
  await engines.close()
  return { estimate, cold, both, edges, rays, described }
}

const cores: string[][] = []
const rows: string[][] = []
const second: string[][] = []
let device = ''
try {
  for (const name of values.meshes.split(',')) {
    const loaded = await load(name)
    const core = await onOneCore(loaded)
    const counts = [loaded.name, thousands(facetCount(loaded.target)), thousands(core.edges)]
    cores.push([...counts, ms(core.seconds), thousands(core.tried), thousands(core.lit)])
    if (!values['edges-only']) {
      const { estimate, cold, both, edges, rays, described } = await sides(
        loaded,
        [],
        Number(values.directions),
      )
      device = described
      const ratio = (x: number): string => x.toFixed(2)
      rows.push([
        loaded.name,
        ...[rays, edges, both].map(ms),
        ratio(both / Math.max(rays, edges)),
        ratio(both / rays),
        ...[estimate, cold].map(ms),
        ratio(estimate / cold),
      ])
      const few = Number(values['second-order'])
      if (few > 0) {
        const off = await sides(loaded, [], few)
        const on = await sides(loaded, [...SECOND_ORDER], few)
        second.push([
          loaded.name,
          ms(off.both),
          ms(on.both),
          ratio(on.both / off.both),
          ms(on.estimate),
          ms(on.cold),
          ratio(on.estimate / on.cold),
        ])
      }
    }
    process.stderr.write(`${loaded.name} done\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${band.f0 / 1e9} GHz, theta 80, node ${process.version}, milliseconds per direction`)
console.log(`\nEdges alone on one core, ${values['core-directions']} directions`)
console.log(textTable(['mesh', 'facets', 'diffracting edges', 'one core', 'segments tried', 'lit'], cores))
if (rows.length > 0) {
  console.log(`${values.directions} directions, second order off; ${device}`)
  console.log(
    textTable(
      [
        'mesh',
        'rays',
        'edges',
        'both',
        'over the busier',
        'over rays',
        'estimate',
        'first run',
        'estimate over it',
      ],
      rows,
    ),
  )
}
if (second.length > 0) {
  console.log(`${values['second-order']} directions, second order off and on`)
  console.log(
    textTable(['mesh', 'off', 'on', 'on over off', 'estimate, on', 'first run', 'estimate over it'], second),
  )
}
process.exit(0)
