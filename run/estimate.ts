import { readFileSync } from 'node:fs'
import { freemem, platform, totalmem } from 'node:os'
import { dirname } from 'node:path'
import {
  blockCount,
  creepingFacets,
  edgeRanges,
  edgeSumBytes,
  MECHANISMS,
  nodeCount,
  type SecondOrder,
  UNIFORM,
} from '../cpu-diffraction/index.js'
import { sumBytes, TASK_TUBES } from '../cpu-sbr/index.js'
import { estimateUnknowns, type FullWaveEngine, type SystemSize } from '../full-wave/index.js'
import {
  DOUBLE_OFFSET,
  fitAperture,
  jobAperture,
  optionsOfStep,
  RayCaster,
  type RayScene,
  sceneBytes,
  TILE,
  tubeCount,
} from '../rays/index.js'
import { type Aspect, highestFrequency, InputError, type Target, wavelength } from '../scene/index.js'
import type { OpenEngines } from './solver.js'
import { bouncesApart, fieldNames } from './sweep/aspect-solver.js'
import { type Engines, isFullWave, waysOf } from './sweep/engines.js'
import { planFullWave } from './sweep/full-wave-sweep.js'
import { frequencyTotal, inSteps, rowLength, type SweepJob } from './sweep/rows.js'
import type { AspectReport } from './sweep/index.js'

/** Rays along a side of each lattice, and aspects that are sampled: a few milliseconds. */
const SIDE = 16
const ASPECTS = 5

/**
 * Facets that a ray which meets the target meets on its way, on average: what makes rays of one target cost several times those of
 * another of its size. Cast on the calling thread, a coarse lattice at some of the aspects.
 */
export function meanBounces(scene: RayScene, aspects: Aspect[], maxBounces: number): number {
  const caster = new RayCaster(scene)
  const count = Math.min(ASPECTS, aspects.length)
  const total = { rays: 0, hits: 0 }
  for (let i = 0; i < count; i++) {
    const { tx } = aspects[Math.floor(((i + 0.5) / count) * aspects.length)]
    const { base, d, u, v, h, offset, tileI0, tileJ0, tilesI, tilesJ } = fitAperture(
      scene,
      tx,
      scene.diagonal / (TILE * SIDE),
    )
    for (let n = 0; n < SIDE * SIDE; n++) {
      const a = (TILE * (tileI0 + tilesI * (((n % SIDE) + 0.5) / SIDE)) + offset[0]) * h
      const b = (TILE * (tileJ0 + tilesJ * ((Math.floor(n / SIDE) + 0.5) / SIDE)) + offset[1]) * h
      const launch = base.map((x, c) => x + a * u[c] + b * v[c])
      const hits = bouncesOf(scene, caster, launch, d, maxBounces)
      total.hits += hits
      if (hits > 0) total.rays++
    }
  }
  return total.rays > 0 ? total.hits / total.rays : 1
}

/** Facets that a ray meets by specular reflection. */
function bouncesOf(
  scene: RayScene,
  caster: RayCaster,
  from: number[],
  along: number[],
  most: number,
): number {
  const { normals, diagonal } = scene
  let [x, y, z] = from
  let [dx, dy, dz] = along
  for (let bounce = 0; bounce < most; bounce++) {
    if (!caster.nearest(x, y, z, dx, dy, dz, bounce === 0 ? -1 : caster.facet)) return bounce
    const at = 4 * caster.facet
    const [nx, ny, nz] = [normals[at], normals[at + 1], normals[at + 2]]
    const cosine = nx * dx + ny * dy + nz * dz
    const lift = (cosine > 0 ? -1 : 1) * DOUBLE_OFFSET * diagonal
    x += caster.t * dx + lift * nx
    y += caster.t * dy + lift * ny
    z += caster.t * dz + lift * nz
    dx -= 2 * cosine * nx
    dy -= 2 * cosine * ny
    dz -= 2 * cosine * nz
  }
  return most
}

/** Memory of a process without a target, and of each of its threads; measured with Node 20. */
const PROCESS_BYTES = 80e6
const THREAD_BYTES = 25e6
/** What sums and fields take, with what is freed and not yet collected: 300,000 frequencies of a plate take 1.4 GiB, over 1.5 on a busy machine, for 1.2. */
const UNCOLLECTED = 1.25
/** Of an aspect's directions. */
const ASPECT_BYTES = 600
/** A facet with its vertices, edges and part of the BVH. */
const FACET_BYTES = 8 * (12 + 4 + 9 + 2)

/** Copies of all fields held while a file of arrays is written: by channel, as an array's bytes, and in the file. */
export const ARRAY_COPIES = 3

/**
 * Approximate peak memory of a sweep [bytes].
 * @param workers  threads of SBR on the cpu
 * @param tubes    per aspect and band, at most
 * @param copies   of all fields held while results are written
 */
function runMemory(
  scene: RayScene,
  job: SweepJob,
  engines: Engines,
  workers: number,
  tubes: number,
  copies: number,
): number {
  const { facets, edges, options } = engines
  const { device, aspectsInFlight } = facets.describe()
  const row = 8 * rowLength(job, fieldNames(engines, bouncesApart(engines).least).length)
  const rows = job.aspects.length * row
  const inFlight = Math.min(aspectsInFlight, job.aspects.length)
  const mostOf = (bytes: (band: SweepJob['bands'][number]) => number): number =>
    job.bands.reduce((most, band) => Math.max(most, bytes(band)), 0)
  const [aspect] = job.aspects
  const tasks = Math.ceil(tubes / TASK_TUBES) * inFlight
  // A thread holds its totals and the contributions it adds, and sends a copy; the calling thread holds totals of each aspect.
  const sums =
    device === 'cpu' && !('raster' in facets)
      ? (3 * Math.min(workers, tasks) + inFlight) *
        mostOf((band) => sumBytes(scene, { aspect, band, options }))
      : 0
  const threads = edges ? edges.engine.describe().threads : 0
  const underWay = inFlight * (row + mostOf((band) => 3 * 64 * band.n))
  return (
    PROCESS_BYTES +
    // Each thread casts rays in a copy of the scene.
    (THREAD_BYTES + sceneBytes(scene)) * (threads + (device === 'cpu' ? workers : 0)) +
    scene.count * FACET_BYTES +
    scene.nodes.byteLength +
    scene.pairs.boxes.byteLength +
    scene.quads.nodes.byteLength +
    job.aspects.length * ASPECT_BYTES +
    rows +
    // Threads end before results are written.
    UNCOLLECTED * Math.max(copies * rows, underWay + sums + threads * mostOf(edgeSumBytes))
  )
}

type Read = (path: string) => string | null

/** Files of a control group, version 2 and version 1: its limit, what it uses, and under which names it counts cached files. */
const GROUPS = [
  {
    controller: '',
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    used: 'memory.current',
    cached: ['inactive_file', 'active_file'],
  },
  {
    controller: 'memory',
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    cached: ['total_inactive_file', 'total_active_file'],
  },
]

/**
 * Memory that can still be taken [bytes]: the machine's, or what the control groups of this process (containers, batch systems)
 * leave where that is less. Cached files count as free, since the system gives them up. Where the system does not say how much
 * of its memory it could give up (it does on Linux), all of the machine's.
 */
export function freeMemory(read: Read = readText, machine = machineMemory()): number {
  const membership = read('/proc/self/cgroup') ?? ''
  let free = machine
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const group = GROUPS.find(({ controller }) => controllers?.split(',').includes(controller))
    if (!group) continue
    // A container sees its own group as the root, whatever its path says.
    for (let at = path; ; at = dirname(at)) {
      free = Math.min(free, leftIn(group, at === '/' ? group.root : group.root + at, read))
      if (at === dirname(at)) break
    }
  }
  return free
}

/** Infinity where the group has no limit or is not there. */
function leftIn({ limit, used, cached }: (typeof GROUPS)[number], folder: string, read: Read): number {
  const number = (text: string | null | undefined): number => Number.parseInt(text ?? '', 10)
  const most = number(read(`${folder}/${limit}`))
  if (Number.isNaN(most)) return Infinity
  const statistics = read(`${folder}/memory.stat`) ?? ''
  const files = cached.map((name) => number(new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics)?.[1]) || 0)
  const taken = (number(read(`${folder}/${used}`)) || 0) - files.reduce((a, b) => a + b)
  return Math.max(0, most - Math.max(0, taken))
}

const machineMemory = (): number => (platform() === 'linux' ? freemem() : totalmem())

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** A run needs more memory than there is. */
export class MemoryError extends InputError {}

/** @throws MemoryError where a run needs more memory than is free; @param advice  what to lower */
export function checkMemory(bytes: number, advice: string, free = freeMemory()): void {
  if (bytes <= free) return
  const gib = (n: number): string =>
    n < 2 ** 37 ? (n / 2 ** 30).toPrecision(3) : String(Math.round(n / 2 ** 30))
  throw new MemoryError(
    `the run needs about ${gib(bytes)} GiB of memory and ${gib(free)} GiB are free; ${advice}`,
  )
}

/** Above these a plan is treated as a mistake in the units. */
const MAX_WAVELENGTHS = 20_000
const MAX_TUBES = 5e10
/** Range of sizes without a warning [wavelengths]. */
const ODD_SIZE = [0.5, 5000]
/**
 * Seconds of an aspect's rays: `aspect`, and scale x tubes^a x facets^b x bounces^c, where `bounces` is the mean of a sample, in which rays
 * count at most so many; times `several` for several frequencies; times `materials` where the target has some; and some per tube and
 * frequency. Of a hardware GPU, which waits for its longest rays, of a software one, and of a thread. Fitted to samples and stand-ins
 * (decision 011): a first estimate, which the run's aspects correct (`TimeLeft`).
 */
const ON_GPU = { powers: [0.62, 0.27, 3], most: 50, several: 1, materials: 1 }
const RAYS = {
  gpu: { aspect: 3e-4, scale: 1.05e-8, tubeFrequency: 2e-12, ...ON_GPU },
  software: { aspect: 0, scale: 6.5e-5, tubeFrequency: 4e-8, ...ON_GPU },
  cpu: {
    aspect: 0,
    scale: 6.9e-6,
    tubeFrequency: 0,
    powers: [0.705, 0.237, 2.5],
    most: 5,
    several: 1.25,
    materials: 3.5,
  },
}
/** Seconds of a thread per aspect: scale x edges^power x (1 + node x nodes of the band). Length does not count. */
const EDGES = { scale: 2.2e-4, power: 0.68, node: 0.08 }
/** The same of creeping waves: scale x facets x (1 + node x nodes of the band). A sphere of 20,480. */
const CREEPING = { scale: 2.9e-6, node: 0.36 }
/** Threads work as so many alone: threads to this power. Two of a core's, and the memory, are shared. */
const SHARING = 0.75
/** Seconds of an aspect's sums at each frequency: of rays, on the calling thread, and of edges, of a thread for each block of segments and each mechanism. A cube at 10⁵ and 10⁶ frequencies. */
const SUMS = { rays: 1.4e-5, edges: 5e-6 }

/** What the first aspects of a run take more than others [s]. */
export const COLD = { cpu: 0.7, software: 2, gpu: 0.4 }
/** And with mechanisms of second order: every thread compiles them [s]. */
const COLD_MECHANISMS = { cpu: 0.4, software: 0.4, gpu: 1 }

/** Pixels drawn, and facets times one more than the frequencies, per second by an engine that rasterises. Rough too. */
const RASTER = {
  gpu: { pixels: 2e10, facets: 5e8 },
  software: { pixels: 2e7, facets: 5e5 },
  cpu: { pixels: 5e7, facets: 5e5 },
}

/** Engines whose work is counted. */
type Counted = Engines & Pick<OpenEngines, 'edgeScene'>

export interface RunEstimate {
  /** Box sides [m], and the diagonal in wavelengths at the highest frequency. */
  size: [number, number, number]
  wavelengths: number
  tubesPerAspect: number
  /** With full wave: unknowns at the lowest and at the highest frequency, about; there are no tubes then. */
  fullWave?: { unknowns: number; most: number }
  memoryBytes: number
  /** Of the sweep with compilers and caches warm, from counts and rates; and what its first aspects take more. */
  seconds: number
  coldSeconds: number
  warnings: string[]
}

/** Ray tubes, or pixels, of a run's first aspect in each of its bands. */
const tubesOfBands = (
  scene: RayScene,
  { aspects, bands }: SweepJob,
  { facets, options }: Engines,
): number[] =>
  bands.map((band) =>
    isFullWave(facets)
      ? 0
      : 'raster' in facets
        ? facets.raster.size ** 2
        : tubeCount(jobAperture(scene, { aspect: aspects[0], band, options: optionsOfStep(options, band) })),
  )

/**
 * Estimates a run before it starts.
 * @param copies  of all fields held while results are written
 * @throws InputError, naming --units, for a target so many wavelengths large that the file's unit must be another one, and for a
 * run that needs more memory than there is
 */
export function estimateRun(
  scene: RayScene,
  box: { min: number[]; max: number[] },
  given: SweepJob,
  engines: Counted,
  workers: number,
  copies = 0,
): RunEstimate {
  const job = inSteps(engines, given)
  const lambda = wavelength(Math.max(...job.bands.map(highestFrequency)))
  const size = [0, 1, 2].map((a) => box.max[a] - box.min[a]) as [number, number, number]
  const wavelengths = Math.hypot(...size) / lambda
  const sizeText = `${size.map((x) => Number(x.toPrecision(4))).join(' x ')} m`
  const { facets } = engines
  const tubes = tubesOfBands(scene, job, engines)
  const tubesPerAspect = tubes.reduce((sum, n) => sum + n, 0)
  if (wavelengths > MAX_WAVELENGTHS || tubesPerAspect > MAX_TUBES)
    throw new InputError(
      `the target is ${sizeText}, ${Math.round(wavelengths)} wavelengths, and would take ${tubesPerAspect.toExponential(1)} ray tubes per aspect; if the file is not in metres say so with --units mm (or cm, in, ft)`,
    )
  const warnings: string[] = []
  if (wavelengths < ODD_SIZE[0] || wavelengths > ODD_SIZE[1])
    warnings.push(
      `the target is ${sizeText} or ${Number(wavelengths.toPrecision(2))} wavelengths: is the file in another unit? (--units m, cm, mm, in or ft)`,
    )
  if (isFullWave(facets))
    return {
      size,
      wavelengths,
      tubesPerAspect,
      warnings,
      coldSeconds: 0,
      ...estimateFullWave(facets, job, kindOf(engines), workers),
    }
  const frequencies = frequencyTotal(job)
  const memoryBytes = runMemory(scene, job, engines, workers, Math.max(...tubes), copies)
  // The fields of this run can be too large, not the target.
  checkMemory(
    memoryBytes,
    `take fewer aspects (${job.aspects.length}) or frequencies (${frequencies}), or fewer --workers`,
  )
  return {
    size,
    wavelengths,
    tubesPerAspect,
    memoryBytes,
    seconds: sweepSeconds(scene, box, job, engines, workers, tubes),
    coldSeconds:
      COLD[kindOf(engines)] +
      (engines.edges?.options.secondOrder?.length ? COLD_MECHANISMS[kindOf(engines)] : 0),
    warnings,
  }
}

/** Rays are asymptotic: below this size of a target full wave is the better method [wavelengths]. */
const SMALL = 12
/** Full wave is proposed up to this time [s]. */
const PROPOSED_SECONDS = 60

/** One line where full wave would solve a small target in little time; null elsewhere. */
export function fullWaveAdvice(
  target: Target,
  job: SweepJob,
  engines: Counted,
  { wavelengths }: RunEstimate,
  workers: number,
): string | null {
  const { facetMaterial, ground } = target
  if (isFullWave(engines.facets) || facetMaterial || ground || !(wavelengths < SMALL)) return null
  const unknownsOf = estimateUnknowns(target)
  // Whatever symmetry saves.
  const sizeAt = (f: number): SystemSize => ({ unknowns: unknownsOf(wavelength(f)), sets: 1 })
  const { most, seconds } = planFullWave(sizeAt, job, kindOf(engines), workers)
  if (!(seconds < PROPOSED_SECONDS)) return null
  return `the target is ${Number(wavelengths.toPrecision(2))} wavelengths across, small for rays: --method mom solves it without approximation, in about ${Math.ceil(seconds)} s (${most} unknowns)`
}

/**
 * Time and memory of a run by full wave.
 * @throws InputError, with the highest frequency that would fit, for a matrix that needs more memory than there is
 */
function estimateFullWave(
  engine: FullWaveEngine,
  job: SweepJob,
  device: 'cpu' | 'software' | 'gpu',
  workers: number,
): Pick<RunEstimate, 'fullWave' | 'memoryBytes' | 'seconds'> {
  const { unknowns, most, bytes, seconds, fits } = planFullWave((f) => engine.size(f), job, device, workers)
  const top = Math.max(...job.bands.map(highestFrequency))
  checkMemory(
    bytes,
    `--method mom has about ${most} unknowns at ${Number((top / 1e9).toPrecision(4))} GHz; about ${Number((fits(freeMemory()) / 1e9).toPrecision(3))} GHz would fit, and rays (--method sbr) need none of it`,
  )
  return { fullWave: { unknowns, most }, memoryBytes: bytes, seconds }
}

/** Least shadow of a box, as a part of its largest side: a sheet seen edge-on takes time too. */
const LEAST_SHADOW = 0.05

/** Area of a box's shadow under each aspect's transmitter [m^2]: the rays of an aspect are about in proportion to it. */
export function shadowAreas(box: { min: number[]; max: number[] }, aspects: Aspect[]): Float64Array {
  const [x, y, z] = [0, 1, 2].map((a) => box.max[a] - box.min[a])
  const sides = [y * z, z * x, x * y]
  const least = LEAST_SHADOW * Math.max(...sides)
  const shadow = (r: ArrayLike<number>): number =>
    sides.reduce((sum, side, a) => sum + side * Math.abs(r[a]), 0)
  return Float64Array.from(aspects, ({ tx }) => Math.max(least, shadow(tx.r)))
}

/** Kind of device that rates are known of. */
function kindOf({ facets }: Counted): 'cpu' | 'software' | 'gpu' {
  const { device, isSoftware } = facets.describe()
  return device === 'gpu' && isSoftware ? 'software' : device
}

/** Seconds of a sweep from counts and rates, both sides. */
function sweepSeconds(
  scene: RayScene,
  box: { min: number[]; max: number[] },
  job: SweepJob,
  engines: Counted,
  workers: number,
  tubes: number[],
): number {
  const { facets, coarser = [] } = engines
  const kind = kindOf(engines)
  const { aspects } = job
  const traced = (job.groups?.map((group) => aspects[group[group.length >> 1]]) ?? aspects).flatMap((one) =>
    waysOf(engines, one),
  )
  // In aspects like the first, whose tubes are counted.
  const [first] = shadowAreas(box, aspects.slice(0, 1))
  const alike =
    'raster' in facets ? traced.length : shadowAreas(box, traced).reduce((sum, area) => sum + area / first, 0)
  const finer = coarser.reduce((sum, factor) => sum + factor * factor, 1 + bouncesApart(engines).least)
  const sums = kind === 'cpu' && !('raster' in facets) ? traced.length * frequencyTotal(job) * SUMS.rays : 0
  const rays =
    (alike * finer * facetSeconds(scene, job, engines, tubes)) / (kind === 'cpu' ? workers : 1) + sums
  const edges = traced.length * edgeSeconds(scene, job, engines)
  // Threads of both sides share the processor's cores.
  return kind === 'gpu' ? Math.max(rays, edges) : rays + edges
}

/** Seconds of an aspect's facets, of so many tubes in each band: of the GPU, or of one thread. */
function facetSeconds(
  scene: RayScene,
  { aspects, bands }: SweepJob,
  engines: Counted,
  tubes: number[],
): number {
  const kind = kindOf(engines)
  if ('raster' in engines.facets) {
    const { pixels, facets } = RASTER[kind]
    return bands.reduce((sum, { n }, b) => sum + tubes[b] / pixels + (scene.count * (1 + n)) / facets, 0)
  }
  const { aspect, scale, powers, most, several, materials, tubeFrequency } = RAYS[kind]
  const bounces = meanBounces(scene, aspects, Math.min(most, engines.options.maxBounces))
  const [a, b, c] = powers
  const ofTarget = scale * scene.count ** b * bounces ** c * (scene.materials ? materials : 1)
  return bands.reduce(
    (sum, { n }, b) =>
      sum + aspect + ofTarget * tubes[b] ** a * (n > 1 ? several : 1) + tubes[b] * n * tubeFrequency,
    0,
  )
}

/** Seconds of an aspect's edges, all threads at work. */
function edgeSeconds(rays: RayScene, { bands }: SweepJob, engines: Counted): number {
  const { edges, edgeScene, orderChange } = engines
  if (!edges || !edgeScene) return 0
  const { engine, options } = edges
  const { scale, power, node } = EDGES
  const { secondOrder = [] } = options
  let [sum, sums] = [0, 0]
  for (const band of bands) {
    // Of these edges: the engine may be another target's.
    const [all] = edgeRanges(edgeScene, { band, options }, Infinity)
    const blocks = all ? blockCount(all.segments) : 0
    const nodes = Math.min(band.n, nodeCount(band.f0, highestFrequency(band)))
    const curved = secondOrder.includes('creeping') ? creepingFacets({ rays, edges: edgeScene }, band) : 0
    const mechanisms = secondOrder.filter((name) => name !== 'creeping' || curved > 0)
    sums += band.n * SUMS.edges * (blocks + mechanisms.length)
    sums += CREEPING.scale * curved * (1 + nodes * CREEPING.node)
    sum += scale * edgeScene.count ** power * (1 + nodes * node)
  }
  const orders = (list: readonly SecondOrder[]): number =>
    list.reduce((all, name) => all + MECHANISMS[name].cost, 1)
  let times = orders(secondOrder)
  // Its change is that to first order, or from it to the uniform theory.
  const isUniform = UNIFORM.every((name) => secondOrder.includes(name))
  if (orderChange && !(isUniform && options.apart)) times += orders(isUniform ? [] : UNIFORM)
  return (times * sum + sums) / engine.describe().threads ** SHARING
}

/**
 * The trial ends after this part of the aspects, at least so many seconds, or after more seconds and so many aspects, also per thread of the
 * edges, whichever comes first: compilers are busy for seconds, for more on a busy machine.
 */
const TRIAL = { part: 0.25, seconds: 2, longSeconds: 10, aspects: 4, perThread: 2 }
/** A stated estimate is corrected where it is off by this factor and by so many seconds. */
const WRONG = { factor: 1.5, seconds: 1 }

/** Sums over what was finished up to a time [s]: seconds of rays and edges, work of the rays, aspects. */
interface Sums {
  rays: number
  edges: number
  weight: number
  aspects: number
  at: number
}

/**
 * How long a sweep still takes, from the aspects that it has finished: they are the trial, work that has to be done anyway. The first half
 * of them is left out: compilers and caches are cold. The rest takes as long as the busier side has work for or, if that is more, as the
 * aspects have come in, of which threads that run ahead finish several at once.
 */
export class TimeLeft {
  private readonly sums: Sums[] = [{ rays: 0, edges: 0, weight: 0, aspects: 0, at: 0 }]
  private readonly total = { weight: 0, aspects: 0 }

  /**
   * @param weights  work of the rays of each aspect that is left, by its number, in any unit
   * @param stated   estimate before the start [s]
   * @param threads  of the edges
   * @param start    of the sweep [s]
   */
  constructor(
    private readonly weights: ReadonlyMap<number, number>,
    private stated: number,
    private readonly threads: number,
    private readonly start: number,
  ) {
    for (const weight of weights.values()) this.total.weight += weight
    this.total.aspects = weights.size
  }

  /** Takes aspects that were finished together at a time [s], with their common report; without one where its times are not those of this machine. */
  add(numbers: number[], now: number, report?: AspectReport): void {
    const { rays, edges, weight, aspects } = this.sums.at(-1)!
    this.sums.push({
      rays: rays + (report ? report.trace + report.field + report.reduction : 0),
      edges: edges + (report ? report.prepare + report.evaluate : 0),
      weight: numbers.reduce((sum, i) => sum + (this.weights.get(i) ?? 0), weight),
      aspects: aspects + numbers.filter((i) => this.weights.has(i)).length,
      at: now,
    })
  }

  /** Seconds left; undefined until there are aspects beside the first. */
  seconds(): number | undefined {
    const { sums, total, threads } = this
    const n = sums.length - 1
    if (n < 2) return undefined
    const [middle, all] = [sums[n >> 1], sums[n]]
    const weight = total.weight - all.weight
    const rays = ((all.rays - middle.rays) / (all.weight - middle.weight)) * weight
    const edges =
      ((all.edges - middle.edges) / (all.aspects - middle.aspects)) * (total.aspects - all.aspects)
    // The last of them may have been alone, and others about to come.
    const together = 1 + (threads - 1) / (n - (n >> 1))
    const came = ((all.at - middle.at) / ((all.weight - middle.weight) * together)) * weight
    return Math.max(rays, edges, came)
  }

  private isTrial(now: number, aspects: number): boolean {
    const { part, seconds, longSeconds, aspects: least, perThread } = TRIAL
    const elapsed = now - this.start
    if (aspects >= part * this.total.aspects) return elapsed < seconds
    return elapsed < longSeconds || aspects < Math.max(least, perThread * this.threads)
  }

  /** The sweep's whole time [s], once, where the trial and what has come since say that the stated estimate is wrong. */
  corrected(now: number): number | undefined {
    const left = this.seconds()
    const { aspects } = this.sums.at(-1)!
    if (left === undefined || aspects === this.total.aspects || this.isTrial(now, aspects)) return undefined
    const whole = now - this.start + left
    const ratio = Math.max(whole / this.stated, this.stated / whole)
    if (!(ratio > WRONG.factor && Math.abs(whole - this.stated) > WRONG.seconds)) return undefined
    this.stated = whole
    return whole
  }
}
