import { expect, test } from 'vitest'
import {
  type CurrentMesh,
  estimateSystem,
  estimateUnknowns,
  fullWaveCost,
  meshForCurrents,
  meshQuality,
  triangleQualities,
} from '../../full-wave/index.js'
import { edgeTable, InputError, type Mesh, prepareTarget, type Target } from '../../scene/index.js'
import { grid, mapped, quartered, regular } from '../cpu-diffraction/meshes.js'
import { cube, join, meshOf, moved } from '../scene/shapes.js'

const target = (of: Mesh): Target => prepareTarget(of, { smoothAngleDeg: 20 })
const box = (x: number, y: number, z: number, at = 0): Mesh =>
  mapped(cube(), (p) => [at + x * p[0], y * p[1], z * p[2]])
/** A rectangle in z = 0 of nx by ny rectangles. */
const sheet = (x: number, y: number, nx = 1, ny = 1): Mesh =>
  mapped(grid(nx, ny), (p) => [(x * p[0]) / nx, (y * p[1]) / ny, 0])
/** A closed cylinder about z: n sides, m rings, ends of n triangles. */
function cylinder(radius: number, height: number, n: number, m: number): Mesh {
  const points: number[][] = []
  const facets: number[][] = []
  for (let k = 0; k <= m; k++) points.push(...regular(n, radius).map(([x, y]) => [x, y, (height * k) / m]))
  for (let k = 0; k < m; k++)
    for (let i = 0; i < n; i++) {
      const [a, b] = [k * n + i, k * n + ((i + 1) % n)]
      facets.push([a, b, b + n], [a, b + n, a + n])
    }
  const low = points.length
  points.push([0, 0, 0], [0, 0, height])
  for (let i = 0; i < n; i++) {
    const j = (i + 1) % n
    facets.push([low, j, i], [low + 1, m * n + i, m * n + j])
  }
  return meshOf(points, facets)
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
/** Length of edges by their number of triangles, the Euler characteristic, and whether edges of two triangles run both ways. */
function topology({ positions, triangles }: CurrentMesh) {
  const table = edgeTable({ positions, triangles })
  const lengths: Record<number, number> = {}
  let oriented = true
  for (let e = 0; e < table.count; e++) {
    const valence = table.start[e + 1] - table.start[e]
    const [a, b] = [3 * table.low[e], 3 * table.high[e]]
    lengths[valence] =
      (lengths[valence] ?? 0) + Math.hypot(...[0, 1, 2].map((c) => positions[a + c] - positions[b + c]))
    const [g, h] = [table.half[table.start[e]], table.half[table.start[e] + 1]]
    if (valence === 2 && triangles[g] === triangles[h]) oriented = false
  }
  return { lengths, oriented, euler: positions.length / 3 - table.count + triangles.length / 3 }
}

test('a cube keeps its area, its planes, its edges and its orientation', () => {
  const cube = target(box(1.2, 1.2, 1.2))
  const out = meshForCurrents(cube, 1)
  expect(areaOf(out)).toBeCloseTo(8.64, 8)
  expect(topology(out)).toMatchObject({ oriented: true, euler: 2 })
  expect(topology(out).lengths[1]).toBeUndefined()
  for (let t = 0; t < out.triangles.length; t += 3) {
    // All three vertices are in one of the planes 0 and 1.2.
    const at = [0, 1, 2].map((i) => out.positions.subarray(3 * out.triangles[t + i], 3 * out.triangles[t + i] + 3)) // prettier-ignore
    const faces = [0, 1, 2].flatMap((c) => [0, 1.2].filter((x) => at.every((p) => Math.abs(p[c] - x) < 1e-8)))
    expect(faces.length).toBe(1)
  }
  const quality = meshQuality(out, 1)
  expect(quality.smallestAngleDeg).toBeGreaterThan(4)
  expect(quality.median).toBeGreaterThan(0.6)
  expect(quality.longestEdge).toBeLessThan(0.2)
})

test('a plate has thin rows at its borders, keeps them, and does not depend on how it was divided', () => {
  const coarse = meshForCurrents(target(sheet(2, 1)), 1)
  const fine = meshForCurrents(target(sheet(2, 1, 37, 23)), 1)
  for (const out of [coarse, fine]) {
    expect(areaOf(out)).toBeCloseTo(2, 8)
    expect(topology(out).lengths[1]).toBeCloseTo(6, 8)
    expect(topology(out).euler).toBe(1)
  }
  expect(fine.triangles).toEqual(coarse.triangles)
  // Heights of triangles with a side on the border y = 0, away from corners.
  const { positions: p, triangles: tri } = coarse
  const heights: number[] = []
  for (let t = 0; t < tri.length; t += 3) {
    const y = [0, 1, 2].map((i) => p[3 * tri[t + i] + 1])
    const x = [0, 1, 2].map((i) => p[3 * tri[t + i]])
    if (y.filter((h) => h < 1e-9).length === 2 && Math.min(...x) > 0.3 && Math.max(...x) < 1.7)
      heights.push(Math.max(...y))
  }
  expect(heights.length).toBeGreaterThan(5)
  for (const h of heights) expect(Math.abs(Math.log2(h * 64))).toBeLessThan(1)
  expect(Math.abs(Math.log2(heights.sort((a, b) => a - b)[heights.length >> 1] * 64))).toBeLessThan(0.6)
})

test('facets divided in their planes give the same mesh for currents', () => {
  const turned = (of: Mesh): Mesh =>
    mapped(of, ([x, y, z]) => {
      const v = 0.6 * x + 0.8 * y
      return [0.8 * x - 0.6 * y, 0.96 * v - 0.28 * z, 0.28 * v + 0.96 * z]
    })
  for (const of of [box(1.2, 1.2, 1.2), turned(box(1.5, 0.8, 0.3)), cylinder(0.4, 0.7, 24, 1)]) {
    const coarse = meshForCurrents(target(of), 1)
    for (const fine of [quartered(of), quartered(quartered(of))]) {
      const out = meshForCurrents(target(fine), 1)
      expect(out.triangles).toEqual(coarse.triangles)
      for (let i = 0; i < out.positions.length; i++)
        expect(Math.abs(out.positions[i] - coarse.positions[i])).toBeLessThan(1e-6)
    }
  }
  // A body without a plane or a straight edge that is longer than a facet: rounding decides where sizes are equal.
  const bumps = turned(cylinder(0.4, 0.7, 24, 6))
  for (let i = 0; i < bumps.positions.length; i++) bumps.positions[i] += 0.01 * Math.sin(40 * i)
  const counts = [bumps, quartered(bumps)].map((of) => meshForCurrents(target(of), 1).triangles.length)
  expect(Math.abs(counts[1] / counts[0] - 1)).toBeLessThan(0.02)
})

test('without grading a plate has the plain size everywhere', () => {
  const out = meshForCurrents(target(sheet(2, 2)), 1, { firstRow: 1 })
  const quality = meshQuality(out, 1)
  expect(quality.smallestAngleDeg).toBeGreaterThan(25)
  expect(quality.unknowns / 4).toBeGreaterThan(180)
  expect(quality.unknowns / 4).toBeLessThan(270)
})

test('three sheets keep their junction, and crossing sheets theirs', () => {
  const pages = '0 2 3, 0 3 1, 0 4 5, 0 5 1, 0 6 7, 0 7 1'
  const three = meshOf('0 0 0, 0 0 1, 1 0 0, 1 0 1, -1 0.5 0, -1 0.5 1, -1 -0.7 0, -1 -0.7 1', pages)
  const cross = meshOf(
    '0 0 0, 0 0 1, 1 0 0, 1 0 1, -1 0 0, -1 0 1, 0 1 0, 0 1 1, 0 -1 0, 0 -1 1',
    `${pages}, 0 8 9, 0 9 1`,
  )
  for (const [sheets, valence] of [
    [three, 3],
    [cross, 4],
  ] as const) {
    const out = meshForCurrents(target(sheets), 0.8)
    expect(topology(out).lengths[valence]).toBeCloseTo(1, 8)
    expect(areaOf(out)).toBeCloseTo(target(sheets).area, 8)
    expect(meshQuality(out, 0.8).worst).toBeGreaterThan(0.02)
  }
})

test('a cylinder stays closed and near its surface, its rims where they were', () => {
  const round = target(cylinder(0.5, 1, 96, 12))
  const out = meshForCurrents(round, 0.7)
  expect(topology(out)).toMatchObject({ oriented: true, euler: 2 })
  expect(areaOf(out) / round.area).toBeGreaterThan(0.99)
  expect(areaOf(out) / round.area).toBeLessThan(1.001)
  expect(meshQuality(out, 0.7).worst).toBeGreaterThan(0.02)
})

test('a far place and another order of facets give the same mesh within rounding', () => {
  const here = box(1, 0.7, 0.5)
  const near = meshForCurrents(target(here), 1)
  const far = meshForCurrents(target(box(1, 0.7, 0.5, 4096)), 1)
  const order = [...here.triangles.keys()].filter((i) => i % 3 === 0).reverse()
  const reordered = Uint32Array.from(order.flatMap((i) => [0, 1, 2].map((c) => here.triangles[i + c])))
  const other = meshForCurrents(target({ ...here, triangles: reordered }), 1)
  for (const [out, x] of [
    [far, 4096],
    [other, 0],
  ] as const) {
    expect(out.triangles).toEqual(near.triangles)
    for (let i = 0; i < near.positions.length; i++)
      expect(Math.abs(out.positions[i] - near.positions[i] - (i % 3 === 0 ? x : 0))).toBeLessThan(1e-7)
  }
  expect(meshForCurrents(target(here), 1)).toEqual(near)
})

test('too many triangles are refused in one line', () => {
  expect(() => meshForCurrents(target(box(1, 1, 1)), 0.001)).toThrow(InputError)
  expect(() => meshForCurrents(target(box(1, 1, 1)), 0.3, { mostTriangles: 9000 })).toThrow(
    /more than 9000 triangles/,
  )
})

test('the estimate of unknowns is near what meshing gives', () => {
  for (const [of, wavelength] of [
    [box(1.2, 1.2, 1.2), 1],
    [sheet(2, 1), 1],
    [sheet(6, 5), 1],
    [cylinder(2, 3, 200, 30), 1],
  ] as const) {
    const ratio =
      estimateUnknowns(target(of))(wavelength) /
      meshQuality(meshForCurrents(target(of), wavelength), wavelength).unknowns
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.3)
  }
})

test('the estimate counts what curvature adds, and planes of symmetry as they are found', () => {
  const slender = target(cylinder(0.4, 4, 60, 8))
  const mesh = meshForCurrents(slender, 1)
  const { unknowns, sets } = estimateSystem(slender)(1)
  const ratio = unknowns / meshQuality(mesh, 1).unknowns
  expect(ratio).toBeGreaterThan(0.6)
  expect(ratio).toBeLessThan(1.7)
  expect(sets).toBe(2 ** mesh.symmetry!.normals.length)
  // Half the unknowns twice: a quarter of the factors' work, half the memory.
  const [whole, halves] = [1, 2].map((parts) => fullWaveCost({ unknowns: 5e4, sets: parts }, 1, 'cpu', 1))
  expect(halves.bytes / whole.bytes).toBeCloseTo(0.5, 2)
  expect(halves.seconds / whole.seconds).toBeLessThan(0.35)
})

test('random triangles that touch, cross and overlap are meshed with triangles that have area', () => {
  let seed = 7
  const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647
  for (let round = 0; round < 12; round++) {
    const vertices = 4 + Math.floor(12 * random())
    const quantum = round % 3 === 0 ? 0.25 : 1e-6
    const positions = Array.from({ length: 3 * vertices }, () => Math.round(random() / quantum) * quantum)
    const triangles = Array.from({ length: 3 * (2 + Math.floor(14 * random())) }, () =>
      Math.floor(vertices * random()),
    )
    let of: Target
    try {
      of = target({ positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) })
    } catch (error) {
      expect(error).toBeInstanceOf(InputError)
      continue
    }
    const out = meshForCurrents(of, 0.8)
    expect(out.positions.every(Number.isFinite)).toBe(true)
    expect(Math.min(...triangleQualities(out))).toBeGreaterThan(0)
    expect(Math.abs(areaOf(out) / of.area - 1)).toBeLessThan(0.02)
  }
})

function fan(n: number): Mesh {
  const rim = Array.from({ length: n + 1 }, (_, i) => [
    Math.cos(i / n),
    Math.sin(i / n),
    0.02 * Math.sin(9 * i),
  ])
  return meshOf(
    [[0, 0, 0], ...rim],
    rim.slice(1).map((_, i) => [0, i + 1, i + 2]),
  )
}
const holes = (n: number): Mesh =>
  mapped(
    grid(2 * n + 1, 2 * n + 1, (i, j) => i % 2 === 0 || j % 2 === 0),
    (p) => p.map((x) => x / (2 * n + 1)),
  )

/** Meshes as found: thin, doubled, torn, far from the origin. */
const hostile: [name: string, mesh: Mesh][] = [
  ['a box a millionth thick', box(1, 0.7, 1e-6)],
  ['sheets a ten-thousandth apart', join(sheet(1, 1, 3, 2), moved(sheet(1, 1, 2, 5), [0, 0, 1e-4]))],
  ['every facet twice', join(box(1, 0.6, 0.4), box(1, 0.6, 0.4))],
  ['a fan of 2,000 slivers', fan(2000)],
  ['a sheet with 400 holes', holes(20)],
  ['a box 1e5 of its sizes away', box(1, 0.7, 0.4, 1e5)],
]

test.each(hostile)('%s is meshed with its area, or refused in one line', (_, of) => {
  const here = target(of)
  try {
    const out = meshForCurrents(here, 0.8, { mostTriangles: 20_000 })
    expect(out.positions.every(Number.isFinite)).toBe(true)
    expect(Math.min(...triangleQualities(out))).toBeGreaterThan(0)
    expect(Math.abs(areaOf(out) / here.area - 1)).toBeLessThan(0.02)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    expect(error.message).toMatch(/^the (mesh for currents|target) .* --method sbr$/)
  }
})

test('a target of more detail than the triangles allow is refused before its work is done', () => {
  const boxes = join(...Array.from({ length: 600 }, (_, i) => box(1e-3, 0.4, 0.3, i / 500)))
  expect(() => meshForCurrents(target(boxes), 0.8, { mostTriangles: 2000 })).toThrow(
    /^the (mesh for|target has) .*sbr$/,
  )
})
