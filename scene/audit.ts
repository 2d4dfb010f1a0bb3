import { checkMesh } from './check.js'
import { orderByKey } from './counting-sort.js'
import { edgeTable } from './edges.js'
import type { Mesh } from './mesh.js'
import { orient } from './orient.js'
import { isHigher, repairSlivers } from './slivers.js'
import { joinTJunctions } from './t-junctions.js'
import { boxDiagonal, dropUnusedVertices } from './weld.js'

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
 * - Repairs T-junctions (see `repairSlivers`, `joinTJunctions`): facets lower than `sliverHeight` [m], by default 1e-6 of the box's diagonal, and
 *   vertices of open edges that are nearer to another.
 * - Orients each component consistently. A closed one is oriented so that its volume is positive (normals outwards), an
 *   open one so that most of its facets keep their orientation (a tie keeps that of its first facet).
 * - Drops vertices that no facet uses.
 * Facets keep their order and first vertex; those not flipped also keep their cyclic order.
 * Throws InputError for non-finite vertices or vertex numbers out of range.
 */
export function cleanMesh(mesh: Mesh, sliverHeight?: number): { mesh: Mesh; report: MeshReport } {
  checkMesh(mesh)
  const facetsIn = mesh.triangles.length / 3
  const diagonal = boxDiagonal(mesh)
  const proper = keepFacets(mesh, withThreeVertices(mesh))
  const distinct = keepFacets(proper, firstOfItsKind(proper))
  const { mesh: joined, repaired } = repairSlivers(distinct, sliverHeight ?? 1e-6 * diagonal)
  const kept = keepFacets(joined, higherThan(joined, LEAST_HEIGHT * diagonal))
  const whole = joinTJunctions(kept, edgeTable(kept), sliverHeight ?? 1e-6 * diagonal)
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
