import { cleanMesh, type MeshReport } from './audit.js'
import { curveMesh, type CurveOptions } from './curved.js'
import { buildEdges, type Edges } from './edges.js'
import { InputError } from './errors.js'
import { boundingBox, type Box, type Mesh } from './mesh.js'
import { smoothGroups } from './smooth.js'
import { boxDiagonal, weld } from './weld.js'

/** A mesh made ready for the solvers, with what they all need to know of it. Lengths in metres; T facets. */
export interface Target extends Mesh {
  /** 3T components of the facets' unit normals, outwards. */
  normals: Float64Array
  /** T facet areas [m^2]. */
  areas: Float64Array
  /** Smooth surface of each facet, T numbers below `surfaceCount`. */
  surface: Uint32Array
  surfaceCount: number
  edges: Edges
  box: Box
  /** Area-weighted centre of the facets [m]; moves and turns with the mesh. */
  centroid: [number, number, number]
  /** Sum of the facet areas, one side of each [m^2]. */
  area: number
  /** Length of the bounding box's diagonal [m]. */
  diagonal: number
  report: MeshReport
}

export interface PrepareOptions {
  /** Neighbouring facets bent by less than this belong to one smooth surface [degrees]. */
  smoothAngleDeg: number
  /** Vertices within this distance are one, and facets lower than it slivers [m]; default 1e-6 of the bounding box's diagonal. */
  weldTolerance?: number
  /** Bend the facets of smooth regions to the curved surface that they stand for. */
  curved?: CurveOptions
}

/**
 * Welds, cleans and measures a mesh given in metres. The input is left as it is.
 * Throws InputError for a mesh that is unusable (non-finite vertices, wrong vertex numbers, no facets left).
 */
export function prepareTarget(mesh: Mesh, options: PrepareOptions): Target {
  const { mesh: given, report } = cleanMesh(weld(mesh, options.weldTolerance), options.weldTolerance)
  if (report.facetsOut === 0)
    throw new InputError(
      report.facetsIn === 0
        ? 'the mesh has no facets; give a surface mesh of triangles'
        : `no facets left after cleaning: all ${report.facetsIn} are degenerate; check the file, its units and the weld tolerance`,
    )
  const clean = options.curved ? curveMesh(given, options.curved) : given
  const edges = buildEdges(clean)
  const surface = smoothGroups(clean, edges, options.smoothAngleDeg)
  const measure = measureFacets(clean)
  return {
    ...clean,
    ...measure,
    surface,
    surfaceCount: surface.reduce((n, s) => Math.max(n, s + 1), 0),
    edges,
    box: boundingBox(clean),
    diagonal: boxDiagonal(clean),
    report,
  }
}

function measureFacets(mesh: Mesh): Pick<Target, 'normals' | 'areas' | 'area' | 'centroid'> {
  const { positions: p, triangles: tri } = mesh
  const facets = tri.length / 3
  const normals = new Float64Array(3 * facets)
  const areas = new Float64Array(facets)
  const moment = [0, 0, 0]
  let area = 0
  for (let t = 0; t < facets; t++) {
    const [a, b, c] = [3 * tri[3 * t], 3 * tri[3 * t + 1], 3 * tri[3 * t + 2]]
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
    const doubleArea = Math.hypot(nx, ny, nz)
    normals.set([nx / doubleArea, ny / doubleArea, nz / doubleArea], 3 * t)
    areas[t] = doubleArea / 2
    area += areas[t]
    for (let i = 0; i < 3; i++) moment[i] += (areas[t] * (p[a + i] + p[b + i] + p[c + i])) / 3
  }
  return { normals, areas, area, centroid: [moment[0] / area, moment[1] / area, moment[2] / area] }
}
