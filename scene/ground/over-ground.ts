import { prepareTarget, type Target } from '../target.js'
import { withMirrorImage } from './mirror-image.js'

/** The prepared target with its mirror image at its ground; the report stays that of its own mesh. @throws InputError from `withMirrorImage` */
export const overGround = (own: Target, smoothAngleDeg: number): Target => ({
  ...prepareTarget(withMirrorImage(own, own.ground!.height, own.diagonal), { smoothAngleDeg }),
  report: own.report,
})
