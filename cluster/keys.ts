/** Names in Redis. Everything is under `isar:`, and everything expires when it is not refreshed. */
const PREFIX = 'isar'

/** BullMQ's prefix for its queues. */
export const QUEUE_PREFIX = `${PREFIX}:queue`

/**
 * Queues: ray tracing for any worker of a release (see `release`) with a device of this kind; edges for any worker of the
 * release; units for one worker; answers for a run.
 */
export const QUEUES = {
  sbr: (kind: 'gpu' | 'cpu', release: string): string => `sbr-${kind}-${release}`,
  edges: (release: string): string => `edges-${release}`,
  worker: (id: string): string => `worker-${id}`,
  results: (run: string): string => `results-${run}`,
}

/** How long queues and sets that nobody refreshes are kept, where a killed process has left them [ms]: a day. */
export const LEFT_MS = 86_400_000

/** BullMQ's keys of a queue but those of single jobs. */
const QUEUE_KEYS = ['meta', 'id', 'events', 'marker', 'wait', 'active', 'stalled', 'stalled-check', 'failed']

/** The keys of a queue that last without jobs, to be given an expiry by who reads it. */
export const queueKeys = (name: string): string[] => QUEUE_KEYS.map((key) => `${QUEUE_PREFIX}:${name}:${key}`)

export const KEYS = {
  /** Bytes of a mesh, keyed by their SHA-256. */
  mesh: (hash: string): string => `${PREFIX}:mesh:${hash}`,
  /** What workers need to know of a run (`RunSpec`); expires when its coordinator stops. */
  run: (run: string): string => `${PREFIX}:run:${run}`,
  /** Progress of a run (`RunStatus`). */
  status: (run: string): string => `${PREFIX}:status:${run}`,
  /** Sets of the known runs and workers. */
  runs: `${PREFIX}:runs`,
  workers: `${PREFIX}:workers`,
  /** A worker's description (`WorkerInfo`); expires when its heartbeat stops. */
  worker: (id: string): string => `${PREFIX}:worker:${id}`,
}
