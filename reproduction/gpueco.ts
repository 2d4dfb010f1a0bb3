// Rasterised physical optics on a GPU: the paper's three cases and variants (paper 001, Table 1), against the facet-exact engine and the
// CPU versions; convergence of pixel sums; cost of drawing by output.
//   npm run build && node dist/reproduction/gpueco.js [--size 1024] [--levels 6] [--cpu 3] [--repeat 3] [--quick]
// Times are of all directions after one warm-up aspect. --cpu n: CPU versions are timed on n aspects and extrapolated; 0 omits them.
import { parseArgs } from 'node:util'
import { GpuecoEngine, type GpuContext, PaperPipeline } from '../gpu/index.js'
import { type AspectField } from '../rays/index.js'
import { rasterImage } from '../rays/raster-scene.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { complexError, curveErrors } from '../src/validate/errors.js'
import {
  cubeCase,
  type GpuecoCase,
  gpuecoEngine,
  gpuecoFields,
  gpuecoJob,
  missileCase,
  sphereCase,
} from './gpueco-cases.js'
import { Greco } from './greco/greco.js'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1024' },
    levels: { type: 'string', default: '6' },
    cpu: { type: 'string', default: '3' },
    repeat: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
  },
})
const size = Number(values.size)
const context = await openNodeGpu(false)
if (!context) throw new Error('no GPU here')
console.log(`${context.name}, node ${process.version}, ${size}^2 pixels`)

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
const best = async (work: () => Promise<unknown>): Promise<number> => {
  let least = Infinity
  for (let i = 0; i < Number(values.repeat); i++) least = Math.min(least, await seconds(work))
  return least
}

type Variant = ConstructorParameters<typeof PaperPipeline>[3]

/** Fields of all aspects by the paper's pipeline, one by one. */
async function pixelFields(
  gpu: GpuContext,
  c: GpuecoCase,
  options: Variant,
): Promise<() => Promise<AspectField[]>> {
  const pipeline = new PaperPipeline(gpu, c.scene, c.edges, options)
  await pipeline.aspect(c.aspects[0], c.freqHz)
  return async () => {
    const fields: AspectField[] = []
    for (const aspect of c.aspects) fields.push(await pipeline.aspect(aspect, c.freqHz))
    return fields
  }
}

const quick = values.quick
const thinned = (c: GpuecoCase): GpuecoCase => (quick ? { ...c, aspects: c.aspects.slice(0, 5) } : c)
const cases = [sphereCase(Number(values.levels)), await cubeCase(), missileCase()].map(thinned)
console.log('\nseconds for all directions')
console.log(
  '| case | facets | directions | CPU-GRECO | CPU, facet-exact | I: plain | II: culled | III: culled, reduced | III, facet numbers | facet-exact |',
)
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const notes: string[] = []
for (const c of cases) {
  const cells = [c.name, c.scene.count, c.aspects.length].map(String)
  const sampled = Number(values.cpu)
  const few = c.aspects.filter((_, i) => i % Math.ceil(c.aspects.length / sampled) === 0)
  const inDouble: AspectField[] = []
  if (sampled > 0) {
    const greco = new Greco(c.scene, rasterImage(c.scene.radius, size))
    greco.aspect(few[0], c.freqHz)
    const scale = c.aspects.length / few.length
    cells.push((scale * (await seconds(async () => few.map((a) => greco.aspect(a, c.freqHz))))).toFixed(1))
    const engine = gpuecoEngine(c, null, size)
    await engine.field(gpuecoJob(few[0], c.freqHz))
    cells.push(
      (
        scale *
        (await seconds(async () => {
          for (const { field } of await Promise.all(few.map((a) => engine.field(gpuecoJob(a, c.freqHz)))))
            inDouble.push(field)
        }))
      ).toFixed(1),
    )
    await engine.close()
  } else cells.push('–', '–')
  for (const [variant, target] of [
    ['plain', 'attributes'],
    ['culled', 'attributes'],
    ['reduced', 'attributes'],
    ['reduced', 'numbers'],
  ] as const) {
    const run = await pixelFields(context, c, { size, variant, target })
    cells.push((variant === 'reduced' ? await best(run) : await seconds(run)).toFixed(3))
  }
  const engine = new GpuecoEngine(context, c.scene, c.edges, { size })
  const one = await engine.field(gpuecoJob(c.aspects[0], c.freqHz))
  cells.push((await best(() => gpuecoFields(c, engine))).toFixed(4))
  const { trace, field } = (await engine.field(gpuecoJob(c.aspects[1], c.freqHz))).times
  const parity = await Promise.all(
    inDouble.map(async (field, i) =>
      complexError((await engine.field(gpuecoJob(few[i], c.freqHz))).field, field),
    ),
  )
  notes.push(
    `${c.name}: GPU against double precision ${Math.max(0, ...parity).toExponential(1)} at most (${parity.length} aspects); one aspect alone ${(1e3 * trace).toFixed(3)} ms visibility, ${(1e3 * field).toFixed(3)} ms fields; ${one.statistics.leaves} facets seen`,
  )
  console.log(`| ${cells.join(' | ')} |`)
}
for (const note of notes) console.log(note)

console.log('\nconvergence: against facet-exact fields at 4096^2, complex difference and dB rms (VV, HH)')
console.log('| case | pixels | pixel sums | dB | pixel sums, facet numbers | dB | facet-exact | dB |')
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const channel = (fields: AspectField[], ch: number): Float64Array =>
  Float64Array.from(fields.flatMap((f) => [f[2 * ch], f[2 * ch + 1]]))
for (const c of cases.slice(1)) {
  const thin = { ...c, aspects: c.aspects.filter((_, i) => i % (c.name === 'missile' ? 4 : 1) === 0) }
  const exact = async (n: number): Promise<AspectField[]> =>
    gpuecoFields(thin, new GpuecoEngine(context, c.scene, c.edges, { size: n }))
  const reference = await exact(quick ? 256 : 4096)
  const row = (fields: AspectField[]): string => {
    const all = (f: AspectField[]): Float64Array => Float64Array.from([...channel(f, 0), ...channel(f, 1)])
    const db = [0, 1].map((ch) => curveErrors(channel(fields, ch), channel(reference, ch)).db.toFixed(3))
    return `${complexError(all(fields), all(reference)).toExponential(1)} | ${db.join(', ')}`
  }
  for (const n of quick ? [64, 128] : [512, 1024, 2048]) {
    const rows: string[] = []
    for (const target of ['attributes', 'numbers'] as const) {
      const run = await pixelFields(context, thin, { size: n, variant: 'reduced', target })
      rows.push(row(await run()))
    }
    console.log(`| ${c.name} | ${n} | ${rows.join(' | ')} | ${row(await exact(n))} |`)
  }
}
context.device.destroy()
