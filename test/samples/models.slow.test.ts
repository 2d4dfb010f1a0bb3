import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readObj } from '../../formats/obj.js'
import { writeBinaryStl } from '../../formats/index.js'
import { readStl } from '../../formats/stl.js'
import { bird, droneWithGroups } from '../../samples/models/drone.js'
import { models } from '../../samples/models/index.js'
import { writeObj } from '../../samples/models/surface.js'
import { cross, dot, prepareTarget, type Vec3 } from '../../scene/index.js'
import { length, subtract } from '../oracle/vectors.js'

interface Facets {
  points: Vec3[]
  /** Three point numbers a facet, points of equal coordinates being one. */
  corners: number[][]
}

const bytesOf = (name: string): Uint8Array =>
  readFileSync(new URL(`../../samples/${name}.stl`, import.meta.url))

/** Reads a binary STL by the format's layout, apart from the readers of the program. */
function readFacets(name: string): Facets {
  const bytes = bytesOf(name)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Map<string, number>()
  const points: Vec3[] = []
  const corners: number[][] = []
  for (let t = 0; t < view.getUint32(80, true); t++)
    corners.push(
      [12, 24, 36].map((offset) => {
        const p = [0, 4, 8].map((k) => view.getFloat32(84 + 50 * t + offset + k, true)) as Vec3
        const key = p.join(' ')
        if (!numbers.has(key)) numbers.set(key, points.push(p) - 1)
        return numbers.get(key)!
      }),
    )
  return { points, corners }
}

/** Normal of a facet, of twice its area. */
const normalOf = ({ points }: Facets, [a, b, c]: number[]): Vec3 =>
  cross(subtract(points[b], points[a]), subtract(points[c], points[a]))
const area = (mesh: Facets, facet: number[]): number => length(normalOf(mesh, facet)) / 2

const halfEdges = ([a, b, c]: number[]): [number, number][] => [
  [a, b],
  [b, c],
  [c, a],
]

/** Enclosed volume [m³] of each shell (facets joined over edges). */
function shellVolumes({ points, corners }: Facets): number[] {
  const parent = points.map((_, v) => v)
  const root = (v: number): number => (parent[v] === v ? v : (parent[v] = root(parent[v])))
  for (const [a, b, c] of corners) {
    parent[root(a)] = root(b)
    parent[root(b)] = root(c)
  }
  const volumes = new Map<number, number>()
  for (const [a, b, c] of corners) {
    const shell = root(a)
    volumes.set(shell, (volumes.get(shell) ?? 0) + dot(points[a], cross(points[b], points[c])) / 6)
  }
  return [...volumes.values()]
}

/** Distance at which the ray from `origin` along -x or +x (`sign`) first meets a facet (Möller and Trumbore). */
function firstHit({ points, corners }: Facets, origin: Vec3, sign: 1 | -1): number {
  const direction: Vec3 = [sign, 0, 0]
  let nearest = Infinity
  for (const [a, b, c] of corners) {
    const [u, v] = [subtract(points[b], points[a]), subtract(points[c], points[a])]
    const p = cross(direction, v)
    const determinant = dot(u, p)
    if (Math.abs(determinant) < 1e-14) continue
    const s = subtract(origin, points[a])
    const q = cross(s, u)
    const [alpha, beta] = [dot(s, p) / determinant, dot(direction, q) / determinant]
    if (alpha >= 0 && beta >= 0 && alpha + beta <= 1) nearest = Math.min(nearest, dot(v, q) / determinant)
  }
  return nearest
}

/** Facets, box size [m], number of closed shells (0: open sheets). */
const expected: Record<string, [number, Vec3, number]> = {
  plate: [2, [1, 1, 0], 0],
  dihedral: [4, [Math.SQRT1_2, Math.SQRT2, 1], 0],
  'trihedral-square': [6, [1, 1, 1], 0],
  'trihedral-triangular': [3, [1, 1, 1], 0],
  cube: [12, [1, 1, 1], 1],
  sphere: [20480, [2, 2, 2], 1],
  missile: [5812, [1.1, 0.25, 0.2], 1],
  'ship-0.9m': [256, [0.9, 0.2, 0.2], 1],
  'ship-1m': [80, [1, 0.2, 0.2], 1],
  deckhouse: [2216, [110, 26, 44.4], 16],
  vehicle: [308, [2.95, 1.6, 1.1], 5],
  drone: [2624, [0.471, 0.471, 0.127], 24],
  aircraft: [8604, [3, 2, 0.9], 1],
  'aircraft-a': [13050, [11.76, 7.4, 3.67], 1],
  'aircraft-b': [20120, [14.12, 16.98, 4.5], 1],
}

test('the table lists every generated model', () => {
  expect(Object.keys(models).toSorted()).toEqual(
    Object.keys(expected)
      .filter((name) => name !== 'ship-0.9m')
      .toSorted(),
  )
})

describe.each(Object.keys(models))('%s', (name) => {
  test('is what its generator makes', () => {
    const made = writeBinaryStl(models[name].make(), name)
    expect(Buffer.compare(made, bytesOf(name))).toBe(0)
  })
})

describe.each(Object.entries(expected))('%s.stl', (name, [facets, size, shells]) => {
  const mesh = readFacets(name)

  test('has the stated facets and box', () => {
    expect(mesh.corners.length).toBe(facets)
    for (let axis = 0; axis < 3; axis++) {
      const at = mesh.points.map((p) => p[axis])
      // 1e-6 m, and the step of a 32-bit float for the 110 m of the deckhouse.
      const step = 2 ** -22 * size[axis]
      expect(Math.abs(Math.max(...at) - Math.min(...at) - size[axis])).toBeLessThan(Math.max(1e-6, step))
    }
  })

  test('has no degenerate and no doubled facet', () => {
    const least = Math.min(...mesh.corners.map((facet) => area(mesh, facet)))
    expect(least).toBeGreaterThan(1e-8 * Math.max(...size) ** 2)
    expect(new Set(mesh.corners.map((facet) => facet.toSorted((a, b) => a - b).join(' '))).size).toBe(facets)
  })

  if (shells > 0)
    test('is watertight and faces outward', () => {
      const seen = new Set<string>()
      for (const facet of mesh.corners)
        for (const [a, b] of halfEdges(facet)) {
          expect(seen.has(`${a} ${b}`)).toBe(false)
          seen.add(`${a} ${b}`)
        }
      const unmatched = [...seen].filter((edge) => !seen.has(edge.split(' ').toReversed().join(' ')))
      expect(unmatched).toEqual([])
      const volumes = shellVolumes(mesh)
      expect(volumes.length).toBe(shells)
      expect(Math.min(...volumes)).toBeGreaterThan(0)
    })
})

describe('sheets face the side they are lit from', () => {
  test.each([
    ['plate', [0.1, 0.2, 5]],
    ['dihedral', [5, 0.1, 0.2]],
    ['trihedral-square', [5, 5, 5]],
    ['trihedral-triangular', [5, 5, 5]],
  ] as [string, Vec3][])('%s', (name, viewer) => {
    const mesh = readFacets(name)
    for (const facet of mesh.corners)
      expect(dot(normalOf(mesh, facet), subtract(viewer, mesh.points[facet[0]]))).toBeGreaterThan(0)
  })
})

test('every vertex of the sphere lies on it', () => {
  for (const p of readFacets('sphere').points) expect(Math.abs(Math.hypot(...p) - 1)).toBeLessThan(1e-6)
})

describe('aircraft and missile are mirror-symmetric in y', () => {
  test.each(['missile', 'aircraft', 'aircraft-a', 'aircraft-b'])('%s', (name) => {
    const { points } = readFacets(name)
    const known = new Set(points.map(([x, y, z]) => `${x} ${y === 0 ? 0 : y} ${z}`))
    for (const [x, y, z] of points) expect(known.has(`${x} ${y === 0 ? 0 : -y} ${z}`)).toBe(true)
  })
})

describe('cavities are open down to their end discs', () => {
  test.each([
    // name, start [m], direction along x, distance from the start to the cavity's mouth, depth of the disc beyond it [m]
    ['missile', [-2, 0.01, 0.01], 1, 2 - 0.55, 0.12],
    ['aircraft', [2, 0.17, -0.29], -1, 2 - 0.4, 0.9],
    ['aircraft', [-2, 0.01, -0.29], 1, 2 - 1.5, 0.35],
    ['aircraft-a', [10, 0.6, -1.2], -1, 10 - 1.38, 3.5],
    ['aircraft-a', [10, -0.65, -1.25], -1, 10 - 1.38, 3.5],
    ['aircraft-a', [-10, 0.02, -1.2], 1, 10 - 5.88, 1.6],
    ['aircraft-b', [10, 1.6, 0.4], -1, 10 + 0.94, 1.1],
    ['aircraft-b', [10, -1.7, 0.2], -1, 10 + 0.94, 1.1],
    ['aircraft-b', [-10, 1.6, 0.4], 1, 10 - 4.14, 0.9],
  ] as [string, Vec3, 1 | -1, number, number][])('%s from %j', (name, start, sign, mouth, depth) => {
    expect(Math.abs(firstHit(readFacets(name), start, sign) - mouth - depth)).toBeLessThan(1e-5)
  })
})

describe('aircraft: leading edges and nose are smooth, bent by less than 20 degrees an edge', () => {
  const mesh = readFacets('aircraft')
  const normals = mesh.corners.map((facet) => normalOf(mesh, facet))
  const beside = new Map<string, number>()
  for (const [t, facet] of mesh.corners.entries())
    for (const [a, b] of halfEdges(facet)) beside.set(`${a} ${b}`, t)
  /** Greatest bend [degrees] at the edges whose middles are chosen. */
  const greatest = (chosen: (middle: Vec3) => boolean): number => {
    let worst = 0
    for (const [t, facet] of mesh.corners.entries())
      for (const [a, b] of halfEdges(facet)) {
        const [p, q] = [mesh.points[a], mesh.points[b]]
        if (!chosen([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2])) continue
        const [n, m] = [normals[t], normals[beside.get(`${b} ${a}`)!]]
        worst = Math.max(worst, Math.acos(Math.min(1, dot(n, m) / (length(n) * length(m)))))
      }
    return (worst * 180) / Math.PI
  }
  test.each([
    ['wing', ([x, y]) => x > 0 && y > 0.29 && y < 0.995],
    ['tailplane', ([x, y]) => x < -0.9 && x > -1.2 && y > 0.17 && y < 0.495],
    ['fin', ([x, , z]) => x < -0.7 && x > -1.1 && z > -0.1 && z < 0.445],
    ['nose', ([x]) => x > 1.1],
  ] as [string, (middle: Vec3) => boolean][])('%s', (_, chosen) => {
    const bend = greatest(chosen)
    expect(bend).toBeGreaterThan(5)
    expect(bend).toBeLessThan(20)
  })
})

test('aircraft-a with its groups as an OBJ is the target of its STL, to the last bit', () => {
  const grouped = readObj(new TextEncoder().encode(writeObj(models['aircraft-a'].make())))
  expect(new Set(grouped.groupNames)).toEqual(new Set(['nose', 'canopy', 'leading-edges', 'intakes', 'skin']))
  const target = prepareTarget(grouped, { smoothAngleDeg: 20 })
  const plain = prepareTarget(readStl(bytesOf('aircraft-a')), { smoothAngleDeg: 20 })
  for (const part of ['positions', 'triangles', 'normals', 'surface', 'centroid', 'diagonal'] as const)
    expect(target[part], part).toEqual(plain[part])
  expect(target.edges).toEqual(plain.edges)
})

test('bird-wings.obj is what the generator writes: closed shells in three groups', () => {
  const text = readFileSync(new URL('../../samples/bird-wings.obj', import.meta.url), 'utf8')
  expect(text).toBe(writeObj(bird(), (x) => Number(x.toFixed(5))))
  expect(bird().groupNames).toEqual(['body', 'wing-left', 'wing-right'])
})

test('drone-rotors.obj is what the generator writes: the drone with its rotors in groups', () => {
  const text = readFileSync(new URL('../../samples/drone-rotors.obj', import.meta.url), 'utf8')
  expect(text).toBe(writeObj(droneWithGroups(), (x) => Number(x.toFixed(5))))
  expect(readObj(new TextEncoder().encode(text)).groupNames).toEqual(['body', 'rotor-1', 'rotor-2', 'rotor-3', 'rotor-4']) // prettier-ignore
  expect(droneWithGroups().triangles.length).toBe(models.drone.make().triangles.length)
})
