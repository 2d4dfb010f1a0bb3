import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/config.js'
import { planDataset, resolveRadar } from '../../dataset/plan.js'
import { checkSpectrogramConfig, planSpectrograms } from '../../dataset/spectrograms/config.js'
import {
  configFrequencies,
  datasetJsonSchema,
  readTargets,
  spectrogramDatasetSchema,
} from '../../dataset/variant.js'
import { writeBinaryStl, FilesHash } from '../../formats/index.js'
import { loadMotion, motionLabels, type MotionDescription } from '../../run/motion/index.js'
import { vehicles } from '../../samples/models/vehicles.js'
import { centreModelJsonSchema } from '../../formats/centre-model-file.js'
import { readMaterials } from '../../formats/materials-file.js'
import { materialsJsonSchema } from '../../formats/materials-schema.js'
import { slab } from '../../scene/materials/index.js'

const folder = 'samples/atr'
const SPECTROGRAMS = 'drone-or-bird.json'

/** The samples beside a folder `vehicles` as `generate.js --vehicles vehicles` writes it. */
function samplesWithVehicles(): string {
  const root = mkdtempSync(join(tmpdir(), 'isar-test-'))
  symlinkSync(resolve('samples'), join(root, 'samples'))
  mkdirSync(join(root, 'vehicles'))
  for (const [name, make] of Object.entries(vehicles))
    writeFileSync(join(root, `vehicles/${name}.stl`), writeBinaryStl(make(), name))
  return join(root, folder)
}

const configs = readdirSync(folder).filter((f) => /(?<!\.schema)\.json$/.test(f) && f !== SPECTROGRAMS)

describe('samples/atr', () => {
  const place = samplesWithVehicles()

  it('has the schema that the configurations are checked by (isar dataset schema)', () => {
    const schema: unknown = JSON.parse(readFileSync(join(folder, 'dataset.schema.json'), 'utf8'))
    expect(schema).toEqual(JSON.parse(JSON.stringify(datasetJsonSchema())))
  })

  it('has the schema of spectrograms, and a configuration that can be planned', async () => {
    const schema: unknown = JSON.parse(readFileSync(join(folder, 'spectrograms.schema.json'), 'utf8'))
    expect(schema).toEqual(JSON.parse(JSON.stringify(spectrogramDatasetSchema())))
    const given: unknown = JSON.parse(readFileSync(join(folder, SPECTROGRAMS), 'utf8'))
    const config = checkSpectrogramConfig(given, SPECTROGRAMS)
    const loaded = await Promise.all(
      config.targets.map(({ motion }) => {
        const source = typeof motion === 'string' ? join(folder, motion) : (motion as unknown as MotionDescription) // prettier-ignore
        return loadMotion(source, {}, folder, { freq_hz: 3e9, prf_hz: 1000, pulses: 2 })
      }),
    )
    expect(loaded.map(motionLabels)).toEqual([
      { rotors: 4, wings: 0, rateHz: 80, bladeM: expect.closeTo(0.119, 3) },
      { rotors: 0, wings: 2, rateHz: 4, bladeM: expect.closeTo(0.36, 3) },
    ])
    const plan = planSpectrograms(config, loaded)
    expect([plan.poses.length, plan.classes]).toEqual([12, ['bird', 'drone']])
  })

  it.each(configs)('%s can be planned, with its meshes', async (file) => {
    const config = parseDatasetConfig(readFileSync(join(folder, file), 'utf8'), file)
    const targets = await readTargets(config, place)
    const diameter = Math.max(...targets.map((t) => t.diameterM))
    const radar = resolveRadar(config, configFrequencies(config), diameter)
    const plan = planDataset(config, radar)
    expect(plan.poses.length).toBeGreaterThan(0)
    if (config.product === 'chips')
      for (const i of [0, 1]) expect(radar.size[i] * radar.spacingM[i]).toBeGreaterThan(diameter)
  })
})

it('samples/centre-model.schema.json is what models of scattering centres are checked by', () => {
  const schema: unknown = JSON.parse(readFileSync('samples/centre-model.schema.json', 'utf8'))
  expect(schema).toEqual(JSON.parse(JSON.stringify(centreModelJsonSchema())))
})

it('samples/materials.schema.json is what materials files are checked by (isar materials schema)', () => {
  const schema: unknown = JSON.parse(readFileSync('samples/materials.schema.json', 'utf8'))
  expect(schema).toEqual(JSON.parse(JSON.stringify(materialsJsonSchema())))
})

it('every material of samples/materials.json is passive over its band', async () => {
  const { materials } = await readMaterials('samples/materials.json', new FilesHash())
  expect(materials.size).toBeGreaterThan(4)
  const out = new Float64Array(8)
  for (const material of materials.values())
    for (let f = 8e9; f <= 12e9; f += 0.5e9)
      for (let c = 0; c <= 1; c += 0.05)
        for (const back of [false, true]) {
          slab(material, f, c, out, back)
          for (const p of [0, 2])
            expect(Math.hypot(out[p], out[p + 1], out[4 + p], out[5 + p])).toBeLessThanOrEqual(1 + 1e-14)
        }
})
