import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './refusal.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { words } from '../helpers/words.js'

const folder = temporaryFolder()
const RCS = words`rcs samples/cube.stl --freq 1GHz --phi 20 --device cpu`
const UNDER = ['--theta', '70', '--ground-height', '-0.5']

describe('isar rcs --ground', () => {
  it('plans, computes and records a ground', async () => {
    const out = join(folder, 'over.csv')
    const ground = ['--ground', 'wet-ground', '--ground-roughness', '0.01']
    const { code, stderr } = await isar`${RCS} ${UNDER} ${ground} --out ${out}`
    expect(code, stderr).toBe(0)
    // The target's own size, and facets with the image's, but not those on the ground.
    expect(stderr).toMatch(/target {4}cube: 1 x 1 x 1 m, .* 20 facets/)
    expect(stderr).toMatch(/ground {4}wet-ground at z = -0.5 m, rms height 0.01 m;/)
    const meta = readJson<Record<string, object>>(join(folder, 'over.meta.json'))
    expect(meta.mesh).toMatchObject({
      size_m: [1, 1, 1],
      ground: { material: 'wet-ground', height_m: -0.5, roughness_m: 0.01 },
    })
    expect(meta.options).toMatchObject({ ground: 'wet-ground', groundHeight: -0.5, groundRoughness: 0.01 })
    expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(2)
  })

  it.each<[string, string[], RegExp]>([
    [
      'a target that reaches below it',
      ['--theta', '70', '--ground', 'pec'],
      /reaches 0.5 m below the ground at z = 0 m: take a ground height of -0.5 or less/,
    ],
    [
      'directions from below',
      ['--ground', 'pec', '--ground-height', '-0.5'],
      /theta 90 is not above the ground's horizon/,
    ],
    ['sheets', [...UNDER, '--ground', 'glass:4mm'], /"glass:4mm" is a sheet that waves pass through/],
    [
      'unknown materials',
      [...UNDER, '--ground', 'wet-grond'],
      /no material "wet-grond" \(did you mean wet-ground\?\)/,
    ],
    [
      'a frequency that it is not given for',
      [...UNDER, '--ground', 'wet-ground', '--freq', '30GHz'],
      /"wet-ground" is given for 1 to 10 GHz/,
    ],
    ['a height without it', UNDER, /--ground-height: there is no ground without --ground/],
    [
      'a height that is no number',
      ['--ground', 'pec', '--ground-height', 'low'],
      /--ground-height: "low" is not a number/,
    ],
    ['the raster', [...UNDER, '--ground', 'pec', '--method', 'gpueco'], /--method gpueco knows no ground/],
    [
      'other schedules',
      [...UNDER, '--ground', 'pec', '--schedule', 'static'],
      /--schedule static knows no ground/,
    ],
    ['the self-check', [...UNDER, '--ground', 'pec', '--check'], /--check knows no ground/],
    [
      'the exit form over a material',
      [...UNDER, '--ground', 'wet-ground', '--formulation', 'exit'],
      /--formulation exit computes perfect conductors alone; leave it out, or take/,
    ],
    [
      'second order over a material',
      [...UNDER, '--ground', 'wet-ground', '--second-order', 'wall'],
      /--second-order: .*leave it out with another ground/,
    ],
  ])('refuses %s in one line', (_, args, message) =>
    expectRefusal([...RCS, ...args, '--out', join(folder, 'refused.csv')], message, folder),
  )
})
