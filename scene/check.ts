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
  const odd = firstNotFinite(positions)
  if (odd >= 0)
    throw new InputError(
      `coordinate ${'xyz'[odd % 3]} of vertex ${Math.floor(odd / 3)} is ${positions[odd]}, not a finite number; repair the mesh`,
    )
  const vertices = positions.length / 3
  const wrong = firstFrom(triangles, vertices)
  if (wrong >= 0)
    throw new InputError(
      `facet ${Math.floor(wrong / 3)} uses vertex ${triangles[wrong]}, but the mesh has ${vertices} vertices (numbered from 0)`,
    )
}

function firstNotFinite(numbers: Float64Array): number {
  // x - x is 0 for finite numbers only.
  for (let i = 0; i < numbers.length; i++) if (!(numbers[i] - numbers[i] === 0)) return i
  return -1
}

function firstFrom(numbers: Uint32Array, least: number): number {
  for (let i = 0; i < numbers.length; i++) if (numbers[i] >= least) return i
  return -1
}
