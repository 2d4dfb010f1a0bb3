import type { Target } from './target.js'

/**
 * Flats: connected facets of one plane, joined across manifold edges. T facets, N flats. A ray that meets any facet of a
 * flat is reflected alike, so that edges inside a flat never divide a ray tube; its rim does.
 */
export interface Flats {
  /** T: the flat of each facet. */
  flat: Uint32Array
  /** N + 1 offsets into the edges of `rim`. */
  rimStart: Uint32Array
  /** Two vertex numbers (of `RayScene.points`) per edge that bounds a flat. */
  rim: Uint32Array
  /** T: 1 where the facet's smooth surface has more flats than one. */
  curved: Uint8Array
  /** T: +1 in a closed, consistently oriented shell with normals outward, -1 with normals inward, 0 elsewhere. */
  shell: Int8Array
}

/** Vertices of a flat lie within this part of the box diagonal of its plane: the rounding of float32 mesh files. */
export const FLAT_TOLERANCE = 2e-7
/** Facets of a flat have normals whose dot product differs from 1 by less: thin slivers stay out. */
const NORMAL_TOLERANCE = 1e-6

/** Finds the flats of a target, growing each from its lowest-numbered facet and measuring against that facet's plane. */
export function findFlats(target: Target): Flats {
  const { triangles, normals, positions, edges, surface, surfaceCount, diagonal } = target
  const facets = triangles.length / 3
  const flat = new Uint32Array(facets).fill(facets)
  const neighbours = facetNeighbours(target)
  const inPlane = (t: number, seed: number): boolean => {
    const n = normals.subarray(3 * seed, 3 * seed + 3)
    const m = normals.subarray(3 * t, 3 * t + 3)
    if (n[0] * m[0] + n[1] * m[1] + n[2] * m[2] < 1 - NORMAL_TOLERANCE) return false
    const a = 3 * triangles[3 * seed]
    for (let i = 0; i < 3; i++) {
      const b = 3 * triangles[3 * t + i]
      let height = 0
      for (let c = 0; c < 3; c++) height += n[c] * (positions[b + c] - positions[a + c])
      if (Math.abs(height) > FLAT_TOLERANCE * diagonal) return false
    }
    return true
  }
  let count = 0
  for (let seed = 0; seed < facets; seed++) {
    if (flat[seed] !== facets) continue
    flat[seed] = count
    for (const stack = [seed]; stack.length > 0;) {
      const t = stack.pop()!
      for (let i = neighbours.start[t]; i < neighbours.start[t + 1]; i++) {
        const other = neighbours.facets[i]
        if (flat[other] !== facets || !inPlane(other, seed)) continue
        flat[other] = count
        stack.push(other)
      }
    }
    count++
  }

  /** Calls back with every flat that edge e bounds. */
  const bounded = (e: number, visit: (flat: number) => void): void => {
    const [a, b] = [edges.facets[2 * e], edges.facets[2 * e + 1]]
    if (b >= 0 && edges.valence[e] === 2 && flat[a] === flat[b]) return
    visit(flat[a])
    if (b >= 0) visit(flat[b])
  }
  const rimStart = new Uint32Array(count + 1)
  for (let e = 0; e < edges.valence.length; e++) bounded(e, (f) => rimStart[f + 1]++)
  for (let f = 0; f < count; f++) rimStart[f + 1] += rimStart[f]
  const rim = new Uint32Array(2 * rimStart[count])
  const fill = rimStart.slice(0, count)
  for (let e = 0; e < edges.valence.length; e++)
    bounded(e, (f) => rim.set(edges.vertices.subarray(2 * e, 2 * e + 2), 2 * fill[f]++))

  const only = new Int32Array(surfaceCount).fill(-1)
  const bent = new Uint8Array(surfaceCount)
  for (let t = 0; t < facets; t++) {
    const s = surface[t]
    if (only[s] < 0) only[s] = flat[t]
    else if (only[s] !== flat[t]) bent[s] = 1
  }
  return {
    flat,
    rimStart,
    rim,
    curved: Uint8Array.from(surface, (s) => bent[s]),
    shell: closedShells(target, neighbours),
  }
}

/** See `Flats.shell`: facets joined by manifold edges, with the sign of the volume that they enclose. */
function closedShells(target: Target, neighbours: Neighbours): Int8Array {
  const { triangles, positions: p, edges, centroid } = target
  const count = triangles.length / 3
  const open = new Uint8Array(count)
  for (let e = 0; e < edges.valence.length; e++) {
    if (edges.valence[e] === 2 && edges.side[2 * e] === 1 && edges.side[2 * e + 1] === 1) continue
    for (const t of edges.facets.subarray(2 * e, 2 * e + 2)) if (t >= 0) open[t] = 1
  }
  const shell = new Int8Array(count)
  const seen = new Uint8Array(count)
  for (let first = 0; first < count; first++) {
    if (seen[first]) continue
    seen[first] = 1
    const members = [first]
    let closed = true
    let volume = 0
    for (let m = 0; m < members.length; m++) {
      const t = members[m]
      if (open[t]) closed = false
      const [a, b, c] = [0, 1, 2].map((i) => {
        const v = 3 * triangles[3 * t + i]
        return [p[v] - centroid[0], p[v + 1] - centroid[1], p[v + 2] - centroid[2]]
      })
      volume += a[0] * (b[1] * c[2] - b[2] * c[1])
      volume += a[1] * (b[2] * c[0] - b[0] * c[2])
      volume += a[2] * (b[0] * c[1] - b[1] * c[0])
      for (const other of neighbours.facets.subarray(neighbours.start[t], neighbours.start[t + 1]))
        if (!seen[other]) {
          seen[other] = 1
          members.push(other)
        }
    }
    if (closed) for (const t of members) shell[t] = Math.sign(volume)
  }
  return shell
}

interface Neighbours {
  start: Uint32Array
  facets: Uint32Array
}

/** Facets across the manifold edges of each facet, as offsets and a list. */
function facetNeighbours({ triangles, edges }: Target): Neighbours {
  const count = triangles.length / 3
  const start = new Uint32Array(count + 1)
  const pairs = (visit: (a: number, b: number) => void): void => {
    for (let e = 0; e < edges.valence.length; e++) {
      if (edges.valence[e] !== 2) continue
      visit(edges.facets[2 * e], edges.facets[2 * e + 1])
      visit(edges.facets[2 * e + 1], edges.facets[2 * e])
    }
  }
  pairs((a) => start[a + 1]++)
  for (let t = 0; t < count; t++) start[t + 1] += start[t]
  const facets = new Uint32Array(start[count])
  const fill = start.slice(0, count)
  pairs((a, b) => {
    facets[fill[a]++] = b
  })
  return { start, facets }
}
