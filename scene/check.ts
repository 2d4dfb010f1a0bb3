import { InputError } from './errors.js'
import type { Mesh } from './mesh.js'

/**
 * Throws InputError unless every coordinate is finite, every vertex number names a vertex, and the arrays' lengths fit.
 * Vertices and facets are numbered from 0 in the messages.
 */
export function checkMesh(mesh: Mesh): void {
  const { positions, triangles, facetGroup } = mesh
  if (positions.length % 3 !== 0)
    throw new InputError(`the mesh has ${positions.length} coordinates, which is not three per vertex`)
  if (triangles.length % 3 !== 0)
    throw new InputError(`the mesh has ${triangles.length} vertex numbers, which is not three per facet`)
  if (facetGroup && facetGroup.length !== triangles.length / 3)
    throw new InputError(`the mesh has ${triangles.length / 3} facets but ${facetGroup.length} group numbers`)
  for (let i = 0; i < positions.length; i++)
    // True of finite numbers only, and no call.
    if (!(positions[i] - positions[i] === 0))
      throw new InputError(
        `coordinate ${'xyz'[i % 3]} of vertex ${Math.floor(i / 3)} is ${positions[i]}, not a finite number; repair the mesh`,
      )
  const vertices = positions.length / 3
  for (let i = 0; i < triangles.length; i++)
    if (triangles[i] >= vertices)
      throw new InputError(
        `facet ${Math.floor(i / 3)} uses vertex ${triangles[i]}, but the mesh has ${vertices} vertices (numbered from 0)`,
      )
}
