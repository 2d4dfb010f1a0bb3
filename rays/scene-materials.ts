import { facetsBelow, type Ground, isMirror } from '../scene/ground/index.js'
import type { Material } from '../scene/materials/material.js'
import type { Target } from '../scene/target.js'
import { share, shared } from '../parallel/shared-memory.js'
import type { Vec3 } from '../scene/direction.js'

/** What facets are made of. */
export interface SceneMaterials {
  list: Material[]
  /** Number in `list` of each facet. */
  of: Uint8Array
  /** Whether waves pass through facets of each material of `list`, and whether through any. */
  isSheet: boolean[]
  sheets: boolean
  /** A ground whose mirror image of the target sees waves changed (`crossing`); absent without one, and where it is a mirror. */
  ground?: SceneGround
}

/** The ground in a scene that holds the target's mirror image; its plane has the number T. */
export interface SceneGround {
  ground: Ground
  /** 1 for each facet of the mirror image. */
  below: Uint8Array
}

export function sceneMaterials(
  { materials: list, facetMaterial, areas }: Target,
  ground: SceneGround | undefined,
): SceneMaterials {
  const isSheet = list.map(({ kind }) => kind === 'sheet')
  const of = share(facetMaterial ?? new Uint8Array(areas.length))
  return { list, of, isSheet, sheets: isSheet.includes(true), ...(ground && { ground }) }
}

/** The ground of a target whose mirror image is part of it; undefined without one, and where it is a mirror. */
export function groundOf(target: Target): SceneGround | undefined {
  const { ground } = target
  if (!ground || isMirror(ground)) return undefined
  return { ground, below: share(facetsBelow(target, ground.height)) }
}

/** The facets' planes and the ground's. */
export function withPlane(
  { origin, count, normals }: { origin: Vec3; count: number; normals: Float64Array },
  height: number,
): Float64Array {
  const out = shared(Float64Array, 4 * (count + 1))
  out.set(normals)
  out.set([0, 0, 1, height - origin[2]], 4 * count)
  return out
}

/** Surfaces that end at the ground: waves of both sides differ. */
export const apart = (surface: Uint32Array, count: number, below: Uint8Array): Uint32Array =>
  surface.map((s, t) => s + count * below[t])
