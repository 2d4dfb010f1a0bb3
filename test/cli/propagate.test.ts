import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { propagationScenes } from '../../samples/models/propagation-scenes.js'
import { isar, readCsv, readJson, temporaryFolder } from './cli.js'
import { HALL, write } from './fixtures.js'

const C0 = 299_792_458

function writeScene(given: object): { folder: string; file: string } {
  const folder = temporaryFolder()
  return { folder, file: write(folder, 'hall.json', given) }
}

describe('isar propagate', () => {
  it('writes fields, channels, paths, figures; never over results at hand', async () => {
    const { folder, file } = writeScene(HALL)
    const out = join(folder, 'out')
    const run = await isar`propagate ${file} --out ${out} --json --workers 1 --convergence`
    expect(run.stderr).toMatch(/scene {5}hall: 12 x 9 x 4 m/)
    expect(run.code).toBe(0)
    // 25 images of up to two reflections in a closed room.
    expect(JSON.parse(run.stdout)).toMatchObject({ receivers: 20, paths: 20 * 25, escaped: 0 })
    expect(readdirSync(out).sort()).toEqual(
      ['convergence.csv', 'impulse-response-19.png', 'impulse-response-19.svg', 'meta.json', 'paths.csv',
       'plot-floor.png', 'plot-floor.svg', 'plot-walk.png', 'plot-walk.svg', 'results.csv', 'results.npz', 'scene.npz'], // prettier-ignore
    )
    const rows = readCsv(join(out, 'results.csv'))
    expect(rows).toHaveLength(40)
    const second = { freq_hz: '900000000', receiver: '1', set: 'walk', x_m: '3', y_m: '5', z_m: '1.5' }
    expect(rows[1]).toMatchObject(second)
    expect([rows[3].x_m, rows[3].y_m]).toEqual(['5', '7'])
    const gain = Number(rows[0].h_vv_re) ** 2 + Number(rows[0].h_vv_im) ** 2
    expect(Number(rows[0].path_gain_vv_db)).toBeCloseTo(10 * Math.log10(gain), 4)
    expect(Number(rows[0].power_vv_dbm)).toBeCloseTo(20 + Number(rows[0].path_gain_vv_db), 4)
    const arrays = readNpz(readFileSync(join(out, 'results.npz')))
    expect(arrays.h_vv.shape).toEqual([2, 20])
    expect(arrays.h_vv.data[2 * 21]).toBeCloseTo(Number(rows[21].h_vv_re), 12)
    expect(arrays.e_h.shape).toEqual([2, 20, 3])
    const paths = readCsv(join(out, 'paths.csv'))
    expect(paths).toHaveLength(25)
    expect(paths[0]).toMatchObject({ set: 'desk', receiver: '19', kind: 'direct', bounces: '0' })
    expect(Number(paths[0].delay_s)).toBeCloseTo(Math.hypot(7.87, 4.69, 0.57) / C0, 14)
    // Friis, and the sum of the paths.
    const direct = Math.hypot(Number(paths[0].h_vv_re), Number(paths[0].h_vv_im))
    expect(direct).toBeCloseTo(C0 / 900e6 / (4 * Math.PI * Math.hypot(7.87, 4.69, 0.57)), 8)
    expect(paths.reduce((s, p) => s + Number(p.h_hh_im), 0)).toBeCloseTo(Number(rows[19].h_hh_im), 9)
    const again = await isar`propagate ${file} --out ${out}`
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/exists; give --force/)
  })

  it('writes one table as npz or HDF5, with the scene overridden', async () => {
    const { folder, file } = writeScene(HALL)
    for (const name of ['x.npz', 'y.h5']) {
      const run =
        await isar`propagate ${file} --max-reflections 0 --quiet --workers 1 --out ${join(folder, name)}`
      expect(run.code).toBe(0)
    }
    expect(readdirSync(folder).sort()).toEqual(
      'hall.json x.meta.json x.npz x.paths.csv y.h5 y.meta.json y.paths.csv'.split(' '),
    )
  })

  it('brings the rays’ own fields to reception spheres, by option or key of the scene', async () => {
    const { folder, file } = writeScene({ ...HALL, paths: [] })
    const other = writeScene({ ...HALL, paths: [], reception: 'spheres' })
    const by = async (of: string, name: string, more: string[] = []): Promise<Record<string, string>[]> => {
      const out = join(folder, name)
      const run = await isar`propagate ${of} --rays 20000 --workers 1 --no-plot --json --out ${out} ${more}`
      expect(run.code, run.stderr).toBe(0)
      expect(/reception spheres/.test(run.stderr)).toBe(name !== 'exact.csv')
      return readCsv(out)
    }
    const exact = await by(file, 'exact.csv')
    const option = await by(file, 'option.csv', ['--receivers', 'spheres'])
    expect(await by(other.file, 'key.csv')).toEqual(option)
    // Near the exact field, and not the same.
    const total = (rows: Record<string, string>[]): number => rows.reduce((s, r) => s + 10 ** (Number(r.path_gain_vv_db) / 10), 0) // prettier-ignore
    expect(Math.abs(10 * Math.log10(total(option) / total(exact)))).toBeLessThan(1)
    expect(option[0].h_vv_re).not.toBe(exact[0].h_vv_re)
  })

  it('interrupted or killed at any moment, keeps what is finished and goes on with it to the same bytes', async () => {
    const { folder, file } = writeScene({ ...HALL, rays: 100_000, maxReflections: 6 })
    const at = (name: string): string => join(folder, name)
    const args = (name: string): string[] =>
      ['propagate', file, '--device', 'cpu', '--workers', '1', '--no-plot', '--out', at(name)] // prettier-ignore
    const message = /batches of rays/
    const run = await isar(args('a.csv'), { at: { message } })
    expect(run.code).toBe(130)
    expect(run.stderr).toMatch(/interrupted; \d+ of \d+ batches are kept; continue with --resume/)
    expect(readdirSync(folder).sort()).toEqual(['a.csv.partial', 'hall.json'])
    const other = await isar`${args('a.csv')} --resume --max-reflections 5`
    expect(other.stderr).toMatch(/another scene, other options/)
    expect(other.code).toBe(2)
    expect((await isar(args('a.csv'))).stderr).toMatch(/holds an interrupted run; give --resume/)

    // What is summed is kept every two seconds, which this clock makes of 40 ms.
    const clock = 'data:text/javascript,const{now}=performance;performance.now=()=>50*now.call(performance)'
    const kept = at('b.csv.partial')
    const killed = await isar(args('b.csv'), {
      env: { NODE_OPTIONS: `--import=${clock}` },
      at: { message, signal: 'SIGKILL', file: join(kept, 'state.bin') },
    })
    expect(killed.code).toBeNull()
    expect(readdirSync(kept).sort()).toEqual(expect.arrayContaining(['lock', 'plan.json', 'state.bin']))

    // Of a folder that keeps nothing yet, --resume is a new run.
    const whole = await isar`${args('whole.csv')} --resume`
    expect(whole.code, whole.stderr).toBe(0)
    for (const name of ['a', 'b']) {
      const resumed = await isar`${args(`${name}.csv`)} --resume`
      expect(resumed.stderr).toMatch(/resuming {2}[1-9]\d* batches already computed/)
      expect(resumed.code).toBe(0)
      for (const ending of ['.csv', '.paths.csv'])
        expect(readFileSync(at(name + ending), 'utf8')).toBe(readFileSync(at(`whole${ending}`), 'utf8'))
    }
    expect(readdirSync(folder).filter((name) => /partial|tmp/.test(name))).toEqual([])
  })

  it('of two runs into one place at once, one writes and the other is refused', async () => {
    const { folder, file } = writeScene(HALL)
    for (const rays of ['12', '200000']) {
      const args = ['propagate', file, '--workers', '1', '--no-plot', '--rays', rays, '--out', `out-${rays}`]
      const both = await Promise.all([0, 1].map(() => isar(args, { cwd: folder })))
      expect(both.map(({ code }) => code).sort(), both.map((r) => r.stderr).join('\n')).toEqual([0, 2])
      expect(both.find(({ code }) => code === 2)!.stderr).toMatch(
        /being (written|taken) by|exists; give --force/,
      )
      expect(existsSync(join(folder, `out-${rays}`, '.partial'))).toBe(false)
    }
  })

  it('takes meshes with groups, receivers and antenna patterns from files', async () => {
    const ground = [[-30, -30, 0], [60, -30, 0], [60, 30, 0], [-30, 30, 0]] // prettier-ignore
    const wall = [[-30, 12, 0], [60, 12, 0], [60, 12, 9], [-30, 12, 9]] // prettier-ignore
    const points = [[20, 3, 1.5], [30, -4.5, 2]] // prettier-ignore
    const transmitter = { position: [0, 0, 3] }
    const common = { name: 'yard', frequency: 2.4e9, transmitter, rays: 5000, maxReflections: 2 }
    const stone = { epsilonR: 3, sigma: 0.01 }
    const inline = writeScene({
      ...common,
      geometry: [
        { polygon: ground, material: 'medium-dry-ground' },
        { polygon: wall, material: stone },
      ],
      receivers: [{ name: 'p', points }],
    })
    const files = writeScene({
      ...common,
      transmitter: { ...transmitter, antenna: { pattern: 'omni.csv' } },
      geometry: [
        { mesh: 'yard.obj', units: 'cm', material: 'medium-dry-ground', materials: { wall: stone } },
      ],
      receivers: [{ name: 'p', file: 'points.csv' }],
    })
    const writeLines = (name: string, lines: string[]): string =>
      write(files.folder, name, [...lines, ''].join('\n'))
    const quad = (corners: number[][]): string[] => corners.map((p) => `v ${p.map((x) => 100 * x).join(' ')}`)
    writeLines('yard.obj', ['g ground', ...quad(ground), 'f 1 2 3 4', 'g wall', ...quad(wall), 'f 5 6 7 8'])
    writeLines('points.csv', ['x_m,y_m,z_m', ...points.map((p) => p.join())])
    const grid = [0, 90, 180].flatMap((t) => [0, 180, 360].map((p) => `${t},${p},1,0,0,0`))
    writeLines('omni.csv', ['theta_deg,phi_deg,g_theta_re,g_theta_im,g_phi_re,g_phi_im', ...grid])
    const tables: Record<string, string>[][] = []
    for (const { folder, file } of [inline, files]) {
      const out = join(folder, 'x.csv')
      expect((await isar`propagate ${file} --out ${out} --quiet --workers 1`).stderr).toBe('')
      tables.push(readCsv(out))
    }
    expect(tables[1]).toHaveLength(2)
    tables[1].forEach((row, i) => {
      for (const key of ['h_vv_re', 'h_vv_im', 'h_vh_re', 'ez_v_im'])
        expect(Number(row[key])).toBeCloseTo(Number(tables[0][i][key]), 9)
      expect(Number(row.path_gain_vv_db)).toBeGreaterThan(-90)
    })
  })
})

it.each(Object.keys(propagationScenes))('samples/%s.json is what its generator makes', (name) => {
  expect(readJson(`samples/${name}.json`)).toEqual(propagationScenes[name])
})
