// Vectors are written out by coordinates where every bounce passes: helpers that V8 does not inline made 3 bounces cost 290 ns in the
// place of 220.
import type { Aspect } from '../scene/index.js'
import { gordonCoefficients, isExitForm, type RayScene, type SbrOptions } from '../rays/index.js'
import type { PathTracer } from './path-tree.js'
import { PARALLELOGRAM, QUADRILATERAL, Records } from './records.js'
import { along, combine, copy, cross, type Vector, vector } from './prism.js'

const [VV, HH, VH, HV] = [0, 1, 2, 3]

/** The lattice cell from which a tube is launched: its centre on the aperture plane and its side h, halved by each subdivision [m]. */
export interface Cell {
  ox: number
  oy: number
  oz: number
  side: number
}

/** A facet's plane n.r = offset, its unit normal oriented against the incidence: n.d < 0. */
class Plane {
  readonly n = vector()
  /** n.d */
  nd = NaN
  private offset = NaN

  constructor(private readonly normals: Float64Array) {}

  orient(facet: number, d: Vector): void {
    const { normals, n } = this
    const at = 4 * facet
    const nd = normals[at] * d[0] + normals[at + 1] * d[1] + normals[at + 2] * d[2]
    const sign = nd > 0 ? -1 : 1
    n[0] = sign * normals[at]
    n[1] = sign * normals[at + 1]
    n[2] = sign * normals[at + 2]
    this.offset = sign * normals[at + 3]
    this.nd = sign * nd
  }

  /** From r along d: t = (offset - n.r) / (n.d). */
  distanceTo(r: Vector): number {
    const { n, nd, offset } = this
    return (offset - n[0] * r[0] - n[1] * r[1] - n[2] * r[2]) / nd
  }
}

/**
 * What paths radiate: `parallelograms` and `quadrilaterals`, to be summed over frequency (`FieldSum`). Steps, equations and symbols
 * have the numbers and names of docs/theory.md, "The field of a tube". `add` launches a tube (steps 1 and 2). Every bounce takes step 3,
 * hit, and 4, footprint; where it radiates 5, current, 6, radiated amplitude, and 7, contribution; then 8, reflection. Fields are
 * real: the path length L = psi - s.r carries all phase.
 */
export class Contributor {
  readonly parallelograms = new Records(PARALLELOGRAM)
  readonly quadrilaterals = new Records(QUADRILATERAL)
  private readonly exitForm: boolean
  /** Direction of the rays launched; lattice axes. */
  private readonly d0: Vector
  private readonly u: Vector
  private readonly v: Vector
  /** Direction to the receiver; e_tx and e_rx of the polarisations V (theta-hat) and H (phi-hat). */
  private readonly s: Vector
  private readonly txV: Vector
  private readonly txH: Vector
  private readonly rxV: Vector
  private readonly rxH: Vector

  // A tube on its way from bounce to bounce.
  /** Central ray: its launch point, then its last hit [m]; unit direction of incidence. */
  private readonly r = vector()
  private readonly d = vector()
  /** Phase path: d0.r of the launch point + the legs since, up to r [m]. NaN until it is set, as below: V8 keeps the field a double. */
  private psi = NaN
  /** Sides, across d [m]. */
  private readonly a = vector()
  private readonly b = vector()
  /** E of the incident wave of transmitted V and of transmitted H. */
  private readonly incidentV = vector()
  private readonly incidentH = vector()
  /** First hit [m]. */
  private readonly firstHit = vector()

  // Of one bounce.
  private readonly plane: Plane
  /** Sides of the footprint: p = a - slideA d with slideA = (n.a) / (n.d), q = b - slideB d [m]. */
  private readonly p = vector()
  private readonly q = vector()
  private slideA = NaN
  private slideB = NaN
  /** Electric current eta J; magnetic current M, 0 except in the exit form. */
  private readonly j = vector()
  private readonly m = vector()
  private readonly reflectedE = vector()
  private readonly reflectedD = vector()
  /** A of VV HH VH HV. */
  private readonly amplitudes = new Float64Array(4)
  private readonly cornerPlane: Plane
  private readonly cornerRay = vector()
  private readonly corners = new Float64Array(12)

  /** @param d,u,v  incidence and lattice axes (see `Aperture`) */
  constructor(
    scene: RayScene,
    { tx, rx }: Aspect,
    private readonly options: SbrOptions,
    d: ArrayLike<number>,
    u: ArrayLike<number>,
    v: ArrayLike<number>,
  ) {
    this.exitForm = isExitForm(options)
    this.d0 = vector(d)
    this.u = vector(u)
    this.v = vector(v)
    this.s = vector(rx.r)
    this.txV = vector(tx.thetaHat)
    this.txH = vector(tx.phiHat)
    this.rxV = vector(rx.thetaHat)
    this.rxH = vector(rx.phiHat)
    this.plane = new Plane(scene.normals)
    this.cornerPlane = new Plane(scene.normals)
  }

  clear(): void {
    this.parallelograms.length = 0
    this.quadrilaterals.length = 0
  }

  /** Contributions held. */
  get count(): number {
    return this.parallelograms.length + this.quadrilaterals.length
  }

  /** Adds the contributions of the last ray of a tracer, see `add`. */
  addTube(cell: Cell, ray: PathTracer, cornerFacets: Int32Array | null): boolean {
    return this.add(cell, ray.facets, ray.count, ray.visible, cornerFacets)
  }

  /**
   * Adds the contributions of the path `facets[0 ... count)` of a tube's central ray. `visible[m]`: 1 where hit m sees
   * the receiver (see `PathTracer.findVisible`). With `cornerFacets` (the first facets of the corner rays, in the order ++ -+ -- +- of u and v; only for
   * paths of one bounce) the footprint is the quadrilateral of their hits, else parallelograms. Returns whether any
   * bounce radiates.
   */
  add(
    cell: Cell,
    facets: Int32Array,
    count: number,
    visible: Uint8Array,
    cornerFacets: Int32Array | null,
  ): boolean {
    const { exitForm } = this
    const { onlyBounce } = this.options
    let any = false
    this.launch(cell)
    for (let bounce = 0; bounce < count; bounce++) {
      this.hit(facets[bounce])
      if (bounce === 0) copy(this.r, this.firstHit)
      this.footprint()
      const radiates =
        (exitForm ? bounce === count - 1 : visible[bounce] === 1) &&
        (onlyBounce === undefined || onlyBounce === bounce + 1)
      if (radiates) {
        any = true
        if (cornerFacets) this.quadrilateralContribution(this.cornerHits(cell, cornerFacets))
        else this.parallelogramContribution()
      }
      if (bounce < count - 1) this.reflection()
    }
    return any
  }

  /** Step 1, launch, equation (2): r = centre of the cell, d = d0, psi = d0.r, a = h u, b = h v. */
  private launch({ ox, oy, oz, side }: Cell): void {
    const { r, d0, d, u, v, a, b } = this
    r[0] = ox
    r[1] = oy
    r[2] = oz
    copy(d0, d)
    this.psi = ox * d0[0] + oy * d0[1] + oz * d0[2]
    a[0] = u[0] * side
    a[1] = u[1] * side
    a[2] = u[2] * side
    b[0] = v[0] * side
    b[1] = v[1] * side
    b[2] = v[2] * side
    this.incidentField()
  }

  /** Step 2, incident field, equation (3): the transmitted plane wave, E = e_tx. */
  private incidentField(): void {
    copy(this.txV, this.incidentV)
    copy(this.txH, this.incidentH)
  }

  /** Step 3, hit, equation (4): t = (offset - n.r) / (n.d), r <- r + t d, psi <- psi + t. */
  private hit(facet: number): void {
    const { plane, r, d } = this
    plane.orient(facet, d)
    const t = plane.distanceTo(r)
    r[0] += t * d[0]
    r[1] += t * d[1]
    r[2] += t * d[2]
    this.psi += t
  }

  /** Step 4, footprint, equation (5): the sides slid along d onto the plane, p = a - d (n.a) / (n.d), q = b - d (n.b) / (n.d). */
  private footprint(): void {
    const { a, b, d, p, q } = this
    const { n, nd } = this.plane
    const slideA = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / nd
    const slideB = (n[0] * b[0] + n[1] * b[1] + n[2] * b[2]) / nd
    p[0] = a[0] - slideA * d[0]
    p[1] = a[1] - slideA * d[1]
    p[2] = a[2] - slideA * d[2]
    q[0] = b[0] - slideB * d[0]
    q[1] = b[1] - slideB * d[1]
    q[2] = b[2] - slideB * d[2]
    this.slideA = slideA
    this.slideB = slideB
  }

  /** Step 4 of a tube across facets of one smooth surface: the hits of its corner rays ++ -+ -- +-, less that of the central ray [m]. */
  private cornerHits(cell: Cell, cornerFacets: Int32Array): Float64Array {
    const { corners, u, v, d, r, cornerRay, cornerPlane } = this
    const half = 0.5 * cell.side
    for (let i = 0; i < 4; i++) {
      const halfU = i === 0 || i === 3 ? half : -half
      const halfV = i < 2 ? half : -half
      cornerRay[0] = cell.ox + halfU * u[0] + halfV * v[0]
      cornerRay[1] = cell.oy + halfU * u[1] + halfV * v[1]
      cornerRay[2] = cell.oz + halfU * u[2] + halfV * v[2]
      cornerPlane.orient(cornerFacets[i], d)
      along(cornerRay, cornerPlane.distanceTo(cornerRay), d, cornerRay)
      for (let c = 0; c < 3; c++) corners[3 * i + c] = cornerRay[c] - r[c]
    }
    return corners
  }

  /**
   * Step 5, current under the incident field E, equation (6): eta J = 2n x (d x E) = 2 [d (n.E) - E (n.d)]; in the exit form equation
   * (7), paper 003 (2): eta J = n x (d_refl x E_refl) = d_refl (n.E) + E_refl (n.d) and M = E_refl x n.
   */
  private current(e: Vector): void {
    const { d, j, m, reflectedE, reflectedD } = this
    const { n, nd } = this.plane
    const ne = n[0] * e[0] + n[1] * e[1] + n[2] * e[2]
    if (this.exitForm) {
      reflectedField(e, n, reflectedE)
      along(d, -2 * nd, n, reflectedD)
      combine(ne, reflectedD, nd, reflectedE, j)
      cross(reflectedE, n, m)
      return
    }
    j[0] = 2 * (ne * d[0] - nd * e[0])
    j[1] = 2 * (ne * d[1] - nd * e[1])
    j[2] = 2 * (ne * d[2] - nd * e[2])
  }

  /**
   * Step 6, radiated amplitude, equation (8): A = e_rx . [s x (s x eta J) + s x M] = -e_rx.eta J - (s x e_rx).M for the receive
   * polarisations V and H, with s x theta-hat = phi-hat, s x phi-hat = -theta-hat. To `amplitudes` at the channels' places.
   */
  private radiatedAmplitude(toV: number, toH: number): void {
    const { rxV, rxH, j, m, amplitudes } = this
    const jV = rxV[0] * j[0] + rxV[1] * j[1] + rxV[2] * j[2]
    const jH = rxH[0] * j[0] + rxH[1] * j[1] + rxH[2] * j[2]
    const mV = rxV[0] * m[0] + rxV[1] * m[1] + rxV[2] * m[2]
    const mH = rxH[0] * m[0] + rxH[1] * m[1] + rxH[2] * m[2]
    amplitudes[toV] = -jV - mH
    amplitudes[toH] = -jH + mV
  }

  /** Steps 5 and 6 for both transmitted polarisations. */
  private radiatedAmplitudes(): void {
    this.current(this.incidentV)
    this.radiatedAmplitude(VV, VH)
    this.current(this.incidentH)
    this.radiatedAmplitude(HV, HH)
  }

  /**
   * Step 7, contribution, equation (9), through a parallelogram (11): L, A |p x q|, w.p / 2 and w.q / 2, and
   * first hit + this hit for aspect extrapolation. The sum applies the factor jk / 4 pi.
   */
  private parallelogramContribution(): void {
    const { firstHit, r, s, d, psi, p, q, amplitudes, parallelograms } = this
    this.radiatedAmplitudes()
    // Scattering vector w = s - d: the phase over the footprint goes as exp(jk w.(r' - r)).
    const wx = s[0] - d[0]
    const wy = s[1] - d[1]
    const wz = s[2] - d[2]
    const areaX = p[1] * q[2] - p[2] * q[1]
    const areaY = p[2] * q[0] - p[0] * q[2]
    const areaZ = p[0] * q[1] - p[1] * q[0]
    const area = Math.sqrt(areaX * areaX + areaY * areaY + areaZ * areaZ)
    const record = parallelograms.next()
    const { data } = parallelograms
    // Path length L = psi - s.r.
    data[record + PARALLELOGRAM.pathLength] = psi - s[0] * r[0] - s[1] * r[1] - s[2] * r[2]
    data[record + PARALLELOGRAM.hitSum] = firstHit[0] + r[0]
    data[record + PARALLELOGRAM.hitSum + 1] = firstHit[1] + r[1]
    data[record + PARALLELOGRAM.hitSum + 2] = firstHit[2] + r[2]
    data[record + PARALLELOGRAM.amplitudes + VV] = amplitudes[VV] * area
    data[record + PARALLELOGRAM.amplitudes + HH] = amplitudes[HH] * area
    data[record + PARALLELOGRAM.amplitudes + VH] = amplitudes[VH] * area
    data[record + PARALLELOGRAM.amplitudes + HV] = amplitudes[HV] * area
    const spanP = wx * p[0] + wy * p[1] + wz * p[2]
    const spanQ = wx * q[0] + wy * q[1] + wz * q[2]
    data[record + PARALLELOGRAM.spans] = 0.5 * spanP
    data[record + PARALLELOGRAM.spans + 1] = 0.5 * spanQ
  }

  /** Step 7, contribution, equation (9), through the quadrilateral of `corners` (12): L, A, coefficients of Gordon's sum. */
  private quadrilateralContribution(corners: Float64Array): void {
    const { r, s, d, psi, amplitudes, quadrilaterals } = this
    this.radiatedAmplitudes()
    // Twice the vector area.
    let areaX = 0
    let areaY = 0
    let areaZ = 0
    for (let i = 0; i < 12; i += 3) {
      const next = (i + 3) % 12
      areaX += corners[i + 1] * corners[next + 2] - corners[i + 2] * corners[next + 1]
      areaY += corners[i + 2] * corners[next] - corners[i] * corners[next + 2]
      areaZ += corners[i] * corners[next + 1] - corners[i + 1] * corners[next]
    }
    const twiceArea = Math.hypot(areaX, areaY, areaZ)
    if (twiceArea === 0) return
    const normal = [areaX / twiceArea, areaY / twiceArea, areaZ / twiceArea]
    const w = [s[0] - d[0], s[1] - d[1], s[2] - d[2]]
    const record = quadrilaterals.next()
    const { data } = quadrilaterals
    data[record + QUADRILATERAL.pathLength] = psi - s[0] * r[0] - s[1] * r[1] - s[2] * r[2]
    for (let c = 0; c < 3; c++) data[record + QUADRILATERAL.hitSum + c] = 2 * r[c]
    for (let c = 0; c < 4; c++) data[record + QUADRILATERAL.amplitudes + c] = amplitudes[c]
    gordonCoefficients(corners, 4, w, normal, data, record + QUADRILATERAL.edges)
  }

  /** Step 8, reflection, equation (10): E <- E_refl, d <- d_refl = d - 2n (n.d), a <- a - 2n (n.a), b <- b - 2n (n.b). */
  private reflection(): void {
    const { a, b, d, incidentV, incidentH } = this
    const { n, nd } = this.plane
    // n.a = slideA (n.d) and n.b = slideB (n.d).
    const twiceA = 2 * nd * this.slideA
    const twiceB = 2 * nd * this.slideB
    const twiceD = 2 * nd
    a[0] -= twiceA * n[0]
    a[1] -= twiceA * n[1]
    a[2] -= twiceA * n[2]
    b[0] -= twiceB * n[0]
    b[1] -= twiceB * n[1]
    b[2] -= twiceB * n[2]
    reflectedField(incidentV, n, incidentV)
    reflectedField(incidentH, n, incidentH)
    d[0] -= twiceD * n[0]
    d[1] -= twiceD * n[1]
    d[2] -= twiceD * n[2]
  }
}

/** E_refl = 2n (n.E) - E of equation (10). */
function reflectedField(e: Vector, n: Vector, out: Vector): void {
  const twice = 2 * (n[0] * e[0] + n[1] * e[1] + n[2] * e[2])
  out[0] = twice * n[0] - e[0]
  out[1] = twice * n[1] - e[1]
  out[2] = twice * n[2] - e[2]
}
