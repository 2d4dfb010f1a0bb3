// Error and cost of full wave and of rays on the conductors of the UT Austin RCS benchmark suite, as Markdown; with --figure also the
// plane of error over cost, as in the suite's Study 1.
//   node dist/reproduction/austin.js --data DIR [--device auto] [--method mom --method sbr] [--figure austin.png] [--prime16] [name-part …]
// --prime16 adds the suite's PRIME of 15.06 m at 320 MHz (16 wavelengths), whose curve is not in the data: its cost alone.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { linePlot, svgToPng } from '../views/figures/node.js'
import { direction } from '../scene/index.js'
import { type DefinitionOf, readDefinitions } from '../src/validate/definition.js'
import { definedMesh, packageFolders, targetOf } from '../src/validate/meshes.js'
import { readCut } from '../src/validate/kinds/cut.js'
import { curveOf, solve } from '../src/validate/solve.js'

type Cut = DefinitionOf<'cut'>
type Method = 'mom' | 'sbr'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    device: { type: 'string', default: 'auto' },
    method: { type: 'string', multiple: true, default: ['mom', 'sbr'] },
    figure: { type: 'string' },
    prime16: { type: 'boolean', default: false },
  },
})
if (values.data === undefined) throw new Error('give the folder of the suite’s files, --data DIR')
const folders = packageFolders(values.data)
const machine = { device: values.device as 'auto' | 'gpu' | 'cpu' }
const cuts = readDefinitions(folders.validation).filter(
  (d): d is Cut =>
    d.kind === 'cut' &&
    d.tags.includes('austin') &&
    !d.name.includes('measured') &&
    d.solver.method === undefined &&
    (positionals.length === 0 || positionals.some((part) => d.name.includes(part))),
)

/** The suite's measure: mean of |difference| over the cut, both curves raised to 80 dB below the reference's maximum [dB]. */
function suiteError(ours: ArrayLike<number>, reference: Float64Array): number {
  const floor = reference.reduce((most, x) => Math.max(most, x), -Infinity) - 80
  const sum = reference.reduce(
    (all, x, i) => all + Math.abs(Math.max(ours[i], floor) - Math.max(x, floor)),
    0,
  )
  return sum / reference.length
}

const points: Record<Method, { seconds: number; error: number }[]> = { mom: [], sbr: [] }
const digits = (x: number): string => x.toFixed(2)

console.log('# Conductors of the Austin suite\n')
console.log(
  'Mean of |difference| from the suite’s reference over the cut, VV / HH [dB], both curves raised to 80 dB below its maximum; seconds with everything from the mesh on.\n',
)
console.log(
  '| set | directions | method | VV | HH | seconds | device |\n| --- | --- | --- | --- | --- | --- | --- |',
)
for (const d of cuts) {
  const { aspects, pick } = readCut(d, folders)
  for (const method of values.method as Method[]) {
    const start = performance.now()
    const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
    const solved = await solve(loaded, aspects, { f0: d.freqHz, df: 0, n: 1 }, machine, {
      ...d.solver,
      method,
    })
    const seconds = (performance.now() - start) / 1000
    const errors = (['vv', 'hh'] as const).map((channel) =>
      suiteError(curveOf(solved.total, channel), pick(d.reference.sigma[channel]!)),
    )
    points[method].push({ seconds, error: (errors[0] + errors[1]) / 2 })
    console.log(
      `| ${d.name} | ${aspects.length} | ${method} | ${errors.map(digits).join(' | ')} | ${digits(seconds)} | ${solved.device} |`,
    )
  }
}

if (values.prime16) {
  const cut = cuts.find((d) => d.name === 'austin-prime-7ghz')
  if (!cut) throw new Error('--prime16 takes the mesh of austin-prime-7ghz')
  const mesh = await definedMesh(cut.mesh, folders)
  const scale = 15.06 / (9.1875 * 0.0254)
  const positions = mesh.positions.map((x) => scale * x)
  const aspects = Array.from({ length: 361 }, (_, i) => direction(90, i / 2)).map((d) => ({ tx: d, rx: d }))
  const start = performance.now()
  const loaded = targetOf({ ...mesh, positions }, 'prime')
  const solved = await solve(loaded, aspects, { f0: 320e6, df: 0, n: 1 }, machine, { method: 'mom' })
  console.log(
    `| PRIME, 15.06 m, 320 MHz | ${aspects.length} | mom | – | – | ${digits((performance.now() - start) / 1000)} | ${solved.device} |`,
  )
}

/** Case 4 of Study 1 as its authors print it: mean of VV and HH [dB], seconds of all processes. */
const PUBLISHED = [
  [0.77, 1.31, 4.0e4 * 16],
  [0.36, 0.42, 5.7e4 * 128],
  [0.77, 1.32, 3.3e4 * 4],
  [0.36, 0.42, 5.5e4 * 16],
  [0.13, 0.16, 1.0e5 * 64],
  [0.03, 0.05, 1.9e5 * 256],
  [0.77, 1.31, 1.2e4 * 8],
].map(([vv, hh, seconds]) => ({ error: (vv + hh) / 2, seconds }))

if (values.figure !== undefined) {
  const series = [
    { name: 'full wave', of: points.mom },
    { name: 'rays and edges', of: points.sbr },
    { name: 'published, PRIME of 16 λ, all processes', of: PUBLISHED },
  ].filter(({ of }) => of.length > 0)
  const svg = linePlot({
    title: 'Error over cost, conductors of the Austin suite',
    subtitle: 'mean |difference| of VV and HH, 80 dB below the maximum and more left out',
    xTitle: 'log₁₀ of seconds',
    yTitle: 'error [dB]',
    series: series.map(({ name, of }) => ({
      name,
      x: of.map(({ seconds }) => Math.log10(seconds)),
      y: of.map(({ error }) => error),
      style: 'points' as const,
    })),
  })
  writeFileSync(values.figure, await svgToPng(svg))
}
