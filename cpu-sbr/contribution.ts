import { type Aspect, type Vec3 } from '../scene/index.js'
import { gordonCoefficients, type RayScene, type SbrOptions } from '../rays/index.js'

/**
 * Numbers per parallelogram: path length L [m], amplitudes VV HH VH HV [m^2], half phase spans x 2 [m], and the sum of the
 * first hit and this one (`Look`) [m].
 */
export const FLAT_SIZE = 10
/** Numbers per quadrilateral: path length L [m], amplitudes VV HH VH HV [1], 4 x 3 Gordon coefficients, twice the hit [m]. */
export const QUAD_SIZE = 20

/** A list of fixed-size records that grows. */
export class Records {
  data: Float64Array
  length = 0
  constructor(readonly size: number) {
    this.data = new Float64Array(size * 256)
  }
  /** Position of a new record. */
  next(): number {
    const at = this.length * this.size
    if (at + this.size > this.data.length) {
      const grown = new Float64Array(2 * this.data.length)
      grown.set(this.data)
      this.data = grown
    }
    this.length++
    return at
  }
}

/** The tube that a contribution belongs to: position of its centre on the aperture plane and its side. */
export interface Tube {
  ox: number
  oy: number
  oz: number
  side: number
}

/**
 * Turns paths into what they radiate (docs/theory.md, "The field of a tube"). With incident direction d, real field E per
 * transmit polarisation, unit normal n (n . d < 0) and receiver direction s, a bounce at r contributes
 *   F += (jk / 4 pi) V exp(-jk L) I(k),   L = psi - s . r,   I = integral of exp(jk (s - d) . (r' - r)) over its footprint,
 * with e_rx . V = -2 e_rx . (n x (d x E)) for physical optics, and e_rx . V = -e_rx . (n x (d_r x E_r)) + e_rx . (E_r x n)
 * reduced to the transverse plane for the exit formulation (E and H of the reflected field, last bounce only).
 */
export class Contributor {
  readonly flat = new Records(FLAT_SIZE)
  readonly quad = new Records(QUAD_SIZE)
  private readonly s: Vec3
  private readonly e = new Float64Array(6)
  private readonly q = new Float64Array(12)
  private readonly amplitude = new Float64Array(4)

  /** @param d,u,v  incidence and lattice axes (see `Aperture`) */
  constructor(
    private readonly scene: RayScene,
    private readonly aspect: Aspect,
    private readonly options: SbrOptions,
    private readonly d: Vec3,
    private readonly u: Vec3,
    private readonly v: Vec3,
  ) {
    this.s = aspect.rx.r
  }

  clear(): void {
    this.flat.length = 0
    this.quad.length = 0
  }

  /**
   * Adds the contributions of the path `facets[0 ... count)` of a tube's central ray. Bit m of `visible`: hit m sees
   * the receiver. With `corners` (the first facets of the corner rays, in the order ++ -+ -- +- of u and v; only for
   * paths of one bounce) the footprint is the quadrilateral of their hits, else parallelograms. Returns whether any
   * bounce radiates.
   */
  add(tube: Tube, facets: Int32Array, count: number, visible: number, corners: Int32Array | null): boolean {
    let any = false
    const { options, e, s, aspect } = this
    const exit = options.formulation === 'exit'
    let { ox, oy, oz } = tube
    let [dx, dy, dz] = this.d
    let psi = ox * dx + oy * dy + oz * dz
    let [fx, fy, fz] = [0, 0, 0]
    let ax = this.u[0] * tube.side
    let ay = this.u[1] * tube.side
    let az = this.u[2] * tube.side
    let bx = this.v[0] * tube.side
    let by = this.v[1] * tube.side
    let bz = this.v[2] * tube.side
    const { thetaHat, phiHat } = aspect.tx
    e[0] = thetaHat[0]
    e[1] = thetaHat[1]
    e[2] = thetaHat[2]
    e[3] = phiHat[0]
    e[4] = phiHat[1]
    e[5] = phiHat[2]
    const { normals } = this.scene
    for (let m = 0; m < count; m++) {
      const f = 4 * facets[m]
      let nx = normals[f]
      let ny = normals[f + 1]
      let nz = normals[f + 2]
      let offset = normals[f + 3]
      let nd = nx * dx + ny * dy + nz * dz
      if (nd > 0) {
        nx = -nx
        ny = -ny
        nz = -nz
        nd = -nd
        offset = -offset
      }
      const t = (offset - nx * ox - ny * oy - nz * oz) / nd
      ox += t * dx
      oy += t * dy
      oz += t * dz
      psi += t
      if (m === 0) [fx, fy, fz] = [ox, oy, oz]
      // Footprint: the tube's sides slid along d onto the facet's plane.
      const ka = (nx * ax + ny * ay + nz * az) / nd
      const kb = (nx * bx + ny * by + nz * bz) / nd
      const radiates =
        (exit ? m === count - 1 : (visible >> m) & 1) &&
        (options.onlyBounce === undefined || options.onlyBounce === m + 1)
      if (radiates) {
        any = true
        this.amplitudes(dx, dy, dz, nx, ny, nz, nd, exit)
        const L = psi - s[0] * ox - s[1] * oy - s[2] * oz
        const wx = s[0] - dx
        const wy = s[1] - dy
        const wz = s[2] - dz
        if (corners) this.addQuad(tube, corners, L, ox, oy, oz, wx, wy, wz)
        else {
          const px = ax - ka * dx
          const py = ay - ka * dy
          const pz = az - ka * dz
          const qx = bx - kb * dx
          const qy = by - kb * dy
          const qz = bz - kb * dz
          const cx = py * qz - pz * qy
          const cy = pz * qx - px * qz
          const cz = px * qy - py * qx
          const area = Math.sqrt(cx * cx + cy * cy + cz * cz)
          const at = this.flat.next()
          const out = this.flat.data
          out[at] = L
          for (let c = 0; c < 4; c++) out[at + 1 + c] = this.amplitude[c] * area
          out[at + 5] = 0.5 * (wx * px + wy * py + wz * pz)
          out[at + 6] = 0.5 * (wx * qx + wy * qy + wz * qz)
          out[at + 7] = fx + ox
          out[at + 8] = fy + oy
          out[at + 9] = fz + oz
        }
      }
      if (m === count - 1) break
      const na = 2 * nd * ka
      const nb = 2 * nd * kb
      ax -= na * nx
      ay -= na * ny
      az -= na * nz
      bx -= nb * nx
      by -= nb * ny
      bz -= nb * nz
      for (let p = 0; p < 6; p += 3) {
        const ne = 2 * (nx * e[p] + ny * e[p + 1] + nz * e[p + 2])
        e[p] = ne * nx - e[p]
        e[p + 1] = ne * ny - e[p + 1]
        e[p + 2] = ne * nz - e[p + 2]
      }
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
    }
    return any
  }

  /** e_rx . V for the four channels into `amplitude`, from the incident field `e` of this bounce. */
  private amplitudes(
    dx: number,
    dy: number,
    dz: number,
    nx: number,
    ny: number,
    nz: number,
    nd: number,
    exit: boolean,
  ): void {
    const { e, aspect, amplitude } = this
    for (let p = 0; p < 2; p++) {
      const ex = e[3 * p]
      const ey = e[3 * p + 1]
      const ez = e[3 * p + 2]
      const ne = nx * ex + ny * ey + nz * ez
      // n x (d x E) = d (n.E) - E (n.d)
      let jx = 2 * (dx * ne - ex * nd)
      let jy = 2 * (dy * ne - ey * nd)
      let jz = 2 * (dz * ne - ez * nd)
      let mx = 0
      let my = 0
      let mz = 0
      if (exit) {
        const rx = 2 * ne * nx - ex
        const ry = 2 * ne * ny - ey
        const rz = 2 * ne * nz - ez
        const fx = dx - 2 * nd * nx
        const fy = dy - 2 * nd * ny
        const fz = dz - 2 * nd * nz
        // n . d_r = -n . d and n . E_r = n . E at a perfect conductor
        jx = fx * ne + rx * nd
        jy = fy * ne + ry * nd
        jz = fz * ne + rz * nd
        mx = ry * nz - rz * ny
        my = rz * nx - rx * nz
        mz = rx * ny - ry * nx
      }
      // e . [s x (s x J) + s x M] = -e . J - (s x e) . M for e perpendicular to s
      const h = aspect.rx.phiHat
      const v = aspect.rx.thetaHat
      // s x theta-hat = phi-hat, s x phi-hat = -theta-hat
      const toV = -(v[0] * jx + v[1] * jy + v[2] * jz) - (h[0] * mx + h[1] * my + h[2] * mz)
      const toH = -(h[0] * jx + h[1] * jy + h[2] * jz) + (v[0] * mx + v[1] * my + v[2] * mz)
      if (p === 0) {
        amplitude[0] = toV
        amplitude[2] = toH
      } else {
        amplitude[3] = toV
        amplitude[1] = toH
      }
    }
  }

  private addQuad(
    tube: Tube,
    corners: Int32Array,
    L: number,
    ox: number,
    oy: number,
    oz: number,
    wx: number,
    wy: number,
    wz: number,
  ): void {
    const { q, u, v, d } = this
    const { normals } = this.scene
    const half = 0.5 * tube.side
    for (let i = 0; i < 4; i++) {
      const su = i === 0 || i === 3 ? half : -half
      const sv = i < 2 ? half : -half
      const x = tube.ox + su * u[0] + sv * v[0]
      const y = tube.oy + su * u[1] + sv * v[1]
      const z = tube.oz + su * u[2] + sv * v[2]
      const f = 4 * corners[i]
      const t =
        (normals[f + 3] - normals[f] * x - normals[f + 1] * y - normals[f + 2] * z) /
        (normals[f] * d[0] + normals[f + 1] * d[1] + normals[f + 2] * d[2])
      q[3 * i] = x + t * d[0] - ox
      q[3 * i + 1] = y + t * d[1] - oy
      q[3 * i + 2] = z + t * d[2] - oz
    }
    this.pushQuad(L, wx, wy, wz, ox, oy, oz)
  }

  /** Adds the quadrilateral of corners `q` about the point (ox, oy, oz) of path length L. */
  private pushQuad(L: number, wx: number, wy: number, wz: number, ox: number, oy: number, oz: number): void {
    const { q } = this
    let sx = 0
    let sy = 0
    let sz = 0
    for (let i = 0; i < 12; i += 3) {
      const j = (i + 3) % 12
      sx += q[i + 1] * q[j + 2] - q[i + 2] * q[j + 1]
      sy += q[i + 2] * q[j] - q[i] * q[j + 2]
      sz += q[i] * q[j + 1] - q[i + 1] * q[j]
    }
    const area2 = Math.hypot(sx, sy, sz)
    if (area2 === 0) return
    const at = this.quad.next()
    const out = this.quad.data
    out[at] = L
    out.set(this.amplitude, at + 1)
    out[at + 17] = 2 * ox
    out[at + 18] = 2 * oy
    out[at + 19] = 2 * oz
    gordonCoefficients(q, 4, [wx, wy, wz], [sx / area2, sy / area2, sz / area2], out, at + 5)
  }
}
