import type { EdgeThreads } from '../cpu-diffraction/index.js'
import type { Mesh } from '../scene/index.js'
import type { SbrEngine, SbrJob } from '../rays/index.js'
import type { RunSpec } from './wire.js'

/** The engines of one run's target on a worker. */
export interface WorkerEngines {
  sbr: SbrEngine
  /** Absent without edge diffraction. */
  edges?: EdgeThreads
  /** Ray tubes of a job's whole aperture. */
  tubes: (job: SbrJob) => number
  close: () => Promise<void>
}

/** What a target is prepared from. */
export interface Recipe {
  /** In metres. */
  mesh: Mesh
  smoothAngleDeg: number
  curved?: { angleDeg: number; sagittas: number[] }
}

/** Prepares a target and opens its engines, as a local run would. */
export type OpenTarget = (spec: RunSpec, mesh: Mesh) => Promise<WorkerEngines>

interface Entry {
  engines: Promise<WorkerEngines>
  users: number
}

/** Prepared targets kept besides those in use. */
const KEPT = 2

/** Prepared targets of a worker: each is fetched and prepared once for all runs that need it. */
export class TargetCache {
  /** In the order of their last use. */
  private readonly entries = new Map<string, Entry>()

  /** @param fetch  a mesh by its hash */
  constructor(
    private readonly fetch: (hash: string) => Promise<Mesh>,
    private readonly open: OpenTarget,
  ) {}

  /** Runs `work` with the engines of a run's target. */
  async use<T>(spec: RunSpec, work: (engines: WorkerEngines) => Promise<T>): Promise<T> {
    const key = JSON.stringify(Object.entries(spec).sort())
    const entry = this.entries.get(key) ?? {
      engines: this.fetch(spec.mesh).then((mesh) => this.open(spec, mesh)),
      users: 0,
    }
    this.entries.delete(key)
    this.entries.set(key, entry)
    entry.users++
    try {
      return await work(await entry.engines)
    } catch (error) {
      // An engine that failed to open is opened again the next time.
      entry.engines.catch(() => this.entries.delete(key))
      throw error
    } finally {
      entry.users--
      await this.trim(KEPT)
    }
  }

  close(): Promise<void> {
    return this.trim(0)
  }

  private async trim(kept: number): Promise<void> {
    for (const [key, { engines, users }] of this.entries) {
      if (this.entries.size <= kept) return
      if (users > 0) continue
      this.entries.delete(key)
      await engines.then(
        (opened) => opened.close(),
        () => {},
      )
    }
  }
}
