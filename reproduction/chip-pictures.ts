// Pictures of a chip of a vehicle: the label `clean`, the target in free space, and the image on the ground. One scale of levels,
// of which the brightest pixels are above: clutter and shadow show.
//   node dist/samples/generate.js --vehicles vehicles
//   node dist/reproduction/chip-pictures.js samples/atr/vehicles.json tank 40 free.png ground.png
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readNpz } from '../formats/index.js'
import { imageSvg, svgToPng } from '../views/figures/node.js'

interface Config {
  ground: object
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
  // Waves by the ground would take six times as long.
  ground: { ...config.ground, waves: false },
  image: { size: [80, 64], spacingM: 0.225 },
  labels: ['clean'],
  solver: { 'rays-per-wavelength': 4, 'max-bounces': 10 },
}
writeFileSync('chip.json', JSON.stringify(chip))
const program = join(import.meta.dirname, '../src/cli/main.js')
const { status } = spawnSync(process.execPath, [program, 'dataset', 'chip.json', '--out', 'chip'], {
  stdio: 'inherit',
})
if (status !== 0) throw new Error(`isar dataset ended with ${status}`)
const shard = readNpz(readFileSync('chip/npz/shard-00000.npz'))
const [rangeM, crossRangeM] = ['range_m', 'cross_range_m'].map((name) => Float64Array.from(shard[name].data))
for (const [i, name] of (['clean', 'image'] as const).entries()) {
  const picture = imageSvg({
    image: Float64Array.from(shard[name].data),
    rangeM,
    crossRangeM,
    title: `${label}, ${name === 'clean' ? 'free space' : 'on grassland, with its shadow'}`,
    subtitle: `9.6 GHz HH, azimuth ${azimuth}°, depression 17°`,
    maxDbsm: 10,
    dynamicRangeDb: 45,
    aspect: { thetaDeg: 73, phiDeg: Number(azimuth) },
  })
  // Speckle between pixels would take seven times the bytes.
  const square = picture.replaceAll('<image ', '<image image-rendering="optimizeSpeed" ')
  writeFileSync(pictures[i], await svgToPng(square, 1))
}
