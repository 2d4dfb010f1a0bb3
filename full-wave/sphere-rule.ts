import { direction, type Direction } from '../scene/index.js'

/**
 * Directions and weights (which sum to 4π) that integrate the power of a field of a body of radius kr [rad]: Gauss's rule in cos θ,
 * equal steps in φ.
 */
export function sphereRule(kr: number): { d: Direction; weight: number }[] {
  const count = Math.ceil(kr + 3 * Math.cbrt(kr)) + 3
  const [nodes, weights] = gaussLegendre(count)
  const around = 2 * count
  return nodes.flatMap((z, i) =>
    Array.from({ length: around }, (_, j) => ({
      d: direction((Math.acos(z) * 180) / Math.PI, (360 * j) / around),
      weight: (weights[i] * 2 * Math.PI) / around,
    })),
  )
}

/** Nodes and weights on -1 to 1, by Newton's method on the Legendre polynomial. */
function gaussLegendre(count: number): [nodes: number[], weights: number[]] {
  const nodes: number[] = []
  const weights: number[] = []
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5))
    let slope = 1
    for (let step = 0; step < 20; step++) {
      let [p, q] = [1, 0]
      for (let n = 1; n <= count; n++) [p, q] = [((2 * n - 1) * x * p - (n - 1) * q) / n, p]
      slope = (count * (x * p - q)) / (x * x - 1)
      const dx = p / slope
      x -= dx
      if (Math.abs(dx) < 1e-15) break
    }
    nodes.push(x)
    weights.push(2 / ((1 - x * x) * slope * slope))
  }
  return [nodes, weights]
}
