import { expect, test } from 'vitest'
import { InputError, didYouMean } from '../../scene/index.js'
import { words } from '../helpers/words.js'

test('a message is one line that steers no terminal, whatever it quotes', () => {
  expect(new InputError('a\nisar: all is well\r\n\x1b[2Jb\0c\x9bd').message).toBe(
    'a isar: all is well ?[2Jb?c?d',
  )
  const long = new InputError(`begin ${'x'.repeat(1e6)} end`).message
  expect(long.length).toBeLessThan(1000)
  expect(long).toMatch(/^begin x+ \.\.\. x+ end$/)
  const quoted = new InputError(`line 3: "${'x'.repeat(5000)}" is no number; write it like "1e-3"`).message
  expect(quoted).toMatch(/^line 3: "x{100,160}\.\.\." is no number; write it like "1e-3"$/)
  expect(new InputError('θ = 3°, naïve.stl').message).toBe('θ = 3°, naïve.stl')
})

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
