import type { Complex } from '../../scene/complex.js'
import { emptyAmplitudes, type FaceAmplitudes } from './amplitudes.js'
import { add, divide, scale } from './complex.js'
import type { FaceConditions } from './conditions.js'
import type { Gap } from './face-path.js'
import { type Condition, DIRICHLET, NEUMANN } from './maliuzhinets.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'
import type { MaterialWedge } from './material-wedge.js'
import { sheetShare, weighed } from './missing-waves.js'
import { type SheetCurrent, SkewSheet } from './skew-sheet.js'
import { SurfaceSpectrum } from './surface-spectrum.js'

/**
 * The amplitudes of a rim under oblique incidence: of an electric and a magnetic current, each by its divergence and its curl.
 *
 * @param of   conditions for waves with E, and with H, across the plane of incidence
 * @param kL,end  see `sheetShare`
 */
export function rimAmplitudes(
  face: MaterialFace,
  wedge: MaterialWedge,
  of: FaceConditions,
  kL: number,
  end: number,
  out = emptyAmplitudes(),
  gap: Gap | null = null,
): FaceAmplitudes {
  const { count, sinBeta0: sin, kappa: dz, mu } = face
  const phi0 = Math.min(Math.max(face.phi0, OFF_PLANE), Math.PI - OFF_PLANE)
  const [dx, dy] = [-sin * Math.cos(phi0), -sin * Math.sin(phi0)]
  const across = Math.hypot(dx, dz)
  const [sx, sz] = [-dz / across, dx / across]
  const [E, jumpE, H, jumpH] = [of.E, of.jumpE, of.H, of.jumpH].map(
    (own, i) => new SurfaceSpectrum(wedge, phi0, true, own, i % 2 === 0 ? NEUMANN : DIRICHLET),
  )
  // Half of a share where the wave comes from, half where it goes: both may be exchanged.
  const shares = [sheetShare(E, jumpE, mu, kL, 0), sheetShare(H, jumpH, mu, kL, end)]
  const share = shares.map(Math.sqrt)
  const incident = weighed(face.incident, face.incident, share)
  const received = [face.electric, face.magnetic].map((pair) => weighed(pair, face.electric, share))
  // Shares 1 - R - T and 1 + R - T of the current of an infinite sheet.
  const sine = Math.sin(phi0)
  const ofSheet = (part: Complex, { s, d }: Condition): Complex =>
    divide(scale(2, part), add(s, scale(sine, d)))
  const sheets = [false, true].flatMap((isMagnetic) => {
    const spectra: [SurfaceSpectrum, SurfaceSpectrum] = isMagnetic ? [jumpE, H] : [jumpH, E]
    const [divergence, curl] = spectra.map((spectrum) => spectrum.face)
    if (divergence === DIRICHLET && curl === NEUMANN) return []
    const jump = scale(sine, ofSheet(divergence.d, divergence))
    const normal = scale(-dy, ofSheet(curl.s, curl))
    const currents = incident.map((e): SheetCurrent => {
      const A = e[0] * sx + e[2] * sz
      const b = e[0] * dy * sz + e[1] * (dz * sx - dx * sz) - e[2] * dy * sx
      const B = face.isMean && !isMagnetic ? 0 : b
      // J = A c (1 - R_s - T_s) s - B (1 + R_p - T_p) n x s, M = A (1 + R_s - T_s) s x n - B c (1 - R_p - T_p) s
      const [along, turned] = isMagnetic ? [-B, -A] : [A, -B]
      return {
        x: add(scale(along * sx, normal), scale(turned * sz, jump)),
        z: add(scale(along * sz, normal), scale(-turned * sx, jump)),
      }
    })
    const sheet = new SkewSheet(spectra, dz / sin, phi0, face.start, count)
    return [{ sheet, currents, received: received[isMagnetic ? 1 : 0] }]
  })
  const amplitude = -face.share / (4 * Math.PI * sin)
  face.fill(face.cancels() ? face.apart() : mu, out, (at) => {
    for (const { sheet, currents, received } of sheets) {
      const { length } = out.guided
      currents.forEach((current, t) => {
        const { whole, nodes, guided } = sheet.moments(current, at)
        const put = (moments: SheetCurrent, to: Float64Array, first: number): void => {
          for (let q = 0; q < 2; q++) {
            const o = first + 2 * (t === q ? t : 2 + t)
            const [ex, , ez] = received[q]
            to[o] -= amplitude * (ex * moments.x[1] + ez * moments.z[1])
            to[o + 1] += amplitude * (ex * moments.x[0] + ez * moments.z[0])
          }
        }
        put(whole, out.untruncated, 0)
        nodes.forEach((moments, n) => put(moments, out.nodes, 8 * (face.start + n)))
        guided.forEach(({ e, moments }, i) => {
          out.guided[length + i] ??= { decay: [e[0], e[1] - 1], amplitudes: new Float64Array(8) }
          put(moments, out.guided[length + i].amplitudes, 0)
        })
      })
    }
  })
  if (gap) face.addGap(gap, shares, out)
  return out
}
