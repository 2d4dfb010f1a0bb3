import type { Complex } from './complex.js'

/** H0^(2)(x) and H1^(2)(x) for x > 0: power series below 14, Hankel's asymptotic series above; within 1e-9. */
export function hankel(x: number): { h0: Complex; h1: Complex } {
  return x < 14 ? bySeries(x) : asymptotic(x)
}

const EULER = 0.5772156649015329

function bySeries(x: number): { h0: Complex; h1: Complex } {
  const q = -(x * x) / 4
  let j0 = 0
  let j1 = 0
  let y0 = 0
  let y1 = 0
  let term = 1
  let harmonic = 0
  for (let m = 0; m < 60; m++) {
    const next = harmonic + 1 / (m + 1)
    j0 += term
    j1 += (term * x) / (2 * (m + 1))
    y0 -= term * harmonic
    y1 -= ((term * x) / (2 * (m + 1))) * (harmonic + next)
    harmonic = next
    term *= q / ((m + 1) * (m + 1))
  }
  const log = (2 / Math.PI) * (Math.log(x / 2) + EULER)
  return {
    h0: [j0, -(log * j0 + (2 / Math.PI) * y0)],
    h1: [j1, -(log * j1 + y1 / Math.PI - 2 / (Math.PI * x))],
  }
}

function asymptotic(x: number): { h0: Complex; h1: Complex } {
  const [h0, h1] = [0, 1].map((order): Complex => {
    // sqrt(2/(pi x)) exp(-j(x - order pi/2 - pi/4)) sum_m a_m/(-j... x)^m
    let re = 0
    let im = 0
    let a = 1
    for (let m = 0; m < 20; m++) {
      // (-j)^m
      const turn = m % 4
      if (turn === 0) re += a
      else if (turn === 1) im -= a
      else if (turn === 2) re -= a
      else im += a
      a *= (4 * order * order - (2 * m + 1) ** 2) / (8 * (m + 1) * x)
    }
    const angle = -(x - (order * Math.PI) / 2 - Math.PI / 4)
    const size = Math.sqrt(2 / (Math.PI * x))
    const [c, s] = [size * Math.cos(angle), size * Math.sin(angle)]
    return [c * re - s * im, c * im + s * re]
  })
  return { h0, h1 }
}

/** Writes H0^(2) and H1^(2) of a complex z, Re z > 0, Im z <= 0: re and im of both. */
export function hankelOf(x: number, y: number, out: Float64Array): void {
  const size = Math.hypot(x, y)
  const angle = Math.atan2(y, x)
  if (size >= 14) {
    // sqrt(2/(pi z)) exp(-j(z - order pi/2 - pi/4)) sum_m a_m (-j/z)^m
    const scale = Math.sqrt(2 / (Math.PI * size)) * Math.exp(y)
    const [ur, ui] = [-Math.sin(angle) / size, -Math.cos(angle) / size]
    for (let order = 0; order < 2; order++) {
      let [tr, ti, re, im] = [1, 0, 1, 0]
      for (let m = 0; m < 20; m++) {
        const a = (4 * order * order - (2 * m + 1) ** 2) / (8 * (m + 1))
        ;[tr, ti] = [a * (tr * ur - ti * ui), a * (tr * ui + ti * ur)]
        re += tr
        im += ti
        if (Math.abs(tr) + Math.abs(ti) < 1e-13) break
      }
      const turn = -(x - (order * Math.PI) / 2 - Math.PI / 4) - angle / 2
      const [c, s] = [scale * Math.cos(turn), scale * Math.sin(turn)]
      out[2 * order] = c * re - s * im
      out[2 * order + 1] = c * im + s * re
    }
    return
  }
  // J0, J1/(z/2) and sums of Y's series, in q = -z^2/4.
  const [qr, qi] = [-(x * x - y * y) / 4, -(x * y) / 2]
  let [tr, ti, harmonic] = [1, 0, 0]
  let [ar, ai, br, bi, cr, ci, dr, di] = [0, 0, 0, 0, 0, 0, 0, 0]
  for (let m = 0; m < 60; m++) {
    const next = harmonic + 1 / (m + 1)
    ar += tr
    ai += ti
    br += tr / (m + 1)
    bi += ti / (m + 1)
    cr += tr * harmonic
    ci += ti * harmonic
    dr += (tr * (harmonic + next)) / (m + 1)
    di += (ti * (harmonic + next)) / (m + 1)
    harmonic = next
    const f = 1 / ((m + 1) * (m + 1))
    ;[tr, ti] = [f * (tr * qr - ti * qi), f * (tr * qi + ti * qr)]
    if (Math.abs(tr) + Math.abs(ti) < 1e-17) break
  }
  const [lr, li] = [(2 / Math.PI) * (Math.log(size / 2) + EULER), (2 / Math.PI) * angle]
  // Y0 = (2/pi) (ln(z/2) + C) J0 - (2/pi) sum; H = J - jY.
  const y0r = lr * ar - li * ai - (2 / Math.PI) * cr
  const y0i = lr * ai + li * ar - (2 / Math.PI) * ci
  out[0] = ar + y0i
  out[1] = ai - y0r
  const [j1r, j1i] = [(x * br - y * bi) / 2, (x * bi + y * br) / 2]
  // Y1 = (2/pi)(ln(z/2) + C) J1 - (z/(2 pi)) sum - 2/(pi z)
  const y1r = lr * j1r - li * j1i - (x * dr - y * di) / (2 * Math.PI) - (2 * x) / (Math.PI * size * size)
  const y1i = lr * j1i + li * j1r - (x * di + y * dr) / (2 * Math.PI) + (2 * y) / (Math.PI * size * size)
  out[2] = j1r + y1i
  out[3] = j1i - y1r
}
