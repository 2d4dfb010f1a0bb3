import {
  Color,
  Group,
  Mesh,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Sphere,
  Sprite,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import type { Direction, Vec3 } from '../scene/index.js'
import type { TargetData } from './data.js'
import { bold, dots, empty, radarArrow, segments, triad } from './scene-marks.js'
import { nearestOnScreen, standOff } from './scene-camera.js'
import { TargetMesh } from './target-mesh.js'

const EDGE = 0x1e88e5
/** Colours of rays by the number of bounces: none (a direct path), 1, 2, 3 and more. */
const RAYS = [0xd98c00, 0x2e9e5b, 0xd81b60, 0x8e44ad]
const MARKED_EDGE = 0xff6b0d
/** Thickness of a marked edge, and of a path through a scene [pixels]. */
const EDGE_WIDTH = 4
const PATH_WIDTH = 2

/** Pixels that a pointer moves before it turns the view instead of choosing. */
const DRAG = 4

export type ViewName = 'radar' | 'image' | 'home' | 'top'

/** How far off the z axis the eye stays [radians]: less than is shown. */
const NEAR_AXIS = 2e-5

/** One ray for the picture: points [m], from where it comes in to where it leaves. */
export interface DrawnRay {
  points: number[][]
  bounces: number
}

/** A target, or the walls of a scene, in three dimensions, turned with mouse, touch or arrow keys. */
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
  private readonly added = new Group()
  private readonly resized: ResizeObserver
  /** What every view has in it [m]: the corners of the target's box, and of what marks it. */
  private readonly extent: Vector3[] = []
  /** The view that was asked for, until the target is turned or zoomed by hand. */
  private view: ViewName | null = null
  private queued = false
  private held = false
  /** Told when the target is seen from elsewhere, or from nearer or farther. */
  onTurn: (() => void) | null = null

  /**
   * @param host    takes the canvas
   * @param aspect  of the radar, drawn as an arrow; none where there are many
   * @param of      what is on show, and its keys, for those who hear the page
   */
  constructor(
    private readonly host: HTMLElement,
    target: TargetData,
    private readonly aspect: Direction | null,
    of = 'Target in three dimensions: arrow keys turn it, plus and minus zoom, R looks from the radar, I as the image lies, H goes back',
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
    const canvas = this.renderer.domElement
    canvas.tabIndex = 0
    canvas.setAttribute('role', 'application')
    canvas.setAttribute('aria-label', of)
    host.replaceChildren(canvas)
    this.mesh = new TargetMesh(target)
    this.mesh.geometry.computeBoundingSphere()
    this.sphere = this.mesh.geometry.boundingSphere!
    const { center, radius } = this.sphere
    this.camera.up.set(0, 0, 1)
    this.camera.near = radius / 1000
    this.camera.far = 50 * radius
    this.edges.add(segments(target.edges, EDGE))
    this.edges.visible = false
    this.scene.add(
      new Mesh(this.mesh.geometry, this.mesh.material),
      this.edges,
      this.marked,
      this.rays,
      this.added,
    )
    const { min, max } = this.box()
    for (let i = 0; i < 8; i++)
      this.extent.push(new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z))
    this.keepInView(triad(center, radius))
    if (aspect)
      for (const mark of radarArrow(aspect, center, radius, this.reach(target))) this.keepInView(mark)
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.addEventListener('change', () => {
      this.draw()
      this.onTurn?.()
    })
    this.controls.addEventListener('start', () => (this.view = null))
    canvas.addEventListener('keydown', (event) => this.onKey(event))
    // A GPU that was lost comes back empty.
    canvas.addEventListener('webglcontextrestored', () => this.draw())
    this.resized = new ResizeObserver(() => this.resize())
    this.resized.observe(host)
    this.resize()
    this.look('home')
  }

  /** Adds a mark that every view is to have in it. */
  private keepInView(mark: Object3D): void {
    this.scene.add(mark)
    const { radius } = this.sphere
    mark.updateWorldMatrix(true, true)
    mark.traverse((of) => {
      if (!(of instanceof Sprite)) return
      // A name turns with the camera: it may reach to any side of its middle.
      const at = of.getWorldPosition(new Vector3())
      for (const c of ['x', 'y', 'z'] as const)
        for (const d of [-0.13, 0.13])
          this.extent.push(at.clone().setComponent('xyz'.indexOf(c), at[c] + d * radius))
    })
  }

  private box(): { min: Vector3; max: Vector3 } {
    this.mesh.geometry.computeBoundingBox()
    return this.mesh.geometry.boundingBox!
  }

  /** Adds objects to the scene, in place of those that were added before. */
  setObjects(objects: Object3D[]): void {
    empty(this.added)
    if (objects.length > 0) this.added.add(...objects)
    this.draw()
  }

  /** Number of the point nearest to where the view is clicked, or chosen none; 3 coordinates each [m]. */
  onPick(points: () => Float64Array, pick: (point: number) => void): void {
    const canvas = this.renderer.domElement
    let from: [number, number] = [0, 0]
    canvas.addEventListener('pointerdown', (e) => (from = [e.clientX, e.clientY]))
    canvas.addEventListener('click', (e) => {
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > DRAG) return
      const best = nearestOnScreen(
        points(),
        this.camera,
        canvas.getBoundingClientRect(),
        e.clientX,
        e.clientY,
      )
      if (best >= 0) pick(best)
    })
  }

  /** Gives back what the graphics driver holds. */
  close(): void {
    this.resized.disconnect()
    this.controls.dispose()
    this.renderer.dispose()
    this.host.replaceChildren()
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
    empty(this.marked)
    if (ends.length > 0) this.marked.add(bold(ends, MARKED_EDGE, EDGE_WIDTH))
    this.draw()
  }

  /** @param thick  as lines that are seen through what stands before them: a few paths, not many rays */
  setRays(rays: DrawnRay[], thick = false): void {
    empty(this.rays)
    RAYS.forEach((colour, i) => {
      const of = rays.filter((r) => Math.min(r.bounces, RAYS.length - 1) === i)
      if (of.length === 0) return
      const ends = of.flatMap(({ points }) => points.slice(1).flatMap((p, m) => [...points[m], ...p]))
      const hits = of.flatMap(({ points }) => points.slice(1, -1).flat())
      const lines = thick ? bold(Float64Array.from(ends), colour, PATH_WIDTH) : segments(ends, colour, 0.75)
      this.rays.add(lines, dots(hits, colour))
    })
    this.draw()
  }

  /** From the radar (range runs into the screen), with range upwards and cross-range to the right, from above, or three-quarter. */
  look(from: ViewName): void {
    this.view = from
    const { center } = this.sphere
    const azimuth = (((this.aspect?.phiDeg ?? 0) - 40) * Math.PI) / 180
    const away = new Vector3(Math.cos(azimuth), Math.sin(azimuth), 0.5).normalize()
    this.camera.up.set(0, 0, 1)
    if (from === 'top') {
      away.set(0, 0, 1)
      this.camera.up.set(0, 1, 0)
    } else if (this.aspect && from !== 'home') {
      const r = new Vector3(...this.aspect.r)
      const right = new Vector3(...this.aspect.phiHat)
      away.copy(from === 'radar' ? r : right.cross(r.clone().negate()))
      if (from === 'image') this.camera.up.copy(r.negate())
      else if (Math.abs(r.z) > 0.999) this.camera.up.set(...this.aspect.thetaHat).negate()
    }
    this.controls.target.copy(center)
    this.camera.position.copy(center).addScaledVector(away, standOff(this.camera, this.extent, center, away))
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
    this.view = null
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
    if (this.view) this.look(this.view)
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
    const views: Record<string, ViewName> = { r: 'radar', i: 'image', h: 'home', t: 'top' }
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (turn[key] || zoom[key]) this.view = null
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
