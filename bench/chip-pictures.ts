// Pictures of a chip of a vehicle: the label `clean`, the target in free space, and the image on the ground, on one scale of levels.
//   node dist/samples/generate.js --vehicles vehicles
//   node dist/bench/chip-pictures.js samples/atr/vehicles.json tank 40 free.png ground.png
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readNpz } from '../formats/index.js'
import { imagePng } from '../plots/node.js'

interface Config {
  targets: { label: string; mesh: string; articulation?: { mesh: string } }[]
}

const [path, label, azimuth, ...pictures] = process.argv.slice(2)
const config = JSON.parse(readFileSync(path, 'utf8')) as Config
const at = (file: string): string => resolve(dirname(path), file)
const targets = config.targets
  .filter((target) => target.label === label)
  // A conductor: a coating takes longer and shows no difference by eye.
  .map(({ mesh, articulation }) => ({
    label,
    mesh: at(mesh),
    ...(articulation && { articulation: { ...articulation, mesh: at(articulation.mesh) } }),
  }))
const chip = {
  ...config,
  $schema: undefined,
  name: 'chip',
  targets,
  aspects: { azimuth: [Number(azimuth)], elevation: [17] },
  jitter: undefined,
  copies: undefined,
  image: { size: [80, 64], spacingM: 0.225 },
  labels: ['clean'],
  solver: { 'rays-per-wavelength': 4, 'max-bounces': 5 },
}
writeFileSync('chip.json', JSON.stringify(chip))
const program = join(import.meta.dirname, '../src/cli/main.js')
const { status } = spawnSync(process.execPath, [program, 'dataset', 'chip.json', '--out', 'chip'], {
  stdio: 'inherit',
})
if (status !== 0) throw new Error(`isar dataset ended with ${status}`)
const shard = readNpz(readFileSync('chip/npz/shard-00000.npz'))
const [rangeM, crossRangeM] = ['range_m', 'cross_range_m'].map((name) => Float64Array.from(shard[name].data))
const levels = Float64Array.from(shard.image.data)
const peak = 10 * Math.log10(levels.reduce((most, _, i) => (i % 2 ? most : Math.max(most, levels[i] ** 2 + levels[i + 1] ** 2)), 0)) // prettier-ignore
for (const [i, name] of (['clean', 'image'] as const).entries())
  writeFileSync(
    pictures[i],
    await imagePng({
      image: Float64Array.from(shard[name].data),
      rangeM,
      crossRangeM,
      title: `${label}, ${name === 'clean' ? 'free space' : 'on grassland, with its shadow'}`,
      subtitle: `9.6 GHz HH, azimuth ${azimuth}°, depression 17°`,
      maxDbsm: Math.round(peak),
      dynamicRangeDb: 50,
      aspect: { thetaDeg: 73, phiDeg: Number(azimuth) },
    }),
  )
