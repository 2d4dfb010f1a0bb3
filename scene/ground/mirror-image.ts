import { InputError } from '../errors.js'
import { materialNamed, NO_LIBRARY } from '../materials/library.js'
import type { Mesh } from '../mesh.js'
import { prepareTarget, type Target } from '../target.js'
import { dropUnusedVertices } from '../repair.js'
import type { Ground, SurfaceModel } from './ground.js'

/** Vertices within this part of the box's diagonal of the ground lie on it: as near as others are welded. */
const ON_GROUND = 1e-6

/**
 * The mesh with its mirror image at the plane z = height, facets of the image after those of the mesh, oriented outwards where these are. Vertices
 * on the plane are shared; facets that lie on it are left out of both: they neither radiate nor hide the image.
 *
 * @param diagonal  of the mesh's box [m]
 * @throws InputError for a mesh that reaches below the plane, or lies on it
 */
export function withMirrorImage(mesh: Mesh, height: number, diagonal: number): Mesh {
  const { positions: p, triangles, facetGroup } = mesh
  const vertices = p.length / 3
  const tolerance = ON_GROUND * diagonal
  let lowest = Infinity
  for (let v = 0; v < triangles.length; v++) lowest = Math.min(lowest, p[3 * triangles[v] + 2])
  if (lowest < height - tolerance)
    throw new InputError(
      `the target reaches ${Number((height - lowest).toPrecision(4))} m below the ground at z = ${height} m: take a ground height of ${lowest} or less, or raise the mesh`,
    )
  const isOn = Uint8Array.from({ length: vertices }, (_, v) => (p[3 * v + 2] <= height + tolerance ? 1 : 0))
  const kept: number[] = []
  for (let t = 0; t < triangles.length / 3; t++)
    if (!isOn[triangles[3 * t]] || !isOn[triangles[3 * t + 1]] || !isOn[triangles[3 * t + 2]]) kept.push(t)
  if (kept.length === 0)
    throw new InputError(`all facets lie on the ground at z = ${height} m: nothing of the target is above it`)
  const positions = new Float64Array(2 * p.length)
  positions.set(p)
  for (let v = 0; v < vertices; v++) {
    if (isOn[v]) positions[3 * v + 2] = height
    positions[3 * (vertices + v)] = p[3 * v]
    positions[3 * (vertices + v) + 1] = p[3 * v + 1]
    positions[3 * (vertices + v) + 2] = 2 * height - p[3 * v + 2]
  }
  const doubled = new Uint32Array(6 * kept.length)
  const image = (v: number): number => (isOn[v] ? v : vertices + v)
  kept.forEach((t, i) => {
    const to = 3 * (kept.length + i)
    for (let c = 0; c < 3; c++) doubled[3 * i + c] = triangles[3 * t + c]
    doubled[to] = image(triangles[3 * t])
    doubled[to + 1] = image(triangles[3 * t + 2])
    doubled[to + 2] = image(triangles[3 * t + 1])
  })
  return {
    ...mesh,
    positions,
    triangles: doubled,
    ...(facetGroup && {
      facetGroup: Uint32Array.from([...kept, ...kept], (t) => facetGroup[t]),
    }),
  }
}

/** 1 for each facet of the mirror image: those of the mesh `withMirrorImage` that lie below the plane. */
export function facetsBelow({ positions: p, triangles }: Mesh, height: number): Uint8Array {
  const z = (i: number): number => p[3 * triangles[i] + 2]
  return Uint8Array.from({ length: triangles.length / 3 }, (_, t) =>
    z(3 * t) + z(3 * t + 1) + z(3 * t + 2) < 3 * height ? 1 : 0,
  )
}

/** Of a mesh with its mirror image the facets above the ground, and so all of a mesh without a ground. */
export function withoutImage(mesh: Mesh & { facetMaterial?: Uint8Array }): typeof mesh {
  const { positions, triangles, rounding, ground, facetMaterial, facetGroup, groupNames } = mesh
  if (!ground) return mesh
  const below = facetsBelow(mesh, ground.height)
  const own = triangles.filter((_, i) => below[Math.floor(i / 3)] === 0)
  return {
    ...dropUnusedVertices({ positions, triangles: own, rounding }),
    ...(facetMaterial && { facetMaterial: facetMaterial.filter((_, t) => below[t] === 0) }),
    ...(facetGroup && { facetGroup: facetGroup.filter((_, t) => below[t] === 0), groupNames }),
  }
}

/** What a surface is a plane of: its material and rms height. */
export type SurfacePlane = Pick<Ground, 'material' | 'roughness'>

/**
 * Significant heights of the waves at sea states 0, 1, ... 6 [m]: the middles of their ranges in the Douglas scale, World Meteorological
 * Organization, Manual on Codes, code table 3700.
 */
const SIGNIFICANT_HEIGHTS = [0, 0.05, 0.3, 0.875, 1.875, 3.25, 5]

/** rms height of the sea [m], a quarter of the significant height (M. S. Longuet-Higgins, J. Marine Res. 11, 1952); between whole states linear. */
export function seaRmsHeight(seaState: number): number {
  const from = Math.min(Math.floor(seaState), SIGNIFICANT_HEIGHTS.length - 2)
  const [low, high] = SIGNIFICANT_HEIGHTS.slice(from, from + 2)
  return (low + (seaState - from) * (high - low)) / 4
}

/** The plane whose coherent reflection goes with a surface's clutter; null for a model that has no permittivity. */
export function surfacePlane(surface: SurfaceModel): SurfacePlane | null {
  if (surface.model === 'gamma') return null
  if (surface.model === 'sea')
    return {
      material: materialNamed('sea-water', NO_LIBRARY, 'ground'),
      roughness: seaRmsHeight(surface.seaState),
    }
  const { epsReal, epsImag, rmsHeightM } = surface
  const backing = { name: 'soil', eps: [epsReal, 0 - epsImag] as [number, number], mu: [1, 0] as [number, number], conductivity: 0 } // prettier-ignore
  return {
    material: { name: 'soil', kind: 'opaque', stack: [], backing, facet: 'outer', sides: 'both' },
    roughness: rmsHeightM,
  }
}

/** The prepared target with its mirror image at its ground; the report stays that of its own mesh. @throws InputError from `withMirrorImage` */
export const overGround = (own: Target, smoothAngleDeg: number): Target => ({
  ...prepareTarget(withMirrorImage(own, own.ground!.height, own.diagonal), { smoothAngleDeg }),
  report: own.report,
})
