import { createCpuEngine } from '../cpu-sbr/index.js'
import { type GpuContext, GpuSbrEngine } from '../gpu/index.js'
import { direction, jobAperture, type RayScene, type SbrJob, type TileRange } from '../scene/index.js'
import { loadTarget } from '../src/loaded-target.js'

/** Cases of paper 002, section 3: targets, frequencies, and its ratios of times where it states them. */
const CASES = [
  {
    mesh: 'ship-1m',
    frequency: 5e9,
    aspects: [0, 30, 60, 90, 120, 150].map((theta) => [theta, 0]),
    theirs: [198, 10],
  },
  { mesh: 'deckhouse', frequency: 3e9, aspects: [[45, 0]], theirs: [null, 46] },
] as const
const PAPER_BOUNCES = 3
/** Tubes that the processor traces of a case at the most, with a hierarchy and without: rows of tiles evenly spread. */
const SAMPLE = { bvh: 2e6, brute: 1e5 }

/** The scene with all facets in one leaf: every ray is tested against all of them. */
export function bruteForce(scene: RayScene): RayScene {
  const nodes = scene.nodes.slice(0, 8)
  new Uint32Array(nodes.buffer).set([0], 3)
  new Uint32Array(nodes.buffer).set([scene.count], 7)
  return { ...scene, nodes, depth: 1 }
}

/** Rows of tiles of a job's aperture, evenly spread, of about `tubes` tubes; and their share of the whole. */
function sampleRows(scene: RayScene, job: SbrJob, tubes: number): { rows: TileRange[]; share: number } {
  const { tileI0, tileJ0, tilesI, tilesJ } = jobAperture(scene, job)
  const count = Math.min(tilesJ, Math.max(1, Math.round(tubes / (256 * tilesI))))
  const rows = Array.from({ length: count }, (_, n) => ({
    i0: tileI0,
    j0: tileJ0 + Math.floor(((n + 0.5) * tilesJ) / count),
    ni: tilesI,
    nj: 1,
  }))
  return { rows, share: count / tilesJ }
}

/** Seconds of an aspect on one processor core, from a sample of its rows where it is large. */
async function cpuSeconds(scene: RayScene, area: number, job: SbrJob, tubes: number): Promise<number> {
  const engine = createCpuEngine(scene, area, 0)
  const { rows, share } = sampleRows(scene, job, tubes)
  const start = performance.now()
  for (const tiles of rows) await engine.aspect({ ...job, tiles })
  return (performance.now() - start) / 1000 / share
}

async function gpuSeconds(engine: GpuSbrEngine, job: SbrJob): Promise<number> {
  await engine.aspect(job)
  const start = performance.now()
  await engine.aspect(job)
  return (performance.now() - start) / 1000
}

const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length

/** The comparison of paper 002: brute force and a hierarchy on one core, and on the GPU; seconds per aspect. */
export async function paperComparison(context: GpuContext): Promise<void> {
  console.log(
    'seconds per aspect: one core (brute force: from a sample of rows), the whole aspect on the GPU',
  )
  console.log(
    '| target | facets | cpu, brute force | cpu, BVH | gpu, brute force | gpu, ropes | gpu, default | brute cpu : gpu | paper | cpu BVH : gpu | paper |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const { mesh, frequency, aspects, theirs } of CASES) {
    const { scene, target } = await loadTarget(`samples/${mesh}.stl`, 'm', 20)
    const flat = bruteForce(scene)
    const engines = [
      new GpuSbrEngine(context, flat, target.area, { subGrid: 2048, traversal: 'ropes' }),
      new GpuSbrEngine(context, scene, target.area, { subGrid: 2048, traversal: 'ropes' }),
      new GpuSbrEngine(context, scene, target.area, { subGrid: 2048 }),
    ]
    const rows: number[][] = []
    for (const [theta, phi] of aspects) {
      const d = direction(theta, phi)
      const job: SbrJob = {
        aspect: { tx: d, rx: d },
        band: { f0: frequency, df: 0, n: 1 },
        options: { raysPerWavelength: 10, maxBounces: PAPER_BOUNCES, subdivisions: 0, formulation: 'exit' },
      }
      const row = [
        await cpuSeconds(flat, target.area, job, SAMPLE.brute),
        await cpuSeconds(scene, target.area, job, SAMPLE.bvh),
      ]
      for (const engine of engines) row.push(await gpuSeconds(engine, job))
      rows.push(row)
    }
    const t = rows[0].map((_, k) => mean(rows.map((row) => row[k])))
    console.log(
      `| ${mesh} | ${scene.count} | ${t.map((x) => x.toPrecision(3)).join(' | ')} | ${(t[0] / t[4]).toPrecision(3)} | ${theirs[0] ?? 'a day and more : 786 s'} | ${(t[1] / t[4]).toPrecision(3)} | ${theirs[1]} |`,
    )
  }
}
