/**
 * A discrete-event model of cluster runs, as Markdown: expected efficiency of 8, 64 and 1,000 GPUs, of unequal GPUs and of
 * slow networks. The work of each angle's aperture is that of the real targets (the tubes that hit are traced on a coarse
 * lattice), the partition is isar's code. `node dist/reproduction/cluster-model.js [ANGLES]`; results: decision 012.
 */
import { fileURLToPath } from 'node:url'
import { adjustPartition, leafTiles, type Partition, uniformPartition } from '../run/cluster/partition.js'
import {
  type Aperture,
  buildRayScene,
  jobAperture,
  RayCaster,
  type RayScene,
  TILE,
  type TileRange,
} from '../rays/index.js'
import { direction, prepareTarget } from '../scene/index.js'
import { parseRange } from '../src/cli/options.js'
import { type ClusterTarget, clusterTargets } from './cluster-targets.js'

/** Seconds of an H200 for a tube that misses, and for one that hits (cut where it crosses an edge): decision 012. */
const MISS_S = 1 / 30e9
const HIT_S = 3e-9
/** Overhead of a worker per unit of work [s]; time of the coordinator to send one and to receive its answer [s]. */
const UNIT_S = 1.2e-3
const SEND_S = 0.08e-3
const RECEIVE_S = 0.08e-3
/** Bytes of an answer: sums of one frequency, with overhead. */
const ANSWER_BYTES = 700
/** Relative variation of times from run to run (full width). */
const NOISE = 0.04
/** Angles with divided apertures in flight; units that a worker prefetches in pull mode. */
const IN_FLIGHT = 2
const HELD = 4
const GRID = 256

/** Work of the tiles of one angle's aperture [s], as a summed-area table on a coarse lattice. */
export interface Load {
  aperture: Aperture
  total: number
  of: (tiles: TileRange) => number
}

interface Network {
  name: string
  /** One way [s], and bytes per second into the coordinator. */
  latency: number
  bandwidth: number
}

function loadOf(scene: RayScene, frequency: number, thetaDeg: number, phiDeg: number): Load {
  const d = direction(thetaDeg, phiDeg)
  const aperture = jobAperture(scene, {
    aspect: { tx: d, rx: d },
    band: { f0: frequency, df: 0, n: 1 },
    options: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2 },
  })
  const { tilesI, tilesJ, tileI0, tileJ0, base, u, v, h } = aperture
  const step = Math.max(tilesI, tilesJ) / GRID
  const [ni, nj] = [Math.ceil(tilesI / step), Math.ceil(tilesJ / step)]
  const caster = new RayCaster(scene)
  const sums = new Float64Array((ni + 1) * (nj + 1))
  for (let j = 0; j < nj; j++)
    for (let i = 0; i < ni; i++) {
      const a = (tileI0 + (i + 0.5) * step) * TILE * h
      const b = (tileJ0 + (j + 0.5) * step) * TILE * h
      const [x, y, z] = [0, 1, 2].map((c) => base[c] + a * u[c] + b * v[c])
      const hit = caster.nearest(x, y, z, ...aperture.d, -1)
      const work = (step * TILE) ** 2 * (MISS_S + (hit ? HIT_S : 0))
      const at = (j + 1) * (ni + 1) + i + 1
      sums[at] = work + sums[at - 1] + sums[at - ni - 1] - sums[at - ni - 2]
    }
  /** Work below and to the left of a point, in cells of the grid; linear within a cell. */
  const below = (x: number, y: number): number => {
    const [i, j] = [Math.min(Math.floor(x), ni - 1), Math.min(Math.floor(y), nj - 1)]
    const [p, q] = [Math.min(1, x - i), Math.min(1, y - j)]
    const at = j * (ni + 1) + i
    const low = (1 - p) * sums[at] + p * sums[at + 1]
    return (1 - q) * low + q * ((1 - p) * sums[at + ni + 1] + p * sums[at + ni + 2])
  }
  const of = ({ i0, j0, ni: wide, nj: high }: TileRange): number => {
    const [x0, x1] = [i0 - tileI0, i0 - tileI0 + wide].map((t) => t / step)
    const [y0, y1] = [j0 - tileJ0, j0 - tileJ0 + high].map((t) => t / step)
    return Math.max(0, below(x1, y1) - below(x0, y1) - below(x1, y0) + below(x0, y0))
  }
  return { aperture, of, total: of({ i0: tileI0, j0: tileJ0, ni: tilesI, nj: tilesJ }) }
}

/** Events in the order of their times. */
class Clock {
  now = 0
  private readonly heap: { at: number; run: () => void }[] = []

  schedule(at: number, run: () => void): void {
    const { heap } = this
    let k = heap.push({ at, run }) - 1
    for (let up = (k - 1) >> 1; k > 0 && heap[up].at > heap[k].at; up = (k - 1) >> 1) {
      ;[heap[up], heap[k]] = [heap[k], heap[up]]
      k = up
    }
  }

  run(): void {
    const { heap } = this
    while (heap.length > 0) {
      const first = heap[0]
      const last = heap.pop()!
      if (heap.length > 0) heap[0] = last
      for (let k = 0; ;) {
        let least = k
        for (const child of [2 * k + 1, 2 * k + 2])
          if (child < heap.length && heap[child].at < heap[least].at) least = child
        if (least === k) break
        ;[heap[least], heap[k]] = [heap[k], heap[least]]
        k = least
      }
      this.now = first.at
      first.run()
    }
  }
}

/** A resource that serves one request at a time. */
class Resource {
  private free = 0
  constructor(private readonly clock: Clock) {}

  take(seconds: number, done: () => void): void {
    this.free = Math.max(this.free, this.clock.now) + seconds
    this.clock.schedule(this.free, done)
  }
}

/** The cluster, for both distributions. */
class Cluster {
  readonly clock = new Clock()
  private readonly coordinator = new Resource(this.clock)
  private readonly link = new Resource(this.clock)
  private readonly workers
  private noise = 1

  constructor(
    private readonly speeds: number[],
    private readonly network: Network,
  ) {
    this.workers = speeds.map(() => new Resource(this.clock))
  }

  /** Sends a unit of work to a worker and its answer back; calls `done` with the worker's time. */
  unit(worker: number, work: number, done: (seconds: number) => void): void {
    const { latency, bandwidth } = this.network
    this.noise = (Math.imul(this.noise, 1664525) + 1013904223) >>> 0
    const factor = 1 + NOISE * (this.noise / 2 ** 32 - 0.5)
    const busy = (work * factor) / this.speeds[worker]
    this.coordinator.take(SEND_S, () =>
      this.clock.schedule(this.clock.now + latency, () =>
        this.workers[worker].take(busy + UNIT_S, () =>
          this.clock.schedule(this.clock.now + latency, () =>
            this.link.take(ANSWER_BYTES / bandwidth, () =>
              this.coordinator.take(RECEIVE_S, () => done(busy)),
            ),
          ),
        ),
      ),
    )
  }

  /** Ideal time over the time taken. */
  efficiency(loads: Load[]): number {
    const speed = this.speeds.reduce((a, b) => a + b, 0)
    return loads.reduce((s, l) => s + l.total, 0) / speed / this.clock.now
  }
}

/** Divided apertures, uniformly or by the times of the previous angle. */
function shared(loads: Load[], speeds: number[], network: Network, dynamic: boolean): number {
  const cluster = new Cluster(speeds, network)
  let partition: Partition | null = null
  let next = 0
  const begin = (): void => {
    if (next === loads.length) return
    const { aperture, of } = loads[next++]
    partition ??= uniformPartition(speeds.length, aperture.tilesI / aperture.tilesJ)
    const used = partition
    const seconds = speeds.map(() => 0)
    const leaves = leafTiles(used, aperture)
    let left = leaves.filter((leaf) => leaf !== null).length
    leaves.forEach((leaf, w) => {
      if (!leaf) return
      cluster.unit(w, of(leaf), (busy) => {
        seconds[w] = busy
        if (--left > 0) return
        if (dynamic) partition = adjustPartition(used, seconds)
        begin()
      })
    })
  }
  for (let k = 0; k < IN_FLIGHT; k++) begin()
  cluster.clock.run()
  return cluster.efficiency(loads)
}

/** Whole angles, each to the first worker that is free. */
function pulled(loads: Load[], speeds: number[], network: Network): number {
  const cluster = new Cluster(speeds, network)
  let next = 0
  const begin = (worker: number): void => {
    if (next < loads.length) cluster.unit(worker, loads[next++].total, () => begin(worker))
  }
  for (let k = 0; k < HELD; k++) speeds.forEach((_, w) => begin(w))
  cluster.clock.run()
  return cluster.efficiency(loads)
}

/** What the model says of the parts alone: sum of their work over (parts times the longest), of all angles. */
export function modelBalance(loads: Load[], parts: number, dynamic: boolean): number {
  let partition = uniformPartition(parts, loads[0].aperture.tilesI / loads[0].aperture.tilesJ)
  let [work, longest] = [0, 0]
  for (const { aperture, of } of loads) {
    const seconds = leafTiles(partition, aperture).map((leaf) => (leaf ? of(leaf) : 0))
    work += seconds.reduce((a, b) => a + b, 0)
    longest += parts * Math.max(...seconds)
    if (dynamic) partition = adjustPartition(partition, seconds)
  }
  return work / longest
}

const LOCAL: Network = { name: '0.1 ms, 10 Gbit/s', latency: 1e-4, bandwidth: 1.25e9 }
const SLOW: Network = { name: '20 ms, 100 Mbit/s', latency: 0.02, bandwidth: 1.25e7 }
const alike = (n: number): number[] => Array.from({ length: n }, () => 1)
const unlike = (n: number): number[] => Array.from({ length: n }, (_, w) => (w % 2 ? 0.5 : 1))
const percent = (x: number): string => `${(100 * x).toFixed(0)} %`
const say = (cells: (string | number)[]): boolean => process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** Loads of a target's cut, one an angle. @param scale  of the frequency */
export function loadsOf({ mesh, frequency, cut }: ClusterTarget, angles: number, scale = 1): Load[] {
  const scene = buildRayScene(prepareTarget(mesh, { smoothAngleDeg: 20 }))
  const { theta, phi } = cut(angles)
  return parseRange(theta, 'theta').flatMap((t) =>
    parseRange(phi, 'phi').map((p) => loadOf(scene, scale * frequency, t, p)),
  )
}

/** The table of decision 012. */
function printTable(angles: number): void {
  say(['target', 'GPUs', 'network', 'ms an angle on one GPU', 'uniform', 'dynamic', 'whole angles'])
  say(Array.from({ length: 7 }, () => '---'))
  for (const target of clusterTargets()) {
    const loads = loadsOf(target, angles)
    const mean = loads.reduce((s, l) => s + l.total, 0) / loads.length
    const row = (name: string, speeds: number[], network: Network): void => {
      // Many GPUs need many angles.
      const many = Array.from(
        { length: Math.max(1, Math.ceil((20 * speeds.length) / loads.length)) },
        () => loads,
      )
      say([
        target.name,
        name,
        network.name,
        (1e3 * mean).toFixed(0),
        percent(shared(loads, speeds, network, false)),
        percent(shared(loads, speeds, network, true)),
        percent(pulled(many.flat(), speeds, network)),
      ])
    }
    for (const n of [4, 8, 20, 64, 1000]) row(String(n), alike(n), LOCAL)
    row('8, half of them at half speed', unlike(8), LOCAL)
    row('8', alike(8), SLOW)
    row('64', alike(64), SLOW)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printTable(Number(process.argv[2] ?? 60))
