import { orderByKey } from '../math/partition.js'
import { edgeTable } from './edges.js'
import { checkMesh, type Mesh } from './mesh.js'
import { boxDiagonal, dropUnusedVertices, joinTJunctions, orient } from './repair.js'

/** Height of a triangle over its longest edge [m], and which edge that is: `longest` 0 is from corner 0 to corner 1. */
function facetHeight(p: Float64Array, a: number, b: number, c: number): { height: number; longest: number } {
  const [ux, uy, uz] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1], p[3 * b + 2] - p[3 * a + 2]]
  const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]]
  const doubleArea = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
  const length = [Math.hypot(ux, uy, uz), Math.hypot(ux - vx, uy - vy, uz - vz), Math.hypot(vx, vy, vz)]
  const longest = length.indexOf(Math.max(...length))
  return { height: length[longest] > 0 ? doubleArea / length[longest] : 0, longest }
}

/** Whether a triangle is higher than twice `height` [m], from squares alone: true for nearly all facets, which then need no `facetHeight`. */
function isFarHigher(p: Float64Array, a: number, b: number, c: number, height: number): boolean {
  const ux = p[3 * b] - p[3 * a]
  const uy = p[3 * b + 1] - p[3 * a + 1]
  const uz = p[3 * b + 2] - p[3 * a + 2]
  const vx = p[3 * c] - p[3 * a]
  const vy = p[3 * c + 1] - p[3 * a + 1]
  const vz = p[3 * c + 2] - p[3 * a + 2]
  const wx = ux - vx
  const wy = uy - vy
  const wz = uz - vz
  const nx = uy * vz - uz * vy
  const ny = uz * vx - ux * vz
  const nz = ux * vy - uy * vx
  const uu = ux * ux + uy * uy + uz * uz
  const vv = vx * vx + vy * vy + vz * vz
  const ww = wx * wx + wy * wy + wz * wz
  const longer = uu > vv ? uu : vv
  return nx * nx + ny * ny + nz * nz > 4 * height * height * (longer > ww ? longer : ww)
}

/** Whether a triangle is higher over its longest edge than `height` [m]. */
const isHigher = (p: Float64Array, a: number, b: number, c: number, height: number): boolean =>
  isFarHigher(p, a, b, c, height) || facetHeight(p, a, b, c).height > height

const isLower = (p: Float64Array, a: number, b: number, c: number, height: number): boolean =>
  !isFarHigher(p, a, b, c, height) && facetHeight(p, a, b, c).height < height

/**
 * Repairs T-junctions, where a vertex lies on a neighbour's edge and a facet without height fills the gap. The normal of
 * such a sliver is noise, and removing it would leave a crack with false rims. Instead the edge it shares with the facet
 * across its longest side is flipped to the other diagonal of the two, which splits that facet at the vertex.
 * A sliver is lower than `leastHeight` [m]; the edge is flipped where neither the other facet nor the new ones are slivers,
 * so the surface moves by less than that. Facets keep their number; both new ones belong to the other facet's group.
 * Every facet must have three different vertices.
 */
function repairSlivers(mesh: Mesh, leastHeight: number): { mesh: Mesh; repaired: number } {
  const p = mesh.positions
  const tri = mesh.triangles.slice()
  const facetGroup = mesh.facetGroup?.slice()
  const facets = tri.length / 3
  const isSliver = (t: number): boolean => isLower(p, tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], leastHeight)

  // Only facets with two vertices of slivers can take part, now or after any flip: only their edges are examined.
  const marked = new Uint8Array(p.length / 3)
  for (let t = 0; t < facets; t++) if (isSliver(t)) for (let i = 0; i < 3; i++) marked[tri[3 * t + i]] = 1
  const near: number[] = []
  for (let t = 0; t < facets; t++)
    if (marked[tri[3 * t]] + marked[tri[3 * t + 1]] + marked[tri[3 * t + 2]] >= 2) near.push(t)
  if (near.length === 0) return { mesh, repaired: 0 }

  /** Flips the edge of half-edges h (of sliver s) and g (of facet t), numbered within their facets; false where not allowed. */
  const flip = (s: number, h: number, t: number, g: number): boolean => {
    if (!isSliver(s) || isSliver(t)) return false
    if (facetHeight(p, tri[3 * s], tri[3 * s + 1], tri[3 * s + 2]).longest !== h) return false
    const apex = tri[3 * s + ((h + 2) % 3)]
    const [from, to, far] = [0, 1, 2].map((i) => tri[3 * t + ((g + i) % 3)])
    if (apex === far) return false
    for (const [a, b] of [
      [from, apex],
      [apex, to],
    ])
      if (isLower(p, a, b, far, leastHeight)) return false
    tri.set([from, apex, far], 3 * s)
    tri.set([apex, to, far], 3 * t)
    if (facetGroup) facetGroup[s] = facetGroup[t]
    return true
  }

  let repaired = 0
  // Each flip removes one sliver, so this ends; of several slivers along one edge each round repairs one.
  for (let before = -1; before !== repaired;) {
    before = repaired
    const triangles = new Uint32Array(near.flatMap((t) => [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]]))
    const { count, start, half } = edgeTable({ positions: p, triangles })
    // The edge table is out of date for facets changed in this round.
    const changed = new Uint8Array(near.length)
    for (let e = 0; e < count; e++) {
      if (start[e + 1] - start[e] !== 2) continue
      const [h, g] = half.subarray(start[e], start[e + 1])
      const [i, j] = [Math.floor(h / 3), Math.floor(g / 3)]
      if (changed[i] || changed[j]) continue
      if (flip(near[i], h % 3, near[j], g % 3) || flip(near[j], g % 3, near[i], h % 3)) {
        changed[i] = changed[j] = 1
        repaired++
      }
    }
  }
  return { mesh: { ...mesh, triangles: tri, facetGroup }, repaired }
}

/** What `cleanMesh` found and did. Components are facets connected over edges that exactly two facets share. */
export interface MeshReport {
  facetsIn: number
  facetsOut: number
  /** Facets removed: two equal vertices, or a height over the longest edge below 1e-9 of the box's diagonal. */
  degenerate: number
  /** Facets removed: the same three vertices as an earlier facet, in any order. */
  duplicate: number
  /** T-junctions: slivers removed by splitting their neighbour, and vertices on open edges, where these were split. */
  mended: number
  /** Facets whose orientation was reversed. */
  flipped: number
  /** Edges with one facet. */
  boundaryEdges: number
  /** Edges with three facets or more. */
  nonManifoldEdges: number
  /** Edges of two facets that no choice of orientations makes agree (a one-sided surface such as a Möbius strip). */
  twistedEdges: number
  components: number
  closedComponents: number
}

/**
 * Cleans a welded mesh for ray tracing and edge detection.
 * - Removes degenerate and duplicate facets (see MeshReport). Two facets back to back with opposite orientations are
 *   duplicates too: a perfectly conducting sheet is modelled by one facet, which scatters on both sides.
 * - Repairs T-junctions (see `repairSlivers`, `joinTJunctions`): facets lower than 1e-6 of the box's diagonal, and
 *   vertices of open edges that are nearer to another.
 * - Orients each component consistently. A closed one is oriented so that its volume is positive (normals outwards), an
 *   open one so that most of its facets keep their orientation (a tie keeps that of its first facet).
 * - Drops vertices that no facet uses.
 * Facets keep their order and first vertex; those not flipped also keep their cyclic order.
 * Throws InputError for non-finite vertices or vertex numbers out of range.
 */
export function cleanMesh(mesh: Mesh): { mesh: Mesh; report: MeshReport } {
  checkMesh(mesh)
  const facetsIn = mesh.triangles.length / 3
  const diagonal = boxDiagonal(mesh)
  const proper = keepFacets(mesh, withThreeVertices(mesh))
  const distinct = keepFacets(proper, firstOfItsKind(proper))
  const { mesh: joined, repaired } = repairSlivers(distinct, 1e-6 * diagonal)
  const kept = keepFacets(joined, higherThan(joined, LEAST_HEIGHT * diagonal))
  const whole = joinTJunctions(kept, edgeTable(kept), 1e-6 * diagonal)
  const single = whole.mesh
  const table = edgeTable(single)
  const orientation = orient(single, table)

  const triangles = single.triangles.slice()
  let flipped = 0
  for (let t = 0; t < orientation.flip.length; t++)
    if (orientation.flip[t]) {
      flipped++
      triangles[3 * t + 1] = single.triangles[3 * t + 2]
      triangles[3 * t + 2] = single.triangles[3 * t + 1]
    }
  let boundaryEdges = 0
  let nonManifoldEdges = 0
  for (let e = 0; e < table.count; e++) {
    const valence = table.start[e + 1] - table.start[e]
    if (valence === 1) boundaryEdges++
    if (valence > 2) nonManifoldEdges++
  }
  return {
    mesh: dropUnusedVertices({ ...single, triangles }),
    report: {
      facetsIn,
      facetsOut: triangles.length / 3,
      degenerate: facetsIn - (proper.triangles.length + kept.triangles.length - joined.triangles.length) / 3,
      duplicate: (proper.triangles.length - distinct.triangles.length) / 3,
      mended: repaired + whole.joined,
      flipped,
      boundaryEdges,
      nonManifoldEdges,
      twistedEdges: orientation.twistedEdges,
      components: orientation.components,
      closedComponents: orientation.closedComponents,
    },
  }
}

/** Least height of a facet that `cleanMesh` keeps, as a part of the box diagonal. */
const LEAST_HEIGHT = 1e-9

/** Whether a mesh has a facet with an area: without one `cleanMesh` leaves nothing. */
export function hasArea(mesh: Mesh): boolean {
  const { positions, triangles } = mesh
  const height = LEAST_HEIGHT * boxDiagonal(mesh)
  for (let i = 0; i < triangles.length; i += 3)
    if (isHigher(positions, triangles[i], triangles[i + 1], triangles[i + 2], height)) return true
  return false
}

/** One line for each finding of a report that a user should see; none for a clean closed mesh. */
export function describeReport(report: MeshReport): string[] {
  const n = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
  const lines: string[] = []
  if (report.degenerate) lines.push(`removed ${n(report.degenerate, 'degenerate facet')} (no area)`)
  if (report.duplicate) lines.push(`removed ${n(report.duplicate, 'duplicate facet')}`)
  if (report.mended) lines.push(`repaired ${n(report.mended, 'T-junction')} (a vertex on a neighbour's edge)`)
  if (report.flipped)
    lines.push(`flipped ${n(report.flipped, 'facet')} of ${report.facetsOut} to make the normals consistent`)
  const open = report.components - report.closedComponents
  if (open > 0)
    lines.push(
      `${n(open, 'part')} of ${report.components} not closed (${n(report.boundaryEdges, 'open edge')}): treated as thin sheets`,
    )
  if (report.nonManifoldEdges)
    lines.push(`${n(report.nonManifoldEdges, 'edge')} shared by three or more facets`)
  if (report.twistedEdges)
    lines.push(`${n(report.twistedEdges, 'edge')} where the surface has no consistent outside (one-sided)`)
  return lines
}

/** The mesh with only the facets for which `keep` is 1; the mesh itself where all are kept. */
function keepFacets(mesh: Mesh, keep: Uint8Array): Mesh {
  let count = 0
  for (let t = 0; t < keep.length; t++) count += keep[t]
  if (count === keep.length) return mesh
  const triangles = new Uint32Array(3 * count)
  let to = 0
  for (let i = 0; i < mesh.triangles.length; i++)
    if (keep[(i / 3) | 0] === 1) triangles[to++] = mesh.triangles[i]
  return { ...mesh, triangles, facetGroup: mesh.facetGroup?.filter((_, t) => keep[t] === 1) }
}

/** 1 for each facet of three different vertices. */
function withThreeVertices({ triangles: tri }: Mesh): Uint8Array {
  const keep = new Uint8Array(tri.length / 3)
  for (let t = 0; t < keep.length; t++) {
    const a = tri[3 * t]
    const b = tri[3 * t + 1]
    const c = tri[3 * t + 2]
    if (a !== b && b !== c && c !== a) keep[t] = 1
  }
  return keep
}

/** 1 for each facet unless an earlier facet has the same three vertices. */
function firstOfItsKind({ triangles: tri, positions }: Mesh): Uint8Array {
  const facets = tri.length / 3
  const vertices = positions.length / 3
  const lowest = new Uint32Array(facets)
  const middle = new Uint32Array(facets)
  const highest = new Uint32Array(facets)
  for (let t = 0; t < facets; t++) {
    const a = tri[3 * t]
    const b = tri[3 * t + 1]
    const c = tri[3 * t + 2]
    const low = a < b ? a : b
    const high = a < b ? b : a
    lowest[t] = c < low ? c : low
    middle[t] = c < low ? low : c < high ? c : high
    highest[t] = c < high ? high : c
  }
  const byHighest = orderByKey(highest, vertices)
  const order = orderByKey(lowest, vertices, orderByKey(middle, vertices, byHighest))
  const keep = new Uint8Array(facets).fill(1)
  for (let i = 1; i < facets; i++) {
    const s = order[i - 1]
    const t = order[i]
    if (lowest[s] === lowest[t] && middle[s] === middle[t] && highest[s] === highest[t]) keep[t] = 0
  }
  return keep
}

/** 1 for each facet that is higher than `height` [m] over its longest edge. */
function higherThan({ positions, triangles: tri }: Mesh, height: number): Uint8Array {
  const keep = new Uint8Array(tri.length / 3)
  for (let t = 0; t < keep.length; t++) {
    const a = tri[3 * t]
    const b = tri[3 * t + 1]
    const c = tri[3 * t + 2]
    if (isHigher(positions, a, b, c, height)) keep[t] = 1
  }
  return keep
}
