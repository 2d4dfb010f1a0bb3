import { cross, dot, type Vec3, type Mesh } from '../../scene/index.js'
import { add, length, subtract, times, unit } from './vectors.js'

/*
 * A target as a list of facets, and rays that are tested against every one of them.
 */

export interface Facet {
  corners: [Vec3, Vec3, Vec3]
  /** Unit normal, by the order of the corners. */
  normal: Vec3
  /** [m^2] */
  area: number
  /** Number of the smooth surface that the facet belongs to. */
  surface: number
}

export interface Ray {
  origin: Vec3
  /** Direction, unit. */
  d: Vec3
}

export interface Hit {
  facet: Facet
  /** Distance along the ray [m]. */
  t: number
  /** Point [m]. */
  r: Vec3
}

/** Facets of a mesh; those that share an edge and are bent by less than `smoothAngleDeg` share a surface. */
export function facetsOf({ positions, triangles }: Mesh, smoothAngleDeg: number): Facet[] {
  const vertex = (v: number): Vec3 => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]]
  const numbers = Array.from({ length: triangles.length / 3 }, (_, i) =>
    Array.from(triangles.subarray(3 * i, 3 * i + 3)),
  )
  const facets = numbers.map(([a, b, c], surface): Facet => {
    const corners: Facet['corners'] = [vertex(a), vertex(b), vertex(c)]
    const doubleArea = cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]))
    return { corners, normal: unit(doubleArea), area: length(doubleArea) / 2, surface }
  })
  const cosSmooth = Math.cos((smoothAngleDeg * Math.PI) / 180)
  facets.forEach((one, i) =>
    facets.slice(0, i).forEach((other, j) => {
      const sharedVertices = numbers[i].filter((v) => numbers[j].includes(v)).length
      if (sharedVertices < 2 || dot(one.normal, other.normal) <= cosSmooth) return
      const joined = one.surface
      for (const facet of facets) if (facet.surface === joined) facet.surface = other.surface
    }),
  )
  return facets
}

/** Area-weighted centroid of the facets [m]. */
export function centroidOf(facets: Facet[]): Vec3 {
  let moment: Vec3 = [0, 0, 0]
  let area = 0
  for (const facet of facets) {
    for (const corner of facet.corners) moment = add(moment, corner, facet.area / 3)
    area += facet.area
  }
  return times(1 / area, moment)
}

/** Where a ray meets a facet: its plane ahead of the origin, at a point on the inner side of all three edges. */
function meet({ origin, d }: Ray, facet: Facet): Hit | null {
  const { normal, corners } = facet
  const t = dot(normal, subtract(corners[0], origin)) / dot(normal, d)
  if (!(t > 0 && t < Infinity)) return null
  const r = add(origin, d, t)
  const isInside = corners.every((from, i) => {
    const edge = subtract(corners[(i + 1) % 3], from)
    return dot(normal, cross(edge, subtract(r, from))) >= 0
  })
  return isInside ? { facet, t, r } : null
}

/** The nearest hit of a ray among all facets but the one that it starts on. */
export function nearestHit(facets: Facet[], ray: Ray, start?: Facet): Hit | null {
  let nearest: Hit | null = null
  for (const facet of facets) {
    const hit = facet === start ? null : meet(ray, facet)
    if (hit && (!nearest || hit.t < nearest.t)) nearest = hit
  }
  return nearest
}
