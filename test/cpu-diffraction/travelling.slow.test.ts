import { describe, expect, it } from 'vitest'
import { readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import { runCut } from '../../src/validate/kinds/cut.js'

const folders = packageFolders()
const all = readDefinitions(folders.validation)

describe('travelling waves against the method of moments', () => {
  // Rms dB of VV with both curves clipped 30 dB below the maximum, and the complex error; then without the waves.
  it.each([
    ['ogive-3lam', 2.5, 0.36, 10, 0.55],
    ['ogive-6lam', 2.5, 0.25, 10, 0.35],
    ['ogive-12lam', 2.5, 0.16, 6, 0.2],
    ['cone-sphere-10lam', 2.3, 0.3, 2.5, 0.35],
    // One wavelength long, and not among the bodies that constants were fitted to; its table has no phase.
    ['ogive-1ghz', 5, undefined, 12, undefined],
  ])('%s: VV within %f dB', async (name, db, complex, dbWithout, complexWithout) => {
    const d = all.find((one) => one.name === name)
    if (d?.kind !== 'cut') throw new Error('not a cut')
    const errors = async (travelling: boolean) => {
      const solver = { ...d.solver, secondOrder: travelling ? (['travelling'] as const).slice() : [] }
      const { rows } = await runCut({ ...d, solver }, folders, { device: 'cpu', workers: 0 })
      return rows.findLast((row) => row.what === 'VV')!.errors
    }
    const [after, before] = [await errors(true), await errors(false)]
    expect(after.rmsDb).toBeLessThan(db)
    expect(before.rmsDb).toBeGreaterThan(dbWithout)
    if (complex === undefined) return
    expect(after.complex).toBeLessThan(complex)
    expect(before.complex).toBeGreaterThan(complexWithout!)
  })
})
