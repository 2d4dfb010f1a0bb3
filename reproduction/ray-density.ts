// Error of the rays' field against their time, over rays per wavelength and subdivisions: what the defaults are chosen on.
//   npm run build && node dist/reproduction/ray-density.js [MESH[@metres] …] [--device cpu|gpu] [--cases 10/2,6/0] [--reference 20/4]
//     [--freq 10e9] [--directions 120] [--repeat 3] [--workers 2]
// MESH@metres scales the mesh so that its longest side has that length. Directions are spread evenly over all azimuths, 30° about the
// horizon. Errors are relative to the reference's field of VV and HH: rms in dB with both curves clipped 40 dB below the
// peak, and the norm of the complex difference over the field's. Times are medians over the directions of kernel time (gpu) or of
// busy time of all threads (cpu), after one unmeasured direction.
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import { type AspectResult, buildRayScene, type RayScene, type SbrEngine } from '../rays/index.js'
import { type Aspect, prepareTarget } from '../scene/index.js'
import { textTable } from '../src/compare.js'
import { targetName } from '../run/loaded-target.js'
import { monostatic, scaledMesh } from './cases.js'
import { argumentsOf, firstGpu, median } from './kit.js'

const { values, words } = argumentsOf({
  device: 'gpu',
  cases: '6/0,6/1,6/2,6/3,8/2,10/0,10/1,10/2,10/3,14/2,20/0,40/0',
  reference: '20/4',
  freq: 10e9,
  directions: 120,
  repeat: 3,
  workers: 2,
})
const { freq: f0, repeat, directions: count } = values
const FLOOR_DB = 40

const aspects = Array.from({ length: count }, (_, i) =>
  monostatic(60 + (60 * (i + 0.5)) / count, 360 * (((i * (Math.sqrt(5) - 1)) / 2) % 1)),
)

const openEngine = async (scene: RayScene, area: number): Promise<SbrEngine> =>
  values.device === 'cpu'
    ? createCpuEngine(scene, area, values.workers)
    : new GpuSbrEngine(await firstGpu(), scene, area, { subGrid: 2048 })

interface Measured {
  /** F of VV and HH of each direction: 4 numbers. */
  fields: Float64Array
  trace: number
  field: number
  rays: number
  contributions: number
}

async function measure(
  engine: SbrEngine,
  density: number,
  subdivisions: number,
  runs: number,
): Promise<Measured> {
  const jobOf = (aspect: Aspect) => ({
    aspect,
    band: { f0, df: 0, n: 1 },
    options: { raysPerWavelength: density, maxBounces: 5, subdivisions },
  })
  const fields = new Float64Array(4 * count)
  const results: AspectResult[] = []
  if (runs > 1) await engine.field(jobOf(aspects[0]))
  for (const [i, aspect] of aspects.entries()) {
    const all = []
    for (let r = 0; r < runs; r++) all.push(await engine.field(jobOf(aspect)))
    all.sort((a, b) => a.times.trace + a.times.field - b.times.trace - b.times.field)
    results.push(all[runs >> 1])
    fields.set(all[0].field.subarray(0, 4), 4 * i)
  }
  const of = (pick: (r: AspectResult) => number): number => median(results.map(pick))
  return {
    fields,
    trace: of((r) => r.times.trace),
    field: of((r) => r.times.field + r.times.reduction),
    rays: of((r) => r.statistics.rays ?? NaN),
    contributions: of((r) => r.statistics.contributions),
  }
}

/** Error in dB and complex error, over both channels. */
function errors(fields: Float64Array, reference: Float64Array): [number, number] {
  let peak = 0
  for (let i = 0; i < reference.length; i += 2)
    peak = Math.max(peak, Math.hypot(reference[i], reference[i + 1]))
  const dB = (x: Float64Array, i: number): number =>
    Math.max(-FLOOR_DB, 20 * Math.log10(Math.hypot(x[i], x[i + 1]) / peak))
  let squares = 0
  let difference = 0
  let norm = 0
  for (let i = 0; i < reference.length; i += 2) {
    squares += (dB(fields, i) - dB(reference, i)) ** 2
    difference += (fields[i] - reference[i]) ** 2 + (fields[i + 1] - reference[i + 1]) ** 2
    norm += reference[i] ** 2 + reference[i + 1] ** 2
  }
  return [Math.sqrt((2 * squares) / reference.length), Math.sqrt(difference / norm)]
}

const parse = (name: string): [number, number] => name.split('/').map(Number) as [number, number]
for (const file of words.length > 0 ? words : ['samples/aircraft-a.stl']) {
  const target = prepareTarget(await scaledMesh(file), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const engine = await openEngine(scene, target.area)
  const reference = (await measure(engine, ...parse(values.reference), 1)).fields
  const rows: string[][] = []
  for (const name of values.cases.split(',')) {
    const { fields, trace, field, rays, contributions } = await measure(engine, ...parse(name), repeat)
    const [rms, complex] = errors(fields, reference)
    rows.push([
      name,
      (1e3 * trace).toFixed(2),
      (1e3 * field).toFixed(2),
      Number.isNaN(rays) ? '' : (rays / 1e6).toFixed(3),
      (contributions / 1e6).toFixed(3),
      rms.toFixed(3),
      complex.toFixed(4),
    ])
  }
  console.log(
    `${targetName(file.split('@')[0])}, ${scene.count} facets, ${target.diagonal.toFixed(1)} m, ${f0 / 1e9} GHz, ${count} directions, reference ${values.reference}; ${engine.describe().text}, node ${process.version}\n`,
  )
  console.log(
    textTable(
      [
        'rays per λ / subdivisions',
        'tracing [ms]',
        'fields [ms]',
        'rays [M]',
        'contributions [M]',
        `rms dB, floor -${FLOOR_DB} dB`,
        'complex',
      ],
      rows,
    ),
  )
  await engine.close()
}
process.exit(0)
