import type { LayerData, PlotData } from '../src/plots/index.js'
import type { ArrayRef, ImageView, Manifest, RaysView, ResultView } from '../src/view/manifest.js'

const TYPES = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u1: Uint8Array } as const
type Arrays = { f8: Float64Array; f4: Float32Array; u4: Uint32Array; u1: Uint8Array }

async function get(path: string): Promise<Response> {
  const response = await fetch(`result/${path}`)
  if (!response.ok) throw new Error(`${path}: ${(await response.text()).trim()}`)
  return response
}

/** Fetches one array. @throws Error when the server does not give it or it is of another type */
async function load<T extends ArrayRef['type']>(ref: ArrayRef, type: T): Promise<Arrays[T]> {
  if (ref.type !== type) throw new Error(`${ref.path} is ${ref.type}, not ${type}`)
  const buffer = await (await get(ref.path)).arrayBuffer()
  return new TYPES[type](buffer) as Arrays[T]
}

export const loadManifest = async (): Promise<Manifest> =>
  (await get('manifest.json')).json() as Promise<Manifest>

export interface TargetData {
  positions: Float64Array
  triangles: Uint32Array
  edges: Float64Array
  edgeAngleDeg: Float64Array
}

/** Rays of one aspect, see `PathList` in cpu-sbr. */
export interface RaysData {
  phiDeg: number
  hitStart: Uint32Array
  hits: Float32Array
  facets: Uint32Array
  path: Uint32Array
  bounce: Uint8Array
  place: Float64Array
  amplitude: Float32Array
  current: Float32Array
  surface: Uint32Array
  raysPerWavelength: number
  freqHz: number
}

export interface ResultData extends PlotData {
  view: ResultView
  target?: TargetData
}

const loadLayers = (layers: ImageView['layers']): Promise<LayerData[]> =>
  Promise.all(layers.map(async ({ name, title, data }) => ({ name, title, data: await load(data, 'f8') })))

export async function loadResult(view: ResultView): Promise<ResultData> {
  const { image, history, coverage, target } = view
  const result: ResultData = { name: view.name, place: view.place, view }
  if (image) {
    const [rangeM, crossRangeM] = await Promise.all([load(image.rangeM, 'f8'), load(image.crossRangeM, 'f8')])
    result.image = { ...image, rangeM, crossRangeM, layers: await loadLayers(image.layers) }
  }
  if (history) {
    const [freqHz, thetaDeg, phiDeg] = await Promise.all(
      [history.freqHz, history.thetaDeg, history.phiDeg].map((a) => load(a, 'f8')),
    )
    result.history = { ...history, freqHz, thetaDeg, phiDeg, layers: await loadLayers(history.layers) }
  }
  if (coverage)
    result.coverage = {
      ...coverage,
      freqHz: await load(coverage.freqHz, 'f8'),
      positionM: await load(coverage.positionM, 'f8'),
      layers: await loadLayers(coverage.layers),
    }
  if (target)
    result.target = {
      positions: await load(target.positions, 'f8'),
      triangles: await load(target.triangles, 'u4'),
      edges: await load(target.edges, 'f8'),
      edgeAngleDeg: await load(target.edgeAngleDeg, 'f8'),
    }
  return result
}

/** The rays of one aspect; the server traces them when first asked. */
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
  }
}
