import { addTo } from '../../math/partition.js'
import { shared } from '../../parallel/shared-memory.js'
import { GRAZING_COSINE, moveTo, type RayScene, takePoints } from '../../rays/index.js'
import { cross, InputError, type Target, type Vec3 } from '../../scene/index.js'
import {
  edgeKind,
  type EdgeMaterials,
  flatJunctions,
  NOT_COATED,
} from '../currents/materials/edge-materials.js'
import { diffractingEdges, directed, leftOf, type MeshEdge } from './mesh-edges.js'
import { coplanarFaces, difference, type Faces, vectorAt } from './plane-faces.js'
import { sheetEdges, thinClasses, thinRims } from './thin-parts.js'

export { difference, vectorAt }

/** Area of the triangle whose corners begin at `at` [m2]. */
export const areaOf = (v: ArrayLike<number>, at = 0): number =>
  0.5 * Math.hypot(...cross(difference(v, at + 3, at), difference(v, at + 6, at)))

/**
 * Per smooth surface of a target the radius of the cylinder with its mean curvature [m], R = A / int (k1 + k2) dS, of which the integral is the sum of
 * length times bend over the edges within (Steiner): a cylinder's own whatever its section and facets, half of a sphere's. Infinity where it is
 * plane, hollow, a sheet, or no perfect conductor; 0 where no edge ends it.
 */
export function meanRadii(target: Target): Float64Array {
  const { edges, surface, surfaceCount, areas, facetMaterial, positions: p } = target
  const area = new Float64Array(surfaceCount)
  const bend = new Float64Array(surfaceCount)
  const ends = new Uint8Array(surfaceCount)
  const no = new Uint8Array(surfaceCount)
  for (let f = 0; f < surface.length; f++) {
    area[surface[f]] += areas[f]
    if (facetMaterial && facetMaterial[f] !== 0) no[surface[f]] = 1
  }
  for (let e = 0; e < edges.valence.length; e++) {
    const s = surface[edges.facets[2 * e]]
    if (edges.valence[e] === 1) {
      no[s] = 1
      continue
    }
    const t = surface[edges.facets[2 * e + 1]]
    if (edges.valence[e] > 2 || s !== t) {
      ends[s] = ends[t] = 1
      continue
    }
    const a = 3 * edges.vertices[2 * e]
    const b = 3 * edges.vertices[2 * e + 1]
    const length = Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
    bend[s] += (length * (180 - edges.interiorAngle[e]) * Math.PI) / 180
  }
  const radii = shared(Float64Array, surfaceCount)
  for (let s = 0; s < surfaceCount; s++)
    radii[s] = no[s] === 1 || !(bend[s] > 0) ? Infinity : ends[s] === 1 ? area[s] / bend[s] : 0
  return radii
}

/** Numbers per edge in `EdgeScene.edges`: start [m], unit tangent, length [m], N of the wedge. */
export const EDGE_SIZE = 8
/** Numbers per edge in `EdgeScene.frames`: x, y, z of both faces. */
export const FRAMES_SIZE = 18
/** Wedges of more than this N are half-planes: both of their faces lie in one plane. */
export const HALF_PLANE = 2 - 1e-6

/**
 * The diffracting edges of a target, E of them, in coordinates relative to `origin`, and the outlines of the plane faces
 * at them. Arrays lie in shared memory: worker threads map them instead of copying.
 */
export interface EdgeScene {
  /** Point of the mesh's coordinates at which the arrays have their origin [m]. */
  origin: Vec3
  count: number
  edges: Float64Array
  /** Per face of an edge: x in the face and away from the edge, y out of it, z = x cross y along the edge. */
  frames: Float64Array
  /** 2E numbers of the target's vertices at start and end. */
  vertices: Uint32Array
  /** Plane face of each of the target's facets, and their three vertices. */
  faceOf: Uint32Array
  triangles: Uint32Array
  /** 2E face numbers; the same twice at the rim of a sheet. */
  faces: Uint32Array
  /** 2E: +1 where y is the face's outward normal, -1 where it is the back's. */
  sides: Int8Array
  /** Offsets of the faces' outlines, in outline edges. */
  outlineStart: Uint32Array
  /** 6 numbers per outline edge: both ends [m]; the face is on the left, seen from outside. */
  outline: Float64Array
  /** 6 numbers per outline edge: its unit direction e, and n x e with its face's normal n. */
  outlineFrames: Float64Array
  /** Per outline edge its face, and the outline edge of the neighbour where the surface goes on smoothly, else -1. */
  outlineFace: Uint32Array
  across: Int32Array
  /** 3 components per face of the outward normal. */
  normals: Float64Array
  /** Per face the cosine to its normal up to which a direction lies in its plane: what rounding of coordinates turns the plane by. */
  grazing: Float64Array
  /** See `meanRadii`. */
  meanRadii: Float64Array
  /** Edges with a smaller interior wedge angle diffract [degrees]. */
  maxWedgeAngleDeg: number
  /** Sum of the lengths of the edges [m]. */
  length: number
  /** Of the target's box [m]. */
  diagonal: number
  /** See `Target`. */
  tolerance: number
  /** Per edge the thickness of the solid that it is the rim of, seen as a sheet [m]; 0 elsewhere. The edge lies in the middle of it. */
  thickness: Float64Array
  /** The edges once solids up to this thickness [m] are sheets, ascending; none where the target has no thin rims. */
  sheets: { thickness: number; scene: EdgeScene }[]
  /** Absent where everything conducts. */
  materials?: EdgeMaterials
}

/**
 * Finds the edges of a target that diffract: rims, wedges with an interior angle below `maxWedgeAngleDeg`, and where materials meet without a bend.
 *
 * @param origin  of the arrays, in the mesh's coordinates; the same as `RayScene.origin` (the target's centroid)
 * Throws InputError unless 0 < maxWedgeAngleDeg <= 179.
 */
export function buildEdgeScene(
  target: Target,
  maxWedgeAngleDeg: number,
  origin: Vec3 = target.centroid,
): EdgeScene {
  if (!(maxWedgeAngleDeg > 0 && maxWedgeAngleDeg <= 179))
    throw new InputError(
      `the largest wedge angle is ${maxWedgeAngleDeg}; give degrees above 0, at most 179 (180 is a flat surface)`,
    )
  const faces = coplanarFaces(target, 180 - maxWedgeAngleDeg)
  const all = diffractingEdges(target, faces, maxWedgeAngleDeg, flatJunctions(target, maxWedgeAngleDeg))
  const list = all.filter((edge) => edgeKind(target, edge) === NOT_COATED)
  const others = all.filter((edge) => edgeKind(target, edge) !== NOT_COATED)
  const scene = sceneOf(target, faces, [...list, ...others], maxWedgeAngleDeg, origin)
  for (const { thickness, rims } of thinClasses(thinRims(target, faces, list))) {
    const { edges, thickness: of } = sheetEdges(faces, list, rims)
    const sheet = sceneOf(target, faces, [...edges, ...others], maxWedgeAngleDeg, origin)
    const moved = new Set<number>()
    of.forEach((t, e) => moveToMiddle(sheet, e, t, moved))
    scene.sheets.push({ thickness, scene: sheet })
  }
  return scene
}

/** Moves the rim of a solid of thickness t from its sheet's face into the middle, and that face along. */
function moveToMiddle(scene: EdgeScene, e: number, t: number, moved: Set<number>): void {
  const { edges, faces, normals, thickness, outline, outlineStart } = scene
  if (t === 0) return
  thickness[e] = t
  const f = faces[2 * e]
  for (let c = 0; c < 3; c++) edges[EDGE_SIZE * e + c] -= 0.5 * t * normals[3 * f + c]
  if (moved.has(f)) return
  moved.add(f)
  for (let at = 6 * outlineStart[f]; at < 6 * outlineStart[f + 1]; at++)
    outline[at] -= 0.5 * t * normals[3 * f + (at % 3)]
}

function sceneOf(
  target: Target,
  faces: Faces,
  edges: MeshEdge[],
  maxWedgeAngleDeg: number,
  origin: Vec3,
): EdgeScene {
  const list = directed(target, faces, edges)
  const scene: EdgeScene = {
    origin,
    maxWedgeAngleDeg,
    count: list.length,
    edges: shared(Float64Array, EDGE_SIZE * list.length),
    frames: shared(Float64Array, FRAMES_SIZE * list.length),
    vertices: shared(Uint32Array, 2 * list.length),
    faceOf: faces.of,
    triangles: faces.triangles,
    faces: shared(Uint32Array, 2 * list.length),
    sides: shared(Int8Array, 2 * list.length),
    outlineStart: shared(Uint32Array, faces.outlineStart.length),
    outline: shared(Float64Array, 3 * faces.outline.length),
    outlineFrames: shared(Float64Array, 3 * faces.outline.length),
    outlineFace: shared(Uint32Array, faces.across.length),
    across: shared(Int32Array, faces.across.length),
    normals: shared(Float64Array, faces.normals.length),
    grazing: shared(Float64Array, faces.normals.length / 3),
    meanRadii: meanRadii(target),
    length: 0,
    diagonal: target.diagonal,
    tolerance: target.tolerance,
    thickness: shared(Float64Array, list.length),
    sheets: [],
  }
  scene.outlineStart.set(faces.outlineStart)
  scene.across.set(faces.across)
  scene.normals.set(faces.normals)
  numberRuns(faces.outlineStart, scene.outlineFace)
  const points = new Float64Array(target.positions.length)
  moveTo(origin, target.positions, points)
  takePoints(points, faces.outline, scene.outline)
  setOutlineFrames(scene)
  setGrazing(scene)
  for (let e = 0; e < list.length; e++) {
    scene.length += setLine(scene, e, target.positions, list[e])
    scene.vertices[2 * e] = list[e].from
    scene.vertices[2 * e + 1] = list[e].to
    for (const i of [0, 1] as const) {
      scene.faces[2 * e + i] = faces.of[list[e].facets[i]]
      scene.sides[2 * e + i] = list[e].side[i]
      setFrame(scene, e, i, leftOf(target, faces, list[e], i))
    }
  }
  if (target.facetMaterial) setMaterials(scene, faces, list, target)
  return scene
}

/** Sets what the edges are made of. A strip ends where its face's material does. */
function setMaterials(scene: EdgeScene, faces: Faces, list: MeshEdge[], target: Target): void {
  const { outlineFace, across } = scene
  const facetMaterial = target.facetMaterial!
  const of = shared(Uint8Array, 2 * list.length)
  const kind = shared(Uint8Array, list.length)
  const ofFace = new Uint8Array(scene.normals.length / 3)
  const conducts = shared(Uint8Array, ofFace.length)
  faces.of.forEach((face, facet) => (ofFace[face] = facetMaterial[facet]))
  list.forEach((edge, e) => {
    kind[e] = edgeKind(target, edge)
    edge.facets.forEach((facet, i) => (of[2 * e + i] = facetMaterial[facet]))
  })
  for (let o = 0; o < across.length; o++)
    if (across[o] >= 0 && ofFace[outlineFace[across[o]]] !== ofFace[outlineFace[o]]) across[o] = -1
  ofFace.forEach((material, face) => (conducts[face] = material === 0 ? 1 : 0))
  scene.materials = { list: target.materials, of, kind, conducts }
}

function setOutlineFrames({ outline, outlineFace, normals: n, outlineFrames }: EdgeScene): void {
  for (let o = 0, a = 0; o < outlineFace.length; o++, a += 6) {
    let ex = outline[a + 3] - outline[a]
    let ey = outline[a + 4] - outline[a + 1]
    let ez = outline[a + 5] - outline[a + 2]
    const norm = 1 / Math.hypot(ex, ey, ez)
    ex *= norm
    ey *= norm
    ez *= norm
    const f = 3 * outlineFace[o]
    outlineFrames[a] = ex
    outlineFrames[a + 1] = ey
    outlineFrames[a + 2] = ez
    outlineFrames[a + 3] = n[f + 1] * ez - n[f + 2] * ey
    outlineFrames[a + 4] = n[f + 2] * ex - n[f] * ez
    outlineFrames[a + 5] = n[f] * ey - n[f + 1] * ex
  }
}

/** Most that a plane of a face may be turned by [rad]: smaller faces have no plane. */
const MOST_TURN = 1e-4

function setGrazing({ outline: o, outlineStart, normals, grazing, tolerance }: EdgeScene): void {
  for (let face = 0; face < grazing.length; face++) {
    let length = 0
    let area = 0
    for (let a = 6 * outlineStart[face]; a < 6 * outlineStart[face + 1]; a += 6) {
      length += Math.hypot(o[a + 3] - o[a], o[a + 4] - o[a + 1], o[a + 5] - o[a + 2])
      for (let c = 0; c < 3; c++) {
        const [d, e] = [(c + 1) % 3, (c + 2) % 3]
        area += 0.5 * normals[3 * face + c] * (o[a + d] * o[a + 3 + e] - o[a + e] * o[a + 3 + d])
      }
    }
    // By its mean width.
    const turn = (0.5 * tolerance * length) / Math.abs(area)
    grazing[face] = Math.max(GRAZING_COSINE, Math.min(turn, MOST_TURN))
  }
}

/** Gives everything from each offset to the next the number of the first. */
function numberRuns(start: Uint32Array, out: Uint32Array): void {
  for (let i = 0, run = 0; i < out.length; i++) {
    while (start[run + 1] <= i) run++
    out[i] = run
  }
}

/** Sets the numbers of edge e in `edges`, and returns its length. */
function setLine({ edges, origin }: EdgeScene, e: number, p: Float64Array, edge: MeshEdge): number {
  const [from, to] = [vectorAt(p, 3 * edge.from), vectorAt(p, 3 * edge.to)]
  const along = to.map((x, c) => x - from[c])
  const length = Math.hypot(...along)
  edges.set(
    [
      ...from.map((x, c) => x - origin[c]),
      ...along.map((x) => x / length),
      length,
      2 - edge.interiorAngle / 180,
    ],
    EDGE_SIZE * e,
  )
  return length
}

/**
 * Sets x, y, z of face i at edge e: orthonormal to the last digit, z exactly along the edge. Line, faces and sides must be set.
 * @param left  see `leftOf`
 */
function setFrame(scene: EdgeScene, e: number, i: 0 | 1, left: 1 | -1): void {
  const { edges, faces, frames, normals, sides } = scene
  const tangent = vectorAt(edges, EDGE_SIZE * e + 3)
  const across = cross(tangent, vectorAt(normals, 3 * faces[2 * e + i]))
  const norm = left / Math.hypot(...across)
  const x = across.map((v) => v * norm) as Vec3
  // The side turns both y and z.
  const z = tangent.map((v) => -left * sides[2 * e + i] * v) as Vec3
  frames.set([...x, ...cross(z, x), ...z], FRAMES_SIZE * e + 9 * i)
}

/** See `EdgeScene.grazing`; of the face whose frame begins at `at`. */
export const grazingAt = ({ grazing, faces }: EdgeScene, at: number): number => grazing[faces[at / 9]]

/** Component of a vector along the one at a position of an array, e.g. of `frames`. */
export const along = (vectors: Float64Array, at: number, r: ArrayLike<number>): number =>
  r[0] * vectors[at] + r[1] * vectors[at + 1] + r[2] * vectors[at + 2]

/** The point of edge e so far from its start [m]. */
export function pointOn({ edges }: EdgeScene, e: number, t: number): Vec3 {
  const p = EDGE_SIZE * e
  return [edges[p] + t * edges[p + 3], edges[p + 1] + t * edges[p + 4], edges[p + 2] + t * edges[p + 5]]
}

/** Unit vector along an edge away from one of its ends, 2 e for its start or 2 e + 1. */
export function awayFromEnd(edges: Float64Array, end: number): Vec3 {
  const sign = end & 1 ? -1 : 1
  return vectorAt(edges, EDGE_SIZE * (end >> 1) + 3).map((x) => sign * x) as Vec3
}

/** The half-plane in the middle of the empty space about an edge: unit vector into it, and its normal. */
export function halfWay({ edges, frames }: EdgeScene, e: number): { away: Vec3; normal: Vec3 } {
  const half = 0.5 * Math.PI * edges[EDGE_SIZE * e + 7]
  const [sin, cos] = [Math.sin(half), Math.cos(half)]
  const [x, y] = [0, 3].map((at) => vectorAt(frames, FRAMES_SIZE * e + at))
  return {
    away: x.map((v, c) => cos * v + sin * y[c]) as Vec3,
    normal: x.map((v, c) => cos * y[c] - sin * v) as Vec3,
  }
}

/** The ends of edges that meet at each vertex, in their order. @param counts  which edges do */
export function meetingEnds({ count, vertices }: EdgeScene, counts?: (e: number) => boolean): number[][] {
  const at = new Map<number, number[]>()
  for (let end = 0; end < 2 * count; end++) {
    if (!counts || counts(end >> 1)) addTo(at, vertices[end], end)
  }
  return [...at.values()]
}

/**
 * Azimuth about an edge of a direction with the components x and y of its first face's frame, 0 to `full` [rad]; rounding at grazing may put
 * it a little inside the wedge.
 */
export function azimuthOf(x: number, y: number, full: number): number {
  let azimuth = Math.atan2(y, x)
  if (azimuth < 0) azimuth += 2 * Math.PI
  if (!(azimuth > full)) return azimuth
  return azimuth - full < 2 * Math.PI - azimuth ? full : 0
}

/*
 * What of a target mechanisms of second order have a part in: conductors. Facets of materials hide what lies behind them, and neither reflect
 * nor carry waves.
 */

/** Whether a facet is a perfect conductor, the first material of a scene. */
export const conducts = ({ materials }: RayScene, facet: number): boolean =>
  !materials || materials.of[facet] === 0

/** The scene with the edges between conductors alone; they are its first ones. */
export function conductingEdges(scene: EdgeScene): EdgeScene {
  const { materials } = scene
  if (!materials) return scene
  const other = materials.kind.findIndex((kind) => kind !== NOT_COATED)
  if (other < 0) return scene
  let length = 0
  for (let e = 0; e < other; e++) length += scene.edges[EDGE_SIZE * e + 6]
  return { ...scene, count: other, length }
}

/** The scene with some of its edges alone, of which the midpoint [m, about `origin`] decides; faces stay, and hide and end strips as before. */
export function someEdges(scene: EdgeScene, which: (x: number, y: number, z: number) => boolean): EdgeScene {
  const { edges, frames, vertices, faces, sides, thickness, materials } = scene
  const kept: number[] = []
  let total = 0
  for (let e = 0; e < scene.count; e++) {
    const length = edges[EDGE_SIZE * e + 6]
    if (!which(...pointOn(scene, e, 0.5 * length))) continue
    kept.push(e)
    total += length
  }
  const take = <A extends Float64Array | Uint32Array | Int8Array | Uint8Array>(
    from: A,
    size: number,
    out: NoInfer<A>,
  ): A => {
    kept.forEach((e, i) => out.set(from.subarray(size * e, size * (e + 1)), size * i))
    return out
  }
  const n = kept.length
  return {
    ...scene,
    count: n,
    length: total,
    edges: take(edges, EDGE_SIZE, shared(Float64Array, EDGE_SIZE * n)),
    frames: take(frames, FRAMES_SIZE, shared(Float64Array, FRAMES_SIZE * n)),
    vertices: take(vertices, 2, shared(Uint32Array, 2 * n)),
    faces: take(faces, 2, shared(Uint32Array, 2 * n)),
    sides: take(sides, 2, shared(Int8Array, 2 * n)),
    thickness: take(thickness, 1, shared(Float64Array, n)),
    ...(materials && {
      materials: {
        ...materials,
        of: take(materials.of, 2, shared(Uint8Array, 2 * n)),
        kind: take(materials.kind, 1, shared(Uint8Array, n)),
      },
    }),
    sheets: scene.sheets.map((sheet) => ({ ...sheet, scene: someEdges(sheet.scene, which) })),
  }
}

/**
 * Of E edges both ends [m], 6E numbers in the mesh's coordinates, and E interior wedge angles [degrees]; above a ground alone where there is one.
 * @param groundM  z of the ground [m]
 */
export function edgeEnds(
  all: EdgeScene,
  groundM?: number,
): { edgesM: Float64Array; edgeAngleDeg: Float64Array } {
  const least = groundM === undefined ? -Infinity : groundM - all.origin[2] - all.tolerance
  const { count, edges, origin } = groundM === undefined ? all : someEdges(all, (_x, _y, z) => z > least)
  const edgesM = new Float64Array(6 * count)
  const edgeAngleDeg = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    const at = EDGE_SIZE * e
    for (let c = 0; c < 3; c++) {
      edgesM[6 * e + c] = origin[c] + edges[at + c]
      edgesM[6 * e + 3 + c] = edgesM[6 * e + c] + edges[at + 6] * edges[at + 3 + c]
    }
    edgeAngleDeg[e] = 180 * (2 - edges[at + 7])
  }
  return { edgesM, edgeAngleDeg }
}

/** What is found of a scene, once in this thread: the same for all bands. */
export function oncePerScene<S extends object, T>(find: (scene: S) => T): (scene: S) => T {
  const found = new WeakMap<S, T>()
  return (scene) => {
    const known = found.get(scene) ?? find(scene)
    found.set(scene, known)
    return known
  }
}
