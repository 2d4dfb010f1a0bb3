import { fresnelW } from '../fresnel.js'

/** Numbers of a piece: from where to where [m from the tip], phase path at its start [m] and its growth per metre, E along it of V and H; see `end`. */
const PIECE_SIZE = 7
/** Pieces reach at most this many times as far from the tip, beyond one wavelength over 2 pi: the decay is nearly linear in them. */
const RATIO = 1.3
/** Exponent of the decay of a wave along a surface (decision 017). */
const DECAY = 0.3

const w = new Float64Array(2)

/**
 * What light along a geodesic brings to the tip where it ends, and by reciprocity what a wave from the tip sends back:
 *
 *   f_p = k sum over pieces of (p.t) int exp(jk (s.r - u)) (1 + k u)^-0.3 du,   t towards the tip, u = distance from it
 *
 * On a geodesic that begins at a sharp edge, d away, the edge's wave takes W(sqrt(kdq))/2 of the light, q = 1 + s.t: half of it at grazing incidence.
 * Pieces have one direction each, so their phases are linear; they are the same for all frequencies.
 */
export class GeodesicLaunch {
  private pieces = new Float64Array(64 * PIECE_SIZE)
  private size = 0
  /** First piece of the geodesic being added. */
  private first = 0

  /** @param shortest  wavelength [m], over 2 pi */
  constructor(private readonly shortest: number) {}

  /** Nothing arrives. */
  clear(): void {
    this.size = 0
    this.first = 0
  }

  /** Ends a geodesic: it begins so far from the tip at a sharp edge [m], or else (infinity) in shadow or where the surface bends away. */
  end(edge: number): void {
    const { pieces, size } = this
    for (let p = this.first; p < size; p += PIECE_SIZE) pieces[p + 6] = edge
    this.first = size
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  /**
   * Cuts a straight part from u0 to u1 [m from the tip] where it must be, and adds its pieces that `isLit` says so of, at distances from its start.
   *
   * @param path   s.r at the start [m]
   * @param slope  s.t', t' = direction away from the tip
   * @param v      V . t, t towards the tip
   */
  add(
    u0: number,
    u1: number,
    path: number,
    slope: number,
    v: number,
    h: number,
    isLit: (l: number) => boolean,
  ): void {
    const { shortest } = this
    const count = Math.ceil(Math.log((u1 + shortest) / (u0 + shortest)) / Math.log(RATIO))
    for (let i = 0; i < count; i++) {
      const from = u0 + ((u1 - u0) * i) / count
      const to = u0 + ((u1 - u0) * (i + 1)) / count
      if (!isLit((from + to) / 2 - u0)) continue
      if (this.size === this.pieces.length) this.grow()
      const { pieces, size: at } = this
      pieces[at] = from
      pieces[at + 1] = to
      pieces[at + 2] = path + slope * (from - u0) - from
      pieces[at + 3] = slope - 1
      pieces[at + 4] = v
      pieces[at + 5] = h
      pieces[at + 6] = Infinity
      this.size = at + PIECE_SIZE
    }
  }

  /** Sets `out` to f of V and H, re and im each, at the wavenumber k [rad/m], with the phases of waves whose path is `shift` [m] longer. */
  at(k: number, shift: number, out: Float64Array): void {
    const { pieces, size } = this
    out.fill(0)
    for (let p = 0; p < size; p += PIECE_SIZE) {
      const length = pieces[p + 1] - pieces[p]
      const a = (1 + k * pieces[p]) ** -DECAY
      const b = (1 + k * pieces[p + 1]) ** -DECAY
      // The phase about the middle is x = -half to half: mean of the decay, and its growth from end to end.
      const half = (k * pieces[p + 3] * length) / 2
      const sinc = Math.abs(half) < 1e-4 ? 1 - (half * half) / 6 : Math.sin(half) / half
      const odd = Math.abs(half) < 1e-3 ? half / 6 : (sinc - Math.cos(half)) / (2 * half)
      const re = k * length * ((a + b) / 2) * sinc
      const im = k * length * (b - a) * odd
      const phase = k * (pieces[p + 2] + shift) + half
      const cos = Math.cos(phase)
      const sin = Math.sin(phase)
      let x = re * cos - im * sin
      let y = re * sin + im * cos
      if (pieces[p + 6] < Infinity) {
        const d = pieces[p + 6] - (pieces[p] + pieces[p + 1]) / 2
        fresnelW(Math.sqrt(Math.max(0, -k * d * pieces[p + 3])), w, 0)
        const [left, turned] = [1 - 0.5 * w[0], -0.5 * w[1]]
        const old = x
        x = left * x - turned * y
        y = left * y + turned * old
      }
      out[0] += pieces[p + 4] * x
      out[1] += pieces[p + 4] * y
      out[2] += pieces[p + 5] * x
      out[3] += pieces[p + 5] * y
    }
  }

  private grow(): void {
    const pieces = new Float64Array(2 * this.pieces.length)
    pieces.set(this.pieces)
    this.pieces = pieces
  }
}
