import { InputError } from '../../scene/index.js'
import { VERSION } from '../version.js'
import type { Source } from '../view-server.js'
import { hasCurrents, sendCurrents } from './currents.js'
import { isDataset, openDataset } from './dataset.js'
import { DatasetSource } from './dataset-source.js'
import type { CurrentsView, Manifest, RaysView } from './manifest.js'
import { type OpenedResult, openResult, outlineImage } from './open-result.js'
import { rayAspects, AspectTracer } from './rays.js'
import { sendResult } from './send.js'
import { ArrayStore } from './store.js'

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
  const results: OpenedResult[] = []
  for (const path of paths) {
    const result = await openResult(path, mesh)
    outlineImage(result)
    results.push(result)
  }
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
