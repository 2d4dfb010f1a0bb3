import { expect, it } from 'vitest'
import { largestEnergy } from './stacks.js'

it('a million passive stacks send back and through no more than comes in', () => {
  expect(largestEnergy(1_000_000, 7)).toBeLessThanOrEqual(1 + 1e-12)
})
