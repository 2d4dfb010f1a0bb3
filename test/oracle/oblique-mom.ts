import type { Complex } from './complex.js'
import { hankel } from './hankel.js'
import { solveComplex } from './material-mom.js'
import { GAUSS } from './quadrature.js'

/*
 * Method of moments of closed cylinders with a surface impedance under oblique incidence, k = 2 pi (lengths in wavelengths), exp(+jwt).
 */

const K = 2 * Math.PI

interface Cell {
  x: number
  y: number
  n: [number, number]
  t: [number, number]
  h: number
  /** du/dn = j k_t s u of E_z and H_z, beside their coupling. */
  s: Complex[]
}

/**
 * Far field P (`impedanceCylinder`) of E_z and H_z, of an outline with counterclockwise corners and impedances Z over 377 ohm by side: of waves
 * with E_z = 1 and with H_z = 1 (times 377 ohm) [E of E, H of E, E of H, H of H] per direction of incidence and of observation [rad], both
 * with the component `along` of the incident wave's direction along z. On a side, k_t = k sqrt(1 - along^2), t to the right of n,
 *   dE/dn = j k_t sqrt(1 - along^2)/Z E + along dH/dt,  dH/dn = j k_t sqrt(1 - along^2) Z H - along dE/dt.
 */
export function obliqueCylinder(
  corners: [number, number][],
  impedances: Complex[],
  perUnit: number,
  along: number,
  from: number[],
  to: number[],
): Complex[][][] {
  const sine = Math.sqrt(1 - along * along)
  const kt = K * sine
  const cells = corners.flatMap(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]
    const length = Math.hypot(bx - ax, by - ay)
    const count = Math.ceil(perUnit * length)
    const t: [number, number] = [(bx - ax) / length, (by - ay) / length]
    // Finer towards the corners.
    const place = (u: number): number => (u < 0.5 ? 2 * u * u : 1 - 2 * (1 - u) ** 2) * 0.85 + 0.15 * u
    const [re, im] = impedances[i]
    const size = sine / (re * re + im * im)
    return Array.from({ length: count }, (_, m): Cell => {
      const [p, q] = [place(m / count) * length, place((m + 1) / count) * length]
      const c = (p + q) / 2
      const s: Complex[] = [
        [size * re, -size * im],
        [sine * re, sine * im],
      ]
      return { x: ax + c * t[0], y: ay + c * t[1], n: [t[1], -t[0]], t, h: q - p, s }
    })
  })
  const n = cells.length
  const a = Array.from({ length: 2 * n }, () => new Float64Array(4 * n))
  const put = (row: number, column: number, [re, im]: Complex): void => {
    a[row][2 * column] += re
    a[row][2 * column + 1] += im
  }
  for (let r = 0; r < n; r++)
    for (let c = 0; c < n; c++) {
      const cell = cells[c]
      // g = -(j/4) H0, and its derivatives along the cell's normal and tangent.
      const g: Complex = [0, 0]
      const normal: Complex = [0, 0]
      const tangent: Complex = [0, 0]
      const addPoint = (u: number, w: number): void => {
        const dx = cells[r].x - cell.x - u * cell.t[0]
        const dy = cells[r].y - cell.y - u * cell.t[1]
        const rho = Math.hypot(dx, dy)
        const { h0, h1 } = hankel(kt * rho)
        g[0] += (w * h0[1]) / 4
        g[1] -= (w * h0[0]) / 4
        if (r === c) return
        for (const [sum, [x, y]] of [
          [normal, cell.n],
          [tangent, cell.t],
        ] as const) {
          const f = ((w * kt) / 4) * ((x * dx + y * dy) / rho)
          sum[0] += f * h1[1]
          sum[1] -= f * h1[0]
        }
      }
      if (r === c)
        for (let p = 0; p < 8; p++) {
          const [low, high] = [p === 7 ? 0 : (cell.h / 2) * 2 ** -(p + 1), (cell.h / 2) * 2 ** -p]
          for (const [u, w] of GAUSS) addPoint(low + (high - low) * u, 2 * (high - low) * w)
        }
      else {
        const parts = Math.hypot(cells[r].x - cell.x, cells[r].y - cell.y) < 2 * cell.h ? 6 : 1
        for (let p = 0; p < parts; p++)
          for (const [u, w] of GAUSS) addPoint(((p + u) / parts - 0.5) * cell.h, (w * cell.h) / parts)
      }
      // u/2 - int u (dg/dn - j k_t s g), and by parts -+ along int of the other one's dg/dt.
      cell.s.forEach(([re, im], i) => {
        put(i * n + r, i * n + c, [
          (r === c ? 0.5 : 0) - normal[0] - kt * (re * g[1] + im * g[0]),
          -normal[1] + kt * (re * g[0] - im * g[1]),
        ])
      })
      put(r, n + c, [along * tangent[0], along * tangent[1]])
      put(n + r, c, [-along * tangent[0], -along * tangent[1]])
    }
  const b = from.flatMap((phi) =>
    [0, 1].map((i) => {
      const out = new Float64Array(4 * n)
      cells.forEach(({ x, y }, m) => {
        const angle = kt * (x * Math.cos(phi) + y * Math.sin(phi))
        out[2 * (i * n + m)] = Math.cos(angle)
        out[2 * (i * n + m) + 1] = Math.sin(angle)
      })
      return out
    }),
  )
  solveComplex(a, b)
  return from.map((_, f) =>
    to.map((phi) => {
      const direction = [Math.cos(phi), Math.sin(phi)]
      return [b[2 * f], b[2 * f + 1]].flatMap((u) => {
        const P: Complex[] = [
          [0, 0],
          [0, 0],
        ]
        cells.forEach(({ x, y, n: [nx, ny], t, h, s }, m) => {
          const angle = kt * (x * direction[0] + y * direction[1])
          const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
          const seen = [m, n + m].map((o): Complex => {
            const [re, im] = [u[2 * o], u[2 * o + 1]]
            return [re * cos - im * sin, re * sin + im * cos]
          })
          const ahead = nx * direction[0] + ny * direction[1]
          const turned = along * (t[0] * direction[0] + t[1] * direction[1])
          for (let i = 0; i < 2; i++) {
            const [own, other] = [seen[i], seen[1 - i]]
            const sign = i === 0 ? -turned : turned
            const w = (kt * h) / 4
            P[i][0] += w * ((ahead - s[i][0]) * own[0] + s[i][1] * own[1] + sign * other[0])
            P[i][1] += w * ((ahead - s[i][0]) * own[1] - s[i][1] * own[0] + sign * other[1])
          }
        })
        return P
      })
    }),
  )
}
