import { add, type Complex, divide, multiply, scale, sqrt, subtract } from '../../../math/complex.js'
import { type Condition, DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'
import { emptyAmplitudes, type FaceAmplitudes } from './amplitudes.js'
import type { FaceConditions, Gap } from './conditions.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'
import { fieldShare, weighed } from './missing-waves.js'
import { HALF_SPACE, missedShare, NODES, SurfaceSpectrum } from './surface-spectrum.js'

const J: Complex = [0, 1]
const ZERO: Complex = [0, 0]

/** The current, electric or magnetic, that physical optics has on a sheet at its edge: components across and along the edge. */
interface SheetCurrent {
  x: Complex
  z: Complex
}

/** Moments int j e^{j mu X} dX of a current's components. */
type Moments = SheetCurrent

/**
 * The fringe current of a half-plane sheet at oblique incidence, J electric or magnetic, exactly. Its divergence and its curl,
 *   A = mu J_x + g J_z,  B = g J_x - mu J_z,  g = cot(beta0)
 * (transforms over X, e^{-jgX..} along the edge), jump fields normal to the sheet: each solves a half-plane problem of its own, with the
 * coefficients of one polarisation. A multiple of the solution without incident wave is free in both; two multiples are fixed by
 *   J_x = (mu A + g B)/(mu^2 + g^2),  J_z = (g A - mu B)/(mu^2 + g^2)
 * being finite at mu = jg and -jg (compare Senior, Radio Sci. 10, 1975, for resistive sheets).
 */
class SkewSheet {
  private readonly cosine: number
  /** Solutions over their geometrical waves: null where physical optics has none. */
  private readonly optics: (Complex | null)[]
  private readonly atPoles: Complex[][]
  private readonly terms: (Float64Array | null)[]
  /** j/(mu^2 + g^2) at the nodes' poles. */
  private readonly inverses: Complex[]
  private readonly poles: ReturnType<SurfaceSpectrum['poles']>[]
  /** What the nodes miss of the pole of J at mu = -j|g| on the other sheet, beside the cut: b of both problems; null: nothing. */
  private readonly beside: Complex[] | null

  /**
   * @param spectra  of the divergence and of the curl
   * @param g        of incidence
   * @param first,count  nodes first to count - 1
   */
  constructor(
    private readonly spectra: [SurfaceSpectrum, SurfaceSpectrum],
    private readonly g: number,
    phi0: number,
    private readonly first: number,
    private readonly count: number,
  ) {
    this.cosine = Math.cos(phi0)
    this.optics = spectra.map(({ optics }) => (optics[0] === 0 && optics[1] === 0 ? null : optics))
    this.atPoles = [1, -1].map((side) =>
      spectra.map((spectrum, i) => {
        const { cosine } = this
        const optical = this.optics[i]
        return optical ? divide(spectrum.at([0, side * g]), optical) : divide([1, 0], [cosine, side * g])
      }),
    )
    this.terms = spectra.map((spectrum, i) => (this.optics[i] ? spectrum.terms(count, first) : null))
    this.inverses = Array.from(NODES.subarray(first, count), (v) => this.inverse([1, -v * v]))
    const apart = spectra.map((spectrum) => spectrum.apartFrom(g))
    this.poles = apart.map((spectrum, i) => (this.optics[i] ? spectrum.poles(count) : []))
    // 1 - j v^2 = -j|g|
    const v = sqrt([Math.abs(g), -1])
    const share = missedShare(v)
    const factor = share && scale(-0.5 / Math.abs(g), multiply(J, share))
    this.beside = factor && apart.map((spectrum) => multiply(factor, spectrum.acrossCut(v)))
  }

  /** Moments of the endless strip's fringe current at a mu of observation, and of each node's and each pole's part of it. */
  moments(
    { x, z }: SheetCurrent,
    mu: number,
  ): {
    whole: Moments
    nodes: Moments[]
    guided: { e: Complex; moments: Moments }[]
  } {
    const { cosine, g, first, count, inverses, optics, spectra, terms, poles, beside } = this
    const a0 = add(scale(-cosine, x), scale(g, z))
    const b0 = add(scale(g, x), scale(cosine, z))
    const [cA, cB] = this.free(a0, b0)
    const sources: [Complex, Complex][] = [
      [a0, cA],
      [b0, cB],
    ]
    const [A, B] = sources.map(([wave, free], i) => {
      const optical = optics[i]
      if (!optical) return free
      const G = divide(spectra[i].fringe(mu), optical)
      return add(free, multiply(G, add(wave, scale(mu + cosine, free))))
    })
    const whole = this.components(
      [mu, 0],
      A,
      B,
      subtract(scale(g, z), scale(mu, x)),
      scale(-1, add(scale(g, x), scale(mu, z))),
    )
    const ratios = sources.map(([wave, free], i) => {
      const optical = optics[i]
      return optical && [divide(wave, optical), divide(free, optical)]
    })
    /** b/(e - j mu), with the factors of each problem at its own pole mu = -j e. */
    const termAt = (e: Complex, b: (i: number) => Complex, factor = this.inverse([e[1], -e[0]])): Moments => {
      const pole: Complex = [e[1], -e[0]]
      const shift: Complex = [pole[0] + cosine, pole[1]]
      const [P, Q] = ratios.map((of, i) => (of ? multiply(b(i), add(of[0], multiply(of[1], shift))) : ZERO))
      return this.components(pole, P, Q, ZERO, ZERO, divide(factor, [e[0], e[1] - mu]))
    }
    const nodes: Moments[] = []
    for (let n = first; n < count; n++)
      nodes.push(
        termAt(
          [NODES[n] * NODES[n], 1],
          (i) => {
            const of = terms[i]
            return of ? [of[2 * n], of[2 * n + 1]] : ZERO
          },
          inverses[n - first],
        ),
      )
    const guided = poles.flatMap((list, i) =>
      list.map(({ e, b }) => ({ e, moments: termAt(e, (k) => (k === i ? b : ZERO)) })),
    )
    if (beside) {
      const e: Complex = [Math.abs(g), 0]
      guided.push({ e, moments: termAt(e, (i) => beside[i], J) })
    }
    return { whole, nodes, guided }
  }

  /** j/(mu^2 + g^2) */
  private inverse(mu: Complex): Complex {
    return divide(J, add(multiply(mu, mu), [this.g * this.g, 0]))
  }

  /** mu A + g B + x and g A - mu B + z, times a factor. */
  private components(
    mu: Complex,
    A: Complex,
    B: Complex,
    x: Complex,
    z: Complex,
    factor = this.inverse(mu),
  ): Moments {
    const { g } = this
    return {
      x: multiply(factor, add(add(multiply(mu, A), scale(g, B)), x)),
      z: multiply(factor, add(subtract(scale(g, A), multiply(mu, B)), z)),
    }
  }

  /** Multiples of the solutions without incident wave: js A + B = 0 at mu = jsg. */
  private free(a0: Complex, b0: Complex): [Complex, Complex] {
    const { atPoles, cosine, g } = this
    const [first, second] = [1, -1].map((side, k) => {
      const [alpha, beta] = atPoles[k]
      const js: Complex = [0, side]
      const at: Complex = [cosine, side * g]
      const p = multiply(js, alpha)
      return {
        a: multiply(p, at),
        b: multiply(beta, at),
        c: scale(-1, add(multiply(p, a0), multiply(beta, b0))),
      }
    })
    const determinant = subtract(multiply(first.a, second.b), multiply(first.b, second.a))
    return [
      divide(subtract(multiply(first.c, second.b), multiply(first.b, second.c)), determinant),
      divide(subtract(multiply(first.a, second.c), multiply(first.c, second.a)), determinant),
    ]
  }
}

/**
 * The amplitudes of a rim under oblique incidence: of an electric and a magnetic current, each by its divergence and its curl.
 *
 * @param of   conditions for waves with E, and with H, across the plane of incidence
 * @param kL,end  see `fieldShare`
 */
export function rimAmplitudes(
  face: MaterialFace,
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
    (own, i) => new SurfaceSpectrum(HALF_SPACE, phi0, true, own, i % 2 === 0 ? NEUMANN : DIRICHLET),
  )
  // Half of a share where the wave comes from, half where it goes: both may be exchanged.
  const shares = [fieldShare(E, jumpE, mu, kL, 0), fieldShare(H, jumpH, mu, kL, end)]
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
  face.fill(face.sure, out, (at) => {
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
