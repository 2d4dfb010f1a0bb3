// Processor time of rays on the CPU, one thread, with and without materials: seconds an aspect, single frequency and a band.
//   npm run build && node dist/reproduction/materials.js [mesh] [--material absorber]... [--materials samples/materials.json] [--f0 9.25e9] [--f1 10.75e9] [--n 1,128] [--theta 80] [--step 0.1] [--aspects 4] [--bounces 50] [--runs 3]
import { parseArgs } from 'node:util'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { direction } from '../scene/index.js'
import { loadTarget } from '../run/loaded-target.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    material: { type: 'string', multiple: true, default: ['absorber'] },
    materials: { type: 'string', default: 'samples/materials.json' },
    f0: { type: 'string', default: '9.25e9' },
    f1: { type: 'string', default: '10.75e9' },
    n: { type: 'string', default: '1,128' },
    theta: { type: 'string', default: '80' },
    step: { type: 'string', default: '0.1' },
    aspects: { type: 'string', default: '4' },
    bounces: { type: 'string', default: '50' },
    runs: { type: 'string', default: '3' },
  },
})
const path = positionals[0] ?? 'samples/aircraft.stl'
const { material, materials } = values
const cases = await Promise.all([
  loadTarget(path, 'm', 20),
  loadTarget(path, 'm', 20, null, { material, materials }),
])
const [f0, f1] = [Number(values.f0), Number(values.f1)]
const options = {
  raysPerWavelength: 10,
  maxBounces: Number(values.bounces),
  subdivisions: 2,
  formulation: 'all-bounces',
} as const
const counts = values.n.split(',').map(Number)
const aspects = Number(values.aspects)
const seconds = cases.map(() => counts.map(() => [] as number[]))

// Bare and coated in turn, so that what else the machine does falls on both.
for (let run = 0; run < Number(values.runs); run++)
  for (const [c, n] of counts.entries())
    for (const [i, { scene, target }] of cases.entries()) {
      const band = { f0, df: n > 1 ? (f1 - f0) / (n - 1) : 0, n }
      const engine = createCpuEngine(scene, target.area, 0)
      const start = process.cpuUsage()
      for (let a = 0; a < aspects; a++) {
        const d = direction(Number(values.theta), a * Number(values.step))
        await engine.field({ aspect: { tx: d, rx: d }, band, options })
      }
      const { user, system } = process.cpuUsage(start)
      seconds[i][c].push((user + system) / 1e6 / aspects)
      await engine.close()
    }

const least = (list: number[]): number => Math.min(...list)
console.log(
  `${cases[0].name}, ${path}; materials: ${material.join(', ')}; ${f0 / 1e9} to ${f1 / 1e9} GHz, up to ${values.bounces} bounces; node ${process.version}`,
)
console.log('| frequencies | bare, s | with materials, s | ratio |')
console.log('| --- | --- | --- | --- |')
for (const [c, n] of counts.entries()) {
  const [bare, coated] = seconds.map((s) => least(s[c]))
  console.log(`| ${n} | ${bare.toFixed(2)} | ${coated.toFixed(2)} | ${(coated / bare).toFixed(2)} |`)
}
