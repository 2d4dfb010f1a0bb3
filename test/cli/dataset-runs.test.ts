import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { decode } from 'fast-png'
import { beforeAll, describe, expect, it } from 'vitest'
import { type NpyArray, readNpz } from '../../formats/index.js'
import { Random } from '../../math/random.js'
import type { TimingReport } from '../../run/sweep/index.js'
import { isar, readJson, temporaryFolder } from './cli.js'
import { fileHashes, writeConfig } from './dataset-config.js'
import { SPECTROGRAMS, write } from './fixtures.js'

/** Moments at which a run is killed; ISAR_KILLS=50 for the whole claim (some ten minutes). */
const KILLS = Number(process.env.ISAR_KILLS ?? 3)

describe('isar dataset, resumed and in shards', () => {
  const folder = temporaryFolder()
  const config = writeConfig(folder, {
    formats: ['npz', 'hdf5', 'webdataset', 'sample'],
    labels: ['layers', 'mask'],
    nuisance: { snrDb: 20 },
    trace: 'shared',
    aspects: { azimuth: { from: 0, to: 350, step: 70 }, elevation: [10] },
    radar: { centreHz: '2 GHz', resolutionM: 0.6 },
    shardChips: 4,
    splits: { by: 'azimuth', parts: { train: 0.7, test: 0.3 }, blockDeg: 60 },
    solver: { 'rays-per-wavelength': 4, 'max-bounces': 2, 'second-order': 'none', device: 'cpu', workers: 1 },
  })
  // No thread of its own forms images.
  const made = ['dataset', config, '--image-workers', '0', '--out']
  const whole = join(folder, 'whole')
  let seconds = 0

  beforeAll(async () => {
    const start = performance.now()
    expect((await isar([...made, whole, '--quiet'], {})).code).toBe(0)
    seconds = (performance.now() - start) / 1000
  })

  it('in the shares of a batch system, in any order, gives the same bytes', async () => {
    const out = join(folder, 'shares')
    for (const share of ['3/3', '1/3', '2/3']) {
      const run = await isar`${made} ${out} --shard ${share}`
      expect(run.code).toBe(0)
    }
    expect(existsSync(join(out, 'manifest.json'))).toBe(false)
    expect((await isar`dataset verify ${out}`).stderr).toMatch(/not finished/)
    const rest = await isar`${made} ${out} --resume`
    expect(rest.code).toBe(0)
    // Finished shards take no time: none is told from how fast they are passed over.
    expect(rest.stderr.match(/\d+ of \d+ images.*/g)).toEqual([expect.stringMatching(/^(\d+) of \1 images$/)])
    expect(fileHashes(out)).toEqual(fileHashes(whole))
    expect((await isar`dataset verify ${out}`).code).toBe(0)
  })

  it('reports an interruption, and resumes to the same bytes', async () => {
    const out = join(folder, 'interrupted')
    const run = await isar([...made, out], { at: { message: / of \d+ images/ } })
    expect(run.code).toBe(130)
    expect(run.stderr).toMatch(/continue with --resume/)
    const again = await isar`${made} ${out}`
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/holds an interrupted run; give --resume/)
    expect((await isar`${made} ${out} --resume`).code).toBe(0)
    expect(fileHashes(out)).toEqual(fileHashes(whole))
  })

  it('never touches another dataset, nor a finished one', async () => {
    const change = await isar`${made} ${whole} --rays-per-wavelength 5 --resume`
    expect(change.code).toBe(2)
    expect(change.stderr).toMatch(/holds a dataset of another configuration/)
    expect((await isar`${made} ${whole}`).stderr).toMatch(/complete; give --force/)
    expect((await isar`${made} ${whole} --resume`).code).toBe(0)
  })

  it('keeps what is finished when the disk is full, and goes on', async () => {
    const out = join(folder, 'full')
    const main = join(process.cwd(), 'dist/src/cli/main.js')
    const { spawnSync } = await import('node:child_process')
    // No file may become larger than 32 blocks of 1 KiB: a shard does not fit.
    const run = spawnSync('bash', ['-c', `ulimit -f 32; exec node "${main}" "$@"`, '-', ...made, out], { encoding: 'utf8' }) // prettier-ignore
    expect(run.stderr).toMatch(/no space left \(EFBIG\); finished parts are kept.*--resume/)
    expect(run.status).toBe(2)
    expect(existsSync(join(out, 'manifest.json'))).toBe(false)
    expect((await isar`${made} ${out} --resume`).code).toBe(0)
    expect(fileHashes(out)).toEqual(fileHashes(whole))
  })

  /** Runs the command line and kills it with SIGKILL after so many seconds; whether it was still alive. */
  const killed = (args: string[], after: number): Promise<boolean> =>
    new Promise((done, fail) => {
      const child = spawn(process.execPath, [resolve('dist/src/cli/main.js'), ...args], { stdio: 'ignore' })
      const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * after)
      child.on('error', fail)
      child.on('close', (_, signal) => {
        clearTimeout(timer)
        done(signal === 'SIGKILL')
      })
    })

  it(
    `killed at ${KILLS} random moments and resumed has the same bytes`,
    async () => {
      const random = new Random(KILLS, 1)
      let kills = 0
      for (let round = 0; kills < KILLS; round++) {
        const out = join(folder, `round-${round}`)
        while (!existsSync(join(out, 'manifest.json')) || existsSync(join(out, '.partial'))) {
          // Anywhere in the run, its very end and the last step included.
          const after = kills < KILLS ? 1.1 * seconds * random.uniform() : 1e6
          const start = performance.now()
          const fresh = !existsSync(out)
          if (await killed([...made, out, '--quiet', '--resume'], after)) kills++
          else if (fresh) seconds = Math.min(seconds, (performance.now() - start) / 1000)
        }
        // Killed between the manifest and the end, it says that all is there.
        expect((await isar`${made} ${out} --resume`).code).toBe(0)
        expect(fileHashes(out)).toEqual(fileHashes(whole))
      }
    },
    1000 * (600 + 40 * KILLS),
  )
})

type Angle = TimingReport['per_angle'][0] & { target: string; state_deg: number; copy: number }

interface Timing extends TimingReport {
  dataset: { images: number; aspects: number }
  per_angle: Angle[]
}

/** Makes two images of each of two targets, a shard each, and reads what it took. */
async function timingOf(name: string, ...more: string[]): Promise<Timing> {
  const folder = temporaryFolder()
  const config = writeConfig(folder, {
    aspects: { azimuth: [0, 40], elevation: [10] },
    radar: { centreHz: '2 GHz', resolutionM: 0.6 },
    shardChips: 2,
    copies: { count: 2, scale: 0.02 },
  })
  const out = join(folder, 'out')
  const run = await isar`dataset ${config} --out ${out} --quiet ${more}`
  expect([run.code, run.stderr]).toEqual([0, ''])
  return readJson<Timing>(join(out, name))
}

const sum = (x: number[]): number => x.reduce((a, b) => a + b, 0)

describe('timing.json', () => {
  it('lists every aspect with its target, and their seconds are those of the sides', async () => {
    const { per_angle: angles, dataset, gpu_busy, cpu_busy, schedule } = await timingOf('timing.json')
    expect(angles).toHaveLength(dataset.aspects)
    expect(dataset.aspects % dataset.images).toBe(0)
    expect(sum(angles.map((a) => a.sbr_seconds))).toBeCloseTo(gpu_busy, 9)
    expect(sum(angles.map((a) => a.diffraction_seconds))).toBeCloseTo(cpu_busy, 9)
    expect(gpu_busy * cpu_busy).toBeGreaterThan(0)
    const keys = new Set(angles.map((a) => `${a.target} ${a.copy} ${a.state_deg} ${a.schedule}`))
    expect([...keys].sort()).toEqual(
      ['cube 0', 'cube 1', 'dihedral 0', 'dihedral 1'].map((target) => `${target} 0 ${schedule}`),
    )
    const perImage = dataset.aspects / dataset.images
    angles.slice(0, perImage).forEach((a, i) => {
      expect(a.theta_deg).toBe(80)
      expect(a.sub_grid_seconds.length).toBeGreaterThan(0)
      if (i > 0) expect(a.phi_deg).toBeGreaterThan(angles[i - 1].phi_deg)
    })
    expect(angles[0].phi_deg + angles[perImage - 1].phi_deg).toBeCloseTo(0, 9)
  })

  it('lists the aspects of the share with --shard', async () => {
    const { per_angle: angles, dataset } = await timingOf('timing-1-of-4.json', '--shard', '1/4')
    expect(dataset.images).toBe(2)
    expect(angles).toHaveLength(dataset.aspects)
    expect(new Set(angles.map((a) => `${a.target} ${a.copy}`)).size).toBe(1)
    for (const a of angles) expect(a.sbr_seconds).toBeGreaterThan(0)
  })
})

const cube = { targets: [{ label: 'cube', mesh: resolve('samples/cube.stl') }], channels: ['vv'] }

async function shardOf(change: object): Promise<Record<string, NpyArray>> {
  const folder = temporaryFolder()
  const out = join(folder, 'out')
  const run = await isar(['dataset', writeConfig(folder, { ...cube, ...change }), '--out', out, '--quiet'])
  expect(run.stderr).toBe('')
  return readNpz(readFileSync(join(out, 'npz/shard-00000.npz')))
}

describe('images of a dataset', () => {
  it('are those of isar render', async () => {
    const folder = temporaryFolder()
    const { image, range_m, cross_range_m, freq_hz } = await shardOf({
      aspects: { azimuth: [20], elevation: [10] },
      radar: { band: [1.8e9, 2.2e9], apertureDeg: 10, frequencies: 12, angles: 10 },
      image: { size: [24, 20], spacingM: 0.2, window: 'hamming' },
    })
    expect([...freq_hz.data.subarray(0, 2)]).toEqual([1.8e9, expect.closeTo(1.8e9 + 0.4e9 / 11, 3)])
    const sweep = '--band 1.8e9:2.2e9:12 --theta 80 --phi 20 --aperture 10 --angles 10'.split(' ')
    const run =
      await isar`render ${resolve('samples/cube.stl')} ${sweep} --rays-per-wavelength 4 --max-bounces 2 --device cpu --second-order none --pol vv --polar-format --out ${join(folder, 'r')} --quiet`
    expect(run.code).toBe(0)
    const rendered = readNpz(readFileSync(join(folder, 'r/image.npz')))
    // Both grids hold the phase centre.
    const at = (picture: NpyArray, range: NpyArray, cross: NpyArray): number[] => {
      const zero = (axis: NpyArray): number => axis.data.findIndex((x) => Math.abs(x) < 1e-9)
      const i = 2 * (zero(range) * cross.data.length + zero(cross))
      return [picture.data[i], picture.data[i + 1]]
    }
    const [re, im] = at(rendered.image_vv, rendered.range_m, rendered.cross_range_m)
    expect(Math.hypot(re, im)).toBeGreaterThan(0.01)
    expect(at(image, range_m, cross_range_m)).toEqual([expect.closeTo(re, 6), expect.closeTo(im, 6)])
  })

  it('are the same from shared aspects as from their own', async () => {
    const shared = await shardOf({
      trace: 'shared',
      aspects: { azimuth: { from: 0, to: 30, step: 10 }, elevation: [10] },
    })
    const azimuth = [...shared.azimuth_deg.data]
    const own = await shardOf({ trace: 'own', aspects: { azimuth, elevation: [10] } })
    expect(own.image.data.length).toBe(shared.image.data.length)
    let [peak, apart] = [0, 0]
    own.image.data.forEach((x, i) => {
      peak = Math.max(peak, Math.abs(x))
      apart = Math.max(apart, Math.abs(x - shared.image.data[i]))
    })
    expect(apart / peak).toBeLessThan(1e-5)
  })
})

const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('isar-preview-'))

it('--preview draws one image of each class and writes nothing else', async () => {
  const folder = temporaryFolder()
  const path = writeConfig(folder, { radar: { centreHz: '2 GHz', resolutionM: 0.6 }, realisations: 3, nuisance: { snrDb: 20 }, labels: ['mask', 'lit'], ground: { surface: { model: 'gamma', gammaDb: -20 } } }) // prettier-ignore
  const out = join(folder, 'sheet.png')
  const before = leftovers()
  const run = await isar`dataset ${path} --preview --out ${out} --json`
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 of 2 images')])
  expect(JSON.parse(run.stdout)).toMatchObject({ preview: out, classes: ['corner', 'cube'] })
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'sheet.png'])
  expect(leftovers()).toEqual(before)
  const sheet = readFileSync(out)
  const { width, height, data } = decode(sheet)
  expect([width > 600, height > 200, new Set(data).size > 50]).toEqual([true, true, true])
  const again = await isar`dataset ${path} --preview --out ${out}`
  expect([again.code, again.stderr.trim().split('\n').length]).toEqual([2, 1])
  expect(again.stderr).toContain('--force')
  expect((await isar`dataset ${path} --preview --out ${out} --force`).code).toBe(0)
  expect(readFileSync(out).equals(sheet)).toBe(true)
})

it('--preview draws a chip of each class of spectrograms', async () => {
  const folder = temporaryFolder()
  const [{ motion }] = SPECTROGRAMS.targets
  const targets = ['slow', 'fast'].map((label) => ({ label, name: label, motion: { ...motion, parts: [] } }))
  const path = write(folder, 'c.json', { ...SPECTROGRAMS, targets })
  const out = join(folder, 'tiny-preview.png')
  const run = await isar`dataset ${path} --preview --out ${out}`
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 of 2 chips')])
  expect(readdirSync(folder).sort()).toEqual(['c.json', 'tiny-preview.png'])
})

describe('the plan of a dataset', () => {
  const folder = temporaryFolder()
  const targets = [
    { label: 'plate', mesh: resolve('samples/plate.stl') },
    { label: 'drone', mesh: resolve('samples/drone.stl'), scale: 2 },
  ]

  it('counts every target by itself, whichever comes first, and warns of each', async () => {
    const plans: Record<string, string>[] = []
    for (const order of [targets, targets.toReversed()]) {
      const own = mkdtempSync(join(folder, 'order-'))
      const config = writeConfig(own, { targets: order })
      const run = await isar(['dataset', config, '--out', join(own, 'out')], {
        at: { message: /^edges/ },
      })
      const line = (name: string): string => new RegExp(`^${name}.*`, 'm').exec(run.stderr)![0]
      plans.push({ targets: line('targets'), estimate: line('estimate'), plate: line('warning: plate') })
    }
    expect(plans[1]).toEqual(plans[0])
    expect(plans[0].plate).toMatch(/not closed/)
  })
})
