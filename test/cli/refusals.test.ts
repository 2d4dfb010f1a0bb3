import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { writeNpy } from '../../formats/npz.js'
import { makeFolder } from '../../run/sweep/row-store.js'
import { isar, readJson, temporaryFolder } from './cli.js'
import { HALL, SPECTROGRAMS, TURNING, TWO_MATERIALS, WINDOW, write } from './fixtures.js'
import { expectRefusal } from './refusal.js'
import { writeConfig } from './dataset-config.js'

/** What is done wrong, words of a command line in which @ is the folder of the files below; and what the one line must say. */
type Case = [args: string, says: RegExp | string]

const folder = temporaryFolder()
const asciiStl = (vertices: string): string =>
  `solid x\nfacet normal 0 0 1\nouter loop\n${vertices}\nendloop\nendfacet\nendsolid x\n`
const circle = Array.from({ length: 90_000 }, (_, i) => (2 * Math.PI * i) / 90_000)
const tunnel = readJson<object>('samples/tunnel.json')
const resistive = (eps: string): object => ({ media: { m: { eps_r: eps } } })
for (const [name, data] of Object.entries<string | Uint8Array | object>({
  'a.xyz': 'x',
  'cut.stl': readFileSync('samples/plate.stl').subarray(0, 150),
  'nan.stl': asciiStl('vertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0'),
  'empty.stl': '',
  'none.stl': 'solid x\nendsolid x\n',
  'flat.stl': asciiStl('vertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0'),
  'polygon.obj': `${circle.map((a) => `v ${Math.cos(a)} ${Math.sin(a)} 0\n`).join('')}f ${circle.map((_, i) => i + 1).join(' ')}`, // prettier-ignore
  'plate.obj': TWO_MATERIALS,
  'window.json': WINDOW,
  'without-groups.json': { ...WINDOW, groups: undefined },
  'bad.mat': 'no matrix',
  'turn.json': TURNING,
  'still.json': { ...TURNING, motion: { velocity_m_s: [1, 0, 0] } },
  'many.json': { ...tunnel, frequency: Array.from({ length: 2_000_000 }, (_, i) => 1e9 + i) },
  'device.json': { ...tunnel, receivers: [{ name: 'a', file: 'zero.csv' }], paths: [] },
  'pipe.json': { ...tunnel, receiverAntenna: { pattern: 'pipe.csv' } },
  'import.json': resistive('import("fs")'),
  'deep.json': resistive(`${'('.repeat(1e6)}1${')'.repeat(1e6)}`),
  'assigned.json': resistive('x = 3'),
  'large.json': resistive('1e9!'),
  'constructor.json': resistive('f.constructor'),
}))
  write(folder, name, data)
const isWindows = process.platform === 'win32'
if (!isWindows) {
  execFileSync('mkfifo', [`${folder}/pipe.csv`])
  symlinkSync('/dev/zero', `${folder}/zero.csv`)
}

const wordsOf = (line: string): string[] =>
  line
    .trim()
    .split(' ')
    .map((word) => word.replace('@', folder))

/** Cases of one command, each after words that are right. */
function refuses(command: string, cases: Case[]): void {
  describe(`isar ${command}`, () => {
    it.each(cases)('%s', (args, says) => expectRefusal(wordsOf(`${command} ${args}`), says, folder))
  })
}

const MOM = '--method mom solves for the currents'
const NOT_READ = /^isar: .*not a regular file; give/

refuses('', [
  ['paint samples/plate.stl', /unknown command 'paint'\n$/],
  ['redner samples/plate.stl', /'redner' \(did you mean render\?\)/],
  ['completion tcsh', /^isar: .*bash, zsh, fish/],
  ['compare samples/plate.stl --band 1.4e9:1.6e9:5 --method mom', /argument 'mom' is invalid\. Allowed choices are sbr, gpueco\./], // prettier-ignore
  ['dataset verify x --quite', /'--quite' \(did you mean --quiet\?\)/],
  ['dataset /nowhere/x.json', /x\.json: no such file/],
  ['propagate x.json', /x\.json.*give the path of a scene file/],
  ['propagate @/many.json --device cpu --quiet', /^isar: the run needs about .* of the 2000000 frequencies at a time/], // prettier-ignore
  ['validate nothing', /no validation case or group is called "nothing"/],
  ['validate --quick --full', /contradict/],
  ['validate --data /nowhere mom', /--data \/nowhere: there is no such folder/],
  ['validate austin-plate-5ghz', /nothing to run/],
  ['render --motion @/turn.json --theta 80', '--theta: the motion file says it'],
  ['render x.stl --motion @/turn.json', 'the motion file names the target’s mesh'],
  ['render x.stl --band 1e9:2e9 --autofocus entropy', 'give --motion FILE'],
  ['render --band 1e9:2e9', 'give a mesh, or --motion FILE'],
  ['rcs', /mesh/],
  ['rcs --freq 2.5GHz', /give a mesh.*--model/],
])
refuses('render', [
  ['nowhere.stl --band 1e9:1.5e9', /nowhere\.stl/],
  ['@ --band 1e9:1.5e9', /isar-test/],
  ['@/a.xyz --band 1e9:1.5e9', /a\.xyz.*\.stl/],
  ['@/cut.stl --band 1e9:1.5e9', /cut\.stl.*(facet|trunc|short)/i],
  ['@/nan.stl --band 1e9:1.5e9', /nan\.stl/],
  ['@/empty.stl --band 1e9:1.5e9', /empty\.stl/],
  ['@/none.stl --band 1e9:1.5e9', /facets/],
  ['@/flat.stl --band 1e9:1.5e9', /degenerate/],
  ['samples/cube.stl --band 2e9:2.5e9:8 --formats hdf5,xml', /^isar: --formats: "xml" is not a format; give some of npz,hdf5,mat\n$/], // prettier-ignore
])
refuses('render samples/plate.stl', [
  ['', /--band/],
  ['--band 1e9:1e9', /--band.*no width/],
  ['--band=-1e9:1e9', /--band.*positive/],
  ['--band 2e9:1e9', /--band.*1e9:2e9/],
  ['--band x:y', /--band.*"x"/],
  ['--freq 3GHz --resolution .3 --aperture 4', /--aperture contradicts --resolution/],
])
refuses('render samples/plate.stl --band 1e9:1.5e9', [
  ['--units parsec', /--units.*parsec/],
  ['--out @/a.xyz/x/out', /a\.xyz.*--out/],
  ['--theta 0', /theta/],
  ['--size big', /--size.*512x512/],
  ['--polar-format=yes', /auto, on, off/],
  ['--fast --mechanisms', /--mechanisms/],
  ['--fast 0', /--fast/],
  ['--fast --curved 0', /--curved/],
])
refuses('rcs samples/plate.stl', [
  ['--freq 3', /^isar: --freq: 3 has no unit .*3GHz/],
  ['--freq 5parsec', /--freq.*5parsec/],
  ['--freq 9e9:10e9:1e8', /--freq "9e9:10e9:1e8" is a range; .*--band/],
  ['--freq 10e12 --out @/x.csv', /wavelengths.*--units/],
  ...Object.entries({
    '--frequency': '--freq',
    '--azimuth': '--phi',
    '--polarization': '--pol',
    '--bounces': '--max-bounces',
  }).map(([option, meant]): Case => [
    `${option} 1`,
    new RegExp(`^isar: unknown option '${option}' \\(did you mean ${meant}\\?\\)\\n$`),
  ]),
  // More than memory holds, and more than a run may have.
  ['--band 1e9:2e9:1000000 --theta 0:90:0.001 --device cpu --quiet', /^isar: the run needs about \d+ GiB of memory .* fewer aspects \(90001\)/], // prettier-ignore
  ['--freq 1e9 --theta 0:9:1e-4 --phi 0:9:1e-4', /^isar: \d+ directions are too many for one run/],
])
refuses('rcs samples/plate.stl --freq 1e9', [
  ['--theta 0:90', /--theta.*0:90:1/],
  ['--theta 0:90:0', /--theta.*step/],
  ['--theta 1e308', /^isar: --theta: 1e\+308 is out of range/],
  ['--theta 0:90:9e-6', /^isar: --theta .* has 10000001 values/],
  ['--theta 0:90:0.01 --phi 0:360:0.3 --device cpu --quiet', /^isar: .*too many/],
  ['--pol xy', /--pol.*xy/],
  ['--rays-per-wavelength 0', /--rays-per-wavelength/],
  ['--max-bounces 99', /--max-bounces/],
  ['--curved 100', /--curved/],
  ['--frequency-tolerance 2', /--frequency-tolerance/],
  ['--resume --force', /--resume.*--force/],
  ['--second-order twice', /"twice" is not a mechanism/],
  ['--second-order reflected --diffraction none', /--diffraction none/],
  ['--plan --cluster redis://localhost:1', /--plan is of this machine/],
  // Receivers.
  ['--theta 10,20 --rx-phi 30', /the transmitter has 2 values of theta, .* give the receiver’s theta too/],
  ['--bistatic 10 --rx-phi 10', /--bistatic: it turns the receiver with the transmitter/],
  ['--bistatic 1,2,3', /--bistatic "1,2,3": write one or two angles/],
  // What would be ignored.
  ['--method gpueco --formulation exit', /--formulation exit.*gpueco.*leave it out/],
  ['--method gpueco --max-bounces 3', /--max-bounces: --method gpueco .*leave it out/],
  ['--method gpueco --rays-per-wavelength 9', /--rays-per-wavelength: --method gpueco/],
  ['--method gpueco --check', /--check needs rays; leave it out with --method gpueco/],
  ['--method gpueco --material glass:4mm', /--method gpueco follows no waves through sheets/],
  ['--method gpueco --material concrete --device gpu', /--method gpueco computes materials in double precision alone; take --device cpu/], // prettier-ignore
  ['--pixels 64', /--pixels: .*without --method gpueco/],
  ['--diffraction none --max-wedge-angle 90', /--max-wedge-angle: --diffraction none/],
  ['--distribute pull', /--distribute: .*--cluster/],
  // Each would be a folder.
  ...['x.txt', 'x.xlsx', 'x.json', 'x.3mf', 'x.unv'].map((name): Case => [
    `--out @/${name}`,
    /^isar: --out .*: this command writes no \.\w+ file; give the name of a folder/,
  ]),
])
refuses('rcs', [
  ['@/polygon.obj --freq 1e9 --device cpu --quiet', /^isar: .*a face with 90000 vertices/],
  ['samples/aircraft.stl --freq 10GHz --method mom --quiet', /GiB of memory and .* are free; --method mom has about \d+ unknowns at 10 GHz; about [\d.]+ GHz would fit/], // prettier-ignore
])
refuses('rcs test/validation/mom/plate_2x1lam.stl --freq 1.5GHz --method mom', [
  ['--error-estimate', /--error-estimate: there are no ray tubes/],
  ['--mechanisms', /--mechanisms: there is one field, without parts with --method mom/],
  ['--diffraction eec', /--diffraction eec: the currents at edges are part of the solution/],
  ['--max-bounces 5', `--max-bounces: ${MOM}`],
  ['--second-order none', `--second-order: ${MOM}`],
  ['--check', /--check: energy, residual and condition are checked/],
  ['--material glass', /the target has facets of "glass"/],
  ['--ground pec --ground-height -1', /--method mom knows no ground/],
])
refuses('rcs samples/cube.stl --freq 1GHz --phi 20 --device cpu --theta 70', [
  ['--ground pec', /reaches 0.5 m below the ground at z = 0 m: take a ground height of -0.5 or less/],
  ['--ground-height -0.5', /--ground-height: there is no ground without --ground/],
  ['--ground pec --ground-height low', /--ground-height: "low" is not a number/],
])
refuses('rcs samples/cube.stl --freq 1GHz --phi 20 --device cpu --theta 70 --ground-height -0.5', [
  ['--ground pec --theta 90', /theta 90 is not above the ground's horizon/],
  ['--ground glass:4mm', /"glass:4mm" is a sheet that waves pass through/],
  ['--ground wet-grond', /no material "wet-grond" \(did you mean wet-ground\?\)/],
  ['--ground wet-ground --freq 30GHz', /"wet-ground" is given for 1 to 10 GHz/],
  ['--ground pec --method gpueco', /--method gpueco knows no ground/],
  ['--ground pec --schedule static', /--schedule static knows no ground/],
  ['--ground pec --check', /--check knows no ground/],
  ['--ground wet-ground --formulation exit', /--formulation exit computes perfect conductors alone; leave it out, or take/], // prettier-ignore
  ['--ground wet-ground --second-order wall', /--second-order: .*leave it out with another ground/],
])
refuses('materials', [
  ['@/plate.obj --material pan=glass:4mm', /has no group "pan" \(did you mean pane\?\); it has plate\/steel, plate\/pane/], // prettier-ignore
  ['@/plate.obj --material pane=glas:4mm', /no material "glas:4mm" \(did you mean glass\?\)/],
  ['@/plate.obj --material =glass', /write GROUP=MATERIAL/],
  ['@/plate.obj --materials @/none.json', /none\.json/],
  ['@/plate.obj --units parsec', /--units.*parsec/],
  ['plot window --materials @/window.json --band 1e9:3e9', /medium "plastic" is given for 1 to 2 GHz, not for 2\.\d+ GHz/], // prettier-ignore
  ['plot window --freq 1GHz', /there is no material "window"/],
  ['plot glass', /give --freq f or --band f0:f1/],
  ['plot glass --freq 1GHz --theta 95', /--theta 95: give angles from the normal, 0 to 90/],
  // What is no expression.
  ...['import', 'deep', 'assigned', 'large', 'constructor'].map((name): Case => [
    `list --materials @/${name}.json`,
    new RegExp(`^(?=.{1,299}\\n$)isar: .*${name}\\.json: media\\.m\\.eps_r: "`),
  ]),
])
refuses('rcs @/plate.obj --device cpu --quiet --materials @/window.json', [
  ['--freq 3GHz', /medium "plastic" is given for 1 to 2 GHz, not for 3 GHz; take other frequencies/],
  ['--band 1.5e9:2.5e9:2', /medium "plastic" is given for 1 to 2 GHz, not for 2\.\d+ GHz; take other frequencies/], // prettier-ignore
])
refuses('doppler', [
  ['@/still.json --image --quiet', /^isar: the radar sees one aspect alone/],
  ['@/turn.json --units mm', 'set "units" there'],
  ['@/turn.json --stft 300', '--stft 300: there are 200 pulses'],
  ['@/turn.json --autofocus entropy', 'give --image too'],
  ['@/turn.json --formats csv', '--formats: "csv" is not a format'],
  ['@/turn.json --freq 1e9', `unknown option '--freq'; the motion file has the frequencies`],
])
refuses('image', [
  ['@/bad.mat', /neither \.npz, HDF5 nor MATLAB/],
  ['@/none.mat', /no such file/],
])

describe('files that are none', () => {
  it.skipIf(isWindows).each<Case>([
    ['propagate /dev/zero', NOT_READ],
    ['propagate @/device.json', NOT_READ],
    ['propagate @/pipe.json', NOT_READ],
    ['dataset /dev/zero', NOT_READ],
  ])('%s', (args, says) => expectRefusal(wordsOf(args), says, folder))

  it.skipIf(!existsSync('/proc/self'))('a folder that cannot be made although its parent is there', () => {
    expect(() => makeFolder('/proc/isar/deeper')).toThrow(/cannot make the folder .*ENOENT; choose another/)
  })

  it('an archive that inflates beyond its declared shape is left there', () => {
    const head = writeNpy('a', { data: new Uint8Array(8), shape: [8], dtype: '|u1' }).subarray(0, 128)
    const bomb = new Uint8Array(2 ** 28)
    bomb.set(head)
    const archive = zipSync({ 'a.npy': [bomb, { level: 1 }] })
    const before = process.memoryUsage().arrayBuffers
    expect(() => readNpz(archive)).toThrow('"a" in the .npz file has more than 8 bytes of 8')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 26)
  })
})

/** A change of a file that is right, the line, and options beside it. */
type Change = [change: object, says: RegExp | string, args?: string]

describe('isar propagate of a scene', () => {
  const built = (geometry: object) => ({ geometry: [geometry] })
  const mesh = resolve('samples/cube.stl')
  it.each<Change>([
    [{ reflexions: 3 }, /the whole: Unrecognized key.*reflexions/],
    [built({ box: { min: [0, 0], max: [1, 1, 1] }, material: 'pec' }), /geometry.0.box.min/],
    [built({ ...HALL.geometry[0], material: 'cheese' }), /material "cheese" is unknown; use one of/],
    [built({ box: { min: [1, 0, 0], max: [0, 1, 1] }, material: 'pec' }), /every coordinate of min must be below/], // prettier-ignore
    [built({ mesh: 'none.obj', material: 'pec' }), /none.obj/],
    [built({ mesh, materials: { roof: 'pec' } }), /geometry.0.materials: .*cube.stl has no group "roof"/],
    [built({ mesh }), /group "default" of .*cube.stl has no material/],
    [{ receivers: [{ name: 'a', points: [[2.13, 3.31, 1.57]] }], paths: [] }, /receiver 0 .* stands on the transmitter/], // prettier-ignore
    [{ receivers: [HALL.receivers[2], HALL.receivers[2]] }, /two are named "desk"/],
    [{ region: { min: [5, 0, 0], max: [9, 9, 4] } }, /outside the region/],
    [{ frequency: 'blue' }, /frequency: "blue" is not a frequency/],
    [{}, /no receivers are named "roof"; choose among walk, floor, desk/, '--paths roof'],
    [{}, /--rays/, '--rays 3'],
    [{}, `unknown option '--freq'; the scene file has the frequencies`, '--freq 1e9'],
  ])('%j', (change, says, args = '--quiet') => {
    const scene = write(folder, 'hall.json', { ...HALL, ...change })
    return expectRefusal(wordsOf(`propagate ${scene} --out @/hall ${args}`), says, folder)
  })

  it('text that is no JSON', () =>
    expectRefusal(['propagate', write(folder, 'hall.json', '{ "name": ')], /hall.json is not JSON/, folder))
})

describe('isar dataset of a configuration', () => {
  const SOIL = { model: 'soil', epsReal: 6, epsImag: 1, rmsHeightM: 0.01 }
  const GAMMA = { model: 'gamma', gammaDb: -15 }
  const soil = { ground: { surface: SOIL, waves: true } }
  const ground = (waves: unknown, surface: object = GAMMA) => ({ ground: { surface, waves } })
  const mesh = resolve('samples/cube.stl')
  const targets = [{ label: 'cube', mesh }]
  const painted = (given: object) => ({
    targets: [...targets, { label: 'painted', name: 'painted', mesh, ...given }],
  })
  const whole = { product: 'history', formats: ['npz'], radar: { band: ['1.5 GHz', '2.5 GHz'], frequencies: 8 } } // prettier-ignore
  const mom = { targets, channels: ['vv'], solver: { method: 'mom', workers: 1 } }
  it.each<Change>([
    [{ solver: { 'rays-per-lambda': 4 } }, /solver: "rays-per-lambda" is not an option/],
    [{ targets: [{ label: 'x', mesh: 'gone.stl' }] }, /targets\[0\] \(x\): .*gone\.stl: no such file/],
    [{ targets: [{ label: 'x', mesh: '../none' }] }, /not a known mesh file/],
    [{ radar: { centreHz: 'ten', resolutionM: 0.3 } }, /radar\.centreHz: "ten" is not valid \("ten" is not a frequency/], // prettier-ignore
    [{ image: { size: [4096, 4096] }, shardChips: 64 }, /files of .* GiB are more than readers take; lower shardChips/], // prettier-ignore
    [{ radar: { centreHz: '2 GHz', resolutionM: 0.3, frequencies: 1e5, angles: 1e5 } }, /^isar: the run needs about \d+ GiB of memory/, '--quiet'], // prettier-ignore
    [{}, /--shard "4\/3": write i\/n/, '--shard 4/3'],
    [{}, /--pol.*set channels there/, '--pol vv'],
    [{}, `unknown option '--freq'; the configuration has the frequencies`, '--freq 1e9'],
    // Waves by the ground.
    [ground(true), /ground.waves: a gamma surface has no permittivity; give/],
    [ground({ material: 'glass:4mm' }), /ground.waves.material: "glass:4mm" is a sheet/],
    [ground({ material: 'mud' }), /ground.waves.material: there is no material "mud"/],
    [{ ground: { surface: SOIL, waves: true, heightM: 0 } }, /targets\[0\] \(\w+\): the target reaches 0.5 m below the ground at z = 0 m/], // prettier-ignore
    [soil, /--cluster knows no ground; set ground.waves to false/, '--cluster redis://localhost:1'],
    [soil, /--method gpueco knows no ground; set ground.waves to false/, '--method gpueco'],
    [{ ground: { surface: SOIL }, labels: ['free'] }, /labels: free is the target without the waves by its ground; set ground.waves/], // prettier-ignore
    // Materials.
    [
      painted({ material: ['lid=pec'] }),
      /targets\[1\] \(painted\): material lid=pec: the mesh has no groups/,
    ],
    [painted({ material: ['wndow'], materials: 'window.json' }), /targets\[1\] \(painted\): material wndow: there is no material "wndow" \(did you mean window\?\)/], // prettier-ignore
    [painted({ materials: 'none.json' }), /targets\[1\] \(painted\): .*none\.json/],
    [{ ...painted({ material: ['window'], materials: 'without-groups.json' }), radar: { centreHz: '6 GHz', resolutionM: 0.3 } }, /medium "plastic" is given for 1 to 2 GHz, not for \d/], // prettier-ignore
    // The method of moments.
    ...['layers', 'centres', 'convergence'].map((label): Change => [
      { ...mom, labels: [label] },
      new RegExp(`^isar: labels: with --method mom .*; leave "${label}" out\\n$`),
    ]),
    [{ ...mom, solver: { 'rays-per-wavelength': 6 } }, `isar: solver: "rays-per-wavelength": ${MOM}`, '--method mom'], // prettier-ignore
    [mom, `isar: --max-bounces: ${MOM}`, '--max-bounces 3'],
    // Previews.
    [{}, '--shard: --preview draws one image of each class', '--preview --shard 1/2'],
    [{}, '--resume: --preview draws', '--preview --resume'],
    [{}, '--plan: --preview draws', '--preview --plan'],
    [{}, '--cluster: --preview draws', '--preview --cluster redis://127.0.0.1:1'],
    [{}, '--out sheet.svg: a preview is one picture; give a name like tiny-preview.png', '--preview --out sheet.svg'], // prettier-ignore
    [whole, '--preview: a dataset of whole sweeps has no images to draw', '--preview'],
    // Spectrograms.
    [{ ...SPECTROGRAMS, targets: [{ label: 'x', motion: 'gone.json' }] }, 'targets[0] (x)'],
    [{ ...SPECTROGRAMS, radar: { freqHz: '1 GHz' } }, 'radar'],
    [{ ...SPECTROGRAMS, start: [5, 1] }, 'start: 5 to 1 is descending'],
    [{ ...SPECTROGRAMS, rotorFactor: [1, 2] }, 'rotorFactor'],
    [{ ...SPECTROGRAMS, spectrogram: { pulses: 4096, columns: 4096 } }, 'longer than 65536'],
    [{ ...SPECTROGRAMS, splits: { by: 'copy', parts: { a: 1 } } }, 'there are no copies'],
    [{ ...SPECTROGRAMS, product: 'chips' }, 'product'],
  ])('%j', (change, says, args = '') => {
    const isOwn = 'product' in change && change.product !== 'history'
    const config = isOwn ? write(folder, 'config.json', change) : writeConfig(folder, change)
    const out = args.includes('--preview') ? '' : ' --out @/set'
    return expectRefusal(wordsOf(`dataset ${config}${out} ${args}`.trim()), says, folder)
  })
})

it.each<[string, string[], RegExp]>([
  ['a missing file', ['render', 'nowhere.stl', '--band', '1e9:1.5e9'], /^isar: .*nowhere\.stl/],
  ['an unknown option', ['rcs', 'x.stl', '--frequency', '1'], /^isar: unknown option '--frequency'/],
  ['a GPU that is absent', ['rcs', resolve('samples/plate.stl'), '--freq', '1e9', '--device', 'gpu'], /^isar: --device gpu.*--device cpu/], // prettier-ignore
])('%s ends the process with 2 and one line alone', async (_, args, says) => {
  const cwd = temporaryFolder()
  const { code, stdout, stderr } = await isar(args, { cwd })
  expect(stderr).toMatch(says)
  expect([code, stdout, stderr.trim().split('\n').length, readdirSync(cwd)]).toEqual([2, '', 1, []])
})
