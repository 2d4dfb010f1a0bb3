// Edge diffraction on one core: interpolated in frequency against evaluated at every frequency.
//   node dist/reproduction/diffraction.js [--segments 14000]
// Prints, per truncation and band: Chebyshev nodes, time of the exact sum per face and frequency, time of the interpolated
// sum per segment (two faces, everything counted: directions, nodes, phases, four channels), segment-frequencies per second,
// time of the whole aspect, and the largest difference over the peak.
// --mesh FILE times whole aspects of a target (theta 80, 10 GHz, 15 %, 128 frequencies), preparation included, with edges cut where
// their strips change, or into --segments-per-wavelength segments.
import {
  buildEdgeScene,
  createEdgeEngine,
  EdgeFace,
  EdgeField,
  nodeCount,
  type Truncation,
  WedgeCache,
} from '../cpu-diffraction/index.js'
import { readMesh } from '../formats/index.js'
import { type Aspect, C0, prepareTarget } from '../scene/index.js'
import { buildRayScene } from '../rays/index.js'
import { monostatic } from './cases.js'
import { argumentsOf, tableOf } from './kit.js'

/** Segments per wavelength 0: cut where strips change. */
const { values } = argumentsOf({ segments: 14_000, mesh: '', 'segments-per-wavelength': 0 })
const SEGMENTS_PER_EDGE = 7
const CENTRE = 10e9
const LAMBDA = C0 / CENTRE

/** Reproducible numbers in [0, 1). */
function random(seed: number): () => number {
  let s = seed
  return () => (s = (s * 48271) % 2147483647) / 2147483647
}

interface Edge {
  N: number
  /** Frames of the two faces, 9 numbers each. */
  frames: Float64Array
  lit: [boolean, boolean]
  /** Per segment: midpoint's phase path, then strip length and slope for each face. */
  segments: Float64Array
}

/** Edges all over a 12 m target, each lit on at least one face. */
function makeEdges(count: number, aspect: Aspect): Edge[] {
  const next = random(11)
  const edges: Edge[] = []
  const unit = (): number[] => {
    const v = [next() - 0.5, next() - 0.5, next() - 0.5]
    const n = Math.hypot(...v)
    return v.map((x) => x / n)
  }
  while (edges.length < count) {
    const N = next() < 0.2 ? 2 : 1.12 + 0.85 * next()
    const z = unit()
    const r = unit()
    const d = r[0] * z[0] + r[1] * z[1] + r[2] * z[2]
    const n = Math.hypot(...r.map((v, i) => v - d * z[i]))
    const x = r.map((v, i) => (v - d * z[i]) / n)
    const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
    const [cos, sin] = [Math.cos(N * Math.PI), Math.sin(N * Math.PI)]
    const x2 = x.map((v, i) => cos * v + sin * y[i])
    const y2 = x.map((v, i) => sin * v - cos * y[i])
    const towards = (v: number[]): number => v.reduce((t, c, i) => t + c * aspect.tx.r[i], 0)
    const lit: [boolean, boolean] = [towards(y) > 0, towards(y2) > 0]
    if (!lit[0] && !lit[1]) continue
    const segments = new Float64Array(5 * SEGMENTS_PER_EDGE)
    for (let i = 0; i < SEGMENTS_PER_EDGE; i++) {
      const l = () => LAMBDA * 10 ** (2 * next() - 0.5)
      segments.set([24 * next() - 12, l(), 2 * next() - 1, l(), 2 * next() - 1], 5 * i)
    }
    edges.push({
      N,
      frames: Float64Array.of(...x, ...y, ...z, ...x2, ...y2, ...z.map((v) => -v)),
      lit,
      segments,
    })
  }
  return edges
}

function sum(
  edges: Edge[],
  wedges: WedgeCache,
  aspect: Aspect,
  truncation: Truncation,
  field: EdgeField,
  out: Float64Array,
): number {
  const start = performance.now()
  const a = new EdgeFace(truncation)
  const b = new EdgeFace(truncation)
  field.reset()
  for (const { N, frames, lit, segments } of edges) {
    const wedge = wedges.get(N)
    if (!a.aim(wedge, frames, 0, aspect, lit[0]) || !b.aim(wedge, frames, 9, aspect, lit[1])) continue
    for (let s = 0; s < segments.length; s += 5) {
      field.openSegment(segments[s], 0.4 * LAMBDA)
      field.addFace(a, segments[s + 1], segments[s + 2])
      field.addFace(b, segments[s + 3], segments[s + 4])
      field.closeSegment()
    }
  }
  field.finish(out)
  return (performance.now() - start) / 1000
}

function table(segments: number): void {
  const rows: string[][] = []
  for (const truncation of ['tw-ildc', 'tw-ildc-j', 'eec'] as const)
    for (const [width, n] of [
      [0.01, 128],
      [0.15, 128],
      [0.15, 512],
      [0.6, 256],
    ]) {
      // prettier-ignore
      const band = { f0: CENTRE * (1 - width / 2), df: (CENTRE * width) / (n - 1), n }
      const wedges = new WedgeCache((1 + width / 2) / (1 - width / 2))
      const aspect = monostatic(71, 33)
      const edges = makeEdges(Math.ceil(segments / SEGMENTS_PER_EDGE), aspect)
      const [x, y] = [new Float64Array(8 * n), new Float64Array(8 * n)]
      const nodes = nodeCount(band.f0, band.f0 + (n - 1) * band.df)
      const fast = EdgeField.of(band)
      // Node sets depend on the mesh, not on the aspect: they are computed in the first pass. Best of the next three.
      sum(edges, wedges, aspect, truncation, fast, x)
      const t = Math.min(...[0, 1, 2].map(() => sum(edges, wedges, aspect, truncation, fast, x)))
      const some = edges.slice(0, Math.ceil(edges.length / 20))
      const slow = sum(some, wedges, aspect, truncation, EdgeField.of(band, true), y)
      sum(some, wedges, aspect, truncation, fast, x)
      const peak = y.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
      const error = x.reduce((m, v, i) => Math.max(m, Math.abs(v - y[i])), 0) / peak
      const count = edges.length * SEGMENTS_PER_EDGE
      rows.push([
        truncation,
        `${100 * width} %`,
        `${n}`,
        `${nodes}`,
        ((slow * 1e9) / (some.length * SEGMENTS_PER_EDGE * 2 * n)).toFixed(0),
        ((t * 1e6) / count).toFixed(2),
        ((count * n) / t).toExponential(2),
        t.toFixed(3),
        error.toExponential(1),
      ])
    }
  const head = ['truncation', 'band', 'n', 'nodes', 'exact ns', 'us/seg', 'seg*f/s', 'aspect s', 'max diff']
  console.log(tableOf(head, rows))
}

/** Whole aspects of a target on one core; best of three rounds. */
async function targetAspects(file: string, segmentsPerWavelength?: number): Promise<void> {
  const target = prepareTarget(await readMesh(file), { smoothAngleDeg: 20 })
  const rays = buildRayScene(target)
  const start = performance.now()
  const scene = buildEdgeScene(target, 160)
  const ms = (performance.now() - start).toFixed(0)
  console.log(`${file}: ${scene.count} edges, ${scene.length.toFixed(1)} m, found in ${ms} ms`)
  const engine = createEdgeEngine(scene, rays, { workers: 0 })
  const band = { f0: CENTRE * 0.925, df: (CENTRE * 0.15) / 127, n: 128 }
  for (const phi of [0, 40, 90, 180]) {
    const job = {
      aspect: monostatic(80, phi),
      band,
      options: { diffraction: 'tw-ildc', segmentsPerWavelength },
    } as const
    const rounds = []
    for (let i = 0; i < 4; i++) rounds.push(await engine.field(job))
    const best = rounds.slice(1).reduce((a, b) => (a.times.total < b.times.total ? a : b))
    const { prepare, evaluate, total } = best.times
    const ms = (s: number): string => `${(1000 * s).toFixed(1)} ms`
    console.log(
      `phi ${phi}: ${best.visibleSegments} segments of ${best.consideredSegments}, preparation ${ms(prepare)}, ` +
        `evaluation ${ms(evaluate)}, in all ${ms(total)}`,
    )
  }
  await engine.close()
}

if (values.mesh === '') table(values.segments)
else await targetAspects(values.mesh, values['segments-per-wavelength'] || undefined)
