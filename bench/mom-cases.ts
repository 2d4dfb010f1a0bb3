import { createCpuEngine } from '../cpu-sbr/engine.js'
import { readMesh } from '../formats/read-mesh.js'
import { direction } from '../scene/direction.js'
import { buildRayScene } from '../scene/ray-scene.js'
import type { SbrOptions } from '../scene/sbr.js'
import { prepareTarget } from '../scene/target.js'

/** A monostatic cut of the method-of-moments reference set; amplitudes interleaved re, im [m]. */
export interface MomCut {
  name: string
  freqHz: number
  theta: number[]
  phi: number[]
  vv: Float64Array
  hh: Float64Array
}

export function momCuts(file: string, text: string): MomCut {
  const rows = text
    .split('\n')
    .filter((line) => /^[-\d]/.test(line))
    .map((line) => line.split(',').map(Number))
  return {
    name: file.split('__')[0],
    freqHz: rows[0][2],
    theta: rows.map((r) => r[0]),
    phi: rows.map((r) => r[1]),
    vv: Float64Array.from(rows.flatMap((r) => [r[6], r[7]])),
    hh: Float64Array.from(rows.flatMap((r) => [r[8], r[9]])),
  }
}

/** Error of `f` against `reference` (interleaved): rms in dB with both clipped 30 dB below the maximum, and ||f - ref||/||ref||. */
export function curveErrors(f: Float64Array, reference: Float64Array): { db: number; complex: number } {
  const n = reference.length / 2
  const power = (a: Float64Array, i: number): number => a[2 * i] ** 2 + a[2 * i + 1] ** 2
  let peak = 0
  for (let i = 0; i < n; i++) peak = Math.max(peak, power(reference, i))
  const floor = peak * 1e-3
  let db2 = 0
  let difference = 0
  let norm = 0
  for (let i = 0; i < n; i++) {
    const db = 10 * Math.log10(Math.max(power(f, i), floor) / Math.max(power(reference, i), floor))
    db2 += db * db
    difference += (f[2 * i] - reference[2 * i]) ** 2 + (f[2 * i + 1] - reference[2 * i + 1]) ** 2
    norm += power(reference, i)
  }
  return { db: Math.sqrt(db2 / n), complex: Math.sqrt(difference / norm) }
}

export const DEFAULT_SBR: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: 5,
  subdivisions: 2,
  formulation: 'all-bounces',
}

export async function momErrors(
  folder: string,
  cut: MomCut,
  options: SbrOptions = DEFAULT_SBR,
  workers = 2,
): Promise<{ vvDb: number; hhDb: number; vvComplex: number; hhComplex: number }> {
  const target = prepareTarget(await readMesh(`${folder}/${cut.name}.stl`), { smoothAngleDeg: 20 })
  const engine = createCpuEngine(buildRayScene(target), target.area, workers)
  const vv = new Float64Array(2 * cut.theta.length)
  const hh = new Float64Array(2 * cut.theta.length)
  await Promise.all(
    cut.theta.map(async (theta, i) => {
      const d = direction(theta, cut.phi[i])
      const { field } = await engine.aspect({
        aspect: { tx: d, rx: d },
        band: { f0: cut.freqHz, df: 0, n: 1 },
        options,
      })
      vv.set(field.subarray(0, 2), 2 * i)
      hh.set(field.subarray(2, 4), 2 * i)
    }),
  )
  await engine.close()
  const v = curveErrors(vv, cut.vv)
  const h = curveErrors(hh, cut.hh)
  return { vvDb: v.db, hhDb: h.db, vvComplex: v.complex, hhComplex: h.complex }
}
