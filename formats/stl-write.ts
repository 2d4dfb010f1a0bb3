import { facetCount, type Mesh } from '../scene/index.js'

/** Binary STL of a mesh: 84 + 50 T bytes, unit normals by the right-hand rule, coordinates rounded to float32. */
export function writeBinaryStl(mesh: Mesh, header = 'isar'): Uint8Array {
  const n = facetCount(mesh)
  const bytes = new Uint8Array(84 + 50 * n)
  // A binary file must not start with "solid": readers would treat it as ASCII.
  bytes.set(new TextEncoder().encode(`isar binary STL: ${header}`).subarray(0, 80))
  const view = new DataView(bytes.buffer)
  view.setUint32(80, n, true)
  const p = mesh.positions
  for (let t = 0; t < n; t++) {
    const [a, b, c] = [0, 1, 2].map((i) => 3 * mesh.triangles[3 * t + i])
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const m = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    const length = Math.hypot(m[0], m[1], m[2]) || 1
    const at = 84 + 50 * t
    for (let i = 0; i < 3; i++) {
      view.setFloat32(at + 4 * i, m[i] / length, true)
      view.setFloat32(at + 12 + 4 * i, p[a + i], true)
      view.setFloat32(at + 24 + 4 * i, p[b + i], true)
      view.setFloat32(at + 36 + 4 * i, p[c + i], true)
    }
  }
  return bytes
}
