export { entropyOf as imageEntropy } from './aspect-imager.js'
export { autofocus, AUTOFOCUS, type AspectProfiles, type AutofocusName, type Focus } from './autofocus.js'
export {
  placeCentre,
  scatteringCentres,
  searchCentres,
  type CentreOptions,
  type Centres,
  type PlacedCentre,
  type ScatteringCentre,
} from './centres.js'
export { fitCentres, type FittedCentres } from './centre-fit.js'
export {
  type CentreModel,
  middleFrequency,
  type ModelCentre,
  ModelEvaluator,
  type Visibility,
} from './centre-model.js'
export type { SectorHistory } from './centre-sector.js'
export { imageCorrelation } from './correlation.js'
export {
  backproject,
  type BackprojectionJob,
  compressPulses,
  type PixelGrid,
  profileBins,
  PULSE_GROUP,
  type RangeCompressed,
} from './backprojection.js'
export {
  type BackprojectionOptions,
  type BackprojectionPlan,
  pixelSteps,
  planBackprojection,
} from './backprojection-plan.js'
export { boxCorners, imageExtent, type ImageExtent } from './extent.js'
export {
  rangeDoppler,
  rangeProfiles,
  spectrogram,
  type IntervalOptions,
  type RangeDoppler,
  type RangeProfiles,
  type SlowTimeHistory,
  type Spectrogram,
} from './doppler.js'
export { formImage, type ImageOptions, type IsarImage, type PhaseHistory } from './image.js'
export {
  rotationPlane,
  motionImage,
  type DirectedHistory,
  type RotationPlane,
  type MotionImageOptions,
} from './motion-image.js'
export { type ImageAspect, type Outline, targetOutline } from './outline.js'
export { imageSmear, needsPolarFormat, planSweep, type SweepPlan, type SweepRequest } from './plan.js'
export { PointSpread, type PointSpreadOptions } from './point-spread.js'
export {
  type Aperture,
  apertureOf,
  differentialRange,
  imagePlane,
  type ImagePlane,
  type PlaneName,
  PLANES,
  type PulseGeometry,
  type PulseHistory,
} from './pulses.js'
export { rangeProfile, type RangeProfile, type RangeProfileOptions } from './range-profile.js'
export { coherentGain, WINDOWS, windowSamples, type WindowName } from './window.js'
