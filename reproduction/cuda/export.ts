// Writes what trace.cu reads: a two-child BVH of our builder, the facets' planes, and the apertures of
// reproduction/traversal.js, in little-endian binary files.
//   npm run build && node dist/reproduction/cuda/export.js [mesh] [--tubes 4096] [--aspects 12] [--out DIR]
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { enlargedCorners, facetPlanes, TILE } from '../../rays/index.js'
import { loadTarget } from '../../run/loaded-target.js'
import { uniformAperture, uniformDirection } from '../uniform-aperture.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tubes: { type: 'string', default: '4096' },
    aspects: { type: 'string', default: '12' },
    out: { type: 'string', default: 'cuda-scene' },
  },
})
/** As in gpu/sbr: facets and boxes grow by these parts of the box diagonal, reflected rays start above their facet. */
const TOLERANCE = 5e-8
const MOST_GROWTH = 4e-6
const BOX_MARGIN = 2e-6
const OFFSET = 3e-7

const { scene } = await loadTarget(positionals[0] ?? 'samples/aircraft-a.stl', 'm', 20)
const { count, diagonal, order } = scene
const corners = enlargedCorners(scene, TOLERANCE + MOST_GROWTH)
const words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
const first = (node: number): number => words[8 * node + 3]
const leafCount = (node: number): number => words[8 * node + 7]

/** Boxes around the enlarged facets; children come after their parents. */
const total = words.length / 8
const boxes = new Float64Array(6 * total)
for (let node = total - 1; node >= 0; node--)
  for (let a = 0; a < 3; a++) {
    let [low, high] = [Infinity, -Infinity]
    const leaf = leafCount(node) > 0
    const end = leaf ? first(node) + leafCount(node) : first(node) + 2
    for (let c = first(node); c < end; c++) {
      const lows = leaf ? [0, 3, 6].map((v) => corners[9 * c + v + a]) : [boxes[6 * c + a]]
      const highs = leaf ? [0, 3, 6].map((v) => corners[9 * c + v + a]) : [boxes[6 * c + 3 + a]]
      low = Math.min(low, ...lows)
      high = Math.max(high, ...highs)
    }
    boxes[6 * node + a] = low
    boxes[6 * node + 3 + a] = high
  }
if (leafCount(0) > 0) throw new Error('the BVH of this mesh is a single leaf; give a larger mesh')

const inner = Array.from({ length: total }, (_, node) => node).filter((node) => leafCount(node) === 0)
const number = new Map(inner.map((node, i) => [node, i]))
const nodes = new Float32Array(16 * inner.length)
const nodeWords = new Uint32Array(nodes.buffer)
inner.forEach((node, i) => {
  for (const child of [0, 1]) {
    const c = first(node) + child
    for (let a = 0; a < 3; a++) {
      nodes[16 * i + 8 * child + a] = boxes[6 * c + a] - BOX_MARGIN * diagonal
      nodes[16 * i + 8 * child + 4 + a] = boxes[6 * c + 3 + a] + BOX_MARGIN * diagonal
    }
    const leaf = leafCount(c) > 0
    nodeWords[16 * i + 8 * child + 3] = leaf ? 16 * first(c) + 2 * leafCount(c) + 1 : 16 * number.get(c)!
  }
})
const ids = new Uint32Array(2 * count)
for (let slot = 0; slot < count; slot++) ids.set([order[slot], scene.surface[order[slot]]], 2 * slot)

const aspects = Number(values.aspects)
const ASPECT_WORDS = 24
const jobs = new Float32Array(ASPECT_WORDS * aspects)
const jobInts = new Int32Array(jobs.buffer)
for (let n = 0; n < aspects; n++) {
  const d = uniformDirection(n, aspects)
  const a = uniformAperture(scene, d, Number(values.tubes))
  const at = ASPECT_WORDS * n
  jobs.set(
    [...a.base, a.h, ...a.u, a.offset[0], ...a.v, a.offset[1], ...a.d, OFFSET * diagonal, ...d.r, diagonal],
    at,
  )
  jobInts.set([TILE * a.tileI0, TILE * a.tileJ0, TILE * a.tilesI, TILE * a.tilesJ], at + 20)
}
mkdirSync(values.out, { recursive: true })
const write = (name: string, data: Float32Array | Uint32Array): void =>
  writeFileSync(join(values.out, name), new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
write('nodes.bin', nodes)
const planes = Float32Array.from(facetPlanes(scene, TOLERANCE))
const tips = enlargedCorners(scene, TOLERANCE)
for (let slot = 0; slot < count; slot++)
  for (let a = 0; a < 3; a++) planes[12 * slot + 4 * a + 3] = tips[9 * slot + a]
write('planes.bin', planes)
write('ids.bin', ids)
write('aspects.bin', jobs)
console.log(`${count} facets, ${inner.length} inner nodes, ${aspects} aspects in ${values.out}`)
