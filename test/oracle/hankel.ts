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
