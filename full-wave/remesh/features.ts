import { DisjointSets } from '../../math/partition.js'
import { edgeTable, type Target, type Vec3 } from '../../scene/index.js'

/** Unit normal n and offset d: n·x = d [wavelengths]. */
export type Plane = [number, number, number, number]

/** The target's facets in wavelengths about the box's centre, ordered by place, so that neither its place nor the order of facets matters. */
export interface InputSurface {
  /** x, y, z of each vertex [wavelengths]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Group and material of each facet as one number: a border between two is kept. */
  region: Uint32Array
  /** Unit normals; that of a sliver is its neighbour's. */
  normals: Float64Array
  /** The surface is on one side of these planes and goes on with its mirror images: an edge of one facet in one is no border. */
  mirrors: Plane[]
  /** What was taken off the positions [m]. */
  centre: [number, number, number]
}

/** Positions are rounded to this part of a wavelength: rounding errors of a far place disappear. */
export const QUANTUM = 2 ** -34

/** @param wavelength  [m] */
export function inputSurface(target: Target, wavelength: number): InputSurface {
  const { positions: p, triangles: tri, box } = target
  const centre = [0, 1, 2].map((c) => (box.min[c] + box.max[c]) / 2) as [number, number, number]
  const count = p.length / 3
  const all = new Float64Array(p.length)
  for (let i = 0; i < p.length; i++)
    all[i] = Math.round((p[i] - centre[i % 3]) / wavelength / QUANTUM) * QUANTUM
  const byPlace = Uint32Array.from({ length: count }, (_, v) => v).sort(
    (a, b) => all[3 * a] - all[3 * b] || all[3 * a + 1] - all[3 * b + 1] || all[3 * a + 2] - all[3 * b + 2],
  )
  const number = new Uint32Array(count)
  const positions = new Float64Array(p.length)
  for (let v = 0; v < count; v++) {
    number[byPlace[v]] = v
    for (let c = 0; c < 3; c++) positions[3 * v + c] = all[3 * byPlace[v] + c]
  }
  const facets = tri.length / 3
  /** Each facet from its lowest vertex on, its orientation kept. */
  const first = new Uint32Array(tri.length)
  for (let t = 0; t < facets; t++) {
    const v = [number[tri[3 * t]], number[tri[3 * t + 1]], number[tri[3 * t + 2]]]
    const low = v.indexOf(Math.min(...v))
    for (let i = 0; i < 3; i++) first[3 * t + i] = v[(low + i) % 3]
  }
  const facetOf = Uint32Array.from({ length: facets }, (_, t) => t).sort(
    (a, b) =>
      first[3 * a] - first[3 * b] ||
      first[3 * a + 1] - first[3 * b + 1] ||
      first[3 * a + 2] - first[3 * b + 2],
  )
  const triangles = new Uint32Array(tri.length)
  const region = new Uint32Array(facets)
  const normals = new Float64Array(tri.length)
  const materials = target.materials.length
  for (let t = 0; t < facets; t++) {
    const from = facetOf[t]
    region[t] = (target.facetGroup?.[from] ?? 0) * materials + (target.facetMaterial?.[from] ?? 0)
    for (let i = 0; i < 3; i++) {
      triangles[3 * t + i] = first[3 * from + i]
      normals[3 * t + i] = target.normals[3 * from + i]
    }
  }
  return { positions, triangles, region, normals, mirrors: [], centre }
}

/** Distance of a vertex from a plane, positive on the side of its normal. */
export const distanceOf = (positions: ArrayLike<number>, v: number, [x, y, z, d]: Plane): number =>
  x * positions[3 * v] + y * positions[3 * v + 1] + z * positions[3 * v + 2] - d

/** Distance from a plane up to which a vertex of a cut surface is in it [wavelengths]. */
const IN_PLANE = 1e-9

export const isInPlane = (positions: ArrayLike<number>, v: number, plane: Plane): boolean =>
  Math.abs(distanceOf(positions, v, plane)) < IN_PLANE

/** The tip of a cone, within a patch. */
interface Tip {
  vertex: number
  patch: number
}

/** Angles missing from the full circle about the tip of a cone [rad]. */
const TIP_DEFECT = 0.5

/**
 * Vertices within a patch about which the angles of the facets do not add up to a circle: marks them as corners, and gives the tips.
 * @param within  1 for vertices within a patch or where it crosses a plane of symmetry
 */
function findTips(
  { positions: p, triangles: tri, mirrors }: InputSurface,
  patch: Uint32Array,
  kind: Uint8Array,
  within: Uint8Array,
): Tip[] {
  const angle = new Float64Array(kind.length)
  const patchAt = new Uint32Array(kind.length)
  for (let i = 0; i < tri.length; i++) {
    const t = i - (i % 3)
    const v = 3 * tri[i]
    const a = 3 * tri[t + ((i + 1) % 3)]
    const b = 3 * tri[t + ((i + 2) % 3)]
    const u = [0, 1, 2].map((c) => p[a + c] - p[v + c])
    const w = [0, 1, 2].map((c) => p[b + c] - p[v + c])
    const cross = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    angle[tri[i]] += Math.atan2(cross, u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    patchAt[tri[i]] = patch[(i / 3) | 0]
  }
  const tips: Tip[] = []
  for (let v = 0; v < kind.length; v++) {
    if (within[v] === 0) continue
    const whole = angle[v] * 2 ** mirrors.filter((plane) => isInPlane(p, v, plane)).length
    if (Math.abs(2 * Math.PI - whole) > TIP_DEFECT) {
      kind[v] = 2
      if (whole < 2 * Math.PI) tips.push({ vertex: v, patch: patchAt[v] })
    }
  }
  return tips
}

/** The plane of each patch whose vertices are all within the tolerance of it. */
function findPlanes(
  { positions: p, triangles: tri, normals }: InputSurface,
  patch: Uint32Array,
  count: number,
  tolerance: number,
): (Plane | undefined)[] {
  const sum = new Float64Array(4 * count)
  const origin = new Float64Array(3 * count)
  const seen = new Uint8Array(count)
  for (let t = 0; t < patch.length; t++) {
    const k = patch[t]
    const [a, b, c] = [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]].map((v) => 3 * v)
    const u = [0, 1, 2].map((i) => p[b + i] - p[a + i])
    const w = [0, 1, 2].map((i) => p[c + i] - p[a + i])
    const cross = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]]
    for (let i = 0; i < 3; i++) sum[4 * k + i] += cross[i]
    // Offsets are taken from the patch's own first vertex.
    if (seen[k] === 0) for (let i = 0; i < 3; i++) origin[3 * k + i] = p[a + i]
    seen[k] = 1
  }
  const planes: (Plane | undefined)[] = []
  for (let k = 0; k < count; k++) {
    const norm = Math.hypot(sum[4 * k], sum[4 * k + 1], sum[4 * k + 2])
    const n = [0, 1, 2].map((i) => sum[4 * k + i] / norm)
    planes.push(
      norm > 0
        ? [n[0], n[1], n[2], n[0] * origin[3 * k] + n[1] * origin[3 * k + 1] + n[2] * origin[3 * k + 2]]
        : undefined,
    )
  }
  const low = new Float64Array(count).fill(Infinity)
  const high = new Float64Array(count).fill(-Infinity)
  for (let i = 0; i < tri.length; i++) {
    const k = patch[(i / 3) | 0]
    const plane = planes[k]
    if (!plane) continue
    const t = 3 * ((i / 3) | 0)
    if (normals[t] * plane[0] + normals[t + 1] * plane[1] + normals[t + 2] * plane[2] < 0.5)
      planes[k] = undefined
    const v = 3 * tri[i]
    const d = plane[0] * p[v] + plane[1] * p[v + 1] + plane[2] * p[v + 2] - plane[3]
    if (d < low[k]) low[k] = d
    if (d > high[k]) high[k] = d
  }
  for (let k = 0; k < count; k++) {
    const plane = planes[k]
    if (!plane) continue
    if (high[k] - low[k] > 2 * tolerance) planes[k] = undefined
    else plane[3] += (low[k] + high[k]) / 2
  }
  return planes
}

/** A curve that the mesh keeps, between two corners: a polyline of the input's edges. */
export interface Line {
  /** Vertices of the input, from corner to corner; a closed line begins and ends at the same one. */
  vertices: number[]
  /** Distance along the line of each [wavelengths]. */
  s: number[]
  /** Currents are singular there: an open border, a junction, a sharp edge. */
  graded: boolean
  /** The patches that meet at it. */
  patches: number[]
}

/** What a mesh for currents keeps of its input. Lengths in wavelengths. */
export interface Features {
  /** Facets connected over edges that are not kept, T numbers. */
  patch: Uint32Array
  /** Normal and offset (n·x = d) of each patch that lies in a plane; undefined for a curved one. */
  planes: (Plane | undefined)[]
  /** The facet across each half-edge, of the same patch; -1 where the edge is kept. */
  neighbour: Int32Array
  /** 0: within a patch; 1: on a line; 2: corner. */
  kind: Uint8Array
  lines: Line[]
  /** Line of each kept edge, by `edgeKey` of the input's vertices. */
  lineOf: Map<number, number>
  /** Corners within a patch where the surface has a tip. */
  tips: Tip[]
}

/** The image of a vertex in a plane. */
export function reflected(p: ArrayLike<number>, v: number, plane: Plane): Vec3 {
  const twice = 2 * distanceOf(p, v, plane)
  return [0, 1, 2].map((a) => p[3 * v + a] - twice * plane[a]) as Vec3
}

export const edgeKey = (a: number, b: number): number => (a < b ? a * 2 ** 26 + b : b * 2 ** 26 + a)

/** Edges bent by more than this are kept whatever the size of their facets [rad]. */
const SHARP = (30 * Math.PI) / 180
/** Bends from which an edge's singularity is worth thin rows [rad]. */
const SINGULAR = (40 * Math.PI) / 180
/** Facets lower than this have no normal of their own [wavelengths]. */
const SLIVER = 1e-6

/**
 * @param size       edge length of the mesh to come [wavelengths]
 * @param chord      how far the mesh may be off the input's surface [wavelengths]
 * @param tolerance  deviation from a plane that counts as none [wavelengths]
 */
export function findFeatures(
  surface: InputSurface,
  size: number,
  chord: number,
  tolerance: number,
): Features {
  const { positions: p, triangles: tri, normals: n, region } = surface
  const facets = tri.length / 3
  const table = edgeTable({ positions: p, triangles: tri })
  const across = new Int32Array(tri.length).fill(-1)
  for (let e = 0; e < table.count; e++)
    if (table.start[e + 1] - table.start[e] === 2) {
      const [g, h] = [table.half[table.start[e]], table.half[table.start[e] + 1]]
      across[g] = h
      across[h] = g
    }
  const length = (a: number, b: number): number =>
    Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2])
  const next = (h: number): number => (h % 3 === 2 ? h - 2 : h + 1)
  /** Height of its facet over a half-edge. */
  const height = new Float64Array(tri.length)
  for (let t = 0; t < facets; t++) {
    const [a, b, c] = [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]].map((v) => 3 * v)
    const u = [0, 1, 2].map((i) => p[b + i] - p[a + i])
    const v = [0, 1, 2].map((i) => p[c + i] - p[a + i])
    const twice = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    for (let i = 0; i < 3; i++) height[3 * t + i] = twice / length(tri[3 * t + i], tri[next(3 * t + i)])
  }
  // A sliver's normal is rounding: it takes that of the facet at its longest edge; twice for slivers side by side.
  for (let round = 0; round < 3; round++)
    for (let t = 0; t < facets; t++) {
      let least = 3 * t
      for (let h = 3 * t + 1; h < 3 * t + 3; h++) if (height[h] < height[least]) least = h
      const other = across[least]
      if (height[least] > SLIVER || other < 0) continue
      const sign = tri[other] === tri[least] ? -1 : 1
      for (let c = 0; c < 3; c++) n[3 * t + c] = sign * n[3 * ((other / 3) | 0) + c]
    }
  const bendOf = (g: number, h: number): number => {
    const [i, j] = [3 * ((g / 3) | 0), 3 * ((h / 3) | 0)]
    const x = n[i + 1] * n[j + 2] - n[i + 2] * n[j + 1]
    const y = n[i + 2] * n[j] - n[i] * n[j + 2]
    const z = n[i] * n[j + 1] - n[i + 1] * n[j]
    return Math.atan2(Math.hypot(x, y, z), n[i] * n[j] + n[i + 1] * n[j + 1] + n[i + 2] * n[j + 2])
  }
  const planeAt = (h: number): Plane | undefined =>
    surface.mirrors.find((plane) => isInPlane(p, tri[h], plane) && isInPlane(p, tri[next(h)], plane))
  /** Plane of symmetry at each half-edge that is the only one of its edge. */
  const mirrorAt = new Map<number, Plane>()
  for (let e = 0; e < table.count; e++) {
    const plane = table.start[e + 1] - table.start[e] === 1 && planeAt(table.half[table.start[e]])
    if (plane) mirrorAt.set(table.half[table.start[e]], plane)
  }

  const parts = new DisjointSets(facets)
  const patches = new DisjointSets(facets)
  const open = new Uint8Array(facets)
  const neighbour = new Int32Array(tri.length).fill(-1)
  for (let h = 0; h < tri.length; h++) if (across[h] >= 0) parts.join((h / 3) | 0, (across[h] / 3) | 0)
  for (let h = 0; h < tri.length; h++)
    if (across[h] < 0 ? !mirrorAt.has(h) : tri[across[h]] === tri[h]) open[parts.root((h / 3) | 0)] = 1
  /** Kept edges: number in the table, and whether they are graded. */
  const kept: { edge: number; graded: boolean; mirror: boolean }[] = []
  /** Height of a point over the plane of a half-edge's facet. */
  const above = (g: number, x: ArrayLike<number>): number =>
    [0, 1, 2].reduce((sum, c) => sum + n[3 * ((g / 3) | 0) + c] * (x[c] - p[3 * tri[g] + c]), 0)
  for (let e = 0; e < table.count; e++) {
    const g = table.half[table.start[e]]
    const h = across[g]
    const mirror = mirrorAt.get(g)
    if (mirror) {
      const f = 3 * ((g / 3) | 0)
      const slope = n[f] * mirror[0] + n[f + 1] * mirror[1] + n[f + 2] * mirror[2]
      const bend = 2 * Math.asin(Math.min(1, Math.abs(slope)))
      const image = reflected(p, tri[next(next(g))], mirror)
      const concave = open[parts.root((g / 3) | 0)] === 0 && above(g, image) > 0
      kept.push({ edge: e, graded: bend > SINGULAR && !concave, mirror: true })
      continue
    }
    if (h < 0 || tri[g] === tri[h] || planeAt(g)) {
      kept.push({ edge: e, graded: true, mirror: false })
      continue
    }
    const [f, f2] = [(g / 3) | 0, (h / 3) | 0]
    const bend = bendOf(g, h)
    // An edge of the mesh to come that crosses this one in its middle is so far off the surface.
    const off = (Math.min(size, height[g], height[h]) * bend) / 4
    if (bend > SHARP || off > chord || region[f] !== region[f2]) {
      const third = 3 * tri[next(next(h))]
      // The fields at a concave edge of a closed body are not singular.
      const concave = open[parts.root(f)] === 0 && above(g, p.subarray(third, third + 3)) > 0
      kept.push({ edge: e, graded: bend > SINGULAR && !concave, mirror: false })
    } else {
      patches.join(f, f2)
      neighbour[g] = f2
      neighbour[h] = f
    }
  }
  const { of: patch, count: patchCount } = patches.numbered()
  const { lines, lineOf, kind } = traceLines(surface, table, kept, patch, size, chord)
  // A patch goes on across planes of symmetry.
  const within = Uint8Array.from(kind, (of) => (of === 0 ? 1 : 0))
  for (const meets of [true, false])
    for (const { edge, graded, mirror } of kept)
      if ((mirror && !graded) === meets) within[table.low[edge]] = within[table.high[edge]] = meets ? 1 : 0
  const tips = findTips(surface, patch, kind, within)
  splitLoops(lines, kind)
  return {
    patch,
    planes: findPlanes(surface, patch, patchCount, tolerance),
    neighbour,
    kind,
    lines,
    lineOf,
    tips,
  }
}

/** Closed lines need a corner: their first vertex. */
function splitLoops(lines: Line[], kind: Uint8Array): void {
  for (const { vertices } of lines) kind[vertices[0]] = kind[vertices[vertices.length - 1]] = 2
}

function traceLines(
  { positions: p, triangles: tri }: InputSurface,
  table: ReturnType<typeof edgeTable>,
  kept: { edge: number; graded: boolean; mirror: boolean }[],
  patch: Uint32Array,
  size: number,
  chord: number,
): { lines: Line[]; lineOf: Map<number, number>; kind: Uint8Array } {
  const kind = new Uint8Array(p.length / 3)
  const at = new Map<number, number[]>()
  const patchesOf = kept.map(({ edge }) =>
    [
      ...new Set(
        [...table.half.subarray(table.start[edge], table.start[edge + 1])].map((h) => patch[(h / 3) | 0]),
      ),
    ].sort((a, b) => a - b),
  )
  const sort = kept.map(({ graded, mirror }, k) => `${graded} ${mirror} ${patchesOf[k].join(' ')}`)
  for (const [k, { edge }] of kept.entries())
    for (const v of [table.low[edge], table.high[edge]]) {
      const list = at.get(v)
      if (list) list.push(k)
      else at.set(v, [k])
    }
  const other = (k: number, v: number): number =>
    table.low[kept[k].edge] === v ? table.high[kept[k].edge] : table.low[kept[k].edge]
  for (const [v, list] of at) {
    kind[v] = 2
    if (list.length !== 2 || sort[list[0]] !== sort[list[1]]) continue
    const [a, b] = list.map((k) => other(k, v))
    const u = [0, 1, 2].map((c) => p[3 * v + c] - p[3 * a + c])
    const w = [0, 1, 2].map((c) => p[3 * b + c] - p[3 * v + c])
    const cross = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    const bend = Math.atan2(cross, u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    const off = (Math.min(size, Math.hypot(...u), Math.hypot(...w)) * bend) / 4
    if (bend < SHARP && off < chord) kind[v] = 1
  }
  // A vertex where a second sheet touches a line, or another sheet, is a corner.
  markTouching(tri, table, kept, kind)
  const lines: Line[] = []
  const lineOf = new Map<number, number>()
  const done = new Uint8Array(kept.length)
  const trace = (k0: number, from: number): void => {
    const vertices = [from]
    const s = [0]
    for (let k = k0, v = from; ;) {
      done[k] = 1
      const w = other(k, v)
      lineOf.set(edgeKey(v, w), lines.length)
      s.push(
        s[s.length - 1] +
          Math.hypot(p[3 * v] - p[3 * w], p[3 * v + 1] - p[3 * w + 1], p[3 * v + 2] - p[3 * w + 2]),
      )
      vertices.push(w)
      v = w
      if (kind[v] === 2 || v === from) break
      const [a, b] = at.get(v)!
      k = a === k ? b : a
    }
    lines.push({ vertices, s, graded: kept[k0].graded, patches: patchesOf[k0] })
  }
  for (let k = 0; k < kept.length; k++)
    for (const v of [table.low[kept[k].edge], table.high[kept[k].edge]])
      if (done[k] === 0 && kind[v] === 2) trace(k, v)
  for (let k = 0; k < kept.length; k++) if (done[k] === 0) trace(k, table.low[kept[k].edge])
  return { lines, lineOf, kind }
}

/** Marks vertices as corners where fans of facets meet that no line at the vertex bounds. */
function markTouching(
  tri: Uint32Array,
  table: ReturnType<typeof edgeTable>,
  kept: { edge: number }[],
  kind: Uint8Array,
): void {
  const corners = new DisjointSets(tri.length)
  const isKept = new Uint8Array(table.count)
  for (const { edge } of kept) isKept[edge] = 1
  const cornerAt = (h: number, v: number): number => {
    const t = 3 * ((h / 3) | 0)
    return tri[t] === v ? t : tri[t + 1] === v ? t + 1 : t + 2
  }
  for (let e = 0; e < table.count; e++)
    if (isKept[e] === 0) {
      const [g, h] = [table.half[table.start[e]], table.half[table.start[e] + 1]]
      for (const v of [table.low[e], table.high[e]]) corners.join(cornerAt(g, v), cornerAt(h, v))
    }
  const bounded = new Uint8Array(tri.length)
  for (const { edge } of kept)
    for (let i = table.start[edge]; i < table.start[edge + 1]; i++)
      for (const v of [table.low[edge], table.high[edge]])
        bounded[corners.root(cornerAt(table.half[i], v))] = 1
  const fan = new Int32Array(kind.length).fill(-1)
  for (let i = 0; i < tri.length; i++) {
    const root = corners.root(i)
    if (bounded[root] === 1) {
      if (fan[tri[i]] === -1) fan[tri[i]] = -2
      else if (fan[tri[i]] >= 0) kind[tri[i]] = 2
    } else if (fan[tri[i]] === -1) fan[tri[i]] = root
    else if (fan[tri[i]] !== root) kind[tri[i]] = 2
  }
}
