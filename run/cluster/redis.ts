import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, Queue, type QueueOptions, type WorkerOptions } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { InputError, type Mesh } from '../../scene/index.js'
import { facetMaterials } from '../../scene/materials/index.js'
import { RunStatus, WireMaterials, WorkerInfo } from './wire.js'

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

/** The keys of a queue that last without jobs, to be given an expiry by who reads it; and that of a job. */
export const queueKeys = (name: string, job?: string): string[] =>
  [...QUEUE_KEYS, ...(job === undefined ? [] : [job])].map((key) => `${QUEUE_PREFIX}:${name}:${key}`)

/**
 * Gives a queue's keys, and a job's, an expiry where a job is added or taken: lists that were empty are new then, and both processes may be
 * killed before the next heartbeat.
 */
export async function expireQueue(redis: Redis, name: string, job?: string): Promise<void> {
  const keys = redis.pipeline()
  for (const key of queueKeys(name, job)) keys.pexpire(key, LEFT_MS)
  await keys.exec()
}

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

/** Longest wait between two attempts to reconnect [ms]. */
const RETRY_MS = 500

/** Address of a Redis server without its password, for messages. */
export function serverName(url: string): string {
  const { protocol, hostname, port } = parseUrl(url)
  return `${protocol}//${hostname}:${port || 6379}`
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const stray = parsed && /@/.test(parsed.pathname + parsed.search + parsed.hash)
  if (parsed && !stray && /^rediss?:$/.test(parsed.protocol) && parsed.hostname) return parsed
  throw new InputError(
    'invalid address of the Redis server; write redis://HOST:6379 or rediss://… for TLS, and the password into ISAR_REDIS_PASSWORD or the file that ISAR_REDIS_PASSWORD_FILE names (in an address, redis://:PASSWORD@HOST:6379, its @ : / ? # % as %40 %3A %2F %3F %23 %25)',
  )
}

/** Decoded, with percent signs that are not escapes kept. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The password if the address has none: ISAR_REDIS_PASSWORD, or the first line of the file that ISAR_REDIS_PASSWORD_FILE names. */
function secretPassword(): string | undefined {
  const { ISAR_REDIS_PASSWORD: password, ISAR_REDIS_PASSWORD_FILE: file } = process.env
  if (password || !file) return password || undefined
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] || undefined
  } catch (error) {
    throw new InputError(`ISAR_REDIS_PASSWORD_FILE: cannot read ${file}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** The server's address in parts: a client given the whole address may quote it, with its password, in a warning. */
export function serverOptions(url: string): RedisOptions {
  const { protocol, hostname, port, username, password, pathname } = parseUrl(url)
  const db = /^\/(\d+)$/.exec(pathname)?.[1]
  const secret = password ? decoded(password) : secretPassword()
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username && { username: decoded(username) }),
    ...(secret !== undefined && { password: secret }),
    ...(db && { db: Number(db) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}

/** Options of every connection: commands wait while the server is unreachable. */
const options = (): RedisOptions => ({
  maxRetriesPerRequest: null,
  enableReadyCheck: true,
  retryStrategy: (times) => Math.min(50 * times, RETRY_MS),
  lazyConnect: true,
})

/**
 * Connects to a server; later disconnections are repaired automatically. The password is in the URL or the environment; TLS
 * (rediss:) trusts the system's certificate authorities and those of NODE_EXTRA_CA_CERTS.
 * @param onTrouble  called when the server becomes unreachable and when it is available again
 * @throws InputError where it cannot be reached, or refuses the password
 */
export async function connect(url: string, onTrouble: (message: string) => void): Promise<Redis> {
  const name = serverName(url)
  const server = serverOptions(url)
  const first = new Redis({ ...server, ...options(), maxRetriesPerRequest: 0, retryStrategy: () => null })
  let reason = ''
  first.on(
    'error',
    (error: Error) => (reason ||= error.message || (error as NodeJS.ErrnoException).code || ''),
  )
  try {
    await first.connect()
    await first.ping()
  } catch (error) {
    const why = reason || (error as Error).message
    const fix = /NOAUTH|WRONGPASS/.test(why)
      ? `it asks for ${/WRONG/.test(why) ? 'another' : 'a'} password: write ${name.replace('//', '//:PASSWORD@')}, or set ISAR_REDIS_PASSWORD`
      : `${why}; start redis-server, or correct the address`
    throw new InputError(`cannot use the Redis server ${name}: ${fix}`, { cause: error })
  } finally {
    first.disconnect()
  }
  const redis = new Redis({ ...server, ...options() })
  let away = false
  redis.on('error', () => {})
  redis.on('close', () => {
    if (!away && redis.status !== 'end') onTrouble(`the Redis server ${name} is unreachable; waiting for it`)
    away = true
  })
  redis.on('ready', () => {
    if (away) onTrouble(`the Redis server ${name} is available again`)
    away = false
  })
  await redis.connect()
  return redis
}

/** Finished jobs are removed; a failed one stays for its sender to see. */
const connectionOf = (redis: Redis): { connection: ConnectionOptions; prefix: string } => ({
  connection: redis as unknown as ConnectionOptions,
  prefix: QUEUE_PREFIX,
})

export function openQueue(redis: Redis, name: string): Queue {
  const settings: QueueOptions = {
    ...connectionOf(redis),
    defaultJobOptions: { removeOnComplete: true, removeOnFail: { age: 600, count: 1000 }, attempts: 1 },
    streams: { events: { maxLen: 100 } },
  }
  const queue = new Queue(name, settings)
  queue.on('error', () => {})
  return queue
}

/** Lost jobs are sent again by their sender (`Dispatcher`), so that retries are counted in one place only. */
export const consumerOptions = (redis: Redis): WorkerOptions => ({
  ...connectionOf(redis),
  maxStalledCount: 0,
  lockDuration: 20_000,
  stalledInterval: 10_000,
  // After an error of the connection; the default is 15 s.
  runRetryDelay: 500,
})

/** Members of a set whose keys have not expired, by id; the others are removed from the set. */
async function living<T>(
  redis: Redis,
  set: string,
  keyOf: (id: string) => string,
  parse: (text: string) => T | null,
  onGone: (id: string) => Promise<unknown>,
): Promise<T[]> {
  const ids = (await redis.smembers(set)).sort()
  const texts = ids.length > 0 ? await redis.mget(ids.map(keyOf)) : []
  const found: T[] = []
  for (const [i, text] of texts.entries()) {
    const value = text === null ? null : parse(text)
    if (value) found.push(value)
    if (text === null && (await redis.srem(set, ids[i])) === 1) await onGone(ids[i])
  }
  return found
}

const parsed =
  <T>(schema: { safeParse: (value: unknown) => { data?: T } }) =>
  (text: string): T | null => {
    try {
      return schema.safeParse(JSON.parse(text)).data ?? null
    } catch {
      return null
    }
  }

async function dropQueue(redis: Redis, name: string): Promise<void> {
  const queue = openQueue(redis, name)
  await queue.obliterate({ force: true })
  await queue.close()
}

/** Workers with a current heartbeat, by id. The queues of expired ones are removed. */
export const liveWorkers = (redis: Redis): Promise<WorkerInfo[]> =>
  living(redis, KEYS.workers, KEYS.worker, parsed(WorkerInfo), (id) => dropQueue(redis, QUEUES.worker(id)))

/** Runs in progress. The queues of those whose coordinator has stopped are removed. */
export const liveRuns = (redis: Redis): Promise<RunStatus[]> =>
  living(redis, KEYS.runs, KEYS.status, parsed(RunStatus), (run) => dropQueue(redis, QUEUES.results(run)))

/** Wait for the first worker [ms]. */
const FIRST_WORKER_MS = 15_000

/** Workers of a release and kind (null: gpu where one is available), waiting a while for the first. @throws InputError */
export async function firstWorkers(
  redis: Redis,
  { redis: url, kind, release }: { redis: string; kind: 'gpu' | 'cpu' | null; release: string },
): Promise<WorkerInfo[]> {
  const until = performance.now() + FIRST_WORKER_MS
  for (;;) {
    const all = await liveWorkers(redis)
    const fit = all.filter((w) => w.release === release)
    const wanted = kind ?? (fit.some((w) => w.kind === 'gpu') ? 'gpu' : 'cpu')
    const found = fit.filter((w) => w.kind === wanted)
    if (found.length > 0) return found
    if (performance.now() > until) {
      const others = all.map((w) => `${w.id} (${w.kind}, release ${w.release})`).join(', ')
      throw new InputError(
        `--cluster: no ${kind ? `${kind} ` : ''}worker of release ${release} serves ${serverName(url)}${others && `, only ${others}`}; start some with isar worker --redis URL`,
      )
    }
    await sleep(200)
  }
}

/** Life of a mesh that no run refreshes [s]. */
const KEEP_S = 3600
/** The limit of Redis is 512 MiB. */
const MAX_MESH_BYTES = 500 * 2 ** 20

/** Header bytes: the numbers of vertices and facets (two 32-bit words), and `Mesh.rounding` (a double; -1 where absent). */
const HEAD = 16

/**
 * A mesh as bytes, little-endian: HEAD, 3V doubles, 3T words; where not all conducts, T bytes, the numbers of the facets' materials, and
 * the materials as JSON.
 * @throws InputError for more than a store takes
 */
export function packMesh(mesh: Mesh): Buffer {
  const { positions, triangles, rounding = -1 } = mesh
  const { materials, facetMaterial } = facetMaterials(mesh)
  const made = facetMaterial ? [facetMaterial, Buffer.from(JSON.stringify(materials))] : []
  const facetsEnd = HEAD + positions.byteLength + triangles.byteLength
  const bytes = Buffer.alloc(made.reduce((size, part) => size + part.length, facetsEnd))
  if (bytes.length > MAX_MESH_BYTES)
    throw new InputError(
      `the mesh takes ${Math.round(bytes.length / 2 ** 20)} MiB, more than the ${MAX_MESH_BYTES / 2 ** 20} MiB limit of a cluster run`,
    )
  bytes.writeUInt32LE(positions.length / 3, 0)
  bytes.writeUInt32LE(triangles.length / 3, 4)
  bytes.writeDoubleLE(rounding, 8)
  bytes.set(new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength), HEAD)
  bytes.set(
    new Uint8Array(triangles.buffer, triangles.byteOffset, triangles.byteLength),
    HEAD + positions.byteLength,
  )
  let at = facetsEnd
  for (const part of made) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** @throws RangeError for bytes that are not a mesh's */
export function unpackMesh(packed: Uint8Array): Mesh {
  // A copy: a Buffer may be a view at any offset of a larger one.
  const bytes = new Uint8Array(packed)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEAD) throw new RangeError('the mesh in the store is cut short')
  const vertices = view.getUint32(0, true)
  const facets = view.getUint32(4, true)
  const facetsAt = HEAD + 24 * vertices
  const facetsEnd = facetsAt + 12 * facets
  if (bytes.length !== facetsEnd && bytes.length <= facetsEnd + facets)
    throw new RangeError(`the mesh in the store has ${bytes.length} bytes of ${facetsEnd}`)
  const rounding = view.getFloat64(8, true)
  return {
    positions: new Float64Array(bytes.slice(HEAD, facetsAt).buffer),
    triangles: new Uint32Array(bytes.slice(facetsAt, facetsEnd).buffer),
    ...(rounding >= 0 && { rounding }),
    ...(bytes.length > facetsEnd && unpackMaterials(bytes.subarray(facetsEnd), facets)),
  }
}

/** Groups of facets, one for each material. */
function unpackMaterials(bytes: Uint8Array, facets: number): Pick<Mesh, 'facetGroup' | 'groupMaterials'> {
  const facetGroup = Uint32Array.from(bytes.subarray(0, facets))
  const groupMaterials = WireMaterials.parse(JSON.parse(Buffer.from(bytes.subarray(facets)).toString()))
  if (facetGroup.some((group) => group >= groupMaterials.length))
    throw new RangeError('a facet of the mesh in the store has a material that is not there')
  return { facetGroup, groupMaterials }
}

export const meshHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Stores a mesh under its hash, or renews the expiry of a stored one. */
export async function putMesh(redis: Redis, hash: string, bytes: Buffer): Promise<void> {
  if ((await redis.expire(KEYS.mesh(hash), KEEP_S)) === 0)
    await redis.set(KEYS.mesh(hash), bytes, 'EX', KEEP_S)
}

/** @throws Error where the store has no such mesh, or one that does not match its hash */
export async function getMesh(redis: Redis, hash: string, maxBytes = MAX_MESH_BYTES): Promise<Mesh> {
  const size = await redis.strlen(KEYS.mesh(hash))
  if (size === 0) throw new Error(`the store has no mesh ${hash}`)
  if (size > maxBytes) throw new Error(`the mesh ${hash} takes ${size} bytes, more than ${maxBytes}`)
  const bytes = await redis.getBuffer(KEYS.mesh(hash))
  if (!bytes || meshHash(bytes) !== hash)
    throw new Error(`the bytes stored as mesh ${hash} do not match its hash`)
  return unpackMesh(bytes)
}
