import type { CurrentMesh } from './current-mesh.js'
import { edgeTable } from '../scene/index.js'

/** Shape of the triangles of a mesh for currents. */
export interface MeshQuality {
  triangles: number
  vertices: number
  /** RWG functions: an edge of n triangles carries n − 1. */
  unknowns: number
  /** Least and median of `triangleQualities`. */
  worst: number
  median: number
  /** Smallest angle of all triangles [degrees]. Thin rows along edges have small ones. */
  smallestAngleDeg: number
  /** Longest edge [wavelengths]. */
  longestEdge: number
}

/**
 * Quality of each triangle, T numbers: twice the radius of the inscribed circle over that of the circumscribed one; 1 for an equilateral
 * triangle, 0 for one without area (Shewchuk, What is a good linear element, 2002).
 */
export function triangleQualities({ positions: p, triangles: tri }: CurrentMesh): Float64Array {
  const qualities = new Float64Array(tri.length / 3)
  for (let t = 0; t < qualities.length; t++) {
    const [a, b, c] = sides(p, tri, t)
    const product = a * b * c
    qualities[t] = product > 0 ? Math.max(0, ((b + c - a) * (c + a - b) * (a + b - c)) / product) : 0
  }
  return qualities
}

/** @param wavelength  [m] */
export function meshQuality(mesh: CurrentMesh, wavelength: number): MeshQuality {
  const { positions: p, triangles: tri } = mesh
  const qualities = triangleQualities(mesh).sort()
  let smallest = Math.PI
  let longest = 0
  for (let t = 0; t < qualities.length; t++) {
    const [a, b, c] = sides(p, tri, t).sort((x, y) => x - y)
    longest = Math.max(longest, c)
    const cosine = b > 0 && c > 0 ? (b * b + c * c - a * a) / (2 * b * c) : 1
    smallest = Math.min(smallest, Math.acos(Math.min(1, cosine)))
  }
  const table = edgeTable(mesh)
  return {
    triangles: qualities.length,
    vertices: p.length / 3,
    unknowns: tri.length - table.count,
    worst: qualities[0] ?? 1,
    median: qualities[qualities.length >> 1] ?? 1,
    smallestAngleDeg: (smallest * 180) / Math.PI,
    longestEdge: longest / wavelength,
  }
}

/** Lengths of a triangle's sides. */
function sides(p: Float64Array, tri: Uint32Array, t: number): [number, number, number] {
  const length = (i: number, j: number): number => {
    const a = 3 * tri[3 * t + i]
    const b = 3 * tri[3 * t + j]
    return Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
  }
  return [length(1, 2), length(2, 0), length(0, 1)]
}
