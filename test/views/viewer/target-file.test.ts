import { describe, expect, it } from 'vitest'
import { buildEdgeScene } from '../../../cpu-diffraction/index.js'
import { readMesh, writeNpz } from '../../../formats/index.js'
import { readTargetNpz, targetNpz } from '../../../run/mesh-source.js'
import { overGround } from '../../../scene/ground/index.js'
import { InputError, prepareTarget, type Target } from '../../../scene/index.js'
import type { OpenedResult } from '../../../views/server/open-result.js'
import { rayAspects } from '../../../views/server/source.js'
import { coating, CONDUCTOR, layer, made } from '../../helpers/materials.js'
import { cube, moved } from '../../scene/shapes.js'

describe('the target that a result keeps', async () => {
  const target = prepareTarget(await readMesh('samples/cube.stl'), { smoothAngleDeg: 20 })

  it('comes back with its twelve edges', () => {
    const kept = readTargetNpz(targetNpz(target, buildEdgeScene(target, 160)))
    expect(kept.mesh.positions).toEqual(target.positions)
    expect(kept.mesh.triangles).toEqual(target.triangles)
    expect(Array.from(kept.edgeAngleDeg, (a) => Math.round(a))).toEqual(Array.from({ length: 12 }, () => 90))
    const side = target.box.max[0] - target.box.min[0]
    for (let e = 0; e < 12; e++) {
      const ends = kept.edgesM.subarray(6 * e, 6 * e + 6)
      expect(Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2])).toBeCloseTo(side, 9)
      // Every end is a corner of the box.
      ends.forEach((x, c) =>
        expect(
          Math.min(Math.abs(x - target.box.min[c % 3]), Math.abs(x - target.box.max[c % 3])),
        ).toBeLessThan(1e-9),
      )
    }
    // Prepared once, it stays as it is: facets keep their numbers.
    expect(prepareTarget(kept.mesh, { smoothAngleDeg: 20 }).triangles).toEqual(target.triangles)
  })

  it('comes back with the names of its groups, those of its own facets alone over a ground', () => {
    const facets = target.triangles.length / 3
    const grouped = { ...target, facetGroup: Uint32Array.from({ length: facets }, (_, t) => t % 2), groupNames: ['hull', 'mast'] } // prettier-ignore
    const { groups } = readTargetNpz(targetNpz(grouped, null))
    expect(groups!.names).toEqual(['hull', 'mast'])
    expect(groups!.facetGroup).toEqual(grouped.facetGroup)
    expect(readTargetNpz(targetNpz(target, null)).groups).toBeUndefined()
    const ground = { material: { name: 'conductor', kind: 'conductor' as const }, height: target.box.min[2] - 0.5, roughness: 0 } // prettier-ignore
    const over = overGround({ ...grouped, ground }, 20)
    expect(readTargetNpz(targetNpz(over, null)).groups!.facetGroup).toEqual(grouped.facetGroup)
  })

  it('comes back with its ground, without its image', () => {
    const ground = {
      material: { name: 'conductor', kind: 'conductor' as const },
      height: target.box.min[2] - 0.5,
      roughness: 0.01,
    }
    const over = overGround({ ...target, ground }, 20)
    expect(over.triangles).toHaveLength(2 * target.triangles.length)
    const kept = readTargetNpz(targetNpz(over, null))
    expect(kept.ground).toEqual(ground)
    expect(kept.mesh.triangles).toHaveLength(target.triangles.length)
    const again = overGround(prepareTarget({ ...kept.mesh, ground: kept.ground }, { smoothAngleDeg: 20 }), 20)
    expect([again.positions, again.triangles]).toEqual([over.positions, over.triangles])
  })

  it('has no edges where none diffract', () => {
    expect(readTargetNpz(targetNpz(target, null)).edgeAngleDeg).toHaveLength(0)
  })

  it('is refused where it is something else', () => {
    const positions_m = { data: new Float64Array(9), shape: [3, 3], dtype: '<f8' as const }
    const triangles = { data: Int32Array.of(0, 1, 3), shape: [1, 3], dtype: '<i4' as const }
    expect(() => readTargetNpz(writeNpz({ positions_m }))).toThrow(InputError)
    expect(() => readTargetNpz(writeNpz({ positions_m, triangles }))).toThrow('missing vertex')
  })
})

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
