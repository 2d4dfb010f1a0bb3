/**
 * The ledger of the mechanisms: what each does to the errors against the method of moments on the judging half of the random bodies, and
 * what it costs. Writes docs/mechanisms.md.
 *
 *     node dist/bench/truth/ledger.js [--errors FILE] [--workers N] [--half judge|fit] [--count N] [--data DIR] [--no-times] [--write]
 *
 * `--errors`: keeps the errors of finished bodies, so that a run that ended early goes on. Without `--write` the page is printed.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  buildEdgeScene,
  createEdgeEngine,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { Random } from '../../dataset/random.js'
import { markdownTable } from '../../src/validate/report.js'
import { allAround, meshCase } from '../mesh-cases.js'
import { FAMILY_NAMES } from './bodies.js'
import { type BodyErrors, errorsOfBodies } from './errors.js'
import { VARIANTS } from './solve.js'
import { readTruth } from './truth.js'

const PAGE = 'docs/mechanisms.md'
/** Draws of the bootstrap over bodies. */
const DRAWS = 4000
/** A cut is helped or hurt where its complex error changes by more than this. */
const CHANGED = 0.01
/** Meshes whose edges are timed; the last only where Debian's assimp-testmodels is installed. */
const MESHES = ['cube', 'ship-1m', 'aircraft', 'aircraft-a']
const FOUND = '/usr/share/assimp/models/OBJ/spider.obj@10'
const DIRECTIONS = 6
/** Files and folders of cpu-diffraction that belong to one mechanism alone, or to `wall` and `double` together. */
const FILES: Record<string, string> = {
  reflected: 'reflected-edges reflected-wave ray-fan wedge-wave beams meetings meeting-edges sampled-light',
  wall: 'walls strip-folds corner-strips',
  double: 'edge-to-edge edge-answer fringe-sum second-order',
  'edge-wave': 'edge-waves/edge-waves edge-waves/reflect edge-waves/launch edge-waves/corners',
  corner: 'edge-waves/face-waves',
  travelling: 'travelling',
  creeping: 'creeping',
}

type Kind = 'complex' | 'db'
interface Mean {
  mean: number
  low: number
  high: number
}

/** Mean of both cuts. */
const errorOf = ({ variants }: BodyErrors, variant: string, kind: Kind): number => {
  const [a, b] = variants[variant][kind]
  return (a + b) / 2
}

/** Mean over bodies with its bootstrap interval of 95 %. */
function bootstrap(x: number[]): Mean {
  const random = new Random(1, 0)
  const mean = (of: () => number): number => {
    let sum = 0
    for (let i = 0; i < x.length; i++) sum += of()
    return sum / x.length
  }
  const drawn = Array.from({ length: DRAWS }, () => mean(() => x[Math.floor(x.length * random.uniform())]))
  drawn.sort((a, b) => a - b)
  let i = 0
  return {
    mean: mean(() => x[i++]),
    low: drawn[Math.floor(0.025 * DRAWS)],
    high: drawn[Math.floor(0.975 * DRAWS)],
  }
}

/** Changes from one variant to another by body, its error with `to` less that with `from`. */
const changes = (all: BodyErrors[], from: string, to: string, kind: Kind): number[] =>
  all.map((e) => errorOf(e, to, kind) - errorOf(e, from, kind))

const number = (x: number, digits: number): string =>
  `${x < 0 ? '−' : ''}${Math.abs(x).toFixed(digits).replace(/^0\./, '.')}`
const signed = (x: number, digits: number): string =>
  Math.abs(x) < 0.5 * 10 ** -digits ? '0' : `${x > 0 ? '+' : ''}${number(x, digits)}`
const interval = ({ mean, low, high }: Mean, digits: number): string =>
  `${signed(mean, digits)} (${signed(low, digits)} … ${signed(high, digits)})`

/** Cuts that a change helps and hurts, with the families of those that it hurts. */
function helpedAndHurt(all: BodyErrors[], from: string, to: string): string[] {
  let helped = 0
  const hurt = new Map<string, number>()
  let count = 0
  for (const { family, variants } of all)
    for (const cut of [0, 1]) {
      const change = variants[to].complex[cut] - variants[from].complex[cut]
      if (change < -CHANGED) helped++
      if (change > CHANGED) {
        count++
        hurt.set(family, (hurt.get(family) ?? 0) + 1)
      }
    }
  const most = [...hurt].sort((a, b) => b[1] - a[1]).slice(0, 4)
  return [String(helped), `${count}${count > 0 ? `: ${most.map(([f, n]) => `${f} ${n}`).join(', ')}` : ''}`]
}

/** Lines of a mechanism's own files. */
function linesOf(name: string): number {
  const count = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1
  return FILES[name].split(' ').reduce((sum, part) => {
    const path = join('cpu-diffraction', part)
    if (existsSync(`${path}.ts`)) return sum + count(`${path}.ts`)
    if (!existsSync(path) || !statSync(path).isDirectory()) throw new Error(`${path} is gone: see FILES`)
    return sum + readdirSync(path).reduce((n, file) => n + count(join(path, file)), 0)
  }, 0)
}

/** What edges of a mesh take with first order alone and with each mechanism besides: seconds of one thread. */
async function timesOf(mesh: string): Promise<Record<string, number>> {
  const { mesh: loaded, freqHz } = await meshCase(mesh, 20)
  const { target, scene } = loaded
  const engine = createEdgeEngine(buildEdgeScene(target, 160, scene.origin), scene, { workers: 0 })
  const { aspects, bands } = allAround(DIRECTIONS + 1, { f0: freqHz, df: 0, n: 1 })
  const seconds = async (secondOrder: readonly SecondOrder[]): Promise<number> => {
    let start = 0
    for (const [i, aspect] of aspects.entries()) {
      // The first direction compiles and prepares.
      if (i === 1) start = performance.now()
      await engine.fieldOnOneThread({ aspect, band: bands[0], options: { diffraction: 'tw-ildc', secondOrder } }) // prettier-ignore
    }
    return (performance.now() - start) / 1000
  }
  const times: Record<string, number> = { first: await seconds([]) }
  for (const name of SECOND_ORDER) times[name] = Math.max(0, (await seconds([name])) - times.first)
  await engine.close()
  console.error(mesh, times)
  return times
}

function page(all: BodyErrors[], half: string, times: Map<string, Record<string, number>>): string {
  const share = (name: string): string[] =>
    [...times.values()].map((t) => {
      const sum = Object.values(t).reduce((a, b) => a + b, 0)
      return `${((100 * t[name]) / sum).toFixed(0)} %`
    })
  const rows = SECOND_ORDER.map((name) => {
    const [alone, removed] = [changes(all, 'first', `+${name}`, 'complex'), changes(all, `-${name}`, 'all', 'complex')] // prettier-ignore
    return [
      `\`${name}\``,
      interval(bootstrap(alone), 3),
      interval(bootstrap(removed), 3),
      interval(bootstrap(changes(all, `-${name}`, 'all', 'db')), 2),
      ...helpedAndHurt(all, `-${name}`, 'all'),
      String(linesOf(name)),
    ]
  })
  const mean = (some: BodyErrors[], variant: string, kind: Kind): number =>
    some.reduce((sum, e) => sum + errorOf(e, variant, kind), 0) / some.length
  const families = FAMILY_NAMES.flatMap((family) => {
    const some = all.filter((e) => e.family === family)
    if (some.length === 0) return []
    const gains = SECOND_ORDER.map((name) => mean(some, 'all', 'complex') - mean(some, `-${name}`, 'complex'))
    return [
      [
        family,
        ...['rays', 'first', 'all'].map((v) => number(mean(some, v, 'complex'), 2)),
        ...['first', 'all'].map((v) => number(mean(some, v, 'db'), 1)),
        ...gains.map((x) => (Math.abs(x) < 0.0005 ? '' : signed(x, 3))),
      ],
    ]
  })
  const total = (v: string): string => `${number(mean(all, v, 'complex'), 3)} (${number(mean(all, v, 'db'), 2)} dB)` // prettier-ignore
  const timing = [
    ['first order', ...share('first')],
    ...SECOND_ORDER.map((name) => [`\`${name}\``, ...share(name)]),
  ]
  const headOf = [...times.keys()].map((m) => m.replace(/^.*\/|\.\w+(@.*)?$/g, ''))
  return `# Ledger of the mechanisms

Written by \`node dist/bench/truth/ledger.js --write\`. [Second order](second-order.md) says what the mechanisms are.

Truth: ${all.length} random bodies (\`bench/truth/bodies.ts\`, the ${half === 'judge' ? 'judging half, which no constant is fitted to' : 'fitting half'}) of 1 to 12 λ by the method of moments, each with a great-circle cut of 46 monostatic directions and 24 receivers of one transmitter,
all channels. Complex error: ‖F − F'‖/‖F'‖ of a cut, whatever its level: cuts far from all speculars have errors near 1. dB: rms, both clipped 30 dB below the cut's peak. Means over cuts, then bodies.

**Rays ${total('rays')}, first order ${total('first')}, all mechanisms ${total('all')}.**

Changes of the mean error, negative where better, in brackets 95 % by bootstrap over bodies: of the mechanism added to first order alone, and of adding it last to all others. Cuts: complex error changed by more than ${number(CHANGED, 2)} in the latter, with the families where it rises most often.

${markdownTable(['mechanism', 'alone', 'last', 'last [dB]', 'helps', 'hurts', 'lines'], rows, [6])}

By family: mean complex error, rms dB, and the change of complex error by adding each last.

${markdownTable(['family', 'rays', 'first', 'all', 'first [dB]', 'all [dB]', ...SECOND_ORDER], families, families[0].map((_, i) => i).slice(1))}
${
  times.size === 0
    ? ''
    : `
Share of the time of edges on one thread, by adding each to first order alone:

${markdownTable(
  ['', ...headOf],
  timing,
  headOf.map((_, i) => i + 1),
)}
`
}`
}

const { values } = parseArgs({
  options: {
    errors: { type: 'string', default: join(tmpdir(), 'isar-ledger.jsonl') },
    workers: { type: 'string', default: String(availableParallelism()) },
    half: { type: 'string', default: 'judge' },
    count: { type: 'string', default: '100000' },
    data: { type: 'string', default: 'bench/truth/data' },
    'no-times': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const bodies = readTruth(values.data)
  .filter(({ body }) => body.half === values.half)
  .slice(0, Number(values.count))
const all = await errorsOfBodies(bodies, VARIANTS, Number(values.workers), values.errors)
const times = new Map<string, Record<string, number>>()
if (!values['no-times'])
  for (const mesh of [...MESHES, ...(existsSync(FOUND.split('@')[0]) ? [FOUND] : [])])
    times.set(mesh, await timesOf(mesh))
const text = page(all, values.half, times)
if (values.write) writeFileSync(PAGE, text)
else console.log(text)
