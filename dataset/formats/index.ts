// A door of its own: what only datasets need is not loaded with every command.
export {
  channelImage,
  type ChipGeometry,
  chipName,
  type ChipRecord,
  type DatasetFile,
} from './chip-record.js'
export { cvdomesFile } from './cvdomes.js'
export { sampleFiles } from './sample-tree.js'
export { webDatasetShard } from './webdataset.js'
export { greyLevels, greyPng } from '../../formats/grey-png.js'
