// SBR on the GPU: tubes per second, tube-frequencies per second and milliseconds per aspect, and the start-up time
// up to the first kernel by steps.
//   npm run build && node dist/reproduction/sbr.js [mesh] [--f0 9.25e9] [--f1 10.75e9] [--n 128] [--theta 80] [--aspects 9] [--sub-grid 2048] [--bounces 5] [--subdivide 2] [--traversal auto]
import { parseArgs } from 'node:util'
import { type AspectResult } from '../rays/index.js'
import { direction, highestFrequency } from '../scene/index.js'

const marks: [string, number][] = [['modules of Node', performance.now()]]
const mark = (what: string): number => marks.push([what, performance.now()])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    f0: { type: 'string', default: '9.25e9' },
    f1: { type: 'string', default: '10.75e9' },
    n: { type: 'string', default: '128' },
    theta: { type: 'string', default: '80' },
    aspects: { type: 'string', default: '9' },
    'sub-grid': { type: 'string', default: '2048' },
    bounces: { type: 'string', default: '5' },
    subdivide: { type: 'string', default: '2' },
    traversal: { type: 'string', default: 'auto' },
  },
})
const [f0, f1, n] = [Number(values.f0), Number(values.f1), Number(values.n)]
const band = { f0, df: n > 1 ? (f1 - f0) / (n - 1) : 0, n }
const options = {
  raysPerWavelength: 10,
  maxBounces: Number(values.bounces),
  subdivisions: Number(values.subdivide),
} as const
const { prepareBeside, startTargetThread } = await import('../run/target-thread.js')
startTargetThread()
await import('../src/cli/render.js')
mark('modules of isar')
const path = positionals[0] ?? 'samples/aircraft-a.stl'
const beside = prepareBeside({ path, units: 'm', smoothAngleDeg: 20, cache: null }, false)
const context = await beside?.gpu
if (!beside || !context || context instanceof Error) throw new Error('no GPU here')
mark('GPU device')
const { GpuSbrEngine, warmKernels } = await import('../gpu/index.js')
void warmKernels(context.device, options, n, false)
const loaded = await beside.loaded
mark('target, prepared beside both')
const engine = new GpuSbrEngine(context, loaded.scene, loaded.target.area, {
  subGrid: Number(values['sub-grid']),
  traversal: values.traversal as 'auto' | 'lists' | 'stack' | 'ropes',
})
mark('scene on the GPU')
const run = (phi: number): Promise<AspectResult> => {
  const d = direction(Number(values.theta), phi)
  return engine.field({ aspect: { tx: d, rx: d }, band, options })
}
await run(0)
mark('kernels compiled, first aspect')

const aspects = Number(values.aspects)
const single: AspectResult[] = []
for (let i = 0; i < aspects; i++) single.push(await run(0.1 * i))
const start = performance.now()
let next = 0
const lane = async (): Promise<void> => {
  while (next < 3 * aspects) await run(0.1 * next++)
}
await Promise.all([lane(), lane(), lane()])
const overlapped = (performance.now() - start) / (3 * aspects)

const median = (pick: (r: AspectResult) => number): number =>
  single.map(pick).sort((a, b) => a - b)[Math.floor(single.length / 2)]
const { tubes, leaves, contributions } = single[0].statistics
const trace = median((r) => r.times.trace)
const field = median((r) => r.times.field)
const fixed = (x: number, d = 2): string => x.toFixed(d)
console.log(`device   ${engine.describe().text}, node ${process.version}`)
console.log(
  `case     ${loaded.name}, ${loaded.scene.count} facets, ${fixed(highestFrequency(band) / 1e9)} GHz, ${n} frequencies, theta ${values.theta}, sub-grid ${values['sub-grid']}, ${values.bounces} bounces, ${values.subdivide} subdivisions`,
)
console.log(`tubes    ${tubes}, leaves ${leaves}, contributions ${contributions} (first aspect)`)
console.log('| median of ' + aspects + ' aspects | |')
console.log('| --- | ---: |')
console.log(`| tracing [ms] | ${fixed(1e3 * trace)} |`)
console.log(`| field kernels [ms] | ${fixed(1e3 * field)} |`)
console.log(`| reduction [ms] | ${fixed(1e3 * median((r) => r.times.reduction))} |`)
console.log(`| wall time of one aspect alone [ms] | ${fixed(1e3 * median((r) => r.times.total))} |`)
console.log(`| wall time per aspect, three in flight [ms] | ${fixed(overlapped)} |`)
console.log(`| tubes traced [G/s] | ${fixed(tubes / trace / 1e9)} |`)
console.log(`| tubes x frequencies [G/s] | ${fixed((tubes * n) / field / 1e9)} |`)
console.log(`| contributions x frequencies [G/s] | ${fixed((contributions * n) / field / 1e9)} |`)
console.log('| from the start of the command to | [s] |')
for (const [what, at] of marks) console.log(`| ${what} | ${fixed(at / 1e3, 3)} |`)
process.exit(0)
