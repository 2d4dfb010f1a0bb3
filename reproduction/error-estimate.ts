/**
 * Coverage of the sampling error of the rays, of `rcs --error-estimate`: bars from densities of 7 and 5 tubes a wavelength against the change from
 * 10 to 35, as Markdown. `npm run docs -- sampling-error`; `node dist/reproduction/error-estimate.js NAME…` prints some cases.
 */
import { readMesh } from '../formats/index.js'
import {
  cube,
  dihedral,
  plate,
  sphere,
  squareTrihedral,
  triangularTrihedral,
} from '../samples/models/canonical.js'
import { circle, stack } from '../samples/models/surface.js'
import { type Aspect, type Band, type Mesh } from '../scene/index.js'
import { type AspectField } from '../rays/index.js'
import { COARSER, samplingErrors } from '../run/error-estimate.js'
import { targetOf } from '../src/validate/meshes.js'
import { solve } from '../src/validate/solve.js'
import { monostatic } from './cases.js'
import { median } from './kit.js'

const FINE = 3.5

interface Case {
  name: string
  /** Whether the scale of the bars was calibrated on it. */
  calibration?: boolean
  mesh: Mesh
  band: Band
  aspects: Aspect[]
}

const at = (f0: number, df = 0, n = 1): Band => ({ f0, df, n })
const range = (a: number, b: number, step: number): number[] =>
  Array.from({ length: Math.round((b - a) / step) + 1 }, (_, i) => a + i * step)
const cut = (theta: number[], phi: number[]): Aspect[] =>
  theta.flatMap((t) => phi.map((p) => monostatic(t, p)))
const cylinder = (radius: number, length: number, n: number): Mesh =>
  stack([circle([0, 0, -length / 2], radius, 2, n), circle([0, 0, length / 2], radius, 2, n)])

const calibration = true
// prettier-ignore
const CASES: Case[] = [
  { name: 'plate, 5 λ, φ 30°', calibration, mesh: plate(1), band: at(1.5e9), aspects: cut(range(0, 85, 1), [30]) },
  { name: 'dihedral, 5 λ', calibration, mesh: dihedral(1), band: at(1.5e9), aspects: cut([70], range(-60, 60, 1.5)) },
  { name: 'square trihedral, 4 λ', calibration, mesh: squareTrihedral(1), band: at(1.2e9), aspects: cut(range(5, 90, 1), [45]) },
  { name: 'sphere, ka 21', calibration, mesh: sphere(1, 5), band: at(1e9), aspects: cut([70], range(0, 80, 2)) },
  { name: 'cylinder, 4 x 10 λ', calibration, mesh: cylinder(0.1, 0.5, 96), band: at(6e9), aspects: cut(range(0, 90, 1.5), [0]) },
  { name: 'ship of 0.9 m, 5 GHz', calibration, mesh: await readMesh('samples/ship-0.9m.stl'), band: at(5e9), aspects: cut(range(0, 180, 2), [0]) },
  { name: 'plate, 5 λ, φ 0°', mesh: plate(1), band: at(1.5e9), aspects: cut(range(0, 85, 1), [0]) },
  { name: 'plate, 7 λ, φ 10°', mesh: plate(1), band: at(2.1e9), aspects: cut(range(0, 85, 1), [10]) },
  { name: 'dihedral, 3 λ', mesh: dihedral(1), band: at(0.9e9), aspects: cut([90], range(-50, 50, 1)) },
  { name: 'triangular trihedral, 5 λ', mesh: triangularTrihedral(1), band: at(1.5e9), aspects: cut([60], range(0, 90, 1)) },
  { name: 'ship of 1 m, 5 GHz', mesh: await readMesh('samples/ship-1m.stl'), band: at(5e9), aspects: cut([80], range(0, 180, 2.5)) },
  { name: 'sphere, ka 12.6 to 25.8', mesh: sphere(1, 5), band: at(0.6e9, 0.01e9, 64), aspects: cut([65], [10]) },
  { name: 'cylinder, 2 x 3 λ', mesh: cylinder(0.1, 0.3, 48), band: at(3e9), aspects: cut(range(0, 180, 2), [20]) },
  { name: 'cube, 1 to 1.95 GHz', mesh: cube(1), band: at(1e9, 0.015e9, 64), aspects: cut([75], [20, 33]) },
  { name: 'missile, 4 GHz', mesh: await readMesh('samples/missile.stl'), band: at(4e9), aspects: cut([85], range(0, 180, 2.5)) },
  { name: 'aircraft, 0.6 GHz', mesh: await readMesh('samples/aircraft.stl'), band: at(0.6e9), aspects: cut([80], range(0, 180, 2)) },
  { name: 'aircraft, 1 GHz', mesh: await readMesh('samples/aircraft.stl'), band: at(1e9), aspects: cut([60], range(-90, 90, 3)) },
]

interface Result {
  amplitude: number
  error: number
  bar: number
  /** The bar where the row is computed alone, without neighbours. */
  alone: number
}

async function results({ name, mesh, band, aspects }: Case): Promise<Result[][]> {
  const loaded = targetOf(mesh, name)
  const run = async (factor: number): Promise<AspectField[]> => {
    const density = { raysPerWavelength: 10 * factor, secondOrder: [] }
    return (await solve(loaded, aspects, band, { device: 'cpu', workers: 2 }, density)).total
  }
  const [own, fine] = [await run(1), await run(FINE)]
  const coarser: AspectField[][] = []
  for (const factor of COARSER) coarser.push(await run(factor))
  const bars = samplingErrors(own, coarser)
  return [0, 1].map((channel) =>
    own.flatMap((field, a) =>
      Array.from({ length: band.n }, (_, n) => {
        const i = 8 * n + 2 * channel
        const one = (f: AspectField): AspectField => f.slice(8 * n, 8 * n + 8)
        const alone = samplingErrors(
          [one(field)],
          coarser.map((rerun) => [one(rerun[a])]),
        )
        return {
          amplitude: Math.hypot(field[i], field[i + 1]),
          error: Math.hypot(field[i] - fine[a][i], field[i + 1] - fine[a][i + 1]),
          bar: bars[a][4 * n + channel],
          alone: alone[0][channel],
        }
      }),
    ),
  )
}

const percent = (r: Result[], bar: 'bar' | 'alone'): string =>
  `${((100 * r.filter((x) => x.error <= x[bar]).length) / r.length).toFixed(1)} %`
const db = (x: number): string => (20 * Math.log10(x)).toFixed(0)

function line(name: string, r: Result[]): string {
  const peak = Math.max(...r.map((x) => x.amplitude))
  const rms = Math.sqrt(r.reduce((sum, x) => sum + x.error ** 2, 0) / r.length)
  const inDb = median(r.map((x) => 20 * Math.log10(1 + x.bar / x.amplitude)))
  const ratio = (bar: 'bar' | 'alone'): string => median(r.map((x) => x[bar] / x.error)).toFixed(1)
  return `| ${name} | ${r.length} | ${db(rms / peak)} | ${percent(r, 'bar')} | ${ratio('bar')} | ${inDb.toFixed(2)} | ${percent(r, 'alone')} | ${ratio('alone')} |`
}

const wanted = process.argv.slice(2)
console.log(`# Coverage of the sampling error of the rays

[Error estimates](../error-estimate.md) says what the sampling error is; edges are not sampled, and nothing of theirs is in it.

True change: from 10 tubes per wavelength to ${10 * FINE}. Covered: rows whose change lies within the bar. Bar / change: median. Bar: median
of 20 log10(1 + bar / |F|). Alone: each row estimated without its neighbours, as for a run of a single row. A star marks the cases on which the bars' scale was set.
`)
console.log(
  '| case | rows | change, rms [dB of peak] | covered | bar / change | bar [dB] | alone: covered | bar / change |',
)
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const all: Record<'calibration' | 'test', Result[]> = { calibration: [], test: [] }
for (const c of CASES) {
  if (wanted.length > 0 && !wanted.some((w) => c.name.includes(w))) continue
  const channels = await results(c)
  all[c.calibration ? 'calibration' : 'test'].push(...channels.flat())
  channels.forEach((r, i) =>
    console.log(line(`${c.name}, ${['VV', 'HH'][i]}${c.calibration ? ' *' : ''}`, r)),
  )
}
for (const [name, r] of Object.entries(all))
  if (r.length > 0) console.log(line(`all of the ${name}`, r).replace(/\| -?\d+ \| (?=\d+\.\d %)/, '| | '))
