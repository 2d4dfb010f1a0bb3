import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { words } from '../helpers/words.js'
import { isar, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'

const plate = resolve('samples/plate.stl')
const BAND = ['--band', '1e9:1.5e9']
const RCS = ['rcs', plate, '--freq', '1e9']

const asciiStl = (vertices: string): string =>
  `solid x\nfacet normal 0 0 1\nouter loop\n${vertices}\nendloop\nendfacet\nendsolid x\n`

/** Files that are wrong, by name. */
const WRONG: Record<string, string | Uint8Array> = {
  'a.xyz': 'x',
  'cut.stl': readFileSync(plate).subarray(0, 150),
  'nan.stl': asciiStl('vertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0'),
  'empty.stl': '',
  'none.stl': 'solid x\nendsolid x\n',
  'flat.stl': asciiStl('vertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0'),
  'a-file': 'x',
}
const wrong = temporaryFolder()
for (const [name, data] of Object.entries(WRONG)) writeFileSync(join(wrong, name), data)

/** What the user does wrong, and what the one line must name. */
const CASES: [what: string, args: string[], says: RegExp][] = [
  ['missing file', words`render nowhere.stl ${BAND}`, /nowhere\.stl/],
  ['a folder as mesh', words`render ${wrong} ${BAND}`, /isar-test/],
  ['unknown ending', words`render ${wrong}/a.xyz ${BAND}`, /a\.xyz.*\.stl/],
  ['truncated STL', words`render ${wrong}/cut.stl ${BAND}`, /cut\.stl.*(facet|trunc|short)/i],
  ['NaN vertices', words`render ${wrong}/nan.stl ${BAND}`, /nan\.stl/],
  ['empty file', words`render ${wrong}/empty.stl ${BAND}`, /empty\.stl/],
  ['mesh without facets', words`render ${wrong}/none.stl ${BAND}`, /facets/],
  ['only degenerate facets', words`render ${wrong}/flat.stl ${BAND}`, /degenerate/],
  ['no band', words`render ${plate}`, /--band/],
  ['zero band', words`render ${plate} --band 1e9:1e9`, /--band.*no width/],
  ['negative frequency', words`render ${plate} --band=-1e9:1e9`, /--band.*positive/],
  ['band reversed', words`render ${plate} --band 2e9:1e9`, /--band.*1e9:2e9/],
  ['band that is no number', words`render ${plate} --band x:y`, /--band.*"x"/],
  ['unknown frequency unit', words`rcs ${plate} --freq ${['5 parsec']}`, /--freq.*5 parsec/],
  ['unknown unit', words`render ${plate} ${BAND} --units parsec`, /--units.*parsec/],
  ['unwritable folder', words`render ${plate} ${BAND} --out ${wrong}/a-file/x/out`, /a-file.*--out/],
  ['absurd size', words`rcs ${plate} --freq 10e12 --out ${wrong}/x.csv`, /wavelengths.*--units/],
  ...Object.entries({
    '--frequency': '--freq',
    '--azimuth': '--phi',
    '--polarization': '--pol',
    '--bounces': '--max-bounces',
  }).map(([option, meant]): [string, string[], RegExp] => [
    `unknown option ${option}`,
    words`rcs ${plate} ${option} 1`,
    new RegExp(`^isar: unknown option '${option}' \\(did you mean ${meant}\\?\\)\\n$`),
  ]),
  ['unknown option of a subcommand', words`dataset verify x --quite`, /'--quite' \(did you mean --quiet\?\)/],
  ['unknown command', words`paint ${plate}`, /^isar: unknown command 'paint'\n$/],
  ['misspelt command', words`redner ${plate}`, /'redner' \(did you mean render\?\)/],
  ['no mesh', words`rcs`, /mesh/],
  ['range without step', words`${RCS} --theta 0:90`, /--theta.*0:90:1/],
  ['zero step', words`${RCS} --theta 0:90:0`, /--theta.*step/],
  ['unknown channel', words`${RCS} --pol xy`, /--pol.*xy/],
  ['bad density', words`${RCS} --rays-per-wavelength 0`, /--rays-per-wavelength/],
  ['bad bounces', words`${RCS} --max-bounces 99`, /--max-bounces/],
  ['half bistatic', words`${RCS} --theta 10,20 --rx-phi 30`, /give the receiver’s theta too/],
  ['aspect along z', words`render ${plate} ${BAND} --theta 0`, /theta/],
  ['bad picture size', words`render ${plate} ${BAND} --size big`, /--size.*512x512/],
  ['resume and force', words`${RCS} --resume --force`, /--resume.*--force/],
  [
    'ray options on a method without rays',
    words`${RCS} --method gpueco --formulation exit`,
    /--formulation exit.*gpueco.*leave it out/,
  ],
  [
    'aperture beside a resolution',
    words`render ${plate} --freq 3GHz --resolution .3 --aperture 4`,
    /--aperture contradicts --resolution/,
  ],
  ...(
    [
      ['--method gpueco --max-bounces 3', /--max-bounces: --method gpueco .*leave it out/],
      ['--method gpueco --rays-per-wavelength 9', /--rays-per-wavelength: --method gpueco/],
      ['--pixels 64', /--pixels: .*without --method gpueco/],
      ['--diffraction none --max-wedge-angle 90', /--max-wedge-angle: --diffraction none/],
      ['--distribute pull', /--distribute: .*--cluster/],
    ] as const
  ).map(([options, says]): [string, string[], RegExp] => [
    `options that would be ignored: ${options}`,
    [...RCS, ...options.split(' ')],
    says,
  ]),
  ['missing scene', words`propagate x.json`, /x\.json.*give the path of a scene file/],
  [
    'a check that has nothing to look at',
    words`${RCS} --check --method gpueco`,
    /--check needs rays; leave it out with --method gpueco/,
  ],
]

describe('bad input', () => {
  it.each(CASES)('%s: one line, no file', (_, args, says) => expectRefusal(args, says, wrong))

  it.each([
    ['a missing file', ['render', 'nowhere.stl', ...BAND], /^isar: .*nowhere\.stl/],
    ['an unknown option', ['rcs', plate, '--frequency', '1'], /^isar: unknown option '--frequency'/],
    [
      'a GPU that is absent',
      ['rcs', plate, '--freq', '1e9', '--device', 'gpu'],
      /^isar: --device gpu.*--device cpu/,
    ],
  ])('%s ends the process with 2 and that line alone', async (_, args, says) => {
    const folder = temporaryFolder()
    const { code, stdout, stderr } = await isar(args, { cwd: folder })
    expect(stderr).toMatch(says)
    expect([code, stdout, stderr.trim().split('\n').length, readdirSync(folder)]).toEqual([2, '', 1, []])
  })

  it('leaves an existing result alone without --force', async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'old.csv')
    writeFileSync(out, 'precious')
    const { code, stderr } = await isar`rcs ${plate} --freq 3e8 --out ${out}`
    expect(code).toBe(2)
    expect(stderr).toMatch(/old\.csv exists.*--force/)
    expect(readFileSync(out, 'utf8')).toBe('precious')
    expect(existsSync(`${out}.partial`)).toBe(false)
    const forced = await isar`rcs ${plate} --freq 3e8 --out ${out} --force`
    expect(forced.code).toBe(0)
    expect(readFileSync(out, 'utf8')).toMatch(/^freq_hz,theta_deg/)
  })
})
