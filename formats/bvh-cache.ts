import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { buildBvh, type Bvh } from '../rays/index.js'
import { type Mesh } from '../scene/index.js'

/** The BVH of a mesh of fewer facets is not cached: it is built as fast as it is read. */
const KEPT_FACETS = 100_000
/** To be changed with the file's layout and with `buildBvh`. */
const FORMAT = 'isar-bvh-2'
/** Integers at the start of a file: length of `nodes`, facets, depth. */
const HEADER_LENGTH = 3
const DIGEST_BYTES = 32

export interface LoadedBvh {
  bvh: Bvh
  /** Time to build or read it [s]. */
  seconds: number
  /** The file it was read from; null where it was built. */
  file: string | null
}

/** Where BVHs are cached: `isar` in $XDG_CACHE_HOME, else in ~/.cache. */
export const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'isar')

/**
 * The BVH of a mesh, read from the cache folder where possible. A file is named by the hash of coordinates and facets and ends
 * with a digest of that hash and of its own bytes: anything else found there, including the file of another mesh, is ignored and
 * the BVH is built again. A folder that cannot be written to is no error.
 *
 * @param folder  null: no cache
 * @param least   facets from which a BVH is cached
 */
export function loadBvh(mesh: Mesh, folder: string | null, least = KEPT_FACETS): LoadedBvh {
  const start = performance.now()
  const kept = folder !== null && mesh.triangles.length >= 3 * least
  const key = kept ? meshHash(mesh) : ''
  const file = kept ? join(folder, `${key}.bvh`) : null
  const seconds = (): number => (performance.now() - start) / 1000
  const found = file && readBvh(file, key, mesh.triangles.length / 3)
  if (found) return { bvh: found, seconds: seconds(), file }
  const bvh = buildBvh(mesh)
  const built = { bvh, seconds: seconds(), file: null }
  if (file) writeBvh(file, key, folder!, bvh)
  return built
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const meshHash = ({ positions, triangles }: Mesh): string =>
  createHash('sha256').update(FORMAT).update(bytesOf(positions)).update(bytesOf(triangles)).digest('hex')

/** Digest of the mesh's hash and a file's bytes. */
const digest = (key: string, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(key).update(bytes).digest()

function readBvh(file: string, key: string, facets: number): Bvh | null {
  try {
    const read = readFileSync(file)
    // A copy: the buffer may be at any offset of Node's pool.
    const bytes = new Uint8Array(read).subarray(0, Math.max(0, read.length - DIGEST_BYTES))
    if (bytes.length < 4 * HEADER_LENGTH || !digest(key, bytes).equals(read.subarray(bytes.length)))
      return null
    const [numbers, count, depth] = new Uint32Array(bytes.buffer, 0, HEADER_LENGTH)
    if (count !== facets || bytes.length !== 4 * (HEADER_LENGTH + numbers + count)) return null
    return {
      nodes: new Float32Array(bytes.buffer, 4 * HEADER_LENGTH, numbers),
      order: new Uint32Array(bytes.buffer, 4 * (HEADER_LENGTH + numbers), count),
      depth,
    }
  } catch {
    return null
  }
}

function writeBvh(file: string, key: string, folder: string, { nodes, order, depth }: Bvh): void {
  const packed = new Uint32Array(HEADER_LENGTH + nodes.length + order.length)
  packed.set([nodes.length, order.length, depth])
  packed.set(new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length), HEADER_LENGTH)
  packed.set(order, HEADER_LENGTH + nodes.length)
  const bytes = bytesOf(packed)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(temporary, Buffer.concat([bytes, digest(key, bytes)]))
    renameSync(temporary, file)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The folder does not exist: there is nothing to remove.
    }
  }
}
