// Edge diffraction on one core: interpolated in frequency against evaluated at every frequency.
//   node dist/reproduction/diffraction.js [--segments 14000] [--fuzz 10000000]
// Prints, per truncation and band: Chebyshev nodes, time of the exact sum per face and frequency, time of the interpolated
// sum per segment (two faces, everything counted: directions, nodes, phases, four channels), segment-frequencies per second,
// time of the whole aspect, and the largest difference over the peak. --fuzz counts values that are not finite instead.
// --mesh FILE times whole aspects of a target (theta 80, 10 GHz, 15 %, 128 frequencies), preparation included, with edges cut where
// their strips change, or into --segments-per-wavelength segments.
import { parseArgs } from 'node:util'
import {
  buildEdgeScene,
  createEdgeEngine,
  EdgeFace,
  EdgeField,
  FaceStrip,
  MOMENTS,
  nodeCount,
  type Truncation,
  Wedge,
  WedgeCache,
} from '../cpu-diffraction/index.js'
import { readMesh } from '../formats/index.js'
import { type Aspect, C0, direction, prepareTarget } from '../scene/index.js'
import { buildRayScene } from '../rays/index.js'

const { values } = parseArgs({
  options: {
    segments: { type: 'string', default: '14000' },
    fuzz: { type: 'string' },
    mesh: { type: 'string' },
    'segments-per-wavelength': { type: 'string' },
  },
})
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
  const row = (...cells: string[]): void =>
    console.log(cells.map((c, i) => (i === 0 ? c.padEnd(11) : c.padStart(10))).join(' '))
  row('truncation', 'band', 'n', 'nodes', 'exact ns', 'us/seg', 'seg*f/s', 'aspect s', 'max diff')
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
      const tx = direction(71, 33)
      const aspect = { tx, rx: tx }
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
      row(
        truncation,
        `${100 * width} %`,
        `${n}`,
        `${nodes}`,
        ((slow * 1e9) / (some.length * SEGMENTS_PER_EDGE * 2 * n)).toFixed(0),
        ((t * 1e6) / count).toFixed(2),
        ((count * n) / t).toExponential(2),
        t.toFixed(3),
        error.toExponential(1),
      )
    }
}

/** Moments for random and for special directions: grazing, shadow boundary, along the strip, end-on, forward. */
function fuzz(count: number): void {
  const next = random(3)
  const strip = new FaceStrip('tw-ildc')
  const wedges = Array.from({ length: 64 }, (_, i) => new Wedge(i === 0 ? 2 : 1.01 + (0.99 * i) / 64))
  const out = new Float64Array(MOMENTS)
  let bad = 0
  for (let i = 0; i < count; i++) {
    const wedge = wedges[Math.floor(64 * next())]
    const pick = next()
    const edge = [0, Math.PI, wedge.N * Math.PI, 2 * Math.PI * (wedge.N - 1), Math.PI / 2][
      Math.floor(5 * next())
    ]
    const phi0 =
      pick < 0.5
        ? next() * wedge.N * Math.PI
        : Math.min(edge + (pick < 0.75 ? 0 : 10 ** (-16 * next())), wedge.N * Math.PI)
    const sinBeta0 = pick < 0.9 ? next() : 10 ** (-4 * next())
    const pole = Math.abs(Math.cos(phi0 / 2))
    const special = [0, pole, 1, 1e-9, 1e-5, 1 / sinBeta0][Math.floor(6 * next())]
    const c = next() < 0.5 ? 1.5 * next() : special * (next() < 0.5 ? 1 : 1 + 10 ** (-16 * next()))
    const L = next() < 0.05 ? 0 : 10 ** (12 * next() - 7)
    strip.set(wedge, Math.max(sinBeta0, 1e-4), Math.sqrt(1 - sinBeta0 ** 2), phi0, c, phi0 < Math.PI)
    strip.moments(L, L, out)
    for (let m = 0; m < MOMENTS; m++) if (!Number.isFinite(out[m])) bad++
  }
  console.log(`${count} directions, ${bad} values not finite`)
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
    const d = direction(80, phi)
    const rounds = []
    for (let i = 0; i < 4; i++)
      rounds.push(
        await engine.field({
          aspect: { tx: d, rx: d },
          band,
          options: { diffraction: 'tw-ildc', segmentsPerWavelength },
        }),
      )
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

const density = values['segments-per-wavelength']
if (values.mesh !== undefined)
  await targetAspects(values.mesh, density === undefined ? density : Number(density))
else if (values.fuzz === undefined) table(Number(values.segments))
else fuzz(Number(values.fuzz))
