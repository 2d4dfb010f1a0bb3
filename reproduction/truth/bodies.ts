import { createHash } from 'node:crypto'
import { Random } from '../../math/random.js'
import { circle, merge, orientOutward, type Point, stack, Surface } from '../../samples/models/surface.js'
import {
  type Aspect,
  cross,
  type Direction,
  direction,
  type Mesh,
  prepareTarget,
  type Target,
  type Vec3,
  wavelength,
} from '../../scene/index.js'

/** Of all bodies' random numbers; another one makes another set. */
const SEED = 46
/** Purpose of the streams, none of a dataset's. */
const BODIES = 46
/** Most RWG functions of a body, by estimate: larger ones are scaled down. */
const MOST_UNKNOWNS = 12_000
/** Bodies of a family. */
export const PER_FAMILY = 20
/** Directions of the monostatic and the bistatic cut. */
export const MONOSTATIC = 46
export const BISTATIC = 24

/** A conducting body at one frequency with its two cuts: great circles of random place, the second with one transmitter. */
export interface Body {
  /** Family and number, `box-07`. */
  name: string
  family: Family
  number: number
  /** Even numbers are fitted to, odd ones judge. */
  half: 'fit' | 'judge'
  /** [m] */
  mesh: Mesh
  freqHz: number
  monostatic: Aspect[]
  bistatic: Aspect[]
}

/** Random numbers of one body by the shapes that they draw. */
interface Draw {
  /** Uniform, and uniform in the logarithm. */
  between(low: number, high: number): number
  log(low: number, high: number): number
  whole(low: number, high: number): number
  chance(p: number): boolean
  normal(): number
}

const RAD = Math.PI / 180

/** Families by name, in the order of their random streams: append only. Each returns a mesh in wavelengths. */
const FAMILIES = {
  sheet: (r) => sheet(r, 1, 5),
  sheets,
  box,
  wedge,
  prism,
  cylinder,
  cone,
  'cone-sphere': coneSphere,
  ogive,
  spheroid,
  dihedral,
  trihedral,
  cross: crossing,
  step,
  block,
  pair,
  cavity,
} satisfies Record<string, (r: Draw) => Mesh>
export type Family = keyof typeof FAMILIES
export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[]

/** A body by family and number, the same on every machine up to rounding. */
export function body(family: Family, number: number): Body {
  const random = new Random(SEED, BODIES, FAMILY_NAMES.indexOf(family), number)
  const r: Draw = {
    between: (low, high) => low + (high - low) * random.uniform(),
    log: (low, high) => low * (high / low) ** random.uniform(),
    whole: (low, high) => low + Math.floor((high - low + 1) * random.uniform()),
    chance: (p) => random.uniform() < p,
    normal: () => random.normal(),
  }
  const freqHz = 3e8 * Number(r.log(1, 30).toPrecision(3))
  const turn = rotation(r)
  const grown = r.log(1, 2)
  const shape = affordable(mapped(FAMILIES[family](r), (p) => scaled(p, grown)))
  const lambda = wavelength(freqHz)
  const mesh = mapped(shape, (p) => scaled(turn(p), lambda))
  const D = extent(shape)
  return {
    name: `${family}-${String(number).padStart(2, '0')}`,
    family,
    number,
    half: number % 2 === 0 ? 'fit' : 'judge',
    mesh,
    freqHz,
    ...cuts(r, D, number % 4 < 2 ? null : turn(axisOf(r))),
  }
}

/** Every body of the set. */
export function* bodies(): Generator<Body> {
  for (let number = 0; number < PER_FAMILY; number++)
    for (const family of FAMILY_NAMES) yield body(family, number)
}

/** A short hash of a body's mesh and directions, by which stored fields know that they are of this one. */
export function fingerprint({ mesh, freqHz, monostatic, bistatic }: Body): string {
  const hash = createHash('sha256')
  const lambda = wavelength(freqHz)
  for (const x of mesh.positions) hash.update(`${Math.round((1e5 * x) / lambda)} `)
  hash.update(mesh.triangles.join())
  for (const { tx, rx } of [...monostatic, ...bistatic])
    hash.update([tx.thetaDeg, tx.phiDeg, rx.thetaDeg, rx.phiDeg].map((x) => Math.round(1e3 * x)).join())
  return hash.digest('hex').slice(0, 12)
}

/**
 * Both cuts of a body of size D [wavelengths]. Steps resolve lobes: a fifth of λ/D, and twice that where the transmitter stays.
 * @param through  direction that the monostatic cut passes, null: anywhere
 */
function cuts(r: Draw, D: number, through: Vec3 | null): Pick<Body, 'monostatic' | 'bistatic'> {
  const step = Math.min(8 * RAD, 1 / (5 * D))
  const a = through ?? unit(r)
  const from = through ? -step * r.whole(0, MONOSTATIC - 1) : 0
  const monostatic = greatCircle(r, a, from, step, MONOSTATIC).map((d) => ({ tx: d, rx: d }))
  const tx = angles(unit(r))
  // The receivers begin 10 to 60 degrees away from the transmitter.
  const [start] = greatCircle(r, tx.r, r.between(10, 60) * RAD, 0, 1)
  const receivers = greatCircle(r, start.r, 0, Math.min(12 * RAD, 2 * step), BISTATIC)
  return { monostatic, bistatic: receivers.map((rx) => ({ tx, rx })) }
}

/** Directions along a great circle through `a` in a random plane, from an angle from `a` on [rad]. */
function greatCircle(r: Draw, a: Vec3, from: number, step: number, count: number): Direction[] {
  const b = normalized(cross(a, unit(r)))
  return Array.from({ length: count }, (_, i) => {
    const t = from + step * i
    const [c, s] = [Math.cos(t), Math.sin(t)]
    return angles([c * a[0] + s * b[0], c * a[1] + s * b[1], c * a[2] + s * b[2]])
  })
}

/** The direction of a vector, its angles rounded to a thousandth of a degree. */
function angles([x, y, z]: Vec3): Direction {
  const round = (rad: number): number => Math.round(rad / RAD / 1e-3) * 1e-3
  return direction(round(Math.acos(Math.max(-1, Math.min(1, z)))), round(Math.atan2(y, x)))
}

/** Scaled down to the most unknowns, where it has more. */
function affordable(mesh: Mesh): Mesh {
  const unknowns = unknownsOf(prepareTarget(mesh, { smoothAngleDeg: 20 }))
  let size = 1
  while (unknowns(size) > MOST_UNKNOWNS) size *= 1.02
  return mapped(mesh, (p) => scaled(p, 1 / size))
}

/** About how many RWG functions, by area and edges: of the set alone, as sizes must not move with the solver's estimate. */
function unknownsOf({ area, edges, positions: p }: Target): (wavelength: number) => number {
  const [size, first, growth] = [1 / 8, 1 / 64, 1.5]
  const rows = Math.log(size / first) / Math.log(growth)
  const width = (size - first) / (growth - 1)
  const perLength = 3 * (rows / size - width / (size * size))
  const { vertices, valence, interiorAngle } = edges
  let length = 0
  for (let e = 0; e < valence.length; e++) {
    if (valence[e] === 2 && Math.abs(180 - interiorAngle[e]) < 40) continue
    const [a, b] = [3 * vertices[2 * e], 3 * vertices[2 * e + 1]]
    const sides = valence[e] === 2 ? 2 : 1
    length += sides * Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
  }
  return (wavelength) =>
    Math.ceil((3.5 * area) / (wavelength * size) ** 2 + (perLength * length) / wavelength)
}

// Shapes, in wavelengths.

/** A plane convex sheet in z = 0, of the size of its longest side or diameter. */
function sheet(r: Draw, least: number, most: number): Mesh {
  const surface = new Surface()
  const [a, b] = [r.log(least, most), r.log(least / 2, most)]
  if (r.chance(0.5)) {
    // A parallelogram; half of them rectangles.
    const shift = r.chance(0.5) ? 0 : r.between(-0.6, 0.6) * a
    surface.quad([0, 0, 0], [a, 0, 0], [a + shift, b, 0], [shift, b, 0])
  } else {
    const loop = polygon(r, r.whole(3, 7), a / 2, Math.max(b, a / 4) / 2)
    surface.cap(loop, mean(loop), 1, true)
  }
  return surface.mesh()
}

/** Two or three sheets apart, parallel or in any position. */
function sheets(r: Draw): Mesh {
  const parallel = r.chance(0.4)
  const parts = Array.from({ length: r.whole(2, 3) }, () => {
    const one = sheet(r, 0.6, 2.5)
    return parallel ? mapped(one, ([x, y, z]) => [z, x, y]) : mapped(one, rotation(r))
  })
  return apart(r, parts)
}

function box(r: Draw): Mesh {
  const slab = r.chance(0.3)
  return cuboid([r.log(0.6, 2.5), r.log(0.4, 2.5), slab ? r.log(0.05, 0.2) : r.log(0.3, 2.5)])
}

/** A triangular bar with a sharp edge of 6 to 45 degrees. */
function wedge(r: Draw): Mesh {
  const half = (r.between(6, 45) / 2) * RAD
  const depth = r.log(0.6, 3)
  const [w, length] = [depth * Math.tan(half), r.log(0.8, 3)]
  return extruded([[-depth / 2, 0, 0], [depth / 2, -w, 0], [depth / 2, w, 0]], length) // prettier-ignore
}

/** A bar over an irregular polygon of 4 to 7 corners. */
function prism(r: Draw): Mesh {
  return extruded(polygon(r, r.whole(4, 7), r.log(0.4, 1.3), r.log(0.4, 1.3)), r.log(0.5, 3))
}

/** Closed, or an open tube. */
function cylinder(r: Draw): Mesh {
  const slender = r.chance(0.3)
  const radius = slender ? r.log(0.1, 0.3) : r.log(0.3, 1.2)
  const half = (slender ? r.log(2, 8) : r.log(0.6, 3)) / 2
  const n = sides(radius)
  const loops = [circle([0, 0, -half], radius, 2, n), circle([0, 0, half], radius, 2, n)]
  return r.chance(0.75) ? stack(loops) : open(loops)
}

/** A cone or a frustum. */
function cone(r: Draw): Mesh {
  const half = r.between(7, 40) * RAD
  const length = r.log(1, half < 0.3 ? 6 : 2.5)
  const radius = length * Math.tan(half)
  const top = r.chance(0.3) ? r.between(0.2, 0.7) * radius : 0
  const n = sides(radius)
  return stack([circle([0, 0, 0], radius, 2, n), circle([0, 0, length], top, 2, n)])
}

/** A cone that joins a sphere without a bend. */
function coneSphere(r: Draw): Mesh {
  const half = r.between(8, 30) * RAD
  const radius = r.log(0.2, half < 0.3 ? 0.7 : 1)
  const n = sides(radius)
  const rings = Math.ceil(n / 3)
  const loops = Array.from({ length: rings + 1 }, (_, i) => {
    const t = (i / rings) * (Math.PI / 2 + half)
    return circle([0, 0, -radius * Math.cos(t)], radius * Math.sin(t), 2, n)
  })
  return stack([...loops, circle([0, 0, radius / Math.sin(half)], 0, 2, n)])
}

/** An arc rotated about its chord. */
function ogive(r: Draw): Mesh {
  const half = r.log(1, 8) / 2
  const radius = Math.min(r.between(0.12, 0.5) * half, 1)
  const arc = (half * half + radius * radius) / (2 * radius)
  const n = sides(radius)
  const rings = Math.max(16, Math.min(40, Math.ceil(8 * half)))
  return stack(
    Array.from({ length: rings + 1 }, (_, i) => {
      const z = -half * Math.cos((Math.PI * i) / rings)
      return circle([0, 0, z], Math.max(0, Math.sqrt(arc * arc - z * z) - (arc - radius)), 2, n)
    }),
  )
}

/** Spheres among them. */
function spheroid(r: Draw): Mesh {
  const radius = r.log(0.25, 1.1)
  const half = r.chance(0.2) ? radius : radius * r.log(0.4, Math.min(8, 4 / radius))
  const n = sides(radius)
  const rings = Math.max(n / 2, Math.min(40, Math.ceil((n / 2) * (half / radius) ** 0.5)))
  return stack(
    Array.from({ length: rings + 1 }, (_, i) => {
      const t = (Math.PI * i) / rings
      return circle([0, 0, -half * Math.cos(t)], i === 0 || i === rings ? 0 : radius * Math.sin(t), 2, n)
    }),
  )
}

/** Two sheets that meet at 30 to 150 degrees, a third of them at 90. */
function dihedral(r: Draw): Mesh {
  const angle = (r.chance(0.33) ? 90 : r.between(30, 150)) * RAD
  const [a, b, length] = [r.log(0.6, 3), r.log(0.6, 3), r.log(0.8, 4)]
  return ribbon([[a, 0, 0], [0, 0, 0], [b * Math.cos(angle), b * Math.sin(angle), 0]], length) // prettier-ignore
}

/** Three triangles or parallelograms from one corner, a third of them at right angles. */
function trihedral(r: Draw): Mesh {
  const right = r.chance(0.33)
  const spread = (axis: number): Point => {
    const p: Point = [0, 0, 0]
    p[axis] = 1
    const d = right ? p : p.map((x) => x + r.between(-0.35, 0.35))
    const size = r.log(0.8, 2.2) / Math.hypot(...d)
    return [size * d[0], size * d[1], size * d[2]]
  }
  const [a, b, c] = [spread(0), spread(1), spread(2)]
  const surface = new Surface()
  const o: Point = [0, 0, 0]
  const triangular = r.chance(0.5)
  for (const [p, q] of [
    [a, b],
    [b, c],
    [c, a],
  ])
    // prettier-ignore
    if (triangular) surface.triangle(o, p, q)
    else surface.quad(o, p, [p[0] + q[0], p[1] + q[1], p[2] + q[2]], q)
  return surface.mesh()
}

/** Two sheets through each other. */
function crossing(r: Draw): Mesh {
  const angle = (r.chance(0.5) ? 90 : r.between(45, 90)) * RAD
  const length = r.log(0.8, 3)
  const arm = (at: number): Point => {
    const size = r.log(0.4, 1.6)
    return [size * Math.cos(at), size * Math.sin(at), 0]
  }
  const surface = new Surface()
  for (const at of [0, angle, Math.PI, angle + Math.PI]) addRibbon(surface, [arm(at), [0, 0, 0]], length)
  return surface.mesh()
}

/** A sheet bent twice, up and on. */
function step(r: Draw): Mesh {
  const rise = (r.chance(0.5) ? 90 : r.between(50, 130)) * RAD
  const [a, h, b] = [r.log(0.5, 2.5), r.log(0.25, 1.5), r.log(0.5, 2.5)]
  const [x, y] = [h * Math.cos(rise), h * Math.sin(rise)]
  return ribbon([[-a, 0, 0], [0, 0, 0], [x, y, 0], [x + b, y, 0]], r.log(0.8, 3)) // prettier-ignore
}

/** A bar with a step: a solid L. */
function block(r: Draw): Mesh {
  const [w, h] = [r.log(0.7, 2), r.log(0.7, 2)]
  const [u, v] = [r.between(0.25, 0.75) * w, r.between(0.25, 0.75) * h]
  const half = r.log(0.5, 2) / 2
  const loop: Point[] = [[0, 0, 0], [w, 0, 0], [w, v, 0], [u, v, 0], [u, h, 0], [0, h, 0]] // prettier-ignore
  const at = (z: number): Point[] => loop.map(([x, y]) => [x, y, z])
  const surface = new Surface()
  surface.strip(at(-half), at(half), true)
  // Every corner of an end is seen from the one that points inwards.
  for (const z of [-half, half]) {
    const [p, q, t, inner, n, o] = at(z)
    for (const [from, to] of [[n, o], [o, p], [p, q], [q, t]]) surface.triangle(inner, from, to) // prettier-ignore
  }
  return orientOutward(surface.mesh())
}

/** Two bodies of other families, apart. */
function pair(r: Draw): Mesh {
  const some = [box, cylinder, wedge, dihedral, spheroid, (s: Draw): Mesh => sheet(s, 0.6, 2)]
  const parts = [0, 1].map(() => {
    const part = some[r.whole(0, some.length - 1)](r)
    const size = Math.min(1, r.between(1, 1.8) / extent(part))
    const turn = rotation(r)
    return mapped(part, (p) => scaled(turn(p), size))
  })
  return apart(r, parts)
}

/** A tube with a bottom, square or round. */
function cavity(r: Draw): Mesh {
  const [a, b, depth] = [r.log(0.5, 1.6), r.log(0.4, 1.6), r.log(0.4, 2)]
  const round = r.chance(0.4)
  const loop = (z: number): Point[] =>
    round
      ? circle([0, 0, z], a / 2, 2, sides(a / 2))
      : [[-a / 2, -b / 2, z], [a / 2, -b / 2, z], [a / 2, b / 2, z], [-a / 2, b / 2, z]] // prettier-ignore
  const surface = new Surface()
  surface.strip(loop(0), loop(depth), true)
  surface.cap(loop(0), [0, 0, 0], 1, true)
  return surface.mesh()
}

// Parts of shapes.

/** Sides of a round body of this radius: 24 to 48, a multiple of 4, bent by less than the 20 degrees of smooth surfaces. */
const sides = (radius: number): number => 4 * Math.max(6, Math.min(12, Math.ceil(10 * radius)))

/** An irregular convex polygon of n corners in an ellipse of these half axes. */
function polygon(r: Draw, n: number, a: number, b: number): Point[] {
  const start = r.between(0, 2 * Math.PI)
  return Array.from({ length: n }, (_, i) => {
    const t = start + (2 * Math.PI * (i + r.between(-0.25, 0.25))) / n
    return [a * Math.cos(t), b * Math.sin(t), 0]
  })
}

const extruded = (loop: Point[], length: number): Mesh =>
  stack([-length / 2, length / 2].map((z) => loop.map(([x, y]): Point => [x, y, z])))

const cuboid = ([a, b, c]: Point): Mesh =>
  extruded([[-a / 2, -b / 2, 0], [a / 2, -b / 2, 0], [a / 2, b / 2, 0], [-a / 2, b / 2, 0]], c) // prettier-ignore

/** Plane sheets over a line of points in z = 0, along z. */
function ribbon(line: Point[], length: number): Mesh {
  const surface = new Surface()
  addRibbon(surface, line, length)
  return surface.mesh()
}

const addRibbon = (surface: Surface, line: Point[], length: number): void =>
  surface.strip(
    line.map(([x, y]): Point => [x, y, -length / 2]),
    line.map(([x, y]): Point => [x, y, length / 2]),
  )

function open(loops: Point[][]): Mesh {
  const surface = new Surface()
  surface.loft(loops, true)
  return surface.mesh()
}

/** Parts beside each other along x with gaps, moved sideways at random. */
function apart(r: Draw, parts: Mesh[]): Mesh {
  let end = 0
  return merge(
    parts.map((part) => {
      const [low, high] = range(part, 0)
      const from = end + r.log(0.2, 1.2) - low
      end = from + high
      const [dy, dz] = [r.between(-0.4, 0.4), r.between(-0.4, 0.4)]
      return mapped(part, ([x, y, z]) => [x + from, y + dy, z + dz])
    }),
  )
}

// Vectors and meshes.

const scaled = ([x, y, z]: Point, by: number): Point => [by * x, by * y, by * z]

const normalized = (a: Vec3): Vec3 => scaled(a, 1 / Math.hypot(...a))

/** A direction, uniform over the sphere. */
const unit = (r: Draw): Vec3 => normalized([r.normal(), r.normal(), r.normal()])

/** One of the six directions of the shapes' axes. */
function axisOf(r: Draw): Vec3 {
  const a: Vec3 = [0, 0, 0]
  a[r.whole(0, 2)] = r.chance(0.5) ? 1 : -1
  return a
}

/** A rotation, uniform over all. */
function rotation(r: Draw): (p: Point) => Point {
  const x = unit(r)
  const y = normalized(cross(x, unit(r)))
  const z = cross(x, y)
  return (p) => [0, 1, 2].map((i) => p[0] * x[i] + p[1] * y[i] + p[2] * z[i]) as Point
}

function mapped(mesh: Mesh, to: (p: Point) => Point): Mesh {
  const positions = mesh.positions.slice()
  for (let i = 0; i < positions.length; i += 3)
    positions.set(to([positions[i], positions[i + 1], positions[i + 2]]), i)
  return { ...mesh, positions }
}

const mean = (loop: Point[]): Point =>
  scaled(
    loop.reduce((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]),
    1 / loop.length,
  )

function range({ positions }: Mesh, axis: number): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity]
  for (let i = axis; i < positions.length; i += 3) {
    low = Math.min(low, positions[i])
    high = Math.max(high, positions[i])
  }
  return [low, high]
}

/** Diagonal of the box about a mesh. */
const extent = (mesh: Mesh): number =>
  Math.hypot(...[0, 1, 2].map((axis) => range(mesh, axis)).map(([low, high]) => high - low))
