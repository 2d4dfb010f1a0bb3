import { describe, expect, it } from 'vitest'
import { cleanMesh } from '../../scene/audit.js'
import { type Mesh, prepareTarget } from '../../scene/index.js'
import { weld } from '../../scene/repair.js'
import { engines } from '../cpu-diffraction/meshes.js'
import { monostatic, oneFrequency } from '../helpers/sbr.js'
import { cube, meshOf } from './shapes.js'

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
