// Adaptive tubes against the uniform lattice, on the double-precision engine: rays launched and complex error, growth with
// the frequency, processor seconds per aspect on one thread.
//   npm run build && node dist/bench/adaptive.js [errors] [growth] [samples] [--heavy]
// `errors`: largest |dF| over a cut, relative to the cut's largest |F|, against adaptive tubes four times as fine cut twice
// more; both in all four channels. `samples`: rays of the uniform scheme are counted on every 8th row of tiles, or every
// 64th at 35 GHz. `--heavy`: also aircraft-a at 35 GHz.
import { parseArgs } from 'node:util'
import { createCpuEngine, rowTasks, runSbrTask } from '../cpu-sbr/index.js'
import { plate, squareTrihedral } from '../samples/models/canonical.js'
import { models } from '../samples/models/index.js'
import {
  type AspectResult,
  buildRayScene,
  withFlats,
  C0,
  direction,
  type Mesh,
  prepareTarget,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
} from '../scene/index.js'

type Angles = [theta: number, phi: number]
type Scheme = Pick<SbrOptions, 'adaptive' | 'raysPerWavelength' | 'subdivisions'>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { heavy: { type: 'boolean', default: false } },
})
const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part)

function open(mesh: Mesh): { scene: RayScene; engine: SbrEngine } {
  const target = prepareTarget(mesh, { smoothAngleDeg: 20 })
  const scene = withFlats(buildRayScene(target), target)
  return { scene, engine: createCpuEngine(scene, target.area, 0) }
}

function jobOf([theta, phi]: Angles, frequency: number, scheme: Scheme): SbrJob {
  const d = direction(theta, phi)
  return {
    aspect: { tx: d, rx: d },
    band: { f0: frequency, df: 0, n: 1 },
    options: { maxBounces: 5, formulation: 'all-bounces', ...scheme },
  }
}

const uniform = (raysPerWavelength: number, subdivisions: number): Scheme => ({
  raysPerWavelength,
  subdivisions,
})
const adaptive = (raysPerWavelength: number, subdivisions: number): Scheme => ({
  adaptive: true,
  raysPerWavelength,
  subdivisions,
})

const size = (x: ArrayLike<number>): number => Math.hypot(...Array.from(x))
const row = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`)

if (wanted('errors')) {
  const cases: [string, Mesh, number, Angles[]][] = [
    ['plate, 60 wavelengths', plate(1), 60 * C0, [0, 0.4, 7, 20, 35, 50].map((t): Angles => [t, 20])],
    [
      'square trihedral, 60 wavelengths',
      squareTrihedral(1),
      60 * C0,
      [
        [54.74, 45],
        [70, 30],
        [80, 60],
        [40, 20],
      ],
    ],
    [
      'ship-1m, 40 GHz',
      models['ship-1m'].make(),
      40e9,
      [
        [90, 90],
        [80, 20],
        [65, 110],
        [60, 45],
      ],
    ],
  ]
  for (const [name, mesh, frequency, cut] of cases) {
    const { engine } = open(mesh)
    const solve = async (scheme: Scheme): Promise<AspectResult[]> => {
      const results = []
      for (const at of cut) results.push(await engine.aspect(jobOf(at, frequency, scheme)))
      return results
    }
    const reference = await solve(adaptive(40, 4))
    const peak = Math.max(...reference.map((r) => size(r.field)))
    console.log(`\n${name}, ${cut.length} aspects`)
    row('scheme', 'tubes per wavelength', 'subdivisions', 'rays per aspect', 'error / peak')
    row('---', '--:', '--:', '--:', '--:')
    for (const [label, make] of [
      ['uniform', uniform],
      ['adaptive', adaptive],
    ] as const)
      for (const depth of [0, 2])
        for (const n of [0.25, 0.5, 1, 2, 4, 10]) {
          const results = await solve(make(n, depth))
          const rays = results.reduce((sum, r) => sum + r.statistics.rays!, 0) / cut.length
          const errors = results.map((r, i) => size(r.field.map((x, c) => x - reference[i].field[c])))
          row(label, n, depth, Math.round(rays), (Math.max(...errors) / peak).toExponential(1))
        }
  }
}

if (wanted('growth')) {
  const { engine } = open(models['ship-1m'].make())
  const cut: Angles[] = [
    [90, 90],
    [80, 20],
    [65, 110],
    [70, 45],
  ]
  console.log('\nship-1m, adaptive, 2 subdivisions, mean of 4 aspects')
  row(
    'GHz',
    'tubes per wavelength',
    'tubes',
    'sub-tubes and facets that radiate',
    'rays',
    'largest error / peak',
  )
  row('--:', '--:', '--:', '--:', '--:', '--:')
  for (const [frequency, n] of [
    [10e9, 10],
    [20e9, 10],
    [40e9, 10],
    [40e9, 5],
    [40e9, 2.5],
  ]) {
    const counts = [0, 0, 0]
    let [error, peak] = [0, 0]
    for (const at of cut) {
      const { field, statistics } = await engine.aspect(jobOf(at, frequency, adaptive(n, 2)))
      const fine = (await engine.aspect(jobOf(at, frequency, adaptive(40, 4)))).field
      error = Math.max(error, size(field.map((x, c) => x - fine[c])))
      peak = Math.max(peak, size(fine))
      counts[0] += statistics.tubes / cut.length
      counts[1] += statistics.leaves / cut.length
      counts[2] += statistics.rays! / cut.length
    }
    row(frequency / 1e9, n, ...counts.map(Math.round), (error / peak).toExponential(1))
  }
}

if (wanted('samples')) {
  console.log('\n10 tubes per wavelength, 2 subdivisions; seconds of one processor in tracing')
  row('sample', 'GHz', 'theta, phi', 'rays uniform', 'rays adaptive', 'ratio', 's uniform', 's adaptive')
  row('---', '--:', '---', '--:', '--:', '--:', '--:', '--:')
  const cases: [string, number, Angles[], number][] = [
    ['sphere', 3e9, [[80, 25]], 1],
    ['aircraft', 10e9, [[80, 25]], 4],
    ['ship-1m', 40e9, [[80, 20]], 4],
    [
      'aircraft-a',
      10e9,
      [
        [80, 25],
        [80, 0],
        [65, 110],
      ],
      8,
    ],
    ...(values.heavy ? [['aircraft-a', 35e9, [[80, 25]], 64] as [string, number, Angles[], number]] : []),
  ]
  for (const [name, frequency, aspects, every] of cases) {
    const { scene } = open(models[name].make())
    for (const at of aspects) {
      const [before, after] = [uniform(10, 2), adaptive(10, 2)].map((scheme, s) => {
        const tasks = rowTasks(scene, jobOf(at, frequency, scheme), 1e-12, 1)
        const step = s === 0 ? every : 1
        const start = process.cpuUsage()
        let rays = 0
        // From the middle of each stretch, so that the sample is not all of one edge.
        for (let i = Math.floor(step / 2); i < tasks.length; i += step)
          rays += step * runSbrTask(scene, tasks[i]).statistics.rays
        const { user, system } = process.cpuUsage(start)
        return { rays, seconds: (step * (user + system)) / 1e6 }
      })
      row(
        name,
        frequency / 1e9,
        at.join(', '),
        before.rays,
        after.rays,
        (before.rays / after.rays).toFixed(1),
        before.seconds.toFixed(2),
        after.seconds.toFixed(2),
      )
    }
  }
}
