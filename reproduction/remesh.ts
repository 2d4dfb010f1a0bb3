// Meshes for currents of files and of random shapes: each is meshed, or refused in one line, within a bound.
//   npm run build && node dist/reproduction/remesh.js [--area 15] [--most 12000] [--random 100] [--seed 1] [--seconds 60] FILE ...
// The wavelength is such that the target has --area square wavelengths of surface; meshes of more than --most triangles are refused.
// "Area": that of the mesh over the target's. "Problems": triangles without area, edges with other numbers of triangles than the input
// has, vertices that are no numbers, an area off by more than 2 %, more than --seconds of processor time. The last line counts; anything
// that is neither meshed nor refused, and any problem, makes the exit status 1.
import { parseArgs } from 'node:util'
import { readMesh } from '../formats/index.js'
import { meshForCurrents, meshQuality } from '../full-wave/index.js'
import { edgeTable, InputError, type Mesh, prepareTarget } from '../scene/index.js'
import { textTable } from '../src/compare.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    area: { type: 'string', default: '15' },
    most: { type: 'string', default: '12000' },
    random: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
  },
})

/** How many edges have one triangle, and three or more: whether there are any. */
function edgesOf(mesh: { positions: Float64Array; triangles: Uint32Array }): {
  open: boolean
  junctions: boolean
} {
  const table = edgeTable(mesh)
  let open = false
  let junctions = false
  for (let e = 0; e < table.count; e++) {
    const valence = table.start[e + 1] - table.start[e]
    if (valence === 1) open = true
    if (valence > 2) junctions = true
  }
  return { open, junctions }
}

function areaOf({ positions: p, triangles: tri }: Mesh): number {
  let area = 0
  for (let t = 0; t < tri.length; t += 3) {
    const [a, b, c] = [tri[t], tri[t + 1], tri[t + 2]].map((v) => 3 * v)
    const u = [0, 1, 2].map((i) => p[b + i] - p[a + i])
    const v = [0, 1, 2].map((i) => p[c + i] - p[a + i])
    area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2
  }
  return area
}

/** Park and Miller's generator. */
function randomNumbers(seed: number): () => number {
  let state = 1 + (Math.imul(seed, 7919) >>> 1)
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

/** Random shapes of five kinds in turn: loose triangles, thin boxes, bumpy closed bodies, folded strips, sheets with slits and slivers. */
function randomShape(seed: number): Mesh {
  const random = randomNumbers(seed)
  const positions: number[] = []
  const triangles: number[] = []
  const place = (x: number, y: number, z: number): number => positions.push(x, y, z) / 3 - 1
  const kind = seed % 5
  if (kind === 0) {
    const vertices = 4 + Math.floor(20 * random())
    const quantum = random() < 0.5 ? 0.25 : 1e-7
    for (let i = 0; i < 3 * vertices; i++) positions.push(Math.round(random() / quantum) * quantum)
    for (let i = 3 * (2 + Math.floor(30 * random())); i > 0; i--)
      triangles.push(Math.floor(vertices * random()))
  } else if (kind === 1) {
    for (let n = 1 + Math.floor(12 * random()); n > 0; n--) {
      const first = positions.length / 3
      const [x, y, z] = [random(), random(), random()]
      const size = [10 ** (-4 * random()), 10 ** (-2 * random()), random()]
      for (let i = 0; i < 8; i++)
        place(x + (i & 1 ? size[0] : 0), y + (i & 2 ? size[1] : 0), z + (i & 4 ? size[2] : 0))
      for (const v of [
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3,
        7, 5,
      ])
        triangles.push(first + v)
    }
  } else {
    // A grid of m by n whose sides are joined, folded or torn.
    const [m, n] = [3 + Math.floor(25 * random()), 3 + Math.floor(25 * random())]
    const [a, b, bumps, far] = [random(), random(), 10 ** (-5 * random()), random() < 0.3 ? 1e4 : 0]
    for (let i = 0; i <= m; i++)
      for (let j = 0; j <= n; j++) {
        const [u, v] = [i / m, j / n]
        const r = 1 + bumps * (random() - 0.5)
        if (kind === 2) {
          const [s, t] = [Math.PI * u, 2 * Math.PI * (j % n) * (1 / n)]
          place(far + r * Math.sin(s) * Math.cos(t), a * r * Math.sin(s) * Math.sin(t), b * r * Math.cos(s))
        } else if (kind === 3) place(far + u, 0.01 + a * v, b * Math.abs(Math.sin(9 * u)) * r)
        else place(far + u ** 4, v ** (1 + 3 * a), bumps * random())
      }
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        if (kind === 4 && random() < 0.1) continue
        const p = i * (n + 1) + j
        triangles.push(p, p + n + 1, p + 1, p + 1, p + n + 1, p + n + 2)
      }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

const rows: string[][] = []
const refusals: string[] = []
const counts = { meshed: 0, refused: 0, failed: 0, problems: 0 }

async function tryMesh(name: string, open: () => Mesh | Promise<Mesh>): Promise<void> {
  const start = process.cpuUsage()
  const seconds = (): number => process.cpuUsage(start).user / 1e6
  try {
    const target = prepareTarget(await open(), { smoothAngleDeg: 20 })
    const wavelength = Math.sqrt(target.area / Number(values.area))
    const mesh = meshForCurrents(target, wavelength, { mostTriangles: Number(values.most) })
    const quality = meshQuality(mesh, wavelength)
    const [before, after] = [edgesOf(target), edgesOf(mesh)]
    const area = areaOf(mesh) / target.area
    const problems = [
      mesh.positions.every(Number.isFinite) ? '' : 'not finite',
      quality.worst > 0 ? '' : 'no area',
      before.open === after.open ? '' : 'open',
      before.junctions === after.junctions ? '' : 'junctions',
      Math.abs(area - 1) < 0.02 ? '' : 'area',
      seconds() < Number(values.seconds) ? '' : 'slow',
    ].filter((text) => text)
    counts.meshed++
    if (problems.length > 0) counts.problems++
    rows.push([
      name,
      String(target.triangles.length / 3),
      String(quality.triangles),
      String(quality.unknowns),
      quality.worst.toFixed(4),
      quality.median.toFixed(2),
      area.toFixed(4),
      seconds().toFixed(2),
      problems.join(', '),
    ])
  } catch (error) {
    const isRefused = error instanceof InputError && !error.message.includes('\n')
    counts[isRefused ? 'refused' : 'failed']++
    if (isRefused && seconds() > Number(values.seconds)) counts.problems++
    const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' ') : ''
    refusals.push(`${name} (${seconds().toFixed(1)} s): ${isRefused ? error.message : `FAILED ${stack}`}`)
  }
}

for (const file of positionals) await tryMesh(file.split('/').slice(-2).join('/'), () => readMesh(file))
for (let i = 0; i < Number(values.random); i++) {
  const seed = Number(values.seed) + i
  await tryMesh(`random ${seed}`, () => randomShape(seed))
}
console.log(
  textTable(
    ['file', 'facets', 'triangles', 'unknowns', 'worst', 'median', 'area', 'CPU s', 'problems'],
    rows,
  ),
)
console.log(refusals.join('\n'))
console.log(
  `${counts.meshed} meshed (${counts.problems} with problems), ${counts.refused} refused, ${counts.failed} failed`,
)
if (counts.failed + counts.problems > 0) process.exitCode = 1
