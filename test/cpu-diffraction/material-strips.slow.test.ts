import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STRIPS, stripErrors } from '../../reproduction/strip-cases.js'

/*
 * Strips of a width of 3 wavelengths, infinite along z, against the method of moments (test/validation/materials), with the edges: the
 * figures of docs/materials.md, of a third of the directions. po_errors.csv has what endless edges reach.
 */

const folder = new URL('../validation/materials/', import.meta.url)
const published = readFileSync(new URL('po_errors.csv', folder), 'utf8')
  .split('\n')
  .map((line) => line.split(','))
/** Of untruncated edges, to three decimals. */
const edgeErrorOf = (body: string, pol: string, side: string, cut: string): number =>
  Number(
    published.find(
      (r) => r[0] === body && r[1] === '3' && r[2] === pol && r[3] === side && r[4] === cut,
    )![10],
  )

/** Strips and polarisations whose edges are no worse than 1.2 times those of po_errors.csv. */
const isGated = (name: string, pol: string): boolean =>
  /^(resistive|magram_sheet)/.test(name) || (name.startsWith('coat') && pol === 'TM')

const cases = Object.keys(STRIPS).flatMap((name) =>
  (['mono', 'bistatic'] as const).map((cut) => ({ name, cut })),
)

test.each(cases)(
  '$name, $cut: edges make nothing worse than physical optics alone',
  async ({ name, cut }) => {
    const errors = await stripErrors(folder, name, 3, cut, 3)
    expect(errors.map(({ part }) => part)).toContain(cut === 'mono' ? '10-90' : 'from 60')
    for (const { pol, part, optics, edges } of errors) {
      expect(edges[0]).toBeLessThanOrEqual(1.002 * optics[0])
      // dB rms with floors 30 and 40 dB below the peak; the mean both ways takes half of what is seen from the receiver's direction.
      expect(edges[1]).toBeLessThanOrEqual(optics[1] + 0.1)
      expect(edges[2]).toBeLessThanOrEqual(optics[2] + (cut === 'bistatic' ? 0.5 : 0.1))
      if (!isGated(name, pol) || !['30-90', 'from 60'].includes(part)) continue
      const [side, range] =
        cut === 'bistatic'
          ? ['-', 'bistatic inc 60']
          : [name.startsWith('coat1') ? 'coated' : '-', 'mono 30-90']
      expect(edges[0]).toBeLessThan(1.2 * (edgeErrorOf(name, pol, side, range) + 0.0005))
    }
  },
)
