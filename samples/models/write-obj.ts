import { facetCount, type Mesh } from '../../scene/index.js'

/**
 * OBJ text of a mesh with its groups as materials (`usemtl`). Coordinates are rounded to float32 and written whole, vertices in the
 * order in which facets use them: read again it is the same target as the binary STL of the mesh.
 * @param round  another rounding of coordinates
 */
export function writeObj(
  { positions, triangles, ...mesh }: Mesh,
  round: (x: number) => number = Math.fround,
): string {
  const numbers = new Map<number, number>()
  const vertices: string[] = []
  const faces: string[] = []
  let group = -1
  for (let t = 0; t < facetCount({ positions, triangles }); t++) {
    const of = mesh.facetGroup?.[t] ?? -1
    if (of !== group) faces.push(`usemtl ${mesh.groupNames![(group = of)]}`)
    const corners = Array.from(triangles.subarray(3 * t, 3 * t + 3), (v) => {
      if (!numbers.has(v)) {
        numbers.set(
          v,
          vertices.push(`v ${Array.from(positions.subarray(3 * v, 3 * v + 3), round).join(' ')}`),
        )
      }
      return numbers.get(v)!
    })
    faces.push(`f ${corners.join(' ')}`)
  }
  return [...vertices, ...faces, ''].join('\n')
}
