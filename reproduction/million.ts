// A sphere of a million facets: times to prepare the target, build the BVH, read it back and trace.
//   npm run build && node dist/reproduction/million.js [--facets 1e6]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GpuSbrEngine } from '../gpu/index.js'
import { buildBvh } from '../rays/index.js'
import { C0, direction, type Mesh } from '../scene/index.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { prepareRecipe } from '../run/loaded-target.js'

const { values } = parseArgs({ options: { facets: { type: 'string', default: '1e6' } } })
const folder = mkdtempSync(join(tmpdir(), 'isar-million-'))
const time = async <T>(what: string, run: () => T | Promise<T>): Promise<T> => {
  const start = performance.now()
  const result = await run()
  console.log(`| ${what} | ${((performance.now() - start) / 1000).toFixed(3)} |`)
  return result
}

/** Rings of facets about z, closed by the poles. */
function sphere(facets: number): Mesh {
  const rings = Math.round(Math.sqrt(facets / 4))
  const n = 2 * rings
  const positions = [0, 0, 1]
  for (let i = 1; i < rings; i++)
    for (let j = 0; j < n; j++) {
      const [a, b] = [(Math.PI * i) / rings, (2 * Math.PI * j) / n]
      positions.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a))
    }
  positions.push(0, 0, -1)
  const last = positions.length / 3 - 1
  const at = (i: number, j: number): number => (i === 0 ? 0 : i === rings ? last : 1 + (i - 1) * n + (j % n))
  const triangles = []
  for (let i = 0; i < rings; i++)
    for (let j = 0; j < n; j++) {
      if (i > 0) triangles.push(at(i, j), at(i + 1, j), at(i, j + 1))
      if (i < rings - 1) triangles.push(at(i, j + 1), at(i + 1, j), at(i + 1, j + 1))
    }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

const mesh = sphere(Number(values.facets))
console.log(`sphere of ${mesh.triangles.length / 3} facets, node ${process.version}`)
console.log('| step | [s] |')
console.log('| --- | ---: |')
await time('BVH', () => buildBvh(mesh))
await time('BVH, once more', () => buildBvh(mesh))
const recipe = { mesh, smoothAngleDeg: 20 }
const first = await time('target prepared, BVH built and cached', () =>
  prepareRecipe('sphere', '', recipe, folder),
)
console.log(`| of which BVH | ${first.bvh!.seconds.toFixed(3)} |`)
const again = await time('target prepared, BVH read', () => prepareRecipe('sphere', '', recipe, folder))
console.log(`| of which BVH${again.bvh!.file ? '' : ' (not cached)'} | ${again.bvh!.seconds.toFixed(3)} |`)
rmSync(folder, { recursive: true })
const context = await openNodeGpu(true)
if (context) {
  const { scene, target } = again
  const engine = await time('upload', () => new GpuSbrEngine(context, scene, target.area, { subGrid: 2048 }))
  const d = direction(70, 20)
  const job = {
    aspect: { tx: d, rx: d },
    band: { f0: C0 / (10 * (scene.diagonal / 4096)), df: 0, n: 1 },
    options: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2, formulation: 'all-bounces' as const },
  }
  await time('first aspect', () => engine.field(job))
  const { times, statistics } = await engine.field(job)
  console.log(
    `${context.name}: ${statistics.tubes} tubes, ${statistics.leaves} hit, tracing ${(1e3 * times.trace).toFixed(2)} ms, fields ${(1e3 * times.field).toFixed(2)} ms`,
  )
}
process.exit(0)
