import { facetCount, type Mesh, rotatePart } from '../scene/index.js'
import { facetMaterials } from '../scene/materials/index.js'
import type { PartMotion } from './config.js'

/** Most blades that are recognised as alike. */
const MOST_FOLD = 12

/**
 * Largest n such that a part looks the same after 1/n of a turn about its axis: the centroids of its facets lie on each other, within
 * `tolerance` [m], and their materials are the same.
 */
export function foldOf(mesh: Mesh, { pivot, axis }: PartMotion, tolerance: number): number {
  const centroids = new Places(mesh, tolerance)
  for (let fold = MOST_FOLD; fold > 1; fold--)
    if (centroids.meet(rotatePart(mesh, { pivot, axis, angleDeg: 360 / fold }))) return fold
  return 1
}

export const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** Centroids of facets in cells as wide as the tolerance. */
class Places {
  private readonly cells = new Map<string, number[][]>()

  constructor(
    mesh: Mesh,
    private readonly tolerance: number,
  ) {
    for (const point of centroidsOf(mesh)) {
      const key = this.cellOf(point).join()
      this.cells.set(key, [...(this.cells.get(key) ?? []), point])
    }
  }

  /** Whether every facet of the mesh has one here at its place. */
  meet(mesh: Mesh): boolean {
    for (const point of centroidsOf(mesh)) if (!this.has(point)) return false
    return true
  }

  private has(point: number[]): boolean {
    const [x, y, z, material] = this.cellOf(point)
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (let k = -1; k <= 1; k++)
          for (const other of this.cells.get([x + i, y + j, z + k, material].join()) ?? [])
            if (Math.hypot(...point.map((p, c) => p - other[c])) <= this.tolerance) return true
    return false
  }

  private cellOf = ([x, y, z, material]: number[]): number[] => [
    ...[x, y, z].map((p) => Math.floor(p / this.tolerance)),
    material,
  ]
}

/** Centroid of each facet, and the number of its material. */
function* centroidsOf(mesh: Mesh): Generator<number[]> {
  const { positions, triangles } = mesh
  const { facetMaterial } = facetMaterials(mesh)
  for (let t = 0; t < facetCount(mesh); t++) {
    const centroid = [0, 1, 2].map(
      (c) =>
        (positions[3 * triangles[3 * t] + c] +
          positions[3 * triangles[3 * t + 1] + c] +
          positions[3 * triangles[3 * t + 2] + c]) /
        3,
    )
    yield [...centroid, facetMaterial?.[t] ?? 0]
  }
}
