import type { EdgeJob, EdgeResult, EdgeThreads } from '../cpu-diffraction/index.js'
import type { AheadEdges } from '../pipeline/index.js'
import type { AspectResult, AspectStatistics, SbrEngine, SbrJob } from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import { addImage, type Ground, imageDirection } from '../scene/ground/index.js'

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

/** Edges whose waves also reach the receiver by the ground; of a scene with its mirror image. */
export function edgesOverGround(
  engine: EdgeThreads,
  { height }: Ground,
): AheadEdges {
  const both = async (job: EdgeJob, field: (job: EdgeJob) => Promise<EdgeResult>): Promise<EdgeResult> => {
    const [a, b] = await Promise.all([field(job), field({ ...job, aspect: imageAspect(job.aspect) })])
    return {
      field: addImage([a.field, b.field], job.band, job.aspect.rx, height),
      consideredSegments: a.consideredSegments + b.consideredSegments,
      visibleSegments: a.visibleSegments + b.visibleSegments,
      times: {
        prepare: a.times.prepare + b.times.prepare,
        evaluate: a.times.evaluate + b.times.evaluate,
        total: Math.max(a.times.total, b.times.total),
      },
    }
  }
  return {
    describe: () => engine.describe(),
    close: () => engine.close(),
    segments: (job) => 2 * engine.segments(job),
    field: (job, signal) => both(job, (one) => engine.field(one, signal)),
    fieldOnOneThread: (job, signal) => both(job, (one) => engine.fieldOnOneThread(one, signal)),
  }
}

const imageAspect = ({ tx, rx }: Aspect): Aspect => ({ tx, rx: imageDirection(rx) })
