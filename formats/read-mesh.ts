import { realpath } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { InputError, type Mesh } from '../scene/index.js'
import type { FilesHash } from './files-hash.js'
import { readRegularFile } from './regular-file.js'
import { readObj } from './obj.js'
import { readPly } from './ply.js'
import { readStl } from './stl.js'

type Reader = (bytes: Uint8Array, path: string, files?: FilesHash) => Mesh | Promise<Mesh>

const gltf: Reader = async (bytes, path, files) => {
  // Its library is large; the other readers have none.
  const { readGltf } = await import('./gltf.js')
  return readGltf(bytes, async (uri) => readBytes(await besideFile(path, uri), files))
}

const READERS: Record<string, Reader> = {
  '.stl': readStl,
  '.obj': readObj,
  '.ply': readPly,
  '.glb': gltf,
  '.gltf': gltf,
}

/** A file that a glTF file names. @throws InputError for one outside the folder: a mesh from elsewhere has no say in what is read */
async function besideFile(path: string, uri: string): Promise<string> {
  const folder = dirname(path)
  const file = resolve(folder, decodeURIComponent(uri))
  const isInside = (from: string, to: string): boolean => {
    const way = relative(from, to)
    return !isAbsolute(way) && way.split(sep)[0] !== '..'
  }
  // A link may lead elsewhere; what is not there is told by who reads it.
  const real = async (name: string): Promise<string> => realpath(name).catch(() => resolve(name))
  const inside = isInside(folder, file) && isInside(await real(dirname(await real(path))), await real(file))
  if (/^[a-z][a-z\d+.-]+:/i.test(uri) || !inside)
    throw new InputError(`the glTF file names "${uri}", which is not in its folder; put it beside the file`)
  return file
}

/** File name endings that `readMesh` knows. */
export const MESH_EXTENSIONS: readonly string[] = Object.keys(READERS)

/**
 * Reads a mesh file, by its extension: .stl, .obj, .ply, .glb or .gltf. Coordinates are as in the file (`scaleMesh` takes
 * them to metres), but glTF is turned from y up to z up. Vertices are not merged and nothing is repaired: see
 * `prepareTarget`.
 * @param files  takes every file that is read: the buffers that a glTF file names too
 * Throws InputError, the path first in its message, for a file that is missing, of an unknown kind or unusable.
 */
export async function readMesh(path: string, files?: FilesHash): Promise<Mesh> {
  const reader = READERS[extname(path).toLowerCase()]
  if (!reader)
    throw new InputError(`${path}: not a known mesh file; give one of ${MESH_EXTENSIONS.join(', ')}`)
  const bytes = await readBytes(path, files)
  try {
    return await reader(bytes, path, files)
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`${path}: ${error.message}`, { cause: error })
    throw error
  }
}

async function readBytes(path: string, files?: FilesHash): Promise<Uint8Array> {
  const bytes = await readRegularFile(path, 'a mesh file')
  if (bytes.length === 0) throw new InputError(`${path}: the file is empty`)
  files?.add(bytes)
  return bytes
}
