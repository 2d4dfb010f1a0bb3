import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { materialsKey, type MaterialChoice, withMaterials } from '../../formats/index.js'
import { prepareTarget } from '../../scene/index.js'
import { openMesh } from '../../run/mesh-source.js'
import { resolveSettings, type SolverSettings } from '../../run/settings/settings.js'
import { scratchFolder } from '../helpers/scratch.js'
import { cube } from '../scene/shapes.js'

const folder = scratchFolder()

const keyOf = async (choice: MaterialChoice): Promise<string[]> =>
  materialsKey(prepareTarget(await withMaterials(cube(), choice), { smoothAngleDeg: 20 }))
const film = (ohm: number) => ({
  materials: { film: { sheet: [{ resistance_ohm: ohm }] } },
  default: 'film',
})

it('the key of a run has what its materials are, not where they stand', async () => {
  const path = join(folder, 'any.json')
  writeFileSync(path, JSON.stringify(film(200)))
  const key = await keyOf({ materials: path })
  expect(key).toHaveLength(1)
  expect(await keyOf({ materials: film(200) })).toEqual(key)
  expect(await keyOf({ materials: film(201) })).not.toEqual(key)
  expect(await keyOf({ materials: film(200), material: ['glass:4mm'] })).not.toEqual(key)
  // Where everything conducts keys are those of older runs.
  expect(await keyOf({})).toEqual([])
  expect(await keyOf({ material: ['conductor'] })).toEqual([])
})

it('a mesh in memory may have groups, each with its material', async () => {
  const { positions, triangles: indices } = cube()
  const groups = Uint32Array.from({ length: 12 }, (_, t) => (t < 2 ? 1 : 0))
  const open = (settings: SolverSettings, source: object = { groups, groupNames: ['body', 'lid'] }) =>
    openMesh({ positions, indices, ...source }, resolveSettings({ device: 'cpu', ...settings }), 1)
  const { target } = await open({ material: ['lid=film'], materials: film(50) })
  expect(target.materials.map((m) => m.name)).toEqual(['conductor', 'film'])
  // The library's own default is for all others.
  expect([...new Set(target.facetMaterial)]).toEqual([1])
  const lid = await open({ material: ['lid=glass:4mm'] })
  expect([...lid.target.facetMaterial!]).toEqual(Array.from(groups))
  await expect(open({ material: ['top=glass'] })).rejects.toThrow(/has no group "top"; it has body, lid/)
  await expect(open({}, { groups })).rejects.toThrow(/groups, one number per facet, and groupNames together/)
  await expect(open({}, { groups, groupNames: ['body'] })).rejects.toThrow(/beyond the 1 of groupNames/)
  expect(() => resolveSettings({ material: 'glass' as never })).toThrow(/^material: give a list/)
  expect(() => resolveSettings({ materials: 3 as never })).toThrow(/^materials: give the path/)
})
