/**
 * Fits the factors of the model error (run/model-factors.ts) on the fitting half of the random bodies (`reproduction/truth`), and prints the
 * coverage of the bars on both halves and on the validation cuts, as Markdown (docs/tables/model-error.md). Two threads a cut, on all cores.
 *
 *     npm run docs -- model-error [--data DIR …], or node dist/reproduction/model-error.js [--data DIR …] [--write]
 *
 * `--data`: a folder with more cuts (NAME__….csv and NAME.stl as in test/validation/mom), or with the UT Austin RCS suite, whose tables have
 * no amplitudes. `--write` writes both files; then build again.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createEdgeEngine, buildEdgeScene, SECOND_ORDER, UNIFORM } from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { readMesh } from '../formats/index.js'
import { type AspectField, CHANNELS, MAX_BOUNCES, symmetrise } from '../rays/index.js'
import type { Mesh } from '../scene/index.js'
import { MODEL_COVERAGE, modelTerms, type Order } from '../run/error-estimate.js'
import { eachInFlight, stoppable } from '../run/sweep/index.js'
import { readColumns, readDefinitions } from '../src/validate/definition.js'
import { definedMesh, packageFolders, targetOf } from '../src/validate/meshes.js'
import { markdownTable } from '../src/validate/report.js'
import { DEFAULT_SBR, monostatic } from './cases.js'
import { argumentsOf } from './kit.js'
import { coverage, fitFactors, type Sample } from './model-fit.js'
import { readTruth, type TrueBody } from './truth/truth.js'

const ORDERS = ['none', 'first', 'second'] as const satisfies readonly Order[]
/** Approximate number of rows used per cut. */
const ROWS = 90
/** Channels with a largest amplitude below this fraction of the cut's are omitted: they vanish by symmetry, or are stored to few digits. */
const LEAST = 1e-3
const HALVES = ['fitted', 'judging', 'validation', 'level only'] as const

interface Cut {
  /** Of a random body its family. */
  name: string
  half: (typeof HALVES)[number]
  mesh: Mesh
  freqHz: number
  theta: number[]
  phi: number[]
  /** Reference by channel: amplitudes re, im interleaved, or their magnitudes alone [m]. */
  reference: Partial<Record<(typeof CHANNELS)[number], { f?: Float64Array; size: Float64Array }>>
}

/** Results of one channel of a cut, for each order of edges. */
interface Curve {
  name: string
  channel: string
  half: Cut['half']
  samples: Record<Order, Sample[]>
}

async function amplitudeCuts(folder: string): Promise<Cut[]> {
  const files = readdirSync(folder).filter((file) => /__.*\.csv$/.test(file))
  return Promise.all(
    files.map(async (file) => {
      const [target] = file.split('__')
      const table = readColumns(join(folder, file))
      const step = Math.max(1, Math.round(table.rows / ROWS))
      const pick = (name: string): number[] => [...table.column(name)].filter((_, i) => i % step === 0)
      const reference: Cut['reference'] = {}
      for (const channel of ['vv', 'hh', 'hv'] as const) {
        const [re, im] = [pick(`re_f_${channel}`), pick(`im_f_${channel}`)]
        reference[channel] = {
          f: Float64Array.from(re.flatMap((x, i) => [x, im[i]])),
          size: Float64Array.from(re, (x, i) => Math.hypot(x, im[i])),
        }
      }
      return {
        name: file.replace(/\.csv$/, ''),
        half: 'validation' as const,
        mesh: await readMesh(join(folder, `${target}.stl`)),
        freqHz: table.column('freq_hz')[0],
        theta: pick('theta_deg'),
        phi: pick('phi_deg'),
        reference,
      }
    }),
  )
}

/** The full-wave tables of the UT Austin suite: levels alone. */
async function levelCuts(folder: string): Promise<Cut[]> {
  const folders = packageFolders(folder)
  const cuts: Cut[] = []
  for (const d of readDefinitions(folders.validation)) {
    if (d.kind !== 'cut' || !d.reference.data || d.name.includes('measured')) continue
    const table = readColumns(folders.data(d.reference.data))
    const step = Math.max(1, Math.round(table.rows / ROWS))
    const angle = (a: typeof d.reference.theta): number[] =>
      Array.from({ length: table.rows }, (_, i) =>
        typeof a === 'number' ? a : a.scale * table.column(a.column)[i] + a.offset,
      ).filter((_, i) => i % step === 0)
    const reference: Cut['reference'] = {}
    for (const channel of ['vv', 'hh'] as const) {
      const column = d.reference.sigma[channel]
      if (!column) continue
      const sigma = table.column(column).filter((_, i) => i % step === 0)
      reference[channel] = { size: sigma.map((db) => Math.sqrt(10 ** (db / 10) / (4 * Math.PI))) }
    }
    const mesh = await definedMesh(d.mesh, folders)
    const { theta, phi } = d.reference
    cuts.push({ name: d.name, half: 'level only', mesh, freqHz: d.freqHz, theta: angle(theta), phi: angle(phi), reference }) // prettier-ignore
  }
  return cuts
}

/** The monostatic cut of a random body. */
function truthCut({ body, truth }: TrueBody): Cut {
  const of = (c: number): { f: Float64Array; size: Float64Array } => {
    const f = Float64Array.from(body.monostatic.flatMap((_, a) => [...truth.fields.subarray(8 * a + 2 * c, 8 * a + 2 * c + 2)])) // prettier-ignore
    return { f, size: Float64Array.from(body.monostatic, (_, a) => Math.hypot(f[2 * a], f[2 * a + 1])) }
  }
  return {
    name: body.family,
    half: body.half === 'fit' ? 'fitted' : 'judging',
    mesh: body.mesh,
    freqHz: body.freqHz,
    theta: body.monostatic.map(({ tx }) => tx.thetaDeg),
    phi: body.monostatic.map(({ tx }) => tx.phiDeg),
    reference: { vv: of(0), hh: of(1), hv: of(3) },
  }
}

async function curvesOf({ name, half, mesh, freqHz, theta, phi, reference }: Cut): Promise<Curve[]> {
  const { target, scene } = targetOf(mesh, name)
  const sbr = createCpuEngine(scene, target.area, 2)
  const edges = createEdgeEngine(buildEdgeScene(target, 160, scene.origin), scene, { workers: 2 })
  const band = { f0: freqHz, df: 0, n: 1 }
  const rays = { ...DEFAULT_SBR, maxBounces: MAX_BOUNCES }
  const options = { diffraction: 'tw-ildc', secondOrder: SECOND_ORDER, apart: true } as const
  const fields: Record<Order, AspectField[]> = { none: [], first: [], second: [] }
  /** As a run of each order has it: first order is compared with the uniform theory, the default with first order. */
  const changes: Record<Order, AspectField[]> = { none: fields.none, first: [], second: [] }
  await Promise.all(
    theta.map(async (t, a) => {
      const aspect = monostatic(t, phi[a])
      const { field: alone } = await sbr.field({ aspect, band, options: rays })
      const [first, ...parts] = (await edges.field({ aspect, band, options })).parts!
      const sum = (some: AspectField[]): AspectField =>
        alone.map((_, i) => some.reduce((total, field) => total + field[i], 0))
      fields.none[a] = alone
      fields.first[a] = sum([alone, first])
      fields.second[a] = sum([alone, first, ...parts])
      changes.first[a] = sum(parts.filter((_, m) => UNIFORM.includes(SECOND_ORDER[m])))
      changes.second[a] = sum(parts)
      for (const field of [alone, fields.first[a], fields.second[a], changes.first[a], changes.second[a]])
        symmetrise(field)
    }),
  )
  await Promise.all([sbr.close(), edges.close()])
  const largest = Math.max(...Object.values(reference).flatMap(({ size }) => [...size]))
  return Object.entries(reference).flatMap(([channel, { f, size }]) => {
    if (Math.max(...size) < LEAST * largest) return []
    const c = CHANNELS.indexOf(channel as (typeof CHANNELS)[number])
    const samplesOf = (order: Order): Sample[] => {
      const terms = modelTerms(changes[order], [freqHz])
      return fields[order].map((field, a) => {
        const [re, im] = [field[2 * c], field[2 * c + 1]]
        const amplitude = Math.hypot(re, im)
        const error = f ? Math.hypot(re - f[2 * a], im - f[2 * a + 1]) : Math.abs(amplitude - size[a])
        return { amplitude, error, terms: [terms[a][2 * c], terms[a][2 * c + 1]] }
      })
    }
    const samples = { none: samplesOf('none'), first: samplesOf('first'), second: samplesOf('second') }
    return [{ name, channel: channel.toUpperCase(), half, samples }]
  })
}

const { values } = argumentsOf({ data: [] as string[], write: false })
const cuts: Cut[] = readTruth().map(truthCut)
for (const folder of ['test/validation/mom', ...values.data])
  cuts.push(
    ...(existsSync(join(folder, 'MEAS_VS_SIM.csv')) ? await levelCuts(folder) : await amplitudeCuts(folder)),
  )
const found: Curve[][] = []
await eachInFlight(cuts.keys(), Math.ceil(availableParallelism() / 2), stoppable(), async (i) => {
  console.error(`${i + 1} of ${cuts.length}: ${cuts[i].name}`)
  found[i] = await curvesOf(cuts[i])
})
const curves = found.flat()

const of = (half: Cut['half'], order: Order): Sample[][] =>
  curves.filter((c) => c.half === half).map((c) => c.samples[order])
const factors = Object.fromEntries(
  ORDERS.map((order) => [order, fitFactors(of('fitted', order), MODEL_COVERAGE)]),
) as Record<Order, [number, number]>

const percent = (x: number): string => `${(100 * x).toFixed(0)} %`
const EDGES = { none: 'none', first: 'first order', second: 'first and second order' }
/** Coverage of a half by bars with given factors. */
function covers(order: Order, half: string, samples: Sample[][], of: [number, number]): string[][] {
  if (samples.length === 0) return []
  const each = samples.map((curve) => coverage(curve, of))
  const covered = each.map((x) => x.covered)
  const bars = each.map((x) => x.barDb).sort((a, b) => a - b)
  const mean = covered.reduce((a, b) => a + b) / covered.length
  const below = covered.filter((x) => x < 0.8).length
  const least = percent(Math.min(...covered))
  // prettier-ignore
  return [[EDGES[order], half, String(each.length), percent(mean), String(below), least, bars[bars.length >> 1].toFixed(1)]]
}
const summary = markdownTable(
  ['edges', 'half', 'curves', 'covered', 'curves below 80 %', 'least of a curve', 'bar, median [dB]'],
  ORDERS.flatMap((order) => HALVES.flatMap((half) => covers(order, half, of(half, order), factors[order]))),
  [2, 3, 4, 5, 6],
)
/** Curves of one name, half and channel as one. */
const groups = new Map<string, Curve[]>()
for (const curve of curves) {
  const key = [curve.name, curve.half, curve.channel].join('|')
  groups.set(key, [...(groups.get(key) ?? []), curve])
}
const all = markdownTable(
  [
    'cut or family',
    'half',
    'channel',
    ...ORDERS.flatMap((order) => [`${EDGES[order]}: covered`, 'bar [dB]']),
  ],
  [...groups].map(([key, some]) => [
    ...key.split('|'),
    ...ORDERS.flatMap((order) => {
      const { covered, barDb } = coverage(
        some.flatMap(({ samples }) => samples[order]),
        factors[order],
      )
      return [percent(covered), barDb.toFixed(1)]
    }),
  ]),
  [3, 4, 5, 6, 7, 8],
)
const page = `# Coverage of the model error

[Error estimates](../error-estimate.md) says what the model error is; \`--data\` gives the cuts that are not in \`test/validation/mom\`. Its factors are fitted on the fitting half of the random bodies of the [ledger](../mechanisms.md), monostatic, so that the bars cover ${percent(MODEL_COVERAGE)} of it, each curve (a channel of a cut) counting the same. Nothing is fitted to the judging half, nor to the validation cuts.
Covered: |F − F'| of the complex amplitudes is within the bar. Level only: tables without amplitudes, where ||F| − |F'|| is within the bar, which is easier. Bar: median of
20 log10(1 + bar / |F|).

${summary}

## By cut or family

${all}
`
console.log(page)
console.log(JSON.stringify(factors))
if (values.write) {
  const rows = ORDERS.map(
    (order) => `  ${order}: [${factors[order].map((x) => Number(x.toPrecision(4))).join(', ')}],`,
  )
  writeFileSync(
    'run/model-factors.ts',
    `/**
 * Factors of the model error (docs/error-estimate.md). Written by \`node dist/reproduction/model-error.js --write\`: do not edit.
 *
 * By what edge diffraction a run has, as multiples of two mean squares of the result: of the change from first to second order (of |F|
 * where the run has no edges), and of the wavelength.
 */
export const MODEL_FACTORS: Record<'none' | 'first' | 'second', [change: number, wavelength: number]> = {
${rows.join('\n')}
}
`,
  )
  writeFileSync('docs/tables/model-error.md', page)
}
