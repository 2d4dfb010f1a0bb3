import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { RcsOptions, RcsResult } from '../../src/index.js'
import { readNpz } from '../../formats/index.js'
import { isar, readCsv, readJson, temporaryFolder } from '../cli/cli.js'
import { fileHashes, writeConfig } from '../cli/dataset-config.js'
import { type Word, words } from '../helpers/words.js'
import { swiftshaderEnv, unpackSwiftshader } from '../helpers/swiftshader.js'
import { examples, libraryPage } from './examples.js'
import { library } from './library.js'
import { runScript, userFolder } from './run-script.js'

const { findCentres, propagate, rcs, readMesh, renderImage, savePropagation, saveRcs, saveRender } = library
const folder = userFolder()
const at = (...path: string[]): string => join(folder, ...path)
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script of a user's that prints one JSON value, and must end by itself without a word on stderr. */
async function json<T>(name: string, code: string, env?: Record<string, string>): Promise<T> {
  const { code: exit, signal, stdout, stderr } = await runScript(folder, name, code, env)
  expect([exit, signal, stderr]).toEqual([0, null, ''])
  return JSON.parse(stdout) as T
}

async function cli(line: TemplateStringsArray, ...values: Word[]): Promise<void> {
  const { code, stderr } = await isar(words(line, ...values))
  expect(code, stderr).toBe(0)
}

function expectSameFiles(one: string, other: string, names: string[]): void {
  for (const name of names)
    expect(readFileSync(at(one, name)).equals(readFileSync(at(other, name))), name).toBe(true)
}

describe('the bytes of the command line', () => {
  it('renderImage, findCentres', async () => {
    await cli`render samples/cube.stl --band 1e9:1.4e9:3 --angles 3 --mechanisms --max-bounces 2 --second-order corner --pol vv --size 32x40 --phi 20 --phase-centre 0.1,0,0 --device cpu --workers 1 --out ${at('cli')}`
    await cli`centres ${at('cli')} --count 3`
    const progress: object[] = []
    const result = await renderImage('samples/cube.stl', {
      band: { f0: 1e9, f1: 1.4e9, count: 3 },
      angles: 3,
      mechanisms: true,
      maxBounces: 2,
      secondOrder: ['corner'],
      channels: ['vv'],
      phiDeg: 20,
      size: { rows: 32, cols: 40 },
      phaseCentre: [0.1, 0, 0],
      device: 'cpu',
      workers: 1,
      onProgress: ({ phase, done, total }) => progress.push({ phase, done, total }),
    })
    const { centres } = await findCentres(result, 'vv', { count: 3 })
    await saveRender(result, at('lib'))
    const written = readdirSync(at('cli')).filter((f) => !f.startsWith('centres'))
    expect(readdirSync(at('lib'))).toEqual(written)
    expectSameFiles('lib', 'cli', written.filter((f) => !f.endsWith('.json'))) // prettier-ignore
    const [own, meta] = ['lib', 'cli'].map((f) => readJson<Record<string, object>>(at(f, 'meta.json')))
    for (const key of ['mesh', 'counts', 'image_peak_dbsm', 'version', 'device', 'options'])
      expect(own[key]).toEqual(meta[key])
    const parts = ['', '_b1', '_b2', '_edge', '_corner']
    expect(Object.keys(result.images)).toEqual(parts.map((m) => `vv${m}`))
    const solved = [0, 1, 2, 3].map((done) => ({ phase: 'solve', done, total: 3 }))
    expect(progress).toEqual(expect.arrayContaining(solved))
    expect(progress.at(-1)).toEqual({ phase: 'images', done: parts.length, total: parts.length })
    const table = readFileSync(at('cli/centres-vv.csv'), 'utf8').trim().split('\n').slice(1)
    expect(table.map((line) => line.split(',')).map((cells) => [...cells.slice(0, 4), ...cells.slice(7)])).toEqual(
      centres.map((c, i) => [`${i + 1}`, c.rangeM.toFixed(5), c.crossRangeM.toFixed(5), c.sigmaDbsm.toFixed(3), c.xM!.toFixed(5), c.yM!.toFixed(5)]),
    ) // prettier-ignore
  })

  it('renderImage from a few reference aspects', async () => {
    await cli`render samples/cube.stl --band 1e9:1.5e9:4 --angles 5 --pol vv,hv --second-order none --device cpu --workers 1 --fast 2 --out ${at('fast')}`
    const result = await renderImage('samples/cube.stl', {
      band: { f0: 1e9, f1: 1.5e9, count: 4 },
      angles: 5,
      channels: ['vv', 'hv'],
      secondOrder: [],
      device: 'cpu',
      workers: 1,
      fast: 2,
    })
    await saveRender(result, at('fast-of-library'))
    expect(result.meta.approximate).toBe('rays traced at 2 of 5 aspects, the others extrapolated')
    expect(result.settings.sbr.raysPerWavelength).toBe(3)
    expectSameFiles('fast-of-library', 'fast', ['image.npz', 'phase-history.npz', 'target.npz'])
  })

  it('rcs, of a file and of arrays, bistatic, with error bars', async () => {
    await cli`rcs samples/dihedral.stl --band 4e8:5e8:2 --theta 70 --phi 0:20:20 --rx-theta 60,70 --rx-phi 5 --error-estimate --second-order none --device cpu --workers 1 --out ${at('a.csv')}`
    const options: RcsOptions = {
      freqHz: { f0: 4e8, f1: 5e8, count: 2 },
      thetaDeg: 70,
      phiDeg: [0, 20],
      rxThetaDeg: [60, 70],
      rxPhiDeg: 5,
      errorEstimate: true,
      secondOrder: [],
      device: 'cpu',
      workers: 1,
    }
    const result = await rcs('samples/dihedral.stl', options)
    await saveRcs(result, at('b.csv'))
    const { positions, triangles } = await readMesh('samples/dihedral.stl')
    const again = await rcs({ name: 'dihedral', positions, indices: triangles }, options)
    expect(again.f).toEqual(result.f)
    expectSameFiles('b.csv', 'a.csv', [''])
    expect([result.freqHz.length, result.thetaDeg.length, result.f.vv.length]).toEqual([2, 4, 16])
    expect([...result.rxThetaDeg!]).toEqual([60, 70, 60, 70])
    const row = readCsv(at('a.csv'))[5]
    for (const [name, values] of [
      ['sigma_hh_dbsm', result.sigmaDbsm],
      ['f_hh_sampling_error', result.samplingErrorM!],
      ['f_hh_model_error', result.modelErrorM!],
    ] as const)
      expect(values.hh[5]).toBeCloseTo(Number(row[name]), 4)
  })

  it('propagate, of a file and of an object', async () => {
    await cli`propagate samples/two-ray.json --rays 500 --paths all --device cpu --workers 1 --no-plot --out ${at('p-cli')}`
    const options = { rays: 500, paths: 'all', device: 'cpu', workers: 1 } as const
    const file = await propagate('samples/two-ray.json', options)
    const object = await propagate(readJson('samples/two-ray.json'), { ...options, convergence: true })
    await savePropagation(file, at('p-lib'))
    expectSameFiles('p-lib', 'p-cli', ['results.csv', 'results.npz', 'paths.csv'])
    expect(object.paths).toEqual(file.paths)
    expect(object.convergence).toHaveLength(3)
    const row = readCsv(at('p-cli/results.csv'))[3]
    expect(row.path_gain_vv_db).toBe(file.pathGainDb.vv![3].toFixed(5))
  })
})

it('rcs on a GPU, which is given back also when the call is called off', async () => {
  const { device, errors, apart } = await json<{ device: string; errors: string[]; apart: number }>(
    'gpu',
    `import { rcs } from 'isar'
     const options = { freqHz: 3e8, thetaDeg: [0, 20, 40], device: 'gpu' }
     const errors = []
     for (const when of ['target', 'solve']) {
       const stop = new AbortController()
       const onProgress = ({ phase }) => phase === when && stop.abort()
       await rcs('samples/plate.stl', { ...options, signal: stop.signal, onProgress }).catch(({ name }) => errors.push(name))
     }
     const { meta, f } = await rcs('samples/plate.stl', options)
     const own = (await rcs('samples/plate.stl', { ...options, device: 'cpu' })).f.vv
     const apart = Math.max(...f.vv.map((x, i) => Math.abs(x - own[i]))) / Math.max(...own.map(Math.abs))
     console.log(JSON.stringify({ device: meta.device, errors, apart }))`,
    swiftshaderEnv(unpackSwiftshader()!),
  )
  expect([device, errors]).toEqual([expect.stringMatching(/SwiftShader/), ['AbortError', 'AbortError']])
  expect(apart).toBeLessThan(1e-4)
})

it('calls at the same time do not disturb each other', async () => {
  const cube = (): Promise<RcsResult> =>
    rcs('samples/cube.stl', {
      freqHz: 1e9,
      phiDeg: [0, 10, 20, 30],
      device: 'cpu',
      workers: 2,
      secondOrder: [],
    })
  const plate = (): Promise<RcsResult> =>
    rcs('samples/plate.stl', { freqHz: 1e9, thetaDeg: [5, 15], device: 'cpu', workers: 1, mechanisms: true })
  const alone = [await cube(), await plate()]
  const stop = new AbortController()
  const off = rcs('samples/cube.stl', {
    freqHz: 1e9,
    secondOrder: [],
    phiDeg: Array.from({ length: 90 }, (_, i) => i),
    device: 'cpu',
    workers: 1,
    signal: stop.signal,
    onProgress: ({ phase, done }) => phase === 'solve' && done === 2 && stop.abort(new Error('enough')),
  })
  const [first, second] = await Promise.all([cube(), plate(), expect(off).rejects.toThrow('enough')])
  expect([first.f, second.f]).toEqual(alone.map(({ f }) => f))
})

// Aborts calls at each of these steps, and afterwards looks for threads and files.
it.runIf(process.platform === 'linux')(
  'a call that is called off rejects with an AbortError and leaves no thread; none writes',
  async () => {
    const found = await json<{ errors: string[]; left: number; files: string[] }>(
      'abort',
      `import { readdirSync } from 'node:fs'
     import { propagate, rcs, renderImage } from 'isar'
     const threads = () => readdirSync('/proc/self/task').length
     const [errors, files, before] = [[], readdirSync('.'), threads()]
     const many = Array.from({ length: 200 }, (_, i) => i / 4)
     const small = { band: { f0: 1e9, f1: 1.2e9, count: 2 }, angles: 2, size: { rows: 8, cols: 8 } }
     for (const call of [
       (common) => renderImage('samples/cube.stl', { band: { f0: 1e9, f1: 1.5e9, count: 6 }, angles: 200, ...common }),
       (common) => rcs('samples/cube.stl', { freqHz: 1e9, phiDeg: many, ...common }),
       (common) => propagate('samples/tunnel.json', { rays: 1e6, ...common }),
       (common) => renderImage('samples/plate.stl', { ...small, ...common, signal: undefined }),
     ])
       for (const when of ['at once', 'target', 0, 1]) {
         const stop = new AbortController()
         if (when === 'at once') stop.abort()
         const onProgress = ({ phase, done }) => (phase === when || (phase === 'solve' && done >= when)) && stop.abort()
         const common = { device: 'cpu', workers: 1, signal: stop.signal, onProgress }
         errors.push(await call(common).then(() => 'finished', ({ name }) => name))
       }
     // Threads of Node's own come and go, and none ends at once on a busy machine.
     for (let i = 0; i < 600 && threads() > before + 1; i++) await new Promise((done) => setTimeout(done, 100))
     console.log(JSON.stringify({ errors, left: threads() - before, files: readdirSync('.').filter((f) => !files.includes(f)) }))`,
    )
    const errors = [...Array<string>(12).fill('AbortError'), ...Array<string>(4).fill('finished')]
    expect(found).toMatchObject({ errors, files: [] })
    expect(found.left).toBeLessThanOrEqual(1)
  },
)

it('bad input is an InputError that says what, and nothing is written', async () => {
  const cube = 'samples/cube.stl'
  const band = { f0: 1e9, f1: 1.2e9, count: 4 }
  const [positions, indices] = [new Float64Array(9), Uint32Array.of(0, 1, 2)]
  const plate = await rcs('samples/plate.stl', { freqHz: 3e8, device: 'cpu', workers: 1 })
  // A program without types may give anything.
  const calls = library as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
  const bad: [string, unknown[], RegExp][] = [
    ['renderImage', ['nowhere.stl', { band }], /nowhere\.stl: no such file/],
    ['renderImage', [cube, {}], /give band.*or resolution/],
    ['renderImage', [cube, { band, bandwith: 3 }], /no option "bandwith"; there are angles, aperture/],
    ['renderImage', [cube, { band, fast: 0 }], /fast: must be an integer from 1 to \d+, not 0/],
    ['renderImage', [cube, { band, fast: true, mechanisms: true }], /fast: a preview has no separate mechanisms; leave mechanisms out/],
    ['renderImage', [cube, { band: { f0: 2e9, f1: 1e9 } }], /band: .*f1 above f0/],
    ['renderImage', [cube, { band, window: 'hann?' }], /window: "hann\?" is unknown.*hamming/],
    ['renderImage', [cube, { band, raysPerWavelength: 'many' }], /raysPerWavelength: many is not a finite number/],
    ['renderImage', [cube, { band, maxBounces: 2.5 }], /maxBounces: must be an integer .*, not 2.5/],
    ['renderImage', [cube, { band, channels: ['vx'] }], /channels: "vx" is not a channel/],
    ['renderImage', [{ positions, indices }, { band }], /no facets left after cleaning/],
    ['renderImage', [{ positions: [0, 0, 0], indices }, { band }], /positions: Float64Array/],
    ['renderImage', [{ positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, NaN), indices }, { band }], /vertex 2|finite|NaN/],
    ['rcs', [cube, { freqHz: -1 }], /freqHz: -1 is not above zero/],
    ['rcs', [cube, { freqHz: [] }], /freqHz: give a number or a list/],
    ['rcs', [cube, { freqHz: 1e9, thetaDeg: [60, 70], rxPhiDeg: 3 }], /give the receiver’s theta too/],
    ['rcs', [cube, { freqHz: 1e9, method: 'gpueco', formulation: 'exit' }], /formulation exit: .*method gpueco/],
    ['rcs', [cube, { freqHz: 1e9, phaseCentre: [0, 0] }], /phaseCentre: write three numbers/],
    ['rcs', [cube, { freqHz: 1e15 }], /wavelengths/],
    ['rcs', [null, { freqHz: 1e9 }], /mesh: give the path/],
    ['rcs', [cube], /rcs: an object of options/],
    ['propagate', ['nowhere.json'], /nowhere\.json/],
    ['propagate', [{ name: 'x' }], /scene: /],
    ['propagate', ['samples/two-ray.json', { paths: ['nobody'] }], /no receivers are named "nobody"/],
    ['findCentres', [{ images: { vv: 0 } }, 'hh'], /no image "hh".*vv/],
    ['saveRcs', [plate, at('x.txt')], /ends with \.csv/],
    ['saveRcs', [plate, at('nowhere/there\0/x.csv')], /cannot make the folder|null bytes/],
  ] // prettier-ignore
  for (const [name, given, message] of bad) {
    const error: unknown = await calls[name](...given).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(library.InputError)
    expect((error as Error).message).toMatch(message)
  }
  expect(['x.txt', 'nowhere'].filter((name) => existsSync(at(name)))).toEqual([])
})

describe('jobs of commands', () => {
  const folder = temporaryFolder()

  it('dataset makes the bytes of isar dataset, resumes them, and refuses a folder that is taken', async () => {
    const config = writeConfig(folder, {
      aspects: { azimuth: { from: 0, to: 70, step: 35 }, elevation: [10] },
    })
    const [own, cli] = [join(folder, 'own'), join(folder, 'cli')]
    const progress: string[] = []
    const made = await library.dataset(config, {
      out: own,
      imageWorkers: 0,
      onProgress: ({ phase, what }) => progress.push(`${phase} ${what}`),
    })
    expect(made).toMatchObject({ images: 6, computed: 6, finished: true, warnings: [] })
    expect(progress).toContain('solve images')
    expect((await isar`dataset ${config} --image-workers 0 --out ${cli}`).code).toBe(0)
    expect(fileHashes(own)).toEqual(fileHashes(cli))
    await expect(library.dataset(config, { out: own })).rejects.toThrow(/give --force to make it again/)
    await expect(library.dataset(config, { out: own, resume: true })).rejects.toThrow(/already complete/)
    const part = await library.dataset(config, { out: join(folder, 'part'), shard: [1, 2], imageWorkers: 0 })
    expect([part.finished, part.complete]).toEqual([false, 1])
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(library.dataset(config, { out: join(folder, 'none'), signal: stop })).rejects.toThrow(
      'enough',
    )
  })

  it('image has the arrays of isar image, and compare the errors of isar compare', async () => {
    const [run, formed] = [join(folder, 'run'), join(folder, 'formed')]
    const sweep = words`samples/cube.stl --band 1e9:1.4e9:6 --angles 6 --pol vv --device cpu`
    expect((await isar`render ${sweep} --out ${run}`).code).toBe(0)
    expect((await isar`image ${run} --device cpu --out ${formed}`).code).toBe(0)
    const { images, channels } = await library.image(run, { device: 'cpu' })
    expect(Object.keys(channels)).toEqual(['vv'])
    const written = readNpz(readFileSync(join(formed, 'image.npz')))
    expect(images.image_vv.data).toEqual(written.image_vv.data)
    await expect(library.image(run, { algorithm: 'fourier' as never })).rejects.toThrow(
      /algorithm: "fourier" is unknown/,
    )
    const [same] = await library.compare([run, run])
    expect(same.differences.every(({ rms_db }) => rms_db === 0)).toBe(true)
    await expect(library.compare([run])).rejects.toThrow(/another to compare with/)
  })

  it('validate computes the case that is named, and refuses a name that is none', async () => {
    const { cases } = await library.validate(['plate-2x1lam-phi90'], { device: 'cpu' })
    expect(cases.map(({ name, verdict }) => [name, verdict])).toEqual([['plate-2x1lam-phi90', 'unchanged']])
    await expect(library.validate(['nothing'])).rejects.toThrow(/no validation case/)
  })
})

describe('docs/library.md', () => {
  it('every program of the page is followed by its output', () => {
    expect(examples.length).toBe(libraryPage.match(/^```js$/gm)!.length)
    expect(examples.length).toBeGreaterThan(4)
  })

  it.each(examples)('$heading', async ({ heading, code, output }) => {
    const { code: exit, stdout, stderr } = await runScript(folder, heading.replace(/\W+/g, '-'), code)
    expect([exit, stderr, stdout]).toEqual([0, '', output])
  })
})
