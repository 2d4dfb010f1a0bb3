export { crossing, type Ground, isMirror } from './ground.js'
export { addImage, crossEnds, imageDirection } from './image-receiver.js'
export { type SurfacePlane, surfacePlane } from './surface-plane.js'
export { facetsBelow, withMirrorImage, withoutImage } from './mirror-image.js'
