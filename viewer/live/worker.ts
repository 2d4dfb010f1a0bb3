import { buildEdgeScene } from '../../cpu-diffraction/edge-scene.js'
import { GpuecoEngine, GpuError, openTestedDevice } from '../../gpu/index.js'
import { buildFacetScene, symmetrise } from '../../rays/index.js'
import { buildRasterScene, DEFAULT_PIXELS, type RasterJob } from '../../raster/raster-scene.js'
import { direction, prepareTarget } from '../../scene/index.js'
import type { Answer, OpenRequest, Request, SolveRequest } from './messages.js'

// The page's solver, in a separate worker: the code of `--method gpueco`, on the visitor's GPU.

/** This method does not use smooth groups. */
const SMOOTH_ANGLE_DEG = 20

const answer = (message: Answer): void =>
  self.postMessage(message, { transfer: message.kind === 'solved' ? [message.fields.buffer] : [] })
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const NO_WEBGPU =
  'this browser gives WebGPU to its pages but not to their workers; use a current Chrome or Edge'
const NO_ADAPTER =
  'the browser finds no GPU for WebGPU; update it and the graphics driver, or use another browser'

async function openEngine({ mesh, maxWedgeAngleDeg }: OpenRequest): Promise<GpuecoEngine> {
  if (!navigator.gpu) throw new GpuError(NO_WEBGPU)
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) throw new GpuError(NO_ADAPTER)
  const context = await openTestedDevice(adapter)
  context.failure.catch((error: unknown) => answer({ kind: 'failed', message: textOf(error) }))
  const start = performance.now()
  const target = prepareTarget(mesh, { smoothAngleDeg: SMOOTH_ANGLE_DEG })
  const facets = buildFacetScene(target)
  const edges = buildEdgeScene(target, maxWedgeAngleDeg, facets.origin)
  const engine = new GpuecoEngine(context, buildRasterScene(target, facets), edges, { size: DEFAULT_PIXELS })
  const prepareSeconds = (performance.now() - start) / 1000
  // Compiles the kernels, so that the first answer takes as long as any other.
  await engine.field(jobAt(0, 0, 1e9))
  answer({ kind: 'opened', device: context.name, isSoftware: context.isSoftware, prepareSeconds })
  return engine
}

function jobAt(thetaDeg: number, phiDeg: number, freqHz: number): RasterJob {
  const tx = direction(thetaDeg, phiDeg)
  return { aspect: { tx, rx: tx }, band: { f0: freqHz, df: 0, n: 1 } }
}

async function solve(engine: GpuecoEngine, { id, freqHz, anglesDeg }: SolveRequest): Promise<Answer> {
  const start = performance.now()
  const count = anglesDeg.length / 2
  const fields = new Float64Array(8 * count)
  const results = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      engine.field(jobAt(anglesDeg[2 * i], anglesDeg[2 * i + 1], freqHz)),
    ),
  )
  results.forEach(({ field }, i) => fields.set(field, 8 * i))
  symmetrise(fields)
  if (!fields.every(Number.isFinite)) throw new Error('an amplitude is not finite; please report this target')
  return { kind: 'solved', id, fields, seconds: (performance.now() - start) / 1000 }
}

let opening: Promise<GpuecoEngine> | null = null

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'open') {
    opening = openEngine(data)
    opening.catch((error: unknown) => answer({ kind: 'failed', message: textOf(error) }))
    return
  }
  const { id } = data
  opening
    ?.then((engine) => solve(engine, data))
    .then(answer)
    .catch((error: unknown) => answer({ kind: 'refused', id, message: textOf(error) }))
})
