import { expect, test } from 'vitest'
import { cube, plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { fileGpu, sharedEngines } from '../helpers/gpu.js'
import { CONDUCTOR, coating, layer, made, sheet } from '../helpers/materials.js'
import { norm, sbrJob, solve, testScene } from '../helpers/sbr.js'
import { aspectOf, sbrCase as anyCase, type SbrCase } from '../oracle/cases.js'
import { moved } from '../scene/shapes.js'
import type { SbrReferenceOptions } from '../oracle/sbr.js'
import type { Mesh } from '../../scene/mesh.js'
import type { Aspect } from '../../scene/direction.js'

const context = await fileGpu()
const engineOf = sharedEngines(context)
const sbrCase = (mesh: Mesh, aspect: Aspect, options: Partial<SbrReferenceOptions> = {}): SbrCase =>
  anyCase(mesh, aspect, { raysPerWavelength: 5, ...options }, 2)
const shelf = (edge: number, z: number): Mesh => moved(plate(edge), [0.07, -0.03, z])
const GLASS = (lambda: number) => sheet(layer([4, -0.1], 0.13 * lambda))
const FILM = sheet({ impedance: [200, 0] })
const cases: [string, () => SbrCase][] = [
  ['resistive plate, bistatic', () => sbrCase(made([plate(1), FILM]), aspectOf(34, 12, 71, -108))],
  [
    'two sheets, receiver behind them',
    () => sbrCase(made([shelf(1, 0.3), GLASS(0.35)], [plate(0.9), FILM]), aspectOf(34, 12, 151, 190)),
  ],
  [
    'trihedral behind a sheet',
    () => sbrCase(made([shelf(1.6, 1.2), GLASS(0.4)], [squareTrihedral(1), CONDUCTOR]), aspectOf(32, 38)),
  ],
  ['cube of film', () => sbrCase(made([cube(1), FILM]), aspectOf(63, 27))],
]
test.each(cases)('%s', async (_, make) => {
  const { target, aspect, band, options, mirror } = make()
  const scene = testScene(target, options.smoothAngleDeg)
  const job = sbrJob(aspect, band, { ...options, frequencySum: 'direct' })
  const want = await solve(scene, job)
  const got = await engineOf(scene).field(job)
  console.log(want.statistics, got.statistics)
  console.log(norm(got.field.map((x, i) => x - want.field[i])) / mirror, norm(want.field) / mirror)
})
