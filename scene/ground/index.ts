export { crossing, type Ground, isMirror } from './ground.js'
export { addImage, crossEnds, imageDirection } from './image-receiver.js'
export { facetsBelow, withMirrorImage } from './mirror-image.js'
