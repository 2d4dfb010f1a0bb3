export { crossing, type Ground, isMirror } from './ground.js'
export { addImage, imageDirection } from './image-receiver.js'
export { facetsBelow, withMirrorImage } from './mirror-image.js'
