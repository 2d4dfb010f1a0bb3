import type { Complex } from '../../scene/complex.js'
import type { FaceAmplitudes, SurfaceField, Wall } from './amplitudes.js'
import { add, divide, multiply, scale, subtract } from './complex.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'

const turn = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)]
/** (e^{jx} - 1)/(jx) */
const meanTurn = (x: number): Complex =>
  scale(Math.abs(x) < 1e-6 ? 1 : Math.sin(x / 2) / (x / 2), turn(x / 2))

/**
 * Adds to a lit wedge's amplitudes what physical optics has off the edge of its walls, where `amplitudes` takes it off: the strip of the
 * facet beyond, and the incident and reflected waves across the way down to the walls (Kirchhoff's integral).
 */
export function addOverhang(
  face: MaterialFace,
  { spectrum, isE, weight }: SurfaceField,
  { x, depth, phase }: Wall,
  k: number,
  { untruncated }: FaceAmplitudes,
): void {
  const { sinBeta0, phi0, mu, fromAbove, toAbove } = face
  const { s, d } = spectrum.face
  const [sine, cosine] = [Math.max(Math.sin(phi0), OFF_PLANE), Math.cos(phi0)]
  const size = weight * k * sinBeta0
  const R = divide(subtract(scale(sine, d), s), add(scale(sine, d), s))
  const facet = multiply(R, turn(-2 * k * depth * fromAbove))
  const strip = scale(size * x, meanTurn(k * x * sinBeta0 * (mu + cosine)))
  const down = add(
    meanTurn(k * depth * (toAbove + fromAbove)),
    multiply(R, meanTurn(k * depth * (toAbove - fromAbove))),
  )
  const across = scale(size * depth * (cosine - mu), multiply(phase, down))
  const first = isE ? 0 : 4
  for (let ch = 0; ch < 4; ch++) {
    const a = face.normal[first + ch]
    const b = face.jump[first + ch] + cosine * face.slope[first + ch]
    const current = add([a * sine + b, 0], scale(b - a * sine, facet))
    const sum = add(multiply(strip, current), scale(a, across))
    // times -j
    untruncated[2 * ch] += sum[1]
    untruncated[2 * ch + 1] -= sum[0]
  }
}
