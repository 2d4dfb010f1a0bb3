import { instantiate } from '../parallel/webassembly.js'
import { casterWasm } from './caster-wasm.gen.js'
import type { RayScene } from './ray-scene.js'

/** What a module with the caster takes a scene by (rays/wasm/caster.ts). Addresses are in bytes. */
export interface SceneFunctions {
  placeScene(
    nodes: number,
    root: number,
    planes: number,
    order: number,
    stack: number,
    diagonal: number,
  ): void
  placeRopes(nodes: number, ropes: number): void
}

/** What the module exports (rays/wasm). */
interface CasterFunctions extends SceneFunctions {
  start(): number
  nearest(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    skip: number,
    limit: number,
    out: number,
  ): number
  occluded(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): number
}

/** A thread's module for a scene, with a copy of it in a memory of its own, and where `nearest` writes. */
interface SceneModule {
  run: CasterFunctions
  at: number
  hit: Float64Array
}

/** The module's own data lie below its first free address, and that below this. */
const STATICS = 4096
const HIT_BYTES = 16

/** By the planes of the scene, which casters with another tolerance replace, and its ropes. */
const modules = new WeakMap<Float64Array, Map<Uint32Array | undefined, SceneModule>>()

function moduleOf(scene: RayScene): SceneModule {
  let ofPlanes = modules.get(scene.planes)
  if (!ofPlanes) modules.set(scene.planes, (ofPlanes = new Map<Uint32Array | undefined, SceneModule>()))
  let module = ofPlanes.get(scene.ropes)
  if (!module) ofPlanes.set(scene.ropes, (module = makeModule(scene)))
  return module
}

function makeModule(scene: RayScene): SceneModule {
  const { run, memory } = instantiate<CasterFunctions>({
    code: casterWasm,
    what: 'rays',
    bytes: STATICS + HIT_BYTES + sceneBytes(scene),
    lower: 'threads or facets',
  })
  const at = aligned(run.start())
  placeScene(scene, memory, at + HIT_BYTES, run)
  return { run, at, hit: new Float64Array(memory, at, 2) }
}

const aligned = (bytes: number): number => 16 * Math.ceil(bytes / 16)

/** Bytes that `placeScene` takes. */
export function sceneBytes({ quads, planes, order, depth, ropes, nodes }: RayScene): number {
  const tree = aligned(quads.nodes.byteLength) + stackBytes(depth)
  const walked = ropes ? aligned(ropes.byteLength) + aligned(nodes.byteLength) : 0
  return tree + planes.byteLength + aligned(order.byteLength) + walked
}

/** The entries of a node at hand, and up to three children of each level that wait. */
const stackBytes = (depth: number): number => 16 + 8 * aligned(3 * depth)

/**
 * Copies a scene into a module's memory, from an address on.
 * @param run  of the module
 */
export function placeScene(scene: RayScene, memory: ArrayBuffer, from: number, run: SceneFunctions): void {
  const { quads, planes, order, depth, diagonal, ropes, nodes } = scene
  let free = from
  const put = (values: Float64Array | Float32Array | Uint32Array): number => {
    const at = free
    new Uint8Array(memory, at, values.byteLength).set(
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    )
    free = aligned(at + values.byteLength)
    return at
  }
  const stack = free
  free += stackBytes(depth)
  run.placeScene(put(quads.nodes), quads.root, put(planes), put(order), stack, diagonal)
  if (ropes) run.placeRopes(put(nodes), put(ropes))
}

/**
 * Nearest-hit and any-hit ray queries in double precision: ordered traversal of the BVH (rays/wasm/caster.ts), or along the ropes of a scene
 * that has them. The result of the last `nearest` stays in `t` and `facet`.
 */
export class RayCaster {
  /** Distance along the (unit) ray to the last hit [m]. */
  t = NaN
  /** Facet of the last hit, or -1. */
  facet = -1
  private readonly run: CasterFunctions
  private readonly at: number
  private readonly hit: Float64Array

  /** @throws InputError where there is no memory for the scene */
  constructor(scene: RayScene) {
    const { run, at, hit } = moduleOf(scene)
    this.run = run
    this.at = at
    this.hit = hit
  }

  /**
   * Nearest facet in front of the origin along a unit direction, either side; facet `skip` is passed by (-1: none).
   * Of facets at the same distance the lower number wins, whatever the order of traversal.
   * @param limit  facets beyond this distance are passed by too [m]
   */
  nearest(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    skip: number,
    limit = Infinity,
  ): boolean {
    const { hit } = this
    const met = this.run.nearest(ox, oy, oz, dx, dy, dz, skip, limit, this.at)
    this.t = hit[0]
    this.facet = hit[1]
    return met !== 0
  }

  /** Whether anything but facet `skip` lies in front of the origin. */
  occluded(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    return this.run.occluded(ox, oy, oz, dx, dy, dz, skip) !== 0
  }
}

/** Whether a point of the plane of the facet that `facetPlanes` put at p lies in the facet, or in the rim it was enlarged by. */
export function insideFacet(planes: Float64Array, p: number, x: number, y: number, z: number): boolean {
  const u = planes[p + 4] * x + planes[p + 5] * y + planes[p + 6] * z + planes[p + 7]
  if (u < 0) return false
  const v = planes[p + 8] * x + planes[p + 9] * y + planes[p + 10] * z + planes[p + 11]
  return !(v < 0 || u + v > 1)
}

/**
 * Distance along a unit ray to the facet that `facetPlanes` put at p, or to the rim it was enlarged by [m]; -1 where the ray meets
 * neither within 0 < t <= limit. @param cosine  of the ray with the facet's normal; NaN: no hit
 */
export function facetDistance(
  planes: Float64Array,
  p: number,
  cosine: number,
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  limit: number,
): number {
  const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
  if (!(t > 0 && t <= limit)) return -1
  return insideFacet(planes, p, ox + t * dx, oy + t * dy, oz + t * dz) ? t : -1
}
