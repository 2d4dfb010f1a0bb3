import { DisjointSets } from '../math/partition.js'
import type { Vec3 } from './direction.js'
import { edgeTable, type EdgeTable } from './edges.js'
import { InputError } from './errors.js'
import type { Mesh } from './mesh.js'

/** Facets that meet at less than this angle [rad] are coplanar. */
const COPLANAR = 1e-4
/** A plane at least this many times wider across an edge than the facet beyond it keeps its normal there: a panel beside a fillet. */
const WIDE = 4
/** Vertices of a plane examined for its width; a plane with more of them is wide enough. */
const MOST_SEEN = 1000

/** Estimated normals of the surface that a mesh approximates; F fans. */
interface VertexNormals {
  table: EdgeTable
  /** Edge of each half-edge, 3T. */
  edgeOf: Uint32Array
  /** Per edge, 1 where the surface is smooth across it. */
  smooth: Uint8Array
  /** Fan of each corner, 3T: the corners of a vertex that are connected across smooth edges. */
  fan: Uint32Array
  /** 3 components per fan of the unit normal; zeros where the fan has none (the tip of a cone). */
  normals: Float64Array
}

/**
 * Normals at the vertices of a cleaned mesh, one for each fan of facets between creases: the mean of the facet normals
 * with the weights of Max (J. Graphics Tools 4(2), 1999, 1-6), sin(corner angle) / (product of the lengths of the two
 * sides), which are exact on spheres and on prisms about a cylinder. Where a plane meets a much narrower facet the plane's
 * normal alone is used. A fan whose normal differs from one of its facets' by `angleDeg` or more has no normal.
 *
 * @param angleDeg  neighbouring facets that meet at less than this angle belong to one smooth surface
 */
function vertexNormals(mesh: Mesh, angleDeg: number): VertexNormals {
  const { positions: p, triangles: tri } = mesh
  const table = edgeTable(mesh)
  const n = facetNormals(mesh)
  const limit = (angleDeg * Math.PI) / 180
  const edgeOf = new Uint32Array(tri.length)
  const smooth = new Uint8Array(table.count)
  const fans = new DisjointSets(tri.length)
  const planes = new DisjointSets(tri.length / 3)
  const dihedral = new Float64Array(table.count)
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    for (const h of half) edgeOf[h] = e
    // Facets of a one-sided surface may traverse the edge in the same direction; they have no common outside.
    if (half.length !== 2 || tri[half[0]] === tri[half[1]]) continue
    const [h, g] = half
    dihedral[e] = angle(n, 3 * Math.floor(h / 3), n, 3 * Math.floor(g / 3))
    if (!(dihedral[e] < limit)) continue
    smooth[e] = 1
    fans.join(h, next(g))
    fans.join(next(h), g)
    if (dihedral[e] < COPLANAR) planes.join(Math.floor(h / 3), Math.floor(g / 3))
  }
  const fan = Uint32Array.from(tri, (_, c) => fans.root(c))
  const plane = Uint32Array.from({ length: tri.length / 3 }, (_, t) => planes.root(t))
  const leads = leading(mesh, table, smooth, dihedral, fan, plane)

  const normals = new Float64Array(3 * tri.length)
  const led = new Set(Array.from(leads, (key) => Math.floor(key / (tri.length / 3))))
  for (let c = 0; c < tri.length; c++) {
    const t = Math.floor(c / 3)
    if (led.has(fan[c]) && !leads.has(fan[c] * (tri.length / 3) + plane[t])) continue
    const [a, b, d] = [3 * tri[c], 3 * tri[next(c)], 3 * tri[next(next(c))]]
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const v = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]]
    const doubleArea = Math.hypot(
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    )
    const weight = doubleArea / ((u[0] ** 2 + u[1] ** 2 + u[2] ** 2) * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2))
    for (let i = 0; i < 3; i++) normals[3 * fan[c] + i] += weight * n[3 * t + i]
  }
  for (let c = 0; c < tri.length; c++) {
    if (fan[c] !== c) continue
    const length = Math.hypot(...normals.subarray(3 * c, 3 * c + 3))
    for (let i = 0; i < 3; i++) normals[3 * c + i] = length > 0 ? normals[3 * c + i] / length : 0
  }
  const lost = new Uint8Array(tri.length)
  for (let c = 0; c < tri.length; c++)
    if (!(angle(normals, 3 * fan[c], n, 3 * Math.floor(c / 3)) < limit)) lost[fan[c]] = 1
  for (let c = 0; c < tri.length; c++) if (lost[c]) normals.fill(0, 3 * c, 3 * c + 3)
  return { table, edgeOf, smooth, fan, normals }
}

/** The corner after c in its facet. */
const next = (c: number): number => (c % 3 === 2 ? c - 2 : c + 1)

/** 3T components of the facets' unit normals. */
function facetNormals({ positions: p, triangles: tri }: Mesh): Float64Array {
  const normals = new Float64Array(tri.length)
  for (let t = 0; t < tri.length; t += 3) {
    const [a, b, c] = [3 * tri[t], 3 * tri[t + 1], 3 * tri[t + 2]]
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
    const length = Math.hypot(x, y, z)
    normals.set([x / length, y / length, z / length], t)
  }
  return normals
}

/** Angle between two vectors [rad]; NaN where one is zero. */
function angle(a: Float64Array, i: number, b: Float64Array, j: number): number {
  const [ax, ay, az] = [a[i], a[i + 1], a[i + 2]]
  const [bx, by, bz] = [b[j], b[j + 1], b[j + 2]]
  if (ax === 0 && ay === 0 && az === 0) return NaN
  const sine = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return Math.atan2(sine, ax * bx + ay * by + az * bz)
}

/** Fans that take a plane's normal because a facet across one of their edges is much narrower, as fan * T + plane. */
function leading(
  mesh: Mesh,
  table: EdgeTable,
  smooth: Uint8Array,
  dihedral: Float64Array,
  fan: Uint32Array,
  plane: Uint32Array,
): Set<number> {
  const { positions: p, triangles: tri } = mesh
  const facets = tri.length / 3
  const members = new Map<number, number[]>()
  for (let t = 0; t < facets; t++) {
    const list = members.get(plane[t])
    if (list) list.push(t)
    else members.set(plane[t], [t])
  }
  const found = new Set<number>()
  for (let e = 0; e < table.count; e++) {
    if (!smooth[e] || dihedral[e] < COPLANAR) continue
    const [a, b] = [3 * table.low[e], 3 * table.high[e]]
    const along = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const length = Math.hypot(...along)
    /** Width of a plane across the edge [m]; the search stops above `enough`. */
    const width = (t: number, enough: number): number => {
      let most = 0
      let seen = 0
      for (const s of members.get(plane[t])!)
        for (let i = 3 * s; i < 3 * s + 3; i++) {
          const v = 3 * tri[i]
          const [x, y, z] = [p[v] - p[a], p[v + 1] - p[a + 1], p[v + 2] - p[a + 2]]
          const area = Math.hypot(
            y * along[2] - z * along[1],
            z * along[0] - x * along[2],
            x * along[1] - y * along[0],
          )
          most = Math.max(most, area / length)
          if (most > enough || ++seen > MOST_SEEN) return most
        }
      return most
    }
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    for (const [h, g] of [half, [half[1], half[0]]]) {
      const narrow = width(Math.floor(g / 3), Infinity)
      const t = Math.floor(h / 3)
      if (!(width(t, WIDE * narrow) > WIDE * narrow)) continue
      for (const c of [h, next(h)]) found.add(fan[c] * facets + plane[t])
    }
  }
  return found
}

/** Two surfaces that meet at less than this [rad] do not determine the direction of their crease. */
const LEAST_CREASE = 0.1

/** Cubic curves over the edges of a mesh and the cubic patches between them. */
interface Patches extends Pick<VertexNormals, 'table' | 'edgeOf' | 'smooth'> {
  /** 6 numbers per edge: the inner control points of its cubic [m], that beside the lower vertex first. */
  control: Float64Array
}

/**
 * Cubic curves over the edges of a cleaned mesh. The tangent at a vertex lies in the surface's tangent plane (across a smooth
 * edge or a rim), or in both surfaces' tangent planes (at a crease, so that the curve follows it); where one end has none,
 * its tangent is the mirror image of the other's. Handle lengths are those of the circular arc with this tangent and chord.
 */
function edgeCurves(mesh: Mesh, angleDeg: number): Patches {
  const surface = vertexNormals(mesh, angleDeg)
  const { table, edgeOf, smooth } = surface
  const control = new Float64Array(6 * table.count)
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    const [a, b] = [pointOf(mesh, table.low[e]), pointOf(mesh, table.high[e])]
    const chord = minus(b, a)
    const fansAt = (vertex: number): number[] => [
      ...new Set(Array.from(half, (h) => surface.fan[mesh.triangles[h] === vertex ? h : next(h)])),
    ]
    // Both tangents point from low to high.
    let start = tangent(surface.normals, fansAt(table.low[e]), chord, angleDeg)
    let end = tangent(surface.normals, fansAt(table.high[e]), chord, angleDeg)
    start ??= end && mirrored(end, chord)
    end ??= start && mirrored(start, chord)
    const length = Math.hypot(...chord)
    for (let i = 0; i < 3; i++) {
      control[6 * e + i] = a[i] + (start ? handle(start, chord, length)[i] : chord[i] / 3)
      control[6 * e + 3 + i] = b[i] - (end ? handle(end, chord, length)[i] : chord[i] / 3)
    }
  }
  return { table, edgeOf, smooth, control }
}

/** Replaces the curve over an edge by its chord. */
function straighten(mesh: Mesh, { table, control }: Patches, e: number): void {
  const a = pointOf(mesh, table.low[e])
  const chord = minus(pointOf(mesh, table.high[e]), a)
  for (let i = 0; i < 3; i++) {
    control[6 * e + i] = a[i] + chord[i] / 3
    control[6 * e + 3 + i] = a[i] + (2 * chord[i]) / 3
  }
}

/**
 * Point of facet t's patch at barycentric coordinates (1 - v - w, v, w): the cubic triangle of Vlachos, Peters, Boyd and
 * Mitchell (Curved PN triangles, ACM I3D 2001, 159-166), its middle control point from the outer ones as there.
 */
function patchPoint(mesh: Mesh, patches: Patches, t: number, v: number, w: number): Vec3 {
  const { table, edgeOf, control } = patches
  const { positions: p, triangles: tri } = mesh
  const u = 1 - v - w
  const b = [u, v, w]
  const point: Vec3 = [0, 0, 0]
  for (let a = 0; a < 3; a++) {
    let outer = 0
    let corners = 0
    for (let i = 0; i < 3; i++) {
      const j = (i + 1) % 3
      const e = edgeOf[3 * t + i]
      const forward = tri[3 * t + i] === table.low[e] ? 0 : 3
      const near = control[6 * e + forward + a]
      const far = control[6 * e + 3 - forward + a]
      const corner = p[3 * tri[3 * t + i] + a]
      point[a] += corner * b[i] ** 3 + 3 * b[i] * b[j] * (near * b[i] + far * b[j])
      outer += near + far
      corners += corner
    }
    // E + (E - V) / 2 of the paper's section 3.
    point[a] += 6 * u * v * w * (outer / 4 - corners / 6)
  }
  return point
}

/** Unit tangent at a vertex of the curve with this chord, oriented along the chord; null where the fans determine none. */
function tangent(normals: Float64Array, fans: number[], chord: Vec3, angleDeg: number): Vec3 | null {
  const n = fans.map((f): Vec3 => [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]])
  if (n.length > 2 || n.some((x) => x[0] === 0 && x[1] === 0 && x[2] === 0)) return null
  let along: Vec3
  if (n.length === 2) {
    const [x, y] = n
    const line: Vec3 = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    if (Math.hypot(...line) < Math.sin(LEAST_CREASE)) return null
    along = scaled(line, inner(line, chord) < 0 ? -1 : 1)
  } else along = minus(chord, scaled(n[0], inner(n[0], chord)))
  const length = Math.hypot(...along)
  // A tangent farther from the chord than a smooth edge allows is implausible.
  const cosine = inner(along, chord) / (length * Math.hypot(...chord))
  return cosine > Math.cos((angleDeg * Math.PI) / 180) ? scaled(along, 1 / length) : null
}

/** The tangent at the other end of a symmetric curve. */
const mirrored = (t: Vec3, chord: Vec3): Vec3 =>
  minus(scaled(chord, (2 * inner(t, chord)) / inner(chord, chord)), t)

/** Distance from an end of a circular arc with this tangent and chord to its cubic's inner control point: 4/3 R tan(arc / 4). */
function handle(t: Vec3, chord: Vec3, length: number): Vec3 {
  return scaled(t, (2 * length) / (3 * (1 + inner(t, chord) / length)))
}

const pointOf = ({ positions: p }: Mesh, v: number): Vec3 => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const scaled = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s]
const inner = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

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
