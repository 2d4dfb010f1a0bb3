import { buildEdgeScene, edgeEnds } from '../../../cpu-diffraction/index.js'
import { FilesHash } from '../../../formats/files-hash.js'
import { readMesh } from '../../../formats/read-mesh.js'
import { withMaterials } from '../../../formats/target-materials.js'
import { buildRayScene } from '../../../rays/index.js'
import { describeReport, leftOutRemarks, type Mesh, prepareTarget, scaleMesh } from '../../../scene/index.js'
import { overGround, withoutImage } from '../../../scene/ground/index.js'
import { BUILT_IN } from '../../../scene/materials/index.js'
import { DEFAULTS, type Answer, type GpuFound, type MeshGiven } from './messages.js'
import { findGpu, type PreparedTarget } from './engines.js'
import { giveFiles } from './node.js'

export interface OpenedTarget extends PreparedTarget {
  /** Names of the mesh's groups, and of the materials that may be given to them. */
  groups: string[]
  materialNames: string[]
  mediumNames: string[]
  /** Remarks on the mesh's file and repairs. */
  warnings: string[]
  /** Of the mesh itself [m]. */
  radiusM: number
  gpu: GpuFound | null
}

/** The target as `loadTarget` and `prepareRecipe` (run/loaded-target.ts) prepare it. @throws InputError */
export async function openTarget(given: MeshGiven): Promise<OpenedTarget> {
  const [{ mesh, materials, media }, gpu] = await Promise.all([meshOf(given), findGpu().catch(() => null)])
  const own = prepareTarget(mesh, { smoothAngleDeg: DEFAULTS.smoothAngleDeg })
  const target = mesh.ground ? overGround(own, DEFAULTS.smoothAngleDeg) : own
  const scene = buildRayScene(target)
  const angle = 'mesh' in given ? given.maxWedgeAngleDeg : DEFAULTS.maxWedgeAngleDeg
  return {
    target,
    scene,
    edgeScene: buildEdgeScene(target, angle, scene.origin),
    groups: (mesh.facetGroup && mesh.groupNames) ?? [],
    materialNames: ['conductor', ...materials],
    mediumNames: [...media, ...BUILT_IN.map(({ medium }) => medium.name)],
    warnings: [...leftOutRemarks(mesh), ...describeReport(target.report)],
    radiusM: own.diagonal / 2,
    gpu,
  }
}

interface Names {
  materials: string[]
  media: string[]
}

async function meshOf(given: MeshGiven): Promise<{ mesh: Mesh } & Names> {
  if ('mesh' in given) return { mesh: given.mesh, materials: [], media: [] }
  const { name, files, units, made } = given
  giveFiles(files)
  const mesh = scaleMesh(await readMesh(name), units)
  return { mesh: await withMaterials(mesh, made), ...(await namesIn(made.materials)) }
}

/** Names of a materials file. */
async function namesIn(file: string | undefined): Promise<Names> {
  if (file === undefined) return { materials: [], media: [] }
  // Loaded on demand: its schema is large.
  const { readMaterials } = await import('../../../formats/materials-file.js')
  const { materials, media } = await readMaterials(file, new FilesHash())
  return { materials: [...materials.keys()], media: [...media.keys()] }
}

/** What the page is told of a target: without the mirror image that a ground adds. */
export function answerOf(
  id: number,
  { target, edgeScene, groups, materialNames, mediumNames, warnings, radiusM, gpu }: OpenedTarget,
): Answer {
  const { ground, materials } = target
  const { positions, triangles, facetMaterial } = withoutImage(target)
  const { edgesM, edgeAngleDeg } = edgeEnds(edgeScene, ground?.height)
  return {
    id,
    kind: 'target',
    target: {
      positions: positions.slice(),
      triangles: triangles.slice(),
      edges: edgesM,
      edgeAngleDeg,
      groundM: ground?.height,
      ...(facetMaterial && { facetMaterial: Uint8Array.from(facetMaterial) }),
    },
    facets: triangles.length / 3,
    radiusM,
    groups,
    materials,
    materialNames,
    mediumNames,
    warnings,
    gpu,
  }
}
