import { array, struct, uniform } from '../layout.js'

/** A face of the icosahedron: two-float vectors have their low parts in `...Lo`. */
const FACE = struct('Face', {
  corners: [array('vec3f', 3), ''],
  weights: [array('vec3f', 3), "rows that give a direction's weights of the corners"],
  weightsLo: [array('vec3f', 3), ''],
})

/** Constant over a run. */
export const PROPAGATION_JOB = uniform('Job', {
  transmitter: ['vec3f', '[m]'],
  lift: ['f32', 'start of a reflected ray above its facet [m]'],
  transmitterLo: ['vec3f', ''],
  zero: ['u32', 'always 0: see two_float'],
  regionMin: ['vec3f', 'absorbing box [m]'],
  slots: ['u32', 'facets'],
  regionMax: ['vec3f', ''],
  diagonal: ['f32', "of the target's box [m]"],
  receivers: ['u32', ''],
  receiverNodes: ['u32', ''],
  capacity: ['u32', 'candidates'],
  listedCapacity: ['u32', 'paths of listed receivers'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent'],
  excitations: ['u32', ''],
  materials: ['u32', ''],
  tables: ['u32', 'start of the antennas in `excitations` [vec4f]'],
  faces: [array(FACE, 20), ''],
})

/** One batch of rays. */
export const PROPAGATION_STEP = uniform('Step', {
  n: ['u32', 'subdivision'],
  j0: ['u32', 'first row of triangles'],
  j1: ['u32', 'last row of vertices'],
  width: ['u32', 'places of a pair of rows: 2 (n + 1) - j0 - j1'],
  face: ['u32', 'first face'],
  places: ['u32', 'of one face'],
  total: ['u32', 'of all faces of the batch'],
  batch: ['u32', 'its number'],
  stride: ['u32', 'rays that the buffer has room for'],
})
