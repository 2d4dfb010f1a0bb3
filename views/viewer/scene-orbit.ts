import { PerspectiveCamera, type Sphere, Vector3 } from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import type { Direction, Vec3 } from '../../scene/index.js'

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
