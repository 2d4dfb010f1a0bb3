import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'

const plate = resolve('samples/plate.stl')
const BAND = ['--band', '1e9:1.5e9']

/** A case: what the user does wrong, and what the one line must name. */
interface Case {
  name: string
  args: (folder: string) => string[]
  says: RegExp
}

function file(folder: string, name: string, data: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, data)
  return path
}

const asciiStl = (vertices: string): string =>
  `solid x\nfacet normal 0 0 1\nouter loop\n${vertices}\nendloop\nendfacet\nendsolid x\n`

const CASES: Case[] = [
  { name: 'missing file', args: () => ['render', 'nowhere.stl', ...BAND], says: /nowhere\.stl/ },
  { name: 'a folder as mesh', args: (f) => ['render', f, ...BAND], says: /isar-test/ },
  { name: 'unknown ending', args: (f) => ['render', file(f, 'a.xyz', 'x'), ...BAND], says: /a\.xyz.*\.stl/ },
  {
    name: 'truncated STL',
    args: (f) => ['render', file(f, 'cut.stl', readFileSync(plate).subarray(0, 150)), ...BAND],
    says: /cut\.stl.*(facet|trunc|short)/i,
  },
  {
    name: 'NaN vertices',
    args: (f) => [
      'render',
      file(f, 'nan.stl', asciiStl('vertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0')),
      ...BAND,
    ],
    says: /nan\.stl/,
  },
  { name: 'empty file', args: (f) => ['render', file(f, 'empty.stl', ''), ...BAND], says: /empty\.stl/ },
  {
    name: 'mesh without facets',
    args: (f) => ['render', file(f, 'none.stl', 'solid x\nendsolid x\n'), ...BAND],
    says: /facets/,
  },
  {
    name: 'only degenerate facets',
    args: (f) => [
      'render',
      file(f, 'flat.stl', asciiStl('vertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0')),
      ...BAND,
    ],
    says: /degenerate/,
  },
  { name: 'no band', args: () => ['render', plate], says: /--band/ },
  { name: 'zero band', args: () => ['render', plate, '--band', '1e9:1e9'], says: /--band.*no width/ },
  { name: 'negative frequency', args: () => ['render', plate, '--band=-1e9:1e9'], says: /--band.*positive/ },
  { name: 'band reversed', args: () => ['render', plate, '--band', '2e9:1e9'], says: /--band.*1e9:2e9/ },
  { name: 'band that is no number', args: () => ['render', plate, '--band', 'x:y'], says: /--band.*"x"/ },
  {
    name: 'unknown frequency unit',
    args: () => ['rcs', plate, '--freq', '5 parsec'],
    says: /--freq.*5 parsec/,
  },
  {
    name: 'unknown unit',
    args: () => ['render', plate, ...BAND, '--units', 'parsec'],
    says: /--units.*parsec/,
  },
  {
    name: 'unwritable folder',
    args: (f) => ['render', plate, ...BAND, '--out', join(file(f, 'a-file', 'x'), 'out')],
    says: /a-file.*--out/,
  },
  {
    name: 'absurd size',
    args: (f) => ['rcs', plate, '--freq', '10e12', '--out', join(f, 'x.csv')],
    says: /wavelengths.*--units/,
  },
  ...[
    ['--frequency', '--freq'],
    ['--azimuth', '--phi'],
    ['--polarization', '--pol'],
    ['--bounces', '--max-bounces'],
  ].map(([option, meant]) => ({
    name: `unknown option ${option}`,
    args: () => ['rcs', plate, option, '1'],
    says: new RegExp(`^isar: unknown option '${option}' \\(did you mean ${meant}\\?\\)\\n$`),
  })),
  {
    name: 'unknown option of a subcommand',
    args: () => ['dataset', 'verify', 'x', '--quite'],
    says: /'--quite' \(did you mean --quiet\?\)/,
  },
  { name: 'unknown command', args: () => ['paint', plate], says: /^isar: unknown command 'paint'\n$/ },
  { name: 'misspelt command', args: () => ['redner', plate], says: /'redner' \(did you mean render\?\)/ },
  { name: 'no mesh', args: () => ['rcs'], says: /mesh/ },
  {
    name: 'range without step',
    args: () => ['rcs', plate, '--freq', '1e9', '--theta', '0:90'],
    says: /--theta.*0:90:1/,
  },
  {
    name: 'zero step',
    args: () => ['rcs', plate, '--freq', '1e9', '--theta', '0:90:0'],
    says: /--theta.*step/,
  },
  { name: 'unknown channel', args: () => ['rcs', plate, '--freq', '1e9', '--pol', 'xy'], says: /--pol.*xy/ },
  {
    name: 'bad density',
    args: () => ['rcs', plate, '--freq', '1e9', '--rays-per-wavelength', '0'],
    says: /--rays-per-wavelength/,
  },
  {
    name: 'bad bounces',
    args: () => ['rcs', plate, '--freq', '1e9', '--max-bounces', '99'],
    says: /--max-bounces/,
  },
  {
    name: 'half bistatic',
    args: () => ['rcs', plate, '--freq', '1e9', '--theta', '10,20', '--rx-phi', '30'],
    says: /give the receiver’s theta too/,
  },
  { name: 'aspect along z', args: () => ['render', plate, ...BAND, '--theta', '0'], says: /theta/ },
  {
    name: 'bad picture size',
    args: () => ['render', plate, ...BAND, '--size', 'big'],
    says: /--size.*512x512/,
  },
  {
    name: 'resume and force',
    args: () => ['rcs', plate, '--freq', '1e9', '--resume', '--force'],
    says: /--resume.*--force/,
  },
  {
    name: 'ray options on a method without rays',
    args: () => ['rcs', plate, '--freq', '1e9', '--method', 'gpueco', '--formulation', 'exit'],
    says: /--formulation exit.*gpueco.*leave it out/,
  },
  {
    name: 'aperture beside a resolution',
    args: () => ['render', plate, '--freq', '3GHz', '--resolution', '.3', '--aperture', '4'],
    says: /--aperture contradicts --resolution/,
  },
  ...(
    [
      [['--method', 'gpueco', '--max-bounces', '3'], /--max-bounces: --method gpueco .*leave it out/],
      [['--method', 'gpueco', '--rays-per-wavelength', '9'], /--rays-per-wavelength: --method gpueco/],
      [['--pixels', '64'], /--pixels: .*without --method gpueco/],
      [['--diffraction', 'none', '--max-wedge-angle', '90'], /--max-wedge-angle: --diffraction none/],
      [['--distribute', 'pull'], /--distribute: .*--cluster/],
    ] as [string[], RegExp][]
  ).map(([options, says]) => ({
    name: `options that would be ignored: ${options.join(' ')}`,
    args: () => ['rcs', plate, '--freq', '1e9', ...options],
    says,
  })),
  {
    name: 'missing scene',
    args: () => ['propagate', 'x.json'],
    says: /x\.json.*give the path of a scene file/,
  },
  {
    name: 'a check that has nothing to look at',
    args: () => ['rcs', plate, '--freq', '1e9', '--check', '--method', 'gpueco'],
    says: /--check needs rays; leave it out with --method gpueco/,
  },
]

describe('bad input', () => {
  it.each(CASES)('$name: one line, no file', async ({ args, says }) => {
    const folder = temporaryFolder()
    await expectRefusal(args(folder), says, folder)
  })

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
    const out = file(folder, 'old.csv', 'precious')
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
