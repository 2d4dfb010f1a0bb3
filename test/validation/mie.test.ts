import { expect, it } from 'vitest'
import { decibels } from '../../src/validate/errors.js'
import { readColumns } from '../../src/validate/definition.js'
import { miePec } from '../../src/validate/kinds/sphere.js'

it('the Mie series is that of the reference tables, ka = 1 to 200, at every bistatic angle', () => {
  const table = readColumns('test/validation/analytic/a_mie_pec_bistatic.csv')
  const [ka, angle, e, h] = [
    'ka',
    'theta_from_forward_deg',
    'sigma_over_pi_a2_Eplane_db',
    'sigma_over_pi_a2_Hplane_db',
  ].map(table.column)
  expect(new Set(ka)).toEqual(new Set([1, 2, 5, 10, 20, 100, 200]))
  let worst = 0
  for (let i = 0; i < table.rows; i++) {
    const mie = miePec(ka[i], angle[i])
    worst = Math.max(worst, Math.abs(decibels(mie.e) - e[i]), Math.abs(decibels(mie.h) - h[i]))
  }
  // The tables have six decimals; nulls are deepest where the series cancel most.
  expect(worst).toBeLessThan(1e-5)
})
