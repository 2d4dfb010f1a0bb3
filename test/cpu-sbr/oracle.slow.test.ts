import { expect, test } from 'vitest'
import { bandCases, sbrCases, type SbrCase } from '../oracle/cases.js'
import { sbrReference } from '../oracle/sbr.js'
import type { AspectResult, SbrOptions } from '../../rays/index.js'
import { norm, sbrJob, solve, testScene } from '../helpers/sbr.js'

const engineOn = (of: SbrCase, sums: Partial<SbrOptions>): Promise<AspectResult> =>
  solve(
    testScene(of.target, of.options.smoothAngleDeg),
    sbrJob(of.aspect, of.band, { ...of.options, ...sums }),
  )

/**
 * Parts of a mirror. The engine rounds the sum of each tile to 2^-50 of 160 times the area (`fieldBound`), which is 1e-13; the rest
 * is rounding of path lengths, 1000 m of them for the target far from the origin.
 */
const ROUNDING = 1e-12

test.each(sbrCases)('%s: the CPU engine gives what the plain reference gives', async (_, make) => {
  const of = make()
  const reference = sbrReference(of.target, of.aspect, of.band, of.options)
  expect(reference.leaves).toBeGreaterThan(300)
  const { field, statistics } = await engineOn(of, { frequencySum: 'direct' })
  expect(statistics.leaves).toBe(reference.leaves)
  expect(statistics.contributions).toBe(reference.contributions)
  expect(norm(field.map((x, i) => x - reference.field[i]))).toBeLessThan(ROUNDING * of.mirror)
})

test.each(bandCases)('%s: sums by FFT keep their tolerance on the CPU engine', async (_, make) => {
  const of = make()
  const reference = sbrReference(of.target, of.aspect, of.band, of.options).field
  const peak = Math.max(...reference.map(Math.abs))
  for (const sumTolerance of [1e-3, 1e-5, 1e-8]) {
    const { field } = await engineOn(of, { frequencySum: 'fast', sumTolerance })
    const error = Math.max(...field.map((x, i) => Math.abs(x - reference[i]))) / peak
    expect(error).toBeLessThan(sumTolerance)
    // Far above rounding: it is the FFT's error.
    expect(error).toBeGreaterThan(1e-11)
  }
})
