import {
  type Box,
  C0,
  cross,
  direction,
  dot,
  edgeTable,
  InputError,
  type Mesh,
  type Vec3,
} from '../scene/index.js'

/** Target, centre aspect and band or resolution of a sweep. */
export interface SweepRequest {
  /** Points that bound the target, x y z each [m]: its vertices, or boxCorners() of its bounding box. */
  points: Float64Array
  phaseCentre?: readonly [number, number, number]
  /** Centre aspect [degrees]. */
  thetaDeg: number
  phiDeg: number
  /** Lowest and highest frequency, both included [Hz]; count from the target's size where absent. */
  band?: { f0: number; f1: number; count?: number }
  /** Instead of band and aperture: resolutions [m] about a centre frequency [Hz]; crossRangeM defaults to rangeM. */
  resolution?: { rangeM: number; crossRangeM?: number; centreHz: number }
  /** Span of the aspects in phi [degrees]; default: cross-range resolution equal to range resolution. */
  apertureDeg?: number
  /** Number of aspects; from the target's size where absent. */
  angles?: number
}

/** Frequencies and aspects of a sweep, and the image that they give. */
export interface SweepPlan {
  /** Uniform frequencies from f0 to f1 [Hz], as f0 + i (f1 - f0) / (n - 1). */
  freqHz: Float64Array
  thetaDeg: number
  /** Uniform aspects over the aperture, both ends included [degrees]; their middle is the centre aspect. */
  phiDeg: Float64Array
  bandwidthHz: number
  apertureDeg: number
  /** c / 2B, B = f1 - f0 [m]. */
  rangeResolutionM: number
  /** lambda_c / (2 aperture |sin theta|), lambda_c at the middle of the band [m]. */
  crossRangeResolutionM: number
  /** c / (2 df) [m]. */
  unambiguousRangeM: number
  /** lambda / (2 dphi |sin theta|) at the highest frequency, where it is smallest [m]. */
  unambiguousCrossRangeM: number
  /** Target at the centre aspect [m]. */
  extent: ImageExtent
  /** Image window: the target with margin, inside one unambiguous extent [m]. */
  window: ImageExtent
  /** Warnings, one line each (ambiguous, out of focus). */
  notes: string[]
}

/** The sampled extent is the target's times MARGIN, and MARGIN_CELLS resolution cells. */
const MARGIN = 1.3
const MARGIN_CELLS = 8
/** More samples than this along one axis are used only on request. */
const MAX_AUTO = 20_000

/**
 * Frequencies and aspects for an ISAR image of a target.
 *
 * Rotation in phi by delta moves a point's phase by 2k sin(theta) r . phi-hat delta: away from the horizontal plane the arc
 * on the sphere of directions is shortened by sin(theta). With B = f1 - f0 and aperture P [rad] the resolutions (null to
 * peak of the unwindowed response, as in the papers: 0.1 m for 1.5 GHz) are
 *   range c / 2B,  cross-range lambda_c / (2 P |sin theta|),
 * and the extents free of ambiguity
 *   range c / (2 df), df = B / (n - 1);  cross-range lambda / (2 dphi |sin theta|), at f1, to hold over the whole band.
 * The counts make these at least 1.3 times the target's extent plus 8 resolution cells; the extent is the largest
 * over all aspects of the aperture. Counts need not be powers of two.
 * @throws InputError where the request makes no sense; the message says which option.
 */
export function planSweep(request: SweepRequest): SweepPlan {
  const { thetaDeg, phiDeg } = request
  if (!Number.isFinite(thetaDeg) || !Number.isFinite(phiDeg))
    throw new InputError('theta and phi must be finite numbers of degrees')
  const sinTheta = Math.abs(Math.sin((thetaDeg * Math.PI) / 180))
  if (sinTheta < 1e-6)
    throw new InputError(
      `theta = ${thetaDeg} degrees looks along the z axis: rotation in phi gives no cross-range; choose theta away from 0 and 180`,
    )
  const { f0, f1 } = bandOf(request)
  const bandwidthHz = f1 - f0
  const rangeResolutionM = C0 / (2 * bandwidthHz)
  const centreWavelength = (2 * C0) / (f0 + f1)
  const apertureDeg = apertureOf(request, centreWavelength, rangeResolutionM, sinTheta)
  const aperture = (apertureDeg * Math.PI) / 180
  const crossRangeResolutionM = centreWavelength / (2 * aperture * sinTheta)

  const extent = imageExtent(request.points, thetaDeg, phiDeg, request.phaseCentre)
  const widest = widestExtent(request, apertureDeg)
  const needRange = MARGIN * widest.range + MARGIN_CELLS * rangeResolutionM
  const needCross = MARGIN * widest.crossRange + MARGIN_CELLS * crossRangeResolutionM
  const nFreq =
    requestedCount('band', 'frequencies', request.band?.count) ??
    automatic('frequencies', Math.ceil(needRange / rangeResolutionM) + 1, widest.range)
  const perAngle = C0 / (2 * f1 * sinTheta) // unambiguous cross-range times angle step
  const nAngle =
    requestedCount('angles', 'aspects', request.angles) ??
    automatic('angles', Math.ceil((needCross * aperture) / perAngle) + 1, widest.crossRange)

  const df = bandwidthHz / (nFreq - 1)
  const dphi = apertureDeg / (nAngle - 1)
  const unambiguousRangeM = C0 / (2 * df)
  const unambiguousCrossRangeM = perAngle / ((dphi * Math.PI) / 180)
  const window: ImageExtent = {
    rangeM: showing(extent.rangeM, MARGIN_CELLS * rangeResolutionM, unambiguousRangeM),
    crossRangeM: showing(extent.crossRangeM, MARGIN_CELLS * crossRangeResolutionM, unambiguousCrossRangeM),
  }
  return {
    freqHz: Float64Array.from({ length: nFreq }, (_, i) => f0 + i * df),
    thetaDeg,
    phiDeg: Float64Array.from({ length: nAngle }, (_, i) => phiDeg + (i - (nAngle - 1) / 2) * dphi),
    bandwidthHz,
    apertureDeg,
    rangeResolutionM,
    crossRangeResolutionM,
    unambiguousRangeM,
    unambiguousCrossRangeM,
    extent,
    window,
    notes: [
      ...ambiguity('frequencies', nFreq, unambiguousRangeM, widest.range, 'range'),
      ...ambiguity('aspects', nAngle, unambiguousCrossRangeM, widest.crossRange, 'cross-range'),
    ],
  }
}

/** By how many resolution cells the worst point of a target smears in each kind of image. */
interface Smear {
  smallAngle: number
  polarFormat: number
}

/**
 * Smear of the worst point over the aperture P [rad], in cells (rho_r, rho_x: the resolutions). A point x towards the radar in the horizontal
 * plane, c in cross-range and h above the phase centre walks while the aspect turns
 * - in the small-angle image through c |sin theta| P in range, from one end of the aperture to the other (in cells as many as the c B / f_c by
 *   which the band stretches cross-range), and x P in cross-range: cells = P max(|c sin theta| / rho_r, |x| / rho_x). Half a cell of the latter
 *   is a phase of pi / 8 at the aperture's ends.
 * - with polarFormat, exact at h = 0, through h cot(theta) P in cross-range: cells = P |h cot theta| / rho_x.
 * @param points x y z of each [m]: the target's vertices
 */
export function imageSmear(
  { apertureDeg, thetaDeg, phiDeg, rangeResolutionM, crossRangeResolutionM }: SweepPlan,
  points: Float64Array,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): Smear {
  const rad = Math.PI / 180
  const [sin, cos] = [Math.sin(thetaDeg * rad), Math.cos(thetaDeg * rad)]
  const middle = ((phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2) * rad
  const [ux, uy] = [Math.cos(middle), Math.sin(middle)]
  const most = { x: 0, c: 0, h: 0 }
  for (let i = 0; i < points.length; i += 3) {
    const px = points[i] - phaseCentre[0]
    const py = points[i + 1] - phaseCentre[1]
    most.x = Math.max(most.x, Math.abs(px * ux + py * uy))
    most.c = Math.max(most.c, Math.abs(py * ux - px * uy))
    most.h = Math.max(most.h, Math.abs(points[i + 2] - phaseCentre[2]))
  }
  const aperture = apertureDeg * rad
  return {
    smallAngle:
      aperture * Math.max((most.c * Math.abs(sin)) / rangeResolutionM, most.x / crossRangeResolutionM),
    polarFormat: (aperture * most.h * Math.abs(cos / sin)) / crossRangeResolutionM,
  }
}

/** Smear of the small-angle transform above which `auto` takes polar format [cells]. */
const SMEAR = 0.5

/** Whether `auto` forms an image by polar format: where the small-angle transform smears by more than half a cell, and by more than polar format. */
export const needsPolarFormat = ({ smallAngle, polarFormat }: Smear): boolean =>
  smallAngle > SMEAR && smallAngle > polarFormat

/** The band that a sweep asks for, or that its resolution needs [Hz]. @throws InputError where the request makes no sense */
export function bandOf({
  band,
  resolution,
  apertureDeg,
}: Pick<SweepRequest, 'band' | 'resolution' | 'apertureDeg'>): { f0: number; f1: number } {
  if (band && resolution)
    throw new InputError('give either a band or a resolution with its centre frequency, not both')
  if (band) {
    if (!(band.f0 > 0 && band.f1 > band.f0 && Number.isFinite(band.f1)))
      throw new InputError(
        `band ${band.f0}:${band.f1} Hz: the ends must be positive and ascending, an image needs a bandwidth`,
      )
    return band
  }
  if (!resolution) throw new InputError('give a band (f0:f1) or a resolution with its centre frequency')
  const { rangeM, crossRangeM = rangeM, centreHz } = resolution
  if (!(rangeM > 0 && crossRangeM > 0 && Number.isFinite(rangeM) && Number.isFinite(crossRangeM)))
    throw new InputError(`resolution ${rangeM},${crossRangeM} m: both must be positive`)
  if (!(centreHz > 0 && Number.isFinite(centreHz)))
    throw new InputError(`centre frequency ${centreHz} Hz must be positive`)
  if (apertureDeg !== undefined)
    throw new InputError('a resolution determines the aperture: give one of the two')
  const bandwidth = C0 / (2 * rangeM)
  if (bandwidth >= 2 * centreHz)
    throw new InputError(
      `resolution ${rangeM} m needs ${(bandwidth / 1e9).toPrecision(4)} GHz of bandwidth, which does not fit about ` +
        `${(centreHz / 1e9).toPrecision(4)} GHz; raise the centre frequency or the resolution's length`,
    )
  return { f0: centreHz - bandwidth / 2, f1: centreHz + bandwidth / 2 }
}

function apertureOf(
  request: SweepRequest,
  wavelength: number,
  rangeResolutionM: number,
  sinTheta: number,
): number {
  if (request.apertureDeg !== undefined) {
    if (!(request.apertureDeg > 0 && request.apertureDeg < 180))
      throw new InputError(
        `aperture ${request.apertureDeg} degrees: give more than 0 and less than 180 degrees`,
      )
    return request.apertureDeg
  }
  const wanted = request.resolution?.crossRangeM ?? rangeResolutionM
  const degrees = (wavelength / (2 * wanted * sinTheta)) * (180 / Math.PI)
  if (degrees >= 180)
    throw new InputError(
      `a cross-range resolution of ${wanted.toPrecision(3)} m at theta = ${request.thetaDeg} degrees needs an aperture ` +
        `of ${degrees.toFixed(0)} degrees; give a smaller one (aperture, or a coarser cross-range resolution)`,
    )
  return degrees
}

/** Largest extent of the target over all aspects of the aperture [m], which the sampling must resolve. */
function widestExtent(request: SweepRequest, apertureDeg: number): { range: number; crossRange: number } {
  const halfSteps = Math.ceil(apertureDeg / 10) // at most 5 degrees each
  const range: [number, number] = [Infinity, -Infinity]
  const cross: [number, number] = [Infinity, -Infinity]
  for (let i = -halfSteps; i <= halfSteps; i++) {
    const phi = request.phiDeg + (i / halfSteps) * (apertureDeg / 2)
    const { rangeM, crossRangeM } = imageExtent(request.points, request.thetaDeg, phi, request.phaseCentre)
    range[0] = Math.min(range[0], rangeM[0])
    range[1] = Math.max(range[1], rangeM[1])
    cross[0] = Math.min(cross[0], crossRangeM[0])
    cross[1] = Math.max(cross[1], crossRangeM[1])
  }
  return { range: range[1] - range[0], crossRange: cross[1] - cross[0] }
}

function requestedCount(option: string, what: string, count: number | undefined): number | undefined {
  if (count !== undefined && !(Number.isInteger(count) && count >= 2))
    throw new InputError(`${option}: ${count} ${what}; an image needs a whole number of at least 2`)
  return count
}

function automatic(what: string, count: number, extentM: number): number {
  if (count > MAX_AUTO)
    throw new InputError(
      `the target is ${extentM.toPrecision(4)} m across, which needs ${count} ${what}; check the mesh's units, or give the count`,
    )
  return count
}

/** Window around the target: its extent times MARGIN plus the extra cells, at most one unambiguous extent. */
function showing([low, high]: [number, number], extra: number, unambiguous: number): [number, number] {
  const half = Math.min(MARGIN * (high - low) + extra, unambiguous) / 2
  return [(low + high) / 2 - half, (low + high) / 2 + half]
}

function ambiguity(
  what: string,
  count: number,
  unambiguous: number,
  extentM: number,
  axis: string,
): string[] {
  if (unambiguous >= extentM) return []
  return [
    `${count} ${what} are unambiguous over ${unambiguous.toPrecision(3)} m of ${axis}, but the target spans ` +
      `${extentM.toPrecision(3)} m: it will fold over itself; use at least ${Math.ceil((count - 1) * (extentM / unambiguous)) + 1}`,
  ]
}

/** Lines of a target in the image plane, as its image shows them: 4 numbers each, cross-range and range of both ends [m]. */
export interface Outline {
  /** Where the surface turns away from the image plane's normal, and rims of sheets. */
  silhouette: Float64Array
  /** Edges where faces meet at `SHARP_DEG` or more. */
  edges: Float64Array
}

/** The plane of an image: that of its middle aspect, or of these unit vectors where cross-range is not along phi-hat. */
export interface ImageAspect {
  thetaDeg: number
  phiDeg: number
  plane?: { towardsRadar: Vec3; crossRange: Vec3 }
}

/** Faces that meet at less make no line: facets of one curved surface [degrees]. */
const SHARP_DEG = 30
const FLAT = -Math.cos((SHARP_DEG * Math.PI) / 180)
/** Cells of the depth map along the longer side of the target. */
const CELLS = 1024

/**
 * Outline of a target as projected into its ISAR image: along theta-hat, the normal of the plane of range -r . r-hat and cross-range r . phi-hat
 * at one aspect, or normal to another plane, relative to the phase centre. Seen from -theta-hat the picture has range upwards and cross-range to the right. Lines that the target itself hides
 * are left out, by a depth map of 1,024 cells; what shows ends within a cell.
 */
export function targetOutline(
  mesh: Mesh,
  aspect: ImageAspect,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): Outline {
  const points = project(mesh.positions, aspect, phaseCentre)
  const map = new DepthMap(points, mesh.triangles)
  const { count, start, half, low, high } = edgeTable(mesh)
  const silhouette: number[] = []
  const edges: number[] = []
  const thirds: number[] = []
  for (let e = 0; e < count; e++) {
    thirds.length = 0
    for (let i = start[e]; i < start[e + 1]; i++)
      thirds.push(mesh.triangles[half[i] % 3 === 0 ? half[i] + 2 : half[i] - 1])
    const [a, b] = [low[e], high[e]]
    if (isContour(points, a, b, thirds)) addVisible(silhouette, map, points, a, b)
    else if (isSharp(mesh.positions, a, b, thirds)) addVisible(edges, map, points, a, b)
  }
  return { silhouette: Float64Array.from(silhouette), edges: Float64Array.from(edges) }
}

/** Cross-range, range and height towards the viewer of every vertex [m]. */
function project(
  positions: Float64Array,
  { thetaDeg, phiDeg, plane }: ImageAspect,
  centre: readonly [number, number, number],
): Float64Array {
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const { towardsRadar, crossRange } = plane ?? { towardsRadar: r, crossRange: phiHat }
  const up = cross(towardsRadar, crossRange)
  const out = new Float64Array(positions.length)
  for (let i = 0; i < positions.length; i += 3) {
    const at: Vec3 = [positions[i] - centre[0], positions[i + 1] - centre[1], positions[i + 2] - centre[2]]
    out[i] = dot(at, crossRange)
    out[i + 1] = -dot(at, towardsRadar)
    out[i + 2] = dot(at, up)
  }
  return out
}

/** Sines of facets seen edge-on, which rounding leaves. */
const EDGE_ON = 1e-9

/** Whether all facets at an edge that are not seen edge-on lie to one side of it, as projected. @param thirds  their third corners */
function isContour(p: Float64Array, a: number, b: number, thirds: number[]): boolean {
  const [ux, uy] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1]]
  let [left, right] = [false, false]
  for (const c of thirds) {
    const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]]
    const side = ux * vy - uy * vx
    if (Math.abs(side) <= EDGE_ON * Math.hypot(ux, uy) * Math.hypot(vx, vy, vz)) continue
    if (side > 0) left = true
    else right = true
  }
  return left !== right
}

/** Whether some two facets at an edge meet at `SHARP_DEG` or more. */
function isSharp(p: Float64Array, a: number, b: number, thirds: number[]): boolean {
  for (let i = 1; i < thirds.length; i++)
    for (let j = 0; j < i; j++)
      if (cosineAt(p, 3 * a, 3 * b, 3 * thirds[i], 3 * thirds[j]) > FLAT) return true
  return false
}

/** Cosine of the angle between the facets a b c and a b d about their edge: -1 where they are coplanar. */
function cosineAt(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
  const [wx, wy, wz] = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]]
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const uw = ux * wx + uy * wy + uz * wz
  // Of the parts across the edge: v - u uv / uu, w - u uw / uu.
  const vv = vx * vx + vy * vy + vz * vz - (uv * uv) / uu
  const ww = wx * wx + wy * wy + wz * wz - (uw * uw) / uu
  return (vx * wx + vy * wy + vz * wz - (uv * uw) / uu) / Math.sqrt(vv * ww)
}

/** Of an edge that is partly hidden, shorter parts are the ends at a silhouette, where cells beside it are empty [cells]. */
const STUB = 3

/** Adds the parts of an edge that show. */
function addVisible(to: number[], map: DepthMap, p: Float64Array, a: number, b: number): void {
  const length = Math.hypot(p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1])
  const steps = Math.ceil(length / map.cell)
  const at = (c: number, i: number): number => p[3 * a + c] + ((p[3 * b + c] - p[3 * a + c]) * i) / steps
  if (length <= EDGE_ON * map.cell) return
  for (let i = 0, from = -1; i <= steps + 1; i++) {
    const shows = i <= steps && map.shows(at(0, i), at(1, i), at(2, i))
    if (shows && from < 0) from = i
    if (shows || from < 0) continue
    if (i - 1 - from >= Math.min(steps, STUB)) to.push(at(0, from), at(1, from), at(0, i - 1), at(1, i - 1))
    from = -1
  }
}

/** Greatest height of a projected target over cells of the image plane. */
class DepthMap {
  readonly cell: number
  private readonly left: number
  private readonly foot: number
  private readonly columns: number
  private readonly rows: number
  private readonly height: Float32Array

  constructor(points: Float64Array, triangles: Uint32Array) {
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]] // prettier-ignore
    for (let i = 0; i < points.length; i += 3)
      for (let c = 0; c < 2; c++) {
        low[c] = Math.min(low[c], points[i + c])
        high[c] = Math.max(high[c], points[i + c])
      }
    this.cell = Math.max(high[0] - low[0], high[1] - low[1]) / CELLS
    // A rim of two empty cells: what stands at it is looked up beyond it.
    ;[this.left, this.foot] = [low[0] - 2 * this.cell, low[1] - 2 * this.cell]
    this.columns = Math.ceil((high[0] - low[0]) / this.cell) + 5
    this.rows = Math.ceil((high[1] - low[1]) / this.cell) + 5
    this.height = new Float32Array(this.columns * this.rows).fill(-Infinity)
    for (let t = 0; t < triangles.length; t += 3)
      this.draw(points, 3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2])
  }

  /** Draws the facet of three corners at the centres of cells. */
  private draw(p: Float64Array, a: number, b: number, c: number): void {
    const { left, foot, cell, columns, height } = this
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const area = ux * vy - uy * vx
    if (area === 0) return
    const first = (axis: number, origin: number): number =>
      Math.ceil((Math.min(p[a + axis], p[b + axis], p[c + axis]) - origin) / cell - 0.5)
    const last = (axis: number, origin: number): number =>
      Math.floor((Math.max(p[a + axis], p[b + axis], p[c + axis]) - origin) / cell - 0.5)
    for (let row = first(1, foot); row <= last(1, foot); row++)
      for (let column = first(0, left); column <= last(0, left); column++) {
        const x = left + (column + 0.5) * cell - p[a]
        const y = foot + (row + 0.5) * cell - p[a + 1]
        const s = (x * vy - y * vx) / area
        const t = (ux * y - uy * x) / area
        if (s < 0 || t < 0 || s + t > 1) continue
        const at = row * columns + column
        height[at] = Math.max(height[at], p[a + 2] + s * uz + t * vz)
      }
  }

  /** Whether a point of the surface shows: nothing covers it in its cell, or in one beside it. */
  shows(x: number, y: number, z: number): boolean {
    const column = Math.floor((x - this.left) / this.cell)
    const row = Math.floor((y - this.foot) / this.cell)
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        if (this.height[(row + i) * this.columns + column + j] <= z + this.cell) return true
    return false
  }
}

/** Where a target lies in the image plane, relative to the phase centre: [low, high] of each axis [m]. */
export interface ImageExtent {
  rangeM: [number, number]
  crossRangeM: [number, number]
}

/** The eight corners of a bounding box, x y z each [m]. */
export function boxCorners({ min, max }: Box): Float64Array {
  const corners = new Float64Array(24)
  for (let i = 0; i < 8; i++) for (let a = 0; a < 3; a++) corners[3 * i + a] = (i >> a) & 1 ? max[a] : min[a]
  return corners
}

/**
 * Extent of points in range, -r . r-hat, and cross-range, r . phi-hat, seen from one aspect [m].
 * @param points x y z of each [m]: the target's vertices, or the corners of its bounding box.
 * @throws InputError where there is no point.
 */
export function imageExtent(
  points: Float64Array,
  thetaDeg: number,
  phiDeg: number,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): ImageExtent {
  if (points.length < 3) throw new InputError('the target has no vertices: nothing to image')
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const extent: ImageExtent = { rangeM: [Infinity, -Infinity], crossRangeM: [Infinity, -Infinity] }
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i] - phaseCentre[0]
    const y = points[i + 1] - phaseCentre[1]
    const z = points[i + 2] - phaseCentre[2]
    include(extent.rangeM, -(x * r[0] + y * r[1] + z * r[2]))
    include(extent.crossRangeM, x * phiHat[0] + y * phiHat[1] + z * phiHat[2])
  }
  return extent
}

function include(interval: [number, number], value: number): void {
  if (value < interval[0]) interval[0] = value
  if (value > interval[1]) interval[1] = value
}
