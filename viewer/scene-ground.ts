import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshBasicMaterial, PlaneGeometry } from 'three'
import type { Direction } from '../scene/index.js'
import type { TargetData } from './data.js'

const EARTH = 0xb9a88c
const SHADOW = 0x5d5546
/** Margin of the drawn part of the ground, in radii of the target. */
const MARGIN = 0.4

/** The ground z = height under a target, about the target and its shadow, and the shadow that the radar's wave leaves on it. */
export function groundAndShadow(
  { positions, triangles }: TargetData,
  height: number,
  aspect: Direction | null,
  radius: number,
): Mesh[] {
  const [x, y, z] = aspect?.r ?? [0, 0, 1]
  const fallen = Float32Array.from(positions)
  const low = [Infinity, Infinity]
  const high = [-Infinity, -Infinity]
  for (let i = 0; i < positions.length; i += 3) {
    const t = (positions[i + 2] - height) / z
    fallen[i] -= t * x
    fallen[i + 1] -= t * y
    fallen[i + 2] = height
    for (let c = 0; c < 2; c++) {
      low[c] = Math.min(low[c], fallen[i + c], positions[i + c])
      high[c] = Math.max(high[c], fallen[i + c], positions[i + c])
    }
  }
  const [width, depth] = [0, 1].map((c) => high[c] - low[c] + 2 * MARGIN * radius)
  // Drawn a little behind its depth, and the shadow before it: both lie in one plane.
  const flat = (colour: number, units: number): MeshBasicMaterial =>
    new MeshBasicMaterial({
      color: colour,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: units,
      polygonOffsetUnits: units,
    })
  const plane = new Mesh(new PlaneGeometry(width, depth), flat(EARTH, 2))
  plane.position.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, height)
  if (!aspect) return [plane]
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(fallen, 3))
  geometry.setIndex(new BufferAttribute(triangles, 1))
  return [plane, new Mesh(geometry, flat(SHADOW, 1))]
}
