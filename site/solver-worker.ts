import { EDGE_SIZE, type EdgeScene } from '../cpu-diffraction/edge-scene.js'
import { imageSmear, needsPolarFormat, planSweep } from '../isar/index.js'
import { memoryRows, rowField, runSweep } from '../pipeline/sweep.js'
import type { SweepJob } from '../pipeline/sweep-job.js'
import { CHANNELS } from '../rays/index.js'
import { describeReport, direction, InputError, scaleMesh } from '../scene/index.js'
import { formImages } from '../src/formed-images.js'
import { traceAspect } from '../src/view/trace-aspect.js'
import { DEFAULTS } from './defaults.js'
import { findGpu, openPageEngines, type PreparedTarget, prepare, rayOptions } from './engines.js'
import type { Answer, OpenRequest, RaysRequest, Request, RunSweep, SolveRequest } from './messages.js'
import { readMeshFile } from './read-mesh.js'

// The solver in a thread of the page: the sweep, engines and images of `isar rcs` and `isar render`.

const answer = (message: Answer): void => self.postMessage(message, { transfer: [] })

async function open({ name, bytes, units }: OpenRequest): Promise<PreparedTarget> {
  const [mesh, gpu] = await Promise.all([readMeshFile(name, bytes), findGpu().catch(() => null)])
  const prepared = prepare(scaleMesh(mesh, units))
  const { target, edgeScene } = prepared
  const { positions, triangles, report, diagonal } = target
  answer({
    kind: 'target',
    target: { positions: positions.slice(), triangles: triangles.slice(), ...drawnEdges(edgeScene) },
    facets: triangles.length / 3,
    radiusM: diagonal / 2,
    warnings: describeReport(report),
    gpu,
  })
  return prepared
}

function drawnEdges({ count, edges: records, origin }: EdgeScene) {
  const edges = new Float64Array(6 * count)
  const edgeAngleDeg = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    const at = EDGE_SIZE * e
    for (let c = 0; c < 3; c++) {
      edges[6 * e + c] = origin[c] + records[at + c]
      edges[6 * e + 3 + c] = edges[6 * e + c] + records[at + 6] * records[at + 3 + c]
    }
    edgeAngleDeg[e] = 180 * (2 - records[at + 7])
  }
  return { edges, edgeAngleDeg }
}

/** What `computeRcs` (src/rcs.ts) and `openSweep` (src/sweep-job.ts) make of the same request. @throws InputError */
function planOf({ target }: PreparedTarget, sweep: RunSweep) {
  const { thetaDeg } = sweep
  const aspect = (phi: number): SweepJob['aspects'][number] => {
    const d = direction(thetaDeg, phi)
    return { tx: d, rx: d }
  }
  const phaseCentre: [number, number, number] = [0, 0, 0]
  if (sweep.what === 'rcs') {
    const { freqHz, phiDeg } = sweep
    const job: SweepJob = { aspects: phiDeg.map(aspect), bands: [{ f0: freqHz, df: 0, n: 1 }], phaseCentre }
    return { job, plan: null, freqHz: Float64Array.of(freqHz), phiDeg: Float64Array.from(phiDeg) }
  }
  const { centreHz, resolutionM: rangeM, phiDeg } = sweep
  const plan = planSweep({
    points: target.positions,
    phaseCentre,
    thetaDeg,
    phiDeg,
    resolution: { rangeM, centreHz },
  })
  const { freqHz } = plan
  const bands = [{ f0: freqHz[0], df: freqHz[1] - freqHz[0], n: freqHz.length }]
  const job: SweepJob = { aspects: Array.from(plan.phiDeg, aspect), bands, phaseCentre }
  return { job, plan, freqHz, phiDeg: plan.phiDeg }
}

async function solve(
  prepared: PreparedTarget,
  { sweep, options }: SolveRequest,
  signal: AbortSignal,
): Promise<void> {
  const { job, plan, freqHz, phiDeg } = planOf(prepared, sweep)
  const engines = await openPageEngines(prepared, options)
  try {
    signal.throwIfAborted()
    const notes = [...engines.notes, ...(plan?.notes ?? [])]
    answer({ kind: 'started', device: engines.device, notes, freqHz, thetaDeg: sweep.thetaDeg, phiDeg })
    const kept = memoryRows()
    const add = (aspect: number, row: Float64Array): void => {
      kept.add(aspect, row)
      if (signal.aborted) return
      answer({ kind: 'row', aspect, field: rowField(job, row).slice() })
    }
    const start = performance.now()
    await runSweep(engines, job, { rows: kept.rows, add }, () => {}, signal)
    const seconds = (performance.now() - start) / 1000
    signal.throwIfAborted()
    if (!plan) return answer({ kind: 'done', seconds })
    const total = job.aspects.map((_, i) => rowField(job, kept.rows.get(i)!))
    const polarFormat = needsPolarFormat(imageSmear(plan, prepared.target.positions))
    const image = { window: 'hamming', polarFormat } as const
    answer({
      kind: 'done',
      seconds,
      image: { plan, formed: await formImages(plan, CHANNELS, { total }, image) },
    })
  } finally {
    await engines.close()
  }
}

function traceRays(
  { target, scene, edgeScene }: PreparedTarget,
  { id, thetaDeg, phiDeg, freqHz, options }: RaysRequest,
): void {
  const edgesOf = options.edges ? edgeScene : null
  const { list, edges } = traceAspect(scene, edgesOf, [thetaDeg, phiDeg], freqHz, rayOptions(options), DEFAULTS.diffraction) // prettier-ignore
  answer({ kind: 'rays', id, rays: { ...list, phiDeg, freqHz, edges, surface: target.surface } })
}

let opened: Promise<PreparedTarget> = Promise.reject(new InputError('open a mesh first'))
opened.catch(() => {})
let running = new AbortController()

/** Answers a failure by one line. */
const refuse = (error: unknown): void =>
  answer({ kind: 'refused', message: error instanceof Error ? error.message : String(error) })

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'rays') {
    opened.then((prepared) => traceRays(prepared, data)).catch(refuse)
    return
  }
  running.abort()
  if (data.kind === 'stop') answer({ kind: 'stopped' })
  if (data.kind === 'open') {
    opened = open(data)
    opened.catch(refuse)
  }
  if (data.kind !== 'solve') return
  const own = (running = new AbortController())
  opened
    .then((prepared) => solve(prepared, data, own.signal))
    .catch((error: unknown) => own.signal.aborted || refuse(error))
})
