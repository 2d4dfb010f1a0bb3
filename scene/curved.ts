import { edgeCurves, patchPoint, straighten, type Patches } from './curved-patches.js'
import { facetNormals } from './curved-normals.js'
import { edgeTable } from './edges.js'
import { InputError } from './errors.js'
import type { Mesh } from './mesh.js'

/** Maximum number of facets of a refined mesh. */
const MAX_FACETS = 2_000_000

/** Fraction of the sagitta above which an edge is split together with others of its piece: part of a cubic can bow 1.26 times as much as the whole. */
const CUT_ALONG = 0.7

export interface CurveOptions {
  /** Neighbouring facets that meet at less than this angle are parts of one curved surface [degrees]. */
  angleDeg: number
  /** Edges are split until they deviate from the curved surface by less than this [m]. */
  sagitta: number
}

/** A corner of a piece of a facet: its vertex and barycentric coordinates (1 - v - w, v, w) in the facet. */
interface Corner {
  vertex: number
  v: number
  w: number
}

interface Piece {
  facet: number
  corners: [Corner, Corner, Corner]
  /** Whether the edge from each corner to the next needs no further cut. */
  done: [boolean, boolean, boolean]
}

/**
 * Fits curved patches to the facets of a cleaned mesh, from their neighbours' normals (docs/curved.md), and subdivides the
 * facets into plane pieces. Given vertices stay; an edge is split at its middle for all facets that share it, so that no
 * cracks open. Facets of plane surfaces between straight creases are unchanged.
 * @throws InputError for an angle outside 0 ... 90 degrees or more than MAX_FACETS facets
 */
export function curveMesh(mesh: Mesh, { angleDeg, sagitta }: CurveOptions): Mesh {
  if (!(angleDeg > 0 && angleDeg <= 90))
    throw new InputError(`the angle of curved surfaces is ${angleDeg}; give degrees above 0, at most 90`)
  const patches = edgeCurves(mesh, angleDeg)
  const plane = new Set<number>()
  for (;;) {
    const { mesh: refined, facetOf } = refine(mesh, patches, sagitta)
    const before = plane.size
    for (const f of warpedFacets(mesh, refined, facetOf, patches, angleDeg)) plane.add(f)
    if (plane.size === before) return refined
    for (const f of plane) for (let i = 0; i < 3; i++) straighten(mesh, patches, patches.edgeOf[3 * f + i])
  }
}

/**
 * Facets whose pieces are implausible: rotated from the facet by 1.5 `angleDeg` or more (a curve that bows into facets
 * narrower than the bow), or meeting their neighbours on the same smooth surface at `angleDeg` or more, which would add a
 * crease.
 */
function warpedFacets(
  mesh: Mesh,
  refined: Mesh,
  facetOf: number[],
  { smooth, edgeOf }: Patches,
  angleDeg: number,
): Set<number> {
  const [given, n] = [facetNormals(mesh), facetNormals(refined)]
  const cosine = (a: Float64Array, i: number, b: Float64Array, j: number): number =>
    a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2]
  const [leastCosine, leastNeighbourCosine] = [1.5, 1].map((x) => Math.cos((x * angleDeg * Math.PI) / 180))
  const warped = new Set<number>()
  facetOf.forEach((f, t) => {
    if (!(cosine(n, t, given, f) > leastCosine)) warped.add(f)
  })
  const joined = (f: number, g: number): boolean =>
    f === g ||
    [0, 1, 2].some((i) => {
      const e = edgeOf[3 * f + i]
      return smooth[e] === 1 && [0, 1, 2].some((j) => edgeOf[3 * g + j] === e)
    })
  const { count, start, half } = edgeTable(refined)
  for (let e = 0; e < count; e++) {
    if (start[e + 1] - start[e] !== 2) continue
    const [s, t] = Array.from(half.subarray(start[e], start[e + 1]), (h) => Math.floor(h / 3))
    if (cosine(n, s, n, t) > leastNeighbourCosine || !joined(facetOf[s], facetOf[t])) continue
    warped.add(facetOf[s])
    warped.add(facetOf[t])
  }
  return warped
}

/** The mesh subdivided so that every edge is within `sagitta` of its curve, and the given facet of each piece. */
function refine(mesh: Mesh, patches: Patches, sagitta: number): { mesh: Mesh; facetOf: number[] } {
  const normals = facetNormals(mesh)
  const positions = Array.from(mesh.positions)
  const triangles: number[] = []
  const facetOf: number[] = []
  let pieces = Array.from({ length: mesh.triangles.length / 3 }, (_, t) => wholeFacet(mesh, t))
  while (pieces.length > 0) {
    const { count, start, half } = edgeTable({
      positions: Float64Array.from(positions),
      triangles: Uint32Array.from(pieces.flatMap((piece) => piece.corners.map((c) => c.vertex))),
    })
    const edgeOf = new Uint32Array(half.length)
    const bows = new Float64Array(count)
    for (let e = 0; e < count; e++) {
      for (const h of half.subarray(start[e], start[e + 1])) edgeOf[h] = e
      const piece = pieces[Math.floor(half[start[e]] / 3)]
      const side = half[start[e]] % 3
      bows[e] = piece.done[side] ? 0 : bow(mesh, patches, normals, piece, side)
    }
    if (facetOf.length === 0) refuseTooMany(pieces.length, edgeOf, bows, sagitta)
    const cuts = edgesToCut(edgeOf, bows, sagitta)
    /** Vertex in the middle of each half-edge to split, else -1. */
    const middle = new Int32Array(half.length).fill(-1)
    for (let e = 0; e < count; e++) {
      if (!cuts[e]) continue
      const piece = pieces[Math.floor(half[start[e]] / 3)]
      const side = half[start[e]] % 3
      const { v, w } = between(piece.corners[side], piece.corners[(side + 1) % 3], 0.5)
      for (const h of half.subarray(start[e], start[e + 1])) middle[h] = positions.length / 3
      positions.push(...patchPoint(mesh, patches, piece.facet, v, w))
    }
    const cut: Piece[] = []
    pieces.forEach((piece, i) => {
      const vertices = middle.subarray(3 * i, 3 * i + 3)
      if (vertices.some((v) => v >= 0)) cut.push(...cutPiece(piece, vertices, positions))
      else {
        triangles.push(...piece.corners.map((c) => c.vertex))
        facetOf.push(piece.facet)
      }
    })
    pieces = cut
    if (facetOf.length + pieces.length > MAX_FACETS) throw tooMany(sagitta)
  }
  const facetGroup = mesh.facetGroup && Uint32Array.from(facetOf, (t) => mesh.facetGroup![t])
  const refined = {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(triangles),
    facetGroup,
  }
  return { mesh: { ...mesh, ...refined }, facetOf }
}

const tooMany = (sagitta: number): InputError =>
  new InputError(
    `fitting curved patches to within ${sagitta.toPrecision(2)} m takes more than ${MAX_FACETS} facets; check the units (--units), lower the highest frequency, or leave out --curved`,
  )

/** Throws where the bows of the unsplit edges predict too many facets, before any work is done. */
function refuseTooMany(facets: number, edgeOf: Uint32Array, bows: Float64Array, sagitta: number): void {
  let expected = 0
  for (let t = 0; t < facets; t++) {
    const along = Array.from(edgeOf.subarray(3 * t, 3 * t + 3), (e) =>
      Math.max(1, Math.sqrt(bows[e] / sagitta)),
    )
    along.sort((a, b) => a - b)
    expected += along[0] * along[1]
  }
  if (expected > MAX_FACETS) throw tooMany(sagitta)
}

/**
 * 1 for each edge to split: those whose bow is too large, and in the same pieces also those above a fraction of the limit.
 * Part of an S-shaped edge can bow more than the whole: without this, pieces beside an unsplit one would be split for ever.
 */
function edgesToCut(edgeOf: Uint32Array, bows: Float64Array, sagitta: number): Uint8Array {
  const cuts = Uint8Array.from(bows, (b) => (b > sagitta ? 1 : 0))
  for (let changed = true; changed;) {
    changed = false
    for (let h = 0; h < edgeOf.length; h += 3) {
      const edges = edgeOf.subarray(h, h + 3)
      if (!edges.some((e) => cuts[e])) continue
      for (const e of edges)
        if (!cuts[e] && bows[e] > CUT_ALONG * sagitta) {
          cuts[e] = 1
          changed = true
        }
    }
  }
  return cuts
}

function wholeFacet(mesh: Mesh, facet: number): Piece {
  const [a, b, c] = mesh.triangles.subarray(3 * facet, 3 * facet + 3)
  return {
    facet,
    corners: [
      { vertex: a, v: 0, w: 0 },
      { vertex: b, v: 1, w: 0 },
      { vertex: c, v: 0, w: 1 },
    ],
    done: [false, false, false],
  }
}

const between = (a: Corner, b: Corner, part: number): Omit<Corner, 'vertex'> => ({
  v: a.v + part * (b.v - a.v),
  w: a.w + part * (b.w - a.w),
})

/**
 * Deviation of the surface from edge i of a piece [m]: on an edge of the given facet in any direction; within the facet
 * along its normal only, because a chord beside its curve within the surface does no harm.
 */
function bow(
  mesh: Mesh,
  patches: Patches,
  normals: Float64Array,
  { facet, corners }: Piece,
  i: number,
): number {
  const [a, b] = [corners[i], corners[(i + 1) % 3]]
  const [pa, pb] = [a, b].map(({ v, w }) => patchPoint(mesh, patches, facet, v, w))
  const chord = pb.map((x, c) => x - pa[c])
  const squared = chord.reduce((sum, x) => sum + x * x, 0)
  const onEdge = [0, 1, 2].some((k) => [a, b].every((c) => [c.w, 1 - c.v - c.w, c.v][k] === 0))
  let most = 0
  for (const part of [0.25, 0.5, 0.75]) {
    const { v, w } = between(a, b, part)
    const off = patchPoint(mesh, patches, facet, v, w).map((x, c) => x - pa[c])
    const along = off.reduce((sum, x, c) => sum + x * chord[c], 0) / squared
    const across = off.map((x, c) => x - along * chord[c])
    const height = across.reduce((sum, x, c) => sum + x * normals[3 * facet + c], 0)
    most = Math.max(most, onEdge ? Math.hypot(...across) : Math.abs(height))
  }
  return most
}

/** The pieces of a piece whose edges with a middle vertex (else -1) are split. */
function cutPiece({ facet, corners }: Piece, middle: Int32Array, positions: number[]): Piece[] {
  const cuts = middle.reduce((n, v) => n + (v >= 0 ? 1 : 0), 0)
  // Rotated so that the single split edge comes first, or the single unsplit edge last.
  const shift =
    cuts === 1 ? middle.findIndex((v) => v >= 0) : cuts === 2 ? middle.findIndex((v) => v < 0) + 1 : 0
  const [i, j, k] = [shift % 3, (shift + 1) % 3, (shift + 2) % 3]
  const [a, b, c] = [corners[i], corners[j], corners[k]]
  const mid = (n: number): Corner => ({
    vertex: middle[n],
    ...between(corners[n], corners[(n + 1) % 3], 0.5),
  })
  const piece = (p: Corner, q: Corner, r: Corner, pq = false, qr = false, rp = false): Piece => ({
    facet,
    corners: [p, q, r],
    done: [pq, qr, rp],
  })
  const ab = mid(i)
  // An edge left unsplit was found within the limit, now or earlier.
  if (cuts === 1) return [piece(a, ab, c, false, false, true), piece(ab, b, c, false, true)]
  const bc = mid(j)
  if (cuts === 2) {
    const apart = (p: Corner, q: Corner): number =>
      Math.hypot(...[0, 1, 2].map((x) => positions[3 * p.vertex + x] - positions[3 * q.vertex + x]))
    const tip = piece(ab, b, bc)
    return apart(a, bc) <= apart(ab, c)
      ? [tip, piece(a, ab, bc), piece(a, bc, c, false, false, true)]
      : [tip, piece(ab, bc, c), piece(a, ab, c, false, false, true)]
  }
  const ca = mid(k)
  return [piece(a, ab, ca), piece(ab, b, bc), piece(ca, bc, c), piece(ab, bc, ca)]
}
