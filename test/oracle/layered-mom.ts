import { type Complex as Constant, multiply } from '../../math/complex.js'
import { type Complex, phasor, scaled } from './complex.js'
import { hankelOf } from './hankel.js'
import { type Cell, sideCells, solveComplex } from './material-mom.js'
import { GAUSS } from './quadrature.js'

const K = 2 * Math.PI
/** A part of a cell that is longer than so many times its distance, or radians of phase, is cut in two. */
const NEAR = 0.7
const PHASE = 2

/** Conducting cylinder with a layer of one material; lengths in wavelengths. */
export interface CoatedCylinder {
  /** Regular polygon of so many sides, centred, side 0 to the right (a circle: many). */
  sides: number
  /** Distance of the metal's sides from the centre, and thickness of the layer. */
  inner: number
  thickness: number
  eps: Constant
  mu: Constant
}

/** Corners of such a polygon, counterclockwise. */
export const regularPolygon = (sides: number, distance: number): [number, number][] =>
  Array.from({ length: sides }, (_, i) => {
    const radius = distance / Math.cos(Math.PI / sides)
    const angle = ((2 * i - 1) * Math.PI) / sides
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })

const turned = ({ x, y, nx, ny, h }: Cell, angle: number): Cell => {
  const [c, s] = phasor(angle)
  return { x: c * x - s * y, y: s * x + c * y, nx: c * nx - s * ny, ny: s * nx + c * ny, h }
}

const root = ([re, im]: Constant): Complex => {
  const size = Math.sqrt(Math.hypot(re, im))
  const half = Math.atan2(im, re) / 2
  return [size * Math.cos(half), size * Math.sin(half)]
}

/**
 * int g and int dg/dn' over each of `cells` from each of `at`, g = -(j/4) H0(k rho): 4 numbers each, row by row.
 */
function potentials(k: Complex, at: Cell[], cells: Cell[]): Float64Array {
  const out = new Float64Array(4 * at.length * cells.length)
  const size = Math.hypot(...k)
  const value = new Float64Array(4)
  let o = 0
  /** Over t = from to to along a cell, seen from (dx, dy) off its middle. */
  const add = (dx: number, dy: number, { nx, ny }: Cell, from: number, to: number): void => {
    const m = (from + to) / 2
    const length = to - from
    const far = Math.hypot(dx + m * ny, dy - m * nx)
    if (-k[1] * (far - length) > 40) return
    if (length > 1e-6 && (length > NEAR * far || length * size > PHASE)) {
      add(dx, dy, { nx, ny } as Cell, from, m)
      add(dx, dy, { nx, ny } as Cell, m, to)
      return
    }
    for (const [u, w] of GAUSS) {
      const t = from + length * u
      const [x, y] = [dx + t * ny, dy - t * nx]
      const rho = Math.hypot(x, y)
      hankelOf(k[0] * rho, k[1] * rho, value)
      const a = (w * length) / 4
      // dg/dn' = -(jk/4) H1 n.(r - r')/rho
      const b = (a * (nx * x + ny * y)) / rho
      out[o] += a * value[1]
      out[o + 1] -= a * value[0]
      out[o + 2] += b * (k[0] * value[3] + k[1] * value[2])
      out[o + 3] -= b * (k[0] * value[2] - k[1] * value[3])
    }
  }
  for (const r of at)
    for (const cell of cells) {
      add(r.x - cell.x, r.y - cell.y, cell, -cell.h / 2, cell.h / 2)
      if (r === cell) out[o + 2] = out[o + 3] = 0
      o += 4
    }
  return out
}

/**
 * Far fields P of a coated conducting cylinder, of E (TM) and of H (TE) along it: u_s ~ sqrt(2/(pi k rho)) e^{-j(k rho - pi/4)} P under unit waves
 * from directions phi [rad]: of each towards its own directions `to`. Boundary integrals of both media on the outer face, of the layer's on the
 * metal, which fail near resonances of a void with the outer face as its wall; pulses, points in the middles of `perUnit` cells a wavelength.
 * What the sides have alike splits the problem into as many small ones.
 */
export function coatedCylinder(
  { sides, inner, thickness, eps, mu }: CoatedCylinder,
  perUnit: number,
  phis: number[],
  to: number[][],
): { E: Complex[][]; H: Complex[][] } {
  const first = (distance: number): Cell[] => {
    const [a, b] = regularPolygon(sides, distance)
    return sideCells(a, b, perUnit)
  }
  const outer = first(inner + thickness)
  const all = [...outer, ...first(inner)]
  const [no, n] = [outer.length, all.length]
  const k1 = root(multiply(eps, mu))
  const step = (2 * Math.PI) / sides
  const copies = Array.from({ length: sides }, (_, l) => ({
    space: potentials([K, 0], outer, l === 0 ? outer : outer.map((cell) => turned(cell, l * step))),
    layer: potentials(scaled(K, k1), all, l === 0 ? all : all.map((cell) => turned(cell, l * step))),
  }))
  const solve = (isE: boolean): Complex[][] => {
    // du/dn within the layer over that outside.
    const ratio = isE ? mu : eps
    const P = to.map((list) => list.map((): Complex => [0, 0]))
    for (let m = 0; m < sides; m++) {
      // Unknown: u, then du/dn of the outer face; du/dn or u of the metal.
      const rows = no + n
      const a = Array.from({ length: rows }, () => new Float64Array(2 * rows))
      const put = (r: number, c: number, re: number, im: number): void => {
        a[r][2 * c] += re
        a[r][2 * c + 1] += im
      }
      copies.forEach(({ space, layer }, l) => {
        const [x, y] = phasor(m * l * step)
        for (let r = 0; r < no; r++)
          for (let c = 0; c < no; c++) {
            const o = 4 * (no * r + c)
            put(r, c, -(space[o + 2] * x - space[o + 3] * y), -(space[o + 2] * y + space[o + 3] * x))
            put(r, no + c, space[o] * x - space[o + 1] * y, space[o] * y + space[o + 1] * x)
          }
        for (let r = 0; r < n; r++)
          for (let c = 0; c < n; c++) {
            const o = 4 * (n * r + c)
            const g: Complex = [layer[o] * x - layer[o + 1] * y, layer[o] * y + layer[o + 1] * x]
            const d: Complex = [layer[o + 2] * x - layer[o + 3] * y, layer[o + 2] * y + layer[o + 3] * x]
            if (c < no) {
              put(no + r, c, d[0], d[1])
              put(no + r, no + c, ratio[1] * g[1] - ratio[0] * g[0], -ratio[0] * g[1] - ratio[1] * g[0])
            } else if (isE) put(no + r, no + c, g[0], g[1])
            else put(no + r, no + c, -d[0], -d[1])
          }
      })
      for (let r = 0; r < no; r++) {
        put(r, r, 0.5, 0)
        put(no + r, r, 0.5, 0)
      }
      if (!isE) for (let r = no; r < n; r++) put(no + r, no + r, 0.5, 0)
      const b = phis.map((phi) => {
        const out = new Float64Array(2 * rows)
        outer.forEach(({ x, y }, r) => {
          for (let l = 0; l < sides; l++) {
            const angle = phi - l * step
            const [re, im] = phasor(K * (x * Math.cos(angle) + y * Math.sin(angle)) - m * l * step)
            out[2 * r] += re / sides
            out[2 * r + 1] += im / sides
          }
        })
        return out
      })
      solveComplex(a, b)
      b.forEach((u, i) =>
        to[i].forEach((phi, j) => {
          for (let l = 0; l < sides; l++) {
            const [cx, cy] = phasor(phi - l * step)
            outer.forEach(({ x, y, nx, ny, h }, c) => {
              // -(j/4) (jk n.s u - du/dn) e^{jk s.r}
              const f = K * (nx * cx + ny * cy)
              const at = 2 * (no + c)
              const re = f * u[2 * c] - u[at + 1]
              const im = f * u[2 * c + 1] + u[at]
              const [p, q] = phasor(K * (x * cx + y * cy) + m * l * step)
              P[i][j][0] += (h / 4) * (re * p - im * q)
              P[i][j][1] += (h / 4) * (re * q + im * p)
            })
          }
        }),
      )
    }
    return P
  }
  return { E: solve(true), H: solve(false) }
}
