// Paper 002 (Liu, Zhang and Zhao: SBR with a BVH on a GPU), table by table: docs/papers/002.md.
//   node dist/reproduction/paper-002.js [PART…] [--quick] [--page] [--out docs]
// Brute force tests every facet; its fields are compared with those of the BVH bit by bit.
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import {
  type AspectField,
  type AspectResult,
  jobAperture,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  TILE,
  type TileRange,
  withoutLists,
} from '../rays/index.js'
import { loadTarget, prepareRecipe } from '../run/loaded-target.js'
import { sphere } from '../samples/models/canonical.js'
import { dbErrors } from '../src/validate/errors.js'
import { bruteForce } from './brute-force.js'
import { momCut, monostatic } from './cases.js'
import { isProgram, tableOf } from './kit.js'
import {
  closeSbr,
  figure,
  level,
  momLevels,
  type Paper,
  part,
  rounded,
  type Run,
  runPaper,
  sbrEngine,
  seconds,
  steps,
} from './papers/kit.js'

const PAPER_BOUNCES = 3
/** Tubes of an aspect that one core traces: strips of tiles distributed over the aperture, extrapolated to the whole. */
const CPU_TUBES = { brute: 1e5, bvh: 1e6 }
const STRIP_TILES = 8
const STRIP_TUBES = STRIP_TILES * TILE * TILE
/** Aspects of a cut in flight on the GPU. */
const IN_FLIGHT = 4

type Angles = [theta: number, phi: number]

const jobAt = (angles: Angles, hz: number): SbrJob => ({
  aspect: monostatic(...angles),
  band: { f0: hz, df: 0, n: 1 },
  options: { raysPerWavelength: 10, maxBounces: PAPER_BOUNCES, subdivisions: 0, formulation: 'exit' },
})

/** Strips of an aperture of about `tubes` tubes, spread evenly over it, and their share of the whole. */
function sampleStrips(scene: RayScene, job: SbrJob, tubes: number): { strips: TileRange[]; share: number } {
  const { tileI0, tileJ0, tilesI, tilesJ } = jobAperture(scene, job)
  const perRow = Math.ceil(tilesI / STRIP_TILES)
  const all = perRow * tilesJ
  const count = Math.min(all, Math.ceil(tubes / STRIP_TUBES))
  // Multiples of the golden ratio are evenly distributed for any count, without aliasing with the rows.
  const numbers = new Set(
    steps(1, count, 1).map((n) => (count === all ? n - 1 : Math.floor(((n * 0.6180339887498949) % 1) * all))),
  )
  const strips = [...numbers].map((n): TileRange => {
    const i = STRIP_TILES * (n % perRow)
    const ni = Math.min(STRIP_TILES, tilesI - i)
    return { i0: tileI0 + i, j0: tileJ0 + Math.floor(n / perRow), ni, nj: 1 }
  })
  return { strips, share: strips.reduce((sum, { ni }) => sum + ni, 0) / (tilesI * tilesJ) }
}

/** Seconds of an aspect on one core from some strips of it, and the strips' sums. */
async function onOneCore(scene: RayScene, area: number, job: SbrJob, tubes: number) {
  const engine = createCpuEngine(scene, area, 0)
  const { strips, share } = sampleStrips(scene, job, tubes)
  await engine.field({ ...job, tiles: strips[strips.length >> 1] })
  const totals: AspectResult['totals'][] = []
  const start = performance.now()
  for (const tiles of strips) totals.push((await engine.field({ ...job, tiles })).totals)
  return { seconds: (performance.now() - start) / 1000 / share, totals }
}

async function timed(engine: SbrEngine, job: SbrJob) {
  const start = performance.now()
  const { field } = await engine.field(job)
  return { seconds: (performance.now() - start) / 1000, field }
}

/** @throws Error where brute force and BVH differ in any bit */
function checkSame(what: string, a: ArrayLike<unknown>, b: ArrayLike<unknown>): void {
  if (a.length === 0 || !Array.from(a).every((x, i) => x === b[i]))
    throw new Error(`${what}: brute force and BVH gave different fields`)
}

/** Mean seconds of an aspect by every method; null without a GPU. */
interface Methods {
  facets: number
  aspects: number
  tubes: number
  brute: number
  bvh: number
  lists: number
  gpuBrute: number | null
  gpuBvh: number | null
  gpuLists: number | null
}

async function methods(run: Run, target: Target, at: Angles[], hz: number): Promise<Methods> {
  /** Brute force on one core: as many tubes as take seconds. */
  const bruteTubes = Math.min(CPU_TUBES.brute, 2e7 / target.scene.count)
  const { scene, area } = target
  const allFacets = bruteForce(scene)
  const stack = withoutLists(scene)
  const { gpu: context } = run
  const gpu = context
    ? (
        [
          [allFacets, 'ropes'],
          [scene, 'ropes'],
          [scene, 'lists'],
        ] as const
      ).map(([rays, traversal]) => new GpuSbrEngine(context, rays, area, { subGrid: 2048, traversal }))
    : []
  const few = run.quick ? 0.02 : 1
  const sums = [0, 0, 0, 0, 0, 0]
  let tubes = 0
  for (const [i, angles] of at.entries()) {
    const job = jobAt(angles, hz)
    const brute = await onOneCore(allFacets, area, job, few * bruteTubes)
    const same = await onOneCore(stack, area, job, few * bruteTubes)
    brute.totals.forEach((sum, k) => checkSame(`${angles.join()}, CPU`, sum!, same.totals[k]!))
    sums[0] += brute.seconds
    sums[1] += (await onOneCore(stack, area, job, few * CPU_TUBES.bvh)).seconds
    sums[2] += (await onOneCore(scene, area, job, few * CPU_TUBES.bvh)).seconds
    const fields: AspectField[] = []
    for (const [k, engine] of gpu.entries()) {
      // The first run of the fast methods is a warm-up; brute force takes seconds, so only compilation is excluded.
      await engine.field(k === 0 ? { ...job, tiles: sampleStrips(scene, job, 1).strips[0] } : job)
      const one = await timed(engine, job)
      sums[3 + k] += one.seconds
      fields.push(one.field)
    }
    for (const field of fields) checkSame(`${angles.join()}, GPU`, fields[0], field)
    tubes += jobTubes(scene, job) / at.length
    run.say(`aspect ${i + 1} of ${at.length}`)
  }
  const [brute, bvh, lists, ...onGpu] = sums.map((s) => s / at.length)
  const [gpuBrute, gpuBvh, gpuLists] = context ? onGpu : [null, null, null]
  return { facets: scene.count, aspects: at.length, tubes, brute, bvh, lists, gpuBrute, gpuBvh, gpuLists }
}

interface Target {
  scene: RayScene
  area: number
}
async function load(mesh: string): Promise<Target> {
  const { scene, target } = await loadTarget(mesh, 'm', 20)
  return { scene, area: target.area }
}
const sample = (name: string): Promise<Target> => load(`samples/${name}.stl`)

/** Fields of all aspects of a cut, a few in flight. */
async function alongCut(engine: SbrEngine, jobs: SbrJob[]): Promise<AspectField[]> {
  const fields: AspectField[] = []
  for (let i = 0; i < jobs.length; i += IN_FLIGHT)
    fields.push(
      ...(await Promise.all(jobs.slice(i, i + IN_FLIGHT).map((job) => engine.field(job)))).map(
        (r) => r.field,
      ),
    )
  return fields
}

const levelHh = (field: AspectField): number => level(field, 1)

function jobTubes(scene: RayScene, job: SbrJob): number {
  const { tilesI, tilesJ } = jobAperture(scene, job)
  return tilesI * tilesJ * TILE * TILE
}

/** A cut against the method of moments, HH [dBsm]; the CPU's at every fourth angle. */
interface Compared {
  /** Whether `here` is the GPU's. */
  gpu: boolean
  x: number[]
  here: number[]
  mom: number[]
  cpu: number[]
}

/** @param angle  of a direction on the figure's axis; null where the figure does not have it */
async function compared(
  run: Run,
  mesh: string,
  cut: string,
  angle: (theta: number, phi: number) => number | null,
): Promise<Compared> {
  const { scene, area } = await load(`test/validation/mom/${mesh}.stl`)
  const reference = momCut(`${mesh}__${cut}`)
  const { theta, phi, freqHz } = reference
  const at = theta
    .flatMap((t, i) => {
      const x = angle(t, phi[i])
      return x === null ? [] : [{ x, i }]
    })
    .sort((a, b) => a.x - b.x)
    .filter((_, k) => k % (run.quick ? 15 : 1) === 0)
  const jobs = at.map(({ i }) => jobAt([theta[i], phi[i]], freqHz))
  const engine = sbrEngine(run, scene, area)
  const here = (await alongCut(engine, jobs)).map(levelHh)
  await closeSbr(run, engine)
  const cpu = createCpuEngine(scene, area, 2)
  const inDouble = (
    await alongCut(
      cpu,
      jobs.filter((_, k) => k % 4 === 0),
    )
  ).map(levelHh)
  await cpu.close()
  const [, mom] = momLevels(reference, at.map(({ i }) => i)) // prettier-ignore
  return {
    gpu: run.gpu !== null,
    x: at.map(({ x }) => x),
    here: rounded(here),
    mom,
    cpu: rounded(inDouble),
  }
}

const withMom = (title: string, xTitle: string, { gpu, x, here, cpu, mom }: Compared) => ({
  title,
  xTitle,
  yTitle: 'RCS, HH [dBsm]',
  angular: true,
  depth: 60,
  series: [
    { name: 'MLFMM in the paper, MoM here', x, y: mom, style: 'points' as const },
    { name: gpu ? 'GPU-SBR' : 'CPU-SBR', x, y: here },
    ...(gpu
      ? [{ name: 'CPU-SBR', x: x.filter((_, i) => i % 4 === 0), y: cpu, style: 'dashed' as const }]
      : []),
  ],
})
const rmsOf = ({ x, here, mom }: Compared, only: (x: number) => boolean = () => true): number =>
  dbErrors(here, mom, { only: (i) => only(x[i]) }).rmsDb
const fromCpu = ({ here, cpu }: Compared): number =>
  Math.max(...cpu.map((level, i) => (level > Math.max(...cpu) - 60 ? Math.abs(level - here[4 * i]) : 0)))

/** A cut of the deckhouse: seconds along the BVH and by default, and levels of three bounces and one. */
interface Cut {
  aspects: number
  hz: number
  bvh: number
  lists: number
  x: number[]
  three: number[]
  one: number[]
}

async function deckhouse(run: Run, at: Angles[], along: 0 | 1): Promise<Cut> {
  const { scene, area } = await sample('deckhouse')
  const hz = run.quick ? 0.05e9 : 3e9
  const jobs = at.map((angles) => jobAt(angles, hz))
  const cuts: AspectField[][] = []
  const times: number[] = []
  for (const traversal of ['ropes', 'lists'] as const) {
    const engine = run.gpu
      ? new GpuSbrEngine(run.gpu, scene, area, { subGrid: 2048, traversal })
      : createCpuEngine(traversal === 'ropes' ? withoutLists(scene) : scene, area, 2)
    await engine.field(jobs[0])
    const start = performance.now()
    cuts.push(await alongCut(engine, jobs))
    times.push((performance.now() - start) / 1000)
    if (traversal === 'lists')
      cuts.push(
        await alongCut(
          engine,
          jobs.map((job) => ({ ...job, options: { ...job.options, maxBounces: 1 } })),
        ),
      )
    await closeSbr(run, engine)
  }
  const [bvh, lists] = times
  return {
    aspects: at.length, hz, bvh, lists, x: at.map((a) => a[along]),
    three: rounded(cuts[1].map(levelHh)), one: rounded(cuts[2].map(levelHh)),
  } // prettier-ignore
}

const ratio = (a: number | null, b: number | null): string => (a && b ? `${figure(a / b)} times` : '–')
/** Whether ours gains at least as much. */
const gains = (ours: number | null, paper: number): string =>
  ours === null ? 'no GPU' : ours >= paper ? 'better' : 'less'

const PARTS = [
  part<{ theta: Compared; phi: Compared }>({
    name: 'figure-4',
    takes: 'seconds',
    items: 'Figure 4',
    measure: async (run) => ({
      phi: await compared(run, 'trih_sq_1m_3ghz', 'th45_phi0-90', (_, phi) => phi),
      theta: await compared(run, 'trih_sq_1m_3ghz', 'phi45_th0-90', (theta) => theta),
    }),
    rows: (data) =>
      (['phi', 'theta'] as const).map((key) => ({
        item: `Figure 4, ${key === 'phi' ? 'left: θ 45°, φ 0 to 90°' : 'right: φ 45°, θ 0 to 90°'}`,
        paper: 'trihedral of 1 m, 3 GHz, HH: MLFMM, CPU- and GPU-SBR agree “very well”; no numbers',
        ours: `against the method of moments ${rmsOf(data[key]).toFixed(2)} dB rms (30 dB deep); ${data[key].gpu ? `CPU and GPU differ by ${fromCpu(data[key]).toFixed(2)} dB at most` : 'on the CPU; the GPU’s fields: [parity](../tables/parity.md)'}`,
        verdict: rmsOf(data[key]) < 2 ? 'reproduced; with edges, which the paper has not: [validation](../validation/corners.md)' : 'differs',
      })),
    figures: ({ phi, theta }) => [
      { name: '4a', caption: 'Figure 4, left: trihedral over φ', draw: withMom('Trihedral of 1 m, 3 GHz, θ = 45°', 'φ [deg]', phi) },
      { name: '4b', caption: 'Figure 4, right: trihedral over θ', draw: withMom('Trihedral of 1 m, 3 GHz, φ = 45°', 'θ [deg]', theta) },
    ],
  }),
  part<Compared>({
    name: 'figure-6',
    takes: 'seconds',
    items: 'Figures 5, 6',
    // From -90 to 225 degrees; the reference goes once around.
    measure: (run) =>
      compared(run, 'ship_5ghz', 'phi0_th0-360', (theta) => (theta >= 270 ? theta - 360 : theta <= 225 ? theta : null)),
    rows: (data) => [
      {
        item: 'Figure 5', paper: 'simplified ship, 1 × 0.2 × 0.2 m: a picture without dimensions of its parts',
        ours: 'own shape of that box (`samples/ship-1m.stl`); `ship-0.9m` where a reference is needed', verdict: 'geometry is missing in the paper', by: '[samples](../../samples/README.md)',
      },
      {
        item: 'Figure 6: φ 0°, θ −90° to 225°', paper: '5 GHz, HH: agrees with MLFMM from −90° to 90° (top), differs from 90° to 225° (bottom)',
        ours: `0.9 m ship: ${rmsOf(data, (x) => Math.abs(x) <= 90).toFixed(2)} dB rms above, ${rmsOf(data, (x) => x > 90).toFixed(2)} dB below`,
        verdict: rmsOf(data, (x) => x > 90) > rmsOf(data, (x) => Math.abs(x) <= 90)
          ? 'reproduced, the worse bottom too: a plane radiates by its edges away from broadside ([paper 003](003.md), figure 5)' : 'differs: here the top is worse, for the exit polygon alone radiates (the paper’s form); currents of every bounce and edges bring both sides nearer (`isar validate ship-5ghz-phi0`)',
      },
    ], // prettier-ignore
    figures: (data) => [
      { name: '6', caption: 'Figure 6: ship, 5 GHz, HH', draw: withMom('Ship of 0.9 m, 5 GHz, φ = 0°', 'θ [deg]', data) },
    ],
  }),
  part<Methods>({
    name: 'table-1',
    takes: 'half a minute',
    items: 'Table 1',
    measure: async (run) =>
      methods(run, await sample('ship-1m'), steps(-90, 225, run.quick ? 105 : 15).map((theta): Angles => [theta, 0]), 5e9),
    rows: (m) => [
      {
        item: 'Table 1: SBR, CPU-SBR, GPU-SBR', paper: 'ship, an aspect, mean over figure 6; the copy of the paper that we have lacks the seconds',
        ours: `${figure(m.tubes / 1e3)} k tubes: ${[m.brute, m.bvh, m.gpuBvh].map(seconds).join(', ')}`, verdict: 'see the ratios',
      },
      {
        item: 'Table 1: CPU-SBR : GPU-SBR', paper: '10 times', ours: ratio(m.bvh, m.gpuBvh), verdict: gains(m.gpuBvh && m.bvh / m.gpuBvh, 10),
      },
      {
        item: 'Table 1: SBR : GPU-SBR', paper: '198 times', ours: ratio(m.brute, m.gpuBvh),
        verdict: `${gains(m.gpuBvh && m.brute / m.gpuBvh, 198)}: an aspect of ${figure(m.tubes / 1e3)} k tubes does not fill this GPU, its ${seconds(m.gpuBvh)} are submission; our brute force is 80 facets in a tight loop, ${figure(m.brute / m.bvh)} times the BVH against the paper's 20`,
      },
    ], // prettier-ignore
  }),
  part<Methods>({
    name: 'table-2',
    takes: 'half a minute',
    items: 'Table 2',
    measure: async (run) => methods(run, await sample('deckhouse'), [[45, 0]], run.quick ? 0.1e9 : 3e9),
    rows: (m) => [
      {
        item: 'Table 2: CPU-SBR : GPU-SBR', paper: 'deckhouse, θ 45°, φ 0°: 46 times (seconds are missing in our copy)',
        ours: `${figure(m.tubes / 1e6)} M tubes: ${seconds(m.bvh)} : ${seconds(m.gpuBvh)}, ${ratio(m.bvh, m.gpuBvh)}`, verdict: gains(m.gpuBvh && m.bvh / m.gpuBvh, 46),
      },
      {
        item: 'Table 2: SBR', paper: '“more than a day” for both cuts', ours: `${seconds(m.brute)} an aspect: ${figure((m.brute * 542) / 86400)} days for both cuts; on the GPU ${seconds(m.gpuBrute)} an aspect`, verdict: 'reproduced',
      },
    ], // prettier-ignore
  }),
  part<{ meridian: Cut; azimuth: Cut }>({
    name: 'figure-8',
    takes: 'half a minute',
    items: 'Figures 7, 8',
    measure: async (run) => ({
      meridian: await deckhouse(run, steps(-90, 90, run.quick ? 60 : 1).map((theta): Angles => [theta, 0]), 0),
      azimuth: await deckhouse(run, steps(-180, 180, run.quick ? 120 : 1).map((phi): Angles => [45, phi]), 1),
    }),
    rows({ meridian, azimuth }) {
      const change = ({ three, one }: Cut): string => {
        const sizes = three.map((level, i) => Math.abs(level - one[i])).sort((a, b) => a - b)
        return `${sizes[sizes.length >> 1].toFixed(1)} dB in the median`
      }
      return [
        {
          item: 'Figure 7', paper: 'part of a ship above deck, 110 × 26 × 44.4 m: a picture', ours: 'own shape of that box (`samples/deckhouse.stl`, 2,216 facets)',
          verdict: 'geometry and facets are missing in the paper', by: '[samples](../../samples/README.md)',
        },
        ...[meridian, azimuth].map((cut, i) => ({
          item: `Figure 8(${'ab'[i]}): ${i === 0 ? 'φ 0°, θ −90° to 90°' : 'θ 45°, φ −180° to 180°'}`,
          paper: '3 GHz, HH, 3 bounces (red) against one, PO (black); no numbers',
          ours: `${cut.hz / 1e9} GHz, ${cut.aspects} aspects: 3 bounces differ from one by ${change(cut)}`,
          verdict: 'reproduced on our shape: corners of deck and walls govern it',
        })),
        {
          item: 'time of figure 8', paper: '786 s, both cuts; its step is not stated', ours: `${seconds(meridian.bvh + azimuth.bvh)} along the BVH's ropes, ${seconds(meridian.lists + azimuth.lists)} by candidate lists, ${meridian.aspects + azimuth.aspects} aspects`,
          verdict: `better by ${figure(786 / (meridian.bvh + azimuth.bvh))} times`,
        },
      ]
    }, // prettier-ignore
    figures: (data) =>
      (['meridian', 'azimuth'] as const).map((key, i) => ({
        name: `8${'ab'[i]}`,
        caption: `Figure 8(${'ab'[i]}): deckhouse`,
        draw: {
          title: `Deckhouse, ${data[key].hz / 1e9} GHz, ${i === 0 ? 'φ = 0°' : 'θ = 45°'}`,
          xTitle: i === 0 ? 'θ [deg]' : 'φ [deg]',
          yTitle: 'RCS, HH [dBsm]',
          angular: true,
          depth: 90,
          series: [
            { name: 'SBR, 3 bounces', x: data[key].x, y: data[key].three },
            { name: 'PO, 1 bounce', x: data[key].x, y: data[key].one, style: 'dashed' as const },
          ],
        },
      })),
  }),
  part<Methods[]>({
    name: 'facets',
    takes: 'half a minute',
    items: 'section 3: speed-ups by facets',
    async measure(run) {
      const found: Methods[] = []
      for (const level of run.quick ? [1, 2, 3] : [1, 2, 3, 4, 5]) {
        const { scene, target } = prepareRecipe('sphere', 'sphere', { mesh: sphere(1, level), smoothAngleDeg: 20 })
        found.push(await methods(run, { scene, area: target.area }, [[90, 10]], run.quick ? 1e9 : 10e9))
        run.keep(found)
        run.say(`${scene.count} facets`)
      }
      return found
    },
    rows(all) {
      const [first, last] = [all[0], all[all.length - 1]]
      return [
        {
          item: 'section 3: gains grow with the model', paper: '“as size and complexity grow, so does the gain”: 198 and 10 times for the ship, 46 for the deckhouse',
          ours: `sphere of 1 m, ${first.facets} to ${last.facets} facets: BVH over brute force on one core ${figure(first.brute / first.bvh)} to ${figure(last.brute / last.bvh)} times${last.gpuBvh ? `, on the GPU ${ratio(first.gpuBrute, first.gpuBvh)} to ${ratio(last.gpuBrute, last.gpuBvh)}` : '; GPU: ship (80 facets) and deckhouse (2,216) in tables 1 and 2'}`,
          verdict: last.brute / last.bvh > first.brute / first.bvh ? 'reproduced' : 'differs',
        },
      ]
    }, // prettier-ignore
    text: (all) =>
      `Speed-up by facets (sphere of 1 m, ${figure(all[0].tubes / 1e3)} k tubes; seconds an aspect):\n\n${tableOf(
        ['facets', 'SBR, one core', 'CPU-SBR', 'GPU, all facets', 'GPU-SBR', 'SBR : GPU-SBR', 'CPU-SBR : GPU-SBR'],
        all.map((m) => [m.facets, ...[m.brute, m.bvh, m.gpuBrute, m.gpuBvh].map(seconds), ratio(m.brute, m.gpuBvh), ratio(m.bvh, m.gpuBvh)]),
      )}`,
  }),
] // prettier-ignore

const [FIGURE_4, FIGURE_6, TABLE_1, TABLE_2, FIGURE_8, FACETS] = PARTS

export const PAPER: Paper = {
  number: '002',
  title: 'SBR with a BVH on a GPU',
  reference:
    'X. Liu, L. Zhang and Y. Zhao (Tianshui Normal University), in Chinese: SBR traced with a BVH in CUDA; Core i5, GTX 650 of 384 cores.',
  about:
    'As in the paper 10 tubes a wavelength, 3 bounces, fields of the exit polygon, no tube subdivided. SBR: every facet tested (`reproduction/brute-force.ts`), fields the same to the last bit; CPU-SBR: BVH, one core; GPU-SBR: BVH along ropes. CPU times are extrapolated from strips of the aperture. Tiles of 16 × 16 tubes without a facet in front are not launched on the GPU.',
  entries: [
    {
      item: 'Figure 1', paper: 'tubes made, traced, radiating, on the GPU; the tree on the CPU', ours: 'the same split', verdict: 'reproduced (a diagram)', by: '[ray engine](../ray-engine.md)',
    },
    {
      item: 'Figure 2: six ropes a node', paper: 'a node has six ropes, one per face of its box, to the neighbour beyond that face',
      ours: 'six ropes a node, one per direction ±x ±y ±z: a ray takes that of its main direction where it misses or leaves a box',
      verdict: 'differs because boxes of a BVH overlap: “the neighbour beyond a face” is defined for the disjoint cells of a kd-tree (Popov, its reference 9) alone, and in a BVH would miss facets',
      by: '`--traversal ropes`, [ropes](../ray-engine.md#ropes)',
    },
    {
      item: 'Figure 3', paper: 'nodes as one array, numbers instead of pointers, no stack', ours: 'the same: `nodes[at].ropes[face]`', verdict: 'reproduced', by: '`shaders/traversal_ropes.wgsl`',
    },
    FIGURE_4,
    TABLE_1,
    FIGURE_6,
    FIGURE_8,
    TABLE_2,
    FACETS,
  ], // prettier-ignore
}

if (isProgram(import.meta.url)) await runPaper(PAPER)
