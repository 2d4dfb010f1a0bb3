import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from '../cli/cli.js'
import { writeConfig } from '../cli/dataset-config.js'
import { pythonWith, runPython } from '../helpers/python.js'

const python = pythonWith('numpy', 'torch')
const scripts = resolve('samples/atr')

it.skipIf(!python)('train.py fills shadows with as much clutter as there is elsewhere', () => {
  const program = `
import json, sys, numpy as np
sys.path.insert(0, sys.argv[1])
from train import without_shadow
rng = np.random.default_rng(1)
lit = np.ones((60, 32, 32)); lit[:, 10:26, 12:20] = 0
ground = np.sqrt(lit / 2) * (rng.normal(size=lit.shape) + 1j * rng.normal(size=lit.shape))
filled = np.abs(without_shadow(0 * ground, ground, lit, rng)) ** 2
assert np.array_equal(filled[lit == 1], (np.abs(ground) ** 2)[lit == 1])
print(json.dumps(float(filled[lit == 0].mean())))`
  // 7,680 exponential samples: 0.011 of standard deviation.
  expect(Math.abs(runPython<number>(python!, program, [scripts]) - 1)).toBeLessThan(0.04)
})

it.skipIf(!python)('train.py learns to tell a cube from a corner and tables every variant', async () => {
  const folder = temporaryFolder()
  const change = {
    aspects: { azimuth: { from: 3, to: 85, step: 9 }, elevation: [20] },
    image: { size: [24, 24] },
    channels: ['vv'],
    copies: { count: 2, scale: 0.02 },
    ground: { surface: { model: 'gamma', gammaDb: -25 } },
    labels: ['clean', 'lit'],
    trace: 'shared',
    solver: { 'rays-per-wavelength': 4, 'max-bounces': 2, diffraction: 'none', device: 'cpu', workers: 1 },
  }
  const places = ['train', 'test'].map((name) => join(folder, name))
  for (const [seed, place] of places.entries()) {
    const config = writeConfig(folder, { ...change, seed })
    expect((await isar`dataset ${config} --image-workers 0 --out ${place} --quiet`).code).toBe(0)
  }
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
import train
train.SEEDS, train.STEPS = 2, 120
train.main(*sys.argv[2:])`
  const table = execFileSync(python!, ['-c', program, scripts, ...places], { encoding: 'utf8', stdio: 'pipe' }) // prettier-ignore
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
  expect(rows.map((row) => row.split('|')[1].trim())).toEqual([
    'free space',
    'clutter',
    'clutter, shadow',
    'free space, copies by turns',
    'clutter, shadow, copies by turns',
    'clutter, shadow, all copies',
    'the last, randomised',
    'the last, nearest neighbour',
    'targets of the last without clutter, nearest neighbour',
    'the last, no clutter in any set',
    'the last, no clutter in any set, nearest neighbour',
    'the test set, other azimuths',
    'the test set, other azimuths, nearest neighbour',
  ])
  // Chance is 50 %. The further rows, of one run or of few images, tell images and classifier apart.
  const accuracies = rows.slice(0, 6).map((row) => Number(/([\d.]+) ± [\d.]+ \|$/.exec(row)![1]))
  expect(Math.min(...accuracies)).toBeGreaterThan(55)
  expect(accuracies.at(-1)).toBeGreaterThan(70)
})
