import { describe, expect, it } from 'vitest'
import { coplanarFaces } from '../../../cpu-diffraction/geometry/plane-faces.js'
import { InputError, type Mesh, prepareTarget } from '../../../scene/index.js'
import {
  type Assignment,
  assignMaterials,
  checkBands,
  materialNamed,
  type MaterialLibrary,
  NO_LIBRARY,
  PERFECT_CONDUCTOR,
} from '../../../scene/materials/index.js'
import { cube } from '../shapes.js'
import { coating, layer, sheet } from '../../helpers/materials.js'

const SMOOTH = { smoothAngleDeg: 20 }
/** A cube of which facets 0 to 3 are of one group. */
const grouped = (): Mesh => ({
  ...cube(),
  facetGroup: Uint32Array.from({ length: 12 }, (_, t) => (t < 4 ? 1 : 0)),
  groupNames: ['hull/steel', 'canopy'],
})
const assign = (mesh: Mesh, given: Assignment[], library: MaterialLibrary = NO_LIBRARY): Mesh =>
  assignMaterials(mesh, given, library, ({ group, material }) => `--material ${group}=${material}`)
const namesOf = (mesh: Mesh): string[] => mesh.groupMaterials!.map(({ name }) => name)

describe('materials of a mesh', () => {
  it('are those of its groups, by their names or a part of these, the last one said', () => {
    const glass = { group: 'canopy', material: 'glass:4mm' }
    expect(namesOf(assign(grouped(), [glass]))).toEqual(['conductor', 'glass:4mm'])
    expect(namesOf(assign(grouped(), [glass, { material: 'concrete' }]))).toEqual(['concrete', 'glass:4mm'])
    expect(namesOf(assign(grouped(), [glass, { group: 'steel', material: 'cfrp' }]))).toEqual([
      'cfrp',
      'glass:4mm',
    ])
    expect(namesOf(assign(grouped(), [glass, { ...glass, material: 'ptfe' }]))).toEqual(['conductor', 'ptfe'])
    expect(namesOf(assign(cube(), [{ material: 'glass' }]))).toEqual(['glass'])
  })

  it('may stand in a library, which the caller’s come before', () => {
    const paint = coating(layer([3, -1], 0.001))
    const library: MaterialLibrary = {
      media: new Map([['foam', layer([1.06, 0], 1).medium]]),
      materials: new Map([['paint', paint]]),
      groups: new Map([['canopy', 'foam:10mm']]),
      standard: 'paint',
    }
    const mesh = assign(grouped(), [], library)
    expect(mesh.groupMaterials![0]).toBe(paint)
    expect(namesOf(assign(grouped(), [{ group: 'canopy', material: 'conductor' }], library))).toEqual([
      'coating',
      'conductor',
    ])
    expect(namesOf(assign(grouped(), [{ material: 'pec' }], library))).toEqual(['conductor', 'foam:10mm'])
    expect(() => assign(cube(), [], library)).toThrow(/has no groups, and none named "canopy"/)
  })

  it('have a medium’s name alone for a half-space, with a thickness for a sheet', () => {
    expect(materialNamed('concrete', NO_LIBRARY, '')).toMatchObject({
      kind: 'opaque',
      stack: [],
      backing: { name: 'concrete' },
    })
    for (const [name, thickness] of [
      ['glass:4mm', 0.004],
      ['glass:0.5 cm', 0.005],
      ['ptfe:250um', 250e-6],
      ['fr4:1e-3m', 1e-3],
    ] as const)
      expect(materialNamed(name, NO_LIBRARY, '')).toMatchObject({
        name,
        kind: 'sheet',
        stack: [{ thickness: expect.closeTo(thickness, 12) as number }],
      })
  })

  it('are refused by name with what is close to it', () => {
    const refused: [Assignment, RegExp][] = [
      [{ material: 'glas:4mm' }, /there is no material "glas:4mm" \(did you mean glass\?\)/],
      [{ material: 'concret' }, /there is no material "concret" \(did you mean concrete\?\)/],
      [{ material: 'glass:0mm' }, /there is no material "glass:0mm"/],
      [{ group: 'canpy', material: 'glass' }, /the mesh has no group "canpy" \(did you mean canopy\?\); it has hull\/steel, canopy/],
    ] // prettier-ignore
    for (const [given, message] of refused) {
      expect(() => assign(grouped(), [given])).toThrow(InputError)
      expect(() => assign(grouped(), [given])).toThrow(message)
    }
  })
})

it('a band is refused that lies partly between the ranges of a medium', () => {
  const glass = materialNamed('glass', NO_LIBRARY, '')
  const band = (f0: number, f1: number) => [{ f0, df: f1 - f0, n: 2 }]
  expect(() =>
    checkBands([PERFECT_CONDUCTOR, glass], [...band(0.1e9, 100e9), ...band(220e9, 450e9)]),
  ).not.toThrow()
  expect(() => checkBands([glass], band(99e9, 221e9))).toThrow(
    /medium "glass" is given for 0.1 to 100 GHz and 220 to 450/,
  )
  expect(() => checkBands([glass], band(50e9, 100.1e9))).toThrow(InputError)
})

describe('materials of a target’s facets', () => {
  it('survive welding, cleaning and orientation with their facets', () => {
    const mesh = grouped()
    // A facet of the canopy reversed, and one without area before all others.
    const [a, b, c] = mesh.triangles.subarray(3, 6)
    mesh.triangles.set([a, c, b], 3)
    const triangles = Uint32Array.from([0, 0, 1, ...mesh.triangles])
    const facetGroup = Uint32Array.from([0, ...mesh.facetGroup!])
    const given = assign({ ...mesh, triangles, facetGroup }, [{ group: 'canopy', material: 'glass:4mm' }])
    const target = prepareTarget(given, SMOOTH)
    expect(target.report).toMatchObject({ degenerate: 1, flipped: 1 })
    expect(target.materials.map(({ name }) => name)).toEqual(['conductor', 'glass:4mm'])
    expect([...target.facetMaterial!]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    const again = prepareTarget(target, { ...SMOOTH, curved: { angleDeg: 20, sagitta: 0.01 } })
    expect(again.facetMaterial).toEqual(target.facetMaterial)
  })

  it('are not numbered where everything conducts', () => {
    const bare = prepareTarget(grouped(), SMOOTH)
    expect(bare.materials).toEqual([PERFECT_CONDUCTOR])
    expect(bare.facetMaterial).toBeUndefined()
    const said = prepareTarget(assign(grouped(), [{ material: 'conductor' }]), SMOOTH)
    expect(said.materials).toEqual([PERFECT_CONDUCTOR])
    expect(said.facetMaterial).toBeUndefined()
  })

  it('are one where two groups have it by one name, and at most 255', () => {
    const two = assign(grouped(), [{ material: 'glass:4mm' }, { group: 'canopy', material: 'glass:4mm' }])
    expect(prepareTarget(two, SMOOTH).materials).toHaveLength(2)
    const strewn = (count: number): Mesh => ({
      positions: Float64Array.from(
        { length: 9 * count },
        (_, i) => [0, 0, 0, 1, 0, 0, 0, 1, 0][i % 9] + 3 * Math.floor(i / 9),
      ),
      triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i),
      facetGroup: Uint32Array.from({ length: count }, (_, t) => t),
      groupMaterials: Array.from({ length: count }, () => sheet(layer([2, 0], 1))),
    })
    expect(prepareTarget(strewn(255), SMOOTH).facetMaterial!.at(-1)).toBe(255)
    expect(() => prepareTarget(strewn(256), SMOOTH)).toThrow(/has 256 materials; give it 255 at most/)
  })

  it('end smooth surfaces and plane faces', () => {
    const split: Mesh = {
      ...cube(),
      facetGroup: Uint32Array.of(1, ...new Uint32Array(11)),
      groupNames: ['a', 'b'],
    }
    const bare = prepareTarget(split, SMOOTH)
    const mate = bare.surface.lastIndexOf(bare.surface[0])
    expect(mate).toBeGreaterThan(0)
    const target = prepareTarget(assign(split, [{ group: 'b', material: 'glass' }]), SMOOTH)
    expect(target.surface[0]).not.toBe(target.surface[mate])
    expect([bare.surfaceCount, target.surfaceCount]).toEqual([6, 7])
    expect(new Set(coplanarFaces(bare, 20).of).size).toBe(6)
    expect(new Set(coplanarFaces(target, 20).of).size).toBe(7)
  })
})
