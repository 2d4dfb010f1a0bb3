import { boundingBox, checkMesh, diagonalOf, type Mesh } from './mesh.js'
import type { Vec3 } from './direction.js'
import { InputError } from './errors.js'

/** Length of the diagonal of the box around the vertices that facets use [m]; 0 for a mesh without facets. */
export const boxDiagonal = (mesh: Mesh): number =>
  mesh.triangles.length === 0 ? 0 : diagonalOf(boundingBox(mesh))

/** The facets' vertices, renumbered. */
function renumbered(triangles: Uint32Array, numbers: Uint32Array): Uint32Array {
  const out = new Uint32Array(triangles.length)
  for (let i = 0; i < out.length; i++) out[i] = numbers[triangles[i]]
  return out
}

/** The mesh with only the vertices that its facets use, in their old order; facets and groups keep theirs. */
export function dropUnusedVertices(mesh: Mesh): Mesh {
  const { positions: p, triangles } = mesh
  const vertices = p.length / 3
  const used = new Uint8Array(vertices)
  for (let i = 0; i < triangles.length; i++) used[triangles[i]] = 1
  const numbers = new Uint32Array(vertices)
  let count = 0
  for (let v = 0; v < vertices; v++) {
    numbers[v] = count
    count += used[v]
  }
  if (count === vertices) return mesh
  const positions = new Float64Array(3 * count)
  for (let v = 0; v < vertices; v++) {
    if (used[v] === 0) continue
    const to = 3 * numbers[v]
    positions[to] = p[3 * v]
    positions[to + 1] = p[3 * v + 1]
    positions[to + 2] = p[3 * v + 2]
  }
  return { ...mesh, positions, triangles: renumbered(triangles, numbers) }
}

/**
 * Merges vertices that lie within `tolerance` [m] of each other (default: 1e-6 of the bounding box's diagonal), and
 * drops vertices that no facet uses. Vertices are taken in order: each joins the lowest-numbered kept vertex within
 * the tolerance, or is kept itself, so kept vertices never move, are more than the tolerance apart, and welding
 * is idempotent. A tolerance of 0 merges equal vertices only. All facets are kept, also those that collapse
 * (`cleanMesh` removes and counts them).
 * Throws InputError for a mesh with non-finite vertices or a tolerance that is negative or not a number.
 */
export function weld(mesh: Mesh, tolerance?: number): Mesh {
  checkMesh(mesh)
  const compact = dropUnusedVertices(mesh)
  const box = compact.triangles.length > 0 ? boundingBox(compact) : undefined
  const diagonal = box ? diagonalOf(box) : 0
  const tol = tolerance ?? 1e-6 * diagonal
  if (!(tol >= 0 && tol < Infinity))
    throw new InputError(`the weld tolerance is ${tol}; give a length in metres, 0 or more`)

  const keeper = keepers(compact.positions, box ? box.min : [0, 0, 0], tol, diagonal)
  return dropUnusedVertices({ ...compact, triangles: renumbered(compact.triangles, keeper) })
}

/**
 * The vertex that each is merged into. Kept vertices are found by hashing grid cells.
 * Written out for three coordinates, without calls or arrays: it runs before the JIT compiler has warmed up.
 */
function keepers(p: Float64Array, origin: Vec3, tol: number, diagonal: number): Uint32Array {
  const vertices = p.length / 3
  // Cells wider than the tolerance: for most vertices one cell suffices.
  const cell = Math.max(4 * tol, 1e-9 * diagonal, Number.MIN_VALUE)
  // In cells; a little more than the tolerance, so that rounding of a cell number cannot hide a neighbour. Cell numbers
  // stay below 1e9 and are not negative.
  const reach = (tol * (1 + 1e-6) + 1e-12 * diagonal) / cell
  const buckets = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * vertices)))
  const mask = buckets - 1
  /** The last kept vertex in a bucket, plus one; and the previous vertex in the same bucket, plus one. */
  const last = new Uint32Array(buckets)
  const previous = new Uint32Array(vertices)
  const ox = origin[0]
  const oy = origin[1]
  const oz = origin[2]
  const keeper = new Uint32Array(vertices)
  for (let v = 0; v < vertices; v++) {
    const x = p[3 * v]
    const y = p[3 * v + 1]
    const z = p[3 * v + 2]
    const cx = (x - ox) / cell
    const cy = (y - oy) / cell
    const cz = (z - oz) / cell
    const ix0 = (cx - reach) | 0
    const ix1 = (cx + reach) | 0
    const iy0 = (cy - reach) | 0
    const iy1 = (cy + reach) | 0
    const iz0 = (cz - reach) | 0
    const iz1 = (cz + reach) | 0
    let best = v
    for (let ix = ix0; ix <= ix1; ix++)
      for (let iy = iy0; iy <= iy1; iy++)
        for (let iz = iz0; iz <= iz1; iz++) {
          const hash = Math.imul(ix, 73856093) ^ Math.imul(iy, 19349663) ^ Math.imul(iz, 83492791)
          for (let w = last[hash & mask]; w > 0; w = previous[w - 1]) {
            const dx = p[3 * w - 3] - x
            const dy = p[3 * w - 2] - y
            const dz = p[3 * w - 1] - z
            if (w <= best && dx * dx + dy * dy + dz * dz <= tol * tol) best = w - 1
          }
        }
    keeper[v] = best
    if (best === v) {
      const hash = Math.imul(cx | 0, 73856093) ^ Math.imul(cy | 0, 19349663) ^ Math.imul(cz | 0, 83492791)
      previous[v] = last[hash & mask]
      last[hash & mask] = v + 1
    }
  }
  return keeper
}
