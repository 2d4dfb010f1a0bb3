import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { z } from 'zod'
import { readSettings } from '../../src/cli/options.js'
import { bashCompletion } from '../../src/cli/shell/completion.js'
import { describeProgram, optionsTable } from '../../src/cli/shell/describe.js'
import { manPage } from '../../src/cli/shell/man.js'
import { renderImage } from '../../src/index.js'
import { resolveSettings, strip, stripForDataset, type SettingsOf } from '../../run/settings/settings.js'
import { checkDatasetSolver, datasetJsonSchema } from '../../dataset/variant.js'
import type { SOLVER_SETTINGS } from '../../run/settings/declarations.js'
import type { choice, real, Setting } from '../../run/settings/types.js'
import { parsed } from '../helpers/help.js'

// Two more entries in the one list of settings: one that affects results, one that does not.
vi.mock('../../run/settings/declarations.js', async (original) => {
  const { SOLVER_SETTINGS: settings, ...others } = await original<{ SOLVER_SETTINGS: object }>()
  const { choice, real } = await import('../../run/settings/types.js')
  const towerHeightM = {
    type: real(-100, 100).default(0),
    help: 'height of the tower',
    unit: 'm',
    group: 'Accuracy',
    option: 'tower-height',
    value: '<z>',
  }
  const tileOrder = {
    type: choice(['rows', 'hilbert']).default('rows'),
    help: 'order of tiles',
    group: 'Paper variants',
    affectsResults: false,
    dataset: false,
  }
  return { ...others, SOLVER_SETTINGS: { ...settings, towerHeightM, tileOrder } }
})

const helpOf = async (command: string, option: string): Promise<string> =>
  (await parsed([command, option])).text

const record = (given: object): Record<string, unknown> => strip({ ...resolveSettings(given) })

describe('a setting that is added by one entry', () => {
  it('is an option of --help-all, in its group, and not of --help unless it is basic', async () => {
    for (const command of ['render', 'rcs', 'dataset', 'compare']) {
      const all = await helpOf(command, '--help-all')
      expect(all).toMatch(
        /Accuracy:\n(.+\n)*? {2}--tower-height <z> +height of the tower \[m\] \(default:\s+0\)/,
      )
      expect(all).toMatch(/Paper variants:\n(.+\n)*? {2}--tile-order <which> +order of tiles: rows, hilbert/)
      expect(await helpOf(command, '--help')).not.toMatch(/--tower-height|--tile-order/)
    }
  })

  it('is in man page, completion and the table of options', async () => {
    const root = await describeProgram()
    expect(manPage(root)).toContain('height of the tower [m] (default: 0)')
    expect(bashCompletion(root)).toContain("'rcs --tile-order') words='rows hilbert'")
    expect(optionsTable()).toMatch(
      /\| `--tower-height` +\| `towerHeightM` +\| -100 to 100 \[m\] +\| 0 +\| height of the tower +\| yes +\| yes/,
    )
  })

  it('is of the library’s type, and checked by its calls', async () => {
    type Entries = typeof SOLVER_SETTINGS & {
      towerHeightM: Omit<Setting, 'type'> & { type: z.ZodDefault<ReturnType<typeof real>> }
      tileOrder: Omit<Setting, 'type'> & {
        type: z.ZodDefault<ReturnType<typeof choice<['rows', 'hilbert']>>>
      }
    }
    expectTypeOf<SettingsOf<Entries>['towerHeightM']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<SettingsOf<Entries>['tileOrder']>().toEqualTypeOf<'rows' | 'hilbert' | undefined>()
    const call = (given: object): Promise<unknown> =>
      renderImage('nowhere.stl', { band: { f0: 1e9, f1: 2e9 }, ...given })
    await expect(call({ towerHeightM: 'low' })).rejects.toThrow(
      /^towerHeightM: low is not a finite number; give one like 12\.5$/,
    )
    await expect(call({ tileOrder: 'columns' })).rejects.toThrow(
      /^tileOrder: "columns" is unknown; give one of rows, hilbert$/,
    )
    await expect(call({ towerHeightM: -3, tileOrder: 'hilbert' })).rejects.toThrow(
      /nowhere\.stl: no such file/,
    )
  })

  it('is read from the command line', () => {
    expect(resolveSettings(readSettings({ towerHeight: '-1.5', tileOrder: 'hilbert' }))).toMatchObject({
      towerHeightM: -1.5,
      tileOrder: 'hilbert',
    })
  })

  it('is in the JSON Schema of datasets, where they may hold it', () => {
    const { properties } = datasetJsonSchema() as {
      properties: { solver: { properties: Record<string, object> } }
    }
    expect(properties.solver.properties['tower-height']).toMatchObject({
      description: 'height of the tower [m]',
      default: 0,
      anyOf: [{ type: 'number', minimum: -100, maximum: 100 }, { type: 'string' }],
    })
    expect(properties.solver.properties).not.toHaveProperty('tile-order')
    expect(() => checkDatasetSolver({ 'tower-height': 3 })).not.toThrow()
    expect(() => checkDatasetSolver({ 'tower-height': 300 })).toThrow(
      /^solver: tower-height: 300 is out of range; give a number from -100 to 100$/,
    )
    expect(() => checkDatasetSolver({ 'tower-hight': 3 })).toThrow(
      /^solver: "tower-hight" is not an option of the solver \(did you mean tower-height\?\); known are device, /,
    )
    expect(() => checkDatasetSolver({ 'tile-order': 'rows' })).toThrow(/"tile-order" is not an option/)
  })

  it('is part of the key that --resume checks if it affects results, and else is not', () => {
    expect(record({ towerHeightM: 2 })).toMatchObject({ towerHeightM: 2 })
    expect(JSON.stringify(record({ towerHeightM: 2 }))).not.toBe(JSON.stringify(record({})))
    expect(record({ tileOrder: 'hilbert' })).toEqual(record({}))
    expect(stripForDataset(resolveSettings({ tileOrder: 'hilbert' } as object))).toMatchObject({
      towerHeightM: 0,
    })
    expect(stripForDataset(resolveSettings({}))).not.toHaveProperty('tileOrder')
  })
})
