// A jet and a bomber of the sizes and facet numbers for which SagittaSBR states its times on one H200, tubes of 5 mm,
// 5 bounces, all four channels, one frequency: milliseconds per view, with SagittaSBR's (reproduction/README.md).
//   npm run build && node dist/reproduction/sagitta.js [--views 12] [--repeats 5]
import { GpuSbrEngine } from '../gpu/index.js'
import { buildRayScene } from '../rays/index.js'
import { models } from '../samples/models/index.js'
import { fitBox, type Point } from '../samples/models/surface.js'
import { C0, facetCount, type Mesh, prepareTarget } from '../scene/index.js'
import { DEFAULT_SBR, monostatic } from './cases.js'
import { argumentsOf, firstGpu, median, tableOf } from './kit.js'

const { views, repeats } = argumentsOf({ views: 12, repeats: 5 }).values
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
    [0, 1, 2].reduce((sum, c) => sum + (points[3 * a + c] - points[3 * b + c]) ** 2, 0)
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

const context = await firstGpu()
console.log(`${context.name}, node ${process.version}`)
console.log('median of views; worst view in brackets')
const rows: (string | number)[][] = []
for (const { name, model, size, facets, theirs } of CASES) {
  const target = prepareTarget(refine(fitBox(models[model].make(), size), facets), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const engine = new GpuSbrEngine(context, scene, target.area, { subGrid: 8192 })
  for (const subdivisions of [0, 2]) {
    const jobOf = (n: number) => ({
      aspect: monostatic(80, 5 + (360 * n) / views),
      band: { f0: C0 / (10 * SPACING), df: 0, n: 1 },
      options: { ...DEFAULT_SBR, subdivisions },
    })
    const found: { tubes: number; trace: number; field: number }[] = []
    for (let n = 0; n < views; n++) {
      const results = []
      for (let r = 0; r <= repeats; r++) results.push(await engine.field(jobOf(n)))
      // The first compiles and fits.
      const times = results.slice(1).map((r) => r.times)
      found.push({
        tubes: results[0].statistics.tubes,
        trace: 1e3 * median(times.map((t) => t.trace)),
        field: 1e3 * median(times.map((t) => t.field + t.reduction)),
      })
    }
    const start = performance.now()
    await Promise.all(found.map((_, n) => engine.field(jobOf(n))))
    const wall = (performance.now() - start) / views
    const both = found.map((v) => v.trace + v.field)
    rows.push([
      name,
      scene.count,
      subdivisions,
      `${(median(found.map((v) => v.tubes)) / 1e6).toFixed(2)} M`,
      median(found.map((v) => v.trace)).toFixed(2),
      median(found.map((v) => v.field)).toFixed(2),
      `${median(both).toFixed(2)} (${Math.max(...both).toFixed(2)})`,
      wall.toFixed(2),
      theirs,
    ])
  }
}
const HEAD = 'target, facets, subdivisions, tubes launched, tracing [ms], fields [ms], both [ms]'.split(', ')
console.log(tableOf([...HEAD, 'wall, views in flight [ms]', 'SagittaSBR, tracing + PO [ms]'], rows))
process.exit(0)
