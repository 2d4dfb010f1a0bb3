// Tracing alone on the GPU: corner and central rays of N x N tubes (the larger side of the aperture), with validity, per
// traversal and subdivision, over aspects all around. Launched: every ray of the lattice, including
// empty tiles. Hitting: two rays for each tube that hits the target.
//   npm run build && node dist/reproduction/traversal.js [mesh] [--tubes 4096] [--bounces 3] [--aspects 12] [--subdivide 0,2] [--traversal lists,stack,ropes]
import { parseArgs } from 'node:util'
import { GpuSbrEngine } from '../gpu/index.js'
import { C0 } from '../scene/index.js'
import { type SbrJob } from '../rays/index.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { loadTarget } from '../run/loaded-target.js'
import { uniformAperture, uniformDirection } from './uniform-aperture.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tubes: { type: 'string', default: '4096' },
    bounces: { type: 'string', default: '3' },
    aspects: { type: 'string', default: '12' },
    subdivide: { type: 'string', default: '0,2' },
    traversal: { type: 'string', default: 'lists,stack,ropes' },
    repeats: { type: 'string', default: '5' },
  },
})
const mesh = positionals[0] ?? 'samples/aircraft-a.stl'
const { scene, target, name } = await loadTarget(mesh, 'm', 20)
const context = await openNodeGpu(false)
if (!context) throw new Error('no GPU here')
const side = Number(values.tubes)
const aspects = Number(values.aspects)

/** The job whose aperture is `side` tubes wide along its larger side. */
function jobOf(index: number, subdivisions: number): SbrJob {
  const d = uniformDirection(index, aspects)
  const { h } = uniformAperture(scene, d, side)
  const options = { raysPerWavelength: 10, maxBounces: Number(values.bounces), subdivisions }
  return {
    aspect: { tx: d, rx: d },
    band: { f0: C0 / (10 * h), df: 0, n: 1 },
    options: { ...options },
  }
}

const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]
console.log(`device  ${context.name}, node ${process.version}`)
console.log(
  `case    ${name}, ${scene.count} facets, ${side} tubes across, ${values.bounces} bounces, ${aspects} aspects`,
)
console.log(
  '| traversal | subdivisions | tracing [ms] | launched [G rays/s] | worst aspect | hitting [G rays/s] | tubes hit |',
)
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
for (const traversal of values.traversal.split(',') as ('lists' | 'stack' | 'ropes')[]) {
  const engine = new GpuSbrEngine(context, scene, target.area, { subGrid: side, traversal })
  for (const subdivisions of values.subdivide.split(',').map(Number)) {
    const rows: { t: number; launched: number; hit: number; share: number }[] = []
    for (let a = 0; a < aspects; a++) {
      const job = jobOf(a, subdivisions)
      const seconds = []
      let result = await engine.field(job)
      for (let r = 0; r < Number(values.repeats); r++) {
        result = await engine.field(job)
        seconds.push(result.times.trace)
      }
      const { tubes, leaves } = result.statistics
      const t = median(seconds)
      rows.push({ t, launched: (2 * side * side) / t, hit: (2 * leaves) / t, share: leaves / tubes })
    }
    const of = (pick: (row: (typeof rows)[0]) => number): string => median(rows.map(pick)).toFixed(2)
    console.log(
      `| ${traversal} | ${subdivisions} | ${of((r) => 1e3 * r.t)} | ${of((r) => r.launched / 1e9)} | ${(Math.min(...rows.map((r) => r.launched)) / 1e9).toFixed(2)} | ${of((r) => r.hit / 1e9)} | ${of((r) => r.share)} |`,
    )
  }
}
process.exit(0)
