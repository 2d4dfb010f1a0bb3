import { expect, it } from 'vitest'
import { prepareTarget, type Target } from '../../../scene/index.js'
import type { OpenedResult } from '../../../views/server/open-result.js'
import { rayAspects } from '../../../views/server/source.js'
import { readTargetNpz, targetNpz } from '../../../run/mesh-source.js'
import { CONDUCTOR, coating, layer, made } from '../../helpers/materials.js'
import { cube, moved } from '../../scene/shapes.js'

const COATED = made([cube(), CONDUCTOR], [moved(cube(), [3, 0, 0]), coating(layer([4, -1], 0.01))])
const prepared = (mesh = COATED): Target => prepareTarget(mesh, { smoothAngleDeg: 20 })

it('a target comes back from its file with its materials', () => {
  const target = prepared()
  const kept = prepared(readTargetNpz(targetNpz(target, null)).mesh)
  expect(kept.facetMaterial).toEqual(target.facetMaterial)
  expect(kept.facetMaterial).toContain(1)
  expect(kept.materials).toEqual(target.materials)
})

it('rays are traced for results whose materials are known', () => {
  const result = (materials: { material: string }[] | undefined, target: Target): OpenedResult =>
    ({
      image: { phiDeg: 0 },
      meta: { mesh: { materials }, options: { sweep: { phi0: -4, phi1: 4 } } },
      target: { target },
    }) as unknown as OpenedResult
  expect(rayAspects(result(undefined, prepared(cube())))).toHaveLength(3)
  expect(rayAspects(result([{ material: 'coating' }], prepared()))).toHaveLength(3)
  // Of an older version, or with the mesh alone.
  expect(rayAspects(result([{ material: 'coating' }], prepared(cube())))).toEqual([])
})
