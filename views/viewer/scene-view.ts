import {
  type Box3,
  Color,
  Group,
  Mesh,
  type Object3D,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Sphere,
  Sprite,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three'
import type { Direction, Vec3 } from '../../scene/index.js'
import type { TargetData } from './data.js'
import {
  bold,
  ColourScale,
  cornerOf,
  dots,
  empty,
  groundAndShadow,
  radarArrow,
  segments,
  TargetMesh,
  triad,
} from './scene-parts.js'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'

const EDGE = 0x1e88e5
/** Colours of rays by the number of bounces: none (a direct path), 1, 2, 3 and more. */
const RAYS = [0xd98c00, 0x2e9e5b, 0xd81b60, 0x8e44ad]
/** As the ring in the figure, and unlike the colours of levels. */
const MARKED_EDGE = 0x3ad1ff
/** Thickness of a marked edge, and of a path through a scene [pixels]. */
const EDGE_WIDTH = 4
const PATH_WIDTH = 2

/** Pixels that a pointer moves before it rotates the view instead of selecting. */
const DRAG = 4

/** One ray of the picture: points [m], from entry to exit. */
export interface DrawnRay {
  points: number[][]
  bounces: number
}

/** A target, or the walls of a scene, in three dimensions, rotated with mouse, touch or arrow keys. */
export class SceneView {
  readonly mesh: TargetMesh
  readonly orbit: SceneOrbit
  private readonly renderer: WebGLRenderer
  private readonly scene = new Scene()
  private readonly facets: Mesh
  private readonly sphere: Sphere
  private readonly edges = new Group()
  private readonly marked = new Group()
  private readonly rays = new Group()
  private readonly added = new Group()
  private axes: Group
  /** The radar's arrow and its name. */
  private readonly radar: Object3D[] = []
  private readonly resized: ResizeObserver
  /** Of what the facets are coloured by. */
  readonly scale: ColourScale
  /** Points that every view contains [m]: the corners of the target's box and of its marks. */
  private readonly extent: Vector3[] = []
  private raysShown = true
  private queued = false
  /** Called when the view direction or distance changes. */
  onRotate: (() => void) | null = null

  /**
   * @param host    parent of the canvas
   * @param aspect  of the radar, drawn as an arrow; null where there are many
   * @param of      content and keys, for screen readers
   */
  constructor(
    private readonly host: HTMLElement,
    target: TargetData,
    private readonly aspect: Direction | null,
    of = 'Target in three dimensions: arrow keys rotate it, plus and minus zoom, R views it from the radar, I in the image plane, H resets the view',
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
    const canvas = this.renderer.domElement
    canvas.tabIndex = 0
    canvas.setAttribute('role', 'application')
    canvas.setAttribute('aria-label', of)
    host.replaceChildren(canvas)
    this.scale = new ColourScale(host)
    this.mesh = new TargetMesh(target)
    this.mesh.geometry.computeBoundingSphere()
    this.sphere = this.mesh.geometry.boundingSphere!
    const { center, radius } = this.sphere
    this.edges.add(segments(target.edges, EDGE))
    this.edges.visible = false
    this.scene.add(
      (this.facets = new Mesh(this.mesh.geometry, this.mesh.material)),
      this.edges,
      this.marked,
      this.rays,
      this.added,
    )
    if (target.groundM !== undefined)
      this.scene.add(...groundAndShadow(target, target.groundM, aspect, radius))
    const { min, max } = this.box()
    for (let i = 0; i < 8; i++)
      this.extent.push(new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z))
    this.axes = triad(cornerOf(center, radius), radius)
    this.keepInView(this.axes, radius)
    if (aspect)
      for (const mark of radarArrow(aspect, center, radius, this.reach(target))) {
        this.radar.push(mark)
        this.keepInView(mark, radius)
      }
    this.orbit = new SceneOrbit(canvas, this.sphere, this.extent, aspect, {
      onRotate: () => this.onRotate?.(),
      draw: () => this.draw(),
    })
    // A restored GPU context is empty.
    canvas.addEventListener('webglcontextrestored', () => this.draw())
    this.resized = new ResizeObserver(() => this.resize())
    this.resized.observe(host)
    this.resize()
    this.orbit.look('home')
  }

  /** Adds a mark that every view contains. */
  private keepInView(mark: Object3D, radius: number): void {
    this.scene.add(mark)
    mark.updateWorldMatrix(true, true)
    mark.traverse((of) => {
      if (!(of instanceof Sprite)) return
      // A label faces the camera: it may extend to any side of its centre.
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

  /** Keeps a sphere about the target in every view: it may turn. */
  keepTurning(): void {
    const { center, radius } = this.sphere
    for (const c of ['x', 'y', 'z'] as const)
      for (const d of [-radius, radius])
        this.extent.push(center.clone().setComponent('xyz'.indexOf(c), center[c] + d))
    this.orbit.look('home')
  }

  /** Has the views show a part of a scene, with the axes at its lower corner. @param homeFrom  direction of the home view, or null */
  frame(box: Box3, homeFrom: Vector3 | null): void {
    const { center, radius } = box.getBoundingSphere(new Sphere())
    this.scene.remove(this.axes)
    empty(this.axes)
    this.extent.length = 0
    const { min, max } = box
    for (let i = 0; i < 8; i++)
      this.extent.push(new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z))
    this.axes = triad(min, 0.6 * radius)
    this.keepInView(this.axes, 0.6 * radius)
    this.orbit.frame(center, homeFrom)
  }

  /** Replaces the objects added to the scene. */
  setObjects(objects: Object3D[]): void {
    empty(this.added)
    if (objects.length > 0) this.added.add(...objects)
    this.draw()
  }

  /** Makes points selectable by clicks; 3 coordinates each [m]. */
  onPick(points: () => Float64Array, pick: (point: number) => void): void {
    const canvas = this.renderer.domElement
    let from: [number, number] = [0, 0]
    canvas.addEventListener('pointerdown', (e) => (from = [e.clientX, e.clientY]))
    canvas.addEventListener('click', (e) => {
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > DRAG) return
      const best = nearestOnScreen(
        points(),
        this.orbit.camera,
        canvas.getBoundingClientRect(),
        e.clientX,
        e.clientY,
      )
      if (best >= 0) pick(best)
    })
  }

  /** Reports the facet under the pointer, -1 for none, while it moves over the view without a button. */
  onHover(over: (facet: number) => void): void {
    const canvas = this.renderer.domElement
    const caster = new Raycaster()
    canvas.addEventListener('pointermove', ({ clientX, clientY, buttons }) => {
      if (buttons !== 0) return
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const at = new Vector2((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height)
      caster.setFromCamera(at, this.orbit.camera)
      over(caster.intersectObject(this.facets)[0]?.faceIndex ?? -1)
    })
    canvas.addEventListener('pointerleave', () => over(-1))
  }

  /** Releases the GPU resources. */
  close(): void {
    this.resized.disconnect()
    this.orbit.dispose()
    this.renderer.dispose()
    // Else a page that opens target after target has too many at once, until they are collected.
    this.renderer.forceContextLoss()
    this.host.replaceChildren()
  }

  /** Extent of the target towards the radar from its sphere's centre [m]. */
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

  /** Shows other objects in place of the facets; none: the facets again. */
  replaceFacets(objects: Object3D[]): void {
    this.facets.visible = objects.length === 0
    this.setObjects(objects)
  }

  showEdges(on: boolean): void {
    this.edges.visible = on
    this.draw()
  }

  showRays(on: boolean): void {
    this.raysShown = on
    this.rays.visible = on
    this.draw()
  }

  /** Shows or hides what the view has of the opened result alone: its radar, and what a hot spot marks. */
  showResult(on: boolean): void {
    for (const mark of [...this.radar, this.marked]) mark.visible = on
    this.rays.visible = on && this.raysShown
    this.mesh.showMarks(on)
    this.draw()
  }

  /** Marks edges given by their ends, 6 numbers each [m]. */
  markEdges(ends: Float64Array): void {
    empty(this.marked)
    if (ends.length > 0) this.marked.add(bold(ends, MARKED_EDGE, EDGE_WIDTH))
    this.draw()
  }

  /** @param thick  as thick lines drawn also where occluded: for a few paths, not many rays */
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

  png(): Promise<Blob> {
    this.renderer.render(this.scene, this.orbit.camera)
    return new Promise((done, fail) =>
      this.renderer.domElement.toBlob((b) => (b ? done(b) : fail(new Error('no picture'))), 'image/png'),
    )
  }

  /** Requests a redraw with the next frame. */
  draw(): void {
    if (this.queued) return
    this.queued = true
    requestAnimationFrame(() => {
      this.queued = false
      this.renderer.render(this.scene, this.orbit.camera)
      this.host.dataset.drawn = String(Number(this.host.dataset.drawn ?? 0) + 1)
    })
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host
    if (width === 0 || height === 0) return
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio))
    this.renderer.setSize(width, height)
    this.orbit.setAspect(width / height)
    this.draw()
  }
}

/** Margin around the view's content. */
const MARGIN = 1.04
/** Largest distance of a click from a point to select it [pixels]. */
const NEAR = 12

/**
 * Distance of a camera from a centre at which all points are in view [m], for its current up vector.
 * @param away  unit vector from the centre to the camera
 */
function standOff(
  { up, fov, aspect }: PerspectiveCamera,
  points: readonly Vector3[],
  centre: Vector3,
  away: Vector3,
): number {
  const right = new Vector3().crossVectors(up, away).normalize()
  const above = new Vector3().crossVectors(away, right)
  const half = Math.tan(((fov / 2) * Math.PI) / 180)
  let most = 0
  for (const point of points) {
    const p = point.clone().sub(centre)
    const across = Math.max(Math.abs(p.dot(right)) / aspect, Math.abs(p.dot(above)))
    most = Math.max(most, p.dot(away) + (MARGIN * across) / half)
  }
  return most
}

/** Number of the point, 3 coordinates each [m], nearest to a screen position; -1 where none is near. */
export function nearestOnScreen(
  points: Float64Array,
  camera: PerspectiveCamera,
  screen: DOMRect,
  x: number,
  y: number,
): number {
  const at = new Vector3()
  let [best, least] = [-1, NEAR]
  for (let i = 0; 3 * i < points.length; i++) {
    at.fromArray(points, 3 * i).project(camera)
    if (at.z > 1) continue
    const right = screen.left + ((at.x + 1) / 2) * screen.width
    const down = screen.top + ((1 - at.y) / 2) * screen.height
    const off = Math.hypot(right - x, down - y)
    if (off < least) [best, least] = [i, off]
  }
  return best
}

export type ViewName = 'radar' | 'image' | 'home' | 'top'

/** Smallest angle between the eye and the z axis [radians]: below the displayed precision. */
const NEAR_AXIS = 2e-5

/** The camera around a target: named views, and rotation and zoom with mouse, touch and keys. */
export class SceneOrbit {
  readonly camera = new PerspectiveCamera(30, 1, 0.01, 1000)
  private readonly controls: OrbitControls
  /** The named view in effect, until the user rotates or zooms. */
  private view: ViewName | null = null
  private held = false
  /** Where the views' centre is, and the direction of the home view. */
  private centre: Vector3
  private homeFrom: Vector3 | null = null

  /**
   * @param canvas  receives mouse, touch and keys
   * @param target  sphere around it
   * @param extent  points that every view contains [m]
   * @param aspect  of the radar; null where there are many
   * @param events  called when the view changes, and to draw
   */
  constructor(
    canvas: HTMLCanvasElement,
    target: Sphere,
    private readonly extent: readonly Vector3[],
    private readonly aspect: Direction | null,
    private readonly events: { onRotate: () => void; draw: () => void },
  ) {
    this.centre = target.center
    this.camera.up.set(0, 0, 1)
    this.camera.near = target.radius / 1000
    this.camera.far = 50 * target.radius
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.addEventListener('change', () => {
      events.draw()
      events.onRotate()
    })
    this.controls.addEventListener('start', () => (this.view = null))
    canvas.addEventListener('keydown', (event) => this.onKey(event))
  }

  /** Sets the aspect ratio of the canvas, width over height, and keeps the named view. */
  setAspect(aspect: number): void {
    this.camera.aspect = aspect
    this.camera.updateProjectionMatrix()
    if (this.view) this.look(this.view)
  }

  /** Centres the views elsewhere. @param homeFrom  direction of the home view; the usual one where null */
  frame(centre: Vector3, homeFrom: Vector3 | null): void {
    this.centre = centre
    this.homeFrom = homeFrom
    this.look('home')
  }

  dispose(): void {
    this.controls.dispose()
  }

  /** From the radar (range runs into the screen), with range upwards and cross-range to the right, from above, or three-quarter. */
  look(from: ViewName): void {
    this.view = from
    const { centre, homeFrom } = this
    const azimuth = (((this.aspect?.phiDeg ?? 0) - 40) * Math.PI) / 180
    const away = new Vector3(Math.cos(azimuth), Math.sin(azimuth), 0.5).normalize()
    this.camera.up.set(0, 0, 1)
    if (from === 'home' && homeFrom) away.copy(homeFrom).normalize()
    else if (from === 'top') {
      away.set(0, 0, 1)
      this.camera.up.set(0, 1, 0)
    } else if (this.aspect && from !== 'home') {
      const r = new Vector3(...this.aspect.r)
      const right = new Vector3(...this.aspect.phiHat)
      away.copy(from === 'radar' ? r : right.cross(r.clone().negate()))
      if (from === 'image') this.camera.up.copy(r.negate())
      else if (Math.abs(r.z) > 0.999) this.camera.up.set(...this.aspect.thetaHat).negate()
    }
    this.controls.target.copy(centre)
    this.camera.position.copy(centre).addScaledVector(away, standOff(this.camera, this.extent, centre, away))
    this.limitElevation()
    this.controls.update()
    this.events.draw()
  }

  /** Unit vector from the target to the eye. */
  get eye(): Vec3 {
    return this.camera.position.clone().sub(this.controls.target).normalize().toArray()
  }

  /** Sets the view direction and keeps the distance. */
  lookFrom({ r, thetaHat }: Direction): void {
    const { camera, controls } = this
    this.view = null
    const distance = camera.position.distanceTo(controls.target)
    camera.up.set(0, 0, 1)
    // On the axis itself the orbiting camera would lose its azimuth.
    const away = new Vector3(...r)
    if (Math.hypot(r[0], r[1]) < NEAR_AXIS)
      away.addScaledVector(new Vector3(...thetaHat), Math.sign(r[2]) * NEAR_AXIS)
    camera.position.copy(controls.target).addScaledVector(away.normalize(), distance)
    this.limitElevation()
    controls.update()
    this.events.draw()
  }

  /** Restricts mouse and keys to rotation about z. */
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

  private onKey(event: KeyboardEvent): void {
    const rotation: Record<string, [number, number]> = {
      ArrowLeft: [-8, 0],
      ArrowRight: [8, 0],
      ArrowUp: [0, -8],
      ArrowDown: [0, 8],
    }
    const zoom: Record<string, number> = { '+': 0.9, '=': 0.9, '-': 1 / 0.9 }
    const views: Record<string, ViewName> = { r: 'radar', i: 'image', h: 'home', t: 'top' }
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (rotation[key] || zoom[key]) this.view = null
    if (rotation[key]) this.rotate(...rotation[key])
    else if (zoom[key]) {
      this.camera.position.sub(this.controls.target).multiplyScalar(zoom[key]).add(this.controls.target)
      this.controls.update()
    } else if (views[key.toLowerCase()]) this.look(views[key.toLowerCase()])
    else return
    event.preventDefault()
    this.events.draw()
  }

  /** Rotates the camera around the target [degrees]. */
  private rotate(right: number, down: number): void {
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
