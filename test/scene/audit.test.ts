import { describe, expect, test, it } from 'vitest'
import { describeReport, InputError, type Mesh, prepareTarget } from '../../scene/index.js'
import { cleanMesh } from '../../scene/audit.js'
import { weld } from '../../scene/repair.js'
import { random } from '../helpers/random.js'
import { cube, flipFacets, join, meshOf, moved, rows, sheet, sphere } from './shapes.js'
import { engines } from '../cpu-diffraction/meshes.js'
import { monostatic, oneFrequency } from '../helpers/sbr.js'

const facetsOf = (mesh: Mesh): number[][] =>
  Array.from({ length: mesh.triangles.length / 3 }, (_, t) =>
    Array.from(mesh.triangles.subarray(3 * t, 3 * t + 3)),
  )

describe('cleanMesh', () => {
  test('leaves a clean closed body alone', () => {
    const { mesh, report } = cleanMesh(cube())
    expect(mesh).toEqual(cube())
    expect(report).toEqual({
      facetsIn: 12,
      facetsOut: 12,
      degenerate: 0,
      duplicate: 0,
      mended: 0,
      flipped: 0,
      boundaryEdges: 0,
      nonManifoldEdges: 0,
      twistedEdges: 0,
      components: 1,
      closedComponents: 1,
    })
    expect(describeReport(report)).toEqual([])
  })

  test('restores randomly turned facets of spheres, one of them far away and inside out', () => {
    const next = random(5)
    const good = join(sphere(8, 12), moved(sphere(6, 9), [1e4, 0, 0]))
    const second = 2 * 12 * 7
    const turned = Array.from({ length: good.triangles.length / 3 }, (_, t) => t >= second || next() < 0.5)
    const { mesh, report } = cleanMesh(flipFacets(good, (t) => turned[t]))
    expect(facetsOf(mesh).map(cyclic)).toEqual(facetsOf(good).map(cyclic))
    expect(report.flipped).toBe(turned.filter(Boolean).length)
    expect(report.components).toBe(2)
    expect(report.closedComponents).toBe(2)
  })

  test('an open part keeps the orientation of most of its facets', () => {
    const half = sphere(8, 12)
    const open = { ...half, triangles: half.triangles.filter((_, i) => i >= 3) }
    for (const most of [false, true]) {
      // With most of the facets turned, the rest must follow them.
      const { mesh, report } = cleanMesh(flipFacets(open, (t) => (t % 10 === 0) !== most))
      const wanted = most ? flipFacets(open, () => true) : open
      expect(facetsOf(mesh).map(cyclic)).toEqual(facetsOf(wanted).map(cyclic))
      expect(report.flipped).toBe(Math.ceil(open.triangles.length / 30))
      expect(report.closedComponents).toBe(0)
      expect(report.boundaryEdges).toBe(3)
    }
  })

  test('counts and removes degenerate and duplicate facets, groups following', () => {
    const body = cube()
    const extra = rows('0 0 1, 0 1 9, 8 8 8')
    const again = rows('1 2 0, 0 1 2')
    const dirty: Mesh = {
      positions: Float64Array.from([...body.positions, 5, 5, 5, 0.5, 1e-10, 0]),
      triangles: Uint32Array.from([...extra.flat(), ...body.triangles, ...again.flat()]),
      facetGroup: Uint32Array.from({ length: 17 }, (_, t) => t),
    }
    const { mesh, report } = cleanMesh(dirty)
    expect(mesh.positions).toEqual(body.positions)
    expect(mesh.triangles).toEqual(body.triangles)
    expect(Array.from(mesh.facetGroup!)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(report).toMatchObject({ facetsIn: 17, facetsOut: 12, degenerate: 3, duplicate: 2, flipped: 0 })
    expect(describeReport(report)).toEqual([
      'removed 3 degenerate facets (no area)',
      'removed 2 duplicate facets',
    ])
  })

  test('repairs T-junctions: a row of slivers along the edge between two halves of a sheet', () => {
    // Rectangle 0..6 x -1..1. Above y = 0 one facet has the whole edge; below it is cut at four points that are a
    // little off the line, as rounded coordinates are. Slivers fill the gap, from left to right.
    const cuts = [1, 2, 4, 5]
    const points = [
      [0, 0, 0],
      [6, 0, 0],
      [3, 1, 0],
      [3, -1, 0],
      ...cuts.map((x, i) => [x, 1e-8 * (i % 2 ? 1 : -1), 1e-8]),
    ]
    const row = [0, 4, 5, 6, 7, 1]
    const facets = [[0, 1, 2]]
    for (let i = 0; i < 5; i++) facets.push([3, row[i + 1], row[i]])
    for (let i = 0; i < 4; i++) facets.push([row[i], row[i + 1], 1])
    for (const mesh of [meshOf(points, facets), flipFacets(meshOf(points, facets), (t) => t > 5)]) {
      const groups = Uint32Array.from(facets, (_, t) => (t === 0 ? 0 : t < 6 ? 1 : 2))
      const cleaned = cleanMesh({ ...mesh, facetGroup: groups })
      expect(cleaned.report).toMatchObject({
        facetsIn: 10,
        facetsOut: 10,
        mended: 4,
        degenerate: 0,
        boundaryEdges: 4,
        components: 1,
        nonManifoldEdges: 0,
      })
      expect(Array.from(cleaned.mesh.facetGroup!).toSorted()).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
      // All in the plane and looking up, the area as it was.
      const areas = facetsOf(cleaned.mesh).map(([a, b, c]) => {
        const [u, v] = [b, c].map((k) => [0, 1].map((i) => points[k][i] - points[a][i]))
        return (u[0] * v[1] - u[1] * v[0]) / 2
      })
      expect(Math.min(...areas)).toBeGreaterThan(0.4)
      expect(areas.reduce((x, y) => x + y)).toBeCloseTo(6, 6)
      expect(describeReport(cleaned.report)[0]).toContain('repaired 4 T-junctions')
    }
  })

  test('repairs two T-junctions on edges of one facet', () => {
    const points = rows('0 0 0, 4 0 0, 0 4 0, 2 0 0, 0 2 0, 2 -2 0, -2 2 0')
    const facets = rows('0 1 2, 0 3 1, 0 2 4, 0 5 3, 5 1 3, 0 4 6, 4 2 6')
    const { mesh, report } = cleanMesh(meshOf(points, facets))
    expect(report).toMatchObject({
      facetsOut: 7,
      mended: 2,
      boundaryEdges: 5,
      components: 1,
      nonManifoldEdges: 0,
    })
    const areas = facetsOf(mesh).map(([a, b, c]) => {
      const [u, v] = [b, c].map((k) =>
        [0, 1].map((i) => mesh.positions[3 * k + i] - mesh.positions[3 * a + i]),
      )
      return (u[0] * v[1] - u[1] * v[0]) / 2
    })
    expect(areas.toSorted((x, y) => x - y)).toEqual([2, 2, 2, 2, 2, 2, 4])
  })

  test('a sliver at a rim goes, one that faces another sliver does not hang the search', () => {
    const flat = meshOf('0 0 0, 2 0 0, 1 0 0, 1 1 0, 1.5 0 0', '0 1 2, 0 2 3, 2 1 3, 1 0 4')
    const { report } = cleanMesh(flat)
    expect(report).toMatchObject({ facetsOut: 2, degenerate: 2, mended: 0, boundaryEdges: 4 })
  })

  test('two sheets back to back are one', () => {
    const back = flipFacets(sheet(), () => true)
    const { mesh, report } = cleanMesh(weld(join(sheet(), back)))
    expect(mesh).toEqual(sheet())
    expect(report).toMatchObject({ duplicate: 2, boundaryEdges: 4, components: 1, closedComponents: 0 })
    expect(describeReport(report)[1]).toMatch(/^1 part of 1 not closed \(4 open edges\)/)
  })

  test('two cubes that share an edge stay two closed parts, outwards', () => {
    const other = flipFacets(moved(cube(), [1, 1, 0]), () => true)
    const { report } = cleanMesh(weld(join(cube(), other)))
    expect(report).toMatchObject({
      nonManifoldEdges: 1,
      boundaryEdges: 0,
      components: 2,
      closedComponents: 2,
    })
    expect(report.flipped).toBe(12)
  })

  test('a Möbius strip has one twisted edge and no crash', () => {
    const n = 12
    const points = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n).flatMap((u) =>
      [-0.3, 0.3].map((w) => [
        (1 + w * Math.cos(u / 2)) * Math.cos(u),
        (1 + w * Math.cos(u / 2)) * Math.sin(u),
        w * Math.sin(u / 2),
      ]),
    )
    const facets = Array.from({ length: n }, (_, i) => {
      const [a, b] = [2 * i, 2 * i + 1]
      const [c, d] = i + 1 < n ? [a + 2, b + 2] : [1, 0]
      return [
        [a, c, b],
        [c, d, b],
      ]
    }).flat()
    const { report } = cleanMesh(meshOf(points, facets))
    expect(report).toMatchObject({
      components: 1,
      closedComponents: 0,
      twistedEdges: 1,
      boundaryEdges: 2 * n,
      nonManifoldEdges: 0,
      facetsOut: 2 * n,
    })
    expect(describeReport(report).join()).toContain('one-sided')
  })

  test('refuses non-finite vertices', () => {
    const bad = cube()
    bad.positions[0] = Infinity
    expect(() => cleanMesh(bad)).toThrow(InputError)
  })
})

/** A facet's vertices from the lowest on, in cyclic order. */
function cyclic(facet: number[]): number[] {
  const at = facet.indexOf(Math.min(...facet))
  return [...facet.slice(at), ...facet.slice(0, at)]
}

/** A cube, one of whose sides is cut in four about its centre and the middles of its edges, which its neighbours do not have. */
function cubeWithTJunctions(off = 0): Mesh {
  const { positions, triangles } = cube()
  const points = Array.from({ length: positions.length / 3 }, (_, v) => [
    ...positions.subarray(3 * v, 3 * v + 3),
  ])
  const facets = Array.from({ length: triangles.length / 3 }, (_, t) => [
    ...triangles.subarray(3 * t, 3 * t + 3),
  ])
  const middle = (a: number, b: number): number =>
    points.push(points[a].map((x, c) => (x + points[b][c]) / 2 + off * (c + 1))) - 1
  const [a, b, c] = facets.shift()!
  const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)]
  return meshOf(points, [[a, ab, ca], [ab, b, bc], [bc, c, ca], [ab, bc, ca], ...facets])
}

describe('vertices on open edges', () => {
  it('split them: the mesh is closed', () => {
    for (const off of [0, 1e-7]) {
      const { mesh, report } = cleanMesh(weld(cubeWithTJunctions(off)))
      expect(report).toMatchObject({
        boundaryEdges: 0,
        nonManifoldEdges: 0,
        mended: 3,
        degenerate: 0,
        closedComponents: 1,
      })
      expect(mesh.triangles.length / 3).toBe(18)
    }
  })

  it('farther away do not', () => {
    expect(cleanMesh(weld(cubeWithTJunctions(1e-4))).report.mended).toBe(0)
  })

  it('leave groups with their facets', () => {
    const mesh = cubeWithTJunctions()
    const facetGroup = Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, t) => t)
    const given = prepareTarget({ ...mesh, facetGroup }, { smoothAngleDeg: 20 })
    // Unit sides: the four parts of half of one, and eleven halves.
    const areas = Array.from(facetGroup, () => 0)
    given.areas.forEach((x, t) => (areas[given.facetGroup![t]] += x))
    areas.forEach((x, group) => expect(x).toBeCloseTo(group < 4 ? 1 / 8 : 1 / 2, 12))
  })

  it('are no change of the field', async () => {
    const job = {
      aspect: monostatic(70, 25),
      band: oneFrequency(0.5),
      options: { diffraction: 'tw-ildc' as const },
    }
    const [whole, cut] = await Promise.all(
      [cube(), cubeWithTJunctions()].map((m) => engines(m).edges.field(job)),
    )
    const peak = Math.max(...whole.field.map(Math.abs))
    whole.field.forEach((x, i) => expect(Math.abs(cut.field[i] - x)).toBeLessThan(1e-9 * peak))
  })

  it('and without any the same mesh comes back', () => {
    const mesh = weld(cube())
    expect(cleanMesh(mesh).mesh.triangles).toEqual(mesh.triangles)
  })
})
