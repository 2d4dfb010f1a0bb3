// Prints rms errors of SBR, and of SBR + edge diffraction, against the method-of-moments cuts in test/validation/mom.
//   npm run build && node dist/reproduction/mom-diffraction.js [name-part] [tw-ildc|tw-ildc-j|eec] [segments per wavelength]
import { readdirSync, readFileSync } from 'node:fs'
import { buildEdgeScene, createEdgeEngine, type EdgeOptions } from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { readMesh } from '../formats/index.js'
import { buildRayScene } from '../rays/index.js'
import { direction, prepareTarget } from '../scene/index.js'
import { curveErrors } from '../src/validate/errors.js'
import { DEFAULT_SBR, momCuts } from './mom-cases.js'

const folder = 'test/validation/mom'
const [wanted = '', diffraction = 'tw-ildc', segments] = process.argv.slice(2)
const options: EdgeOptions = {
  diffraction: diffraction as EdgeOptions['diffraction'],
  segmentsPerWavelength: segments === undefined ? undefined : Number(segments),
}
console.log(
  'case                              edges  segments  SBR VV/HH dB rms, complex     SBR + edges                   edge s',
)
for (const file of readdirSync(folder).filter((f) => f.endsWith('.csv') && f.includes(wanted))) {
  const cut = momCuts(file, readFileSync(`${folder}/${file}`, 'utf8'))
  const target = prepareTarget(await readMesh(`${folder}/${cut.name}.stl`), { smoothAngleDeg: 20 })
  const rays = buildRayScene(target)
  const scene = buildEdgeScene(target, 160)
  const sbr = createCpuEngine(rays, target.area, 2)
  const edges = createEdgeEngine(scene, rays, { workers: 0 })
  const band = { f0: cut.freqHz, df: 0, n: 1 }
  const curve = (): Float64Array => new Float64Array(2 * cut.theta.length)
  const [vv, hh, allVv, allHh] = [curve(), curve(), curve(), curve()]
  let most = 0
  let seconds = 0
  await Promise.all(
    cut.theta.map(async (theta, i) => {
      const d = direction(theta, cut.phi[i])
      const aspect = { tx: d, rx: d }
      const { field } = await sbr.field({ aspect, band, options: DEFAULT_SBR })
      const edge = await edges.field({ aspect, band, options })
      most = Math.max(most, edge.visibleSegments)
      seconds += edge.times.prepare + edge.times.evaluate
      vv.set(field.subarray(0, 2), 2 * i)
      hh.set(field.subarray(2, 4), 2 * i)
      for (let c = 0; c < 8; c++) field[c] += edge.field[c]
      allVv.set(field.subarray(0, 2), 2 * i)
      allHh.set(field.subarray(2, 4), 2 * i)
    }),
  )
  await sbr.close()
  await edges.close()
  const errors = (a: Float64Array, b: Float64Array): string => {
    const [v, h] = [curveErrors(a, cut.vv), curveErrors(b, cut.hh)]
    const f = (x: number, d: number): string => x.toFixed(d).padStart(6)
    return `${f(v.db, 2)}${f(h.db, 2)}${f(v.complex, 3)} ${f(h.complex, 3)}`.padEnd(30)
  }
  console.log(
    `${file.slice(0, -4).padEnd(34)}${String(scene.count).padStart(5)}${String(most).padStart(10)} `,
    errors(vv, hh),
    errors(allVv, allHh),
    seconds.toFixed(2),
  )
}
