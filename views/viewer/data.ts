import type {
  HistoryData,
  ImageGridData,
  ImageLabels,
  LayerData,
  MotionData,
  PathsData,
  PlotData,
} from '../figures/index.js'
import type {
  ArrayRef,
  ChipView,
  CurrentsView,
  DatasetView,
  HistoryView,
  ImageView,
  Manifest,
  MotionView,
  MovingView,
  RaysView,
  ResultView,
} from '../server/manifest.js'
import type { RaysData } from '../server/trace-aspect.js'
import type { TargetData, LiveSource } from './solver/messages.js'

export type { RaysData, TargetData }

const TYPES = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u1: Uint8Array } as const
type Arrays = { f8: Float64Array; f4: Float32Array; u4: Uint32Array; u1: Uint8Array }

async function get(path: string): Promise<Response> {
  const response = await fetch(`result/${path}`)
  if (!response.ok) throw new Error(`${path}: ${(await response.text()).trim()}`)
  return response
}

/** Fetches one array. @throws Error when the server refuses it or it is of another type */
async function load<T extends ArrayRef['type']>(ref: ArrayRef, type: T): Promise<Arrays[T]> {
  if (ref.type !== type) throw new Error(`${ref.path} is ${ref.type}, not ${type}`)
  const buffer = await (await get(ref.path)).arrayBuffer()
  return new TYPES[type](buffer) as Arrays[T]
}

export const loadManifest = async (): Promise<Manifest> =>
  (await get('manifest.json')).json() as Promise<Manifest>

/** Walls and transmitter of a propagation result [m]. */
export interface SceneData {
  positions: Float64Array
  triangles: Uint32Array
  transmitterM: [number, number, number]
  /** Receivers with listed paths. */
  listed: Set<number>
}

/** The target of a result of isar doppler, see `MovingView`. */
export interface MovingData extends Omit<MovingView, 'positions' | 'triangles' | 'facetPart' | 'pose'> {
  positions: Float64Array
  triangles: Uint32Array
  facetPart: Uint8Array
  pose: Float64Array
}

export interface ResultData extends PlotData {
  view: ResultView
  target?: TargetData
  scene?: SceneData
  moving?: MovingData
  /** Where the page traces rays itself: those at a path of the view's `aspects`. */
  traceRays?: (path: string) => Promise<RaysData>
  /** Where the page has computed the result itself: its solver, with the target open, and the frequency that live RCS begins with [Hz]. */
  solver?: LiveSource & { freqHz: number }
}

const loadLayers = (layers: ImageView['layers']): Promise<LayerData[]> =>
  Promise.all(layers.map(async ({ name, title, data }) => ({ name, title, data: await load(data, 'f8') })))

async function loadImage(image: ImageView): Promise<ImageGridData> {
  const [rangeM, crossRangeM] = await Promise.all([load(image.rangeM, 'f8'), load(image.crossRangeM, 'f8')])
  const { outline } = image
  return {
    ...image,
    rangeM,
    crossRangeM,
    layers: await loadLayers(image.layers),
    outline: outline && {
      silhouette: await load(outline.silhouette, 'f8'),
      edges: await load(outline.edges, 'f8'),
    },
  }
}

async function loadMotion({ timeS, dopplerHz, maps, turnS, layers }: MotionView): Promise<MotionData> {
  return {
    timeS: await load(timeS, 'f8'),
    dopplerHz: await load(dopplerHz, 'f8'),
    turnS,
    ...(maps && {
      maps: {
        timeS: await load(maps.timeS, 'f8'),
        rangeM: await load(maps.rangeM, 'f8'),
        dopplerHz: await load(maps.dopplerHz, 'f8'),
      },
    }),
    layers: await Promise.all(
      layers.map(async ({ name, title, spectrogram, maps: of }) => ({
        name,
        title,
        spectrogram: await load(spectrogram, 'f4'),
        ...(of && { maps: await load(of, 'f4') }),
      })),
    ),
  }
}

async function loadHistory(history: HistoryView): Promise<HistoryData> {
  const [freqHz, thetaDeg, phiDeg] = await Promise.all(
    [history.freqHz, history.thetaDeg, history.phiDeg].map((a) => load(a, 'f8')),
  )
  const bars = history.bars && (await Promise.all(history.bars.map(async ({ name, data }) => ({ name, data: await load(data, 'f8') })))) // prettier-ignore
  return { ...history, freqHz, thetaDeg, phiDeg, layers: await loadLayers(history.layers), bars }
}

export async function loadResult(view: ResultView): Promise<ResultData> {
  const { image, history, histories, coverage, motion, moving, target, scene } = view
  const result: ResultData = { name: view.name, place: view.place, view }
  if (image) result.image = await loadImage(image)
  if (history) result.history = await loadHistory(history)
  if (histories) {
    result.histories = await Promise.all(histories.map(loadHistory))
    result.history = result.histories[0]
  }
  if (coverage)
    result.coverage = {
      ...coverage,
      freqHz: await load(coverage.freqHz, 'f8'),
      positionM: await load(coverage.positionM, 'f8'),
      layers: await loadLayers(coverage.layers),
    }
  if (motion) result.motion = await loadMotion(motion)
  if (moving)
    result.moving = {
      ...moving,
      positions: await load(moving.positions, 'f8'),
      triangles: await load(moving.triangles, 'u4'),
      facetPart: await load(moving.facetPart, 'u1'),
      pose: await load(moving.pose, 'f8'),
    }
  if (scene)
    result.scene = {
      positions: await load(scene.positions, 'f8'),
      triangles: await load(scene.triangles, 'u4'),
      transmitterM: scene.transmitterM,
      listed: new Set(await load(scene.listed, 'u4')),
    }
  if (target)
    result.target = {
      positions: await load(target.positions, 'f8'),
      triangles: await load(target.triangles, 'u4'),
      edges: await load(target.edges, 'f8'),
      edgeAngleDeg: await load(target.edgeAngleDeg, 'f8'),
      groundM: target.groundM,
      ...(target.facetGroup && {
        facetGroup: await load(target.facetGroup, 'u4'),
        groupNames: target.groupNames,
      }),
      ...(target.facetMaterial && { facetMaterial: await load(target.facetMaterial, 'u1') }),
    }
  return result
}

/** Paths of one receiver, the strongest first. */
export const loadPaths = async (at: string, receiver: number): Promise<PathsData> =>
  (await get(`${at}${receiver}.json`)).json() as Promise<PathsData>

/** Triangles that carry currents, see `CurrentsView`. */
export interface CurrentsData {
  freqHz: number
  positions: Float64Array
  triangles: Uint32Array
  quality: Float64Array
}

/** The mesh for currents; the server makes it on the first request. */
export async function loadCurrents(path: string): Promise<CurrentsData> {
  const { freqHz, positions, triangles, quality } = (await (await get(path)).json()) as CurrentsView
  return {
    freqHz,
    positions: await load(positions, 'f8'),
    triangles: await load(triangles, 'u4'),
    quality: await load(quality, 'f8'),
  }
}

/** The list of a dataset's images, see `DatasetView`. */
export interface DatasetData {
  view: DatasetView
  chip: Uint32Array
  label: Uint32Array
  target: Uint32Array
  split: Uint32Array
  azimuthDeg: Float64Array
  elevationDeg: Float64Array
  peakDbsm: Float64Array
}

export async function loadDataset(view: DatasetView): Promise<DatasetData> {
  const [chip, label, target, split] = await Promise.all(
    [view.chip, view.label, view.target, view.split].map((a) => load(a, 'u4')),
  )
  const [azimuthDeg, elevationDeg, peakDbsm] = await Promise.all(
    [view.azimuthDeg, view.elevationDeg, view.peakDbsm].map((a) => load(a, 'f8')),
  )
  return { view, chip, label, target, split, azimuthDeg, elevationDeg, peakDbsm }
}

/** Grey levels of an image of a dataset, the largest range first. @param i  index in the list */
export const loadGrey = async ({ at, size }: DatasetView, i: number): Promise<Uint8Array> =>
  load({ path: `${at}${i}/grey`, type: 'u1', shape: size }, 'u1')

/** An image of a dataset as a result. @param i  index in the list */
export async function loadChip({ view: set }: DatasetData, i: number): Promise<ResultData> {
  const { image, mask, lit, centres, facts } = (await (await get(`${set.at}${i}.json`)).json()) as ChipView
  const name = `${set.name} ${facts[0][1]} ${Object.fromEntries(facts).Class}`
  const labels: ImageLabels = {
    ...(mask && { mask: await load(mask, 'u1') }),
    ...(lit && { lit: await load(lit, 'u1') }),
    ...(centres && { centres }),
  }
  return {
    name,
    place: set.place,
    view: { name, place: set.place, facts },
    image: { ...(await loadImage(image)), labels },
  }
}

/** The rays of one aspect; the server traces them on the first request. */
export async function loadRays(path: string): Promise<RaysData> {
  const view = (await (await get(path)).json()) as RaysView
  const { phiDeg, raysPerWavelength, freqHz } = view
  const [hitStart, facets, pathOf, surface] = await Promise.all(
    [view.hitStart, view.facets, view.path, view.surface].map((a) => load(a, 'u4')),
  )
  const [hits, amplitude, current] = await Promise.all(
    [view.hits, view.amplitude, view.current].map((a) => load(a, 'f4')),
  )
  const [place, bounce] = await Promise.all([load(view.place, 'f8'), load(view.bounce, 'u1')])
  const edges = {
    edge: await load(view.edges.edge, 'u4'),
    place: await load(view.edges.place, 'f8'),
    amplitude: await load(view.edges.amplitude, 'f4'),
  }
  return {
    phiDeg,
    hitStart,
    hits,
    facets,
    path: pathOf,
    bounce,
    place,
    amplitude,
    current,
    surface,
    raysPerWavelength,
    freqHz,
    edges,
  }
}
