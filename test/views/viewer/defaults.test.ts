import { expect, it } from 'vitest'
import { DEFAULTS } from '../../../views/viewer/solver/messages.js'
import { resolveSettings } from '../../../run/settings/settings.js'

it('the page takes the defaults of the command line', () => {
  const { sbr, ...others } = resolveSettings({})
  expect({ ...others, ...sbr }).toMatchObject(DEFAULTS)
})
