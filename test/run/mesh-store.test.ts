import { expect, it } from 'vitest'
import { packMesh, unpackMesh } from '../../run/cluster/redis.js'
import { prepareTarget } from '../../scene/index.js'
import { BUILT_IN, type Material } from '../../scene/materials/index.js'
import { coating, layer, sheet } from '../helpers/materials.js'
import { cube } from '../scene/shapes.js'

const bare = cube()
const grouped = (groupMaterials: Material[]) => ({
  ...bare,
  facetGroup: Uint32Array.from({ length: 12 }, (_, t) => t % groupMaterials.length),
  groupMaterials,
})

it('a mesh keeps its materials, of every kind, to the last bit', () => {
  const others: Material[] = BUILT_IN.map(({ medium }) => ({
    name: medium.name,
    kind: 'opaque',
    stack: [{ medium, thickness: 1 / 3 }],
    backing: medium,
    facet: 'metal',
    sides: 'both',
  }))
  const table = { frequencies: [1e9], angles: [0], values: [0.1, 0.2, 0.3, 0, 0, 0, 0, 1e-300] }
  const all: Material[] = [
    coating({ impedance: [377, 1 / 7] }, layer([0.1 + 0.2, -1e-17], 1e-3)),
    { name: 'conductor', kind: 'conductor' },
    sheet(layer([2, 0], 0.1)),
    { name: 'measured', kind: 'sheet', table, thickness: 0.01 },
    ...others.slice(0, 8),
  ]
  const mesh = grouped(all)
  const got = prepareTarget(unpackMesh(packMesh(mesh)), { smoothAngleDeg: 20 })
  const want = prepareTarget(mesh, { smoothAngleDeg: 20 })
  expect(got.facetMaterial).toEqual(want.facetMaterial)
  expect(got.materials).toEqual(want.materials)
})

it('where all conducts, its bytes are those of a mesh without groups', () => {
  const conductor: Material = { name: 'conductor', kind: 'conductor' }
  expect(packMesh(grouped([conductor, conductor]))).toEqual(packMesh(bare))
  expect(unpackMesh(packMesh(bare))).toEqual(bare)
})

it('bytes cut short and materials that are none are refused', () => {
  const packed = packMesh(grouped([sheet(layer([2, 0], 0.1))]))
  const plain = packMesh(bare).length
  expect(() => unpackMesh(packed.subarray(0, plain + 5))).toThrow(/has \d+ bytes of/)
  expect(() => unpackMesh(packed.subarray(0, -3))).toThrow()
  const odd = Buffer.from(packed)
  odd[plain] = 9
  expect(() => unpackMesh(odd)).toThrow(/a material that is not there/)
  const text = packed.subarray(plain + 12).toString().replace('"kind":"sheet"', '"kind":"laser"') // prettier-ignore
  expect(() => unpackMesh(Buffer.concat([packed.subarray(0, plain + 12), Buffer.from(text)]))).toThrow()
})
