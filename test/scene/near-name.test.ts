import { expect, test } from 'vitest'
import { didYouMean } from '../../scene/index.js'
import { words } from '../helpers/words.js'

const OPTIONS = words`--freq --frequency-sum --theta --phi --pol --max-bounces --rays-per-wavelength --phase-centre --out --force --workers`

test.each([
  ['--frequency', '--freq'],
  ['--frequencies', '--freq'],
  ['--azimuth', '--phi'],
  ['--polarization', '--pol'],
  ['--polarisation', '--pol'],
  ['--bounces', '--max-bounces'],
  ['--max-reflections', null],
  ['--reflections', '--max-bounces'],
  ['--rays', '--rays-per-wavelength'],
  ['--raysPerWavelength', '--rays-per-wavelength'],
  ['--phase-center', '--phase-centre'],
  ['--thtea', '--theta'],
  ['--elevation', '--theta: 90 minus the elevation'],
  ['--paint', null],
  ['--x', null],
  ['--constructor', null],
])('%s stands for %s', (word, meant) => {
  expect(didYouMean(word, OPTIONS)).toBe(meant ? ` (did you mean ${meant}?)` : '')
})
