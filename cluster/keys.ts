/** Names in Redis. Everything is under `isar:`, and everything but meshes goes when nobody refreshes it. */
const PREFIX = 'isar'

/** BullMQ's prefix for its queues. */
export const QUEUE_PREFIX = `${PREFIX}:queue`

/**
 * Ray tracing for any worker of a release (see `release`) with a device of this kind; edges for any worker of it; one
 * worker's own; answers for a run.
 */
export const QUEUES = {
  sbr: (kind: 'gpu' | 'cpu', release: string): string => `sbr-${kind}-${release}`,
  edges: (release: string): string => `edges-${release}`,
  worker: (id: string): string => `worker-${id}`,
  results: (run: string): string => `results-${run}`,
}

export const KEYS = {
  /** Bytes of a mesh, by their SHA-256. */
  mesh: (hash: string): string => `${PREFIX}:mesh:${hash}`,
  /** What a run needs of its workers (`RunSpec`); expires when its coordinator is gone. */
  run: (run: string): string => `${PREFIX}:run:${run}`,
  /** How a run is getting on (`RunStatus`). */
  status: (run: string): string => `${PREFIX}:status:${run}`,
  /** Runs, and workers, seen so far: a set each. */
  runs: `${PREFIX}:runs`,
  workers: `${PREFIX}:workers`,
  /** A worker's description (`WorkerInfo`); expires when its heartbeat stops. */
  worker: (id: string): string => `${PREFIX}:worker:${id}`,
}
