import type { Mesh } from '../../scene/index.js'

/** Points, facets or other rows of numbers as a text: '0 0, 1 0'. */
export const rows = <T extends number[] = number[]>(text: string): T[] =>
  text.split(', ').map((row) => row.split(' ').map(Number) as T)

export const meshOf = (points: number[][] | string, facets: number[][] | string): Mesh => {
  const [p, f] = [points, facets].map((list) => (typeof list === 'string' ? rows(list) : list))
  return { positions: Float64Array.from(p.flat()), triangles: Uint32Array.from(f.flat()) }
}

/** Right prism over a counter-clockwise polygon (x, y), triangulated by the given index triples, from z = 0 to h. */
export function prism(polygon: number[][], caps: number[][], h: number): Mesh {
  const n = polygon.length
  const points = [...polygon.map(([x, y]) => [x, y, 0]), ...polygon.map(([x, y]) => [x, y, h])]
  const facets = caps.flatMap(([a, b, c]) => [
    [a, c, b],
    [a + n, b + n, c + n],
  ])
  for (let i = 0; i < n; i++) {
    const j = (i + 1) % n
    facets.push([i, j, j + n], [i, j + n, i + n])
  }
  return meshOf(points, facets)
}

export const square = rows('0 0, 1 0, 1 1, 0 1')

/** The unit square in z = 0. */
export const sheet = (): Mesh => meshOf('0 0 0, 1 0 0, 1 1 0, 0 1 0', '0 1 2, 0 2 3')

export const cube = (): Mesh => prism(square, rows('0 1 2, 0 2 3'), 1)

/** Unit sphere by latitude and longitude, outward facets. */
export function sphere(rows: number, columns: number): Mesh {
  const points = [[0, 0, 1]]
  for (let i = 1; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const [theta, phi] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns]
      points.push([Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)])
    }
  points.push([0, 0, -1])
  const at = (i: number, j: number): number => 1 + (i - 1) * columns + (j % columns)
  const facets: number[][] = []
  for (let j = 0; j < columns; j++) {
    facets.push([0, at(1, j), at(1, j + 1)])
    for (let i = 1; i < rows - 1; i++) {
      facets.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)])
    }
    facets.push([points.length - 1, at(rows - 1, j + 1), at(rows - 1, j)])
  }
  return meshOf(points, facets)
}

/** Every facet with three vertices of its own, as an STL file has them. */
export function soup(mesh: Mesh): Mesh {
  const positions = new Float64Array(3 * mesh.triangles.length)
  mesh.triangles.forEach((v, i) => positions.set(mesh.positions.subarray(3 * v, 3 * v + 3), 3 * i))
  return { ...mesh, positions, triangles: Uint32Array.from(mesh.triangles, (_, i) => i) }
}

export function flipFacets(mesh: Mesh, which: (t: number) => boolean): Mesh {
  const triangles = mesh.triangles.slice()
  for (let t = 0; t < triangles.length / 3; t++)
    if (which(t)) {
      triangles[3 * t + 1] = mesh.triangles[3 * t + 2]
      triangles[3 * t + 2] = mesh.triangles[3 * t + 1]
    }
  return { ...mesh, triangles }
}

export function join(...meshes: Mesh[]): Mesh {
  const positions: number[] = []
  const triangles: number[] = []
  for (const mesh of meshes) {
    const base = positions.length / 3
    positions.push(...mesh.positions)
    for (const v of mesh.triangles) triangles.push(v + base)
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

export const scaled = (mesh: Mesh, by: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => x * by),
})

export const moved = (mesh: Mesh, [x, y, z]: [number, number, number]): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((c, i) => c + [x, y, z][i % 3]),
})
