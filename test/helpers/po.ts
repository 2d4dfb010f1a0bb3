import { wavenumber, cross, dot, type Aspect, type Vec3, type Mesh } from '../../scene/index.js'

/**
 * Physical optics of a convex body, straight from its definition: currents 2 n x H on every facet that faces the
 * transmitter, each facet integrated by Gordon's contour formula. F [m], 8 numbers (re, im of VV HH VH HV), phase
 * about the mesh's origin. Facets behind others would radiate too: for convex bodies and single sheets only.
 */
export function facetPo(mesh: Mesh, freqHz: number, { tx, rx }: Aspect): Float64Array {
  const k = wavenumber(freqHz)
  const { positions: p, triangles } = mesh
  const w = rx.r.map((s, a) => k * (s + tx.r[a])) as Vec3
  const d = tx.r.map((x) => -x) as Vec3
  const out = new Float64Array(8)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map(
      (i) => Array.from(p.subarray(3 * triangles[t + i], 3 * triangles[t + i] + 3)) as Vec3,
    )
    const u = b.map((x, i) => x - a[i]) as Vec3
    const v = c.map((x, i) => x - a[i]) as Vec3
    const doubleNormal = cross(u, v)
    const n = doubleNormal.map((x) => x / Math.hypot(...doubleNormal)) as Vec3
    if (dot(n, tx.r) <= 0) continue
    const [re, im] = trianglePhase([a, b, c], n, w)
    ;[tx.thetaHat, tx.phiHat].forEach((e, transmit) => {
      const j = cross(n, cross(d, e)).map((x) => 2 * x) as Vec3
      ;[rx.thetaHat, rx.phiHat].forEach((receive, r) => {
        // s x (s x J) is minus the part of J across s
        const amplitude = -dot(receive, j)
        const at = 2 * [0, 2, 3, 1][2 * transmit + r]
        // times jk / 4 pi
        out[at] -= (k / (4 * Math.PI)) * amplitude * im
        out[at + 1] += (k / (4 * Math.PI)) * amplitude * re
      })
    })
  }
  return out
}

/** Integral of exp(j w . r) over a triangle (W. B. Gordon, IEEE Trans. AP 23, 1975). */
export function trianglePhase(vertices: Vec3[], n: Vec3, w: Vec3): [number, number] {
  const along = dot(w, n)
  const wt = w.map((x, i) => x - along * n[i]) as Vec3
  const t2 = dot(wt, wt)
  const [a, b, c] = vertices
  if (t2 < 1e-12) {
    const area =
      Math.hypot(...cross(b.map((x, i) => x - a[i]) as Vec3, c.map((x, i) => x - a[i]) as Vec3)) / 2
    const phase = dot(w, [0, 1, 2].map((i) => (a[i] + b[i] + c[i]) / 3) as Vec3)
    return [area * Math.cos(phase), area * Math.sin(phase)]
  }
  let re = 0
  let im = 0
  for (let i = 0; i < 3; i++) {
    const from = vertices[i]
    const to = vertices[(i + 1) % 3]
    const edge = to.map((x, q) => x - from[q]) as Vec3
    const half = dot(wt, edge) / 2
    const phase = dot(w, from.map((x, q) => (x + to[q]) / 2) as Vec3)
    const g = (dot(wt, cross(edge, n)) / t2) * (half === 0 ? 1 : Math.sin(half) / half)
    re += g * Math.sin(phase)
    im -= g * Math.cos(phase)
  }
  return [re, im]
}
