import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { readNpz, writeBinaryStl } from '../../formats/index.js'
import { cube as cubeMesh, join as joinMeshes, moved, sphere } from '../scene/shapes.js'
import { pipe } from '../helpers/pipe.js'
import { isar, readCsv, temporaryFolder, readJson } from './cli.js'
import { words } from '../helpers/words.js'

const plate = resolve('samples/plate.stl')
const cube = resolve('samples/cube.stl')

const HEADER =
  'freq_hz,theta_deg,phi_deg,sigma_vv_dbsm,sigma_hh_dbsm,sigma_vh_dbsm,sigma_hv_dbsm,f_vv_re,f_vv_im,f_hh_re,f_hh_im,f_vh_re,f_vh_im,f_hv_re,f_hv_im'

describe('isar rcs', () => {
  it('writes the table of the contract: columns, order, calibration', async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'x.csv')
    const run =
      await isar`rcs ${plate} --freq 1GHz,2e9 --theta 0:10:10 --phi 0,90 --out ${out} --json --diffraction none`
    expect(run.code).toBe(0)
    expect(readFileSync(out, 'utf8').split('\n')[0]).toBe(HEADER)
    const rows = readCsv(out)
    expect(rows.map((r) => [r.freq_hz, r.theta_deg, r.phi_deg].join())).toEqual(
      ['1000000000', '2000000000'].flatMap((f) =>
        ['0', '10'].flatMap((t) => ['0', '90'].map((p) => `${f},${t},${p}`)),
      ),
    )
    // A plate of area A at normal incidence: 4 pi A^2 / lambda^2.
    for (const [i, f] of [
      [0, 1e9],
      [4, 2e9],
    ]) {
      const sigma = 10 * Math.log10((4 * Math.PI) / (299792458 / f) ** 2)
      expect(Number(rows[i].sigma_vv_dbsm)).toBeCloseTo(sigma, 2)
      expect(Number(rows[i].sigma_hh_dbsm)).toBeCloseTo(sigma, 2)
    }
    // F of the plate is -jkA/2pi at normal incidence.
    expect(Number(rows[0].f_vv_im)).toBeCloseTo(-1e9 / 299792458, 3)
    const summary = JSON.parse(run.stdout) as { rows: number; out: string }
    expect(summary).toMatchObject({ rows: 8, out })
    const meta = readJson<{ mesh: { facets: number } }>(join(folder, 'x.meta.json'))
    expect(meta.mesh.facets).toBe(2)
    const timing = readJson<{ per_angle: unknown[] }>(join(folder, 'x.timing.json'))
    expect(timing.per_angle).toHaveLength(4)
    expect(existsSync(`${out}.partial`)).toBe(false)
  })

  it('keeps the target beside the table, and with --no-mesh not even that of an earlier run', async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'x.npz')
    const args = ['rcs', cube, '--freq', '3e8', '--second-order', 'none', '--out', out]
    expect((await isar(args)).code).toBe(0)
    const { triangles, edges_m } = readNpz(readFileSync(join(folder, 'x.target.npz')))
    expect([triangles.shape, edges_m.shape]).toEqual([
      [12, 3],
      [12, 2, 3],
    ])
    expect((await isar`${args} --no-mesh --force`).code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(['x.meta.json', 'x.npz', 'x.timing.json'])
  })

  it('is bistatic, leaves channels not asked for empty, moves the phase centre', async () => {
    const folder = temporaryFolder()
    const args = words`rcs ${cube} --freq 6e8 --theta 60 --phi 20 --rx-theta 60 --rx-phi 20:40:20`
    const a = join(folder, 'a.csv')
    expect((await isar`${args} --pol vv,vh --out ${a}`).code).toBe(0)
    const rows = readCsv(a)
    expect(Object.keys(rows[0]).slice(0, 5)).toEqual(['freq_hz', 'theta_deg', 'phi_deg', 'rx_theta_deg', 'rx_phi_deg']) // prettier-ignore
    expect(rows.map((r) => r.rx_phi_deg)).toEqual(['20', '40'])
    expect(rows[0].sigma_hh_dbsm + rows[0].f_hv_im).toBe('')
    const b = join(folder, 'b.csv')
    expect((await isar`${args} --phase-centre 0.1,0.2,-0.3 --out ${b}`).code).toBe(0)
    const moved = readCsv(b)
    const deg = Math.PI / 180
    const r = (phi: number): number[] => [Math.sin(60 * deg) * Math.cos(phi), Math.sin(60 * deg) * Math.sin(phi), Math.cos(60 * deg)] // prettier-ignore
    rows.forEach((row, i) => {
      const [t, s] = [r(20 * deg), r((i === 0 ? 20 : 40) * deg)]
      const path = 0.1 * (t[0] + s[0]) + 0.2 * (t[1] + s[1]) - 0.3 * (t[2] + s[2])
      const turn = (-2 * Math.PI * 6e8 * path) / 299792458
      const [re, im] = [Number(row.f_vv_re), Number(row.f_vv_im)]
      expect(Number(moved[i].f_vv_re)).toBeCloseTo(re * Math.cos(turn) - im * Math.sin(turn), 6)
      expect(Number(moved[i].f_vv_im)).toBeCloseTo(re * Math.sin(turn) + im * Math.cos(turn), 6)
    })
  })

  it('splits the total into bounces and edges', async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'm.csv')
    const args = words`rcs ${resolve('samples/dihedral.stl')} --freq 4e8 --theta 70 --phi 0:20:20`
    expect((await isar`${args} --mechanisms --max-bounces 3 --out ${out}`).code).toBe(0)
    for (const row of readCsv(out))
      for (const c of ['vv', 'hh', 'vh', 'hv'])
        for (const part of ['re', 'im']) {
          const parts = ['b1', 'b2', 'b3', 'edge', ...SECOND_ORDER].map((m) => Number(row[`f_${c}_${part}_${m}`])) // prettier-ignore
          const total = Number(row[`f_${c}_${part}`])
          expect(parts.reduce((a, b) => a + b)).toBeCloseTo(total, 8)
          expect(parts[1]).not.toBe(0)
          expect(parts[2]).toBe(0)
        }
    const plain = join(folder, 'p.csv')
    expect((await isar`${args} --max-bounces 3 --out ${plain}`).code).toBe(0)
    const totals = readCsv(out).map((r) => [r.f_vv_re, r.f_hv_im, r.sigma_hh_dbsm])
    expect(totals).toEqual(readCsv(plain).map((r) => [r.f_vv_re, r.f_hv_im, r.sigma_hh_dbsm]))
  })

  it('has a column of each bounce up to the last that contributes anywhere, and at least five', async () => {
    const folder = temporaryFolder()
    const mesh = join(folder, 'pipe.stl')
    writeFileSync(mesh, writeBinaryStl(pipe(0.5, 2.5)))
    const run = async (theta: string) => {
      const out = join(folder, `${theta}.csv`)
      const args = ['rcs', mesh, '--freq', '6e8', '--theta', theta, '--mechanisms', '--diffraction', 'none']
      expect((await isar`${args} --out ${out}`).code).toBe(0)
      const rows = readCsv(out)
      const bounces = Object.keys(rows[0]).flatMap((name) => /^f_vv_re_b(\d+)$/.exec(name)?.[1] ?? [])
      return { rows, bounces: bounces.map(Number) }
    }
    const outside = await run('150')
    expect(outside.bounces).toEqual([1, 2, 3, 4, 5])
    // Rays that enter under 30 degrees cross the pipe 5.8 times on the way in and out, and meet its end.
    const both = await run('150,30')
    expect(both.bounces).toEqual(Array.from({ length: both.bounces.length }, (_, m) => m + 1))
    expect(both.bounces.length).toBeGreaterThan(5)
    const last = `f_vv_re_b${both.bounces.length}`
    expect(Number(both.rows[0][last])).toBe(0)
    expect(Number(both.rows[1][last])).not.toBe(0)
    for (const row of both.rows) {
      const sum = both.bounces.reduce((s, m) => s + Number(row[`f_vv_re_b${m}`]), 0)
      expect(sum).toBeCloseTo(Number(row.f_vv_re), 8)
    }
  })

  it('writes npz, HDF5 and plots', async () => {
    const folder = temporaryFolder()
    const args = ['rcs', plate, '--band', '3e8:6e8:3', '--theta', '0:30:15', '--plot', '--out']
    const { code, stderr } = await isar`${args} ${join(folder, 'a.npz')}`
    expect(code).toBe(0)
    for (const name of ['a.npz', 'a.plot.svg', 'a.plot.png']) expect(stderr).toContain(join(folder, name))
    const arrays = readNpz(readFileSync(join(folder, 'a.npz')))
    expect(arrays.f_vv.shape).toEqual([3, 3])
    expect([...arrays.freq_hz.data]).toEqual([3e8, 4.5e8, 6e8])
    expect([...arrays.theta_deg.data]).toEqual([0, 15, 30])
    expect(readFileSync(join(folder, 'a.plot.svg'), 'utf8')).toMatch(/RCS \[dBsm\]/)
    expect(readFileSync(join(folder, 'a.plot.png')).subarray(1, 4).toString()).toBe('PNG')
    expect((await isar`${args} ${join(folder, 'b.h5')}`).code).toBe(0)
    expect(readFileSync(join(folder, 'b.h5')).subarray(1, 4).toString()).toBe('HDF')
  })

  it('draws a cut whose cross-polar curves are nothing', async () => {
    const folder = temporaryFolder()
    const args = ['rcs', cube, '--freq', '3e8', '--theta', '90', '--phi', '0:90:5', '--plot', '--out']
    expect((await isar`${args} ${join(folder, 'a.csv')}`).code).toBe(0)
    const svg = readFileSync(join(folder, 'a.plot.svg'), 'utf8')
    expect(svg).toMatch(/φ \[deg\]/)
    expect(svg).not.toMatch(/receiver/)
    expect(svg).toMatch(/below the picture: VH = HV/)
  })

  it('keeps finished aspects when interrupted, and resumes to the same bytes', async () => {
    const folder = temporaryFolder()
    const args = ['rcs', cube, '--freq', '3e9', '--theta', '90', '--phi', '0:29:1', '--workers', '1']
    const out = join(folder, 'x.csv')
    const stopped = await isar([...args, '--out', out], { at: { message: /of 30 aspects/ } })
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toMatch(/interrupted; [1-9]\d* of 30 aspects are kept; continue with --resume/)
    expect(existsSync(out)).toBe(false)
    const again = await isar`${args} --out ${out}`
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/--resume.*--force/)
    const other = await isar`${args} --out ${out} --resume --max-bounces 2`
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/other options/)
    const resumed = await isar`${args} --out ${out} --resume`
    expect(resumed.stderr).toMatch(/resuming {2}[1-9]\d* of 30/)
    expect(resumed.code).toBe(0)
    const whole = join(folder, 'y.csv')
    expect((await isar`${args} --out ${whole}`).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'))
    expect(existsSync(`${out}.partial`)).toBe(false)
  })

  it('prints nothing on stderr with --quiet', async () => {
    const { code, stderr } = await isar(['rcs', plate, '--freq', '3e8', '--quiet'], {
      cwd: temporaryFolder(),
    })
    expect([code, stderr]).toEqual([0, ''])
  })

  it('says that no rim or wedge contributes where all are hidden', async () => {
    const folder = temporaryFolder()
    const mesh = join(folder, 'hidden.stl')
    writeFileSync(mesh, writeBinaryStl(joinMeshes(sphere(32, 64), moved(cubeMesh(), [-0.5, -0.5, -0.5]))))
    const args = ['rcs', mesh, '--freq', '300MHz', '--theta', '60', '--device', 'cpu', '--out']
    const { code, stderr } = await isar`${args} ${join(folder, 'x.csv')}`
    expect(code).toBe(0)
    expect(stderr).toMatch(/warning: none of the 12 rims and wedges of the mesh contributes at these aspects/)
    const alone = await isar`rcs ${cube} --freq 300MHz --device cpu --out ${join(folder, 'y.csv')}`
    expect(alone.stderr).not.toContain('rims and wedges')
  })

  it('says that a file rounds a mesh far from its origin', async () => {
    const folder = temporaryFolder()
    const mesh = join(folder, 'far.stl')
    writeFileSync(mesh, writeBinaryStl(moved(cubeMesh(), [500_000, 4_000_000, 100])))
    const { code, stderr } = await isar`rcs ${mesh} --freq 1GHz --device cpu --out ${join(folder, 'x.csv')}`
    expect(code).toBe(0)
    expect(stderr).toMatch(/warning: the file rounds coordinates so far from its origin by up to 0\.2 m/)
  })
})
