/** Coarse bodies with curved patches fitted, against fine and exact ones, as Markdown. `npm run docs -- curved` */
import { sphere } from '../samples/models/canonical.js'
import { circle, stack } from '../samples/models/surface.js'
import { type Aspect, C0, type CurveOptions, type Mesh, prepareTarget } from '../scene/index.js'
import { buildRayScene } from '../rays/index.js'
import { miePec } from '../src/validate/kinds/sphere.js'
import { curveOf, solve } from '../src/validate/solve.js'
import { monostatic } from './cases.js'
import { tableOf } from './kit.js'

const KA = 40
const LAMBDA = (2 * Math.PI) / KA
const LENGTH = 3

const cylinder = (n: number): Mesh =>
  stack([circle([0, 0, -LENGTH / 2], 1, 2, n), circle([0, 0, LENGTH / 2], 1, 2, n)])
const globe = (n: number, rings: number): Mesh =>
  stack(
    Array.from({ length: rings + 1 }, (_, i) => {
      const angle = (Math.PI * i) / rings
      return circle([0, 0, -Math.cos(angle)], i === 0 || i === rings ? 0 : Math.sin(angle), 2, n)
    }),
  )

async function curves(
  mesh: Mesh,
  aspects: Aspect[],
  curved?: CurveOptions,
): Promise<{ facets: number; vv: Float64Array; hh: Float64Array }> {
  const recipe = { mesh, smoothAngleDeg: 20 }
  const target = prepareTarget(mesh, { ...recipe, curved })
  const scene = buildRayScene(target)
  const loaded = { name: 'body', target, scene, hash: '', warnings: [], recipe }
  const { total } = await solve(
    loaded,
    aspects,
    { f0: C0 / LAMBDA, df: 0, n: 1 },
    { device: 'cpu', workers: 2 },
    { secondOrder: [] },
  )
  return { facets: scene.count, vv: curveOf(total, 'vv'), hh: curveOf(total, 'hh') }
}

const curvedTo = (parts: number): CurveOptions => ({ angleDeg: 20, sagitta: LAMBDA / parts })
const parts = [32, 64, 128, 256]
const rms = (x: number[]): string => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length).toFixed(3)
const most = (x: number[]): string => Math.max(...x.map(Math.abs)).toFixed(3)

/** Backscatter of spheres over many aspects, all of which should be equal. */
async function spheres(): Promise<void> {
  const aspects = Array.from({ length: 24 }, (_, i) => monostatic(10 + 7 * i, 7 + 29 * i))
  const fine = await curves(sphere(1, 6), aspects)
  const mean = fine.vv.reduce((a, b) => a + b) / fine.vv.length
  const exact = 10 * Math.log10(Math.PI * miePec(KA, 180).e)
  console.log(
    `\nSphere, ka ${KA}, VV at ${aspects.length} aspects; fine: ${fine.facets} facets, ${(mean - exact).toFixed(3)} dB from Mie on the mean\n`,
  )
  const rows: (string | number)[][] = []
  const row = async (name: string, mesh: Mesh, curved?: CurveOptions): Promise<void> => {
    const { facets, vv } = await curves(mesh, aspects, curved)
    const [a, b] = [Array.from(vv, (x, i) => x - fine.vv[i]), Array.from(vv, (x) => x - exact)]
    rows.push([name, facets, rms(a), most(a), rms(b), most(b)])
  }
  for (const [name, mesh] of [
    ['geodesic, 320', sphere(1, 2)],
    ['geodesic, 1280', sphere(1, 3)],
    ['24 x 12 globe, 528', globe(24, 12)],
  ] as const) {
    await row(name, mesh)
    for (const p of parts) await row(`curved, to λ/${p}`, mesh, curvedTo(p))
  }
  await row('fine, 81920', sphere(1, 6))
  const head = ['sphere', 'facets', 'rms against fine [dB]', 'largest', 'rms against Mie [dB]', 'largest']
  console.log(tableOf(head, rows))
}

/** Cut of cylinders through the flash, off two of their sides' edges. */
async function cylinders(): Promise<void> {
  const aspects = [3, 10].flatMap((phi) => Array.from({ length: 46 }, (_, i) => monostatic(2 * i, phi)))
  const fine = await curves(cylinder(1440), aspects)
  const flash = aspects.findIndex((a) => a.tx.thetaDeg === 90)
  const closedForm = 10 * Math.log10(((2 * Math.PI) / LAMBDA) * LENGTH ** 2)
  console.log(
    `\nCylinder, ka ${KA}, length ${(LENGTH / LAMBDA).toFixed(1)} λ; fine: 1440 sides, flash ${fine.vv[flash].toFixed(3)} dBsm (kaL²: ${closedForm.toFixed(3)})\n`,
  )
  const rows: (string | number)[][] = []
  for (const n of [24, 48])
    for (const p of [0, ...parts]) {
      const { facets, ...ours } = await curves(cylinder(n), aspects, p > 0 ? curvedTo(p) : undefined)
      const columns = (['vv', 'hh'] as const).flatMap((c) => {
        const top = Math.max(...fine[c])
        const off = Array.from(ours[c], (x, i) => x - fine[c][i]).filter((_, i) => fine[c][i] > top - 30)
        return [rms(off), most(off)]
      })
      const name = p > 0 ? `curved, to λ/${p}` : `${n} sides`
      rows.push([name, facets, (ours.vv[flash] - fine.vv[flash]).toFixed(3), ...columns])
    }
  console.log(tableOf(['cylinder', 'facets', 'flash [dB]', 'rms, VV', 'largest', 'rms, HH', 'largest'], rows))
}

console.log(`# Curved patches against fine and exact bodies

[Curved bodies](../curved.md) says how patches are fitted; "to λ/128" is the distance at which cutting stops. The cylinders
are computed with edge diffraction and compared within 30 dB of the maximum.`)
await spheres()
await cylinders()
