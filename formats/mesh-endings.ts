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
