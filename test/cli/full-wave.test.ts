import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const folder = temporaryFolder()
/** 0.2 m x 0.1 m: at 1.5 GHz one wavelength by half of one. */
const PLATE = resolve('test/validation/mom/plate_2x1lam.stl')
const CUT = ['--freq', '1.5GHz', '--theta', '0:60:30', '--phi', '0', '--method', 'mom']

describe('--method mom', () => {
  it('solves a plate of one wavelength, and records how', async () => {
    const out = join(folder, 'plate.csv')
    const run = await isar`rcs ${PLATE} ${CUT} --workers 1 --out ${out}`
    expect(run.stderr).toMatch(/about \d+ unknowns, one factorisation a frequency/)
    expect(run.code).toBe(0)
    const rows = readFileSync(out, 'utf8').trim().split('\n').slice(1)
    expect(rows).toHaveLength(3)
    // Broadside: 4 pi A² / lambda² of a plate this small, within what its edges change.
    const sigma = Number(rows[0].split(',')[3])
    expect(Math.abs(sigma - 10 * Math.log10((4 * Math.PI * 0.02 ** 2) / 0.19986 ** 2))).toBeLessThan(2.5)
    const { full_wave, options } = readJson<{
      full_wave: {
        unknowns: number
        residual: number
        condition: number
        power_error: number
        triangle_quality: { worst: number; median: number }
        longest_edge_wavelengths: number
      }[]
      options: Record<string, unknown>
    }>(join(folder, 'plate.meta.json'))
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
      expect((await isar`rcs ${PLATE} ${CUT} --workers ${workers} --out ${out}`).code).toBe(0)
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
  ])('refuses %j in one line', (more, message) =>
    expectRefusal(['rcs', PLATE, ...CUT, ...more, '--out', join(folder, 'refused.csv')], message, folder),
  )

  it('renders an image, every frequency with its record', async () => {
    const out = join(folder, 'render')
    const run =
      await isar`render ${PLATE} --band 1.4e9:1.6e9:3 --angles 3 --aperture 6 --theta 45 --method mom --workers 1 --out ${out}`
    expect(run.code, run.stderr).toBe(0)
    const { full_wave } = readJson<{
      full_wave: { freq_hz: number }[]
    }>(join(out, 'meta.json'))
    expect(full_wave.map(({ freq_hz }) => freq_hz)).toEqual([1.4e9, 1.5e9, 1.6e9])
    expect(existsSync(join(out, 'image-vv.png'))).toBe(true)
  })

  /** A dataset of the plate. */
  const dataset = (name: string, change: object): string => {
    const config = join(folder, `${name}.json`)
    writeFileSync(
      config,
      JSON.stringify({
        name,
        targets: [{ label: 'plate', mesh: relative(folder, PLATE) }],
        aspects: { azimuth: { from: 0, to: 30, step: 30 }, elevation: [10] },
        radar: { centreHz: '1.5 GHz', resolutionM: 1 },
        image: { size: [8, 8] },
        channels: ['vv'],
        solver: { method: 'mom', workers: 1 },
        ...change,
      }),
    )
    return config
  }

  it('makes a dataset, whose plan counts the factors that its aspects share', async () => {
    const run = await isar(['dataset', dataset('plates', {}), '--out', join(folder, 'plates')])
    expect(run.code, run.stderr).toBe(0)
    expect(run.stderr).toMatch(/estimate {2}about [\d.]+ s, /)
    expect((await isar`dataset verify ${join(folder, 'plates')}`).code).toBe(0)
  })

  it.each(['layers', 'centres', 'convergence'])('refuses a dataset with the label %s', async (label) => {
    const says = new RegExp(`^isar: labels: with --method mom .*; leave "${label}" out\\n$`)
    await expectRefusal(['dataset', dataset(label, { labels: [label] }), '--out', join(folder, label)], says, folder) // prettier-ignore
  })

  it.each([
    [['--method', 'mom'], { 'rays-per-wavelength': 6 }, /^isar: solver: "rays-per-wavelength": --method mom solves for the currents/], // prettier-ignore
    [['--max-bounces', '3'], { method: 'mom' }, /^isar: --max-bounces: --method mom solves for the currents/],
  ])('refuses a dataset with %j beside %j', async (args, solver, message) => {
    await expectRefusal(['dataset', dataset('beside', { solver }), ...args, '--out', join(folder, 'beside')], message, folder) // prettier-ignore
  })

  it('refuses a comparison of schedules', async () => {
    await expectRefusal(
      words`compare ${PLATE} --band 1.4e9:1.6e9:5 --method mom`,
      /argument 'mom' is invalid\. Allowed choices are sbr, gpueco\./,
      folder,
    )
  })

  it('fails where a solution cannot be trusted, in one line that offers nothing to continue', async () => {
    // A cube of a hundred-thousandth of a wavelength: its power is below what its matrix resolves.
    const out = join(folder, 'tiny.csv')
    const { code, stderr } =
      await isar`rcs ${resolve('samples/cube.stl')} --freq 10kHz --method mom --quiet --workers 1 --out ${out}`
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^isar: full wave: scattered power differs from the power taken from the incident wave by [\d.]+ %, more than 5 %: the target is too few wavelengths across/,
    )
    expect(code).toBe(1)
    expect(existsSync(out)).toBe(false)
  })

  it('refuses a matrix that does not fit, and says what would', async () => {
    const out = join(folder, 'large.csv')
    const { code, stderr } =
      await isar`rcs ${resolve('samples/aircraft.stl')} --freq 10GHz --method mom --out ${out}`
    expect(stderr).toMatch(
      /GiB of memory and .* are free; --method mom has about \d+ unknowns at 10 GHz; about [\d.]+ GHz would fit/,
    )
    expect(code).toBe(2)
  })
})
