import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { buildBvh, type Bvh } from '../rays/index.js'
import { type Mesh } from '../scene/index.js'

/** Meshes of fewer facets are not kept: their hierarchy is built as fast as it is read. */
const KEPT_FACETS = 100_000
/** Changes with the file's layout and with `buildBvh`. */
const FORMAT = 'isar-bvh-2'
/** First words of a file: node numbers, facets, depth. */
const HEAD_WORDS = 3
const DIGEST_BYTES = 32

export interface Hierarchy {
  bvh: Bvh
  /** What building it, or reading it, took [s]. */
  seconds: number
  /** The file it was read from; null where it was built. */
  file: string | null
}

/** Where hierarchies are kept: `isar` in $XDG_CACHE_HOME, else in ~/.cache. */
export const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'isar')

/**
 * The hierarchy of a mesh, from a folder of such files where it is there. A file is named by the hash of the coordinates
 * and facets it is for and ends with a digest of that hash and of its own bytes: whatever else is found there, the file of
 * another mesh included, is built again. A folder that cannot be written to is no error.
 *
 * @param folder  null: neither read nor written
 * @param least   facets from which a hierarchy is kept
 */
export function loadHierarchy(mesh: Mesh, folder: string | null, least = KEPT_FACETS): Hierarchy {
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

/** Of a file's bytes and the hash of the mesh they are for. */
const digest = (key: string, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(key).update(bytes).digest()

function readBvh(file: string, key: string, facets: number): Bvh | null {
  try {
    const read = readFileSync(file)
    // A copy of its own: files come at any offset of a pool.
    const bytes = new Uint8Array(read).subarray(0, Math.max(0, read.length - DIGEST_BYTES))
    if (bytes.length < 4 * HEAD_WORDS || !digest(key, bytes).equals(read.subarray(bytes.length))) return null
    const [numbers, count, depth] = new Uint32Array(bytes.buffer, 0, HEAD_WORDS)
    if (count !== facets || bytes.length !== 4 * (HEAD_WORDS + numbers + count)) return null
    return {
      nodes: new Float32Array(bytes.buffer, 4 * HEAD_WORDS, numbers),
      order: new Uint32Array(bytes.buffer, 4 * (HEAD_WORDS + numbers), count),
      depth,
    }
  } catch {
    return null
  }
}

function writeBvh(file: string, key: string, folder: string, { nodes, order, depth }: Bvh): void {
  const words = new Uint32Array(HEAD_WORDS + nodes.length + order.length)
  words.set([nodes.length, order.length, depth])
  words.set(new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length), HEAD_WORDS)
  words.set(order, HEAD_WORDS + nodes.length)
  const bytes = bytesOf(words)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(temporary, Buffer.concat([bytes, digest(key, bytes)]))
    renameSync(temporary, file)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // Its folder is none: there is nothing to remove.
    }
  }
}
