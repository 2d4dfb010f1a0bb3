import { expect, it } from 'vitest'
import { DEFAULTS } from '../../viewer/solver/defaults.js'
import { resolveSettings } from '../../src/settings.js'

it('the page takes the defaults of the command line', () => {
  const { sbr, ...others } = resolveSettings({})
  expect({ ...others, ...sbr }).toMatchObject(DEFAULTS)
})
