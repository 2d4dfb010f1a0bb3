export { removeTemporaries, writeError, writeFileAtomic } from './atomic.js'
export {
  channelImage,
  type ChipGeometry,
  chipName,
  type ChipRecord,
  type DatasetFile,
} from './dataset/chip-record.js'
export { cvdomesFile } from './dataset/cvdomes.js'
export { sampleFiles } from './dataset/sample-tree.js'
export { webDatasetShard } from './dataset/webdataset.js'
export { greyLevels, greyPng } from './grey-png.js'
export { writeHdf5 } from './hdf5.js'
export { readNpz, writeNpz, type NpyArray } from './npz.js'
export { NpzSlices } from './npz-slices.js'
export { readMesh } from './read-mesh.js'
export { writeBinaryStl } from './stl-write.js'
