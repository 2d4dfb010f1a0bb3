import {
  ArrowHelper,
  BufferGeometry,
  CanvasTexture,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  type Mesh,
  type Object3D,
  Points,
  PointsMaterial,
  Sprite,
  type Texture,
  SRGBColorSpace,
  SpriteMaterial,
  Vector3,
} from 'three'
import { LineMaterial } from 'three/addons/lines/LineMaterial.js'
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js'
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js'
import type { Direction } from '../../scene/index.js'

/** Lines between ends, 6 numbers each [m]. */
export function segments(ends: ArrayLike<number>, colour: number, opacity = 1): LineSegments {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute(Array.from(ends), 3))
  return new LineSegments(
    geometry,
    new LineBasicMaterial({ color: colour, opacity, transparent: opacity < 1 }),
  )
}

/** Lines of so many pixels between ends, 6 numbers each [m], drawn also where they are occluded. */
export function bold(ends: Float64Array, colour: number, pixels: number): LineSegments2 {
  const geometry = new LineSegmentsGeometry().setPositions(Float32Array.from(ends))
  const material = new LineMaterial({ color: colour, linewidth: pixels, depthTest: false, transparent: true })
  return new LineSegments2(geometry, material)
}

/** Empties a group and releases its GPU resources. */
export function empty(group: Group): void {
  group.traverse((of) => {
    const { geometry, material } = of as Partial<Mesh<BufferGeometry, Material & { map?: Texture }>>
    geometry?.dispose()
    material?.map?.dispose()
    material?.dispose()
  })
  group.clear()
}

/** Points of so many pixels. */
export function dots(points: ArrayLike<number>, colour: number, size = 4): Points {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute(Array.from(points), 3))
  return new Points(geometry, new PointsMaterial({ color: colour, size, sizeAttenuation: false }))
}

/** Arrow along the incident wave, in front of the target. @param reach  of the target towards the radar, from its centre [m] */
export function radarArrow(aspect: Direction, centre: Vector3, radius: number, reach: number): Object3D[] {
  const r = new Vector3(...aspect.r)
  const tail = reach + 0.36 * radius
  const from = centre.clone().addScaledVector(r, tail)
  const arrow = new ArrowHelper(r.clone().negate(), from, 0.3 * radius, 0xe0342b, 0.1 * radius, 0.06 * radius)
  const name = label('radar', '#e0342b', radius)
  name.position.copy(centre).addScaledVector(r, tail + 0.09 * radius)
  return [arrow, name]
}

/** The lower corner of a bounding sphere. */
export const cornerOf = (centre: Vector3, radius: number): Vector3 =>
  centre.clone().addScaledVector(new Vector3(-1, -1, -1).normalize(), 0.95 * radius)

/** The axes at an origin, of the size for a bounding sphere of this radius. */
export function triad(origin: Vector3, radius: number): Group {
  const group = new Group()
  const axes: [string, Vector3, number][] = [
    ['x', new Vector3(1, 0, 0), 0xd1495b],
    ['y', new Vector3(0, 1, 0), 0x2e9e5b],
    ['z', new Vector3(0, 0, 1), 0x3a7bd5],
  ]
  for (const [name, along, colour] of axes) {
    const arrow = new ArrowHelper(along, origin, 0.25 * radius, colour, 0.06 * radius, 0.035 * radius)
    // Through the target, as their letters: behind a cube they would not be seen.
    for (const part of [arrow.line, arrow.cone]) {
      ;(part.material as Material).depthTest = false
      part.renderOrder = 1
    }
    group.add(arrow)
    const text = label(name, `#${colour.toString(16)}`, radius)
    text.position.copy(origin).addScaledVector(along, 0.31 * radius)
    group.add(text)
  }
  return group
}

/** A label that always faces the camera, 0.3 by 0.15 radii large. */
export function label(name: string, colour: string, radius: number): Sprite {
  const canvas = document.createElement('canvas')
  canvas.width = 128
  canvas.height = 64
  const context = canvas.getContext('2d')!
  context.font = '600 34px Inter, sans-serif'
  context.fillStyle = colour
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(name, 64, 32)
  const map = new CanvasTexture(canvas)
  map.colorSpace = SRGBColorSpace
  const sprite = new Sprite(new SpriteMaterial({ map, depthTest: false }))
  sprite.scale.set(0.3 * radius, 0.15 * radius, 1)
  return sprite
}
