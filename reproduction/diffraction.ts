// Edges of whole targets on one core, without rays and without a GPU: per direction, warm, by processor time.
//   npm run build && node dist/reproduction/diffraction.js [MESH …] [--freq 10e9] [--frequencies 128] [--directions 12] [--second-order]
//     [--segments-per-wavelength 0]
// MESH: a sample or a stand-in for meshes from the web by its name, or a file, FILE@20 scaled to a largest side of 20 m. Frequencies are of a
// band of 15 %. Segments 0: cut where strips change. Times are the better of two rounds, their mean over the directions but the first.
import { buildEdgeScene, createEdgeEngine, SECOND_ORDER } from '../cpu-diffraction/index.js'
import { facetCount } from '../scene/index.js'
import { textTable, thousands } from '../src/compare.js'
import { allAround, meshCase } from './cases.js'
import { argumentsOf, processor } from './kit.js'

const { values, words } = argumentsOf({
  /** 0: as each mesh has it. */
  freq: 0,
  frequencies: 128,
  directions: 12,
  'second-order': false,
  'segments-per-wavelength': 0,
})
const { frequencies: n, directions } = values
const options = {
  diffraction: 'tw-ildc',
  secondOrder: values['second-order'] ? SECOND_ORDER : [],
  segmentsPerWavelength: values['segments-per-wavelength'] || undefined,
} as const
const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length

async function row(name: string): Promise<string[]> {
  const { mesh, freqHz } = await meshCase(name, 20, values.freq || undefined)
  const { target, scene } = mesh
  const edges = buildEdgeScene(target, 160, scene.origin)
  const engine = createEdgeEngine(edges, scene, { workers: 0 })
  const band = n > 1 ? { f0: 0.925 * freqHz, df: (0.15 * freqHz) / (n - 1), n } : { f0: freqHz, df: 0, n }
  const { aspects } = allAround(directions + 1, band)
  const best = aspects.map(() => Infinity)
  const counts = { tried: 0, lit: 0 }
  for (let round = 0; round < 2; round++)
    for (const [i, aspect] of aspects.entries()) {
      const before = process.cpuUsage()
      const result = await engine.field({ aspect, band, options })
      const { user, system } = process.cpuUsage(before)
      best[i] = Math.min(best[i], (user + system) / 1e3)
      counts.tried += result.consideredSegments / (2 * aspects.length)
      counts.lit += result.visibleSegments / (2 * aspects.length)
    }
  await engine.close()
  return [
    name,
    ...[facetCount(target), edges.count].map(thousands),
    mean(best.slice(1)).toFixed(1),
    ...[counts.tried, counts.lit].map(thousands),
  ]
}

const rows: string[][] = []
for (const name of words.length > 0 ? words : ['cube', 'aircraft', 'aircraft-a', 'found-a'])
  rows.push(await row(name))
console.log(
  `${processor()}; ${n} frequencies, ${directions} directions, ${values['second-order'] ? 'with second order' : 'first order'}`,
)
console.log(
  textTable(['mesh', 'facets', 'diffracting edges', 'ms a direction', 'segments tried', 'lit'], rows),
)
