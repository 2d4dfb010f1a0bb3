// Paper 004 (radio propagation by SBR on GPUs), table by table: docs/papers/004.md.
//   node dist/reproduction/paper-004.js [PART…] [--quick] [--page] [--out docs]
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { GpuContext } from '../gpu/index.js'
import {
  antennaAxes,
  boxMesh,
  buildPropagation,
  createCpuPropagation,
  createGpuPropagation,
  imageTheory,
  type PropagationResult,
  type PropagationSetup,
  rayCount,
  type Reception,
  subdivisionFor,
} from '../propagation/index.js'
import { batchVertices, launchBatches } from '../propagation/paths/geodesic.js'
import { PathFinder } from '../propagation/paths/path-walker.js'
import { looseCaster, RayBatch } from '../propagation/paths/ray-batch.js'
import { PropagationTable } from '../propagation/results/table.js'
import { type LoadedScene, loadScene } from '../propagation/scene/load-scene.js'
import type { ReceiverIndex } from '../propagation/setup.js'
import { facetPlanes } from '../rays/index.js'
import { C0, type Vec3 } from '../scene/index.js'
import {
  figure,
  fromZero,
  type Paper,
  part,
  percent,
  rounded,
  type Run,
  runPaper,
  seconds,
  steps,
} from './papers/kit.js'
import { isProgram, median } from './kit.js'

/**
 * Amdahl's law T = T1 (1 - p + p / n) fitted to times (least squares in log T): the parallel part p and T1. The time of one lane
 * may be missing.
 */
function amdahl(points: { n: number; time: number }[]): { p: number; one: number } {
  const offset = (p: number): number =>
    points.reduce((s, { n, time }) => s + Math.log(time / (1 - p + p / n)), 0) / points.length
  const misfit = (p: number): number =>
    points.reduce((s, { n, time }) => s + (Math.log(time / (1 - p + p / n)) - offset(p)) ** 2, 0)
  // In log(1 - p), for p from 0 to 1 - 1e-8.
  let [low, high] = [Math.log(1e-8), 0]
  const golden = (Math.sqrt(5) - 1) / 2
  for (let i = 0; i < 100; i++) {
    const [a, b] = [high - golden * (high - low), low + golden * (high - low)]
    if (misfit(1 - Math.exp(a)) < misfit(1 - Math.exp(b))) high = b
    else low = a
  }
  const p = 1 - Math.exp((low + high) / 2)
  return { p, one: Math.exp(offset(p)) }
}

const RECEIVERS = 791
const REFLECTIONS = 20
/** Rays of a CPU batch. */
const BATCH = 8192
/** Seconds of a run that is not repeated. */
const SLOW = 2
/** Seconds of the serial column that are measured for each way of reception: the larger numbers of rays are scaled from there. */
const SERIAL_LIMIT = 6

/** The paper's tunnel: 4 x 4 x 1000 m, epsilon_r 5, 1 GHz, receivers from 10 to 800 m. */
function tunnel(reception: Reception): PropagationSetup {
  const isotropic = { pattern: { kind: 'isotropic' as const }, ...antennaAxes([0, 1, 0]) }
  return buildPropagation({
    mesh: boxMesh([0, 0, 0], [4, 4, 1000], ['-z', '+z'], true),
    materials: () => [{ epsilonR: 5, sigma: 0 }],
    transmitter: [1.1, 2.1, 0],
    transmitAntenna: isotropic,
    receiveAntenna: isotropic,
    receivers: Float64Array.from(steps(0, RECEIVERS - 1, 1).flatMap((z) => [1.9, 1.7, 10 + z])),
    freqHz: [1e9],
    transmit: ['v'],
    maxReflections: REFLECTIONS,
    reception,
    diffraction: false,
  }).setup
}

const mean = (x: number[]): number => x.reduce((s, v) => s + v, 0) / x.length

// Table I.

interface Times {
  rays: number
  /** Serial and parallel, spheres as in the paper and exact paths [s]; null where not measured. */
  serial: Record<Reception, number | null>
  /** The serial times are those of fewer rays, by their number. */
  scaled: Record<Reception, boolean>
  parallel: Record<Reception, number | null>
}

const serially = ({ serial, scaled }: Times, of: Reception): string =>
  `${seconds(serial[of])}${scaled[of] ? ' (at most: scaled by rays)' : ''}`

const TABLE_1 = part<Times[]>({
  name: 'table-1',
  takes: 'two minutes, most of it the serial column',
  items: 'Table I',
  async measure(run) {
    const found: Times[] = []
    const spent = { exact: 0, spheres: 0 }
    for (const rays of run.quick ? [10e3, 20e3] : [100e3, 400e3, 900e3, 1600e3]) {
      const row: Times = {
        rays: 0,
        serial: { exact: null, spheres: null },
        scaled: { exact: false, spheres: false },
        parallel: { exact: null, spheres: null },
      }
      const subdivision = subdivisionFor(rays)
      row.rays = rayCount(subdivision)
      for (const reception of ['spheres', 'exact'] as const) {
        const setup = tunnel(reception)
        const before = found.findLast((f) => !f.scaled[reception])
        row.scaled[reception] = spent[reception] > SERIAL_LIMIT
        if (row.scaled[reception])
          row.serial[reception] = (before!.serial[reception]! * row.rays) / before!.rays
        else {
          const { seconds: took } = await createCpuPropagation(setup, 0).run({ subdivision })
          row.serial[reception] = took
          spent[reception] += took
        }
        if (!run.gpu) continue
        const engine = createGpuPropagation(run.gpu, setup)
        const times: number[] = []
        for (let i = 0; i < 4; i++) times.push((await engine.run({ subdivision })).seconds)
        // The first run compiles and allocates.
        row.parallel[reception] = median(times.slice(1))
      }
      found.push(row)
      run.keep(found)
      run.say(`${row.rays} rays`)
    }
    return found
  },
  rows(found) {
    const paper = [[852, 1, 852], [6181, 2.6, 2372], [29638, 4.5, 6565], [86214, 6.5, 13263]] // prettier-ignore
    const ratio = (a: number | null, b: number | null): string => (a && b ? `${figure(a / b)} times` : '–')
    return found.map((row, i) => {
      const [serial, parallel, gain] = paper[i]
      const { spheres, exact } = row.parallel
      return {
        item: `Table I: ${row.rays.toLocaleString('en-US')} rays`,
        paper: `serial ${serial} s, parallel ${parallel} s: ${gain} times`,
        ours: `spheres: ${serially(row, 'spheres')}, ${seconds(spheres)}: ${ratio(row.serial.spheres, spheres)}; exact paths: ${serially(row, 'exact')}, ${seconds(exact)}: ${ratio(row.serial.exact, exact)}`,
        verdict: spheres
          ? `parallel better by ${figure(parallel / spheres)} times, serial by ${figure(serial / row.serial.spheres!)}: the gain is smaller because the serial code here has a BVH of receivers and grows with rays, the paper's with more than their square`
          : `serial better by ${figure(serial / row.serial.spheres!)} times; no GPU`,
      }
    })
  },
})

// Figure 4.

/** An index that excludes nothing: leaves with infinite boxes, so that every receiver is tested. */
function everyReceiver({ points, order }: ReceiverIndex): ReceiverIndex {
  const LEAF = 15
  const count = Math.ceil(order.length / LEAF)
  const nodes = new Float32Array(new SharedArrayBuffer(32 * count))
  const words = new Uint32Array(nodes.buffer)
  for (let n = 0; n < count; n++) {
    nodes.fill(-1e30, 8 * n, 8 * n + 3)
    nodes.fill(1e30, 8 * n + 4, 8 * n + 7)
    words[8 * n + 3] = n + 1
    words[8 * n + 7] = LEAF * n * 16 + Math.min(LEAF, order.length - LEAF * n)
  }
  return { points, order, nodes }
}

/** 0 ... count - 1 in an order with evenly distributed prefixes: steps of the golden ratio. */
const spread = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => ((a * 0.6180339887) % 1) - ((b * 0.6180339887) % 1),
  )

/** Seconds of one thread to find the spheres, scaled by rays where `limit` ends it. */
function serialSpheres(setup: PropagationSetup, n: number, limit: number): number {
  const batches = launchBatches(n, BATCH)
  const all = batches.reduce((s, batch) => s + batchVertices(batch), 0)
  const loose = looseCaster(setup.scene, facetPlanes)
  let [time, rays] = [0, 0]
  for (const i of spread(batches.length)) {
    const batch = new RayBatch(setup, loose, batches[i])
    batch.trace()
    const finder = new PathFinder(setup, batches[i], batch)
    const start = performance.now()
    finder.listSpheres()
    time += (performance.now() - start) / 1000
    rays += batchVertices(batches[i])
    if (time > limit) break
  }
  return (time * all) / rays
}

async function parallelSpheres(
  gpu: GpuContext,
  setup: PropagationSetup,
  subdivision: number,
): Promise<number> {
  const engine = createGpuPropagation(gpu, setup)
  const times: number[] = []
  for (let i = 0; i < 4; i++) {
    await engine.run({ subdivision })
    times.push(engine.times.spheres)
  }
  return median(times.slice(1))
}

interface Spheres {
  rays: number
  every: { serial: number; parallel: number | null }
  bvh: { serial: number; parallel: number | null }
}

const speedUp = ({ serial, parallel }: { serial: number; parallel: number | null }): number =>
  parallel ? serial / parallel : 0

const FIGURE_4 = part<Spheres[]>({
  name: 'figure-4',
  takes: 'a minute',
  items: 'Figure 4',
  async measure(run) {
    const setup = tunnel('spheres')
    const found: Spheres[] = []
    for (const rays of run.quick ? [5e3, 10e3] : [100e3, 500e3, 1e6, 1.75e6, 2.5e6]) {
      const n = subdivisionFor(rays)
      const of = async (receivers: ReceiverIndex) => {
        const given = { ...setup, receivers }
        return {
          serial: serialSpheres(given, n, run.quick ? 1 : 3),
          parallel: run.gpu ? await parallelSpheres(run.gpu, given, n) : null,
        }
      }
      found.push({ rays: rayCount(n), every: await of(everyReceiver(setup.receivers)), bvh: await of(setup.receivers) })
      run.keep(found)
      run.say(`${rayCount(n)} rays`)
    }
    return found
  },
  rows(found) {
    const last = found[found.length - 1]
    const most = Math.max(...found.map(({ every }) => speedUp(every)))
    return [
      {
        item: 'Figure 4: rays against reception spheres', paper: 'GPU in two passes against one CPU thread: up to 125 times',
        ours: `${last.rays.toLocaleString('en-US')} rays, every ray with every receiver: ${seconds(last.every.serial)} and ${seconds(last.every.parallel)}; up to ${figure(most)} times. With a BVH of receivers ${seconds(last.bvh.serial)} and ${seconds(last.bvh.parallel)}`,
        verdict: most === 0 ? 'no GPU' : most >= 125 ? `better by ${figure(most / 125)} times` : 'differs',
      },
    ] // prettier-ignore
  },
  figures: (found) =>
    found.some(({ every }) => every.parallel)
      ? [
          {
            name: '4',
            caption: 'Figure 4: speed-up of the intersection of rays and spheres',
            draw: {
              title: 'Reception spheres: speed-up of the GPU over one CPU thread',
              xTitle: 'Number of rays [millions]', yTitle: 'Speed-up', yRange: fromZero(found.flatMap((row) => [{ y: [speedUp(row.every), speedUp(row.bvh)] }])),
              series: (['every', 'bvh'] as const).map((key) => ({
                name: key === 'every' ? 'every ray with every receiver' : 'BVH of receivers',
                x: found.map(({ rays }) => rays / 1e6),
                y: found.map((row) => speedUp(row[key])),
              })),
            },
          },
        ]
      : [],
}) // prettier-ignore

// Figures 5, 6 and 10.

interface Point {
  lanes: number
  all: number
  fields: number
}

/** Kernel times over the lanes that a run may use. */
async function scaling(
  run: Run,
  setup: PropagationSetup,
  rays: number,
  cases: { workgroup: number; workgroups: number }[],
): Promise<Point[]> {
  if (!run.gpu) return []
  const subdivision = subdivisionFor(rays)
  const points: Point[] = []
  for (const options of cases) {
    const engine = createGpuPropagation(run.gpu, setup, options)
    let [all, fields] = [Infinity, Infinity]
    // Repeated without the set-up of the first run, unless it takes long.
    for (let i = 0; i < 3 && (i === 0 || all < SLOW); i++) {
      const result = await engine.run({ subdivision })
      const { trace, spheres, paths } = engine.times
      all = Math.min(all, trace + spheres + paths || result.seconds)
      fields = Math.min(fields, spheres + paths || result.seconds)
    }
    points.push({ lanes: options.workgroup * options.workgroups, all, fields })
    run.keep({ rays: rayCount(subdivision), points })
    run.say(`${options.workgroup} lanes × ${options.workgroups}: ${all.toFixed(3)} s`)
  }
  return points
}

const powers = (from: number, to: number): number[] =>
  Array.from({ length: Math.log2(to / from) + 1 }, (_, i) => from * 2 ** i)
const oneWorkgroup = (run: Run, from: number): { workgroup: number; workgroups: number }[] =>
  powers(from, Math.min(1024, run.gpu?.device.limits.maxComputeInvocationsPerWorkgroup ?? 1024)).map(
    (workgroup) => ({ workgroup, workgroups: 1 }),
  )
const manyWorkgroups = (most: number): { workgroup: number; workgroups: number }[] =>
  powers(1, most).map((workgroups) => ({ workgroup: 128, workgroups }))

const lawOf = (points: Point[], key: 'all' | 'fields'): { p: number; one: number } =>
  amdahl(points.map((x) => ({ n: x.lanes, time: x[key] })))

function scalingPart(
  name: string,
  item: string,
  paper: string,
  least: number,
  caption: string,
  measure: (run: Run) => Promise<{ rays: number; points: Point[] }>,
) {
  return part<{ rays: number; points: Point[] }>({
    name,
    takes: 'a minute',
    items: item,
    measure,
    rows({ rays, points }) {
      if (points.length === 0) return [{ item, paper, ours: 'no GPU', verdict: 'not measured yet' }]
      const [all, fields] = [lawOf(points, 'all'), lawOf(points, 'fields')]
      const last = points[points.length - 1]
      return [
        {
          item, paper,
          ours: `${figure(rays / 1e6)} M rays, ${points[0].lanes} to ${last.lanes} lanes: Amdahl's law fits ${percent(all.p, 3)} for all kernels, ${percent(fields.p, 3)} for fields; speed-up ${figure(all.one / last.all)} and ${figure(fields.one / last.fields)} over one lane (its time from the fit)`,
          verdict: all.p >= least ? 'reproduced, better' : `differs: ${percent(all.p, 1)}`,
        },
      ] // prettier-ignore
    },
    figures({ points }) {
      if (points.length === 0) return []
      const series = (['all', 'fields'] as const).flatMap((key) => {
        const { p, one } = lawOf(points, key)
        const x = points.map(({ lanes }) => Math.log2(lanes))
        const what = key === 'all' ? 'all kernels' : 'fields'
        return [
          { name: what, x, y: points.map((q) => one / q[key]), style: 'points' as const },
          {
            name: `Amdahl, ${percent(p, 3)}, ${what}`,
            x,
            y: points.map(({ lanes }) => 1 / (1 - p + p / lanes)),
          },
        ]
      })
      return [
        {
          name: item.split(' ')[1].replace(':', ''),
          caption: `${item.split(':')[0]}: ${caption}`,
          draw: {
            title: caption,
            xTitle: 'Parallel lanes [log2]',
            yTitle: 'Speed-up over one lane',
            yRange: fromZero(series),
            series,
          },
        },
      ]
    },
  })
}

const FIGURE_5 = scalingPart(
  'figure-5',
  'Figure 5: one block of more and more threads',
  '2.5 million rays, 20 reflections, 1 to 1024 threads: 99.3 % (caption 99 %), field computation 98 to 99 %',
  0.99,
  'tunnel, one workgroup',
  async (run) => {
    const rays = run.quick ? 5e3 : 250e3
    const setup = tunnel('spheres')
    return { rays, points: await scaling(run, setup, rays, oneWorkgroup(run, run.quick ? 256 : 64)) }
  },
)
const FIGURE_6 = scalingPart(
  'figure-6',
  'Figure 6: more and more blocks of 128 threads',
  '1 to 4096 blocks: 96.9 %; plateau near 1000 blocks',
  0.969,
  'tunnel, workgroups of 128 lanes',
  async (run) => {
    const rays = run.quick ? 5e3 : 1e6
    const setup = tunnel('spheres')
    return { rays, points: await scaling(run, setup, rays, manyWorkgroups(run.quick ? 4 : 4096)) }
  },
)

const MADRID = 'samples/madrid-grid.json'
const FIGURE_10 = scalingPart(
  'figure-10',
  'Figure 10: the same for the Madrid grid',
  'above 99 %, all and field computation; rays and reflections are not stated',
  0.99,
  'Madrid grid, one workgroup',
  async (run) => {
    const { scene, file } = await loadScene(MADRID)
    const rays = run.quick ? 5e3 : Math.min(file.rays, 250e3)
    const { setup } = buildPropagation({ ...scene, reception: 'spheres', diffraction: false })
    return { rays, points: await scaling(run, setup, rays, oneWorkgroup(run, run.quick ? 256 : 64)) }
  },
)

// Figures 7 and 9.

async function solve(
  run: Run,
  loaded: LoadedScene,
  given: { rays?: number; maxReflections?: number; diffraction?: boolean; reception?: Reception },
): Promise<PropagationTable> {
  const scene = { ...loaded.scene, ...given }
  const built = buildPropagation(scene)
  const subdivision = subdivisionFor(given.rays ?? loaded.file.rays)
  let result: PropagationResult
  if (run.gpu) result = await createGpuPropagation(run.gpu, built.setup).run({ subdivision })
  else {
    const engine = createCpuPropagation(built.setup, availableParallelism())
    result = await engine.run({ subdivision })
    await engine.close()
  }
  return new PropagationTable({ ...loaded, scene }, result, built)
}

interface Curve {
  x: number[]
  y: number[]
}
function gains(table: PropagationTable, name: string): Curve {
  const set = table.loaded.sets.find((s) => s.name === name)!
  const y = Array.from({ length: set.count }, (_, i) => table.gain(set.first + i, 0, 'vv'))
  return { x: Array.from(set.along!), y: rounded(y, 3) }
}

interface Tunnel {
  exact: Curve
  spheres: number[]
  image: number[]
  rays: number
  reflections: number
}
const errorsOf = (y: number[], image: number[]): { median: number; most: number } => {
  const sorted = y.map((g, i) => Math.abs(g - image[i])).sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1], most: sorted[Math.floor(0.95 * sorted.length)] }
}

const FIGURE_7 = part<Tunnel>({
  name: 'figure-7',
  takes: 'ten seconds',
  items: 'Figure 7',
  async measure(run) {
    const loaded = await loadScene('samples/tunnel.json')
    const reference = new Map(
      readFileSync('test/validation/analytic/g_tunnel_4x4_eps5_1GHz.csv', 'utf8')
        .trim().split('\n').slice(1)
        .map((line) => line.split(',').map(Number))
        .map(([z, gain]) => [z.toFixed(2), gain]),
    ) // prettier-ignore
    const [rays, reflections] = run.quick ? [10_000, 20] : run.gpu ? [1_200_000, 40] : [400_000, 40]
    const exact = gains(await solve(run, loaded, { rays, maxReflections: reflections, reception: 'exact' }), 'axis')
    const spheres = gains(await solve(run, loaded, { rays: run.quick ? 20_000 : run.gpu ? 2_500_000 : 400_000, maxReflections: 20, reception: 'spheres' }), 'axis')
    const use = exact.x.flatMap((along, i) => (along + 1 >= 10 && reference.has((along + 1).toFixed(2)) ? [i] : []))
    const z = use.map((i) => exact.x[i] + 1)
    return {
      exact: { x: z, y: use.map((i) => exact.y[i]) },
      spheres: use.map((i) => spheres.y[i]),
      image: rounded(z.map((at) => reference.get(at.toFixed(2))!), 3),
      rays,
      reflections,
    }
  },
  rows({ exact, spheres, image, rays, reflections }) {
    const [ours, theirs] = [errorsOf(exact.y, image), errorsOf(spheres, image)]
    return [
      {
        item: 'Figure 7: tunnel, 4 × 4 × 1000 m, ε 5, 1 GHz', paper: '“excellent agreement” with image theory and Savant SBR+; no numbers of the curves',
        ours: `against image theory: exact paths (${rays.toLocaleString('en-US')} rays, ${reflections} reflections) ${ours.median < 0.001 ? 'less than .001' : ours.median.toPrecision(2)} dB in the median, 95 % within ${ours.most.toPrecision(2)}; spheres, as the paper's (20 reflections) ${theirs.median.toPrecision(2)} and ${theirs.most.toPrecision(2)} dB`,
        verdict: ours.median < 0.2 ? 'reproduced; exact paths are better than spheres' : 'differs: too few rays',
      },
    ] // prettier-ignore
  },
  figures({ exact, spheres, image }) {
    // The paper's axis ends at 800 m.
    const count = exact.x.filter((z) => z <= 800).length
    const to800 = (y: number[]): Curve => ({ x: exact.x.slice(0, count), y: y.slice(0, count) })
    return [{
      name: '7',
      caption: 'Figure 7: path gain along the tunnel',
      draw: {
        title: 'Tunnel 4 × 4 m, εr = 5, 1 GHz', xTitle: 'Tunnel distance [m]', yTitle: 'Path gain [dB]', depth: 60,
        series: [
          { name: 'image theory', ...to800(image), style: 'points' },
          { name: 'exact paths', ...to800(exact.y) },
          { name: 'reception spheres', ...to800(spheres), style: 'dashed' },
        ],
      },
    }]
  },
}) // prettier-ignore

interface Madrid {
  sight: Curve
  twoRay: number[]
  freeSpace: number
  twoRayMean: number
  sightMean: number
  corner: Curve
  more: number[]
  reflections: [number, number]
}

const FIGURE_9 = part<Madrid>({
  name: 'figure-9',
  takes: 'ten seconds',
  items: 'Figure 9',
  async measure(run) {
    const loaded = await loadScene(MADRID)
    const few = run.quick ? { rays: 10_000 } : {}
    const rays = await solve(run, loaded, { ...few, diffraction: false })
    const more = await solve(run, loaded, { rays: run.quick ? 10_000 : 1_600_000, maxReflections: 20, diffraction: false })
    const sight = gains(rays, 'A-B-C')
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
      const link = { transmitter, receiver, freqHz: freqHz[0], transmitAntenna, receiveAntenna, transmit: 'v' as const }
      const { transfer } = imageTheory(ground, link, 1)
      return 10 * Math.log10(transfer[0] ** 2 + transfer[1] ** 2)
    })
    const friis = sight.x.map((_, i) => 20 * Math.log10(C0 / freqHz[0] / (4 * Math.PI * rays.distance(set.first + i))) + 2.15)
    const power = (y: number[]): number => 10 * Math.log10(mean(y.map((g) => 10 ** (g / 10))))
    return {
      sight,
      twoRay: rounded(twoRay, 3),
      freeSpace: power(friis),
      twoRayMean: power(twoRay),
      sightMean: power(sight.y),
      corner: gains(rays, 'B-D'),
      more: gains(more, 'B-D').y,
      reflections: [loaded.scene.maxReflections, 20],
    }
  },
  rows({ sight, sightMean, twoRayMean, freeSpace, corner, more, reflections }) {
    const seen = corner.y.map((g, i) => ({ g, more: more[i] })).filter(({ g, more: m }) => g > -250 && m > -250)
    const change = seen.map(({ g, more: m }) => Math.abs(g - m)).sort((a, b) => a - b)[seen.length >> 1] ?? NaN
    return [
      {
        item: 'Figure 9: Madrid grid, A–B–C, line of sight', paper: '5 GHz, “excellent agreement” with Ansys SBR+; no numbers',
        ours: `${sight.x.length} points: mean gain ${sightMean.toFixed(1)} dB; two rays over ground ${twoRayMean.toFixed(1)}, free space ${freeSpace.toFixed(1)}`,
        verdict: 'reproduced as far as can be told: the curves’ numbers, rays, reflections and power are missing in the paper',
      },
      {
        item: 'Figure 9: B–D, around the corner', paper: 'likewise; no diffraction',
        ours: `${corner.x.length} points, ${corner.y[0]?.toFixed(0)} dB at the crossing, ${corner.y.at(-1)?.toFixed(0)} dB at D; ${reflections[1]} reflections instead of ${reflections[0]} change it by ${change.toFixed(1)} dB in the median`,
        verdict: 'reproduced; edges (`--diffraction utd`) are beyond the paper',
      },
    ] // prettier-ignore
  },
  figures: ({ sight, twoRay, corner, more, reflections }) => [
    {
      name: '9a', caption: 'Figure 9: Madrid grid, line of sight A–B–C',
      draw: {
        title: 'Madrid grid, A–B–C, 5 GHz', xTitle: 'Distance along the street [m]', yTitle: 'Path gain [dB]', depth: 60,
        series: [{ name: 'rays', ...sight }, { name: 'two rays over ground', x: sight.x, y: twoRay, style: 'dashed' }],
      },
    },
    {
      name: '9b', caption: 'Figure 9: Madrid grid, around the corner B–D',
      draw: {
        title: 'Madrid grid, B–D, 5 GHz', xTitle: 'Distance from the crossing B [m]', yTitle: 'Path gain [dB]', yRange: [-180, -70],
        series: [{ name: `${reflections[0]} reflections`, ...corner }, { name: `${reflections[1]} reflections`, x: corner.x, y: more }],
      },
    },
  ],
}) // prettier-ignore

export const PAPER: Paper = {
  number: '004',
  title: 'radio propagation by SBR on GPUs',
  reference:
    'A unified parallelisation of SBR ray tracing for propagation with OptiX Prime and CUDA; GTX 1060 (6 GB). Our copy has neither title nor authors.',
  about: `Tunnel of 4 × 4 × 1000 m, ${RECEIVERS} receivers, ${REFLECTIONS} reflections (\`samples/tunnel.json\`), and the Madrid grid (\`samples/madrid-grid.json\`); the paper states receivers nowhere. Scaling is of the GPU's kernels, by timestamps. [Method](../propagation.md).`,
  entries: [
    { item: 'Figure 1', paper: 'flow of the program: rays by batches, fields on the GPU', ours: 'the same batches; receivers are found, traced and summed on the GPU', verdict: 'reproduced (a diagram)', by: '[method](../propagation.md#method)' },
    { item: 'Figures 2, 3', paper: 'double counts: neighbours in three classes of the icosahedron, class after class', ours: 'the same three classes; of the up to three rays of a triangle of launch that reach a receiver the lowest class counts', verdict: 'reproduced, in one pass: a ray finds by itself whether it is the one', by: '`propagation/paths/geodesic.ts`, `--receivers spheres`' },
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    TABLE_1,
    FIGURE_7,
    { item: 'Figure 8', paper: 'Madrid grid: a map without coordinates; buildings of 50 m, ε 4.5, .09 S/m, dipole at 10 m, receivers at 5 m', ours: 'the grid of METIS with these values', verdict: 'reproduced; coordinates are missing in the paper, and METIS has them', by: '`samples/madrid-grid.json`' },
    FIGURE_9,
    FIGURE_10,
    { item: 'abstract: “upwards of 99 % parallelism”', paper: '99 %', ours: 'see figures 5, 6 and 10', verdict: 'as there', by: '`figure-5`, `figure-6`, `figure-10`' },
  ], // prettier-ignore
}

if (isProgram(import.meta.url)) await runPaper(PAPER)
