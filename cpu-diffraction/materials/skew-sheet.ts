import type { Complex } from '../../scene/complex.js'
import { missedShare, NODES } from './branch-cut.js'
import { add, divide, multiply, scale, sqrt, subtract } from './complex.js'
import type { SurfaceSpectrum } from './surface-spectrum.js'

const J: Complex = [0, 1]
const ZERO: Complex = [0, 0]

/** The current, electric or magnetic, that physical optics has on a sheet at its edge: components across and along the edge. */
export interface SheetCurrent {
  x: Complex
  z: Complex
}

/** Moments int j e^{j mu X} dX of a current's components. */
interface Moments {
  x: Complex
  z: Complex
}

/**
 * The fringe current of a half-plane sheet at oblique incidence, J electric or magnetic, exactly. Its divergence and its curl,
 *   A = mu J_x + g J_z,  B = g J_x - mu J_z,  g = cot(beta0)
 * (transforms over X, e^{-jgX..} along the edge), jump fields normal to the sheet: each solves a half-plane problem of its own, with the
 * coefficients of one polarisation. A multiple of the solution without incident wave is free in both; two multiples are fixed by
 *   J_x = (mu A + g B)/(mu^2 + g^2),  J_z = (g A - mu B)/(mu^2 + g^2)
 * being finite at mu = jg and -jg (compare Senior, Radio Sci. 10, 1975, for resistive sheets).
 */
export class SkewSheet {
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
