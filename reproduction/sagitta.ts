// A jet and a bomber of the sizes and facet numbers for which SagittaSBR states its times on one H200, tubes of 5 mm,
// 5 bounces, all four channels, one frequency: milliseconds per view, with SagittaSBR's (reproduction/README.md).
//   npm run build && node dist/reproduction/sagitta.js [--views 12] [--repeats 5]
import { parseArgs } from 'node:util'
import { GpuSbrEngine } from '../gpu/index.js'
import { models } from '../samples/models/index.js'
import { fitBox, type Point } from '../samples/models/surface.js'
import { buildRayScene } from '../rays/index.js'
import { C0, direction, facetCount, type Mesh, prepareTarget } from '../scene/index.js'
import { openNodeGpu } from '../run/node-gpu.js'

const { values } = parseArgs({
  options: { views: { type: 'string', default: '12' }, repeats: { type: 'string', default: '5' } },
})
const SPACING = 5e-3
const CASES: { name: string; model: string; size: Point; facets: number; theirs: string }[] = [
  { name: 'jet', model: 'aircraft-a', size: [25, 16, 7], facets: 15000, theirs: '2.8 + 0.5 (36 M rays)' },
  { name: 'bomber', model: 'aircraft', size: [45, 42, 9], facets: 9750, theirs: '5.4 + 1.4 (100 M rays)' },
]

/** Bisects the longest edges of a closed surface, adding two facets each time, until it has `count` facets. */
function refine(mesh: Mesh, count: number): Mesh {
  const points = Array.from(mesh.positions)
  const facets = Array.from({ length: facetCount(mesh) }, (_, t) => [
    ...mesh.triangles.subarray(3 * t, 3 * t + 3),
  ])
  const length = (a: number, b: number): number =>
    (points[3 * a] - points[3 * b]) ** 2 +
    (points[3 * a + 1] - points[3 * b + 1]) ** 2 +
    (points[3 * a + 2] - points[3 * b + 2]) ** 2
  while (facets.length < count) {
    let [from, to, longest] = [0, 0, 0]
    for (const f of facets)
      for (let c = 0; c < 3; c++) {
        const l = length(f[c], f[(c + 1) % 3])
        if (l > longest) [from, to, longest] = [f[c], f[(c + 1) % 3], l]
      }
    const middle = points.length / 3
    for (let k = 0; k < 3; k++) points.push((points[3 * from + k] + points[3 * to + k]) / 2)
    for (const f of facets.filter((g) => g.includes(from) && g.includes(to))) {
      facets.push(f.map((v) => (v === from ? middle : v)))
      f[f.indexOf(to)] = middle
    }
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(facets.flat()) }
}

const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]
const context = await openNodeGpu(false)
if (!context) throw new Error('no GPU found')
console.log(`${context.name}, node ${process.version}`)
console.log('median of views; worst view in brackets')
console.log(
  '| target | facets | subdivisions | tubes launched | tracing [ms] | fields [ms] | both [ms] | wall, views in flight [ms] | SagittaSBR, tracing + PO [ms] |',
)
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const views = Number(values.views)
for (const { name, model, size, facets, theirs } of CASES) {
  const target = prepareTarget(refine(fitBox(models[model].make(), size), facets), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const engine = new GpuSbrEngine(context, scene, target.area, { subGrid: 8192 })
  for (const subdivisions of [0, 2]) {
    const jobOf = (n: number) => {
      const d = direction(80, 5 + (360 * n) / views)
      const options = {
        raysPerWavelength: 10,
        maxBounces: 5,
        subdivisions,
      }
      return { aspect: { tx: d, rx: d }, band: { f0: C0 / (10 * SPACING), df: 0, n: 1 }, options }
    }
    const rows = []
    for (let n = 0; n < views; n++) {
      const times = []
      let tubes = 0
      for (let r = 0; r <= Number(values.repeats); r++) {
        const result = await engine.field(jobOf(n))
        tubes = result.statistics.tubes
        if (r > 0) times.push(result.times)
      }
      rows.push({
        tubes,
        trace: 1e3 * median(times.map((t) => t.trace)),
        field: 1e3 * median(times.map((t) => t.field + t.reduction)),
      })
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: views }, (_, n) => engine.field(jobOf(n))))
    const wall = (performance.now() - start) / views
    const both = rows.map((r) => r.trace + r.field)
    console.log(
      `| ${name} | ${scene.count} | ${subdivisions} | ${(median(rows.map((r) => r.tubes)) / 1e6).toFixed(2)} M | ${median(rows.map((r) => r.trace)).toFixed(2)} | ${median(rows.map((r) => r.field)).toFixed(2)} | ${median(both).toFixed(2)} (${Math.max(...both).toFixed(2)}) | ${wall.toFixed(2)} | ${theirs} |`,
    )
  }
}
process.exit(0)
