// Random rays aimed at points of shared edges and at vertices of closed bodies, in double precision on the processor and
// in single precision on the GPU. A ray leaks if its nearest hit is behind the point it is aimed at, or if it hits nothing.
// Candidate lists work for lattices of tubes only: their fields are compared with those of the stack traversal instead.
//   npm run build && node dist/reproduction/leaks.js [--rays 1e7] [--cpu-rays 1e6] [body ...]
import { parseArgs } from 'node:util'
import { GpuSbrEngine } from '../gpu/index.js'
import { RayQuery } from './ray-query.js'
import { models } from '../samples/models/index.js'
import { buildRayScene, RayCaster, type RayScene, withRopes } from '../rays/index.js'
import { C0, direction, prepareTarget, scaleMesh, type Target } from '../scene/index.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { AimedRays, randomNumbers } from './aimed-rays.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rays: { type: 'string', default: '1e7' },
    'cpu-rays': { type: 'string', default: '1e6' },
    lattices: { type: 'string', default: '8' },
  },
})
const BODIES = ['cube', 'sphere', 'missile', 'ship-1m', 'deckhouse', 'aircraft', 'aircraft-a', 'aircraft-b']
const BATCH = 1 << 19
/** Hits farther behind the target point than this fraction of the box diagonal are leaks. */
const BEHIND = { single: 2e-5, double: 1e-9 }

interface Body {
  name: string
  target: Target
  scene: RayScene
}
const bodies: Body[] = (positionals.length > 0 ? positionals : BODIES).map((name) => {
  const target = prepareTarget(scaleMesh(models[name].make(), 'm'), { smoothAngleDeg: 20 })
  return { name, target, scene: buildRayScene(target) }
})
const context = await openNodeGpu(false)

const report = (who: string, name: string, rays: number, leaks: number, far: number): void =>
  console.log(`| ${who} | ${name} | ${rays} | ${leaks} | ${far.toExponential(1)} |`)

/** Leaks, and the farthest hit behind its point that is not a leak, in diagonals. */
function castOnCpu({ target, scene }: Body, traversed: RayScene, rays: number): [number, number] {
  const aimed = new AimedRays(target, scene, randomNumbers(1))
  const caster = new RayCaster(traversed)
  const { o, d } = aimed
  let [leaks, far] = [0, 0]
  for (let n = 0; n < rays;) {
    if (!aimed.draw((n & 1) === 1)) continue
    n++
    caster.nearest(o[0], o[1], o[2], d[0], d[1], d[2], -1)
    const behind = caster.facet < 0 ? Infinity : (caster.t - aimed.distance) / scene.diagonal
    if (behind > BEHIND.double) leaks++
    else far = Math.max(far, behind)
  }
  return [leaks, far]
}

async function castOnGpu(
  { target, scene }: Body,
  queries: RayQuery[],
  rays: number,
): Promise<[number, number][]> {
  const aimed = new AimedRays(target, scene, randomNumbers(1))
  const { o, d } = aimed
  const found = queries.map((): [number, number] => [0, 0])
  for (let done = 0; done < rays;) {
    const batch = new Float32Array(8 * Math.min(BATCH, rays - done))
    const distances = new Float64Array(batch.length / 8)
    for (let at = 0; at < batch.length;) {
      if (!aimed.draw((done & 1) === 1)) continue
      for (let a = 0; a < 3; a++) {
        batch[at + a] = o[a]
        batch[at + 4 + a] = d[a]
      }
      distances[at / 8] = aimed.distance
      at += 8
      done++
    }
    for (const [q, query] of queries.entries()) {
      const { t, facet } = await query.nearest(batch)
      for (let n = 0; n < t.length; n++) {
        const behind = facet[n] === 0xffffffff ? Infinity : (t[n] - distances[n]) / scene.diagonal
        if (behind > BEHIND.single) found[q][0]++
        else found[q][1] = Math.max(found[q][1], behind)
      }
    }
  }
  return found
}

console.log(`${context ? context.name : 'no GPU'}, node ${process.version}`)
console.log('| rays | body | cast | leaks | farthest behind, of the diagonal |')
console.log('| --- | --- | ---: | ---: | ---: |')
const share = (total: string): number => Math.ceil(Number(total) / bodies.length)
for (const body of bodies) {
  const { name, scene, target } = body
  const cpuRays = share(values['cpu-rays'])
  report('cpu, stack', name, cpuRays, ...castOnCpu(body, scene, cpuRays))
  report('cpu, ropes', name, cpuRays, ...castOnCpu(body, withRopes(scene), cpuRays))
  if (!context) continue
  const kinds = ['stack', 'ropes'] as const
  const queries = kinds.map((traversal) => new RayQuery(context, scene, traversal))
  const found = await castOnGpu(body, queries, share(values.rays))
  kinds.forEach((kind, i) => report(`gpu, ${kind}`, name, share(values.rays), ...found[i]))
  const count = Number(values.lattices)
  let [alike, tubes] = [0, 0]
  const [lists, stack] = (['lists', 'stack'] as const).map(
    (traversal) => new GpuSbrEngine(context, scene, target.area, { subGrid: 2048, traversal }),
  )
  for (let n = 0; n < count; n++) {
    const d = direction(20 + ((140 * 0.618 * n) % 140), (360 * n) / count)
    const job = {
      aspect: { tx: d, rx: d },
      band: { f0: (200 * C0) / scene.diagonal, df: 0, n: 1 },
      options: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2 },
    }
    const [a, b] = [await lists.field(job), await stack.field(job)]
    tubes += a.statistics.tubes
    if (a.statistics.leaves === b.statistics.leaves && a.field.every((x, i) => Object.is(x, b.field[i])))
      alike++
  }
  console.log(`| gpu, lists | ${name} | ${tubes} tubes | ${count - alike} of ${count} fields differ | |`)
}
process.exit(0)
