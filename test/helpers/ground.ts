import { createCpuEngine } from '../../cpu-sbr/index.js'
import type { AspectField, SbrJob } from '../../rays/index.js'
import { type Band, frequency, wavenumber, type Direction, type Mesh } from '../../scene/index.js'
import type { Ground } from '../../scene/ground/index.js'
import { PERFECT_CONDUCTOR } from '../../scene/materials/index.js'
import { raysOverGround } from '../../run/ground.js'
import { type LoadedTarget, prepareRecipe } from '../../run/loaded-target.js'
import { type Complex, product } from '../oracle/complex.js'

/** A half-space of relative permittivity eps' - j eps'' below z = height. */
export const dielectric = (eps: Complex, height = 0, roughness = 0): Ground => ({
  material: {
    name: 'earth',
    kind: 'opaque',
    stack: [],
    backing: { name: 'earth', eps, mu: [1, 0], conductivity: 0 },
    facet: 'outer',
    sides: 'both',
  },
  height,
  roughness,
})

export const mirror = (height = 0): Ground => ({ material: PERFECT_CONDUCTOR, height, roughness: 0 })

/** A target over a ground, as commands prepare it. */
export const overGround = (mesh: Mesh, ground: Ground): LoadedTarget =>
  prepareRecipe('target', '', { mesh: { ...mesh, ground }, smoothAngleDeg: 20 })

/** Rays over a ground, on this thread. */
export async function raysOver({ scene, target }: LoadedTarget, job: SbrJob): Promise<AspectField> {
  const engine = raysOverGround(createCpuEngine(scene, target.area, 0), target.ground!)
  return (await engine.field(job)).field
}

/** Fresnel's coefficients of a half-space from air, [R_s, R_p], of a conductor [-1, 1]; with Ament's loss for rms heights. */
export function fresnel(eps: Complex, cosine: number, k = 0, rms = 0): [Complex, Complex] {
  const root = squareRoot([eps[0] - 1 + cosine * cosine, eps[1]])
  const rho = Math.exp(-2 * (k * rms * cosine) ** 2)
  const ratio = (a: Complex): Complex =>
    quotient([rho * (a[0] - root[0]), rho * (a[1] - root[1])], [a[0] + root[0], a[1] + root[1]])
  return [ratio([cosine, 0]), ratio([eps[0] * cosine, eps[1] * cosine])]
}

/**
 * The sum over the four paths of a target over a ground of its field in free space, [path out][path in], about the mesh's origin: straight,
 * or by the ground with R_p for V, R_s for H and the delay of the mirror image. The field by the ground has the polarisations of the direction
 * of 180 degrees less theta.
 */
export function fourPaths(
  fields: [[AspectField, AspectField], [AspectField, AspectField]],
  { band, aspect: { tx, rx } }: Pick<SbrJob, 'band' | 'aspect'>,
  height: number,
  reflect: (cosine: number, k: number) => [Complex, Complex],
): AspectField {
  const out = new Float64Array(8 * band.n)
  for (let n = 0; n < band.n; n++)
    for (let c = 0; c < 4; c++)
      for (let by = 0; by < 4; by++) {
        const [byRx, byTx] = [by >> 1, by & 1]
        const field = fields[byRx][byTx]
        let value: Complex = [field[8 * n + 2 * c], field[8 * n + 2 * c + 1]]
        // VV HH VH HV, transmitted first.
        if (byTx) value = product(value, wayOf(tx, c === 1 || c === 3, band, n, height, reflect))
        if (byRx) value = product(value, wayOf(rx, c === 1 || c === 2, band, n, height, reflect))
        out[8 * n + 2 * c] += value[0]
        out[8 * n + 2 * c + 1] += value[1]
      }
  return out
}

function wayOf(
  { r }: Direction,
  isH: boolean,
  band: Band,
  n: number,
  height: number,
  reflect: (cosine: number, k: number) => [Complex, Complex],
): Complex {
  const k = wavenumber(frequency(band, n))
  const delay = 2 * k * height * r[2]
  return product(reflect(r[2], k)[isH ? 0 : 1], [Math.cos(delay), Math.sin(delay)])
}

function squareRoot([re, im]: Complex): Complex {
  const size = Math.hypot(re, im)
  return [Math.sqrt((size + re) / 2), (im < 0 ? -1 : 1) * Math.sqrt((size - re) / 2)]
}

function quotient(a: Complex, b: Complex): Complex {
  const size = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size]
}
