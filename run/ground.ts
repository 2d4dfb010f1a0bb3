import {
  createEdgeEngine,
  type EdgeEngineOptions,
  type EdgeJob,
  type EdgeResult,
  type EdgeScene,
  type EdgeThreads,
  someEdges,
} from '../cpu-diffraction/index.js'
import {
  type AspectField,
  type AspectResult,
  type AspectStatistics,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  isExitForm,
  type SbrOptions,
} from '../rays/index.js'
import { addImage, crossEnds, type Ground, imageDirection, isMirror } from '../scene/ground/index.js'
import { type Aspect, InputError } from '../scene/index.js'
import { checkBands } from '../scene/materials/library.js'
import type { AheadEdges, SweepJob } from './sweep/index.js'

/** Rays that also reach the receiver by the ground; of a scene with its mirror image. */
export function raysOverGround(engine: SbrEngine, { height }: Ground): SbrEngine {
  return {
    describe: () => engine.describe(),
    close: () => engine.close(),
    async field(job: SbrJob, signal?: AbortSignal): Promise<AspectResult> {
      const image = { ...job, aspect: imageAspect(job.aspect) }
      const [a, b] = await Promise.all([engine.field(job, signal), engine.field(image, signal)])
      const sum = (k: keyof AspectStatistics): number => (a.statistics[k] ?? 0) + (b.statistics[k] ?? 0)
      return {
        field: addImage([a.field, b.field], job.band, job.aspect.rx, height),
        statistics: {
          tubes: a.statistics.tubes,
          rays: sum('rays'),
          leaves: sum('leaves'),
          contributions: sum('contributions'),
          lit: sum('lit'),
          cutOff: sum('cutOff'),
        },
        partSeconds: [...a.partSeconds, ...b.partSeconds],
        times: {
          trace: a.times.trace + b.times.trace,
          field: a.times.field + b.times.field,
          reduction: a.times.reduction + b.times.reduction,
          total: Math.max(a.times.total, b.times.total),
        },
      }
    },
  }
}

/**
 * The edges of a scene with its mirror image, whose waves also reach the receiver by the ground. Where that changes waves, light and field of
 * each edge have the factors of their crossings (`crossEnds`); edges that lie on such a ground are left out.
 */
export function edgesOverGround(
  edges: EdgeScene,
  rays: RayScene,
  ground: Ground,
  options: EdgeEngineOptions,
): AheadEdges {
  const height = ground.height - edges.origin[2]
  const off = edges.tolerance
  const parts = isMirror(ground)
    ? [edges]
    : [someEdges(edges, (_x, _y, z) => z > height + off), someEdges(edges, (_x, _y, z) => z < height - off)]
  const engines = parts.map((part) => createEdgeEngine(part, rays, options))
  const all = async (
    job: EdgeJob,
    field: (engine: EdgeThreads, job: EdgeJob) => Promise<EdgeResult>,
  ): Promise<EdgeResult> => {
    const { tx, rx } = job.aspect
    const receivers = [job, { ...job, aspect: imageAspect(job.aspect) }]
    const results = await Promise.all(
      receivers.map((one) => Promise.all(engines.map((engine) => field(engine, one)))),
    )
    // The sum, and first order and mechanisms where they are wanted apart.
    const over = (part: (result: EdgeResult) => AspectField): AspectField => {
      const fields = results.map((of, image) => {
        if (of.length === 1) return part(of[0])
        of.forEach((result, below) =>
          crossEnds(part(result), job.band, ground, {
            ...(below === 1 && { tx }),
            ...(below !== image && { rx }),
          }),
        )
        return part(of[0]).map((x, i) => x + part(of[1])[i])
      })
      return addImage([fields[0], fields[1]], job.band, rx, ground.height)
    }
    const flat = results.flat()
    const sum = (of: (result: EdgeResult) => number): number => flat.reduce((s, r) => s + of(r), 0)
    return {
      field: over((result) => result.field),
      parts: flat[0].parts?.map((_, n) => over((result) => result.parts![n])),
      consideredSegments: sum((r) => r.consideredSegments),
      visibleSegments: sum((r) => r.visibleSegments),
      times: {
        prepare: sum((r) => r.times.prepare),
        evaluate: sum((r) => r.times.evaluate),
        total: Math.max(...flat.map((r) => r.times.total)),
      },
    }
  }
  return {
    describe: () => engines[0].describe(),
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
    segments: (job) => 2 * engines.reduce((n, engine) => n + engine.segments(job), 0),
    field: (job, signal) => all(job, (engine, one) => engine.field(one, signal)),
    fieldOnOneThread: (job, signal) => all(job, (engine, one) => engine.fieldOnOneThread(one, signal)),
  }
}

const imageAspect = ({ tx, rx }: Aspect): Aspect => ({ tx, rx: imageDirection(rx) })

/** Checks that a run can have its ground. @throws InputError */
export function checkGround(ground: Ground, job: SweepJob, settings: BesideGround): void {
  checkBeside(ground, settings, 'leave one of them out')
  if (job.groups) throw new InputError('--fast knows no ground; leave one of them out')
  for (const { tx, rx } of job.aspects)
    for (const { r, thetaDeg } of [tx, rx])
      if (!(r[2] > LEAST_ELEVATION))
        throw new InputError(
          `theta ${thetaDeg} is not above the ground's horizon; take angles below 90 degrees from +z (a depression of 15 degrees is theta 75)`,
        )
  checkBands([ground.material], job.bands)
}

/** What settings say that a ground does not go with. */
interface BesideGround {
  method: string
  cluster?: unknown
  check?: unknown
  schedule?: string
  secondOrder?: readonly unknown[] | null
  sbr: SbrOptions
}

/** Checks that settings can have a ground. @param instead  what to do where they cannot @throws InputError */
export function checkBeside(ground: Ground, settings: BesideGround, instead: string): void {
  const beside = (what: string): InputError => new InputError(`${what} knows no ground; ${instead}`)
  if (settings.method !== 'sbr') throw beside(`--method ${settings.method}`)
  if (settings.cluster) throw beside('--cluster')
  if (settings.check) throw beside('--check')
  if (settings.schedule && settings.schedule !== 'overlapped') throw beside(`--schedule ${settings.schedule}`)
  if (isMirror(ground)) return
  if (isExitForm(settings.sbr))
    throw new InputError(
      '--formulation exit computes perfect conductors alone; leave it out, or take a smooth conductor as ground',
    )
  if (settings.secondOrder?.length)
    throw new InputError(
      '--second-order: waves from edge to edge are those over a smooth perfect conductor; leave it out with another ground',
    )
}

/** Sine of the lowest elevation: that of theta 90, computed, is 0 or rounding. */
const LEAST_ELEVATION = 1e-9
