import { cross, dot, type Vec3 } from '../../scene/index.js'

/** Nodes and weights of Gauss-Legendre quadrature on [-1, 1] (Newton's method on the Legendre polynomial). */
export function gaussLegendre(n: number): { x: number[]; w: number[] } {
  const x: number[] = []
  const w: number[] = []
  for (let i = 0; i < n; i++) {
    let z = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5))
    let slope = 1
    for (let step = 0; step < 100; step++) {
      let [p, before] = [1, 0]
      for (let m = 1; m <= n; m++) [p, before] = [((2 * m - 1) * z * p - (m - 1) * before) / m, p]
      slope = (n * (z * p - before)) / (z * z - 1)
      const next = z - p / slope
      if (Math.abs(next - z) < 1e-16) break
      z = next
    }
    x.push(z)
    w.push(2 / ((1 - z * z) * slope * slope))
  }
  return { x, w }
}

const rule = gaussLegendre(24)

/** Integral of exp(j w . r) over a planar quadrilateral of four vertices (12 numbers) by quadrature over two triangles. */
export function phaseIntegral(q: ArrayLike<number>, w: ArrayLike<number>): [number, number] {
  const vertex = (i: number): Vec3 => [q[3 * i], q[3 * i + 1], q[3 * i + 2]]
  let re = 0
  let im = 0
  for (const [b, c] of [
    [1, 2],
    [2, 3],
  ]) {
    const a = vertex(0)
    const u = vertex(b).map((x, i) => x - a[i]) as Vec3
    const v = vertex(c).map((x, i) => x - a[i]) as Vec3
    const doubleArea = Math.hypot(...cross(u, v))
    rule.x.forEach((xi, i) =>
      rule.x.forEach((eta, j) => {
        // The square folded onto the triangle: (s, t (1 - s)).
        const s = (1 + xi) / 2
        const t = ((1 + eta) / 2) * (1 - s)
        const weight = (rule.w[i] * rule.w[j] * (1 - s) * doubleArea) / 4
        const phase = [0, 1, 2].reduce((sum, n) => sum + w[n] * (a[n] + s * u[n] + t * v[n]), 0)
        re += weight * Math.cos(phase)
        im += weight * Math.sin(phase)
      }),
    )
  }
  return [re, im]
}

export interface Quad {
  /** 4 vertices about a point inside, counter-clockwise about p. */
  q: Float64Array
  p: Vec3
  /** Phase gradient [rad/m]. */
  w: Vec3
  area: number
}

/** A random planar quadrilateral of sides near 1, in a random plane, with |w| = span in a random direction. */
export function randomQuad(next: () => number, span: number): Quad {
  const randomUnit = (): Vec3 => {
    for (;;) {
      const v: Vec3 = [2 * next() - 1, 2 * next() - 1, 2 * next() - 1]
      const length = Math.hypot(...v)
      if (length > 0.1 && length < 1) return v.map((x) => x / length) as Vec3
    }
  }
  const p = randomUnit()
  const other = randomUnit()
  const across = cross(p, other)
  const a = across.map((x) => x / Math.hypot(...across)) as Vec3
  const b = cross(p, a)
  const q = new Float64Array(12)
  const plane: [number, number][] = [
    [0.5, 0.5],
    [-0.5, 0.5],
    [-0.5, -0.5],
    [0.5, -0.5],
  ].map(([x, y]) => [x + 0.3 * (next() - 0.5), y + 0.3 * (next() - 0.5)])
  plane.forEach(([x, y], i) => {
    for (let n = 0; n < 3; n++) q[3 * i + n] = x * a[n] + y * b[n]
  })
  let area = 0
  plane.forEach(([x, y], i) => {
    const [u, v] = plane[(i + 1) % 4]
    area += (x * v - y * u) / 2
  })
  if (dot(cross(a, b), p) < 0) throw new Error('the plane is turned round')
  return { q, p, w: randomUnit().map((x) => x * span) as Vec3, area }
}
