import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { dihedral, plate } from '../../samples/models/canonical.js'
import { direction, type AspectField, type Mesh } from '../../scene/index.js'
import { COARSER, errorBars } from '../../src/error-estimate.js'
import { targetOf } from '../../src/validate/meshes.js'
import { solve } from '../../src/validate/solve.js'
import { isar, temporaryFolder } from './cli.js'

const dihedralFile = resolve('samples/dihedral.stl')
const CHANNELS = ['vv', 'hh', 'vh', 'hv']

function readCsv(path: string): Record<string, string>[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => Object.fromEntries(line.split(',').map((x, i) => [head.split(',')[i], x])))
}

describe('errorBars', () => {
  it('is Fisher’s 95 % point of the changes to the coarser runs', () => {
    // One row and one rerun, off by 2 in VV: n = 1, 1.1 * 2 * sqrt(1 / 0.05 - 1).
    const field = (vv: number): AspectField => Float64Array.of(vv, 0, 0, 0, 0, 0, 0, 0)
    const [alone] = errorBars([field(3)], [[field(1)]])
    expect(alone[0]).toBeCloseTo(2.2 * Math.sqrt(19), 10)
    expect([...alone.subarray(1)]).toEqual([0, 0, 0])
    // A neighbour without any change halves the mean square and doubles n.
    const [first] = errorBars([field(3), field(5)], [[field(1), field(5)]])
    expect(first[0]).toBeCloseTo(2.2 * Math.sqrt(0.05 ** -0.5 - 1), 10)
  })

  const cases: [string, Mesh, number, number[], number[]][] = [
    ['plate', plate(1), 0.7e9, Array.from({ length: 29 }, (_, i) => 3 * i), [20]],
    ['dihedral', dihedral(1), 0.6e9, [75], Array.from({ length: 25 }, (_, i) => 3 * i - 36)],
  ]
  it.each(cases)('covers what 3.5 times the tubes change: %s', async (name, mesh, f0, theta, phi) => {
    const aspects = theta.flatMap((t) => phi.map((p) => direction(t, p))).map((d) => ({ tx: d, rx: d }))
    const run = async (factor: number): Promise<AspectField[]> => {
      const density = { raysPerWavelength: 10 * factor, segmentsPerWavelength: 3 * factor }
      const band = { f0, df: 0, n: 1 }
      return (await solve(targetOf(mesh, name), aspects, band, { device: 'cpu', workers: 0 }, density)).total
    }
    const [own, fine] = [await run(1), await run(3.5)]
    const coarser: AspectField[][] = []
    for (const factor of COARSER) coarser.push(await run(factor))
    const ratios = errorBars(own, coarser).flatMap((bars, a) =>
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

describe('isar rcs --error-estimate', () => {
  const args = [
    'rcs',
    dihedralFile,
    '--freq',
    '3e8,4e8',
    '--theta',
    '70',
    '--phi',
    '0:20:10',
    '--pol',
    'vv,hh',
  ]

  it('adds columns behind the others, which stay as they were', async () => {
    const folder = temporaryFolder()
    const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
    expect((await isar([...args, '--out', a])).code).toBe(0)
    expect((await isar([...args, '--error-estimate', '--plot', '--out', b])).code).toBe(0)
    const plain = readFileSync(a, 'utf8').trim().split('\n')
    const lines = readFileSync(b, 'utf8').trim().split('\n')
    lines.forEach((line, i) => expect(line.startsWith(plain[i] + ',')).toBe(true))
    expect(lines[0].slice(plain[0].length + 1)).toBe(
      CHANNELS.map((c) => `f_${c}_error,sigma_${c}_low_dbsm,sigma_${c}_high_dbsm`).join(),
    )
    for (const row of readCsv(b)) {
      for (const c of ['vv', 'hh']) {
        const [bar, f] = [
          Number(row[`f_${c}_error`]),
          Math.hypot(Number(row[`f_${c}_re`]), Number(row[`f_${c}_im`])),
        ]
        expect(bar).toBeGreaterThan(0)
        expect(bar).toBeLessThan(f)
        const dbsm = (x: number): number => 10 * Math.log10(4 * Math.PI * x * x)
        expect(Number(row[`sigma_${c}_low_dbsm`])).toBeCloseTo(dbsm(f - bar), 2)
        expect(Number(row[`sigma_${c}_high_dbsm`])).toBeCloseTo(dbsm(f + bar), 2)
      }
      expect(row.f_vh_error + row.sigma_hv_low_dbsm).toBe('')
    }
    expect(readFileSync(join(folder, 'b.plot.svg'), 'utf8')).toMatch(/bands: error/)
    const npz = join(folder, 'c.npz')
    expect((await isar([...args, '--error-estimate', '--mechanisms', '--out', npz])).code).toBe(0)
    const arrays = readNpz(readFileSync(npz))
    expect(arrays.f_vv_error.shape).toEqual([2, 3])
    expect(arrays.f_vv_error.data[4]).toBeCloseTo(Number(readCsv(b)[4].f_vv_error), 6)
    expect(Object.keys(arrays).some((name) => name.includes('coarser'))).toBe(false)
    expect(arrays.f_vv_b2).toBeDefined()
  })

  it('keeps the reruns of finished aspects when interrupted, and resumes to the same bytes', async () => {
    const folder = temporaryFolder()
    const slow = ['rcs', dihedralFile, '--freq', '7e8', '--theta', '70', '--phi', '0:29:1', '--workers', '1', '--error-estimate'] // prettier-ignore
    const [out, whole] = [join(folder, 'x.csv'), join(folder, 'y.csv')]
    let signalled = false
    const stopped = await isar([...slow, '--out', out], {
      onStderr: (text, kill) => {
        if (!signalled && /of 30 aspects/.test(text)) kill('SIGINT')
        signalled ||= /of 30 aspects/.test(text)
      },
    })
    expect(stopped.code).toBe(130)
    const other = await isar([...slow.slice(0, -1), '--out', out, '--resume'])
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/other options/)
    expect((await isar([...slow, '--out', out, '--resume'])).code).toBe(0)
    expect((await isar([...slow, '--out', whole])).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'))
  })
})
