export {
  coherentGain,
  entropyOf as imageEntropy,
  formImage,
  type ImageOptions,
  type IsarImage,
  type PhaseHistory,
  rangeProfile,
  type RangeProfile,
  type RangeProfileOptions,
  type WindowName,
  WINDOWS,
  windowSamples,
} from './image.js'
export {
  type AspectProfiles,
  autofocus,
  AUTOFOCUS,
  type AutofocusName,
  type Focus,
  imageCorrelation,
} from './autofocus.js'
export {
  type CentreOptions,
  type Centres,
  placeCentre,
  type PlacedCentre,
  PointSpread,
  type PointSpreadOptions,
  type ScatteringCentre,
  scatteringCentres,
  searchCentres,
} from './centres.js'
export { polarFormat } from './polar-format.js'
export { fitCentres, type FittedCentres } from './centre-fit.js'
export {
  type CentreModel,
  middleFrequency,
  type ModelCentre,
  ModelEvaluator,
  type SectorHistory,
  type Visibility,
} from './centre-model.js'
export {
  apertureWeights,
  backproject,
  type BackprojectionJob,
  type BackprojectionOptions,
  type BackprojectionPlan,
  compressPulses,
  type PixelGrid,
  planBackprojection,
  profileBins,
  PULSE_GROUP,
  type RangeCompressed,
} from './backprojection.js'
export {
  boxCorners,
  type ImageAspect,
  imageExtent,
  type ImageExtent,
  type Outline,
  targetOutline,
} from './outline.js'
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
export {
  type Aperture,
  apertureOf,
  differentialRange,
  type DirectedHistory,
  imagePlane,
  type ImagePlane,
  motionImage,
  type MotionImageOptions,
  type PlaneName,
  PLANES,
  type PulseGeometry,
  type PulseHistory,
  rotationPlane,
  type RotationPlane,
} from './motion-image.js'
export { bandOf, imageSmear, needsPolarFormat, planSweep, type SweepPlan, type SweepRequest } from './plan.js'
