import { checkMesh } from './check.js'
import { edgeTable, type EdgeTable } from './edges.js'
import type { Mesh } from './mesh.js'
import { facetHeight, mendSlivers } from './slivers.js'
import { boxDiagonal, dropUnusedVertices } from './weld.js'

/** What `cleanMesh` found and did. Components are facets connected over edges that exactly two facets share. */
export interface MeshReport {
  facetsIn: number
  facetsOut: number
  /** Facets removed: two equal vertices, or a height over the longest edge below 1e-9 of the box's diagonal. */
  degenerate: number
  /** Facets removed: the same three vertices as an earlier facet, in any order. */
  duplicate: number
  /** Slivers that filled T-junctions and were mended by splitting their neighbour. */
  mended: number
  /** Facets turned over. */
  flipped: number
  /** Edges with one facet. */
  boundaryEdges: number
  /** Edges with three facets or more. */
  nonManifoldEdges: number
  /** Edges of two facets that no choice of orientations makes agree (a one-sided surface, as a Möbius strip). */
  twistedEdges: number
  components: number
  closedComponents: number
}

/**
 * Makes a mesh fit for tracing and edge finding. Weld it first.
 * - Removes degenerate and duplicate facets (see MeshReport). Two facets back to back with opposite orientations are
 *   duplicates too: a perfectly conducting sheet is modelled by one facet, which scatters on both sides.
 * - Mends T-junctions (see `mendSlivers`): facets lower than `sliverHeight` [m], by default 1e-6 of the box's diagonal.
 * - Orients each component consistently. A closed one is turned so that its volume is positive (normals outwards), an
 *   open one so that most of its facets keep their orientation (a tie keeps that of its first facet).
 * - Drops vertices that no facet uses.
 * Facets keep their order and, unless turned over, their first vertex and cyclic order; a turned one keeps its first vertex.
 * Throws InputError for non-finite vertices or vertex numbers out of range.
 */
export function cleanMesh(mesh: Mesh, sliverHeight?: number): { mesh: Mesh; report: MeshReport } {
  checkMesh(mesh)
  const facetsIn = mesh.triangles.length / 3
  const diagonal = boxDiagonal(mesh)
  const proper = keepFacets(mesh, (a, b, c) => a !== b && b !== c && c !== a)
  const unique = firstOfItsKind(proper)
  const distinct = keepFacets(proper, (_a, _b, _c, t) => unique[t] === 1)
  const { mesh: joined, mended } = mendSlivers(distinct, sliverHeight ?? 1e-6 * diagonal)
  const single = keepFacets(
    joined,
    (a, b, c) => facetHeight(mesh.positions, a, b, c).height > 1e-9 * diagonal,
  )
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
  let [boundaryEdges, nonManifoldEdges] = [0, 0]
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
      degenerate: facetsIn - (proper.triangles.length + triangles.length - joined.triangles.length) / 3,
      duplicate: (proper.triangles.length - distinct.triangles.length) / 3,
      mended,
      flipped,
      boundaryEdges,
      nonManifoldEdges,
      twistedEdges: orientation.twistedEdges,
      components: orientation.components,
      closedComponents: orientation.closedComponents,
    },
  }
}

/** One line for each thing in a report that a user should know of; none for a clean closed mesh. */
export function describeReport(report: MeshReport): string[] {
  const n = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
  const lines: string[] = []
  if (report.degenerate) lines.push(`removed ${n(report.degenerate, 'degenerate facet')} (no area)`)
  if (report.duplicate) lines.push(`removed ${n(report.duplicate, 'duplicate facet')}`)
  if (report.mended) lines.push(`mended ${n(report.mended, 'T-junction')} (a vertex on a neighbour's edge)`)
  if (report.flipped)
    lines.push(
      `turned over ${n(report.flipped, 'facet')} of ${report.facetsOut} to make the normals consistent`,
    )
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

/** The mesh with those facets only that `keep` is true for, by their vertices and number. */
function keepFacets(mesh: Mesh, keep: (a: number, b: number, c: number, t: number) => boolean): Mesh {
  const { triangles: tri, facetGroup } = mesh
  const kept = new Uint8Array(tri.length / 3).map((_, t) =>
    keep(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], t) ? 1 : 0,
  )
  return {
    ...mesh,
    triangles: tri.filter((_, i) => kept[Math.floor(i / 3)] === 1),
    facetGroup: facetGroup?.filter((_, t) => kept[t] === 1),
  }
}

/** 1 for each facet whose three vertices no earlier facet has. */
function firstOfItsKind(mesh: Mesh): Uint8Array {
  const facets = mesh.triangles.length / 3
  const vertices = mesh.positions.length / 3
  const sorted = mesh.triangles.slice()
  for (let t = 0; t < facets; t++) sorted.subarray(3 * t, 3 * t + 3).sort()
  const start = new Uint32Array(vertices + 1)
  for (let t = 0; t < facets; t++) start[sorted[3 * t] + 1]++
  for (let v = 0; v < vertices; v++) start[v + 1] += start[v]
  const byLowest = new Uint32Array(facets)
  const fill = start.slice(0, vertices)
  for (let t = 0; t < facets; t++) byLowest[fill[sorted[3 * t]]++] = t
  const keep = new Uint8Array(facets).fill(1)
  for (let v = 0; v < vertices; v++) {
    const bucket = byLowest.subarray(start[v], start[v + 1])
    const compare = (s: number, t: number): number =>
      sorted[3 * s + 1] - sorted[3 * t + 1] || sorted[3 * s + 2] - sorted[3 * t + 2]
    bucket.sort((s, t) => compare(s, t) || s - t)
    for (let i = 1; i < bucket.length; i++) if (compare(bucket[i - 1], bucket[i]) === 0) keep[bucket[i]] = 0
  }
  return keep
}

interface Orientation {
  /** 1 for each facet to turn over. */
  flip: Uint8Array
  components: number
  closedComponents: number
  twistedEdges: number
}

function orient(mesh: Mesh, table: EdgeTable): Orientation {
  const { triangles: tri, positions: p } = mesh
  const facets = tri.length / 3
  const edgeOf = new Uint32Array(tri.length)
  for (let e = 0; e < table.count; e++)
    for (let i = table.start[e]; i < table.start[e + 1]; i++) edgeOf[table.half[i]] = e
  /** The half-edge across a manifold edge, or -1. */
  const opposite = (h: number): number => {
    const at = table.start[edgeOf[h]]
    if (table.start[edgeOf[h] + 1] - at !== 2) return -1
    return table.half[at] === h ? table.half[at + 1] : table.half[at]
  }
  // Along its edge a half-edge starts at the lower vertex (+1) or the higher (-1), before any turning over.
  const sense = (h: number): number => (tri[h] === table.low[edgeOf[h]] ? 1 : -1)

  const flip = new Uint8Array(facets)
  const component = new Int32Array(facets).fill(-1)
  const stack: number[] = []
  let components = 0
  for (let seed = 0; seed < facets; seed++) {
    if (component[seed] >= 0) continue
    component[seed] = components
    stack.push(seed)
    while (stack.length) {
      const t = stack.pop()!
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = opposite(h)
        const s = Math.floor(g / 3)
        if (g < 0 || component[s] >= 0) continue
        component[s] = components
        flip[s] = sense(h) === sense(g) ? 1 - flip[t] : flip[t]
        stack.push(s)
      }
    }
    components++
  }

  // A component is closed when its facets cancel along every edge; only then has it a volume.
  const open = new Uint8Array(components)
  let twistedEdges = 0
  /** Sum over the facets of each component at one edge. */
  const along = new Int32Array(components)
  const directed = (h: number): number => (flip[Math.floor(h / 3)] ? -sense(h) : sense(h))
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    for (const h of half) along[component[Math.floor(h / 3)]] += directed(h)
    for (const h of half)
      if (along[component[Math.floor(h / 3)]] !== 0) open[component[Math.floor(h / 3)]] = 1
    for (const h of half) along[component[Math.floor(h / 3)]] = 0
    if (half.length === 2 && directed(half[0]) === directed(half[1])) twistedEdges++
  }

  const volume = new Float64Array(components)
  const origin = new Int32Array(components).fill(-1)
  const size = new Uint32Array(components)
  const turned = new Uint32Array(components)
  for (let t = 0; t < facets; t++) {
    const k = component[t]
    size[k]++
    turned[k] += flip[t]
    const [a, b, c] = [3 * tri[3 * t], 3 * tri[3 * t + 1], 3 * tri[3 * t + 2]]
    // Measured from a vertex of the component, so that a distant one loses no digits.
    if (origin[k] < 0) origin[k] = a
    const o = origin[k]
    const [ax, ay, az] = [p[a] - p[o], p[a + 1] - p[o + 1], p[a + 2] - p[o + 2]]
    const [bx, by, bz] = [p[b] - p[o], p[b + 1] - p[o + 1], p[b + 2] - p[o + 2]]
    const [cx, cy, cz] = [p[c] - p[o], p[c + 1] - p[o + 1], p[c + 2] - p[o + 2]]
    const six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    volume[k] += flip[t] ? -six : six
  }
  for (let t = 0; t < facets; t++) {
    const k = component[t]
    const invert = !open[k] && volume[k] !== 0 ? volume[k] < 0 : 2 * turned[k] > size[k]
    if (invert) flip[t] = 1 - flip[t]
  }
  return { flip, components, closedComponents: components - open.reduce((n, o) => n + o, 0), twistedEdges }
}
