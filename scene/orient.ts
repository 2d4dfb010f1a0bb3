import type { EdgeTable } from './edges.js'
import type { Mesh } from './mesh.js'

interface Orientation {
  /** 1 for each facet to flip. */
  flip: Uint8Array
  components: number
  closedComponents: number
  twistedEdges: number
}

/**
 * Finds which facets to flip so that each component (facets connected over manifold edges) is oriented consistently:
 * a closed one with its normals outwards, an open one so that most of its facets stay as they are (a tie: its first one).
 */
export function orient(mesh: Mesh, table: EdgeTable): Orientation {
  const { component, components, flip } = orientAlike(mesh.triangles, table)
  const { open, twistedEdges } = findOpen(mesh.triangles, table, component, components, flip)
  const volume = volumes(mesh, component, components, flip)
  const size = new Uint32Array(components)
  const flipped = new Uint32Array(components)
  for (let t = 0; t < component.length; t++) {
    size[component[t]]++
    flipped[component[t]] += flip[t]
  }
  for (let t = 0; t < component.length; t++) {
    const k = component[t]
    const invert = open[k] === 0 && volume[k] !== 0 ? volume[k] < 0 : 2 * flipped[k] > size[k]
    if (invert) flip[t] = 1 - flip[t]
  }
  return { flip, components, closedComponents: components - open.reduce((n, o) => n + o, 0), twistedEdges }
}

interface Components {
  /** Component of each facet, in the order of their first facets. */
  component: Int32Array
  components: number
  /** 1 for each facet to flip, so that all of a component are oriented as its first one. */
  flip: Uint8Array
}

/** Orients facets consistently across manifold edges. */
function orientAlike(tri: Uint32Array, table: EdgeTable): Components {
  const facets = tri.length / 3
  const opposite = acrossManifold(table)
  const flip = new Uint8Array(facets)
  const component = new Int32Array(facets).fill(-1)
  const stack = new Uint32Array(facets)
  let components = 0
  for (let seed = 0; seed < facets; seed++) {
    if (component[seed] >= 0) continue
    component[seed] = components
    let waiting = 0
    stack[waiting++] = seed
    while (waiting > 0) {
      const t = stack[--waiting]
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = opposite[h]
        if (g < 0) continue
        const s = (g / 3) | 0
        if (component[s] >= 0) continue
        component[s] = components
        // Half-edges of consistently oriented facets run in opposite directions.
        flip[s] = tri[h] === tri[g] ? 1 - flip[t] : flip[t]
        stack[waiting++] = s
      }
    }
    components++
  }
  return { component, components, flip }
}

/** The opposite half-edge of each, or -1 unless exactly two meet. */
function acrossManifold({ count, start, half }: EdgeTable): Int32Array {
  const opposite = new Int32Array(half.length).fill(-1)
  for (let e = 0; e < count; e++) {
    const at = start[e]
    if (start[e + 1] - at !== 2) continue
    opposite[half[at]] = half[at + 1]
    opposite[half[at + 1]] = half[at]
  }
  return opposite
}

/** 1 for each open component: its facets do not cancel along every edge. The others are closed and have a volume. */
function findOpen(
  tri: Uint32Array,
  table: EdgeTable,
  component: Int32Array,
  components: number,
  flip: Uint8Array,
): { open: Uint8Array; twistedEdges: number } {
  const { start, half, low } = table
  const open = new Uint8Array(components)
  let twistedEdges = 0
  /** Sum over the facets of each component at one edge: +1 where the facet, after flipping, runs from low to high. */
  const along = new Int32Array(components)
  for (let e = 0; e < table.count; e++) {
    const from = start[e]
    const to = start[e + 1]
    for (let i = from; i < to; i++) {
      const t = (half[i] / 3) | 0
      along[component[t]] += (tri[half[i]] === low[e]) === (flip[t] === 0) ? 1 : -1
    }
    for (let i = from; i < to; i++) {
      const k = component[(half[i] / 3) | 0]
      if (along[k] === 0) continue
      open[k] = 1
      // Both facets at a manifold edge belong to one component.
      if (to - from === 2 && i === from) twistedEdges++
    }
    for (let i = from; i < to; i++) along[component[(half[i] / 3) | 0]] = 0
  }
  return { open, twistedEdges }
}

/** Six times the volume that the facets of each component enclose [m^3]. */
function volumes(
  { triangles: tri, positions: p }: Mesh,
  component: Int32Array,
  components: number,
  flip: Uint8Array,
): Float64Array {
  const volume = new Float64Array(components)
  const origin = new Int32Array(components).fill(-1)
  for (let t = 0; t < component.length; t++) {
    const k = component[t]
    const a = 3 * tri[3 * t]
    const b = 3 * tri[3 * t + 1]
    const c = 3 * tri[3 * t + 2]
    // Measured from a vertex of the component, so that a distant one loses no digits.
    if (origin[k] < 0) origin[k] = a
    const ox = p[origin[k]]
    const oy = p[origin[k] + 1]
    const oz = p[origin[k] + 2]
    const ax = p[a] - ox
    const ay = p[a + 1] - oy
    const az = p[a + 2] - oz
    const bx = p[b] - ox
    const by = p[b + 1] - oy
    const bz = p[b + 2] - oz
    const cx = p[c] - ox
    const cy = p[c + 1] - oy
    const cz = p[c + 2] - oz
    const six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    volume[k] += flip[t] === 1 ? -six : six
  }
  return volume
}
