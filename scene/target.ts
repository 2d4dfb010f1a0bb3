import { DisjointSets } from '../math/partition.js'
import { cleanMesh, type MeshReport } from './audit.js'
import { curveMesh, type CurveOptions } from './curved.js'
import type { Vec3 } from './direction.js'
import { buildEdges, type Edges } from './edges.js'
import { InputError } from './errors.js'
import { facetMaterials } from './materials/library.js'
import type { Material } from './materials/material.js'
import { boundingBox, type Box, diagonalOf, type Mesh, SINGLE_ROUNDING } from './mesh.js'
import { weld } from './repair.js'

/**
 * Smooth surfaces: facets on either side of a manifold edge whose normals differ by less than `angleDeg` belong to one
 * surface, transitively. Rims, non-manifold edges and edges between two materials never join. T surface numbers, in the order of
 * each surface's first facet.
 * @param facetMaterial  see `Target`
 * Throws InputError unless 0 <= angleDeg <= 180.
 */
export function smoothGroups(
  mesh: Mesh,
  edges: Edges,
  angleDeg: number,
  facetMaterial?: Uint8Array,
): Uint32Array {
  if (!(angleDeg >= 0 && angleDeg <= 180))
    throw new InputError(`the smooth angle is ${angleDeg}; give degrees from 0 to 180`)
  const sets = new DisjointSets(mesh.triangles.length / 3)
  const { facets, interiorAngle, valence } = edges
  for (let e = 0; e < valence.length; e++) {
    if (valence[e] !== 2 || Math.abs(interiorAngle[e] - 180) >= angleDeg) continue
    const s = facets[2 * e]
    const t = facets[2 * e + 1]
    if (!facetMaterial || facetMaterial[s] === facetMaterial[t]) sets.join(s, t)
  }
  return sets.numbered().of
}

/** A mesh prepared for the solvers, with the properties they share. Lengths in metres; T facets. */
export interface Target extends Mesh {
  /** 3T components of the facets' unit normals, outwards. */
  normals: Float64Array
  /** T facet areas [m^2]. */
  areas: Float64Array
  /** The materials that its facets have; the first is the perfect conductor. */
  materials: Material[]
  /** Material of each facet, T numbers of `materials`; absent: everything conducts. */
  facetMaterial?: Uint8Array
  /** Smooth surface of each facet, of one material; T numbers below `surfaceCount`. */
  surface: Uint32Array
  surfaceCount: number
  edges: Edges
  box: Box
  /** Area-weighted centre of the facets [m]; moves and rotates with the mesh. */
  centroid: [number, number, number]
  /** Sum of the facet areas, one side of each [m^2]. */
  area: number
  /** Length of the bounding box's diagonal [m]. */
  diagonal: number
  /** Deviation from a plane or a straight line that counts as none [m]; see `toleranceOf`. */
  tolerance: number
  report: MeshReport
}

interface PrepareOptions {
  /** Neighbouring facets that meet at less than this angle belong to one smooth surface [degrees]. */
  smoothAngleDeg: number
  /** Fit curved patches to the facets of smooth regions. */
  curved?: CurveOptions
}

/**
 * Welds, cleans and measures a mesh given in metres. The input is not modified.
 * Throws InputError for a mesh that is unusable (non-finite vertices, wrong vertex numbers, no facets left).
 */
export function prepareTarget(mesh: Mesh, options: PrepareOptions): Target {
  const { mesh: given, report } = cleanMesh(weld(mesh))
  if (report.facetsOut === 0)
    throw new InputError(
      report.facetsIn === 0
        ? 'the mesh has no facets; give a surface mesh of triangles'
        : `no facets left after cleaning: all ${report.facetsIn} are degenerate; check the file and its units`,
    )
  const clean = options.curved ? curveMesh(given, options.curved) : given
  const edges = buildEdges(clean)
  const material = facetMaterials(clean)
  const surface = smoothGroups(clean, edges, options.smoothAngleDeg, material.facetMaterial)
  const measure = measureFacets(clean)
  const box = boundingBox(clean)
  return {
    ...clean,
    ...measure,
    ...material,
    surface,
    surfaceCount: countOf(surface),
    edges,
    box,
    diagonal: diagonalOf(box),
    tolerance: toleranceOf(clean.rounding, box),
    report,
  }
}

/** Relative rounding error of double precision. */
const DOUBLE_ROUNDING = 2 ** -53
/** Rounding errors that add up in the distance of a corner from the plane, or the line, of others. */
const ADDED_ROUNDINGS = 4

/**
 * How far vertices may be off a plane or a line that they were constructed on [m]: a few rounding errors of single precision,
 * which most meshes have passed through, relative to the mesh's own box wherever it is; or of the file's number format where
 * that is coarser, but at most 1e-4 of the diagonal, which would remove parts of the target.
 *
 * @param rounding  see `Mesh`
 */
function toleranceOf(rounding: number | undefined, box: Box): number {
  const { min, max } = box
  const side = Math.max(...max.map((x, c) => x - min[c]))
  const stored = rounding ?? DOUBLE_ROUNDING * Math.max(...min.map(Math.abs), ...max.map(Math.abs))
  return ADDED_ROUNDINGS * Math.max(SINGLE_ROUNDING * side, Math.min(stored, 2.5e-5 * diagonalOf(box)))
}

/** Number of surfaces: they are numbered from 0. */
function countOf(surface: Uint32Array): number {
  let count = 0
  for (let t = 0; t < surface.length; t++) if (surface[t] >= count) count = surface[t] + 1
  return count
}

/** Area of all facets as it is seen from a direction [m^2], one behind the other: the sum of |n.r| times their areas. */
export const projectedArea = (
  { normals, areas }: Pick<Target, 'normals' | 'areas'>,
  [x, y, z]: Vec3,
): number =>
  areas.reduce(
    (sum, area, t) =>
      sum + area * Math.abs(normals[3 * t] * x + normals[3 * t + 1] * y + normals[3 * t + 2] * z),
    0,
  )

function measureFacets(mesh: Mesh): Pick<Target, 'normals' | 'areas' | 'area' | 'centroid'> {
  const { positions: p, triangles: tri } = mesh
  const facets = tri.length / 3
  const normals = new Float64Array(3 * facets)
  const areas = new Float64Array(facets)
  let area = 0
  let mx = 0
  let my = 0
  let mz = 0
  for (let t = 0; t < facets; t++) {
    const a = 3 * tri[3 * t]
    const b = 3 * tri[3 * t + 1]
    const c = 3 * tri[3 * t + 2]
    const ux = p[b] - p[a]
    const uy = p[b + 1] - p[a + 1]
    const uz = p[b + 2] - p[a + 2]
    const vx = p[c] - p[a]
    const vy = p[c + 1] - p[a + 1]
    const vz = p[c + 2] - p[a + 2]
    const nx = uy * vz - uz * vy
    const ny = uz * vx - ux * vz
    const nz = ux * vy - uy * vx
    const doubleArea = Math.hypot(nx, ny, nz)
    normals[3 * t] = nx / doubleArea
    normals[3 * t + 1] = ny / doubleArea
    normals[3 * t + 2] = nz / doubleArea
    const here = doubleArea / 2
    areas[t] = here
    area += here
    mx += (here * (p[a] + p[b] + p[c])) / 3
    my += (here * (p[a + 1] + p[b + 1] + p[c + 1])) / 3
    mz += (here * (p[a + 2] + p[b + 2] + p[c + 2])) / 3
  }
  return { normals, areas, area, centroid: [mx / area, my / area, mz / area] }
}

/** 1 for each facet connected to a rim: a sheet, with empty space on both sides. */
export function openFacets({ edges, triangles }: Target): Uint8Array {
  const facets = triangles.length / 3
  const open = new Uint8Array(facets)
  if (!edges.valence.includes(1)) return open
  const sets = new DisjointSets(facets)
  for (let e = 0; e < edges.valence.length; e++)
    if (edges.valence[e] > 1) sets.join(edges.facets[2 * e], edges.facets[2 * e + 1])
  for (let e = 0; e < edges.valence.length; e++)
    if (edges.valence[e] === 1) open[sets.root(edges.facets[2 * e])] = 1
  for (let t = 0; t < facets; t++) open[t] = open[sets.root(t)]
  return open
}
