import { cross, type Vec3 } from '../scene/index.js'
import type { RayScene } from '../rays/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import type { LightWave } from './image-waves.js'

/** Beams are taken this part of the target's diagonal wider than the facets that reflect them. */
const MARGIN = 1e-6
/** Numbers per beam: n towards the light and n . r of the plane; u and v across the beam, and the least and largest u . r, v . r in it. */
const SIZE = 14

/**
 * Says which edges the beams of reflected waves may light. The beam that leaves the facets of the plane which reflects it last is a prism,
 * of which the box across its direction is looked at. One object per thread.
 */
export class Beams {
  /** Facets by plane, from `first` of its number on. */
  private readonly first: Int32Array
  private readonly facets: Int32Array
  private beams = new Float64Array(0)

  /** @param planes  see `facetPlaneNumbers` */
  constructor(
    private readonly rays: RayScene,
    planes: Int32Array,
  ) {
    let count = 0
    for (const plane of planes) count = Math.max(count, plane + 1)
    this.first = new Int32Array(count + 1)
    this.facets = new Int32Array(planes.length)
    for (const plane of planes) this.first[plane + 1]++
    for (let i = 0; i < count; i++) this.first[i + 1] += this.first[i]
    const next = this.first.slice()
    for (let f = 0; f < planes.length; f++) this.facets[next[planes[f]]++] = f
  }

  /** Takes the waves of an aspect. */
  set(waves: LightWave[]): void {
    this.beams = new Float64Array(SIZE * waves.length)
    for (let w = 0; w < waves.length; w++) if (waves[w].planes.length > 0) this.setBeam(waves[w], SIZE * w)
  }

  private setBeam({ r, planes }: LightWave, o: number): void {
    const { first, facets, beams } = this
    const { normals, vertices, diagonal } = this.rays
    const least = Math.abs(r[0]) < 0.6 ? 0 : Math.abs(r[1]) < 0.6 ? 1 : 2
    const axis: Vec3 = [0, 0, 0]
    axis[least] = 1
    const u = cross(r, axis)
    const v = cross(r, u)
    const plane = planes[0]
    const n = 4 * facets[first[plane]]
    const margin = MARGIN * diagonal
    const sign = normals[n] * r[0] + normals[n + 1] * r[1] + normals[n + 2] * r[2] < 0 ? -1 : 1
    for (let c = 0; c < 3; c++) {
      beams[o + c] = sign * normals[n + c]
      beams[o + 4 + c] = u[c]
      beams[o + 9 + c] = v[c]
    }
    beams[o + 3] = sign * normals[n + 3] + margin
    for (const at of [o + 4, o + 9]) {
      let low = Infinity
      let high = -Infinity
      for (let i = first[plane]; i < first[plane + 1]; i++)
        for (let a = 9 * facets[i]; a < 9 * facets[i] + 9; a += 3) {
          const x =
            beams[at] * vertices[a] + beams[at + 1] * vertices[a + 1] + beams[at + 2] * vertices[a + 2]
          low = Math.min(low, x)
          high = Math.max(high, x)
        }
      beams[at + 3] = low - margin
      beams[at + 4] = high + margin
    }
  }

  /** Whether a part of edge e may lie in the beam of wave w, one of at least one reflection. */
  mayLight({ edges }: EdgeScene, e: number, w: number): boolean {
    const { beams: b } = this
    const o = SIZE * w
    const p = EDGE_SIZE * e
    const ax = edges[p]
    const ay = edges[p + 1]
    const az = edges[p + 2]
    const dx = edges[p + 6] * edges[p + 3]
    const dy = edges[p + 6] * edges[p + 4]
    const dz = edges[p + 6] * edges[p + 5]
    // The plane lies ahead, seen towards the light.
    const n = b[o] * ax + b[o + 1] * ay + b[o + 2] * az
    if (n > b[o + 3] && n + b[o] * dx + b[o + 1] * dy + b[o + 2] * dz > b[o + 3]) return false
    const u = b[o + 4] * ax + b[o + 5] * ay + b[o + 6] * az
    const du = b[o + 4] * dx + b[o + 5] * dy + b[o + 6] * dz
    if (u < b[o + 7] ? u + du < b[o + 7] : u > b[o + 8] && u + du > b[o + 8]) return false
    const v = b[o + 9] * ax + b[o + 10] * ay + b[o + 11] * az
    const dv = b[o + 9] * dx + b[o + 10] * dy + b[o + 11] * dz
    return !(v < b[o + 12] ? v + dv < b[o + 12] : v > b[o + 13] && v + dv > b[o + 13])
  }
}
