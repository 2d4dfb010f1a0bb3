import type { Complex } from './complex.js'
import { hankel } from './hankel.js'
import { GAUSS } from './quadrature.js'

/*
 * Two-dimensional method of moments, k = 2 pi (lengths in wavelengths), exp(+jwt): resistive strips at any skew, and closed cylinders with
 * a surface impedance.
 */

const K = 2 * Math.PI

/** Solves A x = b in place: re and im in rows of 2n numbers, several right-hand sides. */
export function solveComplex(a: Float64Array[], b: Float64Array[]): void {
  const n = a.length
  for (let i = 0; i < n; i++) {
    let best = i
    for (let r = i + 1; r < n; r++)
      if (Math.hypot(a[r][2 * i], a[r][2 * i + 1]) > Math.hypot(a[best][2 * i], a[best][2 * i + 1])) best = r
    ;[a[i], a[best]] = [a[best], a[i]]
    for (const x of b)
      for (let c = 0; c < 2; c++) [x[2 * i + c], x[2 * best + c]] = [x[2 * best + c], x[2 * i + c]]
    const [pr, pi] = [a[i][2 * i], a[i][2 * i + 1]]
    const size = pr * pr + pi * pi
    for (let r = i + 1; r < n; r++) {
      const row = a[r]
      const fr = (row[2 * i] * pr + row[2 * i + 1] * pi) / size
      const fi = (row[2 * i + 1] * pr - row[2 * i] * pi) / size
      if (fr === 0 && fi === 0) continue
      const top = a[i]
      for (let c = 2 * i; c < 2 * n; c += 2) {
        row[c] -= fr * top[c] - fi * top[c + 1]
        row[c + 1] -= fr * top[c + 1] + fi * top[c]
      }
      for (const x of b) {
        x[2 * r] -= fr * x[2 * i] - fi * x[2 * i + 1]
        x[2 * r + 1] -= fr * x[2 * i + 1] + fi * x[2 * i]
      }
    }
  }
  for (let i = n - 1; i >= 0; i--)
    for (const x of b) {
      let re = x[2 * i]
      let im = x[2 * i + 1]
      for (let c = i + 1; c < n; c++) {
        re -= a[i][2 * c] * x[2 * c] - a[i][2 * c + 1] * x[2 * c + 1]
        im -= a[i][2 * c] * x[2 * c + 1] + a[i][2 * c + 1] * x[2 * c]
      }
      const [pr, pi] = [a[i][2 * i], a[i][2 * i + 1]]
      const size = pr * pr + pi * pi
      x[2 * i] = (re * pr + im * pi) / size
      x[2 * i + 1] = (im * pr - re * pi) / size
    }
}

/** int_0^1 f(u) du with a logarithmic singularity at 0: panels that shrink towards it. */
function graded(f: (u: number) => Complex): Complex {
  let re = 0
  let im = 0
  for (let p = 0; p < 10; p++) {
    const [from, to] = [p === 9 ? 0 : 2 ** -(p + 1), 2 ** -p]
    for (const [x, w] of GAUSS) {
      const value = f(from + (to - from) * x)
      re += (to - from) * w * value[0]
      im += (to - from) * w * value[1]
    }
  }
  return [re, im]
}

/**
 * Currents of a strip |x| < width/2, y = 0, of resistance R(x) over 377 ohm, under waves of direction (kx, ky, kz) and E = (ex, ey, ez), by
 * triangles for J_x and pulses for J_z (Galerkin). Gives 377 ohm times int J e^{jk s x} dx for directions of observation s: x and z components.
 */
export function resistiveStrip(
  width: number,
  cells: number,
  resistance: (x: number) => number,
  waves: { k: number[]; e: number[] }[],
  sx: number[],
): { x: Complex; z: Complex }[][] {
  const h = width / cells
  const kz = waves[0].k[2]
  const gamma = K * kz
  const kt = K * Math.sqrt(1 - kz * kz)
  // g = -(j/4) H0(kt |x|) against hats of boxes (2h wide) and of triangles (4h wide).
  const green = (u: number): Complex => {
    const { h0 } = hankel(kt * Math.max(Math.abs(u), 1e-12))
    return [h0[1] / 4, -h0[0] / 4]
  }
  const box = (u: number): number => Math.max(0, h - Math.abs(u))
  const spline = (u: number): number => {
    const t = Math.abs(u) / h
    return h * (t < 1 ? 2 / 3 - t * t + (t * t * t) / 2 : t < 2 ? (2 - t) ** 3 / 6 : 0)
  }
  const against = (shape: (u: number) => number, reach: number, D: number): Complex => {
    let re = 0
    let im = 0
    for (let p = -reach; p < reach; p++) {
      // Panels of h; g is singular where u = -D, at a panel's end.
      const flip = p * h + D < -h / 2
      const value = graded((t) => {
        const u = flip ? (p + 1 - t) * h : (p + t) * h
        const g = green(u + D)
        return [shape(u) * g[0], shape(u) * g[1]]
      })
      re += h * value[0]
      im += h * value[1]
    }
    return [re, im]
  }
  const G = Array.from({ length: cells + 1 }, (_, m) => against(box, 1, m * h))
  const T = Array.from({ length: cells + 1 }, (_, m) => against(spline, 2, m * h))
  const at = (list: Complex[], m: number): Complex => list[Math.abs(m)]
  const nx = cells - 1
  const n = nx + cells
  const middle = (m: number): number => -width / 2 + (m + 0.5) * h
  const a = Array.from({ length: n }, () => new Float64Array(2 * n))
  const put = (r: number, c: number, g: Complex, re: number, im: number): void => {
    a[r][2 * c] += g[0] * re - g[1] * im
    a[r][2 * c + 1] += g[0] * im + g[1] * re
  }
  // R J - E_s = E_i, E_s/377 = -jk [A + grad div A/k^2].
  for (let m = 0; m < nx; m++)
    for (let c = 0; c < n; c++) {
      if (c < nx) {
        put(m, c, at(T, m - c), 0, K)
        // -int t_m' Phi: slopes +1/h and -1/h on both sides.
        for (const [p, sp] of [
          [0, 1],
          [1, -1],
        ])
          for (const [q, sq] of [
            [0, 1],
            [1, -1],
          ])
            put(m, c, at(G, m + p - c - q), 0, (-sp * sq) / (K * h * h))
        if (m === c) put(m, c, [h / 3, 0], resistance(middle(m)) + resistance(middle(m + 1)), 0)
        if (Math.abs(m - c) === 1) put(m, c, [h / 6, 0], resistance(middle(Math.max(m, c))), 0)
      } else
        for (const [p, sp] of [
          [0, 1],
          [1, -1],
        ])
          // div J = -j gamma J_z: j/K (-t_m')(-j gamma) = -t_m' gamma/K.
          put(m, c, at(G, m + p - (c - nx)), (-sp * gamma) / (K * h), 0)
    }
  for (let m = 0; m < cells; m++)
    for (let c = 0; c < n; c++) {
      if (c < nx)
        for (const [q, sq] of [
          [0, 1],
          [1, -1],
        ])
          // j/K (-j gamma) dJ_x/dx
          put(nx + m, c, at(G, m - c - q), (gamma * sq) / (K * h), 0)
      else {
        put(nx + m, c, at(G, m - (c - nx)), 0, K - (gamma * gamma) / K)
        if (m === c - nx) put(nx + m, c, [h, 0], resistance(middle(m)), 0)
      }
    }
  const sinc = (x: number): number => (Math.abs(x) < 1e-9 ? 1 : Math.sin(x) / x)
  const b = waves.map(({ k, e }) => {
    const out = new Float64Array(2 * n)
    const q = sinc((K * k[0] * h) / 2)
    for (let r = 0; r < n; r++) {
      const isX = r < nx
      const x = isX ? middle(r) + h / 2 : middle(r - nx)
      const size = isX ? h * q * q * e[0] : h * q * e[2]
      out[2 * r] = size * Math.cos(K * k[0] * x)
      out[2 * r + 1] = -size * Math.sin(K * k[0] * x)
    }
    return out
  })
  solveComplex(a, b)
  return b.map((current) =>
    sx.map((s) => {
      const q = sinc((K * s * h) / 2)
      const total = (isX: boolean): Complex => {
        let re = 0
        let im = 0
        for (let r = isX ? 0 : nx; r < (isX ? nx : n); r++) {
          const x = isX ? middle(r) + h / 2 : middle(r - nx)
          const [c, d] = [Math.cos(K * s * x), Math.sin(K * s * x)]
          re += current[2 * r] * c - current[2 * r + 1] * d
          im += current[2 * r] * d + current[2 * r + 1] * c
        }
        const size = isX ? h * q * q : h * q
        return [size * re, size * im]
      }
      return { x: total(true), z: total(false) }
    }),
  )
}

/** A straight cell of an outline: middle, normal out of the body, length. */
export interface Cell {
  x: number
  y: number
  nx: number
  ny: number
  h: number
}

/** Cells of one side of an outline, counterclockwise, finer towards its ends. */
export function sideCells([ax, ay]: [number, number], [bx, by]: [number, number], perUnit: number): Cell[] {
  const length = Math.hypot(bx - ax, by - ay)
  const count = Math.ceil(perUnit * length)
  const [tx, ty] = [(bx - ax) / length, (by - ay) / length]
  // Quadratic from either end.
  const place = (t: number): number => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) ** 2) * 0.6 + 0.4 * t
  return Array.from({ length: count }, (_, m) => {
    const [from, to] = [place(m / count) * length, place((m + 1) / count) * length]
    const c = (from + to) / 2
    return { x: ax + c * tx, y: ay + c * ty, nx: ty, ny: -tx, h: to - from }
  })
}

/**
 * Far field P of a closed cylinder whose outline (counterclockwise corners) has du/dn = jk s u, s by side, under unit waves from directions phi [rad]:
 * u_s ~ sqrt(2/(pi k rho)) e^{-j(k rho - pi/4)} P, towards where they come from. Pulses, points in the middles of `perUnit` cells a wavelength.
 */
export function impedanceCylinder(
  corners: [number, number][],
  sides: Complex[],
  perUnit: number,
  phis: number[],
): Complex[] {
  const cells = corners.flatMap((from, i) =>
    sideCells(from, corners[(i + 1) % corners.length], perUnit).map((cell) => ({ ...cell, s: sides[i] })),
  )
  const n = cells.length
  const a = Array.from({ length: n }, () => new Float64Array(2 * n))
  for (let r = 0; r < n; r++)
    for (let c = 0; c < n; c++) {
      const { x, y, nx, ny, h, s } = cells[c]
      let re = 0
      let im = 0
      const addPoint = (u: number, w: number): void => {
        const dx = cells[r].x - x + u * ny
        const dy = cells[r].y - y - u * nx
        const rho = Math.hypot(dx, dy)
        const { h0, h1 } = hankel(K * rho)
        // g = -(j/4) H0, dg/dn' = -(jk/4) H1 n.(r - r')/rho; -(dg/dn' - jk s g)
        const cosine = r === c ? 0 : (nx * dx + ny * dy) / rho
        const gr = h0[1] / 4
        const gi = -h0[0] / 4
        re += w * (-(K / 4) * h1[1] * cosine - K * (s[0] * gi + s[1] * gr))
        im += w * ((K / 4) * h1[0] * cosine + K * (s[0] * gr - s[1] * gi))
      }
      if (r === c)
        for (let p = 0; p < 8; p++) {
          const [from, to] = [p === 7 ? 0 : (h / 2) * 2 ** -(p + 1), (h / 2) * 2 ** -p]
          for (const [t, w] of GAUSS) addPoint(from + (to - from) * t, 2 * (to - from) * w)
        }
      else for (const [t, w] of GAUSS) addPoint((t - 0.5) * h, w * h)
      a[r][2 * c] = re + (r === c ? 0.5 : 0)
      a[r][2 * c + 1] = im
    }
  const b = phis.map((phi) => {
    const out = new Float64Array(2 * n)
    cells.forEach(({ x, y }, i) => {
      const angle = K * (x * Math.cos(phi) + y * Math.sin(phi))
      out[2 * i] = Math.cos(angle)
      out[2 * i + 1] = Math.sin(angle)
    })
    return out
  })
  solveComplex(a, b)
  return b.map((u, i) => {
    const [cx, cy] = [Math.cos(phis[i]), Math.sin(phis[i])]
    let re = 0
    let im = 0
    cells.forEach(({ x, y, nx, ny, h, s }, m) => {
      const angle = K * (x * cx + y * cy)
      const [c, d] = [Math.cos(angle), Math.sin(angle)]
      // -(j/4) jk (n.s - s) u e^{jk s.r}
      const [fr, fi] = [nx * cx + ny * cy - s[0], -s[1]]
      const [ur, ui] = [u[2 * m] * c - u[2 * m + 1] * d, u[2 * m] * d + u[2 * m + 1] * c]
      re += ((K * h) / 4) * (fr * ur - fi * ui)
      im += ((K * h) / 4) * (fr * ui + fi * ur)
    })
    return [re, im]
  })
}
