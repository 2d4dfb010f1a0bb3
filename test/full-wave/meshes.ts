import type { CurrentMesh } from '../../full-wave/index.js'

/** Vertices that are equal to 1e-9 become one. */
export function welded(corners: number[][]): CurrentMesh {
  const places = new Map<string, number>()
  const positions: number[] = []
  const triangles = corners.map((p) => {
    const key = p.map((x) => Math.round(x * 1e9)).join()
    let place = places.get(key)
    if (place === undefined) {
      places.set(key, (place = positions.length / 3))
      positions.push(...p)
    }
    return place
  })
  return {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(triangles),
  }
}

/** Octahedron whose faces are cut in n x n, on a sphere of the same volume as one of radius 1. */
export function sphere(n: number): CurrentMesh {
  const corners: number[][] = []
  for (const sx of [1, -1])
    for (const sy of [1, -1])
      for (const sz of [1, -1]) {
        const at = (i: number, j: number): number[] => {
          // Equal angles along the octants' edges.
          const w = [i, j, n - i - j].map((c) => Math.sin((Math.PI * c) / (2 * n)))
          const r = Math.hypot(...w)
          return [(sx * w[0]) / r, (sy * w[1]) / r, (sz * w[2]) / r]
        }
        const add = (...t: number[][]): void => {
          corners.push(...(sx * sy * sz > 0 ? t : t.reverse()))
        }
        for (let i = 0; i < n; i++)
          for (let j = 0; i + j < n; j++) {
            add(at(i, j), at(i + 1, j), at(i, j + 1))
            if (i + j < n - 1) add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1))
          }
      }
  let volume = 0
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = corners.slice(t, t + 3)
    volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6 // prettier-ignore
  }
  const scale = Math.cbrt((4 * Math.PI) / 3 / volume)
  return welded(corners.map((p) => p.map((x) => scale * x)))
}

/** A parallelogram on o, o + u, o + v with grid lines at fractions us and vs, counter-clockwise seen from u x v. */
export function patch(o: number[], u: number[], v: number[], us: number[], vs: number[]): number[][] {
  const at = (a: number, b: number): number[] => o.map((x, i) => x + a * u[i] + b * v[i])
  const corners: number[][] = []
  for (let i = 1; i < us.length; i++)
    for (let j = 1; j < vs.length; j++) {
      const [a, b, c, d] = [at(us[i - 1], vs[j - 1]), at(us[i], vs[j - 1]), at(us[i], vs[j]), at(us[i - 1], vs[j])] // prettier-ignore
      // Diagonals towards the middle of the patch.
      if (us[i] > 0.5 === vs[j] > 0.5) corners.push(a, b, c, a, c, d)
      else corners.push(a, b, d, b, c, d)
    }
  return corners
}
