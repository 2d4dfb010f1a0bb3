// The tables of paper 002 (Liu, Zhang and Zhao: SBR with a BVH on a GPU), its section 3: one aspect by brute force and with a BVH, on one
// core and on the GPU; then whole cuts. Brute force tests every facet, and its fields are compared with those of the BVH bit by bit.
//   npm run docs -- paper-002, or node dist/reproduction/paper-002.js [--out docs/tables/paper-002.md] [--no-gpu] [--step 1]
// Two minutes with a GPU. --step: degrees between the aspects of a cut; the paper does not state it.
import { renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { type GpuContext, GpuSbrEngine } from '../gpu/index.js'
import {
  type AspectResult,
  CHANNELS,
  jobAperture,
  type RayScene,
  type SbrJob,
  TILE,
  type TileRange,
  withoutLists,
} from '../rays/index.js'
import { direction } from '../scene/index.js'
import { type LoadedTarget, loadTarget } from '../run/loaded-target.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { bruteForce } from './brute-force.js'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    'no-gpu': { type: 'boolean', default: false },
    step: { type: 'string', default: '1' },
  },
})

const PAPER_BOUNCES = 3
/** Tubes of an aspect that one core traces: strips of tiles distributed over the aperture, extrapolated to the whole. */
const CPU_TUBES = { brute: 1e5, bvh: 1e6 }
const STRIP_TILES = 8
const STRIP_TUBES = STRIP_TILES * TILE * TILE
/** Aspects of a cut in flight on the GPU. */
const IN_FLIGHT = 4

type Angles = [theta: number, phi: number]
const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step)

/** Tables 1 and 2 of the paper: mean over the cut of its figure 6 (here every 15 degrees), one aspect. */
const ASPECTS: { mesh: string; hz: number; at: Angles[]; paper: [brute: string, bvh: string] }[] = [
  { mesh: 'ship-1m', hz: 5e9, at: range(-90, 225, 15).map((theta) => [theta, 0]), paper: ['198', '10'] },
  { mesh: 'deckhouse', hz: 3e9, at: [[45, 0]], paper: ['–', '46'] },
]

const step = Number(values.step)
/** Figures 4, 6 and 8. */
const CUTS: { mesh: string; hz: number; what: string; at: Angles[]; paper?: string }[] = [
  { mesh: 'trihedral-square', hz: 3e9, what: 'θ 45°, φ 0° to 90°', at: range(0, 90, step).map((phi) => [45, phi]) },
  { mesh: 'trihedral-square', hz: 3e9, what: 'φ 45°, θ 0° to 90°', at: range(0, 90, step).map((theta) => [theta, 45]) },
  { mesh: 'ship-1m', hz: 5e9, what: 'φ 0°, θ −90° to 225°', at: range(-90, 225, step).map((theta) => [theta, 0]) },
  { mesh: 'deckhouse', hz: 3e9, what: 'φ 0°, θ −90° to 90°', at: range(-90, 90, step).map((theta) => [theta, 0]), paper: '786 (both)' },
  { mesh: 'deckhouse', hz: 3e9, what: 'θ 45°, φ −180° to 180°', at: range(-180, 180, step).map((phi) => [45, phi]), paper: '786 (both)' },
] // prettier-ignore

function jobAt([theta, phi]: Angles, hz: number): SbrJob {
  const d = direction(theta, phi)
  return {
    aspect: { tx: d, rx: d },
    band: { f0: hz, df: 0, n: 1 },
    options: { raysPerWavelength: 10, maxBounces: PAPER_BOUNCES, subdivisions: 0, formulation: 'exit' },
  }
}

/** Strips of an aperture of about `tubes` tubes, spread evenly over it, and their share of the whole. */
function sampleStrips(scene: RayScene, job: SbrJob, tubes: number): { strips: TileRange[]; share: number } {
  const { tileI0, tileJ0, tilesI, tilesJ } = jobAperture(scene, job)
  const perRow = Math.ceil(tilesI / STRIP_TILES)
  const all = perRow * tilesJ
  const count = Math.min(all, Math.ceil(tubes / STRIP_TUBES))
  // Multiples of the golden ratio are evenly distributed for any count, without aliasing with the rows.
  const numbers = new Set(
    range(1, count, 1).map((n) => (count === all ? n - 1 : Math.floor(((n * 0.6180339887498949) % 1) * all))),
  )
  const strips = [...numbers].map((n): TileRange => {
    const i = STRIP_TILES * (n % perRow)
    const ni = Math.min(STRIP_TILES, tilesI - i)
    return { i0: tileI0 + i, j0: tileJ0 + Math.floor(n / perRow), ni, nj: 1 }
  })
  return { strips, share: strips.reduce((sum, { ni }) => sum + ni, 0) / (tilesI * tilesJ) }
}

/** Seconds of an aspect on one core from some strips of it, and the strips' sums. */
async function onOneCore(scene: RayScene, area: number, job: SbrJob, tubes: number) {
  const engine = createCpuEngine(scene, area, 0)
  const { strips, share } = sampleStrips(scene, job, tubes)
  await engine.field({ ...job, tiles: strips[strips.length >> 1] })
  const totals: AspectResult['totals'][] = []
  const start = performance.now()
  for (const tiles of strips) totals.push((await engine.field({ ...job, tiles })).totals)
  return { seconds: (performance.now() - start) / 1000 / share, totals }
}

async function onGpu(engine: GpuSbrEngine, job: SbrJob) {
  const start = performance.now()
  const { field, statistics } = await engine.field(job)
  return { seconds: (performance.now() - start) / 1000, field, statistics }
}

/** @throws Error where brute force and BVH differ in any bit */
function checkSame(what: string, a: ArrayLike<unknown>, b: ArrayLike<unknown>): void {
  if (a.length === 0 || !Array.from(a).every((x, i) => x === b[i]))
    throw new Error(`${what}: brute force and BVH gave different fields`)
}

/** One row of the table of aspects: mean seconds of every method. */
async function aspectRow(context: GpuContext | null, row: (typeof ASPECTS)[0]): Promise<string> {
  const { scene, target } = await load(row.mesh)
  const allFacets = bruteForce(scene)
  const stack = withoutLists(scene)
  const engine = (rays: RayScene, traversal: 'ropes' | 'lists') =>
    context && new GpuSbrEngine(context, rays, target.area, { subGrid: 2048, traversal })
  const gpu = [engine(allFacets, 'ropes'), engine(scene, 'ropes'), engine(scene, 'lists')]
  const seconds: number[][] = []
  let tubes = 0
  for (const at of row.at) {
    const job = jobAt(at, row.hz)
    const brute = await onOneCore(allFacets, target.area, job, CPU_TUBES.brute)
    const same = await onOneCore(stack, target.area, job, CPU_TUBES.brute)
    brute.totals.forEach((sums, i) => checkSame(`${row.mesh} ${at.join()}, CPU`, sums!, same.totals[i]!))
    const cpu = [
      brute.seconds,
      (await onOneCore(stack, target.area, job, CPU_TUBES.bvh)).seconds,
      (await onOneCore(scene, target.area, job, CPU_TUBES.bvh)).seconds,
    ]
    const runs = []
    for (const e of gpu) {
      if (!e) continue
      // The first run of the fast methods is a warm-up; brute force takes seconds, so only compilation is excluded.
      await (e === gpu[0] ? e.field({ ...job, tiles: sampleStrips(scene, job, 1).strips[0] }) : onGpu(e, job))
      runs.push(await onGpu(e, job))
    }
    for (const run of runs) checkSame(`${row.mesh} ${at.join()}, GPU`, runs[0].field, run.field)
    tubes += jobTubes(scene, job) / row.at.length
    seconds.push([...cpu, ...runs.map((run) => run.seconds)])
  }
  const mean = (k: number): number => seconds.reduce((sum, s) => sum + s[k], 0) / seconds.length
  const cells = range(0, 5, 1).map((k) => (k < seconds[0].length ? figure(mean(k)) : '–'))
  const ratio = (k: number, of: number): string => (context ? figure(mean(k) / mean(of)) : '–')
  return `| ${[row.mesh, scene.count, row.at.length, millions(tubes), ...cells, ratio(0, 4), row.paper[0], ratio(1, 4), row.paper[1], ratio(3, 4)].join(' | ')} |`
}

/** Amplitudes of all aspects of a cut, a few in flight. */
async function alongCut(engine: GpuSbrEngine, jobs: SbrJob[]): Promise<Float64Array[]> {
  const fields: Float64Array[] = []
  for (let i = 0; i < jobs.length; i += IN_FLIGHT)
    fields.push(
      ...(await Promise.all(jobs.slice(i, i + IN_FLIGHT).map((job) => engine.field(job)))).map(
        (r) => r.field,
      ),
    )
  return fields
}

/** One row of the table of cuts: seconds of the whole cut on the GPU, and the change by bounces after the first (physical optics). */
async function cutRow(
  context: GpuContext,
  { mesh, hz, what, at, paper = '–' }: (typeof CUTS)[0],
): Promise<string> {
  const { scene, target } = await load(mesh)
  const jobs = at.map((angles) => jobAt(angles, hz))
  const cells: string[] = []
  const cuts: Float64Array[][] = []
  const engines = (['ropes', 'lists'] as const).map(
    (traversal) => new GpuSbrEngine(context, scene, target.area, { subGrid: 2048, traversal }),
  )
  for (const engine of engines) {
    await engine.field(jobs[0])
    const start = performance.now()
    cuts.push(await alongCut(engine, jobs))
    const seconds = (performance.now() - start) / 1000
    cells.push(figure(seconds), figure((1000 * seconds) / jobs.length))
  }
  const off = cuts[0].map((field, i) => relativeDifference(cuts[1][i], field)).filter((x) => x > 0)
  const differing = off.length > 0 ? `${off.length}, ${Math.max(...off).toExponential(0)}` : '0'
  const oneBounce = jobs.map((job) => ({ ...job, options: { ...job.options, maxBounces: 1 } }))
  const po = (await alongCut(engines[1], oneBounce)).map(levelHh)
  const levels = cuts[1].map(levelHh)
  const changes = levels.map((level, i) => Math.abs(level - po[i])).toSorted((a, b) => a - b)
  const quantile = (q: number): string => changes[Math.floor(q * (changes.length - 1))].toFixed(1)
  const tubes = jobs.map((job) => jobTubes(scene, job))
  const most = `${millions(Math.min(...tubes))} to ${millions(Math.max(...tubes))}`
  const fields = [Math.max(...levels).toFixed(1), quantile(0.5), quantile(0.9)]
  return `| ${[mesh, `${hz / 1e9} GHz`, what, at.length, most, ...cells, differing, paper, ...fields].join(' | ')} |`
}

/** ||a - b|| / ||b||. */
function relativeDifference(a: Float64Array, b: Float64Array): number {
  const norm = (of: (i: number) => number): number => Math.hypot(...Array.from(b, (_, i) => of(i)))
  return norm((i) => a[i] - b[i]) / norm((i) => b[i])
}

/** sigma in HH [dBsm]; -300 where there is none. */
function levelHh(field: Float64Array): number {
  const at = 2 * CHANNELS.indexOf('hh')
  return Math.max(-300, 10 * Math.log10(4 * Math.PI * (field[at] ** 2 + field[at + 1] ** 2)))
}

const loaded = new Map<string, Promise<LoadedTarget>>()
function load(mesh: string): Promise<LoadedTarget> {
  if (!loaded.has(mesh)) loaded.set(mesh, loadTarget(`samples/${mesh}.stl`, 'm', 20))
  return loaded.get(mesh)!
}

function jobTubes(scene: RayScene, job: SbrJob): number {
  const { tilesI, tilesJ } = jobAperture(scene, job)
  return tilesI * tilesJ * TILE * TILE
}

const figure = (x: number): string => (x >= 100 ? x.toFixed(0) : x.toPrecision(3))
const millions = (tubes: number): string => `${(tubes / 1e6).toPrecision(3)} M`
const head = (cells: string[], text = 1): string =>
  `| ${cells.join(' | ')} |\n| ${cells.map((_, i) => (i < text ? '---' : '---:')).join(' | ')} |`

const context = values['no-gpu'] ? null : await openNodeGpu(true)
if (!context && !values['no-gpu']) throw new Error('no hardware GPU found; --no-gpu omits its columns')
const aspects: string[] = []
for (const row of ASPECTS) aspects.push(await aspectRow(context, row))
const cuts: string[] = []
if (context) for (const cut of CUTS) cuts.push(await cutRow(context, cut))

const page = `# Brute force and BVH: the tables of paper 002

Device: ${context?.name ?? 'no GPU'}.

Paper 002 (Liu, Zhang and Zhao) traces the tubes of SBR on a GPU with a BVH, and compares: SBR without a BVH on one core ("brute force"), with it on
one core, with it on the GPU (Core i5, GTX 650 of 384 cores). As in the paper: 10 tubes per wavelength, ${PAPER_BOUNCES} bounces, fields of the exit polygon,
no tube subdivided; single precision on the GPU, double precision on the CPU. The targets are original, with the paper's sizes ([samples](../../samples/README.md)).

- _Brute force_: every ray is tested against all facets (\`reproduction/brute-force.ts\`). Its fields are those of the BVH to the last bit; the command checks this as it
  measures, and \`test/gpu/brute-force.test.ts\` and \`test/cpu-sbr/brute-force.test.ts\` on whole aspects.
- _BVH_: every ray searches the BVH, on the CPU with a stack, on the GPU along ropes, as in the paper. _Default_: candidate lists ([ray engine](../ray-engine.md)).
- No column of the GPU launches rays of tiles (16 × 16 tubes) without a facet in front, and neither does the CPU's default. Brute force and BVH on the CPU launch all.
- CPU times are extrapolated from strips distributed over the aperture: ${CPU_TUBES.brute / 1e6} M tubes by brute force, ${CPU_TUBES.bvh / 1e6} M otherwise, or all where there are fewer.

## One aspect

Seconds per aspect, mean over the aspects of the row: the ship every 15° of the cut φ 0°, θ −90° to 225° (Table 1), the deckhouse at θ 45°, φ 0° (Table 2). Ratios: times of the
GPU's BVH column, and the paper's.

${head(['target', 'facets', 'aspects', 'tubes', 'CPU brute force', 'CPU BVH', 'CPU default', 'GPU brute force', 'GPU BVH', 'GPU default', 'CPU brute : GPU', 'paper', 'CPU BVH : GPU', 'paper', 'GPU brute : BVH'])}
${aspects.join('\n')}

## Cuts

Whole cuts on the GPU, an aspect every ${step}° (the paper does not state its step); seconds in all, and milliseconds per aspect. For the deckhouse's two cuts the
paper states 786 s, and more than a day by brute force. HH: the largest level, and the difference between ${PAPER_BOUNCES} bounces and one (physical optics, the black line of the paper's
figure 8): median and 90 % of the aspects. _Fields that differ_: aspects whose field by candidate lists is not that of the BVH to the
last bit, and by how much of its norm (a ray near an edge that the lists assign to the neighbouring facet: [limits](../limits.md)).

${head(['target', 'frequency', 'cut', 'aspects', 'tubes per aspect', 'BVH [s]', '[ms]', 'default [s]', '[ms]', 'fields that differ', 'paper [s]', 'HH, most [dBsm]', 'differs by [dB]', '90 % [dB]'], 3)}
${context ? cuts.join('\n') : '| not measured: no GPU on this machine | – | – | – | – | – | – | – | – | – | – | – | – | – |'}
`
if (values.out) {
  writeFileSync(`${values.out}.tmp`, page)
  renameSync(`${values.out}.tmp`, values.out)
} else console.log(page)
process.exit(0)
