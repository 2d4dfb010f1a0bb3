export { FilesHash } from './files-hash.js'
export { removeTemporaries, writeError, writeFileAtomic } from './atomic.js'
export {
  ARRAY_ENDINGS,
  ARRAY_FORMATS,
  type ArrayFormat,
  arrayFormat,
  encodeArrays,
  FIELD_CONVENTIONS,
  fieldAttributes,
  isHdf5,
  readHdf5,
  withNpz,
} from './arrays.js'
export { isMat5, isMatArray, type MatArray, type MatTree, readMat5 } from './mat5.js'
export { readNpz, vector, writeNpz, type NpyArray } from './npz.js'
export { NpzSlices } from './npz-slices.js'
export { isMeshFile, MESH_ENDINGS_TEXT, readMesh } from './read-mesh.js'
export { writeBinaryStl } from './stl.js'
export { readRegularFile } from './regular-file.js'
export { readTable } from './text-scanner.js'
export type { MaterialsDescription } from './materials-schema.js'
export {
  libraryOf,
  type MaterialChoice,
  materialsKey,
  withMaterials,
  withSharedMaterials,
} from './target-materials.js'
export {
  type CphdChannel,
  CphdFile,
  isPhaseHistory,
  PVP,
  pvpFormat,
  pvpLayout,
  type PvpName,
  writeCphd,
} from './cphd.js'
export {
  sarGeometry,
  xmlPlace,
  directionToEcf,
  type Geodetic,
  localFrame,
  type LocalFrame,
  pointToEcf,
  pointToLocal,
  toGeodetic,
} from './geodesy.js'
export { xml, xmlVector } from './xml.js'
export { type ComplexImage, isNitf, readSicd, writeSicd } from './nitf.js'
