/**
 * Factors of the model error (docs/error-estimate.md). Written by `node dist/reproduction/model-error.js --write`: do not edit.
 *
 * By what edge diffraction a run has, as multiples of two mean squares of the result: of the change from first to second order (of |F|
 * where the run has no edges), and of the wavelength.
 */
export const MODEL_FACTORS: Record<'none' | 'first' | 'second', [change: number, wavelength: number]> = {
  none: [0.4403, 0.1304],
  first: [8.744, 0.0257],
  second: [3.894, 0.01314],
}
