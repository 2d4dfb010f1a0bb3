import { DOUBLE_OFFSET, fitAperture, RayCaster, type RayScene, TILE } from '../rays/index.js'
import type { Aspect } from '../scene/index.js'

/** Rays along a side of each lattice, and aspects that are sampled: a few milliseconds. */
const SIDE = 16
const ASPECTS = 5

/**
 * Facets that a ray which meets the target meets on its way, on average: what makes rays of one target cost several times those of
 * another of its size. Cast on the calling thread, a coarse lattice at some of the aspects.
 */
export function meanBounces(scene: RayScene, aspects: Aspect[], maxBounces: number): number {
  const caster = new RayCaster(scene)
  const count = Math.min(ASPECTS, aspects.length)
  const total = { rays: 0, hits: 0 }
  for (let i = 0; i < count; i++) {
    const { tx } = aspects[Math.floor(((i + 0.5) / count) * aspects.length)]
    const { base, d, u, v, h, offset, tileI0, tileJ0, tilesI, tilesJ } = fitAperture(
      scene,
      tx,
      scene.diagonal / (TILE * SIDE),
    )
    for (let n = 0; n < SIDE * SIDE; n++) {
      const a = (TILE * (tileI0 + tilesI * (((n % SIDE) + 0.5) / SIDE)) + offset[0]) * h
      const b = (TILE * (tileJ0 + tilesJ * ((Math.floor(n / SIDE) + 0.5) / SIDE)) + offset[1]) * h
      const launch = base.map((x, c) => x + a * u[c] + b * v[c])
      const hits = bouncesOf(scene, caster, launch, d, maxBounces)
      total.hits += hits
      if (hits > 0) total.rays++
    }
  }
  return total.rays > 0 ? total.hits / total.rays : 1
}

/** Facets that a ray meets by specular reflection. */
function bouncesOf(
  scene: RayScene,
  caster: RayCaster,
  from: number[],
  along: number[],
  most: number,
): number {
  const { normals, diagonal } = scene
  let [x, y, z] = from
  let [dx, dy, dz] = along
  for (let bounce = 0; bounce < most; bounce++) {
    if (!caster.nearest(x, y, z, dx, dy, dz, bounce === 0 ? -1 : caster.facet)) return bounce
    const at = 4 * caster.facet
    const [nx, ny, nz] = [normals[at], normals[at + 1], normals[at + 2]]
    const cosine = nx * dx + ny * dy + nz * dz
    const lift = (cosine > 0 ? -1 : 1) * DOUBLE_OFFSET * diagonal
    x += caster.t * dx + lift * nx
    y += caster.t * dy + lift * ny
    z += caster.t * dz + lift * nz
    dx -= 2 * cosine * nx
    dy -= 2 * cosine * ny
    dz -= 2 * cosine * nz
  }
  return most
}
