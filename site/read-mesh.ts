import { InputError, type Mesh } from '../scene/index.js'
import { readObj } from '../formats/obj.js'
import { readPly } from '../formats/ply.js'
import { readStl } from '../formats/stl.js'

const READERS: Record<string, (bytes: Uint8Array) => Mesh | Promise<Mesh>> = {
  stl: readStl,
  obj: readObj,
  ply: readPly,
  glb: async (bytes) => {
    // Loaded on demand: its library is large.
    const { readGltf } = await import('../formats/gltf.js')
    return readGltf(bytes, () =>
      Promise.reject(new InputError('it has its buffers in other files; give a .glb')),
    )
  },
}

/** Reads a mesh as `readMesh` (formats) does, by the ending of its name. @throws InputError */
export async function readMeshFile(name: string, bytes: Uint8Array): Promise<Mesh> {
  const ending = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? ''
  if (!Object.hasOwn(READERS, ending))
    throw new InputError(`${name}: not a known mesh file; give one of ${Object.keys(READERS).join(', ')}`)
  if (bytes.length === 0) throw new InputError(`${name}: the file is empty`)
  try {
    return await READERS[ending](bytes)
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`${name}: ${error.message}`, { cause: error })
    throw error
  }
}
