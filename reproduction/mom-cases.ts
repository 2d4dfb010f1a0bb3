import { createCpuEngine } from '../cpu-sbr/index.js'
import { readMesh } from '../formats/index.js'
import { buildRayScene, type SbrOptions } from '../rays/index.js'
import { direction, prepareTarget } from '../scene/index.js'
import { curveErrors } from '../src/validate/errors.js'

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

export const DEFAULT_SBR: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: 5,
  subdivisions: 2,
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
      const { field } = await engine.field({
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
