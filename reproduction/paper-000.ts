// Paper 000 (Gao, Tao and Lin: SBR on clusters of GPUs), table by table: docs/papers/000.md.
//   node dist/reproduction/paper-000.js [PART…] [--quick] [--page] [--out docs]
// One device computes every sub-aperture in turn, each by itself: the time of an angle on N devices is that of the longest.
import { readFileSync } from 'node:fs'
import { gpuField } from '../gpu/index.js'
import { cpuField } from '../cpu-sbr/index.js'
import {
  type AspectField,
  jobAperture,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type TileRange,
} from '../rays/index.js'
import { loadTarget, type LoadedTarget, prepareRecipe } from '../run/loaded-target.js'
import {
  ADJUST,
  adjustPartition,
  leafTiles,
  type Partition,
  uniformPartition,
} from '../run/cluster/partition.js'
import { type Aspect, direction } from '../scene/index.js'
import { parseRange } from '../src/cli/options.js'
import { dbErrors, decibels } from '../src/validate/errors.js'
import { loadsOf, modelBalance } from './cluster-model.js'
import { type ClusterTarget, clusterTargets } from './cluster-targets.js'
import { momCuts } from './mom-cases.js'
import {
  closeSbr,
  figure,
  fromZero,
  isProgram,
  type Paper,
  part,
  percent,
  rounded,
  type Run,
  runPaper,
  sbrEngine,
} from './papers/kit.js'

const OPTIONS: SbrJob['options'] = {
  raysPerWavelength: 10,
  maxBounces: 5,
  subdivisions: 2,
}
const CHANNELS = ['VV', 'HH'] as const
const MOST = 20

const level = (f: ArrayLike<number>, c: number): number =>
  decibels(4 * Math.PI * (f[2 * c] ** 2 + f[2 * c + 1] ** 2))
const monostatic = (theta: number, phi: number): Aspect => {
  const d = direction(theta, phi)
  return { tx: d, rx: d }
}

/** Busy seconds of a sub-aperture: the device's where it measures them. */
async function onePart(
  engine: SbrEngine,
  job: SbrJob,
): Promise<{ seconds: number; totals?: BigInt64Array; field: AspectField }> {
  const { field, times, totals } = await engine.field(job)
  return { seconds: times.trace + times.field + times.reduction || times.total, totals, field }
}

/** The field of an aspect from the exact sums of its parts. */
async function fromParts(
  run: Run,
  scene: RayScene,
  area: number,
  engine: SbrEngine,
  job: SbrJob,
  parts: number,
): Promise<AspectField> {
  const aperture = jobAperture(scene, job)
  const leaves = leafTiles(uniformPartition(parts, aperture.tilesI / aperture.tilesJ), aperture)
  let sum: BigInt64Array | null = null
  for (const tiles of leaves) {
    if (!tiles) continue
    const { totals } = await onePart(engine, { ...job, tiles })
    if (sum) for (let i = 0; i < sum.length; i++) sum[i] += totals![i]
    else sum = totals!.slice()
  }
  return (run.gpu ? gpuField : cpuField)(scene, area, job, sum!)
}

interface Divided {
  x: number[]
  /** By channel [dBsm]. */
  whole: number[][]
  mom?: number[][]
  /** Angles whose field from 4 and 20 parts has other bytes than the whole's. */
  different: number
}

async function divided(
  run: Run,
  { scene, target }: LoadedTarget,
  hz: number,
  at: [number, number][],
): Promise<Divided> {
  const engine = sbrEngine(run, scene, target.area)
  const fields: AspectField[] = []
  let different = 0
  for (const [theta, phi] of at) {
    const job = { aspect: monostatic(theta, phi), band: { f0: hz, df: 0, n: 1 }, options: OPTIONS }
    const { field } = await engine.field(job)
    for (const parts of [4, MOST])
      if (!(await fromParts(run, scene, target.area, engine, job, parts)).every((x, i) => x === field[i]))
        different++
    fields.push(field)
  }
  await closeSbr(run, engine)
  return {
    x: at.map(([theta]) => theta),
    whole: CHANNELS.map((_, c) => rounded(fields.map((f) => level(f, c)))),
    different,
  }
}

const curves = (number: string, title: string, { x, whole, mom }: Divided) =>
  CHANNELS.map((channel, c) => ({
    name: `${number}${'ab'[c]}`,
    caption: `Figure ${number}(${'ab'[c]}): ${title}, ${channel}`,
    draw: {
      title: `${title}, ${channel}`,
      xTitle: 'θ about the y axis [deg]',
      yTitle: 'RCS [dBsm]',
      angular: true,
      depth: 70,
      series: [
        ...(mom ? [{ name: 'MLFMM in the paper, MoM here', x, y: mom[c], style: 'points' as const }] : []),
        { name: 'SBR, whole and of 4 or 20 parts (the same)', x, y: whole[c] },
      ],
    },
  }))
const sameBytes = ({ different, x }: Divided): string =>
  different === 0
    ? `all ${x.length} angles the same bytes whole, of 4 and of 20 parts`
    : `${different} fields DIFFER`

const FIGURE_3 = part<Divided>({
  name: 'figure-3',
  takes: 'ten seconds',
  items: 'Figure 3',
  async measure(run) {
    const file = 'test/validation/mom/ship_10ghz__phi0_th0-360.csv'
    const { theta, phi, vv, hh, freqHz } = momCuts(file, readFileSync(file, 'utf8'))
    const use = theta.map((_, i) => i).filter((i) => i % (run.quick ? 180 : 1) === 0)
    const loaded = await loadTarget('test/validation/mom/ship_10ghz.stl', 'm', 20)
    const found = await divided(run, loaded, freqHz, use.map((i) => [theta[i], phi[i]]))
    const mom = [vv, hh].map((f) => rounded(use.map((i) => level(f.subarray(2 * i), 0))))
    return { ...found, mom }
  },
  rows: (data) => [
    {
      item: 'Figure 3: ship of 0.9 m, 10 GHz', paper: 'one GPU, cluster and MLFMM agree “well”; what differs is put down to edges; no numbers',
      ours: `${sameBytes(data)}; against the method of moments VV ${dbErrors(data.whole[0], data.mom![0]).rmsDb.toFixed(2)}, HH ${dbErrors(data.whole[1], data.mom![1]).rmsDb.toFixed(2)} dB rms (30 dB deep)`,
      verdict: data.different === 0 ? 'reproduced, better: the same bytes; with edges see [paper 003](003.md), figure 5' : 'differs',
    },
  ],
  figures: (data) => curves('3', 'Ship of 0.9 m, 10 GHz', data),
}) // prettier-ignore

const FIGURE_4 = part<Divided>({
  name: 'figure-4',
  takes: 'half a minute',
  items: 'Figure 4',
  measure(run) {
    const { mesh, frequency } = clusterTargets()[0]
    const at = Array.from({ length: run.quick ? 3 : 91 }, (_, i): [number, number] => [i * (run.quick ? 45 : 1), 0])
    return divided(run, prepareRecipe('ship', 'ship', { mesh, smoothAngleDeg: 20 }), run.quick ? 0.1e9 : frequency, at)
  },
  rows: (data) => [
    {
      item: 'Figure 4: ship of 43.7 m, 30 GHz, θ 0 to 90°', paper: 'one GPU and cluster agree; no numbers',
      ours: `${sameBytes(data)}; most VV ${Math.max(...data.whole[0]).toFixed(1)} dBsm`, verdict: data.different === 0 ? 'reproduced, better: the same bytes; own shape' : 'differs',
    },
  ],
  figures: (data) => curves('4', 'Ship of 43.7 m', data),
}) // prettier-ignore

/** Times of a cut on N devices: per angle the longest part, the shortest, and all together [s]. */
interface Shared {
  parts: number
  dynamic: boolean
  longest: number[]
  shortest: number[]
  all: number
}
interface TargetTimes {
  name: string
  facets: number
  size: number[]
  hz: number
  angles: number
  /** Whole apertures on one device [s]. */
  one: number
  /** 20 devices with the coefficient 0.3, of the airplane. */
  gentle: Shared | null
  shared: Shared[]
  /** What the model says of the parts' balance, uniform and dynamic. */
  model: { parts: number; uniform: number; dynamic: number }[]
}

type Times = (tiles: TileRange | null, number: number, job: SbrJob) => Promise<number>

async function sharedCut(
  scene: RayScene,
  jobs: SbrJob[],
  parts: number,
  dynamic: boolean,
  times: Times,
  gain = ADJUST.coefficient,
): Promise<Shared> {
  let partition: Partition | null = null
  const [longest, shortest]: number[][] = [[], []]
  let all = 0
  for (const job of jobs) {
    const aperture = jobAperture(scene, job)
    partition ??= uniformPartition(parts, aperture.tilesI / aperture.tilesJ)
    const taken: number[] = []
    for (const [w, tiles] of leafTiles(partition, aperture).entries()) taken.push(await times(tiles, w, job))
    longest.push(Math.max(...taken))
    shortest.push(Math.min(...taken))
    all += taken.reduce((a, b) => a + b, 0)
    if (dynamic) partition = adjustPartition(partition, taken, { ...ADJUST, coefficient: gain })
  }
  return { parts, dynamic, longest: rounded(longest, 6), shortest: rounded(shortest, 6), all }
}

function jobsOf({ cut, frequency }: ClusterTarget, run: Run, angles: number): SbrJob[] {
  const { theta, phi } = cut(angles)
  const scale = run.quick ? 0.02 : 1
  return parseRange(theta, 'theta').flatMap((t) =>
    parseRange(phi, 'phi').map((p) => ({
      aspect: monostatic(t, p),
      band: { f0: scale * frequency, df: 0, n: 1 },
      options: OPTIONS,
    })),
  )
}

/** Seconds on the device of each part, measured by itself. */
const measured =
  (engine: SbrEngine): Times =>
  async (tiles, _, job) =>
    tiles ? (await onePart(engine, { ...job, tiles })).seconds : 0

/** The paper's numbers: seconds on one, uniform and dynamic on 20 devices; the coefficient of the airplane is 0.3. */
const PAPER_TABLE: Record<
  string,
  { one: number; uniform: number; dynamic: number; efficiency: [string, string]; gain?: number }
> = {
  ship: { one: 517.1, uniform: 38, dynamic: 28.8, efficiency: ['75 %', '90 %'] },
  satellite: { one: 755.8, uniform: 60.3, dynamic: 41.5, efficiency: ['62.7 %', '91 %'] },
  airplane: { one: 413.9, uniform: 46.9, dynamic: 38.8, efficiency: ['44 %', '53.3 %'] },
  radar: { one: 554.3, uniform: 58.9, dynamic: 38, efficiency: ['47 %', '73 %'] },
}

const total = (x: number[]): number => x.reduce((a, b) => a + b, 0)
/** The paper's definition: time on one device over (devices times the time on them). */
const efficiency = (one: number, { parts, longest }: Shared): number => one / (parts * total(longest))
/** Of the parts alone: their sum over (devices times the longest). */
const balance = ({ parts, longest, all }: Shared): number => all / (parts * total(longest))
const find = ({ shared }: TargetTimes, parts: number, dynamic: boolean): Shared | undefined =>
  shared.find((s) => s.parts === parts && s.dynamic === dynamic)

const TABLE_2 = part<TargetTimes[]>({
  name: 'table-2',
  takes: 'two minutes',
  items: 'Tables 1 and 2, Figure 6',
  async measure(run) {
    const angles = run.quick ? 3 : 31
    const found: TargetTimes[] = []
    for (const clusterTarget of clusterTargets()) {
      const { name, mesh } = clusterTarget
      const { scene, target } = prepareRecipe(name, name, { mesh, smoothAngleDeg: 20 })
      const engine = sbrEngine(run, scene, target.area)
      const jobs = jobsOf(clusterTarget, run, angles)
      for (const job of jobs.slice(0, 2)) await engine.field(job)
      let one = 0
      for (const job of jobs) one += (await onePart(engine, job)).seconds
      const shared: Shared[] = []
      for (const [parts, dynamic] of run.quick ? ([[2, true], [4, false], [4, true]] as const) : ([[2, true], [4, true], [8, true], [MOST, false], [MOST, true]] as const)) {
        shared.push(await sharedCut(scene, jobs, parts, dynamic, measured(engine)))
        run.say(`${name}: ${parts} parts, ${dynamic ? 'dynamic' : 'uniform'}: ${total(shared.at(-1)!.longest).toFixed(3)} of ${one.toFixed(3)} s`)
      }
      const gentle = name === 'airplane' ? await sharedCut(scene, jobs, run.quick ? 4 : MOST, true, measured(engine), 0.3) : null
      await closeSbr(run, engine)
      const loads = run.quick ? [] : loadsOf(clusterTarget, angles)
      const model = loads.length === 0 ? [] : [8, MOST].map((parts) => ({ parts, uniform: modelBalance(loads, parts, false), dynamic: modelBalance(loads, parts, true) }))
      const { box } = target
      found.push({ name, facets: scene.count, size: rounded([0, 1, 2].map((a) => box.max[a] - box.min[a])), hz: jobs[0].band.f0, angles: jobs.length, one, shared, gentle, model })
      run.keep(found)
    }
    return found
  },
  rows: (found) => [
    {
      item: 'Table 1: size, facets, frequency', paper: 'ship 43.71 × 5.89 × 9.144 m, 951, 30 GHz; satellite 35.6 × 11.64 × 10.45, 976, 15; airplane 11.76 × 7.4 × 3.67, 13050, 30; radar 2.66 × 2.75 × 3.4, 113374, 50',
      ours: found.map(({ name, size, facets, hz }) => `${name} ${size.join(' × ')} m, ${facets}, ${figure(hz / 1e9)} GHz`).join('; '),
      verdict: 'the same sizes and frequencies, own shapes: geometry is missing in the paper',
    },
    ...found.map((target) => {
      const paper = PAPER_TABLE[target.name]
      const most = Math.max(...target.shared.map((s) => s.parts))
      const [uniform, dynamic] = [find(target, most, false)!, find(target, most, true)!]
      const [e, d] = [efficiency(target.one, uniform), efficiency(target.one, dynamic)]
      const theirs = Number.parseFloat(paper.efficiency[1]) / 100
      return {
        item: `Table 2, ${target.name}`, paper: `one ${paper.one} s; 20 devices uniform ${paper.uniform}, dynamic ${paper.dynamic} s: ${paper.efficiency.join(' and ')}${target.gentle ? ', 75 % with coefficient .3' : ''}`,
        ours: `${target.angles} angles: one ${figure(target.one)} s; ${most} devices uniform ${figure(total(uniform.longest))}, dynamic ${figure(total(dynamic.longest))} s: ${percent(e)} and ${percent(d)}; the parts alone balance to ${percent(balance(uniform))} and ${percent(balance(dynamic))}${target.gentle ? `; coefficient .3: ${percent(efficiency(target.one, target.gentle))}` : ''}`,
        verdict: `${d > e ? 'reproduced: dynamic is better than uniform' : 'differs: dynamic is no better'}${d >= theirs - 0.02 ? '' : `; less than the paper because a part lasts ${figure((1e3 * target.one) / target.angles / most)} ms here, ${figure((1e3 * paper.one) / (target.name === 'ship' || target.name === 'radar' ? 91 : 361) / 20)} there, and parts repeat ${percent(dynamic.all / target.one - 1)} of the work`}`,
      }
    }),
    {
      item: 'Figure 6: speed-up', paper: 'linear up to 20 devices, slope near one; no numbers beside Table 2',
      ours: found.map((target) => `${target.name} ${target.shared.filter((s) => s.dynamic).map((s) => `${s.parts}: ${figure(target.one / total(s.longest))}`).join(', ')}`).join('; '),
      verdict: 'saturates where parts last a millisecond',
    },
    {
      item: 'the model of clusters', paper: '–',
      ours: found.flatMap(({ name, model, shared }) => model.map((m) => {
        const real = shared.find((s) => s.parts === m.parts && s.dynamic)
        return `${name} ${m.parts}: ${percent(m.dynamic)}, measured ${real ? percent(balance(real)) : '–'}`
      })).join('; '),
      verdict: 'balance of the parts by `cluster-model.js` beside that measured: checks it for 8 and 20 devices',
    },
  ],
  figures: (found) => [
    {
      name: '6', caption: 'Figure 6: speed-up over devices',
      draw: {
        title: 'Speed-up of the divided aperture, dynamic', xTitle: 'Number of devices', yTitle: 'Speed-up', yRange: [0, MOST],
        series: [
          { name: 'linear', x: [1, MOST], y: [1, MOST], style: 'dashed' as const },
          ...found.map((target) => {
            const all = target.shared.filter((s) => s.dynamic)
            return { name: target.name, x: [1, ...all.map((s) => s.parts)], y: [1, ...all.map((s) => target.one / total(s.longest))] }
          }),
        ],
      },
    },
  ],
}) // prettier-ignore

/** Peak of a GTX 580 over that of a Tesla C2050, single precision: 1581 and 1030 Gflop/s. */
const FASTER = 1.53

const FIGURE_7 = part<{ uniform: Shared; dynamic: Shared }>({
  name: 'figure-7',
  takes: 'half a minute',
  items: 'Figure 7',
  async measure(run) {
    const clusterTarget = clusterTargets()[1]
    const { name, mesh } = clusterTarget
    const { scene, target } = prepareRecipe(name, name, { mesh, smoothAngleDeg: 20 })
    const engine = sbrEngine(run, scene, target.area)
    const jobs = jobsOf(clusterTarget, run, run.quick ? 4 : 31)
    await engine.field(jobs[0])
    // Four devices of each kind: the slower ones' times are longer by as much.
    const unequal: Times = async (tiles, w, job) => (await measured(engine)(tiles, w, job)) * (w < 4 ? FASTER : 1)
    const uniform = await sharedCut(scene, jobs, 8, false, unequal)
    const dynamic = await sharedCut(scene, jobs, 8, true, unequal)
    await closeSbr(run, engine)
    return { uniform, dynamic }
  },
  rows({ uniform, dynamic }) {
    const apart = ({ longest, shortest }: Shared, from: number): string => {
      const some = longest.slice(from)
      return `${figure(total(some) / total(shortest.slice(from)))} times`
    }
    const from = Math.min(8, uniform.longest.length - 1)
    const better = total(dynamic.longest) < total(uniform.longest)
    return [
      {
        item: 'Figure 7: satellite on four C2050 and four GTX 580', paper: 'longest and shortest part stay far apart with uniform parts; with dynamic ones they meet after a few angles; no numbers',
        ours: `longest over shortest part from angle ${from + 1} on: uniform ${apart(uniform, from)}, dynamic ${apart(dynamic, from)}; ${figure(total(uniform.longest))} and ${figure(total(dynamic.longest))} s`,
        verdict: `${better ? 'reproduced' : 'differs'}; one device, four of its parts counted as ${FASTER} times as long (peak of the two cards)`,
      },
    ]
  },
  figures: ({ uniform, dynamic }) => [
    {
      name: '7', caption: 'Figure 7: longest and shortest part of each angle',
      draw: {
        title: 'Satellite on eight unequal devices', xTitle: 'Incident angle', yTitle: 'Time of a part [ms]', yRange: fromZero([uniform, dynamic].map(({ longest }) => ({ y: longest.map((t) => 1e3 * t) }))),
        series: ([['uniform, longest', uniform.longest], ['uniform, shortest', uniform.shortest], ['dynamic, longest', dynamic.longest], ['dynamic, shortest', dynamic.shortest]] as const).map(
          ([name, y], i) => ({ name, x: y.map((_, k) => k), y: y.map((t) => 1e3 * t), ...(i < 2 && { style: 'dashed' as const }) }),
        ),
      },
    },
  ],
}) // prettier-ignore

export const PAPER: Paper = {
  number: '000',
  title: 'SBR on clusters of GPUs',
  reference:
    'P. C. Gao, Y. B. Tao and H. Lin, “Parallel shooting and bouncing ray method on GPU clusters for analysis of electromagnetic scattering”, PIER, 2013. 20 Tesla C2050, four GTX 580, MPI.',
  about:
    'Here one device computes every sub-aperture of a partition by itself, and the next partition follows from these times as in the paper: the time of an angle on N devices is that of the longest part. Messages are not in it; on 4 GPUs with messages: [decision 012](../decisions/012-clusters.md). Efficiency as in the paper: T(1) / (N T(N)). 31 consecutive degrees of each cut.',
  entries: [
    { item: 'Figure 1', paper: 'angles in turn, or divided apertures', ours: '`--distribute pull`, `cyclic`, `aperture`, `uniform`', verdict: 'reproduced (a diagram); whole angles are the default for they have no remainder but the last', by: '[clusters](../cluster.md#distribution)' },
    { item: 'Figure 2, equations (3), (4)', paper: 'binary tree of cuts; a cut moves until times go with devices', ours: 'the same tree and equation', verdict: 'reproduced', by: '`run/cluster/partition.ts`, `test/run/partition.test.ts`' },
    { item: 'section 2.2: threshold, coefficient', paper: '.05; .5, of the airplane .3', ours: `${ADJUST.threshold}; ${ADJUST.coefficient}`, verdict: 'the same defaults', by: '`--adjust T,C`' },
    FIGURE_3,
    FIGURE_4,
    { item: 'Figure 5', paper: 'four targets, pictures', ours: '`reproduction/cluster-targets.ts`', verdict: 'own shapes: geometry is missing in the paper', by: '`reproduction/cluster-targets.ts`' },
    TABLE_2,
    FIGURE_7,
    { item: 'sections 2.2, 3: with messages', paper: 'MPI, 20 devices: see Table 2', ours: 'four H200 of one host and Redis, efficiency of whole angles, divided and uniform apertures: ship 92, 80, 72 %, radar 89, 54, 47 %; ship at twice the frequency 3.67 of 4 divided', verdict: 'reproduced; whole angles are better', by: '`node dist/reproduction/cluster.js sweep REDIS gpus 60 1,2,4`, [decision 012](../decisions/012-clusters.md)' },
  ], // prettier-ignore
}

if (isProgram(import.meta.url)) await runPaper(PAPER)
