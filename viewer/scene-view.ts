import {
  ArrowHelper,
  BufferGeometry,
  CanvasTexture,
  Color,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  type Object3D,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  Sphere,
  Sprite,
  SRGBColorSpace,
  SpriteMaterial,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import type { Direction, Vec3 } from '../scene/index.js'
import type { TargetData } from './data.js'
import { TargetMesh } from './target-mesh.js'

const EDGE = 0x1e88e5
/** Colours of rays by the number of bounces: 1, 2, 3 and more. */
const RAYS = [0x2e9e5b, 0xd81b60, 0x8e44ad]
const MARKED_EDGE = 0xff6b0d

/** How far off the z axis the eye stays [radians]: less than is shown. */
const NEAR_AXIS = 2e-5

/** One ray for the picture: points [m], from where it comes in to where it leaves. */
export interface DrawnRay {
  points: number[][]
  bounces: number
}

/** The target in three dimensions, turned with mouse, touch or arrow keys. */
export class SceneView {
  readonly mesh: TargetMesh
  private readonly renderer: WebGLRenderer
  private readonly scene = new Scene()
  private readonly camera = new PerspectiveCamera(30, 1, 0.01, 1000)
  private readonly controls: OrbitControls
  private readonly sphere: Sphere
  private readonly edges = new Group()
  private readonly marked = new Group()
  private readonly rays = new Group()
  private queued = false
  private held = false
  /** Told when the target is seen from elsewhere, or from nearer or farther. */
  onTurn: (() => void) | null = null

  /** @param host  takes the canvas @param aspect  of the radar, drawn as an arrow; none where there are many */
  constructor(
    private readonly host: HTMLElement,
    target: TargetData,
    private readonly aspect: Direction | null,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
    const canvas = this.renderer.domElement
    canvas.tabIndex = 0
    canvas.setAttribute('role', 'application')
    canvas.setAttribute(
      'aria-label',
      'Target in three dimensions: arrow keys turn it, plus and minus zoom, R looks from the radar, I as the image lies, H goes back',
    )
    host.replaceChildren(canvas)
    this.mesh = new TargetMesh(target)
    this.mesh.geometry.computeBoundingSphere()
    this.sphere = this.mesh.geometry.boundingSphere!
    const { center, radius } = this.sphere
    this.camera.up.set(0, 0, 1)
    this.camera.near = radius / 50
    this.camera.far = 50 * radius
    this.edges.add(segments(target.edges, EDGE))
    this.edges.visible = false
    this.scene.add(new Mesh(this.mesh.geometry, this.mesh.material), this.edges, this.marked, this.rays)
    this.scene.add(triad(center, radius))
    if (aspect) this.scene.add(...radarArrow(aspect, center, radius, this.reach(target)))
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.addEventListener('change', () => {
      this.draw()
      this.onTurn?.()
    })
    canvas.addEventListener('keydown', (event) => this.onKey(event))
    // A GPU that was lost comes back empty.
    canvas.addEventListener('webglcontextrestored', () => this.draw())
    new ResizeObserver(() => this.resize()).observe(host)
    this.resize()
    this.look('home')
  }

  /** How far the target goes towards the radar from its sphere's centre [m]. */
  private reach({ positions }: TargetData): number {
    const r = new Vector3(...this.aspect!.r)
    const p = new Vector3()
    let most = -Infinity
    for (let i = 0; i < positions.length; i += 3)
      most = Math.max(most, p.fromArray(positions, i).sub(this.sphere.center).dot(r))
    return most
  }

  setGround(colour: string): void {
    this.scene.background = new Color(colour)
    this.draw()
  }

  showEdges(on: boolean): void {
    this.edges.visible = on
    this.draw()
  }

  showRays(on: boolean): void {
    this.rays.visible = on
    this.draw()
  }

  /** Marks edges given by their ends, 6 numbers each [m]. */
  markEdges(ends: Float64Array): void {
    this.marked.clear()
    if (ends.length > 0) this.marked.add(segments(ends, MARKED_EDGE))
    this.draw()
  }

  setRays(rays: DrawnRay[]): void {
    this.rays.clear()
    RAYS.forEach((colour, i) => {
      const of = rays.filter((r) => Math.min(r.bounces, RAYS.length) === i + 1)
      if (of.length === 0) return
      const ends = of.flatMap(({ points }) => points.slice(1).flatMap((p, m) => [...points[m], ...p]))
      const hits = of.flatMap(({ points }) => points.slice(1, -1).flat())
      this.rays.add(segments(ends, colour, 0.75), dots(hits, colour))
    })
    this.draw()
  }

  /** From the radar (range runs into the screen), with range upwards and cross-range to the right, or three-quarter. */
  look(from: 'radar' | 'image' | 'home'): void {
    const { center, radius } = this.sphere
    const azimuth = (((this.aspect?.phiDeg ?? 0) - 40) * Math.PI) / 180
    const away = new Vector3(Math.cos(azimuth), Math.sin(azimuth), 0.5).normalize()
    this.camera.up.set(0, 0, 1)
    if (this.aspect && from !== 'home') {
      const r = new Vector3(...this.aspect.r)
      const right = new Vector3(...this.aspect.phiHat)
      away.copy(from === 'radar' ? r : right.cross(r.clone().negate()))
      if (from === 'image') this.camera.up.copy(r.negate())
      else if (Math.abs(r.z) > 0.999) this.camera.up.set(...this.aspect.thetaHat).negate()
    }
    const half = ((this.camera.fov / 2) * Math.PI) / 180
    const fit = radius / Math.sin(half) / Math.min(1, this.camera.aspect)
    this.controls.target.copy(center)
    this.camera.position.copy(center).addScaledVector(away, 0.95 * fit)
    this.limitElevation()
    this.controls.update()
    this.draw()
  }

  /** Unit vector from the target to the eye. */
  get eye(): Vec3 {
    return this.camera.position.clone().sub(this.controls.target).normalize().toArray()
  }

  /** Looks along a direction from where the eye is far away. */
  lookFrom({ r, thetaHat }: Direction): void {
    const { camera, controls } = this
    const distance = camera.position.distanceTo(controls.target)
    camera.up.set(0, 0, 1)
    // On the axis itself a camera that orbits it would lose its azimuth.
    const away = new Vector3(...r)
    if (Math.hypot(r[0], r[1]) < NEAR_AXIS)
      away.addScaledVector(new Vector3(...thetaHat), Math.sign(r[2]) * NEAR_AXIS)
    camera.position.copy(controls.target).addScaledVector(away.normalize(), distance)
    this.limitElevation()
    controls.update()
    this.draw()
  }

  /** Lets mouse and keys turn the target about z alone. */
  holdElevation(on: boolean): void {
    this.held = on
    this.limitElevation()
  }

  private limitElevation(): void {
    const { controls, held } = this
    const polar = Math.acos(this.eye[2])
    controls.minPolarAngle = held ? polar : 0
    controls.maxPolarAngle = held ? polar : Math.PI
  }

  png(): Promise<Blob> {
    this.renderer.render(this.scene, this.camera)
    return new Promise((done, fail) =>
      this.renderer.domElement.toBlob((b) => (b ? done(b) : fail(new Error('no picture'))), 'image/png'),
    )
  }

  /** Draws with the next frame, once however often it is asked. */
  draw(): void {
    if (this.queued) return
    this.queued = true
    requestAnimationFrame(() => {
      this.queued = false
      this.renderer.render(this.scene, this.camera)
      this.host.dataset.drawn = String(Number(this.host.dataset.drawn ?? 0) + 1)
    })
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host
    if (width === 0 || height === 0) return
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio))
    this.renderer.setSize(width, height)
    this.camera.aspect = width / height
    this.camera.updateProjectionMatrix()
    this.draw()
  }

  private onKey(event: KeyboardEvent): void {
    const turn: Record<string, [number, number]> = {
      ArrowLeft: [-8, 0],
      ArrowRight: [8, 0],
      ArrowUp: [0, -8],
      ArrowDown: [0, 8],
    }
    const zoom: Record<string, number> = { '+': 0.9, '=': 0.9, '-': 1 / 0.9 }
    const views: Record<string, 'radar' | 'image' | 'home'> = { r: 'radar', i: 'image', h: 'home' }
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (turn[key]) this.turn(...turn[key])
    else if (zoom[key]) {
      this.camera.position.sub(this.controls.target).multiplyScalar(zoom[key]).add(this.controls.target)
      this.controls.update()
    } else if (views[key.toLowerCase()]) this.look(views[key.toLowerCase()])
    else return
    event.preventDefault()
    this.draw()
  }

  /** Turns the camera about the target [degrees]. */
  private turn(right: number, down: number): void {
    const { camera, controls } = this
    const offset = camera.position.clone().sub(controls.target)
    const up = camera.up.clone().normalize()
    offset.applyAxisAngle(up, (right * Math.PI) / 180)
    const side = new Vector3().crossVectors(up, offset).normalize()
    const tilted = offset.clone().applyAxisAngle(side, (down * Math.PI) / 180)
    if (Math.abs(tilted.clone().normalize().dot(up)) < 0.995) offset.copy(tilted)
    camera.position.copy(controls.target).add(offset)
    controls.update()
  }
}

function segments(ends: ArrayLike<number>, colour: number, opacity = 1): LineSegments {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute(Array.from(ends), 3))
  return new LineSegments(
    geometry,
    new LineBasicMaterial({ color: colour, opacity, transparent: opacity < 1 }),
  )
}

function dots(points: number[], colour: number): Points {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute(points, 3))
  return new Points(geometry, new PointsMaterial({ color: colour, size: 4, sizeAttenuation: false }))
}

/** The way that the radar's wave comes, in front of the target. @param reach  of the target towards the radar, from its centre [m] */
function radarArrow(aspect: Direction, centre: Vector3, radius: number, reach: number): Object3D[] {
  const r = new Vector3(...aspect.r)
  const tail = reach + 0.36 * radius
  const from = centre.clone().addScaledVector(r, tail)
  const arrow = new ArrowHelper(r.clone().negate(), from, 0.3 * radius, 0xe0342b, 0.1 * radius, 0.06 * radius)
  const name = label('radar', '#e0342b', radius)
  name.position.copy(centre).addScaledVector(r, tail + 0.09 * radius)
  return [arrow, name]
}

/** The target's axes, at the low corner of its sphere. */
function triad(centre: Vector3, radius: number): Group {
  const group = new Group()
  const origin = centre.clone().addScaledVector(new Vector3(-1, -1, -1).normalize(), 0.95 * radius)
  const axes: [string, Vector3, number][] = [
    ['x', new Vector3(1, 0, 0), 0xd1495b],
    ['y', new Vector3(0, 1, 0), 0x2e9e5b],
    ['z', new Vector3(0, 0, 1), 0x3a7bd5],
  ]
  for (const [name, along, colour] of axes) {
    group.add(new ArrowHelper(along, origin, 0.25 * radius, colour, 0.06 * radius, 0.035 * radius))
    const text = label(name, `#${colour.toString(16)}`, radius)
    text.position.copy(origin).addScaledVector(along, 0.31 * radius)
    group.add(text)
  }
  return group
}

function label(name: string, colour: string, radius: number): Sprite {
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
