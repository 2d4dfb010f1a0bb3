// Tracing alone on the GPU: corner and central rays of N x N tubes (the larger side of the aperture), with validity, per
// traversal and subdivision, over aspects all around. Launched: every ray of the lattice, including
// empty tiles. Hitting: two rays for each tube that hits the target.
//   npm run build && node dist/reproduction/traversal.js [mesh] [--tubes 4096] [--bounces 3] [--aspects 12] [--subdivide 0,2] [--traversal lists,stack,ropes]
import { GpuSbrEngine } from '../gpu/index.js'
import { C0, direction, type Direction } from '../scene/index.js'
import { type Aperture, fitAperture, type SbrJob, TILE } from '../rays/index.js'
import { loadTarget } from '../run/loaded-target.js'
import { argumentsOf, firstGpu, median, numbersOf, tableOf } from './kit.js'

const { values, words } = argumentsOf({
  tubes: 4096,
  bounces: 3,
  aspects: 12,
  subdivide: '0,2',
  traversal: 'lists,stack,ropes',
  repeats: 5,
})
const { tubes: side, aspects, bounces } = values
const { scene, target, name } = await loadTarget(words[0] ?? 'samples/aircraft-a.stl', 'm', 20)
const context = await firstGpu()

/** Direction n over 360 degrees of phi, theta between 60 and 120 degrees. */
const directionOf = (n: number): Direction => direction(60 + ((60 * 0.618 * n) % 60), 7 + (360 * n) / aspects)

/** The aperture whose larger side is `side` tubes wide. */
function apertureOf(d: Direction): Aperture {
  let h = scene.diagonal / side
  const tiles = (): number => {
    const a = fitAperture(scene, d, h)
    return Math.max(a.tilesI, a.tilesJ)
  }
  // Tile size depends on the tube: a few proportional steps, then steps of 1e-4.
  for (let i = 0; i < 8; i++) h *= (TILE * tiles()) / side
  while (TILE * tiles() > side) h *= 1.0001
  return fitAperture(scene, d, h)
}

/** The job whose aperture is `side` tubes wide along its larger side. */
function jobOf(index: number, subdivisions: number): SbrJob {
  const d = directionOf(index)
  return {
    aspect: { tx: d, rx: d },
    band: { f0: C0 / (10 * apertureOf(d).h), df: 0, n: 1 },
    options: { raysPerWavelength: 10, maxBounces: bounces, subdivisions },
  }
}

console.log(`device  ${context.name}, node ${process.version}`)
console.log(
  `case    ${name}, ${scene.count} facets, ${side} tubes across, ${bounces} bounces, ${aspects} aspects`,
)
const table: string[][] = []
for (const traversal of values.traversal.split(',') as ('lists' | 'stack' | 'ropes')[]) {
  const engine = new GpuSbrEngine(context, scene, target.area, { subGrid: side, traversal })
  for (const subdivisions of numbersOf(values.subdivide)) {
    const rows: { t: number; launched: number; hit: number; share: number }[] = []
    for (let a = 0; a < aspects; a++) {
      const job = jobOf(a, subdivisions)
      const seconds = []
      let result = await engine.field(job)
      for (let r = 0; r < values.repeats; r++) {
        result = await engine.field(job)
        seconds.push(result.times.trace)
      }
      const { tubes, leaves } = result.statistics
      const t = median(seconds)
      rows.push({ t, launched: (2 * side * side) / t, hit: (2 * leaves) / t, share: leaves / tubes })
    }
    const of = (pick: (row: (typeof rows)[0]) => number): string => median(rows.map(pick)).toFixed(2)
    const worst = Math.min(...rows.map((r) => r.launched)) / 1e9
    table.push([
      traversal,
      String(subdivisions),
      of((r) => 1e3 * r.t),
      of((r) => r.launched / 1e9),
      worst.toFixed(2),
      of((r) => r.hit / 1e9),
      of((r) => r.share),
    ])
  }
}
console.log(
  tableOf(
    [
      'traversal',
      'subdivisions',
      'tracing [ms]',
      'launched [G rays/s]',
      'worst aspect',
      'hitting [G rays/s]',
      'tubes hit',
    ],
    table,
  ),
)
process.exit(0)
