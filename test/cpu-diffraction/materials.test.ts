import { expect, test } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/edge-scene.js'
import { cube } from '../../samples/models/canonical.js'
import { prepareTarget } from '../../scene/target.js'
import { coating, CONDUCTOR, layer } from '../helpers/materials.js'

test('edges of facets that are no perfect conductors do not diffract', () => {
  const paint = coating(layer([4, -0.3], 0.01))
  const mesh = cube(1)
  // Two facets, one side of the cube.
  const facetGroup = Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, t) => (t < 2 ? 1 : 0))
  const edgesOf = (materials: (typeof paint)[]): number => {
    const target = prepareTarget({ ...mesh, facetGroup, groupMaterials: materials }, { smoothAngleDeg: 20 })
    return buildEdgeScene(target, 160).count
  }
  expect(edgesOf([CONDUCTOR, CONDUCTOR])).toBe(12)
  expect(edgesOf([CONDUCTOR, paint])).toBe(8)
  expect(edgesOf([paint, paint])).toBe(0)
})
