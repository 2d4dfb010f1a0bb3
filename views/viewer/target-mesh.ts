import { BufferAttribute, BufferGeometry, type DataTexture, DoubleSide, ShaderMaterial } from 'three'
import { coloursOf, type Scale, shown } from '../figures/index.js'
import type { TargetData } from './data.js'
import { element, pictureOf } from './dom.js'

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
