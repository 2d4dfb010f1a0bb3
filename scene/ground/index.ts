export { crossing, type Ground, isMirror } from './ground.js'
export { addImage, crossEnds, imageDirection } from './image-receiver.js'
export { facetsBelow, withMirrorImage, withoutImage } from './mirror-image.js'
