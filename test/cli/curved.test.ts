import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBinaryStl } from '../../formats/index.js'
import { circle, stack } from '../../samples/models/surface.js'
import { isar, readCsv, readJson, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

/** Cylinder of 24 sides: radius 0.5 m, length 1 m. */
function prism(folder: string): string {
  const path = join(folder, 'prism.stl')
  const [low, high] = [-0.5, 0.5].map((z) => circle([0, 0, z], 0.5, 2, 24))
  writeFileSync(path, writeBinaryStl(stack([low, high])))
  return path
}

interface Meta {
  mesh: { facets: number }
  options: { curvedDeg?: number }
}

describe('--curved', () => {
  it('brings a prism’s flash to the cylinder’s', async () => {
    const folder = temporaryFolder()
    const mesh = prism(folder)
    const args = words`rcs ${mesh} --freq 3e9 --theta 90 --phi 3 --diffraction none --pol vv`
    const sigma = (name: string): number => Number(readCsv(join(folder, name))[0].sigma_vv_dbsm)
    const meta = (name: string): Meta => readJson<Meta>(join(folder, name))
    expect((await isar`${args} --out ${join(folder, 'plane.csv')}`).code).toBe(0)
    const run = await isar`${args} --curved --out ${join(folder, 'bent.csv')}`
    expect(run.code).toBe(0)
    expect(run.stderr).toMatch(
      /curved {4}96 facets refined into \d+ on curved patches, to 0\.66 mm \(about 1\/128 of a wavelength\)/,
    )
    const flash = 10 * Math.log10((2 * Math.PI * 0.5 * 3e9) / 299792458)
    expect(Math.abs(sigma('bent.csv') - flash)).toBeLessThan(0.1)
    expect(Math.abs(sigma('plane.csv') - flash)).toBeGreaterThan(0.3)
    expect(meta('bent.meta.json').options.curvedDeg).toBe(20)
    expect(meta('bent.meta.json').mesh.facets).toBeGreaterThan(meta('plane.meta.json').mesh.facets)
    expect(meta('plane.meta.json').options.curvedDeg).toBeUndefined()
  })

  it('works for images and refuses angles that are none', async () => {
    const folder = temporaryFolder()
    const mesh = prism(folder)
    const sweep = ['--band', '8e8:1e9:3', '--angles', '2', '--aperture', '2', '--diffraction', 'none']
    const run = await isar`render ${mesh} ${sweep} --curved 10 --out ${join(folder, 'r')}`
    expect(run.code).toBe(0)
    // Its sides bend by 15 degrees: with 10 they are creases.
    expect(run.stderr).toMatch(/96 facets refined into 96/)
    await expectRefusal(['rcs', mesh, '--freq', '1e9', '--curved', '100'], /--curved/, folder)
  })
})
