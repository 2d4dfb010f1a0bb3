import { expect, test } from 'vitest'
import { coatedCylinder } from './layered-mom.js'

/*
 * The tables of a coated square in test/validation/materials: `npx vitest run test/oracle/layered-mom-table.slow.test.ts -u` writes them.
 */

/** A face of 3.1 wavelengths, its metal .06 below. */
const SQUARE = { sides: 4, inner: 1.49, thickness: 0.06, eps: [4, -0.08], mu: [1, 0] } as const
const PER_WAVELENGTH = 40
const ABOUT = [
  '# source: coatedCylinder of test/oracle/layered-mom.ts. Conducting square with a layer of eps = 4 - 0.08j, 0.06 lambda, on all sides; outer face 3.1 lambda; infinite along z; phi from the normal of a face',
  "# exp(+jwt), eps = eps' - j eps''. lambda = 1. TM: E along z, u = Ez; TE: H along z, u = Hz; u_inc = exp(jk(x cos phi + y sin phi))",
  '# us ~ sqrt(2/(pi k rho)) exp(-j(k rho - pi/4)) P; phase at the centre',
]
const DEGREE = Math.PI / 180

const solve = (from: number[], to: number[][], perWavelength = PER_WAVELENGTH) =>
  coatedCylinder(
    { ...SQUARE, eps: [...SQUARE.eps], mu: [...SQUARE.mu] },
    perWavelength,
    from.map((phi) => phi * DEGREE),
    to.map((list) => list.map((phi) => phi * DEGREE)),
  )

const table = (head: string, rows: [lead: string, ...P: number[]][]): string =>
  [...ABOUT, `${head},P_tm_re,P_tm_im,P_te_re,P_te_im`, ...rows.map((row) => row.map((x) => (typeof x === 'string' ? x : x.toFixed(5))).join())].join('\n') + '\n' // prettier-ignore

test('the tables of a coated square are those of its method of moments', async () => {
  const back = Array.from({ length: 91 }, (_, i) => i / 2)
  const around = Array.from({ length: 181 }, (_, i) => 2 * i)
  const { E, H } = solve([...back, 25], [...back.map((phi) => [phi]), around])
  const file = (cut: string): string => `../validation/materials/square_coat_w3.1lam_${cut}.csv`
  const n = back.length
  await expect(
    table(
      'phi_deg',
      back.map((phi, i) => [phi.toFixed(1), ...E[i][0], ...H[i][0]]),
    ),
  ).toMatchFileSnapshot(file('mono'))
  await expect(
    table(
      'phi_inc_deg,phi_obs_deg',
      around.map((phi, i) => [`25,${phi}`, ...E[n][i], ...H[n][i]]),
    ),
  ).toMatchFileSnapshot(file('bistatic'))
})
