import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { InputError, type Mesh } from '../../scene/index.js'
import { facetMaterials } from '../../scene/materials/index.js'
import { KEYS } from './redis.js'
import { WireMaterials } from './wire.js'

/** Life of a mesh that no run refreshes [s]. */
const KEEP_S = 3600
/** The limit of Redis is 512 MiB. */
export const MAX_MESH_BYTES = 500 * 2 ** 20

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
