import { SUM_TOLERANCE } from '../../../rays/index.js'

/** Defaults of run/settings/declarations.ts, which is Node's (test/views/site holds them together). */
export const DEFAULTS = {
  smoothAngleDeg: 20,
  maxWedgeAngleDeg: 160,
  subdivisions: 2,
  formulation: 'all-bounces',
  sumTolerance: SUM_TOLERANCE,
  diffraction: 'tw-ildc',
  subGrid: 2048,
} as const
