import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { historyData } from '../../views/server/result-file.js'
import { openResult } from '../../views/server/open-result.js'
import { cube as cubeMesh, join as joinMeshes, moved, sphere } from '../scene/shapes.js'
import { isar, rcs, readJson, temporaryFolder } from './cli.js'
import { write, writeMesh } from './fixtures.js'
import { words } from '../helpers/words.js'

const plate = 'samples/plate.stl'
const cube = 'samples/cube.stl'
const deg = Math.PI / 180

const HEADER =
  'freq_hz,theta_deg,phi_deg,sigma_vv_dbsm,sigma_hh_dbsm,sigma_vh_dbsm,sigma_hv_dbsm,f_vv_re,f_vv_im,f_hh_re,f_hh_im,f_vh_re,f_vh_im,f_hv_re,f_hv_im'

describe('isar rcs', () => {
  it('writes the table of the contract: columns, order, calibration', async () => {
    const run = await rcs<{
      mesh: { facets: number }
    }>`${plate} --freq 1GHz,2e9 --theta 0:10:10 --phi 0,90 --json --diffraction none`
    const { rows, text, out, meta } = run
    expect(text.split('\n')[0]).toBe(HEADER)
    expect(rows.map((r) => [r.freq_hz, r.theta_deg, r.phi_deg].join())).toEqual(
      ['1000000000', '2000000000'].flatMap((f) =>
        ['0', '10'].flatMap((t) => ['0', '90'].map((p) => `${f},${t},${p}`)),
      ),
    )
    // A plate of area A at normal incidence: 4 pi A^2 / lambda^2.
    for (const [i, f] of [[0, 1e9], [4, 2e9]]) {
      const sigma = 10 * Math.log10((4 * Math.PI) / (299792458 / f) ** 2)
      expect(Number(rows[i].sigma_vv_dbsm)).toBeCloseTo(sigma, 2)
      expect(Number(rows[i].sigma_hh_dbsm)).toBeCloseTo(sigma, 2)
    } // prettier-ignore
    // F of the plate is -jkA/2pi at normal incidence.
    expect(Number(rows[0].f_vv_im)).toBeCloseTo(-1e9 / 299792458, 3)
    expect(JSON.parse(run.stdout)).toMatchObject({ rows: 8, out })
    expect(meta.mesh.facets).toBe(2)
    expect(readJson<{ per_angle: unknown[] }>(out.replace('.csv', '.timing.json')).per_angle).toHaveLength(4)
    expect(existsSync(`${out}.partial`)).toBe(false)
  })

  it('keeps the target beside the table, and with --no-mesh not even that of an earlier run', async () => {
    const folder = temporaryFolder()
    const args = words`rcs ${cube} --freq 3e8 --second-order none --out ${folder}/x.npz`
    expect((await isar(args)).code).toBe(0)
    const { triangles, edges_m } = readNpz(readFileSync(join(folder, 'x.target.npz')))
    expect([triangles.shape, edges_m.shape]).toEqual([[12, 3], [12, 2, 3]]) // prettier-ignore
    expect((await isar`${args} --no-mesh --force`).code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(['x.meta.json', 'x.npz', 'x.timing.json'])
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
    const { out } = await rcs`${cube} --freq 3e8 --theta 90 --phi 0:90:5 --plot`
    const svg = readFileSync(out.replace('.csv', '.plot.svg'), 'utf8')
    expect(svg).toMatch(/φ \[deg\]/)
    expect(svg).not.toMatch(/receiver/)
    expect(svg).toMatch(/below the picture: VH = HV/)
  })

  it('keeps finished aspects when interrupted, and resumes to the same bytes', async () => {
    const folder = temporaryFolder()
    const args = words`rcs ${cube} --freq 1e9 --theta 90 --phi 0:29:1 --second-order none --workers 1`
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
    expect(readFileSync(out, 'utf8')).toBe((await rcs`${args.slice(1)}`).text)
    expect(existsSync(`${out}.partial`)).toBe(false)
  })

  it('prints nothing on stderr with --quiet', async () => {
    expect((await rcs`${plate} --freq 3e8 --quiet`).stderr).toBe('')
  })

  it('takes as many workers as there are cores, and says so', async () => {
    const { stderr } = await rcs`${plate} --freq 1e9 --device cpu --workers 1000`
    const cores = availableParallelism()
    expect(stderr).toContain(`1000 workers are more than this machine's cores: ${cores} are used`)
  })

  it('shows names without what steers a terminal', async () => {
    const name = write(temporaryFolder(), 'red\u001b[31m\u202e.stl', readFileSync(plate))
    const { stderr } = await rcs`${name} --freq 1e9 --device cpu`
    expect(stderr).toContain('red\\u001b[31m\\u202e')
    expect(stderr).not.toContain('\u001b')
  })

  it('says that no rim or wedge contributes where all are hidden', async () => {
    const hidden = joinMeshes(sphere(32, 64), moved(cubeMesh(), [-0.5, -0.5, -0.5]))
    const mesh = writeMesh(temporaryFolder(), 'hidden', hidden)
    const { stderr } = await rcs`${mesh} --freq 300MHz --theta 60 --device cpu`
    expect(stderr).toMatch(/warning: none of the 12 rims and wedges of the mesh contributes at these aspects/)
    expect((await rcs`${cube} --freq 300MHz --device cpu`).stderr).not.toContain('rims and wedges')
  })

  it('says that a file rounds a mesh far from its origin', async () => {
    const mesh = writeMesh(temporaryFolder(), 'far', moved(cubeMesh(), [500_000, 4_000_000, 100]))
    const { stderr } = await rcs`${mesh} --freq 500MHz --device cpu`
    expect(stderr).toMatch(/warning: the file rounds coordinates so far from its origin by up to 0\.2 m/)
  })
})

describe('tables of one name and different endings', () => {
  const rcsTo = (path: string, ...more: string[]) =>
    isar`rcs ${plate} --freq 3e8 --device cpu --out ${path} ${more}`

  it('stand beside each other, each with its own companions', async () => {
    const folder = temporaryFolder()
    const path = (name: string): string => join(folder, name)
    const kept = ['x.npz', 'x.h5', 'x.csv', 'x.ffe']
    for (const [i, name] of kept.entries()) {
      const { code, stderr } = await rcsTo(path(name), '--phi', `${i + 1}`)
      expect([code, /isar:/.test(stderr)]).toEqual([0, false])
    }
    const phiOf = (name: string): string => readJson<{ options: { phi: string } }>(path(name)).options.phi
    const metas = ['x.meta.json', 'x.h5.meta.json', 'x.csv.meta.json', 'x.ffe.meta.json']
    expect(metas.map(phiOf)).toEqual(['1', '2', '3', '4'])
    expect(existsSync(path('x.csv.timing.json'))).toBe(true)
    // Existing results are found by --resume, --force and the viewer.
    for (const [i, name] of kept.slice(0, 3).entries())
      expect((await rcsTo(path(name), '--phi', `${i + 1}`, '--resume')).stderr).toMatch(/already complete/)
    expect((await rcsTo(path('x.npz'), '--phi', '4')).stderr).toMatch(
      /x\.(npz|meta\.json) exists; give --force/,
    )
    expect((await rcsTo(path('x.npz'), '--phi', '5', '--force')).code).toBe(0)
    expect(metas.map(phiOf)).toEqual(['5', '2', '3', '4'])
    const [npz, h5, csv] = await Promise.all(kept.slice(0, 3).map((name) => openResult(path(name))))
    expect(h5.history?.layers.map(({ name }) => name)).toEqual(['vv', 'hh', 'vh', 'hv'])
    expect([npz.meta, csv.meta]).toMatchObject([{ options: { phi: '5' } }, { options: { phi: '3' } }])
  })

  it('also where the first is a .ffe file', async () => {
    const folder = temporaryFolder()
    for (const name of ['x.ffe', 'x.csv']) expect((await rcsTo(join(folder, name))).code).toBe(0)
    expect(existsSync(join(folder, 'x.csv.meta.json'))).toBe(true)
  })
})

describe('--freq', () => {
  it('300,600MHz is 0.3 and 0.6 GHz', async () => {
    const { rows } = await rcs`${plate} --freq 300,600MHz`
    expect(rows.map((row) => row.freq_hz)).toEqual(['300000000', '600000000'])
  })

  // Evenly spaced when sorted (one band), and not (a band for each).
  it.each([
    ['2e8', '4e8', '6e8'],
    ['2e8', '3.3e8', '6e8'],
  ])('%s, %s, %s: a row depends on its frequency alone, whatever the order and whatever is repeated', async (a, b, c) => {
    const rows = async (freq: string[]): Promise<string[]> =>
      (await rcs`${cube} --freq ${freq.join()} --theta 70 --phi 10,20 --device cpu --error-estimate`).text.trim().split('\n').slice(1)
    const sorted = await rows([a, b, c])
    for (const order of [[b, c, a], [c, a, b, c]])
      expect(await rows(order)).toEqual(order.flatMap((f) => sorted.filter((row) => row.startsWith(`${Number(f)},`))))
  }) // prettier-ignore

  it('has curves drawn ascending, whatever the order of the table', async () => {
    const folder = temporaryFolder()
    const read = async (freq: string) => {
      const out = join(folder, `${freq}.npz`)
      expect(
        (await isar`rcs ${cube} --freq ${freq} --theta 70 --phi 10,20 --device cpu --out ${out}`).code,
      ).toBe(0)
      return readNpz(readFileSync(out))
    }
    const [up, mixed] = [await read('2e8,3e8,4e8'), await read('4e8,2e8,3e8')]
    expect([...mixed.freq_hz.data]).toEqual([4e8, 2e8, 3e8])
    expect(historyData(mixed)).toEqual(historyData(up))
  })
})

describe('--theta beyond 180', () => {
  const amplitudes = ({ rows: [row] }: { rows: Record<string, string>[] }): number[] =>
    Object.keys(row).filter((name) => name.startsWith('f_')).map((name) => Number(row[name])) // prettier-ignore
  /** The lattice of tubes is rotated with the vectors: equal up to its density. */
  const expectAlike = (found: number[], wanted: number[]): void => {
    const scale = Math.max(...wanted.map(Math.abs))
    wanted.forEach((x, i) => expect(Math.abs(found[i] - x) / scale).toBeLessThan(0.01))
  }
  const solve = (aspect: string) =>
    rcs`${plate} --freq 4e8 --device cpu --rays-per-wavelength 50 ${aspect.split(' ')}`

  it('continues through the pole, and the run reports the equivalent direction', async () => {
    const beyond = await solve('--theta 200,340 --phi -140')
    expect(beyond.stderr).toContain('theta     --theta 200 continues beyond the pole: the direction of theta 160 at phi + 180, V and H opposite to those there (and 1 more value likewise)\n') // prettier-ignore
    const plain = await solve('--theta 160 --phi 40')
    expect(plain.stderr).not.toMatch(/beyond/)
    expectAlike(amplitudes(beyond), amplitudes(plain))
    // Both vectors of one end change sign: every amplitude changes its sign.
    const turned = await solve('--theta -160 --phi 220 --rx-theta 120 --rx-phi 10')
    const straight = await solve('--theta 160 --phi 40 --rx-theta 120 --rx-phi 10')
    expectAlike(amplitudes(turned).map((x) => -x), amplitudes(straight)) // prettier-ignore
  })
})

describe('a receiver of its own', () => {
  const solve = (args: string) =>
    rcs`${cube} --freq 6e8 --device cpu --workers 1 --pol vv,hh --quiet ${args.split(' ')}`
  const places = ({ rows }: { rows: Record<string, string>[] }): string[][] =>
    rows.map((row) => [row.theta_deg, row.phi_deg, row.rx_theta_deg, row.rx_phi_deg])

  it('has its columns, and channels that are not asked for stay empty; the phase centre moves', async () => {
    const args = words`${cube} --freq 6e8 --theta 60 --phi 20 --rx-theta 60 --rx-phi 20:40:20`
    const { rows } = await rcs`${args} --pol vv,vh`
    expect(Object.keys(rows[0]).slice(0, 5)).toEqual(['freq_hz', 'theta_deg', 'phi_deg', 'rx_theta_deg', 'rx_phi_deg']) // prettier-ignore
    expect(rows.map((r) => r.rx_phi_deg)).toEqual(['20', '40'])
    expect(rows[0].sigma_hh_dbsm + rows[0].f_hv_im).toBe('')
    const { rows: moved } = await rcs`${args} --phase-centre 0.1,0.2,-0.3`
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

  it('turns with the transmitter, with the numbers of one run for each pair; its figures are over the transmitter’s directions', async () => {
    const turned = await solve('--phi 0:40:10 --bistatic 30 --plot')
    expect(places(turned)).toEqual([0, 10, 20, 30, 40].map((phi) => ['90', `${phi}`, '90', `${phi + 30}`]))
    expect((await solve('--phi 20 --rx-theta 90 --rx-phi 50')).rows).toEqual([turned.rows[2]])
    expect(places(await solve('--phi 0 --bistatic 30,-20'))).toEqual([['90', '0', '70', '30']])
    const drawn = readFileSync(turned.out.replace('.csv', '.plot.svg'), 'utf8')
    expect(drawn).toContain('transmitter φ [deg]')
    expect(drawn).toContain('bistatic: receiver at φ + 30°')
    const plots = join(temporaryFolder(), 'p')
    expect((await isar`plot ${turned.out} --kind cut --quiet --out ${plots}`).code).toBe(0)
    const svg = readFileSync(join(plots, 'cut-vv.svg'), 'utf8')
    expect(svg).toContain('transmitter φ [deg]')
    expect(svg).toContain('receiver at φ + 30°')
    const none = await isar`plot ${turned.out} --tx-phi 20 --out ${plots}-none`
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no bistatic table with transmitters')]) // prettier-ignore
  })

  it('has the transmitter’s theta where --rx-phi is given alone', async () => {
    const alone = await solve('--theta 70 --rx-phi 0:90:45')
    expect(places(alone)).toEqual(['0', '45', '90'].map((phi) => ['70', '0', '70', phi]))
  })

  it('has figures of one transmitter of several, the first unless another is picked', async () => {
    const { rows, out } = await solve('--phi 0,30 --rx-theta 90 --rx-phi 0:90:10')
    const { history, histories } = await openResult(out)
    expect([history!.transmitterDeg, histories!.map((h) => h.transmitterDeg)]).toEqual([[90, 0], [[90, 0], [90, 30]]]) // prettier-ignore
    expect(Array.from(histories![1].phiDeg)).toEqual(rows.slice(10).map((row) => Number(row.rx_phi_deg)))
    const hh = histories![1].layers.find(({ name }) => name === 'hh')!
    expect(Array.from(hh.data)).toEqual(rows.slice(10).flatMap((row) => [Number(row.f_hh_re), Number(row.f_hh_im)])) // prettier-ignore
    const plots = join(temporaryFolder(), 'plots')
    const plot = (...args: string[]) => isar`plot ${out} --kind cut --out ${plots} --force ${args}`
    expect((await plot()).stderr).toContain('θ = 90°, φ = 0°, one of 2 transmitters')
    expect((await plot('--tx-phi', '30')).code).toBe(0)
    const svg = readFileSync(join(plots, 'cut-vv.svg'), 'utf8')
    expect(svg).toContain('transmitter at θ = 90°, φ = 30°')
    expect(svg).toContain('receiver φ [deg]')
    const none = await plot('--tx-phi', '20')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('the nearest is θ = 90°, φ = 30°')])
  })
})
