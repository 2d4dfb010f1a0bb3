/**
 * The ledger of the mechanisms: what each does to the errors against the method of moments on the judging half of the random bodies, and
 * what it costs. Writes docs/mechanisms.md.
 *
 *     node dist/reproduction/truth/ledger.js [--errors FILE] [--workers N] [--half judge|fit] [--count N] [--data FILE] [--no-times] [--write]
 *
 * `--errors`: keeps the errors of finished bodies, so that a run that ended early goes on. Without `--write` the page is printed.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  buildEdgeScene,
  createEdgeEngine,
  SECOND_ORDER,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { markdownTable } from '../../src/validate/report.js'
import { allAround, meshCase } from '../cases.js'
import { argumentsOf } from '../kit.js'
import { FAMILY_NAMES } from './bodies.js'
import { FILES } from './constants.js'
import {
  bestFactor,
  type BodyErrors,
  bootstrap,
  CHANGED,
  changes,
  errorOf,
  errorsOfBodies,
  helpedAndHurt,
  interval,
  type Kind,
  mean,
  number,
  signed,
} from './errors.js'
import { readTruth } from './truth.js'

const PAGE = 'docs/mechanisms.md'
/** Meshes whose edges are timed; the last only where Debian's assimp-testmodels is installed. */
const MESHES = ['cube', 'ship-1m', 'aircraft', 'aircraft-a']
const FOUND = '/usr/share/assimp/models/OBJ/spider.obj@10'
const DIRECTIONS = 6
/** Cuts that are named as hurt most. */
const WORST = 6
/** Lines of a mechanism's own files. */
function linesOf(name: SecondOrder): number {
  const count = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1
  return FILES[name].reduce((sum, path) => {
    if (!statSync(path).isDirectory()) return sum + count(path)
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

/** The cuts whose errors a mechanism, added last, raises most. */
function hurtMost(all: BodyErrors[]): string[] {
  const cuts = all.flatMap(({ name, variants }) =>
    SECOND_ORDER.flatMap((mechanism) =>
      ['monostatic', 'bistatic'].map((kind, cut) => {
        const [before, after] = [`-${mechanism}`, 'all'].map((v) => variants[v].complex[cut])
        const text = `${name} ${kind} \`${mechanism}\` ${number(before, 2)} → ${number(after, 2)}`
        return { change: after - before, text }
      }),
    ),
  )
  return cuts
    .sort((a, b) => b.change - a.change)
    .slice(0, WORST)
    .map(({ text }) => text)
}

/** The best factor and the interval of its real part. */
function factor(all: BodyErrors[], name: string): string {
  const best = bestFactor(all, name)
  if (best === null) return ''
  const { low, high } = bootstrap(all, (some) => bestFactor(some, name)?.re ?? 0)
  const degrees = (Math.atan2(best.im, best.re) * 180) / Math.PI
  return `${number(Math.hypot(best.re, best.im), 2)} ∠${number(degrees, 0)}° (${number(low, 2)} … ${number(high, 2)})`
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
      signed(mean(alone), 3),
      interval(bootstrap(removed, mean), 3),
      [0, 1]
        .map((cut) =>
          signed(mean(all.map(({ variants: v }) => v.all.complex[cut] - v[`-${name}`].complex[cut])), 3),
        )
        .join(' / '),
      interval(bootstrap(changes(all, `-${name}`, 'all', 'db'), mean), 2),
      factor(all, name),
      ...helpedAndHurt(all, `-${name}`, 'all'),
      String(linesOf(name)),
    ]
  })
  const meanOf = (some: BodyErrors[], variant: string, kind: Kind): number =>
    mean(some.map((e) => errorOf(e, variant, kind)))
  const families = FAMILY_NAMES.flatMap((family) => {
    const some = all.filter((e) => e.family === family)
    if (some.length === 0) return []
    const gains = SECOND_ORDER.map(
      (name) => meanOf(some, 'all', 'complex') - meanOf(some, `-${name}`, 'complex'),
    )
    return [
      [
        family,
        ...['rays', 'first', 'all'].map((v) => number(meanOf(some, v, 'complex'), 2)),
        ...['first', 'all'].map((v) => number(meanOf(some, v, 'db'), 1)),
        ...gains.map((x) => (Math.abs(x) < 0.0005 ? '' : signed(x, 3))),
      ],
    ]
  })
  const total = (v: string): string => `${number(meanOf(all, v, 'complex'), 3)} (${number(meanOf(all, v, 'db'), 2)} dB)` // prettier-ignore
  const timing = [
    ['first order', ...share('first')],
    ...SECOND_ORDER.map((name) => [`\`${name}\``, ...share(name)]),
  ]
  const headOf = [...times.keys()].map((m) => m.replace(/^.*\/|\.\w+(@.*)?$/g, ''))
  return `# Ledger of the mechanisms

Written by \`node dist/reproduction/truth/ledger.js --write\`. [Second order](second-order.md) says what the mechanisms are.

Truth: ${all.length} random bodies (\`reproduction/truth/bodies.ts\`, the ${half === 'judge' ? 'judging half: no constant is fitted to it' : 'fitting half'}) of 1 to 12 λ by the method of moments, each with 46 monostatic directions on a great circle and 24 receivers of one transmitter (as runs have them, the mean both ways), all channels.
Complex error: ‖F − F'‖/‖F'‖ of a cut, also of cuts far from all speculars. dB: rms, both clipped 30 dB below the cut's peak. Means over both cuts, then bodies.

**Rays ${total('rays')}, first order ${total('first')}, all mechanisms ${total('all')}.**

Changes of the mean error, negative where better: of adding a mechanism to first order alone, and last to all others (in brackets 95 %, bootstrap over bodies; monostatic / bistatic). Factor: the complex one that would leave least mean square, 1 where it is right (95 % of its real part).
Helps, hurts: cuts whose complex error adding it last changes by more than ${number(CHANGED, 2)}, and where most.

${markdownTable(['mechanism', 'alone', 'last', 'of this by cut', 'last [dB]', 'factor', 'helps', 'hurts', 'lines'], rows, [1, 2, 3, 4, 5, 6, 8])}

Hurt most by one: ${hurtMost(all).join(', ')}.

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

const { values } = argumentsOf({
  errors: join(tmpdir(), 'isar-ledger.jsonl'),
  workers: availableParallelism(),
  half: 'judge',
  count: Infinity,
  data: 'reproduction/truth/bodies.csv',
  'no-times': false,
  write: false,
})
const bodies = readTruth(values.data)
  .filter(({ body }) => body.half === values.half)
  .slice(0, values.count)
const all = await errorsOfBodies(bodies, values.workers, values.errors)
const times = new Map<string, Record<string, number>>()
if (!values['no-times'])
  for (const mesh of [...MESHES, ...(existsSync(FOUND.split('@')[0]) ? [FOUND] : [])])
    times.set(mesh, await timesOf(mesh))
const text = page(all, values.half, times)
if (values.write) writeFileSync(PAGE, text)
else console.log(text)
