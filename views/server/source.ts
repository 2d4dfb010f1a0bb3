import { buildEdgeScene, type EdgeScene, type Truncation } from '../../cpu-diffraction/index.js'
import { meshForCurrents, triangleQualities } from '../../full-wave/index.js'
import { buildRayScene, MAX_BOUNCES, type SbrOptions } from '../../rays/index.js'
import { VERSION } from '../../run/version.js'
import { InputError, wavelength } from '../../scene/index.js'
import { DatasetSource, isDataset, openDataset } from './dataset.js'
import type { Source } from './http.js'
import {
  ArrayStore,
  type CurrentsData,
  type Opened,
  type RaysData,
  type ServedResult,
  traceAngles,
  traceAspect,
} from './manifest.js'
import { type OpenedResult, openResults, outlineImage } from './open-result.js'
import { DEFAULT_WEDGE_ANGLE_DEG, runFacts } from './result-file.js'

/** What the page gets of a result. @param prefix  of the paths of what is asked for later */
function served(result: OpenedResult, prefix: string): ServedResult {
  const { materials: _, meta, note, moving, scene, target, ...drawn } = result
  const radar = meta?.motion?.radar
  return {
    ...drawn,
    facts: runFacts(meta),
    targetNote: note,
    ...(moving &&
      radar && {
        moving: {
          ...moving,
          parts: meta.motion!.parts,
          thetaDeg: radar.thetaDeg,
          phiDeg: radar.phiDeg,
          freqHz: (radar.f0_hz + radar.f1_hz) / 2,
        },
      }),
    ...(scene && {
      scene: {
        positions: scene.walls.positions,
        triangles: scene.walls.triangles,
        transmitterM: scene.transmitterM,
        listed: Uint32Array.from(scene.paths?.receivers ?? []),
        pathsAt: `${prefix}/paths-`,
      },
    }),
    ...(target && { target: servedTarget(target, meta) }),
  }
}

function servedTarget(
  { target, edgesM, ground, groups }: NonNullable<OpenedResult['target']>,
  meta: OpenedResult['meta'],
): ServedResult['target'] {
  const { positions, triangles, facetMaterial, materials } = target
  return {
    positions,
    triangles,
    edges: edgesM,
    maxWedgeAngleDeg: meta?.options?.maxWedgeAngleDeg ?? DEFAULT_WEDGE_ANGLE_DEG,
    conducts: !meta?.mesh?.materials,
    groundM: meta?.mesh?.ground?.height_m,
    ground,
    // Facets that preparing the mesh again took out would shift the numbers.
    ...(groups?.facetGroup.length === triangles.length / 3 && {
      facetGroup: groups.facetGroup,
      groupNames: groups.names,
    }),
    ...(facetMaterial && { materials, facetMaterial }),
  }
}

/** Whether a result has a mesh for currents that can be shown: it is made again of the target. */
const hasCurrents = ({ meta, target }: Pick<OpenedResult, 'meta' | 'target'>): boolean =>
  target !== null && Boolean(meta?.full_wave?.length)

/**
 * The mesh for currents of a result's highest frequency.
 * @throws InputError where this version meshes otherwise than that of the result
 */
function currentsOf({ meta, target }: Pick<OpenedResult, 'meta' | 'target'>): CurrentsData {
  const top = meta!.full_wave!.reduce((a, b) => (b.freq_hz > a.freq_hz ? b : a))
  const mesh = meshForCurrents({ ...target!.target, facetGroup: undefined }, wavelength(top.freq_hz))
  const count = mesh.triangles.length / 3
  if (count !== top.triangles)
    throw new InputError(
      `the mesh for currents has ${count} triangles now and had ${top.triangles}: the result is of isar ${meta!.version ?? '?'}`,
    )
  const { positions, triangles } = mesh
  return { freqHz: top.freq_hz, positions, triangles, quality: triangleQualities(mesh) }
}

/** Where meta.json does not contain them. */
export const DEFAULT_RAYS: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: MAX_BOUNCES,
  subdivisions: 2,
}

/**
 * Azimuths at which the rays behind a result's hot spots are traced [degrees], the centre one first; none without a target or its materials, or over a
 * ground.
 */
export function rayAspects({ image, meta, target }: OpenedResult): number[] {
  const sweep = meta?.options?.sweep
  if (!image || !sweep || !target || meta.mesh?.ground) return []
  if (meta.mesh?.materials && !target.target.facetMaterial) return []
  const span = Math.abs(sweep.phi1 - sweep.phi0)
  return traceAngles(image.phiDeg, span)
}

/** Traces aspects of one target at its image's centre frequency, in double precision. */
class AspectTracer {
  private readonly scene
  private readonly edges: EdgeScene | null

  /** @param result  one that `rayAspects` returns angles for */
  constructor(private readonly result: OpenedResult) {
    const { target, edgeAngleDeg } = result.target!
    this.scene = buildRayScene(target)
    const edges =
      edgeAngleDeg.length > 0 ? buildEdgeScene(target, result.meta!.options!.maxWedgeAngleDeg ?? 160) : null
    // The result's edges are those found by its run: where this version finds others, edge numbers would not match.
    this.edges = edges?.count === edgeAngleDeg.length ? edges : null
  }

  trace(phiDeg: number): RaysData {
    const { image, meta, target } = this.result
    const { sweep, sbr = DEFAULT_RAYS } = meta!.options!
    const freqHz = (sweep!.f0 + sweep!.f1) / 2
    const truncation = (meta!.options!.diffraction ?? 'tw-ildc') as Truncation
    const angles: [number, number] = [image!.thetaDeg, phiDeg]
    const { list, edges } = traceAspect(this.scene, this.edges, angles, freqHz, sbr, truncation)
    return { ...list, phiDeg, edges, surface: target!.target.surface }
  }
}

/** Opens one result, or two to compare, or a dataset, for `serveView`. @throws InputError for what is none */
export async function openSource(paths: string[], mesh?: string): Promise<Source> {
  const store = new ArrayStore()
  const set = paths.find(isDataset)
  if (set === undefined) return resultSource(paths, mesh, store)
  if (paths.length > 1 || mesh !== undefined)
    throw new InputError(`${set} is a dataset, which is opened alone; give no other path`)
  const dataset = new DatasetSource(openDataset(set))
  return answering({ version: VERSION, results: [], dataset: dataset.list }, store, (path) =>
    dataset.get(path),
  )
}

async function resultSource(paths: string[], mesh: string | undefined, store: ArrayStore): Promise<Source> {
  const results = await openResults(paths, mesh)
  results.forEach(outlineImage)
  /** Computed on first request, by path. */
  const later = new Map<string, () => RaysData | CurrentsData>()
  const opened = results.map((result, i) => {
    let tracer: AspectTracer | undefined
    const aspects = rayAspects(result).map((phiDeg, l) => ({ path: `${i}/rays-${l}.json`, phiDeg }))
    for (const { path, phiDeg } of aspects)
      later.set(path, () => (tracer ??= new AspectTracer(result)).trace(phiDeg))
    const currents = hasCurrents(result) ? `${i}/currents.json` : undefined
    if (currents) later.set(currents, () => currentsOf(result))
    return { ...served(result, `${i}`), aspects, currents }
  })
  const made = new Map<string, string>()
  return answering({ version: VERSION, results: opened }, store, (path) => {
    const make = later.get(path)
    if (!make) return pathsOf(results, path)
    if (!made.has(path)) made.set(path, JSON.stringify(store.send(make(), path)))
    return made.get(path)
  })
}

/** Paths of a receiver, at `<result>/paths-<receiver>.json`. */
function pathsOf(results: OpenedResult[], path: string): string | undefined {
  const [, result, number] = /^(\d)\/paths-(\d{1,9})\.json$/.exec(path) ?? []
  const { scene, coverage } = results[Number(result)] ?? {}
  if (number === undefined || !scene?.paths || !coverage) return undefined
  const receiver = Number(number)
  const [x, y, z] = coverage.positionM.subarray(3 * receiver, 3 * receiver + 3)
  const paths = scene.paths.paths(receiver, [x, y, z])
  return paths ? JSON.stringify(paths) : undefined
}

/** Answers with the manifest, stored arrays, and results of `more`. */
function answering(
  opened: Opened,
  store: ArrayStore,
  more: (path: string) => Uint8Array | string | undefined,
): Source {
  const manifest = JSON.stringify(store.send(opened, 'opened'))
  return (path) => {
    if (path === '/result/manifest.json') return manifest
    const name = /^\/result\/(.+)$/.exec(path)?.[1]
    return name === undefined ? undefined : (store.get(name) ?? more(name))
  }
}
