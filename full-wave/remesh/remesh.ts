import { InputError } from '../../scene/index.js'
import { edgeKey, findFeatures, type InputSurface } from './features.js'
import { SizeField } from './size-field.js'
import { SurfaceMesh } from './surface-mesh.js'

/** Edges longer than this are split, shorter ones collapsed; in the metric. */
const LONG = 1.42
const SHORT = 0.76
const PASSES = 8
const LAST_PASSES = 3

/**
 * Isotropic remeshing in the mesh's metric: long edges split, short ones collapsed, diagonals flipped, vertices smoothed (Botsch and
 * Kobbelt, A remeshing approach to multiresolution modeling, 2004).
 * Throws InputError for more than `most` triangles.
 * @param images  that the mesh will have, itself with them
 */
export function remesh(mesh: SurfaceMesh, most: number, images: number): void {
  // On the way there may be more: what the target's own facets become is not collapsed yet.
  const limit = 2 * Math.max(most / images, mesh.triangleCount)
  for (let pass = 0; pass < PASSES; pass++) {
    const split = splitLong(mesh, limit)
    flipAll(mesh)
    const collapsed = collapseShort(mesh)
    flipAll(mesh)
    smoothAll(mesh)
    if (pass > 1 && split + collapsed < 0.005 * mesh.triangleCount) break
  }
  for (let pass = 0; pass < LAST_PASSES; pass++) {
    flipAll(mesh)
    smoothAll(mesh)
  }
  keepChord(mesh, limit)
  flipAll(mesh)
  for (let round = 0; round < 3 && removeFlat(mesh) > 0; round++) flipAll(mesh)
  if (mesh.triangleCount * images > most) tooMany(most)
}

/** Triangles of a quality below this in the metric are removed where they can be. */
const FLAT = 0.1

/** Collapses an edge of each triangle that has almost no area, whatever becomes of lengths; returns how many there were. */
function removeFlat(mesh: SurfaceMesh): number {
  let count = 0
  for (let t = 0; t < mesh.patch.length; t++) {
    const [a, b, c] = [mesh.t[3 * t], mesh.t[3 * t + 1], mesh.t[3 * t + 2]]
    if (a < 0 || mesh.quality(a, b, c) > FLAT) continue
    const sides = [
      [a, b],
      [b, c],
      [c, a],
    ].sort((x, y) => mesh.length(x[0], x[1]) - mesh.length(y[0], y[1]))
    count++
    if (flipEdge(mesh, sides[2][0], sides[2][1])) continue
    sides.some(([u, v]) => collapseEdge(mesh, u, v, 2 * LONG) || collapseEdge(mesh, v, u, 2 * LONG))
  }
  return count
}

/** The mesh's edges with a length in [low, high), two numbers each, in order of length. */
function edgesBetween(
  mesh: SurfaceMesh,
  low: number,
  high: number,
): { a: number; b: number; length: number }[] {
  const found: { a: number; b: number; length: number }[] = []
  for (let v = 0; v < mesh.at.length; v++)
    forNeighbours(mesh, v, (w) => {
      const length = mesh.length(v, w)
      if (length >= low && length < high) found.push({ a: v, b: w, length })
    })
  return found
}

/** Calls back with each neighbour of a higher number, once. */
function forNeighbours(mesh: SurfaceMesh, v: number, call: (w: number) => void): void {
  const list = mesh.at[v]
  for (let i = 0; i < list.length; i++)
    for (let c = 0; c < 3; c++) {
      const w = mesh.t[3 * list[i] + c]
      if (w <= v) continue
      let first = true
      for (let j = 0; j < i && first; j++) if (mesh.cornerOf(list[j], w) >= 0) first = false
      if (first) call(w)
    }
}

function splitLong(mesh: SurfaceMesh, most: number): number {
  let count = 0
  for (let round = 0; round < 60; round++) {
    const long = edgesBetween(mesh, LONG, Infinity).sort((x, y) => y.length - x.length)
    if (long.length === 0) break
    // The longest first, down to half of it: shorter ones may be no edges of good triangles yet.
    const least = Math.max(LONG, long[0].length / 2)
    for (const { a, b, length } of long) {
      if (length < least) break
      splitEdge(mesh, a, b)
      count++
      if (mesh.triangleCount > most) tooMany(most)
    }
    flipAll(mesh)
  }
  return count
}

function tooMany(most: number): never {
  throw new InputError(
    `the mesh for currents needs more than ${most} triangles; lower the frequency or the elements per wavelength, or use --method sbr`,
  )
}

function collapseShort(mesh: SurfaceMesh): number {
  let count = 0
  const short = edgesBetween(mesh, 0, SHORT).sort((x, y) => x.length - y.length)
  for (const { a, b } of short) {
    if (mesh.at[a].length === 0 || mesh.at[b].length === 0 || !mesh.isEdge(a, b)) continue
    if (mesh.length(a, b) >= SHORT) continue
    const order = mesh.kind[a] > mesh.kind[b] ? [b, a] : [a, b]
    if (collapseEdge(mesh, order[0], order[1], LONG) || collapseEdge(mesh, order[1], order[0], LONG)) count++
  }
  return count
}

function flipAll(mesh: SurfaceMesh): void {
  for (let round = 0; round < 4; round++) {
    let count = 0
    for (let t = 0; t < mesh.patch.length; t++) {
      if (mesh.changed[t] === 0 || mesh.t[3 * t] < 0) continue
      mesh.changed[t] = 0
      for (let i = 0; i < 3; i++)
        if (flipEdge(mesh, mesh.t[3 * t + i], mesh.t[3 * t + ((i + 1) % 3)])) {
          count++
          break
        }
    }
    if (count < 0.002 * mesh.triangleCount) break
  }
}

function smoothAll(mesh: SurfaceMesh): void {
  for (let v = 0; v < mesh.at.length; v++) if (mesh.at[v].length > 0) smoothVertex(mesh, v)
}

/** Splits edges of curved patches whose middle is off the surface. */
function keepChord(mesh: SurfaceMesh, most: number): void {
  for (let round = 0; round < 2; round++) {
    const off: { a: number; b: number; length: number }[] = []
    for (let v = 0; v < mesh.at.length; v++)
      forNeighbours(mesh, v, (w) => {
        if (mesh.lineAt(v, w) >= 0) return
        const [t] = mesh.around(v, w)
        if (mesh.isPlane(mesh.patch[t])) return
        const length = mesh.length(v, w)
        const facet =
          mesh.kind[v] === 0 ? mesh.facetAt[v] : mesh.kind[w] === 0 ? mesh.facetAt[w] : mesh.facet[t]
        if (length > 0.5 && mesh.chordError(v, w, facet) > mesh.chord) off.push({ a: v, b: w, length })
      })
    if (off.length === 0) return
    for (const { a, b } of off.sort((x, y) => y.length - x.length)) {
      splitEdge(mesh, a, b)
      if (mesh.triangleCount > most) tooMany(most)
    }
    flipAll(mesh)
    smoothAll(mesh)
  }
}

/** Least area of a half of a triangle that is split at a point of the surface, over its own. */
const LEAST_SHARE = 0.2

/** Splits an edge in its middle; returns the new vertex. */
function splitEdge(mesh: SurfaceMesh, a: number, b: number): number {
  const { t: tri, p } = mesh
  const around = mesh.around(a, b)
  const k = mesh.lineAt(a, b)
  let v: number
  if (k >= 0) {
    v = mesh.addOnLine(k, (mesh.along(k, a, b) + mesh.along(k, b, a)) / 2, mesh.facet[around[0]])
    mesh.lineOf.delete(edgeKey(a, b))
    mesh.lineOf.set(edgeKey(a, v), k)
    mesh.lineOf.set(edgeKey(v, b), k)
  } else {
    const inner = mesh.kind[a] === 0 ? a : mesh.kind[b] === 0 ? b : -1
    v = mesh.addVertex(0, inner >= 0 ? mesh.facetAt[inner] : mesh.facet[around[0]])
    for (let c = 0; c < 3; c++) p[3 * v + c] = (p[3 * a + c] + p[3 * b + c]) / 2
    const middle = [p[3 * v], p[3 * v + 1], p[3 * v + 2]]
    mesh.project(v, mesh.patch[around[0]])
    // On a badly meshed curve the projection can turn a triangle over or press it flat; the middle never does.
    for (const t of around) {
      const w = mesh.third(t, a, b)
      if (mesh.quality(a, b, w) > 0 && Math.min(mesh.shareOf(t, a, v), mesh.shareOf(t, b, v)) < LEAST_SHARE)
        for (let c = 0; c < 3; c++) p[3 * v + c] = middle[c]
    }
  }
  for (const t of around) {
    const i = mesh.cornerOf(t, a)
    const j = mesh.cornerOf(t, b)
    const c = 3 - i - j
    const corners = [0, 0, 0]
    corners[i] = v
    corners[j] = b
    corners[c] = tri[3 * t + c]
    tri[3 * t + j] = v
    mesh.changed[t] = 1
    mesh.detach(b, t)
    mesh.at[v].push(t)
    mesh.addTriangle(corners[0], corners[1], corners[2], mesh.patch[t], mesh.facet[t])
  }
  mesh.measure(v)
  return v
}

/**
 * Moves a onto b and removes the triangles between, where surface, lines and shape allow it.
 * @param least  quality below which no triangle may become worse
 */
function collapseEdge(mesh: SurfaceMesh, a: number, b: number, longest: number, least = 0.2): boolean {
  const { kind, t: tri } = mesh
  if (kind[a] === 2) return false
  const k = mesh.lineAt(a, b)
  if (kind[a] === 1 && k < 0) return false
  const around = mesh.around(a, b)
  const list = mesh.at[a]
  let beyond = -1
  // The link of the edge is the third vertices of its triangles, and nothing else.
  const thirds: number[] = []
  for (let i = 0; i < around.length; i++) {
    const w = mesh.third(around[i], a, b)
    if (thirds.includes(w)) return false
    thirds.push(w)
  }
  for (let i = 0; i < list.length; i++) {
    const t = list[i]
    if (mesh.cornerOf(t, b) >= 0) continue
    let linked = 0
    for (let c = 0; c < 3; c++) {
      const w = tri[3 * t + c]
      if (w === a) continue
      if (thirds.includes(w)) linked++
      else if (mesh.isEdge(w, b)) return false
    }
    // Two triangles of the same vertices would be left: of a small closed part, its two sides.
    if (linked === 2 && hasTriangle(mesh, b, t, a)) return false
  }
  if (k >= 0) {
    for (let i = 0; i < list.length; i++)
      for (let c = 0; c < 3; c++) {
        const w = tri[3 * list[i] + c]
        if (w !== a && w !== b && mesh.lineAt(a, w) === k) beyond = w
      }
    if (beyond < 0 || mesh.isEdge(beyond, b)) return false
    if (mesh.chordOnLine(k, beyond, b) > mesh.chord) return false
  }
  for (let i = 0; i < list.length; i++) {
    const t = list[i]
    if (mesh.cornerOf(t, b) >= 0) continue
    const i0 = tri[3 * t] === a ? b : tri[3 * t]
    const i1 = tri[3 * t + 1] === a ? b : tri[3 * t + 1]
    const i2 = tri[3 * t + 2] === a ? b : tri[3 * t + 2]
    const old = mesh.quality(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2])
    const q = mesh.quality(i0, i1, i2)
    if (q < least && q < old) return false
    if (mesh.agreement(i0, i1, i2, mesh.facet[t]) < mesh.leastAgreement(mesh.patch[t])) return false
    for (let c = 0; c < 3; c++) {
      const w = tri[3 * t + c]
      if (w !== a && mesh.length(w, b) > longest) return false
    }
  }
  for (const t of around) mesh.removeTriangle(t)
  for (const t of mesh.at[a]) {
    tri[3 * t + mesh.cornerOf(t, a)] = b
    mesh.changed[t] = 1
    mesh.at[b].push(t)
  }
  mesh.at[a].length = 0
  if (k >= 0) {
    mesh.lineOf.delete(edgeKey(a, b))
    mesh.lineOf.delete(edgeKey(a, beyond))
    mesh.lineOf.set(edgeKey(b, beyond), k)
  }
  return true
}

/** Whether there is a triangle of v and the corners of t but for one of them. */
function hasTriangle(mesh: SurfaceMesh, v: number, t: number, without: number): boolean {
  const [x, y] = mesh.t.slice(3 * t, 3 * t + 3).filter((w) => w !== without)
  return mesh.around(v, x).some((other) => mesh.cornerOf(other, y) >= 0)
}

/** Turns the diagonal a b of two triangles to c d where that is better and surface and lines allow it. */
function flipEdge(mesh: SurfaceMesh, a: number, b: number, isBetter = hasBetterWorst): boolean {
  const { t: tri, p } = mesh
  if (mesh.lineAt(a, b) >= 0) return false
  const around = mesh.around(a, b)
  if (around.length !== 2) return false
  let [t1, t2] = around
  // t1 runs from a to b.
  if (tri[3 * t1 + ((mesh.cornerOf(t1, a) + 1) % 3)] !== b) [t1, t2] = [t2, t1]
  const c = mesh.third(t1, a, b)
  const d = mesh.third(t2, a, b)
  if (!isBetter(mesh, a, b, c, d) || c === d || mesh.isEdge(c, d)) return false
  const patch = mesh.patch[t1]
  const least = mesh.leastAgreement(patch)
  if (mesh.agreement(a, d, c, mesh.facet[t1]) < least || mesh.agreement(d, b, c, mesh.facet[t2]) < least)
    return false
  if (!mesh.isPlane(patch)) {
    // The old and the new diagonal pass each other at this distance, at the most.
    const n = mesh.normalAt(mesh.facet[t1])
    let apart = 0
    for (let i = 0; i < 3; i++)
      apart += (n[i] * (p[3 * a + i] + p[3 * b + i] - p[3 * c + i] - p[3 * d + i])) / 2
    const size = Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2])
    if (Math.abs(apart) > Math.max(2 * mesh.chord, 0.1 * size)) return false
    if (size > mesh.longFlip && Math.abs(apart) > mesh.chord) return false
  }
  mesh.changed[t1] = mesh.changed[t2] = 1
  tri[3 * t1] = a
  tri[3 * t1 + 1] = d
  tri[3 * t1 + 2] = c
  tri[3 * t2] = d
  tri[3 * t2 + 1] = b
  tri[3 * t2 + 2] = c
  mesh.detach(b, t1)
  mesh.detach(a, t2)
  mesh.at[d].push(t1)
  mesh.at[c].push(t2)
  return true
}

/** Whether the worse of both triangles becomes better. */
function hasBetterWorst(mesh: SurfaceMesh, a: number, b: number, c: number, d: number): boolean {
  const before = Math.min(mesh.quality(a, b, c), mesh.quality(b, a, d))
  if (before > 0.92) return false
  return Math.min(mesh.quality(a, d, c), mesh.quality(d, b, c)) >= before * 1.01 + 1e-9
}

/** Moves a vertex so that its edges come nearer to length 1, where no triangle becomes worse than the worst. */
function smoothVertex(mesh: SurfaceMesh, v: number): boolean {
  const { p, kind, t: tri } = mesh
  if (kind[v] === 2) return false
  const list = mesh.at[v]
  if (list.length === 0) return false
  const [ox, oy, oz, os] = [p[3 * v], p[3 * v + 1], p[3 * v + 2], mesh.s[v]]
  const facet = mesh.facetAt[v]
  const before = worst(mesh, v)
  if (kind[v] === 0) {
    let x = 0
    let y = 0
    let z = 0
    let sum = 0
    for (let i = 0; i < list.length; i++)
      for (let c = 0; c < 3; c++) {
        const w = tri[3 * list[i] + c]
        if (w === v) continue
        const length = mesh.length(v, w)
        // Longer edges pull more: squared length damps the move of short ones.
        const g = 1 / length
        x += p[3 * w] + (ox - p[3 * w]) * g
        y += p[3 * w + 1] + (oy - p[3 * w + 1]) * g
        z += p[3 * w + 2] + (oz - p[3 * w + 2]) * g
        sum++
      }
    p[3 * v] = ox + 0.8 * (x / sum - ox)
    p[3 * v + 1] = oy + 0.8 * (y / sum - oy)
    p[3 * v + 2] = oz + 0.8 * (z / sum - oz)
    mesh.project(v, mesh.patch[list[0]])
  } else {
    const k = mesh.line[v]
    const ends: number[] = []
    for (let i = 0; i < list.length; i++)
      for (let c = 0; c < 3; c++) {
        const w = tri[3 * list[i] + c]
        if (w !== v && mesh.lineAt(v, w) === k && !ends.includes(w)) ends.push(w)
      }
    if (ends.length !== 2) return false
    const [s0, s1] = ends.map((w) => mesh.along(k, w, v))
    const [l0, l1] = ends.map((w) => mesh.length(v, w))
    // Both neighbours at the same length: each side's metric as it is now.
    const g0 = l0 / Math.abs(os - s0)
    const g1 = l1 / Math.abs(s1 - os)
    const to = (g0 * s0 + g1 * s1) / (g0 + g1)
    if (!Number.isFinite(to)) return false
    mesh.moveOnLine(v, os + 0.8 * (to - os))
  }
  const after = worst(mesh, v)
  if (after > Math.min(before, 0.5) && agrees(mesh, v)) {
    if (!mesh.isPlane(mesh.patch[list[0]]) && kind[v] === 0)
      for (let i = 0; i < list.length; i++) mesh.facet[list[i]] = mesh.facetAt[v]
    mesh.measure(v)
    for (let i = 0; i < list.length; i++) mesh.changed[list[i]] = 1
    return true
  }
  p[3 * v] = ox
  p[3 * v + 1] = oy
  p[3 * v + 2] = oz
  mesh.s[v] = os
  mesh.facetAt[v] = facet
  return false
}

function worst(mesh: SurfaceMesh, v: number): number {
  const { t: tri } = mesh
  let least = 1
  for (const t of mesh.at[v]) {
    const q = mesh.quality(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2])
    if (q < least) least = q
  }
  return least
}

function agrees(mesh: SurfaceMesh, v: number): boolean {
  const { t: tri } = mesh
  for (const t of mesh.at[v]) {
    const facet = mesh.kind[v] === 0 ? mesh.facetAt[v] : mesh.facet[t]
    if (
      mesh.agreement(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], facet) < mesh.leastAgreement(mesh.patch[t])
    )
      return false
  }
  return true
}

/** Triangles of a lower quality do not come of a collapse. */
const LEAST_QUALITY = 1e-3
/** Sines of angles that count as zero. */
const ANGLE = 1e-9
const ROUNDS = 64

/** Parts of the tolerance: regions of many small bends are no planes at the first, and are divided at the next. */
const STRICTER = [1, 1 / 30, 1 / 1000]

/**
 * The same surface without what does not shape it: vertices within plane regions and on straight borders of them are removed, and
 * regions divided by Delaunay's rule, so that sizes depend on the shape and not on how its planes were divided.
 *
 * @param tolerance  deviation from a plane or a line that counts as none [wavelengths]
 * @param mostWork   see `SurfaceMesh`
 */
export function mergeCoplanar(surface: InputSurface, tolerance: number, mostWork: number): InputSurface {
  for (const part of STRICTER) {
    const off = part * tolerance
    const features = findFeatures(surface, Infinity, off, off)
    const uniform = new SizeField({ size: 1, firstRow: 1, growth: 1.5, chord: off }, surface, features)
    const mesh = new SurfaceMesh(surface, features, uniform, off, Infinity, mostWork)
    makeDelaunay(mesh)
    for (let round = 0; round < ROUNDS && removeVertices(mesh) > 0; round++) makeDelaunay(mesh)
    surface = surfaceOf(surface, mesh)
    if (features.planes.every((plane) => plane)) break
  }
  return surface
}

/** Removes vertices that are not neighbours of each other; returns how many. */
function removeVertices(mesh: SurfaceMesh): number {
  let count = 0
  const waits = new Uint8Array(mesh.at.length)
  for (let v = 0; v < mesh.at.length; v++) {
    const list = mesh.at[v]
    if (mesh.kind[v] === 2 || waits[v] === 1 || list.length === 0) continue
    if (!list.every((t) => mesh.isPlane(mesh.patch[t]))) continue
    const around = new Set(list.flatMap((t) => mesh.t.slice(3 * t, 3 * t + 3)))
    around.delete(v)
    for (const w of around)
      if (collapseEdge(mesh, v, w, Infinity, LEAST_QUALITY)) {
        for (const u of around) waits[u] = 1
        count++
        break
      }
  }
  return count
}

/** Flips diagonals of plane regions until the circle about each triangle is empty; of vertices on one circle the lowest has the diagonal. */
function makeDelaunay(mesh: SurfaceMesh): void {
  for (let round = 0, flips = 1; round < ROUNDS && flips > 0; round++) {
    flips = 0
    for (let t = 0; t < mesh.patch.length; t++) {
      if (mesh.changed[t] === 0 || mesh.t[3 * t] < 0) continue
      mesh.changed[t] = 0
      if (!mesh.isPlane(mesh.patch[t])) continue
      for (let i = 0; i < 3; i++)
        if (flipEdge(mesh, mesh.t[3 * t + i], mesh.t[3 * t + ((i + 1) % 3)], isBetterTurned)) {
          flips++
          break
        }
    }
  }
}

/** Whether c d is Delaunay's diagonal of the quadrangle a d b c rather than a b. */
function isBetterTurned({ p }: SurfaceMesh, a: number, b: number, c: number, d: number): boolean {
  const angle = (v: number): [cos: number, sin: number] => {
    const u = [0, 1, 2].map((i) => p[3 * a + i] - p[3 * v + i])
    const w = [0, 1, 2].map((i) => p[3 * b + i] - p[3 * v + i])
    const size = Math.hypot(...u) * Math.hypot(...w)
    const cross = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    return [(u[0] * w[0] + u[1] * w[1] + u[2] * w[2]) / size, cross / size]
  }
  const [cosC, sinC] = angle(c)
  const [cosD, sinD] = angle(d)
  const sine = sinC * cosD + cosC * sinD
  return sine < -ANGLE || (sine <= ANGLE && Math.min(c, d) < Math.min(a, b))
}

/** The mesh as a surface, vertices in their order. */
function surfaceOf(surface: InputSurface, mesh: SurfaceMesh): InputSurface {
  const number = new Int32Array(mesh.at.length).fill(-1)
  const kept: number[] = []
  for (let v = 0; v < mesh.at.length; v++) if (mesh.at[v].length > 0) number[v] = kept.push(v) - 1
  const facets: { corners: number[]; from: number }[] = []
  for (let t = 0; t < mesh.patch.length; t++) {
    if (mesh.t[3 * t] < 0) continue
    const v = [0, 1, 2].map((i) => number[mesh.t[3 * t + i]])
    const low = v.indexOf(Math.min(...v))
    facets.push({ corners: [0, 1, 2].map((i) => v[(low + i) % 3]), from: t })
  }
  facets.sort(({ corners: a }, { corners: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  return {
    positions: Float64Array.from(kept.flatMap((v) => [0, 1, 2].map((c) => mesh.p[3 * v + c]))),
    triangles: Uint32Array.from(facets.flatMap(({ corners }) => corners)),
    region: Uint32Array.from(facets, ({ from }) => surface.region[mesh.facet[from]]),
    normals: Float64Array.from(facets.flatMap(({ from }) => [...mesh.normalOn(from)])),
    mirrors: surface.mirrors,
    centre: surface.centre,
  }
}
