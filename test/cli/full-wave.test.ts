import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'

const folder = temporaryFolder()
/** 0.2 m x 0.1 m: at 1.5 GHz one wavelength by half of one. */
const PLATE = resolve('test/validation/mom/plate_2x1lam.stl')
const CUT = ['--freq', '1.5GHz', '--theta', '0:60:30', '--phi', '0', '--method', 'mom']

describe('--method mom', () => {
  it('solves a plate of one wavelength, and records how', async () => {
    const out = join(folder, 'plate.csv')
    const run = await isar(['rcs', PLATE, ...CUT, '--workers', '1', '--out', out])
    expect(run.stderr).toMatch(/about \d+ unknowns, one factorisation a frequency/)
    expect(run.code).toBe(0)
    const rows = readFileSync(out, 'utf8').trim().split('\n').slice(1)
    expect(rows).toHaveLength(3)
    // Broadside: 4 pi A² / lambda² of a plate this small, within what its edges change.
    const sigma = Number(rows[0].split(',')[3])
    expect(Math.abs(sigma - 10 * Math.log10((4 * Math.PI * 0.02 ** 2) / 0.19986 ** 2))).toBeLessThan(2.5)
    const { full_wave, options } = JSON.parse(readFileSync(join(folder, 'plate.meta.json'), 'utf8')) as {
      full_wave: {
        unknowns: number
        residual: number
        condition: number
        power_error: number
        triangle_quality: { worst: number; median: number }
        longest_edge_wavelengths: number
      }[]
      options: Record<string, unknown>
    }
    expect(options.method).toBe('mom')
    expect(full_wave).toHaveLength(1)
    expect(full_wave[0].unknowns).toBeGreaterThan(50)
    expect(full_wave[0].residual).toBeLessThan(1e-6)
    expect(full_wave[0].power_error).toBeLessThan(0.02)
    const { worst, median } = full_wave[0].triangle_quality
    expect(worst).toBeGreaterThan(0.03)
    expect(worst).toBeLessThan(median)
    expect(median).toBeLessThan(1)
    expect(full_wave[0].longest_edge_wavelengths).toBeGreaterThan(0.1)
    expect(full_wave[0].longest_edge_wavelengths).toBeLessThan(0.2)
  })

  it('gives the same bytes on any number of threads', async () => {
    const solved = ['1', '2'].map(async (workers) => {
      const out = join(folder, `threads-${workers}.csv`)
      expect((await isar(['rcs', PLATE, ...CUT, '--workers', workers, '--out', out])).code).toBe(0)
      return readFileSync(out, 'utf8')
    })
    const tables = await Promise.all(solved)
    expect(tables[0]).toBe(tables[1])
  })

  it.each([
    [['--error-estimate'], /--error-estimate: there are no ray tubes/],
    [['--mechanisms'], /--mechanisms: there is one field, without parts with --method mom/],
    [['--diffraction', 'eec'], /--diffraction eec: the currents at edges are part of the solution/],
    [['--max-bounces', '5'], /--max-bounces: --method mom solves for the currents/],
    [['--second-order', 'none'], /--second-order: --method mom solves for the currents/],
    [['--check'], /--check: energy, residual and condition are checked/],
    [['--material', 'glass'], /the target has facets of "glass"/],
    [['--ground', 'pec', '--ground-height', '-1'], /--method mom knows no ground/],
  ])('refuses %j in one line', async (more, message) => {
    const out = join(folder, 'refused.csv')
    const { code, stderr } = await isar(['rcs', PLATE, ...CUT, ...more, '--out', out])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
    expect(existsSync(out)).toBe(false)
  })

  it('refuses a matrix that does not fit, and says what would', async () => {
    const out = join(folder, 'large.csv')
    const { code, stderr } = await isar(['rcs', resolve('samples/aircraft.stl'), '--freq', '10GHz', '--method', 'mom', '--out', out]) // prettier-ignore
    expect(stderr).toMatch(
      /GiB of memory and .* are free; --method mom has about \d+ unknowns at 10 GHz; about [\d.]+ GHz would fit/,
    )
    expect(code).toBe(2)
  })
})
