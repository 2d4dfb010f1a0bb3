import { struct, uniform } from '../layout.js'

/** Constant over a batch of aspects. Two-float numbers are vec2f (high, low). */
export const GPUECO_JOB = uniform('Job', {
  cyclesPerMetre: ['vec2f', 'f0/c [1/m], two-float'],
  cyclesPerMetreStep: ['vec2f', 'df/c [1/m], two-float'],
  wavenumber: ['f32', 'k at f0 [rad/m]'],
  wavenumberStep: ['f32', 'dk from frequency to frequency [rad/m]'],
  pixel: ['f32', 'side of a pixel [m]'],
  rounding: ['f32', 'of depths [m]'],
  centre: ['vec2f', "pixel coordinates of the scene's origin"],
  zero: ['u32', 'always 0: see two_float'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent m^2'],
  frequencies: ['u32', 'of the band'],
  facets: ['u32', ''],
  works: ['u32', 'entries of the work list'],
  pieces: ['u32', 'pieces of edges'],
  size: ['u32', 'pixels along a side of the image'],
  tile: ['u32', 'pixels along a side of the tile that the depth buffer holds'],
  group: ['u32', 'facets that a workgroup of gpueco_fields sums'],
})

/** Changes from dispatch to dispatch. */
export const GPUECO_STEP = uniform('Step', {
  tileX: ['i32', 'first pixel of the tile'],
  tileY: ['i32', ''],
  aspect: ['u32', 'of the kernels that take one at a time'],
})

export const ASPECT = struct('Aspect', {
  r: ['vec3f', 'from the target to the transmitter'],
  u: ['vec3f', 'axes of the image, u x v = r'],
  v: ['vec3f', ''],
  w: ['vec3f', 's + r, the phase gradient per wavenumber: high parts'],
  wLo: ['vec3f', 'and low parts'],
  txV: ['vec3f', 'transmit theta-hat'],
  txH: ['vec3f', 'transmit phi-hat'],
  rxV: ['vec3f', 'receive theta-hat'],
  rxH: ['vec3f', 'receive phi-hat'],
  s: ['vec3f', 'from the target to the receiver'],
})
