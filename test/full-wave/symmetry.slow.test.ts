import { expect, test } from 'vitest'
import {
  cpuBackend,
  type CurrentMesh,
  meshForCurrents,
  prepareFullWave,
  rwgFunctions,
} from '../../full-wave/index.js'
import { symmetricFunctions } from '../../full-wave/functions.js'
import { cube, sphere } from '../../samples/models/canonical.js'
import { mapped } from '../cpu-diffraction/meshes.js'
import { direction, type Mesh, prepareTarget } from '../../scene/index.js'

type Point = [number, number, number]

const sheets = (...corners: Point[][]): Mesh => ({
  positions: Float64Array.from(corners.flat(2)),
  triangles: Uint32Array.from(corners.flatMap((_, i) => [0, 1, 2, 0, 2, 3].map((v) => 4 * i + v))),
})
const plate = sheets([[-0.5, -0.3, 0], [0.5, -0.3, 0], [0.5, 0.3, 0], [-0.5, 0.3, 0]]) // prettier-ignore
/** Two sheets that cross at the z axis, and so in both planes of symmetry through it. */
const cross = sheets(
  [[-0.3, -0.2, -0.25], [0.3, 0.2, -0.25], [0.3, 0.2, 0.25], [-0.3, -0.2, 0.25]], // prettier-ignore
  [[-0.3, 0.2, -0.25], [0.3, -0.2, -0.25], [0.3, -0.2, 0.25], [-0.3, 0.2, 0.25]], // prettier-ignore
)
/** Closed, with a tip at one end. */
const almond = mapped(sphere(0.3, 3), ([x, y, z]) => [1.6 * x, 1.2 * y * (0.32 - x), z * (0.32 - x)])
/** Turned and far from the origin. */
const turned = (of: Mesh): Mesh =>
  mapped(of, ([x, y, z]) => {
    const [u, v] = [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y]
    return [7 + 0.96 * u + 0.28 * z, 3 + v, 0.96 * z - 0.28 * u]
  })

const COARSE = { elementsPerWavelength: 6, firstRow: 1 / 16, chordTolerance: 1 / 100 }
const meshOf = (of: Mesh): CurrentMesh =>
  meshForCurrents(prepareTarget(of, { smoothAngleDeg: 20 }), 1, COARSE)

const aspects = [
  { tx: direction(50, 20), rx: direction(50, 20) },
  { tx: direction(90, 0), rx: direction(90, 0) },
  { tx: direction(50, 20), rx: direction(110, 250) },
]

async function solved(mesh: CurrentMesh) {
  const wave = await prepareFullWave({ mesh, k: 2 * Math.PI, backend: cpuBackend(0) })
  return { ...wave, ...(await wave.solve(aspects)) }
}

test.each([
  ['a plate', plate, 2],
  ['a turned plate', turned(plate), 2],
  ['sheets that cross in the planes', cross, 3],
  ['a cube', cube(0.5), 3],
  ['a turned almond', turned(almond), 2],
])('%s is solved in parts by its planes of symmetry, as in one', async (_, of, planes) => {
  const mesh = meshOf(of)
  expect(mesh.symmetry?.normals.length).toBe(planes)
  const sets = symmetricFunctions(mesh)
  expect(sets.length).toBe(2 ** planes)
  expect(sets.reduce((sum, { count }) => sum + count, 0)).toBe(rwgFunctions(mesh).count)
  const parts = await solved(mesh)
  const whole = await solved({ ...mesh, symmetry: undefined })
  expect([parts.sets, whole.sets, parts.unknowns]).toEqual([2 ** planes, 1, whole.unknowns])
  const most = whole.fields.reduce((m, x) => Math.max(m, Math.abs(x)), 0)
  whole.fields.forEach((x, i) => expect(Math.abs(parts.fields[i] - x)).toBeLessThan(1e-6 * most))
  expect(parts.powerError).toBeCloseTo(whole.powerError, 6)
})

test('a body that is only nearly symmetric is solved in one', () => {
  const bent = (by: number): Mesh => mapped(plate, ([x, y, z]) => [x, y, z + (x > 0 && y > 0 ? by : 0)])
  expect(meshOf(bent(1e-3)).symmetry).toBeUndefined()
  expect(meshOf(bent(0)).symmetry).toBeDefined()
  const notched = mapped(cube(0.5), ([x, y, z]) => [x + (x > 0 && y > 0 && z > 0 ? 0.002 : 0), y, z])
  // Through the corner that moved along x, and the middle of the cube.
  expect(meshOf(notched).symmetry?.normals.length ?? 0).toBeLessThan(2)
})

test('a facet in a plane of symmetry leaves the others', () => {
  const fin = sheets([[-0.5, -0.3, 0], [0.5, -0.3, 0], [0.5, 0.3, 0], [-0.5, 0.3, 0]], [[-0.5, 0, 0], [0.4, 0, 0], [0.4, 0, 0.2], [-0.5, 0, 0.2]]) // prettier-ignore
  expect(meshOf(fin).symmetry).toBeUndefined()
})

test('a symmetric mesh has the area of its target, and no border in a plane of symmetry', () => {
  for (const of of [almond, turned(almond), cube(0.5)]) {
    const { positions: p, triangles } = meshOf(of)
    const edges = new Map<string, number>()
    for (let t = 0; t < triangles.length; t += 3)
      for (let i = 0; i < 3; i++) {
        const key = [triangles[t + i], triangles[t + ((i + 1) % 3)]].sort((a, b) => a - b).join()
        edges.set(key, (edges.get(key) ?? 0) + 1)
      }
    expect(new Set(edges.values())).toEqual(new Set([2]))
    expect(p.length / 3 - edges.size + triangles.length / 3).toBe(2)
  }
})
