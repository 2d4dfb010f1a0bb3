import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { propagationScenes } from '../../samples/models/propagation-scenes.js'
import { isar, readCsv, readJson, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const C0 = 299_792_458

const scene = {
  name: 'hall',
  frequency: ['900 MHz', 1.8e9],
  geometry: [{ box: { min: [0, 0, 0], max: [12, 9, 4], inward: true }, material: 'pec' }],
  transmitter: { position: [2.13, 3.31, 1.57], powerDbm: 20, polarisation: 'both' },
  receivers: [
    { name: 'walk', line: [[3, 3, 1.5], [3, 7, 1.5], [6, 7, 1.5]], step: 2 }, // prettier-ignore
    { name: 'floor', grid: { x: [4, 8], y: [2, 4], z: 1 }, step: 1 },
    { name: 'desk', points: [[10, 8, 1]] },
  ],
  rays: 2000,
  maxReflections: 2,
  paths: ['desk'],
}

function writeScene(given: unknown): { folder: string; file: string } {
  const folder = temporaryFolder()
  const file = join(folder, 'hall.json')
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given))
  return { folder, file }
}

describe('isar propagate', () => {
  it('writes fields, channels, paths, figures; never over results at hand', async () => {
    const { folder, file } = writeScene(scene)
    const run = await isar(['propagate', file, '--out', 'out', '--json', '--workers', '1', '--convergence'], {
      cwd: folder,
    })
    expect(run.stderr).toMatch(/scene {5}hall: 12 x 9 x 4 m/)
    expect(run.code).toBe(0)
    const summary = JSON.parse(run.stdout) as { receivers: number; paths: number; escaped: number }
    // 4 along the walk, 5 x 3 on the floor, the desk; 25 images of up to two reflections in a closed room.
    expect(summary).toMatchObject({ receivers: 20, paths: 20 * 25, escaped: 0 })
    const out = join(folder, 'out')
    expect(readdirSync(out).sort()).toEqual(
      ['convergence.csv', 'impulse-response-19.png', 'impulse-response-19.svg', 'meta.json', 'paths.csv',
       'plot-floor.png', 'plot-floor.svg', 'plot-walk.png', 'plot-walk.svg', 'results.csv', 'results.npz', 'scene.npz'], // prettier-ignore
    )
    const rows = readCsv(join(out, 'results.csv'))
    expect(rows).toHaveLength(40)
    expect(rows[1]).toMatchObject({
      freq_hz: '900000000',
      receiver: '1',
      set: 'walk',
      x_m: '3',
      y_m: '5',
      z_m: '1.5',
    })
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
    const again = await isar(['propagate', file, '--out', 'out'], { cwd: folder })
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/exists; give --force/)
  })

  it('writes one table as npz or HDF5, with the scene overridden', async () => {
    const { folder, file } = writeScene(scene)
    const args = ['propagate', file, '--max-reflections', '0', '--quiet', '--workers', '1']
    for (const name of ['x.npz', 'y.h5'])
      expect((await isar([...args, '--out', name], { cwd: folder })).code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(
      'hall.json x.meta.json x.npz x.paths.csv y.h5 y.meta.json y.paths.csv'.split(' '),
    )
  })

  it('brings the rays’ own fields to reception spheres, by option or key of the scene', async () => {
    const { folder, file } = writeScene({ ...scene, paths: [] })
    const other = writeScene({ ...scene, paths: [], reception: 'spheres' })
    const args = ['--rays', '20000', '--workers', '1', '--no-plot', '--json']
    const by = async (of: string, out: string, more: string[]): Promise<Record<string, string>[]> => {
      const run = await isar(['propagate', of, ...args, '--out', out, ...more], { cwd: folder })
      expect(run.code, run.stderr).toBe(0)
      expect(/reception spheres/.test(run.stderr)).toBe(out !== 'exact.csv')
      return readCsv(join(folder, out))
    }
    const exact = await by(file, 'exact.csv', [])
    const option = await by(file, 'option.csv', ['--receivers', 'spheres'])
    expect(await by(other.file, 'key.csv', [])).toEqual(option)
    // Near the exact field, and not the same.
    const total = (rows: Record<string, string>[]): number => rows.reduce((s, r) => s + 10 ** (Number(r.path_gain_vv_db) / 10), 0) // prettier-ignore
    expect(10 * Math.log10(total(option) / total(exact))).toBeLessThan(1)
    expect(10 * Math.log10(total(option) / total(exact))).toBeGreaterThan(-1)
    expect(option[0].h_vv_re).not.toBe(exact[0].h_vv_re)
  })

  it('keeps what is finished when interrupted, goes on with it to the same bytes', async () => {
    const { folder, file } = writeScene({ ...scene, rays: 100_000, maxReflections: 6, paths: [] })
    const args = ['propagate', file, '--workers', '1', '--no-plot', '--out', 'a.csv']
    const run = await isar(args, {
      cwd: folder,
      at: { message: /batches of rays/ },
    })
    expect(run.code).toBe(130)
    expect(run.stderr).toMatch(/interrupted; \d+ of \d+ batches are kept; continue with --resume/)
    expect(readdirSync(folder).sort()).toEqual(['a.csv.partial', 'hall.json'])
    const other = await isar([...args, '--resume', '--max-reflections', '5'], { cwd: folder })
    expect(other.stderr).toMatch(/another scene, other options/)
    expect(other.code).toBe(2)
    expect((await isar(args, { cwd: folder })).stderr).toMatch(/holds an interrupted run; give --resume/)
    const resumed = await isar([...args, '--resume'], { cwd: folder })
    expect(resumed.stderr).toMatch(/resuming {2}\d+ batches already computed/)
    expect(resumed.code).toBe(0)
    expect((await isar([...args.slice(0, -1), 'b.csv', '--quiet'], { cwd: folder })).code).toBe(0)
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe(readFileSync(join(folder, 'b.csv'), 'utf8'))
    expect(existsSync(join(folder, 'a.csv.partial'))).toBe(false)
  })

  it('killed at any moment, goes on from what it kept, to the same bytes', async () => {
    const { folder, file } = writeScene({ ...scene, rays: 700_000, maxReflections: 6, paths: ['desk'] })
    const args = ['propagate', file, '--device', 'cpu', '--workers', '1', '--no-plot', '--out', 'a.csv']
    const kept = join(folder, 'a.csv.partial')
    const run = await isar(args, {
      cwd: folder,
      at: { message: /batches of rays/, signal: 'SIGKILL', file: join(kept, 'state.bin') },
    })
    expect(run.code).toBeNull()
    expect(readdirSync(kept).sort()).toEqual(expect.arrayContaining(['lock', 'plan.json', 'state.bin']))
    const resumed = await isar([...args, '--resume'], { cwd: folder })
    expect(resumed.stderr).toMatch(/resuming {2}[1-9]\d* batches/)
    expect(resumed.code).toBe(0)
    // Of a folder that keeps nothing yet, --resume is a new run.
    const fresh = await isar([...args.slice(0, -1), 'b.csv', '--resume'], { cwd: folder })
    expect(fresh.code, fresh.stderr).toBe(0)
    for (const name of ['.csv', '.paths.csv'])
      expect(readFileSync(join(folder, `a${name}`), 'utf8')).toBe(
        readFileSync(join(folder, `b${name}`), 'utf8'),
      )
    expect(readdirSync(folder).filter((name) => /partial|tmp/.test(name))).toEqual([])
  })

  it('of two runs into one place at once, one writes and the other is refused', async () => {
    const { folder, file } = writeScene(scene)
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
    const write = (name: string, lines: string[]): void =>
      writeFileSync(join(files.folder, name), [...lines, ''].join('\n'))
    const quad = (corners: number[][]): string[] => corners.map((p) => `v ${p.map((x) => 100 * x).join(' ')}`)
    write('yard.obj', ['g ground', ...quad(ground), 'f 1 2 3 4', 'g wall', ...quad(wall), 'f 5 6 7 8'])
    write('points.csv', ['x_m,y_m,z_m', ...points.map((p) => p.join())])
    const grid = [0, 90, 180].flatMap((t) => [0, 180, 360].map((p) => `${t},${p},1,0,0,0`))
    write('omni.csv', ['theta_deg,phi_deg,g_theta_re,g_theta_im,g_phi_re,g_phi_im', ...grid])
    const tables: Record<string, string>[][] = []
    for (const { folder, file } of [inline, files]) {
      const run = await isar(['propagate', file, '--out', 'x.csv', '--quiet', '--workers', '1'], {
        cwd: folder,
      })
      expect(run.stderr).toBe('')
      tables.push(readCsv(join(folder, 'x.csv')))
    }
    expect(tables[1]).toHaveLength(2)
    tables[1].forEach((row, i) => {
      for (const key of ['h_vv_re', 'h_vv_im', 'h_vh_re', 'ez_v_im'])
        expect(Number(row[key])).toBeCloseTo(Number(tables[0][i][key]), 9)
      expect(Number(row.path_gain_vv_db)).toBeGreaterThan(-90)
    })
  })

  const built = (geometry: object) => ({ geometry: [geometry] })
  const [cubeStl, unit] = [resolve('samples/cube.stl'), { min: [0, 0, 0], max: [1, 1, 1] }]
  /** What is wrong; the scene, or what is other in it; the message; more words of the command line. */
  const bad: [string, object | string, RegExp, ...string[]][] = [
    ['text that is no JSON', '{ "name": ', /hall.json is not JSON/],
    ['a setting that there is not', { reflexions: 3 }, /the whole: Unrecognized key.*reflexions/],
    [
      'a corner with two coordinates',
      built({ box: { ...unit, min: [0, 0] }, material: 'pec' }),
      /geometry.0.box.min/,
    ],
    [
      'an unknown material',
      built({ ...scene.geometry[0], material: 'cheese' }),
      /material "cheese" is unknown; use one of/,
    ],
    [
      'a box inside out',
      built({ box: { min: [1, 0, 0], max: [0, 1, 1] }, material: 'pec' }),
      /every coordinate of min must be below/,
    ],
    ['a mesh that is not there', built({ mesh: 'none.obj', material: 'pec' }), /none.obj/],
    [
      'a group that the mesh has not',
      built({ mesh: cubeStl, materials: { roof: 'pec' } }),
      /geometry.0.materials: .*cube.stl has no group "roof"/,
    ],
    ['a group without a material', built({ mesh: cubeStl }), /group "default" of .*cube.stl has no material/],
    [
      'a receiver on the transmitter',
      { receivers: [{ name: 'a', points: [[2.13, 3.31, 1.57]] }], paths: [] },
      /receiver 0 .* stands on the transmitter/,
    ],
    ['sets of one name', { receivers: [scene.receivers[2], scene.receivers[2]] }, /two are named "desk"/],
    [
      'paths of nobody',
      {},
      /no receivers are named "roof"; choose among walk, floor, desk/,
      '--paths',
      'roof',
    ],
    [
      'a region without the transmitter',
      { region: { min: [5, 0, 0], max: [9, 9, 4] } },
      /outside the region/,
    ],
    ['a frequency that is none', { frequency: 'blue' }, /frequency: "blue" is not a frequency/],
    ['too few rays', {}, /--rays/, '--rays', '3'],
  ]
  it.each(bad)('refuses %s with one line', async (_, given, message, ...args) => {
    const { folder, file } = writeScene(typeof given === 'string' ? given : { ...scene, ...given })
    await expectRefusal(words`propagate ${file} --out ${folder}/out --quiet ${args}`, message, folder)
  })
})

it.each(Object.keys(propagationScenes))('samples/%s.json is what its generator makes', (name) => {
  expect(readJson(`samples/${name}.json`)).toEqual(propagationScenes[name])
})
