/**
 * Launch directions: the vertices of an icosahedron whose faces are divided into n^2 triangles each and pushed out to the
 * sphere, 10 n^2 + 2 of them (paper 004, section III.B). A face is a lattice: vertex (i, j), i + j <= n, lies at the
 * corners' weights (n - i - j, i, j). Faces are traced one by one, each with all of its vertices, so that every triangle's
 * corners are at hand there; vertices on a face's rim are traced by each face that has them, and counted by the triangle.
 */

/** Numbers of a face: its three corners, then the rows that give a direction's weights of them. */
const FACE_NUMBERS = 18
export const FACES = 20

/**
 * The icosahedron stands turned by angles without a meaning, so that the axes and planes of a scene never run along an edge
 * of a triangle, where rounding alone would say on which side of it a direction lies.
 */
const TURN: [number, number, number] = [0.4711, 1.2393, 0.7717]

/** 18 numbers per face: corners A, B, C (unit vectors), then the inverse of the matrix [A B C], row by row. */
export const faces: Float64Array = makeFaces()

/** Rays launched by `subdivision` n. */
export const rayCount = (n: number): number => 10 * n * n + 2

/** The smallest subdivision that launches at least so many rays. */
export const subdivisionFor = (rays: number): number => Math.max(1, Math.ceil(Math.sqrt((rays - 2) / 10)))

/** Triangle rows [j0, j1) of a face's lattice, traced together with the vertex rows j0 ... j1. */
export interface LaunchBatch {
  n: number
  face: number
  j0: number
  j1: number
}

/** Vertices of a batch before row j. */
export const rowStart = ({ n, j0 }: LaunchBatch, j: number): number =>
  (j - j0) * (n + 1) - (j * (j - 1) - j0 * (j0 - 1)) / 2

export const batchVertices = (batch: LaunchBatch): number => rowStart(batch, batch.j1 + 1)

/** Lattice places i, j of a batch's rays, one after the other. */
export function vertexPlaces(batch: LaunchBatch): Int32Array {
  const places = new Int32Array(2 * batchVertices(batch))
  let at = 0
  for (let j = batch.j0; j <= batch.j1; j++)
    for (let i = 0; i + j <= batch.n; i++) {
      places[at++] = i
      places[at++] = j
    }
  return places
}

/** Cuts all faces into batches of about `vertices` vertices (a row of triangles at the least). */
export function launchBatches(n: number, vertices: number): LaunchBatch[] {
  const batches: LaunchBatch[] = []
  for (let face = 0; face < FACES; face++)
    for (let j0 = 0; j0 < n;) {
      let j1 = j0 + 1
      while (j1 < n && batchVertices({ n, face, j0, j1: j1 + 1 }) <= vertices) j1++
      batches.push({ n, face, j0, j1 })
      j0 = j1
    }
  return batches
}

/** Unit direction of vertex (i, j) of a face, into out[at ...]. */
export function vertexDirection(
  n: number,
  face: number,
  i: number,
  j: number,
  out: Float64Array,
  at = 0,
): void {
  const f = FACE_NUMBERS * face
  const k = n - i - j
  const x = k * faces[f] + i * faces[f + 3] + j * faces[f + 6]
  const y = k * faces[f + 1] + i * faces[f + 4] + j * faces[f + 7]
  const z = k * faces[f + 2] + i * faces[f + 5] + j * faces[f + 8]
  const scale = 1 / Math.sqrt(x * x + y * y + z * z)
  out[at] = x * scale
  out[at + 1] = y * scale
  out[at + 2] = z * scale
}

/** Lattice steps from a vertex to those it shares a triangle with. */
const NEIGHBOURS = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
]

/**
 * Tangent of the half angle of the ray's cone: the widest angle to a neighbour in the face's lattice, so that whatever
 * direction lies in a triangle lies in the cones of all three of its corners.
 */
export function coneTangent(n: number, face: number, i: number, j: number): number {
  const a = new Float64Array(6)
  vertexDirection(n, face, i, j, a)
  let cosine = 1
  for (const [di, dj] of NEIGHBOURS) {
    if (i + di < 0 || j + dj < 0 || i + di + j + dj > n) continue
    vertexDirection(n, face, i + di, j + dj, a, 3)
    cosine = Math.min(cosine, a[0] * a[3] + a[1] * a[4] + a[2] * a[5])
  }
  return Math.sqrt(1 - cosine * cosine) / cosine
}

/**
 * Sine of the widest circumradius of the vertex's triangles in its face, as an angle: with cones so wide, whatever direction lies in a
 * triangle lies in the cone of its nearest corner, and in none of a ray that is not a neighbour of that.
 */
export function circumradius(n: number, face: number, i: number, j: number): number {
  const p = new Float64Array(9)
  vertexDirection(n, face, i, j, p)
  let widest = 0
  for (let k = 0; k < 6; k++) {
    const [a, b] = [NEIGHBOURS[k], NEIGHBOURS[(k + 1) % 6]]
    if ([a, b].some(([di, dj]) => i + di < 0 || j + dj < 0 || i + di + j + dj > n)) continue
    vertexDirection(n, face, i + a[0], j + a[1], p, 3)
    vertexDirection(n, face, i + b[0], j + b[1], p, 6)
    // R = |a| |b| |a - b| / (2 |a x b|)
    const [ax, ay, az, bx, by, bz] = [p[3] - p[0], p[4] - p[1], p[5] - p[2], p[6] - p[0], p[7] - p[1], p[8] - p[2]] // prettier-ignore
    const sides = Math.hypot(ax, ay, az) * Math.hypot(bx, by, bz) * Math.hypot(ax - bx, ay - by, az - bz)
    const area = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    widest = Math.max(widest, sides / (2 * area))
  }
  return widest
}

/**
 * One of three classes: the corners of every triangle are of three different ones (paper 004, Fig. 3). Of a triangle's
 * corners that meet the same wavefront the lowest class counts it.
 */
export const classOf = (i: number, j: number): number => (i + 2 * j) % 3

/**
 * The triangle of the face that a direction (of any length) lies in: its corners' lattice places in the order of their
 * classes, i0 j0 i1 j1 i2 j2 into `out`. False where the direction lies in another face.
 */
export function locate(n: number, face: number, x: number, y: number, z: number, out: Int32Array): boolean {
  const f = FACE_NUMBERS * face + 9
  const a = faces[f] * x + faces[f + 1] * y + faces[f + 2] * z
  const b = faces[f + 3] * x + faces[f + 4] * y + faces[f + 5] * z
  const c = faces[f + 6] * x + faces[f + 7] * y + faces[f + 8] * z
  if (!(a >= 0 && b >= 0 && c >= 0)) return false
  const u = (n * b) / (a + b + c)
  const v = (n * c) / (a + b + c)
  const i = Math.min(Math.floor(u), n - 1)
  const j = Math.min(Math.floor(v), n - 1 - i)
  const down = u - i + (v - j) > 1 && i + j < n - 1
  place(out, down ? i + 1 : i, down ? j + 1 : j)
  place(out, i + 1, j)
  place(out, i, j + 1)
  return true
}

function place(out: Int32Array, i: number, j: number): void {
  const at = 2 * classOf(i, j)
  out[at] = i
  out[at + 1] = j
}

function makeFaces(): Float64Array {
  const g = (1 + Math.sqrt(5)) / 2
  const corners = [-1, 1].flatMap((a) => [-g, g].flatMap((b) => [[0, a, b], [a, b, 0], [b, 0, a]])) // prettier-ignore
  const length = Math.hypot(1, g)
  const turned = corners.map((p) =>
    TURN.reduce(
      (q, angle, axis) => {
        const [k, l] = [(axis + 1) % 3, (axis + 2) % 3]
        const r = [...q]
        r[k] = q[k] * Math.cos(angle) - q[l] * Math.sin(angle)
        r[l] = q[k] * Math.sin(angle) + q[l] * Math.cos(angle)
        return r
      },
      p.map((x) => x / length),
    ),
  )
  const near = (p: number[], q: number[]): boolean => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1.1
  const out = new Float64Array(FACE_NUMBERS * FACES)
  let face = 0
  for (let i = 0; i < 12; i++)
    for (let j = i + 1; j < 12; j++)
      for (let k = j + 1; k < 12; k++) {
        const [a, b, c] = [turned[i], turned[j], turned[k]]
        if (!(near(a, b) && near(b, c) && near(c, a))) continue
        out.set([...a, ...b, ...c, ...inverseRows(a, b, c)], FACE_NUMBERS * face++)
      }
  return out
}

/** Rows of the inverse of the matrix with columns a, b, c. */
function inverseRows(a: number[], b: number[], c: number[]): number[] {
  const x = (p: number[], q: number[]): number[] => [
    p[1] * q[2] - p[2] * q[1],
    p[2] * q[0] - p[0] * q[2],
    p[0] * q[1] - p[1] * q[0],
  ]
  const rows = [x(b, c), x(c, a), x(a, b)]
  const det = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2]
  return rows.flat().map((v) => v / det)
}
