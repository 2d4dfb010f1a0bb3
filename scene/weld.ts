import { checkMesh } from './check.js'
import { InputError } from './errors.js'
import { boundingBox, type Mesh } from './mesh.js'

/** Length of the diagonal of the box around the vertices that facets use [m]; 0 for a mesh without facets. */
export function boxDiagonal(mesh: Mesh): number {
  if (mesh.triangles.length === 0) return 0
  const { min, max } = boundingBox(mesh)
  return Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])
}

/** The mesh with only the vertices that its facets use, in their old order; facets and groups keep theirs. */
export function dropUnusedVertices(mesh: Mesh): Mesh {
  const vertices = mesh.positions.length / 3
  const used = new Uint8Array(vertices)
  for (const v of mesh.triangles) used[v] = 1
  const renumber = new Uint32Array(vertices)
  let count = 0
  for (let v = 0; v < vertices; v++) {
    renumber[v] = count
    count += used[v]
  }
  if (count === vertices) return mesh
  const positions = new Float64Array(3 * count)
  for (let v = 0; v < vertices; v++)
    if (used[v]) positions.set(mesh.positions.subarray(3 * v, 3 * v + 3), 3 * renumber[v])
  return { ...mesh, positions, triangles: mesh.triangles.map((v) => renumber[v]) }
}

/**
 * Merges vertices that lie within `tolerance` [m] of each other (default: 1e-6 of the bounding box's diagonal), and
 * drops vertices that no facet uses. Vertices are taken in order: each joins the lowest-numbered kept vertex within
 * the tolerance, or is kept itself, so kept vertices never move, are more than the tolerance apart, and welding
 * twice changes nothing. A tolerance of 0 merges equal vertices only. Facets are all kept, also those that collapse
 * (`cleanMesh` removes and counts them).
 * Throws InputError for a mesh with non-finite vertices or a tolerance that is negative or not a number.
 */
export function weld(mesh: Mesh, tolerance?: number): Mesh {
  checkMesh(mesh)
  const compact = dropUnusedVertices(mesh)
  const diagonal = boxDiagonal(compact)
  const tol = tolerance ?? 1e-6 * diagonal
  if (!(tol >= 0 && tol < Infinity))
    throw new InputError(`the weld tolerance is ${tol}; give a length in metres, 0 or more`)

  const p = compact.positions
  const vertices = p.length / 3
  const origin = compact.triangles.length ? boundingBox(compact).min : [0, 0, 0]
  // Cells wider than the tolerance: most vertices then need to look into one cell only.
  const cell = Math.max(4 * tol, 1e-9 * diagonal, Number.MIN_VALUE)
  // A little more than the tolerance, so that rounding of a cell number cannot hide a neighbour.
  const reach = tol * (1 + 1e-6) + 1e-12 * diagonal
  const bits = Math.ceil(Math.log2(Math.max(2, 2 * vertices)))
  const head = new Int32Array(2 ** bits).fill(-1)
  const next = new Int32Array(vertices).fill(-1)
  const bucket = (ix: number, iy: number, iz: number): number =>
    (Math.imul(ix | 0, 73856093) ^ Math.imul(iy | 0, 19349663) ^ Math.imul(iz | 0, 83492791)) &
    (head.length - 1)
  const cellOf = (x: number, axis: number): number => Math.floor((x - origin[axis]) / cell)

  const keeper = new Uint32Array(vertices)
  for (let v = 0; v < vertices; v++) {
    const [x, y, z] = [p[3 * v], p[3 * v + 1], p[3 * v + 2]]
    let best = v
    for (let ix = cellOf(x - reach, 0); ix <= cellOf(x + reach, 0); ix++)
      for (let iy = cellOf(y - reach, 1); iy <= cellOf(y + reach, 1); iy++)
        for (let iz = cellOf(z - reach, 2); iz <= cellOf(z + reach, 2); iz++)
          for (let w = head[bucket(ix, iy, iz)]; w >= 0; w = next[w]) {
            const [dx, dy, dz] = [p[3 * w] - x, p[3 * w + 1] - y, p[3 * w + 2] - z]
            if (w < best && dx * dx + dy * dy + dz * dz <= tol * tol) best = w
          }
    keeper[v] = best
    if (best === v) {
      const b = bucket(cellOf(x, 0), cellOf(y, 1), cellOf(z, 2))
      next[v] = head[b]
      head[b] = v
    }
  }
  return dropUnusedVertices({ ...compact, triangles: compact.triangles.map((v) => keeper[v]) })
}
