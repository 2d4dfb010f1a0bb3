// Draws the figures of docs/propagation.md from samples/tunnel.json and samples/madrid-grid.json, and prints the numbers that it
// quotes. About four minutes on two cores.
//   npm run build && node dist/reproduction/propagate-figures.js [folder, docs/figures/propagation]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  buildPropagation,
  createCpuPropagation,
  imageTheory,
  type PropagationResult,
  type Reception,
  subdivisionFor,
} from '../propagation/index.js'
import { C0, type Vec3 } from '../scene/index.js'
import { linePlot, type LinePlot, svgToPng } from '../views/figures/node.js'
import { loadScene, type LoadedScene } from '../propagation/scene/load-scene.js'
import { setPlot } from '../views/figures/propagation-plots.js'
import { PropagationTable } from '../propagation/results/table.js'

const folder = process.argv[2] ?? 'docs/figures/propagation'
mkdirSync(folder, { recursive: true })
const draw = async (name: string, plot: LinePlot): Promise<void> =>
  writeFileSync(join(folder, `${name}.png`), await svgToPng(linePlot(plot)))

const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]
const mean = (x: number[]): number => x.reduce((s, v) => s + v, 0) / x.length
const correlation = (x: number[], y: number[]): number => {
  const [mx, my] = [mean(x), mean(y)]
  const cov = x.reduce((s, v, i) => s + (v - mx) * (y[i] - my), 0)
  return cov / Math.sqrt(x.reduce((s, v) => s + (v - mx) ** 2, 0) * y.reduce((s, v) => s + (v - my) ** 2, 0))
}

async function solve(
  loaded: LoadedScene,
  given: { rays?: number; maxReflections?: number; diffraction?: boolean; reception?: Reception } = {},
): Promise<PropagationTable> {
  const scene = { ...loaded.scene, ...given }
  const built = buildPropagation(scene)
  const engine = createCpuPropagation(built.setup, availableParallelism())
  const result: PropagationResult = await engine.run({
    subdivision: subdivisionFor(given.rays ?? loaded.file.rays),
  })
  await engine.close()
  return new PropagationTable({ ...loaded, scene }, result, built)
}

const setGains = (table: PropagationTable, name: string): { x: number[]; y: number[] } => {
  const set = table.loaded.sets.find((s) => s.name === name)!
  return {
    x: Array.from(set.along!),
    y: Array.from({ length: set.count }, (_, i) => table.gain(set.first + i, 0, 'vv')),
  }
}

await tunnel()
await madrid()
process.exit(0)

async function tunnel(): Promise<void> {
  const loaded = await loadScene('samples/tunnel.json')
  const reference = new Map(
    readFileSync('test/validation/analytic/g_tunnel_4x4_eps5_1GHz.csv', 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').map(Number))
      .map(([z, gain]) => [z.toFixed(2), gain]),
  )
  console.log(
    '| reception | rays | reflections | paths | seconds | median error [dB] | 95 % [dB] | largest [dB] | correlation |',
  )
  console.log('| :-- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  let shown: { x: number[]; y: number[] } | null = null
  const cases: [Reception, number, number][] = [
    ['spheres', 100_000, 20],
    ['spheres', 400_000, 20],
    ['spheres', 1_600_000, 20],
    ['spheres', 2_500_000, 20],
    ['exact', 25_000, 20],
    ['exact', 100_000, 20],
    ['exact', 400_000, 20],
    ['exact', 400_000, 40],
    ['exact', 1_200_000, 40],
  ]
  for (const [reception, rays, maxReflections] of cases) {
    const table = await solve(loaded, { rays, maxReflections, reception })
    const { x, y } = setGains(table, 'axis')
    const z = x.map((along) => (along + 1).toFixed(2))
    const use = z.flatMap((name, i) => (Number(name) >= 10 && reference.has(name) ? [i] : []))
    const errors = use.map((i) => Math.abs(y[i] - reference.get(z[i])!)).sort((a, b) => a - b)
    const r = correlation(
      use.map((i) => y[i]),
      use.map((i) => reference.get(z[i])!),
    )
    console.log(
      `| ${reception} | ${rays} | ${maxReflections} | ${table.result.statistics.paths} | ${table.result.seconds.toFixed(1)} | ${median(errors).toFixed(5)} | ${errors[Math.floor(0.95 * errors.length)].toFixed(4)} | ${errors.at(-1)!.toFixed(3)} | ${r.toFixed(6)} |`,
    )
    shown = { x: use.map((i) => Number(z[i])), y: use.map((i) => y[i]) }
  }
  await draw('tunnel', {
    title: 'Tunnel 4 x 4 m, εr = 5, 1 GHz',
    subtitle:
      'transmitter (1.1, 2.1, 0), receivers (1.9, 1.7, z) · vertical isotropic antennas · 1.2 million rays, 40 reflections',
    xTitle: 'Distance along the tunnel z [m]',
    yTitle: 'Path gain [dB]',
    series: [
      {
        name: 'image theory',
        x: shown!.x,
        y: shown!.x.map((z) => reference.get(z.toFixed(2))!),
        style: 'points',
      },
      { name: 'isar propagate', ...shown! },
    ],
  })
}

async function madrid(): Promise<void> {
  const loaded = await loadScene('samples/madrid-grid.json')
  const rays = await solve(loaded)
  const edges = await solve(loaded, { diffraction: true })
  const sight = setGains(rays, 'A-B-C')
  const set = loaded.sets.find((s) => s.name === 'A-B-C')!
  const { transmitter, transmitAntenna, receiveAntenna, freqHz } = loaded.scene
  const wall: [number, number] = [4.5, (-0.09 * 17.975103) / (freqHz[0] / 1e9)]
  const ground = {
    min: [-1e4, -1e4, 0] as Vec3,
    max: [1e4, 1e4, 1e4] as Vec3,
    walls: ['open', 'open', 'open', 'open', wall, 'open'] as ('open' | [number, number])[],
  }
  const twoRay = sight.x.map((_, i) => {
    const receiver = rays.position(set.first + i)
    const link = {
      transmitter,
      receiver,
      freqHz: freqHz[0],
      transmitAntenna,
      receiveAntenna,
      transmit: 'v' as const,
    }
    const { transfer } = imageTheory(ground, link, 1)
    return 10 * Math.log10(transfer[0] ** 2 + transfer[1] ** 2)
  })
  const friis = sight.x.map(
    (_, i) => 20 * Math.log10(C0 / freqHz[0] / (4 * Math.PI * rays.distance(set.first + i))) + 2.15,
  )
  const withEdges = setGains(edges, 'A-B-C')
  await draw('madrid-sight', {
    title: 'Madrid grid, line of sight along A–B–C',
    subtitle: '5 GHz · half-wave dipole at 10 m, receivers at 5 m · 8 reflections',
    xTitle: 'Distance along the street [m]',
    yTitle: 'Path gain [dB]',
    depth: 60,
    series: [
      { name: 'rays', ...sight },
      { name: 'rays and edges', ...withEdges, style: 'dashed' },
      { name: 'two rays over ground', x: sight.x, y: twoRay },
    ],
  })
  const smooth = (y: number[]): number => 10 * Math.log10(mean(y.map((g) => 10 ** (g / 10))))
  console.log(
    `A-B-C    mean gain: rays ${smooth(sight.y).toFixed(2)}, with edges ${smooth(withEdges.y).toFixed(2)}, two rays ${smooth(twoRay).toFixed(2)}, free space ${smooth(friis).toFixed(2)} dB`,
  )
  console.log(
    `A-B-C    edges change ${median(sight.y.map((g, i) => Math.abs(g - withEdges.y[i]))).toFixed(4)} dB in the median`,
  )
  const corner = setGains(rays, 'B-D')
  const cornerEdges = setGains(edges, 'B-D')
  const more = setGains(await solve(loaded, { maxReflections: 20, rays: 1_600_000 }), 'B-D')
  await draw('madrid-corner', {
    title: 'Madrid grid, around the corner along B–D',
    subtitle: '5 GHz · half-wave dipole at 10 m, receivers at 5 m',
    xTitle: 'Distance from the crossing B [m]',
    yTitle: 'Path gain [dB]',
    yRange: [-180, -70],
    series: [
      { name: 'rays, 8 reflections', ...corner },
      { name: 'rays, 20 reflections', ...more },
      { name: '8 reflections and edges', ...cornerEdges, style: 'dashed' },
    ],
  })
  for (const at of [5, 12, 20, 40, 60, 80, 100, 120]) {
    const [a, b, c] = [corner, more, cornerEdges].map(({ y }) => smooth(y.slice(at - 4, at + 5)).toFixed(1))
    console.log(`B-D      around ${at} m: 8 reflections ${a}, 20 reflections ${b}, with edges ${c} dB`)
  }
  const map = loaded.sets.find((s) => s.name === 'map')!
  writeFileSync(join(folder, 'madrid-map.png'), await svgToPng(setPlot(edges, map)))
}
