import { edgeKey } from './features.js'
import type { SurfaceMesh } from './surface-mesh.js'

/** Least area of a half of a triangle that is split at a point of the surface, over its own. */
const LEAST_SHARE = 0.2

/** Splits an edge in its middle; returns the new vertex. */
export function splitEdge(mesh: SurfaceMesh, a: number, b: number): number {
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
export function collapseEdge(mesh: SurfaceMesh, a: number, b: number, longest: number, least = 0.2): boolean {
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
export function flipEdge(mesh: SurfaceMesh, a: number, b: number, isBetter = hasBetterWorst): boolean {
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
export function smoothVertex(mesh: SurfaceMesh, v: number): boolean {
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
