export { addImage, crossEnds, crossing, type Ground, imageDirection, isMirror } from './ground.js'
export {
  facetsBelow,
  overGround,
  type SurfacePlane,
  surfacePlane,
  withMirrorImage,
  withoutImage,
} from './mirror-image.js'
