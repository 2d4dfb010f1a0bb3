// Formats of datasets alone, so that other commands do not load them.
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
export { greyLevels, greyPng, magnitudePng } from '../../formats/grey-png.js'
