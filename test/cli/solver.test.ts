import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { readNpz } from '../../formats/index.js'
import { imageCorrelation } from '../../isar/index.js'
import { circle, stack } from '../../samples/models/surface.js'
import { pipe } from '../helpers/pipe.js'
import { library } from '../library/library.js'
import { isar, rcs, readCsv, readJson, temporaryFolder } from './cli.js'
import { write, writeMesh } from './fixtures.js'
import { expectRefusal } from './refusal.js'

const folder = temporaryFolder()
const CHANNELS = ['vv', 'hh', 'vh', 'hv']
const PARTS = ['re', 'im']

describe('--mechanisms', () => {
  const five = ['reflected', 'wall', 'double', 'edge-wave', 'corner']
  it.each([
    ['samples/dihedral.stl --freq 4e8 --theta 70 --phi 0:20:20 --max-bounces 3', ['b1', 'b2', 'b3', 'edge', ...SECOND_ORDER]],
    [`samples/dihedral.stl --freq 3e8 --theta 80 --phi 30 --max-bounces 2 --second-order ${five.join()}`, ['b1', 'b2', 'edge', ...five]],
    ['samples/cube.stl --freq 1e9,1.1e9 --theta 80 --phi 0:30:15 --method gpueco --pixels 96', ['b1', 'edge']],
  ])('has parts that sum to the total, which is that of a run without them: %s', async (line, names) => {
    const args = `${line} --device cpu`.split(' ')
    const { rows } = await rcs`${args} --mechanisms`
    for (const row of rows)
      for (const column of CHANNELS.flatMap((c) => PARTS.map((part) => `f_${c}_${part}`))) {
        const sum = names.reduce((total, name) => total + Number(row[`${column}_${name}`]), 0)
        expect(Math.abs(sum - Number(row[column]))).toBeLessThan(1e-9)
      }
    expect(Object.keys(rows[0]).filter((name) => name.startsWith('f_hh_re_'))).toEqual(names.map((name) => `f_hh_re_${name}`))
    const plain = await rcs`${args}`
    plain.rows.forEach((row, i) => expect(rows[i]).toMatchObject(row))
    if (names.includes('b2')) for (const row of rows) expect(Number(row.f_vv_re_b2)).not.toBe(0)
    if (names.includes('b3')) for (const row of rows) expect(Number(row.f_vv_re_b3)).toBe(0)
    if (names.length === 2)
      expect(Math.max(...rows.map((row) => Math.abs(Number(row.f_hh_re_edge))))).toBeGreaterThan(0.01)
  }) // prettier-ignore

  it('has each mechanism of second order, and first order as without it', async () => {
    const args =
      'samples/dihedral.stl --freq 3e8 --theta 80 --phi 30 --device cpu --max-bounces 2 --mechanisms'
    const all = await rcs`${args.split(' ')} --second-order ${[five.toReversed().join()]}`
    const first = await rcs`${args.split(' ')} --second-order none`
    expect(all.meta.options.secondOrder).toEqual(five)
    for (const c of CHANNELS)
      for (const part of PARTS)
        expect(all.rows[0][`f_${c}_${part}_edge`]).toBe(first.rows[0][`f_${c}_${part}_edge`])
    for (const name of five)
      expect(
        Math.hypot(...['vv', 'hh', 'hv'].map((c) => Number(all.rows[0][`f_${c}_re_${name}`]))),
      ).toBeGreaterThan(1e-4)
    expect(all.rows[0].f_vv_re).not.toBe(first.rows[0].f_vv_re)
  })

  it('has a column of each bounce up to the last that contributes anywhere, and at least five', async () => {
    const mesh = writeMesh(folder, 'short-pipe', pipe(0.5, 2.5))
    const run = async (theta: string) => {
      const { rows } = await rcs`${mesh} --freq 6e8 --theta ${theta} --mechanisms --diffraction none`
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
})

it('--second-order all gives the table of the default', async () => {
  const args = 'samples/cube.stl --freq 4e8 --theta 60 --phi 30 --device cpu'.split(' ')
  expect((await rcs`${args} --second-order all`).text).toBe((await rcs`${args}`).text)
})

describe('--method gpueco', () => {
  const common = '--method gpueco --device cpu --pixels 96'.split(' ')

  it('stands in the metadata, with edges by TW-ILDC where asked for', async () => {
    const { meta } = await rcs`samples/cube.stl --freq 1e9 --phi 20 ${common}`
    expect(meta.options).toMatchObject({ method: 'gpueco', diffraction: 'eec', pixels: 96 })
    const other = await rcs<{
      options: object
      counts: { edge_segments: number }
    }>`samples/cube.stl --freq 1e9 --phi 20 --diffraction tw-ildc ${common}`
    expect(other.meta.options).toMatchObject({ diffraction: 'tw-ildc' })
    expect(other.meta.counts.edge_segments).toBeGreaterThan(0)
  })

  it('renders images as with rays', async () => {
    const out = join(folder, 'drawn')
    const run =
      await isar`render samples/cube.stl --band 1e9:1.2e9:8 --angles 6 --pol vv --quiet --out ${out} ${common}`
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(existsSync(join(out, 'image-vv.png'))).toBe(true)
  })
})

describe('--method mom', () => {
  /** 0.2 m x 0.1 m: at 1.5 GHz one wavelength by half of one. */
  const PLATE = resolve('test/validation/mom/plate_2x1lam.stl')
  interface FullWave {
    freq_hz: number
    unknowns: number
    residual: number
    power_error: number
    triangle_quality: { worst: number; median: number }
    longest_edge_wavelengths: number
  }

  it('solves a plate of one wavelength, records how, and gives the same bytes on any number of threads', async () => {
    const args = `${PLATE} --freq 1.5GHz --theta 0:60:30 --phi 0 --method mom`.split(' ')
    const { rows, stderr, text, meta } = await rcs<{
      full_wave: FullWave[]
      options: object
    }>`${args} --workers 1`
    expect(stderr).toMatch(/about \d+ unknowns, one factorisation a frequency/)
    expect(rows).toHaveLength(3)
    // Broadside: 4 pi A² / lambda² of a plate this small, within what its edges change.
    const sigma = 10 * Math.log10((4 * Math.PI * 0.02 ** 2) / 0.19986 ** 2)
    expect(Math.abs(Number(rows[0].sigma_vv_dbsm) - sigma)).toBeLessThan(2.5)
    expect(meta.options).toMatchObject({ method: 'mom' })
    expect(meta.full_wave).toHaveLength(1)
    const [{ unknowns, residual, power_error, triangle_quality, longest_edge_wavelengths }] = meta.full_wave
    expect(unknowns).toBeGreaterThan(50)
    expect(residual).toBeLessThan(1e-6)
    expect(power_error).toBeLessThan(0.02)
    expect(triangle_quality.worst).toBeGreaterThan(0.03)
    expect(triangle_quality.worst).toBeLessThan(triangle_quality.median)
    expect(triangle_quality.median).toBeLessThan(1)
    expect(longest_edge_wavelengths).toBeGreaterThan(0.1)
    expect(longest_edge_wavelengths).toBeLessThan(0.2)
    expect((await rcs`${args} --workers 2`).text).toBe(text)
  })

  it('renders an image, every frequency with its record', async () => {
    const out = join(folder, 'solved')
    const run =
      await isar`render ${PLATE} --band 1.4e9:1.6e9:3 --angles 3 --aperture 6 --theta 45 --method mom --workers 1 --out ${out}`
    expect(run.code, run.stderr).toBe(0)
    const { full_wave } = readJson<{ full_wave: FullWave[] }>(join(out, 'meta.json'))
    expect(full_wave.map(({ freq_hz }) => freq_hz)).toEqual([1.4e9, 1.5e9, 1.6e9])
    expect(existsSync(join(out, 'image-vv.png'))).toBe(true)
  })

  it('makes a dataset, whose plan counts the factors that its aspects share', async () => {
    const config = write(folder, 'plates.json', {
      name: 'plates',
      targets: [{ label: 'plate', mesh: PLATE }],
      aspects: { azimuth: { from: 0, to: 30, step: 30 }, elevation: [10] },
      radar: { centreHz: '1.5 GHz', resolutionM: 1 },
      image: { size: [8, 8] },
      channels: ['vv'],
      solver: { method: 'mom', workers: 1 },
    })
    const run = await isar`dataset ${config} --out ${folder}/plates --image-workers 0`
    expect(run.code, run.stderr).toBe(0)
    expect(run.stderr).toMatch(/estimate {2}about [\d.]+ s, /)
    expect((await isar`dataset verify ${folder}/plates`).code).toBe(0)
  })

  it('fails where a solution cannot be trusted, in one line that offers nothing to continue', async () => {
    // A cube of a hundred-thousandth of a wavelength: its power is below what its matrix resolves.
    const out = join(folder, 'tiny.csv')
    const { code, stderr } =
      await isar`rcs samples/cube.stl --freq 10kHz --method mom --quiet --workers 1 --out ${out}`
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^isar: full wave: scattered power differs from the power taken from the incident wave by [\d.]+ %, more than 5 %: the target is too few wavelengths across/,
    )
    expect(code).toBe(1)
    expect(existsSync(out)).toBe(false)
  })
})

describe('--curved', () => {
  interface Meta {
    mesh: { facets: number }
    options: { curvedDeg?: number }
  }
  /** Cylinder of 24 sides: radius 0.5 m, length 1 m. */
  const [low, high] = [-0.5, 0.5].map((z) => circle([0, 0, z], 0.5, 2, 24))
  const prism = writeMesh(folder, 'prism', stack([low, high]))

  it('brings a prism’s flash to the cylinder’s', async () => {
    const args = `${prism} --freq 3e9 --theta 90 --phi 3 --diffraction none --pol vv`.split(' ')
    const plane = await rcs<Meta>`${args}`
    const curved = await rcs<Meta>`${args} --curved`
    expect(curved.stderr).toMatch(
      /curved {4}96 facets refined into \d+ on curved patches, to 0\.66 mm \(about 1\/128 of a wavelength\)/,
    )
    const flash = 10 * Math.log10((2 * Math.PI * 0.5 * 3e9) / 299792458)
    expect(Math.abs(Number(curved.rows[0].sigma_vv_dbsm) - flash)).toBeLessThan(0.1)
    expect(Math.abs(Number(plane.rows[0].sigma_vv_dbsm) - flash)).toBeGreaterThan(0.3)
    expect(curved.meta.options.curvedDeg).toBe(20)
    expect(curved.meta.mesh.facets).toBeGreaterThan(plane.meta.mesh.facets)
    expect(plane.meta.options.curvedDeg).toBeUndefined()
  })

  it('works for images', async () => {
    const sweep = '--band 8e8:1e9:3 --angles 2 --aperture 2 --diffraction none'.split(' ')
    const run = await isar`render ${prism} ${sweep} --curved 10 --out ${folder}/curved`
    expect(run.code).toBe(0)
    // Its sides bend by 15 degrees: with 10 they are creases.
    expect(run.stderr).toMatch(/96 facets refined into 96/)
  })
})

describe('--max-bounces', () => {
  interface Meta {
    power_cut_off: Record<string, number>
  }

  it('that ends rays inside a duct is warned of, with the share in meta.json; by default they are followed out', async () => {
    const mesh = writeMesh(folder, 'pipe', pipe(0.5, 5))
    const args = `${mesh} --freq 6e8 --theta 30,150 --device cpu`.split(' ')
    const short = await rcs<Meta>`${args} --max-bounces 5`
    expect(short.stderr).toMatch(
      /warning: \d+ % of the power that hits the target at theta 30, phi 0 .* after bounce 5, where rays end; raise --max-bounces \(to 10/,
    )
    // Of the two aspects one sees the closed end.
    expect(short.meta.power_cut_off).toMatchObject({ theta_deg: 30, phi_deg: 0 })
    expect(short.meta.power_cut_off.most).toBeGreaterThan(0.1)
    expect(short.meta.power_cut_off.mean).toBeLessThan(0.6 * short.meta.power_cut_off.most)
    const long = await rcs<Meta>`${args}`
    expect(long.stderr).not.toMatch(/after bounce/)
    expect(long.meta.power_cut_off.most).toBe(0)
    expect((await rcs`${args} --max-bounces 1`).stderr).not.toMatch(/after bounce/)
    const { warnings, meta } = await library.rcs(mesh, {
      freqHz: 6e8,
      thetaDeg: [30, 150],
      maxBounces: 5,
      device: 'cpu',
    })
    expect(warnings).toContainEqual(
      expect.stringMatching(/after bounce 5, where rays end; raise maxBounces \(to 10/),
    )
    expect(meta.power_cut_off).toEqual(short.meta.power_cut_off)
  })

  it('is not warned of where a target has no cavity', async () => {
    const { stderr } = await rcs`samples/trihedral-square.stl --freq 1e9 --theta 55 --phi 45 --device cpu`
    expect(stderr).not.toMatch(/after bounce/)
  })
})

it('--ground is planned, computed and recorded', async () => {
  const ground = '--ground wet-ground --ground-height -0.5 --ground-roughness 0.01'.split(' ')
  const { stderr, meta, rows } = await rcs<
    Record<string, object>
  >`samples/cube.stl --freq 1GHz --phi 20 --theta 70 --device cpu ${ground}`
  // The target's own size, and facets with the image's, but not those on the ground.
  expect(stderr).toMatch(/target {4}cube: 1 x 1 x 1 m, .* 20 facets/)
  expect(stderr).toMatch(/ground {4}wet-ground at z = -0.5 m, rms height 0.01 m;/)
  expect(meta.mesh).toMatchObject({
    size_m: [1, 1, 1],
    ground: { material: 'wet-ground', height_m: -0.5, roughness_m: 0.01 },
  })
  expect(meta.options).toMatchObject({ ground: 'wet-ground', groundHeight: -0.5, groundRoughness: 0.01 })
  expect(rows).toHaveLength(1)
})

it('--traversal is honoured on the cpu, recorded, and changes no byte', async () => {
  const tables = await Promise.all(
    ['lists', 'ropes', 'stack'].map(async (traversal) => {
      const { stderr, meta, text } =
        await rcs`samples/ship-1m.stl --freq 3GHz --theta 70 --phi 0:20:20 --second-order none --device cpu --traversal ${traversal}`
      expect(stderr).toMatch(/bvh +built in/)
      expect(meta.options.traversal).toBe(traversal)
      return text
    }),
  )
  expect(tables).toEqual([tables[0], tables[0], tables[0]])
})

describe('--fast', () => {
  const CHEAP = '--device cpu --workers 1 --rays-per-wavelength 5 --pol vv'.split(' ')
  const image = '--band 2.775e9:3.225e9:9 --angles 7 --phi 20'.split(' ')
  const IMAGE = ['render', 'samples/ship-1m.stl', ...image, ...CHEAP]
  const imageOf = (folder: string): Float64Array =>
    readNpz(readFileSync(join(folder, 'image.npz'))).image_vv.data as Float64Array

  it('writes the files of render, reports that it is approximate, and resembles the full image', async () => {
    const fast = join(folder, 'fast')
    const run = await isar`${IMAGE} --fast --json --out ${fast}`
    expect(run.stderr).toMatch(
      /fast {6}approximate: rays traced at [2-6] of 7 aspects, the others extrapolated\n/,
    )
    expect(run.code).toBe(0)
    for (const file of ['image-vv.png', 'image.npz', 'phase-history.npz', 'timing.json'])
      expect(existsSync(join(fast, file)), file).toBe(true)
    const full = join(folder, 'full')
    expect((await isar`${IMAGE} --out ${full}`).code).toBe(0)
    const alike = imageCorrelation(imageOf(fast), imageOf(full))
    expect(alike).toBeGreaterThan(0.95)
    expect(alike).toBeLessThan(1)
    const meta = readJson<{ approximate: string; options: object }>(join(fast, 'meta.json'))
    expect(meta.approximate).toMatch(/rays traced at [2-6] of 7 aspects/)
    expect(meta.options).toMatchObject({ sbr: { raysPerWavelength: 5 } })
  })

  it('traces every aspect where more reference aspects are requested, and warns of a likely wrong unit', async () => {
    const out = join(folder, 'every')
    const run = await isar`${IMAGE} --units cm --fast 1000 --out ${out}`
    expect(run.stderr).toMatch(/rays traced at 7 of 7 aspects/)
    expect(run.stderr).toContain('is the file in another unit?')
    expect(run.code).toBe(0)
    await expectRefusal(
      [...IMAGE, '--band', '1e15:1.1e15:9', '--fast', '--quiet'],
      /--units mm/,
      dirname(out),
    )
  })

  it('--frequency-tolerance 0 sums directly; else it changes the result by less than the tolerance, and is recorded', async () => {
    const args = 'samples/ship-1m.stl --band 3e9:3.4e9:20 --theta 80 --phi 20 --second-order none'.split(' ')
    const direct = await rcs`${args} ${CHEAP} --frequency-tolerance 0`
    const fast = await rcs`${args} ${CHEAP} --frequency-tolerance 1e-5`
    const amplitudes = ({ out }: { out: string }): number[] =>
      readCsv(out).flatMap((row) => [Number(row.f_vv_re), Number(row.f_vv_im)])
    const own = amplitudes(direct)
    expect(own).toHaveLength(40)
    expect(amplitudes(fast)).not.toEqual(own)
    const peak = Math.max(...own.map(Math.abs))
    amplitudes(fast).forEach((x, i) => expect(Math.abs(x - own[i])).toBeLessThan(1e-5 * peak))
    expect(fast.meta.options.sbr).toMatchObject({ sumTolerance: 1e-5 })
  })
})
