// Meshes for currents of files: each is meshed, or refused in one line.
//   npm run build && node dist/bench/remesh.js [--area 40] FILE ...
// The wavelength is such that the target has --area square wavelengths of surface. "Area": that of the mesh over the target's.
// "Problems": triangles without area, edges with other numbers of triangles than the input has, vertices that are no numbers.
import { parseArgs } from 'node:util'
import { readMesh } from '../formats/index.js'
import { type CurrentMesh, meshForCurrents, meshQuality } from '../full-wave/index.js'
import { edgeTable, InputError, prepareTarget } from '../scene/index.js'
import { textTable } from '../src/compare-report.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { area: { type: 'string', default: '40' } },
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

function areaOf({ positions: p, triangles: tri }: CurrentMesh): number {
  let area = 0
  for (let t = 0; t < tri.length; t += 3) {
    const [a, b, c] = [tri[t], tri[t + 1], tri[t + 2]].map((v) => 3 * v)
    const u = [0, 1, 2].map((i) => p[b + i] - p[a + i])
    const v = [0, 1, 2].map((i) => p[c + i] - p[a + i])
    area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2
  }
  return area
}

const rows: string[][] = []
const counts = { meshed: 0, refused: 0, failed: 0, problems: 0 }
for (const file of positionals) {
  const name = file.split('/').slice(-2).join('/')
  try {
    const target = prepareTarget(await readMesh(file), { smoothAngleDeg: 20 })
    const wavelength = Math.sqrt(target.area / Number(values.area))
    const start = process.cpuUsage()
    const mesh = meshForCurrents(target, wavelength)
    const seconds = process.cpuUsage(start).user / 1e6
    const quality = meshQuality(mesh, wavelength)
    const [before, after] = [edgesOf(target), edgesOf(mesh)]
    const problems = [
      mesh.positions.every(Number.isFinite) ? '' : 'not finite',
      quality.worst > 0 ? '' : 'no area',
      before.open === after.open ? '' : 'open',
      before.junctions === after.junctions ? '' : 'junctions',
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
      (areaOf(mesh) / target.area).toFixed(4),
      seconds.toFixed(2),
      problems.join(', '),
    ])
  } catch (error) {
    const refused = error instanceof InputError
    counts[refused ? 'refused' : 'failed']++
    const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' ') : ''
    rows.push([name, refused ? error.message.slice(0, 90) : `FAILED ${stack.slice(0, 300)}`])
  }
}
console.log(
  textTable(
    ['file', 'facets', 'triangles', 'unknowns', 'worst', 'median', 'area', 'CPU s', 'problems'],
    rows,
  ),
)
console.log(
  `${counts.meshed} meshed (${counts.problems} with problems), ${counts.refused} refused, ${counts.failed} failed`,
)
