// SBR on the GPU: tubes per second, tube-frequencies per second and milliseconds per aspect, and the start-up time
// up to the first kernel by steps.
//   npm run build && node dist/reproduction/sbr.js [mesh] [--f0 9.25e9] [--f1 10.75e9] [--n 128] [--theta 80] [--aspects 9] [--sub-grid 2048] [--bounces 5] [--subdivide 2] [--traversal auto]
import { type AspectResult } from '../rays/index.js'
import { direction, highestFrequency } from '../scene/index.js'
import { argumentsOf, median, tableOf } from './kit.js'

const marks: [string, number][] = [['modules of Node', performance.now()]]
const mark = (what: string): number => marks.push([what, performance.now()])

const { values, words } = argumentsOf({
  f0: 9.25e9,
  f1: 10.75e9,
  n: 128,
  theta: 80,
  aspects: 9,
  'sub-grid': 2048,
  bounces: 5,
  subdivide: 2,
  traversal: 'auto',
})
const { f0, f1, n, theta, aspects } = values
const band = { f0, df: n > 1 ? (f1 - f0) / (n - 1) : 0, n }
const options = { raysPerWavelength: 10, maxBounces: values.bounces, subdivisions: values.subdivide }
const { prepareBeside, startTargetThread } = await import('../run/target-thread.js')
startTargetThread()
await import('../src/cli/render.js')
mark('modules of isar')
const path = words[0] ?? 'samples/aircraft-a.stl'
const beside = prepareBeside({ path, units: 'm', smoothAngleDeg: 20, cache: null }, false)
const context = await beside?.gpu
if (!beside || !context || context instanceof Error) throw new Error('no GPU here')
mark('GPU device')
const { GpuSbrEngine, warmKernels } = await import('../gpu/index.js')
void warmKernels(context.device, options, n, false)
const loaded = await beside.loaded
mark('target, prepared beside both')
const engine = new GpuSbrEngine(context, loaded.scene, loaded.target.area, {
  subGrid: values['sub-grid'],
  traversal: values.traversal as 'auto' | 'lists' | 'stack' | 'ropes',
})
mark('scene on the GPU')
const run = (phi: number): Promise<AspectResult> => {
  const d = direction(theta, phi)
  return engine.field({ aspect: { tx: d, rx: d }, band, options })
}
await run(0)
mark('kernels compiled, first aspect')

const single: AspectResult[] = []
for (let i = 0; i < aspects; i++) single.push(await run(0.1 * i))
const start = performance.now()
let next = 0
const lane = async (): Promise<void> => {
  while (next < 3 * aspects) await run(0.1 * next++)
}
await Promise.all([lane(), lane(), lane()])
const overlapped = (performance.now() - start) / (3 * aspects)

const { tubes, leaves, contributions } = single[0].statistics
const middle = (pick: (r: AspectResult) => number): number => median(single.map(pick))
const trace = middle((r) => r.times.trace)
const field = middle((r) => r.times.field)
const fixed = (x: number, d = 2): string => x.toFixed(d)
console.log(`device   ${engine.describe().text}, node ${process.version}`)
console.log(
  `case     ${loaded.name}, ${loaded.scene.count} facets, ${fixed(highestFrequency(band) / 1e9)} GHz, ${n} frequencies, theta ${theta}, sub-grid ${values['sub-grid']}, ${values.bounces} bounces, ${values.subdivide} subdivisions`,
)
console.log(`tubes    ${tubes}, leaves ${leaves}, contributions ${contributions} (first aspect)`)
console.log(
  tableOf(
    [`median of ${aspects} aspects`, ''],
    [
      ['tracing [ms]', fixed(1e3 * trace)],
      ['field kernels [ms]', fixed(1e3 * field)],
      ['reduction [ms]', fixed(1e3 * middle((r) => r.times.reduction))],
      ['wall time of one aspect alone [ms]', fixed(1e3 * middle((r) => r.times.total))],
      ['wall time per aspect, three in flight [ms]', fixed(overlapped)],
      ['tubes traced [G/s]', fixed(tubes / trace / 1e9)],
      ['tubes x frequencies [G/s]', fixed((tubes * n) / field / 1e9)],
      ['contributions x frequencies [G/s]', fixed((contributions * n) / field / 1e9)],
      ['from the start of the command to', '[s]'],
      ...marks.map(([what, at]) => [what, fixed(at / 1e3, 3)]),
    ],
  ),
)
process.exit(0)
