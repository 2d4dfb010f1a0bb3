import { buildEdgeScene, type EdgeScene, type Truncation } from '../../cpu-diffraction/index.js'
import { meshForCurrents, triangleQualities } from '../../full-wave/index.js'
import { buildRayScene, MAX_BOUNCES, type SbrOptions } from '../../rays/index.js'
import { VERSION } from '../../run/version.js'
import { InputError, wavelength } from '../../scene/index.js'
import type { HistoryData, LayerData, MotionData } from '../figures/index.js'
import { DatasetSource, isDataset, openDataset } from './dataset.js'
import type { Source } from './http.js'
import {
  type ArrayRef,
  ArrayStore,
  type CurrentsView,
  type HistoryView,
  type Manifest,
  type MotionView,
  type Numbers,
  type RaysView,
  type ResultView,
} from './manifest.js'
import { type OpenedResult, openResults, outlineImage } from './open-result.js'
import { DEFAULT_WEDGE_ANGLE_DEG, runFacts } from './run-meta.js'
import { traceAngles, traceAspect } from './trace-aspect.js'

/** A result as sent to the page, its arrays in the store under `prefix`. */
function sendResult(
  {
    name,
    place,
    meta,
    image,
    history,
    histories,
    coverage,
    motion,
    moving,
    target,
    note,
    scene,
    sceneNote,
  }: OpenedResult,
  prefix: string,
  store: ArrayStore,
): ResultView {
  const axis = (id: string, data: Float64Array): ArrayRef => store.add(`${prefix}/${id}`, data, [data.length])
  const matrices = (id: string, layers: LayerData[], shape: number[]) =>
    layers.map((l) => ({ ...l, data: store.add(`${prefix}/${id}/${l.name}`, l.data, [...shape, 2]) }))
  const view: ResultView = { name, place, facts: runFacts(meta), targetNote: note, sceneNote }
  if (image) {
    const { rangeM, crossRangeM, outline } = image
    view.image = {
      ...image,
      rangeM: axis('range', rangeM),
      crossRangeM: axis('cross-range', crossRangeM),
      layers: matrices('image', image.layers, [rangeM.length, crossRangeM.length]),
      outline: outline && { silhouette: axis('silhouette', outline.silhouette), edges: axis('sharp-edges', outline.edges) }, // prettier-ignore
    }
  }
  const sent = (one: HistoryData, id: string): HistoryView => {
    const { freqHz, thetaDeg, phiDeg } = one
    return {
      ...one,
      freqHz: axis(`${id}freq`, freqHz),
      thetaDeg: axis(`${id}theta`, thetaDeg),
      phiDeg: axis(`${id}phi`, phiDeg),
      layers: matrices(`${id}history`, one.layers, [freqHz.length, phiDeg.length]),
      bars: one.bars?.map(({ name: layer, data }) => ({
        name: layer,
        data: store.add(`${prefix}/${id}bars/${layer}`, data, [freqHz.length, phiDeg.length]),
      })),
    }
  }
  if (history) view.history = sent(history, '')
  if (histories) view.histories = histories.map((one, i) => sent(one, `tx${i}/`))
  if (coverage) {
    const { freqHz, positionM } = coverage
    view.coverage = {
      ...coverage,
      freqHz: axis('freq', freqHz),
      positionM: axis('receivers', positionM),
      layers: matrices('transfer', coverage.layers, [freqHz.length, positionM.length / 3]),
    }
  }
  if (motion) view.motion = sendMotion(motion, axis, (id, data, shape) => store.add(`${prefix}/${id}`, data, shape)) // prettier-ignore
  if (moving && meta?.motion) {
    const { positions, triangles, facetPart, pose } = moving
    const { thetaDeg, phiDeg, f0_hz, f1_hz } = meta.motion.radar
    view.moving = {
      positions: store.add(`${prefix}/positions`, positions, [positions.length / 3, 3]),
      triangles: store.add(`${prefix}/triangles`, triangles, [triangles.length / 3, 3]),
      facetPart: store.add(`${prefix}/parts`, facetPart, [facetPart.length]),
      pose: store.add(`${prefix}/poses`, pose, [pose.length / 12, 3, 4]),
      parts: meta.motion.parts,
      thetaDeg,
      phiDeg,
      freqHz: (f0_hz + f1_hz) / 2,
    }
  }
  if (scene) {
    const { walls, transmitterM, paths } = scene
    const listed = Uint32Array.from(paths?.receivers ?? [])
    view.scene = {
      positions: store.add(`${prefix}/walls`, walls.positions, [walls.positions.length / 3, 3]),
      triangles: store.add(`${prefix}/wall-triangles`, walls.triangles, [walls.triangles.length / 3, 3]),
      transmitterM,
      listed: store.add(`${prefix}/listed`, listed, [listed.length]),
      pathsAt: `${prefix}/paths-`,
    }
  }
  if (target) {
    const { positions, triangles, facetMaterial, materials } = target.target
    const edges = target.edgeAngleDeg.length
    view.target = {
      positions: store.add(`${prefix}/positions`, positions, [positions.length / 3, 3]),
      triangles: store.add(`${prefix}/triangles`, triangles, [triangles.length / 3, 3]),
      edges: store.add(`${prefix}/edges`, target.edgesM, [edges, 2, 3]),
      edgeAngleDeg: axis('edge-angles', target.edgeAngleDeg),
      maxWedgeAngleDeg: meta?.options?.maxWedgeAngleDeg ?? DEFAULT_WEDGE_ANGLE_DEG,
      conducts: !meta?.mesh?.materials,
      ...(meta?.mesh?.ground && { groundM: meta.mesh.ground.height_m }),
      ...(target.ground && { ground: target.ground }),
      // Facets that preparing the mesh again took out would shift the numbers.
      ...(target.groups?.facetGroup.length === triangles.length / 3 && {
        facetGroup: store.add(`${prefix}/groups`, target.groups.facetGroup, [triangles.length / 3]),
        groupNames: target.groups.names,
      }),
      ...(facetMaterial && {
        materials,
        facetMaterial: store.add(`${prefix}/materials`, facetMaterial, [facetMaterial.length]),
      }),
    }
  }
  return view
}

function sendMotion(
  { timeS, dopplerHz, maps, turnS, layers }: MotionData,
  axis: (id: string, data: Float64Array) => ArrayRef,
  add: (id: string, data: Float32Array, shape: number[]) => ArrayRef,
): MotionView {
  const shape = maps && [maps.timeS.length, maps.rangeM.length, maps.dopplerHz.length]
  return {
    timeS: axis('times', timeS),
    dopplerHz: axis('doppler', dopplerHz),
    ...(turnS !== undefined && { turnS }),
    ...(maps && {
      maps: {
        timeS: axis('map-times', maps.timeS),
        rangeM: axis('map-range', maps.rangeM),
        dopplerHz: axis('map-doppler', maps.dopplerHz),
      },
    }),
    layers: layers.map(({ name, title, spectrogram, maps: of }) => ({
      name,
      title,
      spectrogram: add(`spectrogram/${name}`, spectrogram, [dopplerHz.length, timeS.length]),
      ...(of && { maps: add(`maps/${name}`, of, shape!) }),
    })),
  }
}

/** Whether a result has a mesh for currents that can be shown: it is made again of the target. */
const hasCurrents = ({ meta, target }: Pick<OpenedResult, 'meta' | 'target'>): boolean =>
  target !== null && Boolean(meta?.full_wave?.length)

/**
 * The mesh for currents of a result's highest frequency.
 * @throws InputError where this version meshes otherwise than that of the result
 */
function sendCurrents(
  { meta, target }: Pick<OpenedResult, 'meta' | 'target'>,
  prefix: string,
  store: ArrayStore,
): CurrentsView {
  const top = meta!.full_wave!.reduce((a, b) => (b.freq_hz > a.freq_hz ? b : a))
  const mesh = meshForCurrents({ ...target!.target, facetGroup: undefined }, wavelength(top.freq_hz))
  const count = mesh.triangles.length / 3
  if (count !== top.triangles)
    throw new InputError(
      `the mesh for currents has ${count} triangles now and had ${top.triangles}: the result is of isar ${meta!.version ?? '?'}`,
    )
  return {
    freqHz: top.freq_hz,
    positions: store.add(`${prefix}/current-positions`, mesh.positions, [mesh.positions.length / 3, 3]),
    triangles: store.add(`${prefix}/current-triangles`, mesh.triangles, [count, 3]),
    quality: store.add(`${prefix}/current-quality`, triangleQualities(mesh), [count]),
  }
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

  trace(phiDeg: number, prefix: string, store: ArrayStore): RaysView {
    const { image, meta, target } = this.result
    const { sweep, sbr = DEFAULT_RAYS } = meta!.options!
    const freqHz = (sweep!.f0 + sweep!.f1) / 2
    const truncation = (meta!.options!.diffraction ?? 'tw-ildc') as Truncation
    const angles: [number, number] = [image!.thetaDeg, phiDeg]
    const { list, edges } = traceAspect(this.scene, this.edges, angles, freqHz, sbr, truncation)
    const add = (name: string, data: Numbers, width = 1): ArrayRef =>
      store.add(`${prefix}/${name}`, data, width === 1 ? [data.length] : [data.length / width, width])
    return {
      phiDeg,
      hitStart: add('hit-start', list.hitStart),
      hits: add('hits', list.hits, 3),
      facets: add('facets', list.facets),
      path: add('path', list.path),
      bounce: add('bounce', list.bounce),
      place: add('place', list.place, 2),
      amplitude: add('amplitude', list.amplitude, 8),
      current: add('current', list.current, 4),
      surface: add('surface', target!.target.surface),
      raysPerWavelength: list.raysPerWavelength,
      freqHz,
      edges: {
        edge: add('edge', edges.edge),
        place: add('edge-place', edges.place, 2),
        amplitude: add('edge-amplitude', edges.amplitude, 8),
      },
    }
  }
}

/** Opens one result, or two to compare, or a dataset, for `serveView`. @throws InputError for what is none */
export async function openSource(paths: string[], mesh?: string): Promise<Source> {
  const store = new ArrayStore()
  const set = paths.find(isDataset)
  if (set === undefined) return resultSource(paths, mesh, store)
  if (paths.length > 1 || mesh !== undefined)
    throw new InputError(`${set} is a dataset, which is opened alone; give no other path`)
  const dataset = new DatasetSource(openDataset(set), store)
  return answering({ version: VERSION, results: [], dataset: dataset.view }, store, (path) =>
    dataset.get(path),
  )
}

async function resultSource(paths: string[], mesh: string | undefined, store: ArrayStore): Promise<Source> {
  const results = await openResults(paths, mesh)
  results.forEach(outlineImage)
  /** Computed on first request, by path. */
  const later = new Map<string, () => RaysView | CurrentsView>()
  const views = results.map((result, i) => {
    const angles = rayAspects(result)
    let tracer: AspectTracer | undefined
    const aspects = angles.map((phiDeg, l) => ({ path: `${i}/rays-${l}.json`, phiDeg }))
    for (const [l, { path, phiDeg }] of aspects.entries())
      later.set(path, () => (tracer ??= new AspectTracer(result)).trace(phiDeg, `${i}/rays-${l}`, store))
    const currents = hasCurrents(result) ? `${i}/currents.json` : undefined
    if (currents) later.set(currents, () => sendCurrents(result, `${i}`, store))
    return { ...sendResult(result, `${i}`, store), aspects, currents }
  })
  const traced = new Map<string, RaysView | CurrentsView>()
  return answering({ version: VERSION, results: views }, store, (path) => {
    const trace = later.get(path)
    if (!trace) return pathsOf(results, path)
    if (!traced.has(path)) traced.set(path, trace())
    return JSON.stringify(traced.get(path))
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
  manifest: Manifest,
  store: ArrayStore,
  more: (path: string) => Uint8Array | string | undefined,
): Source {
  return (path) => {
    if (path === '/result/manifest.json') return JSON.stringify(manifest)
    const name = /^\/result\/(.+)$/.exec(path)?.[1]
    return name === undefined ? undefined : (store.get(name) ?? more(name))
  }
}
