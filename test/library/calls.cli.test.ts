import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isar } from '../cli/cli.js'
import { swiftshaderEnv, unpackSwiftshader } from '../helpers/swiftshader.js'
import { runScript, userFolder } from './run-script.js'
import { words } from '../helpers/words.js'

const folder = userFolder()
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script that prints one JSON value, and must end by itself without a word on stderr. */
async function json<T>(name: string, code: string, env?: Record<string, string>): Promise<T> {
  const { code: exit, signal, stdout, stderr } = await runScript(folder, name, code, env)
  expect([exit, signal, stderr]).toEqual([0, null, ''])
  return JSON.parse(stdout) as T
}

const bytes = (...path: string[]): Buffer => readFileSync(join(folder, ...path))

describe('the bytes of the command line', () => {
  it('renderImage, findCentres', async () => {
    const args = words`render samples/cube.stl --band 1e9:1.4e9:6 --angles 6 --mechanisms --pol vv --size 32x40 --phi 20 --phase-centre 0.1,0,0 --device cpu --out cli`
    expect((await isar(args, { cwd: folder })).code).toBe(0)
    expect((await isar(['centres', 'cli', '--count', '3'], { cwd: folder })).code).toBe(0)
    const { progress, keys, centres, before } = await json<{
      progress: { phase: string; done: number; total: number }[]
      keys: string[]
      centres: { rangeM: number; crossRangeM: number; sigmaDbsm: number; xM: number; yM: number }[]
      before: string[]
    }>(
      'render',
      `import { readdirSync } from 'node:fs'
       import { findCentres, renderImage, saveRender } from 'isar'
       const progress = []
       const result = await renderImage('samples/cube.stl', {
         band: { f0: 1e9, f1: 1.4e9, count: 6 }, angles: 6, mechanisms: true, channels: ['vv'], phiDeg: 20,
         size: { rows: 32, cols: 40 }, phaseCentre: [0.1, 0, 0], device: 'cpu', onProgress: (p) => progress.push(p) })
       const { centres } = await findCentres(result, 'vv', { count: 3 })
       const before = readdirSync('.')
       await saveRender(result, 'lib')
       console.log(JSON.stringify({ progress, keys: Object.keys(result.images), centres, before }))`,
    )
    // Nothing is written unless asked for.
    expect(before.sort()).toEqual(['cli', 'node_modules', 'render.mjs', 'samples'])
    const written = readdirSync(join(folder, 'cli')).filter((f) => !f.startsWith('centres'))
    expect(readdirSync(join(folder, 'lib'))).toEqual(written)
    for (const name of written.filter((f) => !f.endsWith('.json')))
      expect(bytes('lib', name).equals(bytes('cli', name)), name).toBe(true)
    const meta = ['lib', 'cli'].map(
      (f) => JSON.parse(bytes(f, 'meta.json').toString()) as Record<string, object>,
    )
    for (const key of ['mesh', 'counts', 'image_peak_dbsm', 'version', 'device'])
      expect(meta[0][key]).toEqual(meta[1][key])
    expect(meta[0].options).toEqual(meta[1].options)
    const parts = ['', ...['b1', 'b2', 'b3', 'b4', 'b5', 'edge', ...SECOND_ORDER].map((m) => `_${m}`)]
    expect(keys).toEqual(parts.map((m) => `vv${m}`))
    expect(progress.filter((p) => p.phase === 'solve').map((p) => p.done)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(progress.at(-1)).toEqual({ phase: 'images', done: parts.length, total: parts.length })
    const table = bytes('cli', 'centres-vv.csv').toString().trim().split('\n').slice(1)
    expect(
      centres.map((c, i) =>
        [i + 1, c.rangeM.toFixed(5), c.crossRangeM.toFixed(5), c.sigmaDbsm.toFixed(3)].join(),
      ),
    ).toEqual(table.map((line) => line.split(',').slice(0, 4).join()))
    expect(centres.map((c) => [c.xM.toFixed(5), c.yM.toFixed(5)].join())).toEqual(
      table.map((line) => line.split(',').slice(7).join()),
    )
  })

  it('renderImage from a few reference aspects', async () => {
    const args = words`render samples/cube.stl --band 2e9:3e9:7 --angles 9 --pol vv,hv --device cpu --fast 3 --out fast`
    expect((await isar(args, { cwd: folder })).code).toBe(0)
    const { approximate, density } = await json<{ approximate: string; density: number }>(
      'fast',
      `import { renderImage, saveRender } from 'isar'
       const result = await renderImage('samples/cube.stl', { band: { f0: 2e9, f1: 3e9, count: 7 }, angles: 9, channels: ['vv', 'hv'],
         device: 'cpu', fast: 3 })
       await saveRender(result, 'fast-of-library')
       console.log(JSON.stringify({ approximate: result.meta.approximate, density: result.settings.sbr.raysPerWavelength }))`,
    )
    expect([approximate, density]).toEqual(['rays traced at 3 of 9 aspects, the others extrapolated', 3])
    for (const file of ['image.npz', 'phase-history.npz', 'target.npz'])
      expect(bytes(`fast-of-library/${file}`).equals(bytes(`fast/${file}`)), file).toBe(true)
  })

  it('rcs, of a file and of arrays, bistatic, with error bars', async () => {
    const args = words`rcs samples/dihedral.stl --band 4e8:6e8:3 --theta 70 --phi 0:20:20 --rx-theta 60,70 --rx-phi 5 --error-estimate --device cpu --out a.csv`
    expect((await isar(args, { cwd: folder })).code).toBe(0)
    const same = await json<{
      array: boolean
      shape: number[]
      sigma: number
      errors: number[]
      rx: number[]
    }>(
      'rcs',
      `import { rcs, readMesh, saveRcs } from 'isar'
       const options = { freqHz: { f0: 4e8, f1: 6e8, count: 3 }, thetaDeg: 70, phiDeg: [0, 20], rxThetaDeg: [60, 70], rxPhiDeg: 5,
         errorEstimate: true, device: 'cpu' }
       const result = await rcs('samples/dihedral.stl', options)
       await saveRcs(result, 'b.csv')
       const { positions, triangles } = await readMesh('samples/dihedral.stl')
       const again = await rcs({ name: 'dihedral', positions, indices: triangles }, options)
       console.log(JSON.stringify({ array: Buffer.from(again.f.vv.buffer).equals(Buffer.from(result.f.vv.buffer)),
         shape: [result.freqHz.length, result.thetaDeg.length, result.f.vv.length], sigma: result.sigmaDbsm.hh[5],
         errors: [result.samplingErrorM.hh[5], result.modelErrorM.hh[5]], rx: [...result.rxThetaDeg] }))`,
    )
    expect(bytes('b.csv').equals(bytes('a.csv'))).toBe(true)
    const [head, ...lines] = bytes('a.csv').toString().trim().split('\n')
    const cell = (column: string, row: number): number =>
      Number(lines[row].split(',')[head.split(',').indexOf(column)])
    expect(same).toEqual({
      array: true,
      shape: [3, 4, 24],
      sigma: expect.closeTo(cell('sigma_hh_dbsm', 5), 4) as number,
      errors: ['f_hh_sampling_error', 'f_hh_model_error'].map(
        (name) => expect.closeTo(cell(name, 5), 4) as number,
      ),
      rx: [60, 70, 60, 70],
    })
  })

  it('rcs on a GPU, which is given back also when the call is called off', async () => {
    const env = swiftshaderEnv(unpackSwiftshader()!)
    const args = words`rcs samples/plate.stl --freq 3e8 --theta 0:40:20 --device gpu --out gpu.csv`
    expect((await isar(args, { cwd: folder, env })).code).toBe(0)
    const { device, errors } = await json<{ device: string; errors: string[] }>(
      'gpu',
      `import { rcs, saveRcs } from 'isar'
       const options = { freqHz: 3e8, thetaDeg: [0, 20, 40], device: 'gpu' }
       const errors = []
       for (const when of ['target', 'solve']) {
         const stop = new AbortController()
         const onProgress = ({ phase }) => phase === when && stop.abort()
         await rcs('samples/plate.stl', { ...options, signal: stop.signal, onProgress }).catch(({ name }) => errors.push(name))
       }
       const result = await rcs('samples/plate.stl', options)
       await saveRcs(result, 'gpu-lib.csv')
       console.log(JSON.stringify({ device: result.meta.device, errors }))`,
      env,
    )
    expect([device, errors]).toEqual([expect.stringMatching(/SwiftShader/), ['AbortError', 'AbortError']])
    expect(bytes('gpu-lib.csv').equals(bytes('gpu.csv'))).toBe(true)
    // A software device compiles its kernels again for each call.
  })

  it('propagate, of a file and of an object', async () => {
    const args = words`propagate samples/two-ray.json --rays 2000 --paths all --device cpu --no-plot --out p-cli`
    expect((await isar(args, { cwd: folder })).code).toBe(0)
    const { paths, gain, steps } = await json<{ paths: boolean; gain: number; steps: number }>(
      'propagate',
      `import { readFileSync } from 'node:fs'
       import { propagate, savePropagation } from 'isar'
       const options = { rays: 2000, paths: 'all', device: 'cpu' }
       const [file, object] = await Promise.all([
         propagate('samples/two-ray.json', options),
         propagate(JSON.parse(readFileSync('samples/two-ray.json', 'utf8')), { ...options, convergence: true }),
       ])
       await savePropagation(file, 'p-lib')
       console.log(JSON.stringify({ paths: JSON.stringify(file.paths) === JSON.stringify(object.paths),
         gain: file.pathGainDb.vv[3], steps: object.convergence.length }))`,
    )
    for (const name of ['results.csv', 'results.npz', 'paths.csv'])
      expect(bytes('p-lib', name).equals(bytes('p-cli', name)), name).toBe(true)
    const row = bytes('p-cli', 'results.csv').toString().split('\n')[4].split(',')
    expect([paths, steps, gain.toFixed(5)]).toEqual([true, 3, row[7]])
  })
})

it('calls at the same time do not disturb each other', async () => {
  const { same, aborted } = await json<{ same: boolean; aborted: string }>(
    'together',
    `import { rcs } from 'isar'
     const cube = (signal) => rcs('samples/cube.stl', { freqHz: 1e9, phiDeg: [0, 10, 20, 30], device: 'cpu', workers: 2, signal })
     const plate = () => rcs('samples/plate.stl', { freqHz: 2e9, thetaDeg: [5, 15], device: 'cpu', workers: 1, mechanisms: true })
     const alone = [await cube(), await plate()]
     const stop = new AbortController()
     const off = rcs('samples/cube.stl', { freqHz: 3e9, phiDeg: Array.from({ length: 90 }, (_, i) => i), device: 'cpu', signal: stop.signal,
       onProgress: ({ phase, done }) => phase === 'solve' && done === 2 && stop.abort(new Error('enough')) })
     const both = await Promise.all([cube(), plate(), off.catch((error) => error.message)])
     const bytes = ({ f }) => JSON.stringify(Object.entries(f).map(([name, x]) => [name, [...x]]))
     console.log(JSON.stringify({ same: bytes(both[0]) === bytes(alone[0]) && bytes(both[1]) === bytes(alone[1]), aborted: both[2] }))`,
  )
  expect([same, aborted]).toEqual([true, 'enough'])
})

describe('a call that is called off', () => {
  /** Aborts a call at each of these steps, and afterwards looks for threads. */
  const script = (call: string): string => `
    import { readdirSync } from 'node:fs'
    import { propagate, rcs, renderImage } from 'isar'
    const threads = () => readdirSync('/proc/self/task').length
    const many = Array.from({ length: 200 }, (_, i) => i / 4)
    const errors = []
    const before = threads()
    for (const when of ['at once', 'target', 0, 1]) {
      const stop = new AbortController()
      if (when === 'at once') stop.abort()
      const onProgress = ({ phase, done }) => (phase === when || (phase === 'solve' && done >= when)) && stop.abort()
      const common = { device: 'cpu', workers: 2, signal: stop.signal, onProgress }
      errors.push(await ${call}.then(() => 'finished', ({ name }) => name))
    }
    // Threads of Node's own come and go, and none ends at once on a busy machine.
    for (let i = 0; i < 600 && threads() > before + 1; i++) await new Promise((done) => setTimeout(done, 100))
    console.log(JSON.stringify({ errors, left: threads() - before }))`

  it.runIf(process.platform === 'linux').each([
    [
      'renderImage',
      `renderImage('samples/cube.stl', { band: { f0: 2e9, f1: 3e9 }, angles: 200, ...common })`,
    ],
    ['rcs', `rcs('samples/cube.stl', { freqHz: 3e9, phiDeg: many, ...common })`],
    ['propagate', `propagate('samples/tunnel.json', { rays: 1e6, ...common })`],
  ])('%s rejects with an AbortError and leaves no thread', async (name, call) => {
    const { errors, left } = await json<{ errors: string[]; left: number }>(`abort-${name}`, script(call))
    expect(errors).toEqual(Array.from({ length: 4 }, () => 'AbortError'))
    expect(left).toBeLessThanOrEqual(1)
  })
})

it('bad input is an InputError that says what, and nothing is written', async () => {
  const says = await json<[string, string][]>(
    'bad',
    `import { findCentres, propagate, rcs, renderImage, saveRcs, saveRender, InputError } from 'isar'
     const cube = 'samples/cube.stl'
     const band = { f0: 1e9, f1: 1.2e9, count: 4 }
     const positions = new Float64Array(9), indices = Uint32Array.of(0, 1, 2)
     const plate = await rcs('samples/plate.stl', { freqHz: 3e8, device: 'cpu' })
     const calls = [
       () => renderImage('nowhere.stl', { band }),
       () => renderImage(cube, {}),
       () => renderImage(cube, { band, bandwith: 3 }),
       () => renderImage(cube, { band, fast: 0 }),
       () => renderImage(cube, { band, fast: true, mechanisms: true }),
       () => renderImage(cube, { band: { f0: 2e9, f1: 1e9 } }),
       () => renderImage(cube, { band, window: 'hann?' }),
       () => renderImage(cube, { band, raysPerWavelength: 'many' }),
       () => renderImage(cube, { band, maxBounces: 2.5 }),
       () => renderImage(cube, { band, channels: ['vx'] }),
       () => renderImage({ positions, indices }, { band }),
       () => renderImage({ positions: [0, 0, 0], indices }, { band }),
       () => renderImage({ positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, NaN), indices }, { band }),
       () => rcs(cube, { freqHz: -1 }),
       () => rcs(cube, { freqHz: [] }),
       () => rcs(cube, { freqHz: 1e9, thetaDeg: [60, 70], rxPhiDeg: 3 }),
       () => rcs(cube, { freqHz: 1e9, method: 'gpueco', formulation: 'exit' }),
       () => rcs(cube, { freqHz: 1e9, phaseCentre: [0, 0] }),
       () => rcs(cube, { freqHz: 1e15 }),
       () => rcs(null, { freqHz: 1e9 }),
       () => rcs(cube),
       () => propagate('nowhere.json'),
       () => propagate({ name: 'x' }),
       () => propagate('samples/two-ray.json', { paths: ['nobody'] }),
       () => findCentres({ images: { vv: 0 } }, 'hh'),
       () => saveRcs(plate, 'x.txt'),
       () => saveRcs(plate, 'nowhere/there\\0/x.csv'),
     ]
     const says = []
     for (const call of calls) {
       const error = await call().then(() => new Error('no error'), (e) => e)
       says.push([error instanceof InputError ? 'InputError' : error.name, error.message])
     }
     console.log(JSON.stringify(says))`,
  )
  const expected = [
    /nowhere\.stl: no such file/,
    /give band.*or resolution/,
    /no option "bandwith"; there are angles, aperture/,
    /fast: must be an integer from 1 to \d+, not 0/,
    /fast: a preview has no separate mechanisms; leave mechanisms out/,
    /band: .*f1 above f0/,
    /window: "hann\?" is unknown.*hamming/,
    /raysPerWavelength: many is not a finite number/,
    /maxBounces: must be an integer .*, not 2.5/,
    /channels: "vx" is not a channel/,
    /no facets left after cleaning/,
    /positions: Float64Array/,
    /vertex 2|finite|NaN/,
    /freqHz: -1 is not above zero/,
    /freqHz: give a number or a list/,
    /give the receiver’s theta too/,
    /formulation exit: .*method gpueco/,
    /phaseCentre: write three numbers/,
    /wavelengths/,
    /mesh: give the path/,
    /rcs: an object of options/,
    /nowhere\.json/,
    /scene: /,
    /no receivers are named "nobody"/,
    /no image "hh".*vv/,
    /ends with \.csv/,
    /cannot make the folder|null bytes/,
  ]
  expect(says.map(([kind]) => kind)).toEqual(expected.map(() => 'InputError'))
  expected.forEach((text, i) => expect(says[i][1]).toMatch(text))
  expect(existsSync(join(folder, 'nowhere'))).toBe(false)
})
