// Over 300 lines: the steps of docs/theory.md, "The field of a tube", together and under the same names as in shaders/contributions.wgsl.
// Vectors are written out by coordinates where every bounce passes: helpers that V8 does not inline made 3 bounces cost 290 ns in the
// place of 220.
import type { Aspect } from '../scene/index.js'
import { gordonCoefficients, type RayScene, type SbrOptions } from '../rays/index.js'
import { PARALLELOGRAM, QUADRILATERAL, Records } from './records.js'
import { along, combine, copy, cross, type Vector, vector } from './vector.js'

const [VV, HH, VH, HV] = [0, 1, 2, 3]

/** The lattice cell of a tube: its centre on the aperture plane and its side h, halved by each subdivision [m]. */
export interface Tube {
  ox: number
  oy: number
  oz: number
  side: number
}

/** A facet's plane n.r = offset, its unit normal turned against the incidence: n.d < 0. */
class Plane {
  readonly n = vector()
  nd = 0.5
  private offset = 0.5

  constructor(private readonly normals: Float64Array) {}

  face(facet: number, d: Vector): void {
    const { normals, n } = this
    const at = 4 * facet
    const nd = normals[at] * d[0] + normals[at + 1] * d[1] + normals[at + 2] * d[2]
    const flip = nd > 0 ? -1 : 1
    n[0] = flip * normals[at]
    n[1] = flip * normals[at + 1]
    n[2] = flip * normals[at + 2]
    this.offset = flip * normals[at + 3]
    this.nd = flip * nd
  }

  /** From r along d: t = (offset - n.r) / (n.d). */
  distanceTo(r: Vector): number {
    const { n, nd, offset } = this
    return (offset - n[0] * r[0] - n[1] * r[1] - n[2] * r[2]) / nd
  }
}

/**
 * Turns paths into what they radiate: `parallelograms` and `quadrilaterals`, to be summed over frequency (`FieldSum`).
 * Fields are real: the path length L = psi - s.r carries all phase. `add` launches a tube (steps 1 and 2) and for every bounce takes hit (3), footprint
 * (4), contribution (5, 6 and equation (4) of docs/theory.md, whose factor jk / 4 pi the sum applies) and reflection (7).
 */
export class Contributor {
  readonly parallelograms = new Records(PARALLELOGRAM)
  readonly quadrilaterals = new Records(QUADRILATERAL)
  private readonly exitForm: boolean
  /** Direction of the rays launched, and lattice axes. */
  private readonly d0: Vector
  private readonly u: Vector
  private readonly v: Vector
  /** To the receiver; theta-hat and phi-hat of transmitter and receiver. */
  private readonly s: Vector
  private readonly txV: Vector
  private readonly txH: Vector
  private readonly rxV: Vector
  private readonly rxH: Vector

  // A tube on its way from bounce to bounce.
  /** Central ray: its launch point, then its last hit [m]; direction of incidence. */
  private readonly r = vector()
  private readonly d = vector()
  /** Phase path: d0.r of the launch point + the legs since, up to r [m]. 0.5, as below: V8 keeps the field a double. */
  private psi = 0.5
  /** Sides of its cross-section [m]. */
  private readonly a = vector()
  private readonly b = vector()
  /** E of the incident wave, transmitted as theta-hat, as phi-hat. */
  private readonly incidentV = vector()
  private readonly incidentH = vector()
  /** First hit [m]. */
  private readonly first = vector()

  // Of one bounce.
  private readonly plane: Plane
  private readonly footprintA = vector()
  private readonly footprintB = vector()
  /** How far the sides slide against d: p = a - slideA d with slideA = (n.a) / (n.d), q likewise [m]. */
  private slideA = 0.5
  private slideB = 0.5
  /** Electric current eta J; magnetic current M, which is 0 except in the exit form. */
  private readonly j = vector()
  private readonly m = vector()
  private readonly reflectedE = vector()
  private readonly reflectedD = vector()
  private readonly amplitude = new Float64Array(4)
  private readonly cornerPlane: Plane
  private readonly corner = vector()
  private readonly q = new Float64Array(12)

  /** @param d,u,v  incidence and lattice axes (see `Aperture`) */
  constructor(
    scene: RayScene,
    { tx, rx }: Aspect,
    private readonly options: SbrOptions,
    d: ArrayLike<number>,
    u: ArrayLike<number>,
    v: ArrayLike<number>,
  ) {
    this.exitForm = options.formulation === 'exit'
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

  /**
   * Adds the contributions of the path `facets[0 ... count)` of a tube's central ray. Bit m of `visible`: hit m sees
   * the receiver. With `corners` (the first facets of the corner rays, in the order ++ -+ -- +- of u and v; only for
   * paths of one bounce) the footprint is the quadrilateral of their hits, else parallelograms. Returns whether any
   * bounce radiates.
   */
  add(tube: Tube, facets: Int32Array, count: number, visible: number, corners: Int32Array | null): boolean {
    const { exitForm } = this
    const { onlyBounce } = this.options
    let any = false
    this.launch(tube)
    for (let m = 0; m < count; m++) {
      this.hit(facets[m])
      if (m === 0) copy(this.r, this.first)
      this.footprint()
      const radiates =
        (exitForm ? m === count - 1 : (visible >> m) & 1) &&
        (onlyBounce === undefined || onlyBounce === m + 1)
      if (radiates) {
        any = true
        if (corners) this.addQuadrilateral(this.cornerHits(tube, corners))
        else this.addParallelogram()
      }
      if (m < count - 1) this.reflection()
    }
    return any
  }

  /** 1, launch: the tube about its centre on the aperture, with psi = d0.r and sides h u, h v. */
  private launch({ ox, oy, oz, side }: Tube): void {
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

  /** 2, incident field: the transmitted plane wave of amplitude 1; its phase is in psi. */
  private incidentField(): void {
    copy(this.txV, this.incidentV)
    copy(this.txH, this.incidentH)
  }

  /** 3, hit: r + t d on the facet's plane; psi + t. */
  private hit(facet: number): void {
    const { plane, r, d } = this
    plane.face(facet, d)
    const t = plane.distanceTo(r)
    r[0] += t * d[0]
    r[1] += t * d[1]
    r[2] += t * d[2]
    this.psi += t
  }

  /** 4, footprint: the sides slid along d onto the plane, a - d (n.a) / (n.d). */
  private footprint(): void {
    const { a, b, d, footprintA, footprintB } = this
    const { n, nd } = this.plane
    const slideA = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / nd
    const slideB = (n[0] * b[0] + n[1] * b[1] + n[2] * b[2]) / nd
    footprintA[0] = a[0] - slideA * d[0]
    footprintA[1] = a[1] - slideA * d[1]
    footprintA[2] = a[2] - slideA * d[2]
    footprintB[0] = b[0] - slideB * d[0]
    footprintB[1] = b[1] - slideB * d[1]
    footprintB[2] = b[2] - slideB * d[2]
    this.slideA = slideA
    this.slideB = slideB
  }

  /**
   * 5, current under the incident field e: eta J = 2n x (d x E) of physical optics; in the exit form n x (d_r x E_r) and
   * M = E_r x n of the reflected field, where n.d_r = -n.d and n.E_r = n.E.
   */
  private current(e: Vector): void {
    const { d, j, m, reflectedE, reflectedD } = this
    const { n, nd } = this.plane
    const ne = n[0] * e[0] + n[1] * e[1] + n[2] * e[2]
    if (this.exitForm) {
      mirroredField(e, n, reflectedE)
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
   * 6, radiated amplitude e_rx.V, V = s x (s x eta J) + s x M, for e_rx = theta-hat and phi-hat of the receiver:
   * e_rx.V = -e_rx.eta J - (s x e_rx).M, with s x theta-hat = phi-hat, s x phi-hat = -theta-hat.
   */
  private radiatedAmplitude(toV: number, toH: number): void {
    const { rxV, rxH, j, m, amplitude } = this
    const vj = rxV[0] * j[0] + rxV[1] * j[1] + rxV[2] * j[2]
    const hj = rxH[0] * j[0] + rxH[1] * j[1] + rxH[2] * j[2]
    const vm = rxV[0] * m[0] + rxV[1] * m[1] + rxV[2] * m[2]
    const hm = rxH[0] * m[0] + rxH[1] * m[1] + rxH[2] * m[2]
    amplitude[toV] = -vj - hm
    amplitude[toH] = -hj + vm
  }

  /** Steps 5 and 6 for both transmitted polarisations. */
  private radiatedAmplitudes(): void {
    this.current(this.incidentV)
    this.radiatedAmplitude(VV, VH)
    this.current(this.incidentH)
    this.radiatedAmplitude(HV, HH)
  }

  /** 7, reflection: the fields by E_r, the direction by d - 2n (n.d), and the sides like the direction. */
  private reflection(): void {
    const { a, b, d, incidentV, incidentH } = this
    const { n, nd } = this.plane
    // 2 n.a and 2 n.b: slides times n.d.
    const twiceA = 2 * nd * this.slideA
    const twiceB = 2 * nd * this.slideB
    const twiceD = 2 * nd
    a[0] -= twiceA * n[0]
    a[1] -= twiceA * n[1]
    a[2] -= twiceA * n[2]
    b[0] -= twiceB * n[0]
    b[1] -= twiceB * n[1]
    b[2] -= twiceB * n[2]
    mirroredField(incidentV, n, incidentV)
    mirroredField(incidentH, n, incidentH)
    d[0] -= twiceD * n[0]
    d[1] -= twiceD * n[1]
    d[2] -= twiceD * n[2]
  }

  /** Contribution through a parallelogram. */
  private addParallelogram(): void {
    const { first, r, s, d, psi, footprintA, footprintB, amplitude, parallelograms } = this
    this.radiatedAmplitudes()
    // Scattering vector w = s - d: the phase over the footprint goes as exp(jk w.(r' - r)).
    const wx = s[0] - d[0]
    const wy = s[1] - d[1]
    const wz = s[2] - d[2]
    const areaX = footprintA[1] * footprintB[2] - footprintA[2] * footprintB[1]
    const areaY = footprintA[2] * footprintB[0] - footprintA[0] * footprintB[2]
    const areaZ = footprintA[0] * footprintB[1] - footprintA[1] * footprintB[0]
    const area = Math.sqrt(areaX * areaX + areaY * areaY + areaZ * areaZ)
    const record = parallelograms.next()
    const { data } = parallelograms
    // Path length L = psi - s.r.
    data[record + PARALLELOGRAM.pathLength] = psi - s[0] * r[0] - s[1] * r[1] - s[2] * r[2]
    data[record + PARALLELOGRAM.hitSum] = first[0] + r[0]
    data[record + PARALLELOGRAM.hitSum + 1] = first[1] + r[1]
    data[record + PARALLELOGRAM.hitSum + 2] = first[2] + r[2]
    data[record + PARALLELOGRAM.amplitudes + VV] = amplitude[VV] * area
    data[record + PARALLELOGRAM.amplitudes + HH] = amplitude[HH] * area
    data[record + PARALLELOGRAM.amplitudes + VH] = amplitude[VH] * area
    data[record + PARALLELOGRAM.amplitudes + HV] = amplitude[HV] * area
    const spanA = wx * footprintA[0] + wy * footprintA[1] + wz * footprintA[2]
    const spanB = wx * footprintB[0] + wy * footprintB[1] + wz * footprintB[2]
    data[record + PARALLELOGRAM.spans] = 0.5 * spanA
    data[record + PARALLELOGRAM.spans + 1] = 0.5 * spanB
  }

  /** Footprint of a tube across facets of one smooth surface: the hits of its corner rays ++ -+ -- +-, relative to the central one's. */
  private cornerHits(tube: Tube, corners: Int32Array): Float64Array {
    const { q, u, v, d, r, corner, cornerPlane } = this
    const half = 0.5 * tube.side
    for (let i = 0; i < 4; i++) {
      const halfU = i === 0 || i === 3 ? half : -half
      const halfV = i < 2 ? half : -half
      corner[0] = tube.ox + halfU * u[0] + halfV * v[0]
      corner[1] = tube.oy + halfU * u[1] + halfV * v[1]
      corner[2] = tube.oz + halfU * u[2] + halfV * v[2]
      cornerPlane.face(corners[i], d)
      along(corner, cornerPlane.distanceTo(corner), d, corner)
      for (let c = 0; c < 3; c++) q[3 * i + c] = corner[c] - r[c]
    }
    return q
  }

  /** Contribution through a quadrilateral q: one bounce of a tube across facets. */
  private addQuadrilateral(q: Float64Array): void {
    const { r, s, d, psi, amplitude, quadrilaterals } = this
    this.radiatedAmplitudes()
    let areaX = 0
    let areaY = 0
    let areaZ = 0
    for (let i = 0; i < 12; i += 3) {
      const j = (i + 3) % 12
      areaX += q[i + 1] * q[j + 2] - q[i + 2] * q[j + 1]
      areaY += q[i + 2] * q[j] - q[i] * q[j + 2]
      areaZ += q[i] * q[j + 1] - q[i + 1] * q[j]
    }
    const twiceArea = Math.hypot(areaX, areaY, areaZ)
    if (twiceArea === 0) return
    const normal = [areaX / twiceArea, areaY / twiceArea, areaZ / twiceArea]
    const w = [s[0] - d[0], s[1] - d[1], s[2] - d[2]]
    const record = quadrilaterals.next()
    const { data } = quadrilaterals
    data[record + QUADRILATERAL.pathLength] = psi - s[0] * r[0] - s[1] * r[1] - s[2] * r[2]
    for (let c = 0; c < 3; c++) data[record + QUADRILATERAL.hitSum + c] = 2 * r[c]
    for (let c = 0; c < 4; c++) data[record + QUADRILATERAL.amplitudes + c] = amplitude[c]
    gordonCoefficients(q, 4, w, normal, data, record + QUADRILATERAL.edges)
  }
}

/** E_r = 2n (n.E) - E */
function mirroredField(e: Vector, n: Vector, out: Vector): void {
  const twice = 2 * (n[0] * e[0] + n[1] * e[1] + n[2] * e[2])
  out[0] = twice * n[0] - e[0]
  out[1] = twice * n[1] - e[1]
  out[2] = twice * n[2] - e[2]
}
