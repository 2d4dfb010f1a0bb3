import { VERSION } from '../version.js'
import type { Source } from '../view-server.js'
import type { Manifest, RaysView } from './manifest.js'
import { type OpenedResult, openResult } from './open-result.js'
import { lookAngles, LookTracer } from './rays.js'
import { sendResult } from './send.js'
import { ArrayStore } from './store.js'

/** Opens one result, or two to compare, for `serveView`. @throws InputError for what is no result */
export async function openSource(paths: string[], mesh?: string): Promise<Source> {
  const store = new ArrayStore()
  const results: OpenedResult[] = []
  for (const path of paths) results.push(await openResult(path, mesh))
  const tracers = new Map<string, () => RaysView>()
  const views = results.map((result, i) => {
    const angles = lookAngles(result)
    let tracer: LookTracer | undefined
    const looks = angles.map((phiDeg, l) => ({ path: `${i}/rays-${l}.json`, phiDeg }))
    for (const [l, { path, phiDeg }] of looks.entries())
      tracers.set(path, () => (tracer ??= new LookTracer(result)).trace(phiDeg, `${i}/rays-${l}`, store))
    return { ...sendResult(result, `${i}`, store), looks }
  })
  const manifest: Manifest = { version: VERSION, results: views }
  const traced = new Map<string, RaysView>()
  return (path) => {
    if (path === '/result/manifest.json') return JSON.stringify(manifest)
    const name = /^\/result\/(.+)$/.exec(path)?.[1]
    if (name === undefined) return undefined
    const trace = tracers.get(name)
    if (!trace) return store.get(name)
    if (!traced.has(name)) traced.set(name, trace())
    return JSON.stringify(traced.get(name))
  }
}
