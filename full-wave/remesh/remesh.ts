import { InputError } from '../../scene/index.js'
import { collapseEdge, flipEdge, smoothVertex, splitEdge } from './operations.js'
import type { SurfaceMesh } from './surface-mesh.js'

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
