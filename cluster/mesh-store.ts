import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { InputError, type Mesh } from '../scene/index.js'
import { KEYS } from './keys.js'

/** Life of a mesh that no run refreshes [s]. */
const KEEP_S = 3600
/** The limit of Redis is 512 MiB. */
export const MAX_MESH_BYTES = 500 * 2 ** 20

/** Header bytes: the numbers of vertices and facets (two 32-bit words), and `Mesh.rounding` (a double; -1 where absent). */
const HEAD = 16

/** A mesh as bytes, little-endian: HEAD, 3V doubles, 3T words. */
export function packMesh({ positions, triangles, rounding = -1 }: Mesh): Buffer {
  const bytes = Buffer.alloc(HEAD + positions.byteLength + triangles.byteLength)
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
  if (bytes.length !== facetsAt + 12 * facets)
    throw new RangeError(`the mesh in the store has ${bytes.length} bytes of ${facetsAt + 12 * facets}`)
  const rounding = view.getFloat64(8, true)
  return {
    positions: new Float64Array(bytes.slice(HEAD, facetsAt).buffer),
    triangles: new Uint32Array(bytes.slice(facetsAt).buffer),
    ...(rounding >= 0 && { rounding }),
  }
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
