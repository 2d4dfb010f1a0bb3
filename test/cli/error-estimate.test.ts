import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type SecondOrder, UNIFORM } from '../../cpu-diffraction/index.js'
import { readMesh, readNpz } from '../../formats/index.js'
import { dihedral, plate } from '../../samples/models/canonical.js'
import { C0, direction, type Mesh } from '../../scene/index.js'
import type { AspectField } from '../../rays/index.js'
import { COARSER, modelErrors, orderOf, samplingErrors } from '../../run/error-estimate.js'
import { MODEL_FACTORS } from '../../run/model-factors.js'
import { readColumns } from '../../src/validate/definition.js'
import { targetOf } from '../../src/validate/meshes.js'
import { solve } from '../../src/validate/solve.js'
import { isar, readCsv, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

const dihedralFile = resolve('samples/dihedral.stl')
const CHANNELS = ['vv', 'hh', 'vh', 'hv']

describe('samplingErrors', () => {
  it('is Fisher’s 95 % point of the changes to the coarser runs', () => {
    // One row and one rerun, off by 2 in VV: n = 1, 1.1 * 2 * sqrt(1 / 0.05 - 1).
    const field = (vv: number): AspectField => Float64Array.of(vv, 0, 0, 0, 0, 0, 0, 0)
    const [alone] = samplingErrors([field(3)], [[field(1)]])
    expect(alone[0]).toBeCloseTo(2.2 * Math.sqrt(19), 10)
    expect([...alone.subarray(1)]).toEqual([0, 0, 0])
    // A neighbour without any change halves the mean square and doubles n.
    const [first] = samplingErrors([field(3), field(5)], [[field(1), field(5)]])
    expect(first[0]).toBeCloseTo(2.2 * Math.sqrt(0.05 ** -0.5 - 1), 10)
  })

  const cases: [string, Mesh, number, number[], number[]][] = [
    ['plate', plate(1), 0.7e9, Array.from({ length: 29 }, (_, i) => 3 * i), [20]],
    ['dihedral', dihedral(1), 0.6e9, [75], Array.from({ length: 25 }, (_, i) => 3 * i - 36)],
  ]
  it.each(cases)('covers what 3.5 times the tubes change: %s', async (name, mesh, f0, theta, phi) => {
    const aspects = theta.flatMap((t) => phi.map((p) => direction(t, p))).map((d) => ({ tx: d, rx: d }))
    const run = async (factor: number): Promise<AspectField[]> => {
      const density = { raysPerWavelength: 10 * factor, secondOrder: [] }
      const band = { f0, df: 0, n: 1 }
      return (await solve(targetOf(mesh, name), aspects, band, { device: 'cpu', workers: 0 }, density)).total
    }
    const [own, fine] = [await run(1), await run(3.5)]
    const coarser: AspectField[][] = []
    for (const factor of COARSER) coarser.push(await run(factor))
    const ratios = samplingErrors(own, coarser).flatMap((bars, a) =>
      [0, 1].map((c) => {
        const i = 2 * c
        return bars[c] / Math.hypot(own[a][i] - fine[a][i], own[a][i + 1] - fine[a][i + 1])
      }),
    )
    ratios.sort((a, b) => a - b)
    expect(ratios.filter((r) => r >= 1).length / ratios.length).toBeGreaterThanOrEqual(0.95)
    // Bars that cover by being wide would be of no use.
    expect(ratios[ratios.length >> 1]).toBeLessThan(12)
  })
})

describe('modelErrors', () => {
  const field = (vv: number): AspectField => Float64Array.of(vv, 0, 0, 0, 0, 0, 0, 0)

  it('are the root of the mean square of the change of order near by and of the wavelength’s, with the factors', () => {
    const [change, wavelength] = MODEL_FACTORS.first
    const lambda = C0 / 1e9
    const [first, second] = modelErrors('first', [field(9), field(9)], [field(3), field(1)], [1e9])
    expect(first[0]).toBeCloseTo(Math.sqrt((change * (9 + 1)) / 2 + wavelength * lambda ** 2), 12)
    expect(second[0]).toBe(first[0])
    expect(first[1]).toBeCloseTo(Math.sqrt(wavelength) * lambda, 12)
    // No edges on the target: the wavelength's term alone. None asked for: the field's own size.
    expect(modelErrors('first', [field(9)], null, [1e9])[0][0]).toBeCloseTo(
      Math.sqrt(wavelength) * lambda,
      12,
    )
    const [ofField, rest] = MODEL_FACTORS.none
    const bar = Math.sqrt(81 * ofField + rest * lambda ** 2)
    expect(modelErrors('none', [field(9)], null, [1e9])[0][0]).toBeCloseTo(bar, 12)
  })

  it('go by the order of the run, and some mechanisms of second order are not all', () => {
    expect(orderOf('none', [])).toBe('none')
    expect(orderOf('tw-ildc', [])).toBe('first')
    expect(orderOf('tw-ildc', ['wall'])).toBe('first')
    expect(orderOf('tw-ildc', ['reflected', 'wall', 'double'])).toBe('second')
    expect(orderOf('tw-ildc', ['reflected', 'wall', 'double', 'corner'])).toBe('second')
  })

  // Targets that the factors were not fitted on.
  it.each([
    ['cube1m_3ghz', 'th90_phi0-90'],
    ['plate_2x1lam', 'phi45_th0-85'],
  ])('cover the method of moments, where the sampling error does not: %s', async (target, cut) => {
    const folder = 'test/validation/mom'
    const table = readColumns(join(folder, `${target}__${cut}.csv`))
    const pick = (name: string): number[] => [...table.column(name)].filter((_, i) => i % 3 === 0)
    const [theta, phi, re, im] = ['theta_deg', 'phi_deg', 're_f_hh', 'im_f_hh'].map(pick)
    const aspects = theta.map((t, i) => direction(t, phi[i])).map((d) => ({ tx: d, rx: d }))
    const loaded = targetOf(await readMesh(join(folder, `${target}.stl`)), target)
    const freqHz = table.column('freq_hz')[0]
    const run = async (factor: number, secondOrder: SecondOrder[]): Promise<AspectField[]> => {
      const settings = { raysPerWavelength: 10 * factor, secondOrder }
      const band = { f0: freqHz, df: 0, n: 1 }
      return (await solve(loaded, aspects, band, { device: 'cpu', workers: 0 }, settings)).total
    }
    const own = await run(1, [])
    const coarser = [await run(COARSER[0], []), await run(COARSER[1], [])]
    const other = await run(1, [...UNIFORM])
    const change = own.map((field, a) => field.map((x, i) => x - other[a][i]))
    const error = own.map((field, a) => Math.hypot(field[2] - re[a], field[3] - im[a]))
    const covered = (bars: Float64Array[]): number =>
      error.filter((e, a) => e <= bars[a][1]).length / error.length
    expect(covered(modelErrors('first', own, change, [freqHz]))).toBeGreaterThanOrEqual(0.8)
    expect(covered(samplingErrors(own, coarser))).toBeLessThan(0.5)
  })
})

describe('isar rcs --error-estimate', () => {
  const args = words`rcs ${dihedralFile} --freq 3e8,4e8 --theta 70 --phi 0:20:10 --pol vv,hh`

  it('adds columns behind the others, which stay as they were', async () => {
    const folder = temporaryFolder()
    const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
    const first = [...args, '--second-order', 'none']
    expect((await isar`${first} --out ${a}`).code).toBe(0)
    expect((await isar`${first} --error-estimate --plot --out ${b}`).code).toBe(0)
    const plain = readFileSync(a, 'utf8').trim().split('\n')
    const lines = readFileSync(b, 'utf8').trim().split('\n')
    lines.forEach((line, i) => expect(line.startsWith(plain[i] + ',')).toBe(true))
    expect(lines[0].slice(plain[0].length + 1)).toBe(
      CHANNELS.map(
        (c) => `f_${c}_sampling_error,f_${c}_model_error,sigma_${c}_low_dbsm,sigma_${c}_high_dbsm`,
      ).join(),
    )
    for (const row of readCsv(b)) {
      for (const c of ['vv', 'hh']) {
        const [sampling, model] = ['sampling', 'model'].map((kind) => Number(row[`f_${c}_${kind}_error`]))
        const [bar, f] = [
          Math.hypot(sampling, model),
          Math.hypot(Number(row[`f_${c}_re`]), Number(row[`f_${c}_im`])),
        ]
        expect(sampling).toBeGreaterThan(0)
        expect(sampling).toBeLessThan(f)
        // A body of a wavelength: the model is what is wrong.
        expect(model).toBeGreaterThan(5 * sampling)
        // In amplitude, of which the columns of errors have four digits: near zero decibels have fewer.
        const amplitude = (end: string): number =>
          Math.sqrt(10 ** (Number(row[`sigma_${c}_${end}_dbsm`]) / 10) / (4 * Math.PI))
        expect(Math.abs(amplitude('low') - Math.max(0, f - bar))).toBeLessThan(1e-4 * (f + bar))
        expect(Math.abs(amplitude('high') - (f + bar))).toBeLessThan(1e-4 * (f + bar))
      }
      expect(row.f_vh_sampling_error + row.f_vh_model_error + row.sigma_hv_low_dbsm).toBe('')
    }
    expect(readFileSync(join(folder, 'b.plot.svg'), 'utf8')).toMatch(/bands: error/)
    const npz = join(folder, 'c.npz')
    const run = await isar`${first} --error-estimate --mechanisms --json --out ${npz}`
    expect(run.code).toBe(0)
    const arrays = readNpz(readFileSync(npz))
    for (const name of ['f_vv_sampling_error', 'f_vv_model_error']) {
      expect(arrays[name].shape).toEqual([2, 3])
      expect(arrays[name].data[4]).toBeCloseTo(Number(readCsv(b)[4][name]), 5)
    }
    expect(Object.keys(arrays).some((name) => /coarser|order/.test(name))).toBe(false)
    expect(arrays.f_vv_b2).toBeDefined()
    // Levels and the ends of bars are in every format.
    const rows = readCsv(b)
    for (const column of ['sigma_vv_dbsm', 'sigma_hh_low_dbsm', 'sigma_vv_high_dbsm'])
      rows.forEach((row, i) => expect(arrays[column].data[i]).toBeCloseTo(Number(row[column]), 4))
    expect(arrays.sigma_vv_dbsm_b2.shape).toEqual([2, 3])
    // A line and the summary say what the bars amount to.
    const bars = rows.map((row) => Math.hypot(Number(row.f_vv_sampling_error), Number(row.f_vv_model_error)))
    const sizes = rows.map((row) => Math.hypot(Number(row.f_vv_re), Number(row.f_vv_im)))
    const { errors } = JSON.parse(run.stdout) as { errors: Record<string, Record<string, number>> }
    expect(errors.vv.median_m).toBeCloseTo(bars.toSorted((x, y) => x - y)[3], 4)
    expect(errors.vv.reaches_zero).toBe(bars.filter((bar, i) => bar >= sizes[i]).length / 6)
    expect(run.stderr).toMatch(/^errors {4}vv: median ±\S+ m in F \(up to \S+ dB more\), \S+ % reach zero$/m)
    for (const table of [b, npz]) {
      const plot = await isar`plot ${table} --kind cut --freq 3e8 --json --out ${table}-plot`
      const summary = JSON.parse(plot.stdout) as { errors: Record<string, number>[] }
      expect(summary.errors[0].median_m).toBeCloseTo(errors.vv.median_m, 4)
      expect(readFileSync(join(`${table}-plot`, 'cut-vv.svg'), 'utf8')).toContain('error bars, median ±')
    }
  })

  it('keeps the reruns of finished aspects when interrupted, and resumes to the same bytes', async () => {
    const folder = temporaryFolder()
    const slow = words`rcs ${dihedralFile} --freq 7e8 --theta 70 --phi 0:9:1 --workers 1 --error-estimate`
    const [out, whole] = [join(folder, 'x.csv'), join(folder, 'y.csv')]
    const stopped = await isar([...slow, '--out', out], { at: { message: /of 10 aspects/ } })
    expect(stopped.code).toBe(130)
    const other = await isar`${slow.slice(0, -1)} --out ${out} --resume`
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/other options/)
    expect((await isar`${slow} --out ${out} --resume`).code).toBe(0)
    expect((await isar`${slow} --out ${whole}`).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'))
  })
})
