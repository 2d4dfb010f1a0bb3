import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Imager, looksOf } from '../../dataset/imager.js'
import { planDataset, type Radar } from '../../dataset/plan.js'
import { parseDatasetConfig } from '../../dataset/config.js'
import { type NpyArray, readNpz } from '../../formats/index.js'
import { windowSamples } from '../../isar/index.js'
import { C0 } from '../../scene/index.js'
import { fresnel } from '../helpers/ground.js'
import type { Sent, ServedResult } from '../../views/server/manifest.js'
import { openSource } from '../../views/server/source.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { words } from '../helpers/words.js'
import { fileHashes, writeConfig } from './dataset-config.js'
import { library } from '../library/library.js'

const folder = temporaryFolder()
const SOIL = { model: 'soil', epsReal: 6, epsImag: 1, rmsHeightM: 0.01 }
const GAMMA = { model: 'gamma', gammaDb: -15 }
const MEDIUM = { material: 'medium-dry-ground', rmsHeightM: 0.01 }

/** A cube that stands on the ground, seen a little off its side. */
const base = {
  targets: [{ label: 'cube', mesh: 'cube.stl' }],
  aspects: { azimuth: [4], elevation: [25] },
  labels: ['clean', 'free', 'lit', 'layers', 'mask', 'centres'],
  channels: ['vv', 'hh', 'hv'],
  centres: { count: 4 },
}
const targets = (): object => {
  const path = readJson<{ targets: object[] }>(writeConfig(folder))
  return { targets: path.targets.slice(0, 1) }
}

async function make(name: string, change: object, threads = words`--image-workers 0`) {
  const out = join(folder, name)
  const config = writeConfig(folder, { ...base, ...targets(), ...change })
  const { code, stderr } = await isar`dataset ${config} --out ${out} ${threads}`
  expect(code, stderr).toBe(0)
  return { out, stderr, arrays: readNpz(readFileSync(join(out, 'npz/shard-00000.npz'))) }
}

/** The clean images of a set of one target, from amplitudes of `rcs` in the place of the dataset's own. */
async function imagesOf(out: string, ground: object): Promise<Float64Array> {
  const made = readJson<{ config: object; radar: Radar }>(join(out, 'dataset.json'))
  const config = parseDatasetConfig(JSON.stringify(made.config), 'dataset.json')
  const images: number[] = []
  for (const pose of planDataset(config, made.radar).poses) {
    const looks = looksOf(config, made.radar, pose)
    const imager = new Imager(config, made.radar, pose, looks)
    const { f } = await library.rcs('samples/cube.stl', {
      freqHz: made.radar.freqHz,
      thetaDeg: looks.thetaDeg,
      phiDeg: looks.phiDeg,
      device: 'cpu',
      workers: 1,
      secondOrder: [],
      raysPerWavelength: 4,
      maxBounces: 2,
      ...ground,
    })
    for (const channel of config.channels) images.push(...imager.image(f[channel]))
  }
  return Float64Array.from(images)
}

const peak = (x: ArrayLike<number>): number => Array.from(x).reduce((most, v) => Math.max(most, Math.abs(v)), 0) // prettier-ignore
const apart = (a: NpyArray['data'], b: ArrayLike<number>): number =>
  peak(Float64Array.from(b, (x, i) => x - a[i])) / peak(b)

describe('a dataset with waves by the ground', () => {
  for (const [what, trace, ground, of] of [
    ['rough soil', 'own', { surface: SOIL, waves: true }, null],
    ['a conductor', 'shared', { surface: GAMMA, waves: { material: 'pec' } }, { ground: 'pec' }],
    ['a medium by its name', 'shared', { surface: GAMMA, waves: MEDIUM }, { ground: MEDIUM.material, groundRoughness: 0.01 }], // prettier-ignore
  ] as const)
    it(`has the images of rcs --ground over ${what}, with trace ${trace}, whatever the workers`, async () => {
      const aspects = { azimuth: trace === 'own' ? [4] : [4, 8], elevation: [25] }
      const name = `of-${what.replaceAll(' ', '-')}`
      const { out, stderr, arrays } = await make(name, { trace, ground, aspects })
      if (ground.waves === MEDIUM) {
        const two = words`--workers 2 --image-workers 2`
        const again = await make(`${name}-again`, { trace, ground, aspects }, two)
        expect(fileHashes(again.out)).toEqual(fileHashes(out))
      }
      expect(stderr).toMatch(/^ground {4}waves by /m)
      const media = { media: { earth: { eps_real: 6, eps_imag: -1 } }, materials: {} }
      const under = of ?? { ground: 'earth', materials: media, groundRoughness: 0.01 }
      const { clean, free, layers } = arrays
      // Single precision.
      expect(apart(clean.data, await imagesOf(out, { ...under, groundHeight: -0.5 }))).toBeLessThan(1e-6)
      expect(apart(free.data, await imagesOf(out, {}))).toBeLessThan(1e-6)
      // What the ground brings: more than half of the brightest pixel.
      expect(apart(free.data, clean.data)).toBeGreaterThan(0.5)
      const chip = clean.data.length / clean.shape[0]
      const sum = Float64Array.from({ length: chip }, (_, i) =>
        [0, 1, 2].reduce((s, l) => s + layers.data[l * chip + i], 0),
      )
      expect(apart(clean.data.subarray(0, chip), sum)).toBeLessThan(1e-5)
      // Labels are of the target itself.
      expect(Math.max(...arrays.edge_segments.data)).toBeGreaterThan(0)
      const ids = Array.from({ length: 4 }, (_, c) => arrays.centres.data[9 * c + 8])
      for (const id of ids) expect(id).toBeLessThan(18)
      // The page has all of it.
      const source = await openSource([out])
      const chip0 = JSON.parse(String(source('/result/chip/0.json'))) as Sent<ServedResult>
      const bytes = (path: string): Uint8Array => Uint8Array.from(source(`/result/${path}`) as Uint8Array)
      expect(bytes(chip0.image!.labels!.lit!.path)).toEqual(arrays.lit.data.slice(0, 24 * 20))
      for (const [name, { data }] of [
        ['vv_clean', clean],
        ['vv_free', free],
      ] as const) {
        const { path } = chip0.image!.layers.find((layer) => layer.name === name)!.data
        const seen = new Float64Array(bytes(path).buffer)
        expect(seen).toEqual(Float64Array.from(data.subarray(0, seen.length)))
      }
    })

  it('has in the pixel at the foot of a plate that stands on the ground the RCS of their corner', async () => {
    const [w, h] = [0.2, 0.8]
    // The plate alone, which is in the same pixel, is 40 dB below.
    const soil = { ...SOIL, epsReal: 20, epsImag: 4, rmsHeightM: 0.003 }
    const corners = [[-w / 2, 0], [w / 2, 0], [w / 2, h], [-w / 2, h]] // prettier-ignore
    const mesh = join(folder, 'plate.obj')
    writeFileSync(mesh, `${corners.map(([y, z]) => `v 0 ${y} ${z}\n`).join('')}f 1 2 3\nf 1 3 4\n`)
    const elevation = 30
    const [sin, cos] = [Math.sin, Math.cos].map((f) => f((elevation * Math.PI) / 180))
    for (const [name, ground, reflect] of [
      ['pec', { surface: GAMMA, waves: { material: 'pec' } }, () => [[1, 0], [1, 0]]], // prettier-ignore
      ['soil', { surface: soil, waves: true }, (k: number) => fresnel([20, -4], sin, k, soil.rmsHeightM)],
    ] as [string, object, (k: number) => [number, number][]][]) {
      const { out, arrays } = await make(`corner-${name}`, {
        targets: [{ label: 'plate', mesh, centre: [0, 0, 0] }],
        aspects: { azimuth: [0], elevation: [elevation] },
        radar: { centreHz: '10 GHz', resolutionM: 0.3 },
        channels: ['hh', 'vv'],
        labels: ['clean'],
        ground,
        solver: {
          'rays-per-wavelength': 6,
          'max-bounces': 2,
          diffraction: 'none',
          device: 'cpu',
          workers: 1,
        },
      })
      const { radar } = readJson<{ radar: Radar }>(join(out, 'dataset.json'))
      const [rows, cols] = radar.size
      const k = (2 * Math.PI * 10e9) / C0
      const weights = windowSamples('taylor', radar.angles)
      const aperture = (arrays.aperture_deg.data[0] * Math.PI) / 180
      // The corner's pattern along its length, as the window weights it.
      const gain = weights.reduce((sum, weight, m) => {
        const x = k * w * cos * Math.sin(aperture * (m / (radar.angles - 1) - 0.5))
        return sum + weight * (x === 0 ? 1 : Math.sin(x) / x)
      }, 0) / weights.reduce((sum, x) => sum + x, 0) // prettier-ignore
      for (const c of [0, 1]) {
        const at = 2 * ((c * rows + rows / 2) * cols + cols / 2)
        const level = Math.hypot(arrays.clean.data[at], arrays.clean.data[at + 1]) ** 2
        // By the ground and back by the plate, and the other way: twice the plate's F in its specular direction, k A cos / 2 pi.
        const f = (Math.hypot(...reflect(k)[c]) * gain * k * w * h * cos) / Math.PI
        expect(Math.abs(10 * Math.log10(level / (4 * Math.PI * f * f))), `${name} ${c}`).toBeLessThan(0.05)
      }
    }
  })

  it('estimates the time of the label free too', async () => {
    const stated = async (labels: string[]): Promise<number> => {
      const change = { ...base, ...targets(), ground: { surface: SOIL, waves: true }, labels }
      const solver = { 'rays-per-wavelength': 40, device: 'cpu' }
      const path = writeConfig(folder, { ...change, solver })
      const { stderr } = await isar(['dataset', path, '--out', join(folder, labels.join('-'))], {
        at: { message: /^estimate/ },
      })
      return parseFloat(/^estimate {2}about ([\d.]+) s/m.exec(stderr)![1])
    }
    expect(await stated(['clean', 'free'])).toBeGreaterThan(await stated(['clean']))
  })
})
