import {
  ArrowHelper,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  type DataTexture,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  PlaneGeometry,
  Points,
  PointsMaterial,
  ShaderMaterial,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
  type Texture,
  Vector3,
} from 'three'
import { LineMaterial } from 'three/addons/lines/LineMaterial.js'
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js'
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js'
import type { Direction } from '../../scene/index.js'
import type { TargetData } from './data.js'
import { coloursOf, type Scale, shown } from '../figures/index.js'
import { element, pictureOf } from './dom.js'

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

/** Colouring of a facet: none, the ISAR image projected onto it, or by facet: where it is lit, or everywhere. */
export type Colouring = 'plain' | 'image' | 'field' | 'material'

const VERTEX = `
  attribute vec3 tint;
  attribute float lit;
  attribute float mark;
  varying vec3 vNormal;
  varying vec3 vView;
  varying vec3 vTint;
  varying vec2 vUv;
  varying float vLit;
  varying float vMark;
  void main() {
    vec4 view = modelViewMatrix * vec4(position, 1.0);
    vNormal = normalMatrix * normal;
    vView = -view.xyz;
    vTint = tint;
    vUv = uv;
    vLit = lit;
    vMark = mark;
    gl_Position = projectionMatrix * view;
  }
`

const FRAGMENT = `
  uniform sampler2D picture;
  uniform int colouring;
  uniform float opacity;
  uniform float marks;
  varying vec3 vNormal;
  varying vec3 vView;
  varying vec3 vTint;
  varying vec2 vUv;
  varying float vLit;
  varying float vMark;
  void main() {
    vec3 base = vec3(0.62, 0.66, 0.7);
    bool inside = all(greaterThanEqual(vUv, vec2(0.0))) && all(lessThanEqual(vUv, vec2(1.0)));
    if (colouring == 1 && vLit > 0.5 && inside) base = texture2D(picture, vUv).rgb;
    if (colouring == 2 && vLit > 0.5) base = vTint;
    if (colouring == 3) base = vTint;
    if ((colouring == 1 || colouring == 2) && vLit < 0.5) base *= 0.55;
    base = mix(base, vec3(0.23, 0.82, 1.0), 0.9 * vMark * marks);
    float facing = abs(dot(normalize(vNormal), normalize(vView)));
    gl_FragColor = vec4(base * (0.35 + 0.65 * facing), opacity);
  }
`

/** The facets of a target with their colours; vertices are not shared, so that each facet is coloured separately. */
export class TargetMesh {
  readonly geometry = new BufferGeometry()
  readonly material: ShaderMaterial
  readonly facets: number

  constructor({ positions, triangles }: Pick<TargetData, 'positions' | 'triangles'>) {
    this.facets = triangles.length / 3
    const corners = new Float32Array(9 * this.facets)
    for (let i = 0; i < triangles.length; i++)
      corners.set(positions.subarray(3 * triangles[i], 3 * triangles[i] + 3), 3 * i)
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3))
    this.geometry.computeVertexNormals()
    this.geometry.setAttribute('uv', new BufferAttribute(new Float32Array(6 * this.facets), 2))
    this.geometry.setAttribute('tint', new BufferAttribute(new Float32Array(9 * this.facets), 3))
    this.geometry.setAttribute('lit', new BufferAttribute(new Float32Array(3 * this.facets), 1))
    this.geometry.setAttribute('mark', new BufferAttribute(new Float32Array(3 * this.facets), 1))
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        picture: { value: null },
        colouring: { value: 0 },
        opacity: { value: 1 },
        marks: { value: 1 },
      },
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    })
  }

  /** Moves the corners: 9 numbers a facet [m]. */
  move(write: (corners: Float32Array) => void): void {
    const { position } = this.geometry.attributes
    write(position.array as Float32Array)
    position.needsUpdate = true
    this.geometry.computeVertexNormals()
  }

  colour(colouring: Colouring): void {
    this.material.uniforms.colouring.value = { plain: 0, image: 1, field: 2, material: 3 }[colouring]
  }

  /** Shows or hides which facets are marked. */
  showMarks(on: boolean): void {
    this.material.uniforms.marks.value = on ? 1 : 0
  }

  /** Makes the facets translucent, for walls. */
  makeTranslucent(opacity: number): void {
    this.material.uniforms.opacity.value = opacity
    this.material.transparent = true
    this.material.depthWrite = false
  }

  setPicture(picture: DataTexture): void {
    this.material.uniforms.picture.value = picture
  }

  /** Texture coordinates of every corner, 0 to 1 along cross-range and range. */
  setPictureCoordinates(of: (corner: ArrayLike<number>, at: number) => [number, number]): void {
    const corners = this.geometry.attributes.position.array
    const uv = this.geometry.attributes.uv as BufferAttribute
    for (let i = 0; i < 3 * this.facets; i++) uv.setXY(i, ...of(corners, 3 * i))
    uv.needsUpdate = true
  }

  /** One number, 0 or 1, a facet. */
  setFlags(name: 'lit' | 'mark', of: (facet: number) => boolean): void {
    const flags = this.geometry.attributes[name] as BufferAttribute
    for (let t = 0; t < this.facets; t++) for (let i = 0; i < 3; i++) flags.setX(3 * t + i, of(t) ? 1 : 0)
    flags.needsUpdate = true
  }

  /** Colours r g b, 0 to 255 each, of every facet. */
  setTints(tints: Uint8Array): void {
    const tint = this.geometry.attributes.tint as BufferAttribute
    for (let t = 0; t < this.facets; t++)
      for (let i = 0; i < 3; i++)
        tint.setXYZ(3 * t + i, tints[3 * t] / 255, tints[3 * t + 1] / 255, tints[3 * t + 2] / 255)
    tint.needsUpdate = true
  }
}

/** A colour bar on the page, lying: of levels in a view that is no figure. */
export class ColourScale {
  private readonly box = element('div', '', { class: 'colour-scale' })

  constructor(host: HTMLElement) {
    this.box.hidden = true
    host.append(this.box)
  }

  /** @param of  null: nothing is coloured by levels */
  show(of: Scale | null): void {
    this.box.hidden = of === null
    if (!of) return
    const table = coloursOf(of.colours)
    const ramp = new Uint8ClampedArray(4 * 256)
    for (let i = 0; i < 256; i++) ramp.set([...table.subarray(3 * i, 3 * i + 3), 255], 4 * i)
    const bar = element('img', '', { class: 'ramp', alt: 'to', src: pictureOf(ramp, 256) })
    this.box.replaceChildren(shown(of.low, 0), bar, `${shown(of.high, 0)} ${of.unit}`)
  }
}
