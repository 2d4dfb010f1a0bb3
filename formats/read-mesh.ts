import { realpath } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { checkMesh, facetCount, hasArea, InputError, type Mesh } from '../scene/index.js'
import type { FilesHash } from './files-hash.js'
import { readGmsh } from './gmsh.js'
import { readInp, readNastran, readUnv } from './fem-meshes.js'
import { readObj } from './obj.js'
import { readPly } from './ply.js'
import { readRegularFile } from './regular-file.js'
import { readStl } from './stl.js'
import { readThreeMf } from './three-mf.js'

/** File name endings of the meshes that `readMesh` reads. */
export const MESH_ENDINGS = [
  '.stl',
  '.obj',
  '.ply',
  '.glb',
  '.gltf',
  '.3mf',
  '.msh',
  '.nas',
  '.bdf',
  '.dat',
  '.inp',
  '.unv',
  '.step',
  '.stp',
  '.iges',
  '.igs',
] as const

/** The endings as a text: ".stl, .obj, ... or .unv". */
export const MESH_ENDINGS_TEXT = `${MESH_ENDINGS.slice(0, -1).join(', ')} or ${MESH_ENDINGS.at(-1)}`

/** Whether a file's name has the ending of a mesh. */
export const isMeshFile = (name: string): boolean =>
  MESH_ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))

/** @param shortestM  shortest wavelength [m] that the mesh is for, where it is known */
type Reader = (bytes: Uint8Array, path: string, files?: FilesHash, shortestM?: number) => Mesh | Promise<Mesh>

/** What a glTF file's buffer is called where it cannot be read. */
const BUFFER = 'the buffer that the glTF file names, beside it, or export one .glb, which holds it'

const gltf: Reader = async (bytes, path, files) => {
  // Loaded on demand: its library is large.
  const { readGltf } = await import('./gltf.js')
  return readGltf(bytes, async (uri) => {
    const buffer = await readRegularFile(await besideFile(path, uri), BUFFER)
    files?.add(buffer)
    return buffer
  })
}

const cad =
  (kind: 'STEP' | 'IGES'): Reader =>
  async (bytes, _path, _files, shortestM) =>
    (await import('./cad.js')).readCad(kind, bytes, shortestM)

const READERS: Record<(typeof MESH_ENDINGS)[number], Reader> = {
  '.stl': readStl,
  '.obj': readObj,
  '.ply': readPly,
  '.glb': gltf,
  '.gltf': gltf,
  '.3mf': readThreeMf,
  '.msh': readGmsh,
  '.nas': readNastran,
  '.bdf': readNastran,
  '.dat': readNastran,
  '.inp': readInp,
  '.unv': readUnv,
  '.step': cad('STEP'),
  '.stp': cad('STEP'),
  '.iges': cad('IGES'),
  '.igs': cad('IGES'),
}

/** A file referenced by a glTF file. @throws InputError for one outside the folder: an untrusted mesh must not choose what is read */
async function besideFile(path: string, uri: string): Promise<string> {
  const folder = dirname(path)
  const file = resolve(folder, decodeURIComponent(uri))
  const isInside = (from: string, to: string): boolean => {
    const path = relative(from, to)
    return !isAbsolute(path) && path.split(sep)[0] !== '..'
  }
  // A link may point outside; a missing file is reported by the reader.
  const real = async (name: string): Promise<string> => realpath(name).catch(() => resolve(name))
  const inside = isInside(folder, file) && isInside(await real(dirname(await real(path))), await real(file))
  if (/^[a-z][a-z\d+.-]+:/i.test(uri) || !inside)
    throw new InputError(`the glTF file references "${uri}", which is not in its folder; move it there`)
  return file
}

/**
 * Reads a mesh file, by its extension (`MESH_ENDINGS`). Coordinates are as in the file (`scaleMesh` takes
 * them to metres), but those of 3MF, STEP and IGES and of universal files with units are in metres, and glTF is converted from y up to z up. Vertices are not merged and nothing is repaired: see
 * `prepareTarget`.
 * @param files      receives every file read, including the buffers of a glTF file
 * @param shortestM  shortest wavelength [m] that the mesh is for: STEP and IGES are cut into facets by it
 * Throws InputError, the path first in its message, for a file that is missing, of an unknown kind or unusable.
 */
export async function readMesh(path: string, files?: FilesHash, shortestM?: number): Promise<Mesh> {
  const ending = MESH_ENDINGS.find((ending) => ending === extname(path).toLowerCase())
  if (!ending) throw new InputError(`${path}: not a known mesh file; give one of ${MESH_ENDINGS.join(', ')}`)
  const bytes = await readBytes(path, files)
  try {
    const mesh = await READERS[ending](bytes, path, files, shortestM)
    checkMesh(mesh)
    if (!hasArea(mesh))
      throw new InputError(
        `all ${facetCount(mesh)} facets are degenerate, without an area beside the size of the mesh; repair it, or remove vertices far off`,
      )
    return mesh
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
