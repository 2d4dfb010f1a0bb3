import {
  ArrowHelper,
  type Box3,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
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
  Raycaster,
  Scene,
  Sphere,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
  type Texture,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three'
import { LineMaterial } from 'three/addons/lines/LineMaterial.js'
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js'
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js'
import type { Direction } from '../../scene/index.js'
import type { TargetData } from './data.js'
import { nearestOnScreen, SceneOrbit } from './scene-orbit.js'
import { ColourScale, TargetMesh } from './target-mesh.js'

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
function bold(ends: Float64Array, colour: number, pixels: number): LineSegments2 {
  const geometry = new LineSegmentsGeometry().setPositions(Float32Array.from(ends))
  const material = new LineMaterial({ color: colour, linewidth: pixels, depthTest: false, transparent: true })
  return new LineSegments2(geometry, material)
}

/** Empties a group and releases its GPU resources. */
function empty(group: Group): void {
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
function radarArrow(aspect: Direction, centre: Vector3, radius: number, reach: number): Object3D[] {
  const r = new Vector3(...aspect.r)
  const tail = reach + 0.36 * radius
  const from = centre.clone().addScaledVector(r, tail)
  const arrow = new ArrowHelper(r.clone().negate(), from, 0.3 * radius, 0xe0342b, 0.1 * radius, 0.06 * radius)
  const name = label('radar', '#e0342b', radius)
  name.position.copy(centre).addScaledVector(r, tail + 0.09 * radius)
  return [arrow, name]
}

/** The lower corner of a bounding sphere. */
const cornerOf = (centre: Vector3, radius: number): Vector3 =>
  centre.clone().addScaledVector(new Vector3(-1, -1, -1).normalize(), 0.95 * radius)

/** The axes at an origin, of the size for a bounding sphere of this radius. */
function triad(origin: Vector3, radius: number): Group {
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
function groundAndShadow(
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
