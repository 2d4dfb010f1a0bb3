import { placeScene, type RayScene, sceneBytes } from '../../rays/index.js'
import type { Vec3 } from '../../scene/index.js'
import type { EdgeModule } from '../currents/edge-module.js'
import { conducts } from '../geometry/edge-scene.js'
import { MAX_REFLECTIONS, MOST_HALVES, MOST_RAYS } from '../wasm/constants.js'

/** Numbers of a lit edge, for the module (cpu-diffraction/wasm/reflected.ts). */
const EDGE_NUMBERS = 41
/** Numbers of 8 bytes that all fans take (cpu-diffraction/wasm/ray-fan.ts). */
const FAN_NUMBERS = (MOST_HALVES + 2) * (2 + 2 * MOST_RAYS * (2 + 8 + MAX_REFLECTIONS))

/** An edge lit by a wave, and who sees what it does. */
export interface FanEdge {
  /** Start, a little off the faces, and unit tangent; start on the edge itself. Relative to the scene's origin [m]. */
  start: Vec3
  tangent: Vec3
  edgeStart: Vec3
  /** Frame of its first face, at a position of an array. */
  frame: Float64Array
  at: number
  /** The wedge takes the angle N pi. */
  N: number
  /** Of the Keller cone: its rays run along sinBeta (cos a x + sin a y) + cosBeta z of the frame at the azimuth a. */
  sinBeta: number
  cosBeta: number
  /** Azimuth of the light [rad]. */
  phi0: number
  /** Direction and polarisations of the receiver. */
  receiver: { r: Vec3; thetaHat: Vec3; phiHat: Vec3 }
  /** E_z and Z H_z at the edge for both transmit polarisations [1]; 1/2 where what comes along a face is incident and reflected wave in one. */
  ez: readonly number[]
  hz: readonly number[]
  hard: number
  /** Direction to where the light comes from, and its phase path at the scene's origin [m]. */
  light: Vec3
  path: number
  /**
   * What the way along a face is longer by than the direct one, where light comes over it, by the distance from the edge's start [m]; null
   * where none does.
   */
  late: ((middle: number) => number) | null
}

const halved = (count: number): number => 2 * Math.ceil(count / 2)

/** Numbers of 8 bytes that a tracer takes of its module's memory. */
export const fanRoom = (rays: RayScene): number =>
  EDGE_NUMBERS +
  1 +
  FAN_NUMBERS +
  // Azimuths, steps, turns and distances of first rays, whether they reach anything, and nodes to be looked at.
  Math.ceil(3.25 * MOST_RAYS) +
  2 * (rays.depth + 2) +
  halved(Math.ceil(sceneBytes(rays) / 8)) +
  // Normals with the plane of a ground, corners, planes' numbers, what conducts.
  halved(rays.normals.length) +
  halved(9 * rays.count) +
  2 * halved(rays.count)

/**
 * Traces fans of diffracted rays from the edges in WebAssembly (cpu-diffraction/wasm/ray-fan.ts), and adds what the faces that they meet
 * radiate (cpu-diffraction/wasm/reflected.ts). One object per module.
 */
export class FanTracer {
  private readonly edge: Float64Array
  private readonly edgeAt: number

  /**
   * @param module   with room for `fanRoom` doubles
   * @param planes   see `facetPlaneNumbers`
   * @param shortest, longest  wavelengths [m]: rays lie as close as the shortest needs, and go as far as the penumbras of the longest
   * @param numbers, sum  addresses of a footprint's numbers, and of its amplitudes (`EdgeField`)
   */
  constructor(
    private readonly module: EdgeModule,
    rays: RayScene,
    planes: Int32Array,
    [shortest, longest]: [shortest: number, longest: number],
    [numbers, sum]: [numbers: number, sum: number],
  ) {
    const { run } = module
    this.edgeAt = module.reserve(EDGE_NUMBERS)
    this.edge = module.view(this.edgeAt, EDGE_NUMBERS)
    placeScene(rays, module.buffer, module.reserve(Math.ceil(sceneBytes(rays) / 8)), run)
    const integers = (values: ArrayLike<number>): number => {
      const at = module.reserve(Math.ceil(values.length / 2))
      new Int32Array(module.buffer, at, values.length).set(values)
      return at
    }
    const azimuths = module.reserve(2.125 * MOST_RAYS)
    const waiting = module.reserve(Math.ceil(1.125 * MOST_RAYS) + 2 * (rays.depth + 2))
    run.placeReach(module.put(rays.vertices), azimuths, waiting)
    run.placeReflected(module.put(rays.normals), shortest, longest, numbers, sum)
    const of = rays.materials
      ? integers(Array.from(rays.vertices.subarray(0, rays.count), (_, f) => (conducts(rays, f) ? 1 : 0)))
      : 0
    run.placeFans(integers(planes), of, rays.extent, rays.size, azimuths, module.reserve(FAN_NUMBERS))
  }

  /** Takes an edge. */
  aim(edge: FanEdge): void {
    const { start, tangent, edgeStart, frame, at, N, sinBeta, cosBeta, phi0, receiver } = edge
    const { ez, hz, hard, light, path, late } = edge
    const { module } = this
    const { r, thetaHat, phiHat } = receiver
    this.edge.set([...start, ...tangent, ...frame.subarray(at, at + 9), N, sinBeta, cosBeta, phi0])
    this.edge.set(
      [...r, ...thetaHat, ...phiHat, ...ez, ...hz, hard, ...light, path, late ? 1 : 0, ...edgeStart],
      19,
    )
    if (late) module.calls.lateAt = late
    module.run.aimFans(this.edgeAt)
  }

  /** Adds what the edge's fans between two places (from its start [m]) meet and the receiver sees. */
  trace(from: number, to: number): void {
    this.module.run.traceFans(from, to)
  }
}
